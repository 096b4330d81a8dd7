
// One node: what one wants to know first, what can be asked of it, and how its values went.

function nodeView({ mesh, rest }) {
	const nodeId = rest[0];
	const sentence = el("p.lead");
	const actions = el("div.row.wrap.actions");
	const asked = el("ul.asked");
	const facts = el("div");
	const key = el("div");
	const path = `nodes/${id(nodeId)}`;
	const known = { node: mesh.nodes.get(nodeId), key: null, reach: null, snr: [] };
	const isSelf = () => nodeId === mesh.self;
	const notes = notesCard(mesh, nodeId);
	const asking = requests(mesh, nodeId, asked);
	let heading;

	function redraw() {
		const { node } = known;
		if (!node) return;
		put(heading, bdi(mesh.longName(nodeId)));
		views.entitle();
		put(sentence, sentenceOf(mesh, known));
		put(actions, nodeActions(mesh, known, isSelf(), asking, load));
		put(facts, nodeFacts(mesh, node));
	}

	/** Whether this is it, and how far it is. */
	async function loadSelf() {
		if (!mesh.self) await mesh.loadStatus();
		mesh.hearNode(await get(mesh, `nodes/${id(mesh.self)}`));
		redraw();
	}

	async function load() {
		for (const more of [mesh.names().then(redraw), loadSelf()]) more.catch(() => {});
		try {
			known.node = await get(mesh, path);
			notes.show(known.node);
			mesh.hearNode({ nodeId, longName: known.node.longName, shortName: known.node.shortName, nickname: known.node.nickname });
			redraw();
		} catch (error) {
			put(sentence, reasons(error));
			return;
		}
		const day = `api/telemetry/${id(nodeId)}?sourceId=${id(mesh.id)}&hours=24`;
		const found = await Promise.allSettled([get(mesh, `${path}/key`), get(mesh, `messages?conversation=${id(`direct:${nodeId}`)}&limit=20`), ask(day)]);
		const [itsKey, texts, values] = found.map((one) => one.value);
		known.key = itsKey;
		known.reach = texts?.find((row) => isOwn(row) && ["confirmed", "failed"].includes(row.deliveryState))?.deliveryState;
		known.snr = (values ?? []).filter((row) => row.telemetryType === "snr_local").map((row) => [row.timestamp, row.value]).reverse();
		redraw();
		put(key, itsKey && keyCard(mesh, itsKey));
	}

	return {
		get title() { return mesh.longName(nodeId); },
		node: page(bdi(mesh.longName(nodeId)), to(mesh, "n"), sentence, actions, asked, el("div.cards", facts, el("div", key, notes.card)), charts(mesh, nodeId),
			routesCard(mesh, nodeId)),
		begin() {
			heading = find("h1", this.node);
			load();
		},
		again: load,
		hear(kind, data) {
			if (kind === "node" && data.nodeId === nodeId) {
				known.node = { ...known.node, ...data };
				redraw();
			}
			asking.hear(kind, data);
		},
		leave: () => asking.leave(),
	};
}

/** "Heard directly 4 min ago, signal good and rising, key verified; messages reach it." */
function sentenceOf(mesh, { node, key, reach, snr }) {
	if (node.nodeId === mesh.self) return [t("ownNode")];
	const at = node.lastHeard * 1000;
	const parts = [];
	if (!isTime(at)) parts.push(t("neverHeard"));
	else parts.push(node.viaMqtt ? t("heardMqtt", { when: ago(at) }) : node.hopsAway === 0 ? t("heardDirect", { when: ago(at) })
		: t("heardOver", { when: ago(at), hops: hopsText(node.hopsAway) }));
	if (node.hopsAway === 0 && Number.isFinite(node.snr)) parts.push(t("signalIs", { grade: t(quality(node.snr)), trend: snr.length > 3 ? t(`and_${trend(snr)}`) : "" }));
	if (node.keyMismatchDetected) parts.push(t("keyDoubt"));
	else if (key?.isVerified) parts.push(t("keyVerified"));
	else parts.push(t(node.hasPKC ? "keyKnown" : "keyUnknown"));
	const text = parts.join(", ");
	const end = node.isUnmessagable ? t("nobodyReadsIt") : reach === "confirmed" ? t("messagesReach") : reach === "failed" ? t("messagesFail") : "";
	return [`${text}${end ? `; ${end}` : ""}.`];
}

function nodeActions(mesh, { node }, isSelf, asking, reload) {
	const { nodeId } = node;
	const mark = (word, key, isSet) => el("button", {
		"aria-pressed": String(isSet),
		click: () => attempt(async () => {
			await ask(`api/nodes/${id(nodeId)}/${word}`, { method: "POST", body: { [key]: !isSet, sourceId: mesh.id } });
			mesh.hearNode({ nodeId, [key]: !isSet });
			await reload();
		}),
	}, word === "favorite" ? icon("star") : null, t(word === "favorite" ? "favourite" : isSet ? "isIgnored" : "ignore"));
	const places = hasPlace(node) && el("a.button", { href: `${to(mesh, "map")}?n=${id(nodeId)}` }, icon("map"), t("onTheMap"));
	if (isSelf) return [places, el("a.button", { href: to(mesh, "radio") }, t("myRadio"))];
	return [
		el("a.button.main", { href: to(mesh, "c", `direct:${nodeId}`) }, icon("chats"), t("message")),
		el("button", { click: () => asking.route() }, t("traceRoute")),
		...askMenu(asking), places, mark("favorite", "isFavorite", node.isFavorite === true), mark("ignored", "isIgnored", node.isIgnored === true),
		el("button", { click: () => showContact(mesh, nodeId) }, t("code")),
	];
}

function askMenu(asking) {
	const kinds = ["device", "environment", "airQuality", "power", "localStats"];
	return menu({}, t("askIt"), () => [
		[t("asked_position"), () => asking.ask("request-position", "position")], [t("askNodeInfo"), () => asking.ask("request-nodeinfo", "node")], [t("asked_neighbors"), () => asking.ask("request-neighbors", "neighbors")],
		...kinds.map((kind) => [t(`ask_${kind}`), () => asking.ask("request-telemetry", "telemetry", { kind })]),
	]);
}

/** What has been asked of a node: it waits until the answer comes, or two minutes are over. */
function requests(mesh, nodeId, list) {
	const waiting = new Map();
	const words = (one) => `${t(`asked_${one.event}`)}: ${t(`asked_${one.state}`, { when: Math.round((Date.now() - one.at) / 1000) })}`;
	const redraw = () => put(list, [...waiting.values()].map((one) => el("li", words(one), one.found)));
	const settle = (one, state) => {
		one.state = state;
		redraw();
		announce(words(one));
	};
	// Seconds that pass are no request.
	const clock = setInterval(() => {
		const open = [...waiting.values()].filter((one) => one.state === "waiting");
		for (const one of open) if (Date.now() - one.at > 120000) settle(one, "over");
		if (open.length) redraw();
	}, 1000);
	return {
		ask: (path, event, more = {}) => attempt(async () => {
			await post(mesh, `actions/${path}`, { destination: nodeId, ...more });
			const one = { event, at: Date.now() };
			waiting.set(event, one);
			settle(one, "waiting");
			// These answers are no events of their own.
			if (["node", "neighbors"].includes(event)) live.want(true);
		}),
		route() {
			const channels = mesh.chats.filter((row) => row.channel >= 0);
			const choice = el("select", { id: "route-channel" }, el("option", { value: "" }, t("usualChannel")), channels.map((row) => el("option", { value: row.channel }, row.name)));
			const box = dialog(t("traceRoute"), el("p", t("traceLong")), labelled("channel", choice), el("button.main", { click: () => {
				box.close();
				this.ask("traceroute", "traceroute", choice.value && { channel: Number(choice.value) });
			} }, t("traceRoute")));
		},
		hear(kind, data) {
			const event = kind === "packet" ? { NODEINFO_APP: "node", NEIGHBORINFO_APP: "neighbors" }[data.portnum_name] : kind === "node" ? null : kind;
			const one = waiting.get(event);
			const isFrom = kind === "traceroute" ? data.route !== null && [data.toNodeId, data.fromNodeId].includes(nodeId) : (data.nodeId ?? data.from_node_id) === nodeId;
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

function nodeFacts(mesh, node) {
	const own = mesh.own;
	const facts = [
		["id", el("code", node.nodeId)], ["shortName", node.shortName && bdi(node.shortName)], ["role", roleName(node.role)], ["heard", isTime(node.lastHeard * 1000) ? dateAndTime(node.lastHeard * 1000) : t("never")],
		["way", node.hopsAway != null && hopsText(node.hopsAway)], ["signal", node.hopsAway === 0 && Number.isFinite(node.snr) ? signal(node.snr) : null],
		["battery", battery(node.batteryLevel)], ["voltage", node.voltage && `${number(node.voltage, 2)} V`], ["channelUse", node.channelUtilization != null && `${number(node.channelUtilization)} %`],
		["airTime", node.airUtilTx != null && `${number(node.airUtilTx)} %`],
		["uptime", node.uptimeSeconds && duration(node.uptimeSeconds)],
		["place", hasPlace(node) && [`${node.latitude.toFixed(5)}, ${node.longitude.toFixed(5)}`, node.altitude ? `, ${isImperial() ? `${number(node.altitude * 3.281, 0)} ft` : `${node.altitude} m`}` : "", el("p.faint", isTime(node.positionTimestamp) ? t("placeFrom", { when: ago(node.positionTimestamp) }) : "")]],
		["distance", hasPlace(node) && hasPlace(own) && own.nodeId !== node.nodeId && farText(own, node)], ["firmware", node.firmwareVersion && bdi(node.firmwareVersion)], ["status", node.nodeStatus && bdi(node.nodeStatus)], ["firstHeard", dateAndTime(node.createdAt)],
	];
	return el("section.card", el("h2", t("facts")), factList(facts), el("p", el("a", { href: `${to(mesh, "packets")}?node=${id(node.nodeId)}` }, t("itsPackets")), " · ",
		el("a", { href: `${to(mesh, "links")}?node=${id(node.nodeId)}` }, t("itsLinks"))));
}

function keyCard(mesh, key) {
	return [el(key.isInDoubt ? "section.card.problem" : "section.card", el("h2", t("key")),
		key.keyWords ? [el("p", t("compareWords")), el("p.words", key.keyWords.join(" "))] : el("p", t("keyUnknownLong")),
		key.otherKey && [el("p", t("otherKey", { when: dateAndTime(key.doubtedSince) })), el("p.words", key.otherKey.match(/.{1,4}/g).join(" "))],
		key.successor && el("p", t("movedTo"), " ", nodeLink(mesh, key.successor)), key.details && el("p", { lang: "en" }, key.details), key.advice && el("p", { lang: "en" }, key.advice), key.isInDoubt && copyable(`mesh-gateway keys verify '${key.nodeId}'`))];
}

function notesCard(mesh, nodeId) {
	const nickname = el("input", { id: "nickname", maxlength: "64" });
	const notes = el("textarea", { id: "notes", rows: "3", maxlength: "2000" });
	const card = el("form.card", {
		submit: () => {
			attempt(async () => {
				await ask(at(mesh, `nodes/${id(nodeId)}`), { method: "PATCH", body: { nickname: nickname.value, notes: notes.value } });
				mesh.hearNode({ nodeId, nickname: nickname.value.trim() || null });
				refreshConversations();
				toast(t("saved"));
			});
		},
		input: () => { card.dataset.touched = "yes"; },
	}, el("h2", t("ownNotes")), labelled("nickname", nickname), labelled("notes", notes), el("button", { type: "submit" }, t("store")));
	return { card, show(node) { if (!card.dataset.touched) [nickname.value, notes.value] = [node.nickname ?? "", node.notes ?? ""]; } };
}

/** Past routes, both ways, with the signal of each leap. */
function routesCard(mesh, nodeId) {
	const fillIn = async () => {
		if (!mesh.self) await mesh.loadStatus();
		const [a, b] = [mesh.self, nodeId].map((one) => parseInt(one.slice(1), 16));
		const rows = await ask(`api/traceroutes/history/${a}/${b}?sourceId=${id(mesh.id)}&limit=20`);
		return rows.length ? el("ul.routes", rows.map((row) => el("li", el("p.faint", dateAndTime(row.timestamp)), routeLine(mesh, row)))) : el("p.faint", t("noRoutes"));
	};
	const card = el("details.card", { toggle: () => { if (card.open) put(card.lastChild, later(fillIn)); } }, el("summary", el("h2", t("pastRoutes"))), el("div"));
	return card;
}

function routeLine(mesh, row) {
	if (row.route === null) return el("p", t("routeUnanswered"));
	const way = (from, hops, to, snr) => el("p", [from, ...hops, to].flatMap((one, place) => {
		const name = typeof one === "number" ? one === 0xffffffff ? t("unnamed") : `!${one.toString(16).padStart(8, "0")}` : one;
		return [place ? el("span.faint", ` → ${Number.isFinite(snr[place - 1]) && snr[place - 1] !== -128 ? `(${decibels(snr[place - 1] / 4)}) ` : ""}`) : "", bdi(mesh.longName(name))];
	}));
	const [route, back, towards, snrBack] = [row.route, row.routeBack, row.snrTowards, row.snrBack].map((text) => JSON.parse(text ?? "[]"));
	return [way(row.fromNodeId, route, row.toNodeId, towards), (back.length > 0 || snrBack.length > 0) && way(row.toNodeId, back, row.fromNodeId, snrBack)];
}

/** The code that Meshtastic's apps scan to add a contact. */
function showContact(mesh, nodeId) {
	dialog(t("contactCode"), later(async () => {
		const node = await get(mesh, `nodes/${id(nodeId)}/key`);
		const url = node.contactUrl;
		return [el("p", bdi(node.longName)), qrPicture(url, t("contactCode")), copyable(url)];
	}));
}
