// What is on the air: packets as they come, and what each byte of one means.

viewMakers.packets = (address) => (address.rest[0] ? packetView(address) : packetsView(address));

const ports = {
	TEXT_MESSAGE_APP: "text",
	POSITION_APP: "asked_position",
	NODEINFO_APP: "asked_node",
	TELEMETRY_APP: "asked_telemetry",
	ROUTING_APP: "portRouting",
	TRACEROUTE_APP: "asked_traceroute",
	NEIGHBORINFO_APP: "asked_neighbors",
	WAYPOINT_APP: "waypoint",
	ALERT_APP: "alert",
	ADMIN_APP: "portAdmin",
	DETECTION_SENSOR_APP: "portSensor",
	PAXCOUNTER_APP: "portCounter",
	STORE_FORWARD_APP: "portStore",
};

/** What a packet is, for people; a port without a text of its own goes by its name in the protocol. */
function portWords(row) {
	if (ports[row.portnum_name]) return t(ports[row.portnum_name]);
	return row.encrypted ? t("encrypted") : plainName(row.portnum_name);
}

function packetsView({ mesh, query }) {
	const state = { rows: [], isPaused: false, held: 0, word: query.get("q") ?? "", kind: query.get("kind") ?? "" };
	const node = query.get("node");
	const packet = Number(query.get("packet")) || null;
	const body = el("tbody");
	const count = el("p.faint", { role: "status" });
	const pause = el("button", {
			"aria-pressed": "false",
			click: () => {
				state.isPaused = !state.isPaused;
				state.frozen = state.rows.slice();
				state.held = 0;
				pause.setAttribute("aria-pressed", String(state.isPaused));
				pause.textContent = t(state.isPaused ? "goOn" : "pause");
				redraw();
			},
		},
		t("pause"),
	);
	const field = el("input", {
		type: "search",
		label: t("filterPackets"),
		placeholder: t("filterPackets"),
		value: state.word,
		input: () => {
			state.word = field.value;
			changed();
		},
	});
	const choice = el("select", {
			label: t("kind"),
			change: () => {
				state.kind = choice.value;
				changed();
			},
		},
		el("option", { value: "" }, t("allKinds")),
		Object.entries(ports).map(([port, word]) =>
			el("option", { value: port, selected: port === state.kind }, t(word)),
		),
	);
	const known = new Map();
	const numberOf = node && parseInt(node.slice(1), 16);
	const fits = (row) =>
		(!node || row.from_node === numberOf || row.to_node === numberOf) &&
		(!packet || row.packet_id === packet) &&
		(!state.kind || row.portnum_name === state.kind) &&
		(!state.word ||
			`${row.from_node_longName} ${row.to_node_longName} ${row.from_node_id} ${row.portnum_name} ${row.payload_preview}`
			.toLowerCase()
			.includes(state.word.toLowerCase()));

	/** The address keeps the filter: Back from a packet finds it there. */
	function changed() {
		past.note(mesh, "packets", { node, packet: query.get("packet"), kind: state.kind, q: state.word });
		redraw();
	}

	function line(row) {
		if (!known.has(row.id))
			known.set(
				row.id,
				el("tr",
					el("td", el("a", { href: linkTo(mesh, "packets", row.id) }, secondOfDay(row.timestamp))),
					el("td",
						bdi(row.direction === "tx" ? t("you") : (row.from_node_longName ?? row.from_node_id)),
						el("span.faint", " → "),
						bdi(row.to_node === 0xffffffff ? t("everybody") : (row.to_node_longName ?? row.to_node_id)),
					),
					el("td", portWords(row)),
					el("td.preview", bdi(row.payload_preview ?? "")),
					el("td",
						row.direction === "tx"
						? t("sent")
						: row.hop_start
						? row.hop_start === row.hop_limit && Number.isFinite(row.snr)
						? decibels(row.snr)
						: hopsText(row.hop_start - row.hop_limit)
						: "",
					),
					el("td", { "data-name": t("channel") }, String(row.channel)),
					el("td", row.payload_size != null && t("bytesN", { n: row.payload_size })),
					el("td", { "data-name": t("id") },
						row.packet_id && el("code", numberText(row.packet_id)),
					),
				),
			);
		return known.get(row.id);
	}

	function redraw() {
		const rows = (state.isPaused ? state.frozen : state.rows).filter(fits);
		count.textContent =
			t("packetsShown", { n: rows.length }) + (state.isPaused ? t("pausedWith", { n: state.held }) : "");
		const seen = rows.slice(0, 200);
		syncChildren(body, seen.map(line));
		const ids = new Set(seen.map((row) => row.id));
		for (const id of known.keys())
			if (!ids.has(id)) known.delete(id);
	}
	const slowly = debounced(redraw, 300);

	return {
		title: t("packets"),
		node: page(
			t("packets"),
			linkTo(mesh, "more"),
			node &&
			el("p",
				t("onlyOf"),
				" ",
				nodeLink(mesh, node),
				" · ",
				el("a", { href: linkTo(mesh, "packets") }, t("showAll")),
			),
			el("div.row.wrap", el("div.search", icon("search"), field), choice, pause),
			count,
			table(
				t("packets"),
				["time", "fromTo", "kind", "content", "way", "channel", "dataSize", "id"],
				body,
				"packets",
			),
		),
		async begin() {
			try {
				const parameters = node ? `&from_node=${numberOf}` : "";
				state.rows = await get(mesh, `packets?limit=${packet ? 1000 : 200}${parameters}`);
				redraw();
				if (packet && state.rows.filter(fits).length === 0) count.textContent = t("packetGone");
			} catch (error) {
				put(count, reasons(error));
			}
			live.want(true);
		},
		again() {
			this.begin();
		},
		hear(kind, data) {
			if (kind !== "packet" || state.rows.some((row) => row.id === data.id)) return;
			state.rows.unshift(data);
			state.rows.length = Math.min(state.rows.length, 1000);
			state.held += 1;
			slowly();
		},
		leave: () => live.want(false),
	};
}

/** One packet: how it came, how long it was on the air, and its bytes with their meaning. */
function packetView({ mesh, rest }) {
	const path = `packets/${encoded(rest[0])}`;
	return {
		title: t("packet"),
		node: page(
			t("packet"),
			linkTo(mesh, "packets"),
			later(async () => {
				const [row, explained] = await Promise.all([get(mesh, path), get(mesh, `${path}/explain`)]);
				const { airtime, hops } = explained;
				return [
					el("section.card",
						factList([
							["from", nodeLink(mesh, row.from_node_id)],
							["to", row.to_node === 0xffffffff ? t("everybody") : nodeLink(mesh, row.to_node_id)],
							[
								"kind",
								`${portWords(row)} (${row.portnum_name})`,
							],
							["cameAt", dateAndSecond(row.timestamp)],
							["dataSize", row.payload_size != null && t("bytesN", { n: row.payload_size })],
							["channel", String(row.channel)],
							["content", bdi(row.payload_preview ?? "")],
							["way", hops?.away === undefined ? "" : hopsText(hops.away)],
							Number.isFinite(row.snr) && ["signal", signal(mesh, row.snr)],
							row.rssi && ["rssi", `${row.rssi} dBm`],
							hops?.away > 0 && hops.relayCandidates?.length > 0 && [
								"relay",
								hops.relayCandidates.map((one, index) => [
									index ? ", " : "",
									nodeLink(mesh, one.nodeId),
								]),
							],
							airtime && [
								"onAir",
								`${number(airtime.milliseconds)} ms, ${t("bytesN", { n: airtime.bytes })}, ${airtime.preset}`,
							],
							["packetId", row.packet_id && el("code", numberText(row.packet_id))],
						]),
					),
					el("h2", t("bytes")),
					el("p.note", t("bytesFromLog")),
					table(
						t("bytes"),
						["place", "field", "value", "bytes"],
						el("tbody",
							(explained.fields ?? []).map((one) =>
								el("tr",
									el("td", String(one.offset)),
									el("td", { "--depth": one.depth },
										el("span.indent"),
										one.name ?? `#${one.number}`,
									),
									el("td", bdi(one.isHidden ? t("hidden") : (one.value ?? ""))),
									el("td", el("code", one.hex ?? "")),
								),
							),
						),
						"bytes",
					),
				];
			}),
		),
	};
}
