
// Finding texts and nodes: by words, sender and dates, in one conversation or in all.

kinds.search = ({ mesh, query }) => {
	const within = query.get("in") ?? "";
	const field = el("input", { type: "search", id: "q", value: query.get("q") ?? "", enterkeyhint: "search" });
	const from = el("input", { id: "from", list: "senders", autocomplete: "off" });
	const [start, end] = ["start", "end"].map((name) => el("input", { type: "date", id: name }));
	const found = el("div", { "aria-live": "polite" });
	const names = el("datalist", { id: "senders" });
	let offset = 0;

	async function look(isMore = false) {
		const word = field.value.trim();
		if (!word) return;
		offset = isMore ? offset + 50 : 0;
		const parameters = new URLSearchParams({ q: word, limit: "50", offset: String(offset) });
		if (within.startsWith("channel:")) parameters.set("channels", within.slice(8));
		if (within.startsWith("direct:")) parameters.set("scope", "dms");
		const sender = [...mesh.nodes.values()].find((node) => [node.longName, node.nodeId, node.nickname].includes(from.value.trim()));
		if (from.value.trim() && !sender) return void found.replaceChildren(el("p", t("noSuchSender")));
		if (sender) parameters.set("fromNodeId", sender.nodeId);
		if (start.value) parameters.set("startDate", String(new Date(`${start.value}T00:00`).getTime()));
		if (end.value) parameters.set("endDate", String(new Date(`${end.value}T23:59:59`).getTime()));
		try {
			const answer = await ask(at(mesh, `messages/search?${parameters}`));
			const rows = answer.data.filter((row) => !within.startsWith("direct:") || conversationOf(row) === within);
			const nodes = within || isMore ? [] : [...mesh.nodes.values()].filter((node) => `${node.nickname ?? ""} ${node.longName} ${node.shortName} ${node.nodeId}`.toLowerCase().includes(word.toLowerCase())).slice(0, 20);
			const list = el("ul.found", rows.map((row) => el("li", el("a", { href: `${to(mesh, "c", conversationOf(row))}?m=${id(row.id)}` },
				el("span.faint", bdi(isOwn(row) ? t("you") : mesh.longName(row.fromNodeId)), " · ", bdi(mesh.conversations.get(conversationOf(row))?.name ?? conversationOf(row)), " · ", dateAndTime(row.createdAt)),
				el("p", { dir: "auto" }, highlighted(row.text, word))))));
			const more = answer.total > offset + 50 && el("button", { click: (event) => { event.currentTarget.remove(); look(true); } }, t("showMore"));
			if (isMore) found.append(...[list, more].filter(Boolean));
			else found.replaceChildren(...[nodes.length > 0 && el("h2", t("nodes")), nodes.length > 0 && el("ul.plainlist", nodes.map((node) => el("li", nodeLink(mesh, node.nodeId), " ", el("span.faint", ago(node.lastHeard * 1000))))),
				el("h2", t("messagesFound", { n: answer.total })), rows.length ? list : el("p.faint", t("nothingFound")), more].filter(Boolean));
		} catch (error) { found.replaceChildren(...reasons(error)); }
	}

	const where = within ? mesh.conversations.get(within)?.name ?? within : null;
	const title = where ? t("searchIn", { name: where }) : t("search");
	return {
		title,
		node: page(title, within ? to(mesh, "c", within) : to(mesh, ""), el("form.card", {
			role: "search",
			submit: (event) => {
				event.preventDefault();
				history.replaceState(null, "", `${to(mesh, "search")}?${new URLSearchParams({ ...(within && { in: within }), q: field.value.trim() })}`);
				look();
			},
		}, labelled("searchWords", field), el("div.row.wrap", labelled("sender", from), labelled("fromDay", start), labelled("toDay", end)), names, el("button.main", { type: "submit" }, t("search"))), found),
		async begin() {
			await Promise.allSettled([mesh.names(), mesh.conversations.size ? null : mesh.loadConversations()]);
			names.append(...[...mesh.nodes.values()].slice(0, 500).map((node) => el("option", { value: node.longName ?? node.nodeId })));
			if (field.value) look();
			else field.focus();
		},
	};
};

function highlighted(text, word) {
	const place = text.toLowerCase().indexOf(word.toLowerCase());
	return place < 0 ? [text] : [text.slice(0, place), el("mark", text.slice(place, place + word.length)), text.slice(place + word.length)];
}
