// One node: what one wants to know first, what can be asked of it, and how its values went.

offers.nodeView = ({ mesh, rest }) => {
	const nodeId = rest[0];
	const sentence = el("p.lead");
	const actions = el("div.row.wrap.actions");
	const asked = el("ul.asked");
	const facts = el("div");
	const key = el("div");
	const path = `nodes/${encoded(nodeId)}`;
	const overTime = charts(mesh, nodeId);
	const known = { node: mesh.nodes.get(nodeId), details: null, key: null, reach: null, snr: [], hasRules: false };
	const isSelf = () => nodeId === mesh.self;
	const notes = notesCard(mesh, nodeId);
	const asking = requests(mesh, nodeId, asked);
	let heading;

	function redraw() {
		const { node } = known;
		if (!node) return;
		put(heading, bdi(mesh.longName(nodeId)), realTitle(mesh, nodeId));
		views.entitle();
		put(sentence, sentenceOf(mesh, known));
		renew(actions, nodeActions(mesh, known, isSelf(), asking, load));
		renew(facts, nodeFacts(mesh, known));
	}

	/** Whether this is it, and how far it is. */
	async function loadSelf() {
		if (!mesh.self) await mesh.loadStatus();
		mesh.hearNode(whole(await get(mesh, `nodes/${encoded(mesh.self)}`)));
		redraw();
	}

	async function loadDetails() {
		known.details = await get(mesh, `${path}/details`);
		redraw();
	}

	async function load() {
		for (const more of [mesh.names().then(redraw), loadSelf()]) more.catch(() => {});
		try {
			known.node = await get(mesh, `${path}?fields=${oneNodeFields}`);
			notes.show(known.node);
			mesh.hearNode({
				nodeId,
				longName: known.node.longName,
				shortName: known.node.shortName,
				nickname: known.node.nickname,
			});
			redraw();
		} catch (error) {
			put(sentence, reasons(error));
			return;
		}
		const day = `api/telemetry/${encoded(nodeId)}?sourceId=${encoded(mesh.id)}&hours=24`;
		const found = await Promise.allSettled([
			get(mesh, `${path}/key`),
			may("messages:read") ? get(mesh, `messages?conversation=${encoded("direct:" + nodeId)}&limit=20`) : null,
			ask(day),
			loadDetails(),
			areThereRules().then((isSo) => (known.hasRules = isSo)),
		]);
		const [itsKey, messages, values] = found.map((one) => one.value);
		const isSettled = (row) => isOwn(row) && ["confirmed", "failed"].includes(row.deliveryState);
		const signals = (values ?? []).filter((row) => row.telemetryType === "snr_local");
		known.key = itsKey;
		known.reach = messages?.find(isSettled)?.deliveryState;
		known.snr = signals.map((row) => [row.timestamp, row.value]).reverse();
		redraw();
		renew(key, itsKey && keyCard(mesh, itsKey, load));
	}

	return {
		get title() {
			return mesh.longName(nodeId);
		},
		node: page(
			[bdi(mesh.longName(nodeId)), realTitle(mesh, nodeId)],
			linkTo(mesh, "n"),
			sentence,
			actions,
			asked,
			el("div.cards", facts, el("div", key, notes.card)),
			overTime.node,
			may("traceroute:read") && nodeId !== mesh.self && routesCard(mesh, nodeId),
		),
		begin() {
			heading = find("h1", this.node);
			load();
		},
		again() {
			load();
			overTime.again();
		},
		hear(kind, data) {
			if (kind === "node" && data.nodeId === nodeId) {
				known.node = { ...known.node, ...whole(data) };
				redraw();
				// Whether the radio has taken it, its next list tells.
				if (known.node.isFavorite) loadDetails().catch(() => {});
			}
			if (kind === "status" || kind === "minute") redraw();
			overTime.hear(kind, data);
			asking.hear(kind, data);
		},
		leave: () => asking.leave(),
	};
};

/** What this view shows of a node's row. */
const oneNodeFields =
	`${nodeFields},hwModel,altitude,voltage,channelUtilization,airUtilTx,uptimeSeconds,firmwareVersion,nodeStatus,` +
	"createdAt,positionTimestamp,rssi,isLicensed,notes";

/** "Heard directly 4 min ago, signal good and rising, key verified; messages reach it." */
function sentenceOf(mesh, { node, key, reach, snr }) {
	if (node.nodeId === mesh.self) return [t("ownNode")];
	const time = node.lastHeard * 1000;
	const parts = [];
	if (!isTime(time)) parts.push(t("neverHeard"));
	else
		parts.push(
			node.viaMqtt
			? t("heardMqtt", { when: ago(time) })
			: node.hopsAway === 0
			? t("heardDirect", { when: ago(time) })
			: t("heardOver", { when: ago(time), hops: hopsText(node.hopsAway) }),
		);
	if (node.hopsAway === 0 && Number.isFinite(node.snr))
		parts.push(
			t("signalIs", { grade: t(quality(mesh, node.snr)), trend: snr.length > 3 ? t(`and_${trend(snr)}`) : "" }),
		);
	if (node.isInDoubt) parts.push(t("keyDoubt"));
	else if (key?.isVerified) parts.push(t("keyVerified"));
	else parts.push(t(node.hasPKC ? "keyKnown" : "keyUnknown"));
	const text = parts.join(", ");
	const end = node.isUnmessagable
		? t("nobodyReadsIt")
		: reach === "confirmed"
		? t("messagesReach")
		: reach === "failed"
		? t("messagesFail")
		: "";
	return [end ? `${text}; ${end}.` : `${text}.`];
}

function nodeActions(mesh, { node }, isSelf, asking, reload) {
	const { nodeId } = node;
	const away = mesh.absence;
	const mark = (word, key, isSet) =>
		el("button", {
				"aria-pressed": String(isSet),
				click: () =>
					attempt(async () => {
						const { notice } = await ask(`api/nodes/${encoded(nodeId)}/${word}`, {
							method: "POST",
							body: {
								[key]: !isSet,
								sourceId: mesh.id
							},
						});
						// With the way to its role it stays until it is closed.
						if (notice) toast(notice, el("p", el("a", { href: linkTo(mesh, "radio") }, t("myRadio"))));
						mesh.hearNode({ nodeId, [key]: !isSet });
						await reload();
					}),
			},
			word === "favorite" ? icon("star") : null,
			t(word === "favorite" ? "favourite" : isSet ? "isIgnored" : "ignore"),
		);
	const mapLink =
		hasPosition(node) &&
		el("a.button", { href: `${linkTo(mesh, "map")}?n=${encoded(nodeId)}` }, icon("map"), t("onTheMap"));
	if (isSelf) return [mapLink, el("a.button", { href: linkTo(mesh, "radio") }, t("myRadio"))];
	const trace = { disabled: away !== null, "aria-describedby": away && "away", click: () => asking.route() };
	const asks = may("messages:write") || may("traceroute:write");
	return [
		may("messages:read") &&
		el("a.button.main", { href: linkTo(mesh, "c", `direct:${nodeId}`) }, icon("chats"), t("message")),
		may("traceroute:write") && el("button", trace, t("traceRoute")),
		...askMenu(asking, away !== null),
		mapLink,
		may("nodes:write") && mark("favorite", "isFavorite", node.isFavorite === true),
		may("nodes:write") && mark("ignored", "isIgnored", node.isIgnored === true),
		el("button", {
				click: () => attempt(async () => (await annexes.offer("settings", "showContact"))(mesh, nodeId)),
			},
			t("code"),
		),
		away && asks && el("p.faint.whole", { id: "away" }, t("needsRadio", { away })),
	];
}

/** What it has not sent for a week, although it was heard; and why that may be. */
function notSent({ sendsNoTelemetry, sendsNoPosition }) {
	if (!sendsNoTelemetry && !sendsNoPosition) return null;
	const key = !sendsNoPosition ? "noTelemetry" : !sendsNoTelemetry ? "noPosition" : "noTelemetryNorPosition";
	return [t(key), el("p.faint", t("quietReason"))];
}

function nodeFacts(mesh, { node, details, hasRules }) {
	const own = mesh.own;
	const facts = [
		["id", el("code", node.nodeId)],
		["longName", node.longName && bdi(node.longName)],
		["shortName", node.shortName && bdi(node.shortName)],
		["hardware", hardwareWords(node)],
		["role", roleName(node.role)],
		["licensed", node.isLicensed === true && t("yes")],
		["heard", isTime(node.lastHeard * 1000) ? dateAndTime(node.lastHeard * 1000) : t("never")],
		["way", node.nodeId !== mesh.self && node.hopsAway != null && hopsText(node.hopsAway)],
		["signal", node.hopsAway === 0 && Number.isFinite(node.snr) ? signal(mesh, node.snr) : null],
		["rssi", node.hopsAway === 0 && node.rssi && `${node.rssi} dBm`],
		["battery", battery(node.batteryLevel)],
		["voltage", node.voltage && `${number(node.voltage, 2)} V`],
		["channelUse", node.channelUtilization != null && `${number(node.channelUtilization)} %`],
		["airTime", node.airUtilTx != null && `${number(node.airUtilTx)} %`],
		["uptime", node.uptimeSeconds && duration(node.uptimeSeconds)],
		["place", hasPosition(node) && placeWords(mesh, node)],
		["precision", hasPosition(node) && reachOf(node) && t("within", { far: distance(reachOf(node)) })],
		["distance", hasPosition(node) && hasPosition(own) && own.nodeId !== node.nodeId && farText(own, node)],
		["firmware", node.firmwareVersion && bdi(node.firmwareVersion)],
		["status", node.nodeStatus && bdi(node.nodeStatus)],
		["favourite", node.isFavorite && details?.favoriteMissingSince && t("notOnRadio")],
		["notSentLately", details && notSent(details)],
		["firstHeard", dateAndTime(node.createdAt)],
	];
	return el("section.card",
		el("h2", t("facts")),
		factList(facts),
		el("p",
			may("packetmonitor:read") && [
				el("a", { href: `${linkTo(mesh, "packets")}?node=${encoded(node.nodeId)}` }, t("itsPackets")),
				" · ",
			],
			may("info:read") &&
			el("a", { href: `${linkTo(mesh, "links")}?node=${encoded(node.nodeId)}` }, t("itsLinks")),
		),
		hasRules &&
		el("button.link", { click: () => askWhyNot(mesh, `nodes/${encoded(node.nodeId)}`, node.nodeId) }, t("whyNot")),
	);
}

/** By its name, or by the number that this version has no name for. */
function hardwareWords(node) {
	if (node.hwModelName) return node.hwModelName.replaceAll("_", " ");
	return node.hwModel ? `#${node.hwModel}` : null;
}

function placeWords(mesh, node) {
	const words = [node.latitude.toFixed(5), node.longitude.toFixed(5)];
	if (node.altitude) words.push(isImperial() ? `${number(node.altitude * 3.281, 0)} ft` : `${node.altitude} m`);
	const time = node.positionTimestamp;
	const [latitude, longitude] = words;
	return [
		words.join(", "),
		el("p.faint", isTime(time) ? t("placeFrom", { when: ago(time) }) : ""),
		el("p",
			el("a", { href: `${linkTo(mesh, "map")}?n=${encoded(node.nodeId)}` }, t("onTheMap")),
			" · ",
			el("a", {
					href: `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=14/${latitude}/${longitude}`,
					target: "_blank",
					rel: "noopener noreferrer",
				},
				"OpenStreetMap",
			),
		),
	];
}

/** The nickname is ours alone; others know the node by its own name. */
function realTitle(mesh, nodeId) {
	const [name] = realName(mesh, nodeId);
	return name ? el("small.faint", " ", name) : null;
}

function notesCard(mesh, nodeId) {
	const nickname = el("input", { id: "nickname" });
	const notes = el("textarea", { id: "notes", rows: "3" });
	const counts = [limited(nickname, 60), limited(notes, 2000)];
	const card = el("form.card", {
			submit: () => {
				attempt(async () => {
					if (!card.reportValidity()) return;
					await ask(sourcePath(mesh, `nodes/${encoded(nodeId)}`), {
						method: "PATCH",
						body: { nickname: nickname.value, notes: notes.value },
					});
					mesh.hearNode({ nodeId, nickname: nickname.value.trim() || null });
					refreshConversations();
					toast(t("saved"));
				});
			},
			input: () => {
				card.dataset.touched = "yes";
			},
		},
		el("h2", t("ownNotes")),
		labelled("nickname", nickname),
		counts[0],
		labelled("notes", notes),
		counts[1],
		el("button", { type: "submit" }, t("store")),
	);
	card.hidden = !may("nodes:write");
	return {
		card,
		show(node) {
			if (card.dataset.touched) return;
			nickname.value = node.nickname ?? "";
			notes.value = node.notes ?? "";
			for (const count of counts) count.draw();
		},
	};
}
