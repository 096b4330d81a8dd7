// Finding texts and nodes: by words, sender and dates, in one conversation or in all.

viewMakers.search = ({ mesh, query }) => {
	const within = query.get("in") ?? "";
	const before = (name) => query.get(name) ?? "";
	const field = el("input", { type: "search", id: "q", value: before("q") });
	const from = el("input", { id: "from", list: "senders", value: before("from") });
	const [start, end] = ["start", "end"].map((name) =>
		el("input", { type: "date", id: name, value: before(name) }),
	);
	const found = el("div", { "aria-live": "polite" });
	const names = el("datalist", { id: "senders" });
	const place = meshOf(mesh, within);
	let offset = 0;

	/** As the address has it, so that a search can be sent to a friend. */
	const given = () => new URLSearchParams({
		...(within && { in: within }),
		q: field.value.trim(),
		from: from.value.trim(),
		start: start.value,
		end: end.value,
	});

	const nameOf = (nodeId) => bdi(nodeId === mesh.self ? t("you") : mesh.longName(nodeId));

	/** Whoever is called so, or all whose names have it. */
	function sendersOf(name) {
		const isCalled = (node) => [mesh.longName(node.nodeId), node.longName, node.nodeId].includes(name);
		const exactly = mesh.everybody.find(isCalled);
		return exactly ? [exactly] : mesh.everybody.filter((node) => namesOf(node).includes(name.toLowerCase()));
	}

	async function look(isMore = false) {
		const word = field.value.trim();
		const name = from.value.trim();
		offset = isMore ? offset + 50 : 0;
		const [sender, ...others] = name ? sendersOf(name) : [];
		if (others.length || (name && !sender))
			return void put(found, el("p", t(sender ? "manySenders" : "noSuchSender", { n: others.length + 1 })));
		const time = (day, clock) => day.value && String(new Date(`${day.value}T${clock}`).getTime());
		const parameters = {
			q: word,
			conversation: within,
			fromNodeId: sender?.nodeId,
			startDate: time(start, "00:00"),
			endDate: time(end, "23:59:59.999"),
		};
		const asked = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
		if (!word && !sender && !start.value && !end.value) return;
		try {
			const path = `messages/search?limit=50&offset=${offset}&${asked}`;
			const { data: rows, total } = await ask(sourcePath(place, path));
			const nodes =
				within || isMore || !word
				? []
				: mesh.everybody.filter((node) => namesOf(node).includes(word.toLowerCase())).slice(0, 20);
			const list = el("ul.found",
				rows.map((row) =>
					el("li",
						el("a", { href: `${linkTo(mesh, "c", conversationOf(row))}?m=${encoded(row.id)}` },
							el("span.faint",
								isOverBroker(row) ? bdi(writerOf(mesh, row)) : nameOf(row.fromNodeId),
								" → ",
								row.channel < 0 && place
								? nameOf(row.toNodeId)
								: bdi(mesh.conversations.get(conversationOf(row))?.name ?? conversationOf(row)),
								" · ",
								dateAndTime(row.createdAt),
							),
							el("p", { dir: "auto" }, bellOf(row), highlighted(row.text, word)),
						),
					),
				),
			);
			const more =
				total > offset + 50 &&
				el("button", {
						click: (event) => {
							event.currentTarget.remove();
							look(true);
						},
					},
					t("showMore"),
				);
			if (isMore) found.append(...present([list, more]));
			else
				put(
					found,
					nodes.length > 0 && [
						el("h2", t("nodes")),
						el("ul.plainlist",
							nodes.map((node) =>
								el("li", nodeLink(mesh, node.nodeId), " ", el("span.faint", heardAgo(node))),
							),
						),
					],
					el("h2", t("messagesFound", { n: total })),
					rows.length ? list : el("p.faint", t("nothingFound")),
					more,
				);
		} catch (error) {
			put(found, reasons(error));
		}
	}

	const where = within ? (mesh.conversations.get(within)?.name ?? within) : null;
	const title = where ? t("searchIn", { name: where }) : t("search");
	return {
		title,
		node: page(
			title,
			within ? linkTo(mesh, "c", within) : linkTo(mesh, ""),
			el("form.card", {
					role: "search",
					submit: () => {
						history.replaceState(history.state, "", `${linkTo(mesh, "search")}?${given()}`);
						look();
					},
				},
				labelled("searchWords", field),
				place && labelled("sender", from),
				el("div.pair", labelled("fromDay", start), labelled("toDay", end)),
				names,
				el("button.main", { type: "submit" }, t("search")),
			),
			found,
		),
		async begin() {
			await Promise.allSettled([mesh.names(), mesh.self ?? mesh.loadStatus(), mesh.needConversations()]);
			names.append(
				...mesh.everybody.slice(0, 500).map((node) => el("option", { value: mesh.longName(node.nodeId) })),
			);
			look();
			if (!field.value) field.focus();
		},
	};
};

function highlighted(text, word) {
	const index = text.toLowerCase().indexOf(word.toLowerCase());
	return index < 0 || !word
		? [text]
		: [
			text.slice(0, index),
			el("mark", text.slice(index, index + word.length)),
			text.slice(index + word.length),
		];
}
