
// One node: what one wants to know first, what can be asked of it, and how its values went.

function nodeView({ mesh, rest }) {
	const nodeId = rest[0];
	const heading = el("h1", { tabindex: "-1" }, bdi(mesh.longName(nodeId)));
	const sentence = el("p.lead");
	const actions = el("div.row.wrap.actions");
	const asked = el("ul.asked", { role: "status" });
	const facts = el("div");
	const key = el("div");
	const path = `nodes/${id(nodeId)}`;
	const known = { node: mesh.nodes.get(nodeId), key: null, reach: null, snr: [] };
	const isSelf = () => nodeId === mesh.self;
	const notes = notesCard(mesh, nodeId);
	const asking = requests(mesh, nodeId, asked);

	function redraw() {
		const { node } = known;
		if (!node) return;
		heading.replaceChildren(bdi(mesh.longName(nodeId)));
		sentence.replaceChildren(...sentenceOf(mesh, known));
		actions.replaceChildren(...nodeActions(mesh, known, isSelf(), asking, load));
		facts.replaceChildren(nodeFacts(mesh, node));
	}

	async function load() {
		mesh.names().then(redraw, () => {});
		try {
			known.node = await get(mesh, path);
			notes.show(known.node);
			mesh.hearNode({ nodeId, longName: known.node.longName, shortName: known.node.shortName, nickname: known.node.nickname });
			redraw();
		} catch (error) {
			sentence.replaceChildren(...reasons(error));
			return;
		}
		const day = `api/telemetry/${id(nodeId)}?sourceId=${id(mesh.id)}&hours=24`;
		const found = await Promise.allSettled([get(mesh, `${path}/key`), get(mesh, `messages?conversation=${id(`direct:${nodeId}`)}&limit=20`), ask(day)]);
		const [itsKey, texts, values] = found.map((one) => one.value);
		known.key = itsKey;
		known.reach = texts?.find((row) => isOwn(row) && ["confirmed", "failed"].includes(row.deliveryState))?.deliveryState;
		known.snr = (values ?? []).filter((row) => row.telemetryType === "snr_local").map((row) => [row.timestamp, row.value]).reverse();
		redraw();
		key.replaceChildren(...(itsKey ? keyCard(itsKey) : []));
	}

	return {
		title: mesh.longName(nodeId),
		node: page("", to(mesh, "n"), sentence, actions, asked,
			el("div.cards", facts, key, notes.card), charts(mesh, nodeId), routesCard(mesh, nodeId), packetsCard(mesh, nodeId)),
		begin() {
			find("h1", this.node).replaceWith(heading);
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
	if (node.keyMismatchDetected) parts.push(t("keyDoubtSentence"));
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
	}, word === "favorite" ? icon("star") : null, t(word === "favorite" ? (isSet ? "isFavourite" : "makeFavourite") : (isSet ? "isIgnored" : "ignore")));
	const places = hasPlace(node) && el("a.button", { href: `${to(mesh, "map")}?n=${id(nodeId)}`, class: "button" }, icon("map"), t("onTheMap"));
	if (isSelf) return [places, el("a.button", { href: to(mesh, "radio") }, t("myRadio"))].filter(Boolean);
	return [
		el("a.button.main", { href: to(mesh, "c", `direct:${nodeId}`), class: "button main" }, icon("chats"), t("writeTo")),
		el("button", { click: () => asking.route() }, t("traceRoute")),
		askMenu(asking), places, mark("favorite", "isFavorite", node.isFavorite === true), mark("ignored", "isIgnored", node.isIgnored === true),
		el("button", { click: () => showContact(mesh, nodeId) }, t("contactCode")),
	].filter(Boolean);
}

const telemetryKinds = ["device", "environment", "airQuality", "power", "localStats"];

function askMenu(asking) {
	const list = el("div.menu", { role: "menu", popover: "auto" });
	const button = el("button", {
		"aria-haspopup": "menu",
		click: () => openMenu(list, button, [
			[t("askPosition"), () => asking.ask("request-position", "position")], [t("askNodeInfo"), () => asking.ask("request-nodeinfo", "node")],
			[t("askNeighbors"), () => asking.ask("request-neighbors", "neighbors")],
			...telemetryKinds.map((kind) => [t(`ask_${kind}`), () => asking.ask("request-telemetry", "telemetry", { kind })]),
		]),
	}, t("askIt"));
	return el("span.anchor", button, list);
}

/** What has been asked of a node: it waits until the answer comes, or two minutes are over. */
function requests(mesh, nodeId, list) {
	const waiting = new Map();
	const redraw = () => {
		list.replaceChildren(...[...waiting].map(([, one]) => el("li", { class: one.state }, `${t(`asked_${one.event}`)}: `,
			one.state === "waiting" ? t("askedWaiting", { when: Math.round((Date.now() - one.at) / 1000) }) : t(one.state === "over" ? "askedOver" : "askedAnswered"))));
	};
	// Seconds that pass are no request.
	const clock = setInterval(() => {
		let isWaiting = false;
		for (const one of waiting.values()) {
			if (one.state !== "waiting") continue;
			isWaiting = true;
			if (Date.now() - one.at > 120000) one.state = "over";
		}
		if (isWaiting) redraw();
	}, 1000);
	return {
		async ask(path, event, more = {}) {
			await attempt(async () => {
				await post(mesh, `actions/${path}`, { destination: nodeId, ...more });
				waiting.set(event, { event, at: Date.now(), state: "waiting" });
				redraw();
			});
		},
		route() {
			const channels = [...mesh.conversations.values()].filter((row) => row.id.startsWith("channel:"));
			const choice = el("select", { id: "route-channel" }, el("option", { value: "" }, t("usualChannel")), channels.map((row) => el("option", { value: row.id.slice(8) }, row.name)));
			const box = dialog(t("traceRoute"), el("p", t("traceLong")), el("label", { for: "route-channel" }, t("channel")), choice,
				el("button.main", {
					click: () => {
						box.close();
						this.ask("traceroute", "traceroute", choice.value === "" ? {} : { channel: Number(choice.value) });
					},
				}, t("traceRoute")));
		},
		hear(kind, data) {
			const one = waiting.get(kind === "traceroute" && data.route === null ? "" : kind);
			const who = data.nodeId ?? data.fromNodeId;
			if (!one || one.state !== "waiting" || (kind === "traceroute" ? data.toNodeId !== nodeId && data.fromNodeId !== nodeId : who !== nodeId)) return;
			one.state = "answered";
			redraw();
		},
		leave: () => clearInterval(clock),
	};
}

function nodeFacts(mesh, node) {
	const facts = [
		["id", el("code", node.nodeId)], ["shortName", node.shortName && bdi(node.shortName)], ["role", roleName(node.role)], ["heard", isTime(node.lastHeard * 1000) ? dateAndTime(node.lastHeard * 1000) : t("never")],
		["way", hopsText(node.hopsAway)], ["signal", node.hopsAway === 0 && Number.isFinite(node.snr) ? signal(node.snr) : null],
		["battery", battery(node.batteryLevel)], ["voltage", node.voltage && `${number(node.voltage, 2)} V`], ["channelUse", node.channelUtilization !== null && node.channelUtilization !== undefined && `${number(node.channelUtilization)} %`],
		["airTime", node.airUtilTx !== null && node.airUtilTx !== undefined && `${number(node.airUtilTx)} %`],
		["uptime", node.uptimeSeconds && t("days", { n: number(node.uptimeSeconds / 86400) })],
		["place", hasPlace(node) && [`${number(node.latitude, 5)}, ${number(node.longitude, 5)}`, node.altitude ? `, ${distance(node.altitude)}` : "", el("p.faint", isTime(node.positionTimestamp) ? t("placeFrom", { when: ago(node.positionTimestamp) }) : "")]],
		["firmware", node.firmwareVersion && bdi(node.firmwareVersion)], ["status", node.nodeStatus && bdi(node.nodeStatus)], ["firstHeard", dateAndTime(node.createdAt)],
	];
	return el("section.card", el("h2", t("facts")), factList(facts));
}

function keyCard(key) {
	return [el(key.isInDoubt ? "section.card.problem" : "section.card", el("h2", t("key")),
		key.keyWords ? [el("p", t("compareWords")), el("p.words", key.keyWords.join(" ")), isTime(key.sameKeySince) && el("p.faint", t("sameSince", { when: dateAndTime(key.sameKeySince) }))] : el("p", t("keyUnknownLong")),
		key.otherKey && [el("p", t("otherKey", { when: dateAndTime(key.doubtedSince) })), el("p.words", key.otherKey.match(/.{1,4}/g).join(" "))],
		key.details && el("p", { lang: "en" }, key.details), key.advice && el("p", { lang: "en" }, key.advice), key.isInDoubt && copyable(`mesh-gateway keys verify '${key.nodeId}'`))];
}

function notesCard(mesh, nodeId) {
	const nickname = el("input", { id: "nickname", maxlength: "64" });
	const notes = el("textarea", { id: "notes", rows: "3", maxlength: "2000" });
	const card = el("form.card", {
		submit: (event) => {
			event.preventDefault();
			attempt(async () => {
				await ask(at(mesh, `nodes/${id(nodeId)}`), { method: "PATCH", body: { nickname: nickname.value, notes: notes.value } });
				mesh.hearNode({ nodeId, nickname: nickname.value.trim() || null });
				toast(t("stored"));
			});
		},
		input: () => { card.dataset.touched = "yes"; },
	}, el("h2", t("ownNotes")), labelled("nickname", nickname), labelled("notes", notes), el("button", { type: "submit" }, t("store")));
	return { card, show(node) { if (!card.dataset.touched) [nickname.value, notes.value] = [node.nickname ?? "", node.notes ?? ""]; } };
}

/** Past routes, both ways, with the signal of each leap. */
function routesCard(mesh, nodeId) {
	const box = later(async () => {
		if (!mesh.self) await mesh.loadStatus();
		const [a, b] = [mesh.self, nodeId].map((one) => parseInt(one.slice(1), 16));
		const rows = await ask(`api/traceroutes/history/${a}/${b}?sourceId=${id(mesh.id)}&limit=20`);
		return rows.length ? el("ul.routes", rows.map((row) => el("li", el("p.faint", dateAndTime(row.timestamp)), routeLine(mesh, row)))) : el("p.faint", t("noRoutes"));
	});
	return el("details.card", el("summary", el("h2", t("pastRoutes"))), box);
}

function routeLine(mesh, row) {
	if (row.route === null) return el("p", t("routeUnanswered"));
	const way = (from, hops, to, snr) => el("p", [from, ...hops, to].flatMap((one, place) => {
		const name = typeof one === "number" ? one === 0xffffffff ? t("unnamed") : `!${one.toString(16).padStart(8, "0")}` : one;
		return [place ? el("span.faint", ` → ${Number.isFinite(snr[place - 1]) && snr[place - 1] !== -128 ? `(${decibels(snr[place - 1] / 4)}) ` : ""}`) : "", bdi(mesh.longName(name))];
	}));
	const [route, back, towards, snrBack] = [row.route, row.routeBack, row.snrTowards, row.snrBack].map((text) => JSON.parse(text ?? "[]"));
	return [way(row.fromNodeId, route, row.toNodeId, towards), (back.length > 0 || snrBack.length > 0) && way(row.toNodeId, back, row.fromNodeId, snrBack)].filter(Boolean);
}

function packetsCard(mesh, nodeId) {
	return el("p", el("a", { href: `${to(mesh, "packets")}?node=${id(nodeId)}` }, t("itsPackets")), " · ",
		el("a", { href: `${to(mesh, "links")}?node=${id(nodeId)}` }, t("itsLinks")));
}

/** The code that Meshtastic's apps scan to add a contact. */
function showContact(mesh, nodeId) {
	dialog(t("contactCode"), later(async () => {
		const node = await get(mesh, `nodes/${id(nodeId)}/key`);
		const url = node.contactUrl;
		return [el("p", bdi(node.longName)), qrPicture(url, t("contactCode")), copyable(url)];
	}));
}
