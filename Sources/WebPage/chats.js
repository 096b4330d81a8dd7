// Where one begins: the radio in one strip, what is wrong, and all conversations with what is unread.

/** The view of conversations, with one of them open beside or in place of the list. */
viewMakers[""] = viewMakers.c = chatsView;

function chatsView(address) {
	const { mesh } = address;
	const list = chatList(mesh);
	const open = el("div.open");
	let chat = null;
	const view = {
		get title() {
			return chat?.title ?? t("chats");
		},
		node: el("div.two", list.node, open),
		look: "wide",
		move(next) {
			chat?.leave();
			chat = next.rest[0] ? chatPane(mesh, next.rest[0], next.query) : null;
			view.node.dataset.open = chat ? "chat" : "list";
			put(open, chat?.node ?? el("p.nothing", icon("chats"), t("chooseChat")));
			list.mark(next.rest[0]);
			if (chat) {
				chat.begin();
				// A channel asks for the names of all nodes, which the list alone does without.
				mesh.asked[nameFields]?.then(list.draw, () => {});
			} else if (views.hasShown) list.focus();
			return true;
		},
		hear(kind, data) {
			list.hear(kind, data);
			chat?.hear(kind, data);
		},
		again() {
			list.load();
			chat?.again();
		},
		reads: (conversation) => chat?.reads(conversation) === true,
		leave: () => chat?.leave(),
	};
	view.move(address);
	return view;
}

function chatList(mesh) {
	const strip = el("section.strip", { label: t("myRadio") });
	const problems = el("div.problems");
	const rows = el("ul.chats", { label: t("conversations") });
	const field = el("input", {
		type: "search",
		label: t("searchAll"),
		placeholder: t("searchAll"),
	});
	const search = el("form.search", {
			role: "search",
			submit: () => {
				if (field.value.trim()) views.go(`${linkTo(mesh, "search")}?q=${encoded(field.value.trim())}`);
			},
		},
		icon("search"),
		field,
	);
	// Beside a chat, whose name is the heading of the page, it is one of a part.
	const place = el("div.title");
	const headings = ["h1", "h2"].map((tag) => el(tag, { tabindex: "-1" }, t("chats")));
	const readAll = el("button.plain", { hidden: true, click: () => attempt(() => readAllChats(mesh)) });
	const settle = roving(rows, "a");
	const lookAgain = debounced(() => document.hidden || refreshConversations(), 10000);
	let current;

	const shown = new Map();
	/** What looks as before stays: somebody may look at it, or move among the rows. */
	const item = (row) => {
		const peer = mesh.nodes.get(row.id.slice(7));
		const state = JSON.stringify([
			[row, row.id === current, draftOf(mesh, row.id), dayOf(Date.now())],
			[peer?.hasPKC, peer?.shortName, mesh.status?.connected],
			row.lastMessage && mesh.shortName(row.lastMessage.fromNodeId),
		]);
		const known = shown.get(row.id) ?? { element: el("li") };
		if (known.state !== state) put(known.element, chatRow(mesh, row, row.id === current));
		shown.set(row.id, Object.assign(known, { state }));
		return known.element;
	};
	const draw = () => {
		const held = rows.contains(focused()) && focused().dataset.id;
		const all = mesh.chats;
		if (!all.length && mesh.loading) return void put(rows, el("li.faint", t("loading")));
		// No event says how conversations over brokers are connected.
		if (all.some((row) => row.connection)) lookAgain();
		readAll.hidden = !all.some((row) => row.unreadCount);
		readAll.textContent = session.meshes.size > 1 ? t("readAllOf", { name: mesh.name }) : t("readAll");
		if (!all.length) put(rows, el("li.faint", t("noChats")));
		else syncChildren(rows, all.sort(byTime).map(item));
		settle();
		if (held) find(`[data-id="${CSS.escape(held)}"]`, rows)?.focus();
	};
	let wasReady = true;
	const drawStrip = () => {
		wasReady = mesh.isReady;
		put(strip, radioStrip(mesh, false));
	};
	const drawStatus = () => {
		drawStrip();
		renew(problems, (mesh.status.problems ?? []).map((one) => problemCard(mesh, one)));
		// One that was plugged in just now.
		if (!views.address.kind) location.hash = views.meet() ?? location.hash;
	};

	const load = async () => {
		const parts = [
			mesh.loadConversations().then(draw),
			mesh.loadStatus().then(drawStatus),
		];
		const [{ reason }] = await Promise.allSettled(parts);
		if (reason && !mesh.conversations.size) put(rows, el("li.card.bad", reasons(reason)));
		showUnread();
		showConnection();
	};
	load();
	draw();
	return {
		node: el("div.list",
			el("div.row.spread.head",
				place,
				el("a.button", { href: linkTo(mesh, "new") }, icon("plus"), t("newMessage")),
			),
			strip,
			problems,
			search,
			readAll,
			session.gap && el("p.note", { lang: "en" }, session.gap),
			rows,
		),
		draw,
		load,
		focus: () => place.firstChild.focus({ preventScroll: true }),
		mark(conversation) {
			current = conversation;
			put(place, headings[conversation ? 1 : 0]);
			draw();
		},
		hear(kind, data) {
			if (["message", "conversations", "delivery", "read"].includes(kind)) {
				if (kind === "delivery") {
					for (const row of mesh.conversations.values())
						if (row.lastMessage?.id === data.id) noteDelivery(row.lastMessage, data);
				}
				draw();
			}
			if (kind === "minute") draw();
			if (kind === "status") {
				// A radio that is back may be another than before.
				if (!wasReady && mesh.isReady) load();
				drawStrip();
			}
			if (kind === "node" && !draw.waits) {
				draw.waits = setTimeout(() => {
					draw.waits = null;
					drawStrip();
				}, 2000);
			}
			if (kind === "problem" || kind === "solved") load();
		},
	};
}

/** The muted, too. */
async function readAllChats(mesh) {
	const unread = mesh.chats.filter((row) => row.unreadCount);
	await Promise.all(unread.map((row) => post(meshOf(mesh, row.id), `conversations/${encoded(row.id)}/read`)));
	refreshConversations();
}

const byTime = (a, b) =>
	(b.lastMessage?.createdAt ?? 0) - (a.lastMessage?.createdAt ?? 0) || a.id.localeCompare(b.id);

function chatRow(mesh, row, isCurrent) {
	const last = row.lastMessage;
	const isDirect = row.id.startsWith("direct:");
	const who = isDirect ? row.id.slice(7) : null;
	const unread = row.unreadCount ?? 0;
	const sender =
		last &&
		(isMine(last) ? t("you") : !isDirect && (row.lastSender ?? mesh.shortName(last.fromNodeId)));
	return el("a.chat", {
			href: linkTo(mesh, "c", row.id),
			tabindex: "-1",
			"data-id": row.id,
			"aria-current": isCurrent ? "true" : null,
			class: `chat${unread ? " unread" : ""}${isMuted(row) ? " muted" : ""}`,
		},
		avatar(mesh, who ?? row.id, row),
		el("span.name",
			bdi(row.name),
			isDirect && mesh.nodes.get(who)?.hasPKC && icon("key"),
			row.isPublic && el("span", { title: t("publicChannel") }, icon("open"), el("span.out", t("publicChannel"))),
			isMuted(row) && icon("mute"),
			isMuted(row) && el("span.out", ` ${t("muted")}`),
		),
		el("time", last ? shortTime(last.createdAt) : ""),
		el("span.last",
			draftOf(mesh, row.id)
			? [el("b", `${t("draft")}: `), draftOf(mesh, row.id)]
			: last
			? [
				sender && [bdi(sender), last.emoji ? " " : ": "],
				last.emoji ? t("reacted", { emoji: last.text }) : [bellOf(last), bdi(last.text)],
			]
			: t("noMessages"),
		),
		unread
		? el("span.count", unread > 99 ? "99+" : String(unread), el("span.out", ` ${t("unread")}`))
		: last && deliverySign(last),
		cutOff(row),
	);
}

/** That a conversation over a broker is not connected, and why. */
const cutOff = ({ connection }) =>
	connection &&
	connection.state !== "connected" &&
	el("small.bad", { lang: "en" }, connection.state, connection.reason && [": ", bdi(connection.reason)]);

/** A disc with the short name, in the colour of its number. */
function avatar(mesh, who, row) {
	const isNode = who.startsWith("!");
	const text = isNode ? mesh.shortName(who) : meshOf(mesh, who) ? "#" : who.slice(5);
	const hue = [...who].reduce((sum, letter) => (sum * 137 + letter.codePointAt(0) * 47) % 360, 7);
	return el("span.avatar", { "aria-hidden": "true", "--hue": hue },
		bdi(
			[...(isNode && row && !mesh.nodes.has(who) ? (row.shortName ?? row.name ?? text) : text)]
			.slice(0, 4)
			.join(""),
		),
	);
}

/** @param advises what is wrong is not said anywhere else */
function radioStrip(mesh, advises = true) {
	const status = mesh.status;
	if (!status) return [];
	const link = status.link ?? {};
	const isLive = status.connected;
	const facts = [
		[t("airTime"), status.airUtilTx, (value) => `${number(value)} %`],
		[t("channelUse"), status.channelUtilization, (value) => `${number(value)} %`],
		[t("heardDirectly"), status.directNodes, String],
		[t("heardInAll"), status.heardNodes, String],
		[t("waiting"), status.queued || null, String],
	].filter(([, value]) => value != null);
	return [
		el("p",
			el("b", bdi(mesh.name)),
			" ",
			el("span", { class: isLive ? "good" : "bad" },
				isLive
				? t("radioLive")
				: t("radioAway", { time: isTime(link.since) ? shortTime(link.since) : "?" }),
			),
		),
		!isLive && advises && link.advice && el("p.faint", { lang: "en" }, link.advice),
		facts.length
		? el("dl.facts",
			facts.map(([name, value, write]) => el("div", el("dt", name), el("dd", write(value)))),
		)
		: null,
	];
}

/** The view that has the card of what is wrong; without a prototype. */
const viewOfProblem = {
	__proto__: null,
	"region-unset": "setup",
	"rule-broken": "rules",
	"target-broken": "targets",
	"target-failing": "targets",
	"broker-away": "brokers",
	"broker-broken": "brokers",
};

/** On a large screen it is one line that opens, else it is open. */
function problemCard(mesh, problem) {
	const { name, command } = problem;
	const advice = problem.advice ?? name;
	const look = problem.severity === "fault" ? "problem" : "warning";
	// What can be done here needs no command.
	const isHere = name === "keys-in-doubt" && !lackOf("n");
	const view = viewOfProblem[name];
	return el(`details.card.${look}`, { open: !matchMedia("(min-width: 64rem)").matches, label: t("problem") },
		el("summary", { lang: "en" },
			el("b", `${t("problem")}: `),
			command && advice.endsWith(`: ${command}`) ? advice.slice(0, -command.length) : advice,
		),
		isHere
		? el("a.button", { href: `${linkTo(mesh, "n")}?f=keyDoubt` }, icon("key"), t("compareKeys"))
		: command && copyable(command),
		view && !lackOf(view) && el("p", el("a.button", { href: linkTo(mesh, view) }, t(view))),
	);
}

/** Whom to write to: a channel, or a node by its name. */
viewMakers.new = (address) => {
	const { mesh } = address;
	const found = el("ul.chats");
	const field = el("input", { type: "search", label: t("whom"), placeholder: t("whom"), input: () => draw() });
	const draw = () => {
		const word = field.value.trim().toLowerCase();
		const channels = mesh.chats.filter((row) => !row.id.startsWith("direct:"));
		const nodes = mesh.everybody.filter((node) => node.nodeId !== mesh.self && namesOf(node).includes(word));
		nodes.sort(
			(a, b) => (b.isFavorite === true) - (a.isFavorite === true) || (b.lastHeard ?? 0) - (a.lastHeard ?? 0),
		);
		put(
			found,
			...channels
			.filter((row) => row.name.toLowerCase().includes(word))
			.map((row) => el("li", chatRow(mesh, row, false))),
			...nodes.slice(0, 50).map((node) =>
				el("li",
					chatRow(
						mesh, {
							id: `direct:${node.nodeId}`,
							name: mesh.longName(node.nodeId),
							lastMessage: mesh.conversations.get(`direct:${node.nodeId}`)?.lastMessage,
						},
						false,
					),
				),
			),
		);
		if (!found.firstChild) put(found, el("li.faint", t("nothingFound")));
		for (const link of found.querySelectorAll("a")) link.tabIndex = 0;
	};
	const load = Promise.allSettled([mesh.names(), mesh.needConversations()]).then(draw);
	return {
		title: t("newMessage"),
		node: page(
			t("newMessage"),
			linkTo(mesh, ""),
			el("div.search", icon("search"), field),
			el("a.button", { href: linkTo(mesh, "join") }, t("join")),
			el("a.button", { href: linkTo(mesh, "mqtt") }, t("mqtt")),
			found,
		),
		begin: () => load,
		again: draw,
	};
};
