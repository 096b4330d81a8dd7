// What can be asked of a node over the air, and what became of it.

/** @param isAway the radio is: nothing can be asked */
function askMenu(asking, isAway) {
	const telemetryKinds = ["device", "environment", "airQuality", "power", "localStats"];
	const [mayAsk, mayTrace] = [may("messages:write"), may("traceroute:write")];
	if (!mayAsk && !mayTrace) return [];
	return menu({ disabled: isAway, "aria-describedby": isAway && "away" }, t("askIt"), () => [
		mayAsk && [t("asked_position"), () => asking.ask("request-position", "position")],
		mayAsk && [t("askNodeInfo"), () => asking.ask("request-nodeinfo", "node")],
		mayTrace && [t("asked_neighbors"), () => asking.ask("request-neighbors", "neighbors")],
		...telemetryKinds.map((kind) => mayAsk && [
			t(`ask_${kind}`),
			() => asking.ask("request-telemetry", "telemetry", { kind }),
		]),
	]);
}

/** What has been asked of a node: it waits until the answer comes, or two minutes are over. */
function requests(mesh, nodeId, list) {
	const waiting = new Map();
	const words = ({ event, state, time }) => {
		const seconds = Math.round((Date.now() - time) / 1000);
		return [t("asked_" + event), t("asked_" + state, { when: seconds })].join(": ");
	};
	const redraw = () =>
		put(
			list,
			[...waiting.values()].map((one) => el("li", words(one), one.found)),
		);
	const settle = (one, state) => {
		one.state = state;
		redraw();
		announce(words(one));
	};
	// Seconds that pass are no request.
	const clock = setInterval(() => {
		const open = [...waiting.values()].filter((one) => one.state === "waiting");
		for (const one of open)
			if (Date.now() - one.time > 120000) settle(one, "over");
		if (open.length) redraw();
	}, 1000);
	return {
		ask: (path, event, more = {}) =>
			attempt(async () => {
				await post(mesh, `actions/${path}`, { destination: nodeId, ...more });
				const one = { event, time: Date.now() };
				waiting.set(event, one);
				settle(one, "waiting");
				// These answers are no events of their own.
				if (["node", "neighbors"].includes(event)) live.want(true);
			}),
		route() {
			const channels = mesh.chats.filter((row) => row.channel >= 0);
			const choice = el("select", { id: "route-channel" },
				el("option", { value: "" }, t("usualChannel")),
				channels.map((row) => el("option", { value: row.channel }, row.name)),
			);
			const box = dialog(
				t("traceRoute"),
				el("p", t("traceLong")),
				labelled("channel", choice),
				el("button.main", {
						click: () => {
							box.close();
							this.ask("traceroute", "traceroute", choice.value && { channel: Number(choice.value) });
						},
					},
					t("traceRoute"),
				),
			);
		},
		hear(kind, data) {
			const ofPackets = { NODEINFO_APP: "node", NEIGHBORINFO_APP: "neighbors" };
			const event = kind === "packet" ? ofPackets[data.portnum_name] : kind === "node" ? null : kind;
			const one = waiting.get(event);
			const isFrom =
				kind === "traceroute"
				? data.route !== null && [data.toNodeId, data.fromNodeId].includes(nodeId)
				: (data.nodeId ?? data.from_node_id) === nodeId;
			if (one?.state !== "waiting" || !isFrom) return;
			if (kind === "traceroute") one.found = routeLine(mesh, data);
			settle(one, "answered");
		},
		leave() {
			clearInterval(clock);
			live.want(false);
		},
	};
}
