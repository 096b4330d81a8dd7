// One node: what one wants to know first, what can be asked of it, and how its values went.

function nodeView({ mesh, rest }) {
	const nodeId = rest[0];
	const sentence = el("p.lead");
	const actions = el("div.row.wrap.actions");
	const asked = el("ul.asked");
	const facts = el("div");
	const key = el("div");
	const path = `nodes/${encoded(nodeId)}`;
	const known = { node: mesh.nodes.get(nodeId), key: null, reach: null, snr: [] };
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
		put(actions, nodeActions(mesh, known, isSelf(), asking, load));
		put(facts, nodeFacts(mesh, node));
	}

	/** Whether this is it, and how far it is. */
	async function loadSelf() {
		if (!mesh.self) await mesh.loadStatus();
		mesh.hearNode(await get(mesh, `nodes/${encoded(mesh.self)}`));
		redraw();
	}

	async function load() {
		for (const more of [mesh.names().then(redraw), loadSelf()]) more.catch(() => {});
		try {
			known.node = await get(mesh, path);
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
			get(mesh, `messages?conversation=${encoded("direct:" + nodeId)}&limit=20`),
			ask(day),
		]);
		const [itsKey, messages, values] = found.map((one) => one.value);
		const isSettled = (row) => isOwn(row) && ["confirmed", "failed"].includes(row.deliveryState);
		const signals = (values ?? []).filter((row) => row.telemetryType === "snr_local");
		known.key = itsKey;
		known.reach = messages?.find(isSettled)?.deliveryState;
		known.snr = signals.map((row) => [row.timestamp, row.value]).reverse();
		redraw();
		put(key, itsKey && keyCard(mesh, itsKey, load));
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
			charts(mesh, nodeId),
			routesCard(mesh, nodeId),
		),
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
			t("signalIs", { grade: t(quality(node.snr)), trend: snr.length > 3 ? t(`and_${trend(snr)}`) : "" }),
		);
	if (node.keyMismatchDetected) parts.push(t("keyDoubt"));
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
	const mark = (word, key, isSet) =>
		el("button", {
				"aria-pressed": String(isSet),
				click: () =>
					attempt(async () => {
						await ask(`api/nodes/${encoded(nodeId)}/${word}`, {
							method: "POST",
							body: {
								[key]: !isSet,
								sourceId: mesh.id
							},
						});
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
	return [
		el("a.button.main", { href: linkTo(mesh, "c", `direct:${nodeId}`) }, icon("chats"), t("message")),
		el("button", { click: () => asking.route() }, t("traceRoute")),
		...askMenu(asking),
		mapLink,
		mark("favorite", "isFavorite", node.isFavorite === true),
		mark("ignored", "isIgnored", node.isIgnored === true),
		el("button", { click: () => showContact(mesh, nodeId) }, t("code")),
	];
}

function nodeFacts(mesh, node) {
	const own = mesh.own;
	const facts = [
		["id", el("code", node.nodeId)],
		["shortName", node.shortName && bdi(node.shortName)],
		["role", roleName(node.role)],
		["heard", isTime(node.lastHeard * 1000) ? dateAndTime(node.lastHeard * 1000) : t("never")],
		["way", node.hopsAway != null && hopsText(node.hopsAway)],
		["signal", node.hopsAway === 0 && Number.isFinite(node.snr) ? signal(node.snr) : null],
		["battery", battery(node.batteryLevel)],
		["voltage", node.voltage && `${number(node.voltage, 2)} V`],
		["channelUse", node.channelUtilization != null && `${number(node.channelUtilization)} %`],
		["airTime", node.airUtilTx != null && `${number(node.airUtilTx)} %`],
		["uptime", node.uptimeSeconds && duration(node.uptimeSeconds)],
		["place", hasPosition(node) && placeWords(node)],
		["distance", hasPosition(node) && hasPosition(own) && own.nodeId !== node.nodeId && farText(own, node)],
		["firmware", node.firmwareVersion && bdi(node.firmwareVersion)],
		["status", node.nodeStatus && bdi(node.nodeStatus)],
		["firstHeard", dateAndTime(node.createdAt)],
	];
	return el("section.card",
		el("h2", t("facts")),
		factList(facts),
		el("p",
			el("a", { href: `${linkTo(mesh, "packets")}?node=${encoded(node.nodeId)}` }, t("itsPackets")),
			" · ",
			el("a", { href: `${linkTo(mesh, "links")}?node=${encoded(node.nodeId)}` }, t("itsLinks")),
		),
	);
}

function placeWords(node) {
	const words = [node.latitude.toFixed(5), node.longitude.toFixed(5)];
	if (node.altitude) words.push(isImperial() ? `${number(node.altitude * 3.281, 0)} ft` : `${node.altitude} m`);
	const time = node.positionTimestamp;
	return [words.join(", "), el("p.faint", isTime(time) ? t("placeFrom", { when: ago(time) }) : "")];
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

/** The code that Meshtastic's apps scan to add a contact. */
function showContact(mesh, nodeId) {
	const content = async () => {
		const { longName, contactUrl } = await get(mesh, `nodes/${encoded(nodeId)}/key`);
		const name = el("p", bdi(longName));
		if (!contactUrl) return [name, el("p", t("keyUnknownLong"))];
		return [name, contactCode(mesh, nodeId, contactUrl), copyable(contactUrl, t("link"))];
	};
	dialog(t("contactCode"), later(content));
}
