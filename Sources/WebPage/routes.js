// The routes to a node that were found before.

/** Past routes, both ways, with the signal of each leap. */
function routesCard(mesh, nodeId) {
	const fillIn = async () => {
		if (!mesh.self) await mesh.loadStatus();
		const [a, b] = [mesh.self, nodeId].map((one) => parseInt(one.slice(1), 16));
		const rows = await ask(`api/traceroutes/history/${a}/${b}?sourceId=${encoded(mesh.id)}&limit=20`);
		return rows.length
			? el("ul.routes",
				rows.map((row) => el("li", el("p.faint", dateAndTime(row.timestamp)), routeLine(mesh, row))),
			)
			: el("p.faint", t("noRoutes"));
	};
	const card = el("details.card", {
			toggle: () => {
				if (card.open) put(card.lastChild, later(fillIn));
			},
		},
		el("summary", el("h2", t("pastRoutes"))),
		el("div"),
	);
	return card;
}

function routeLine(mesh, row) {
	if (row.route === null) return el("p", t("routeUnanswered"));
	const lists = [row.route, row.routeBack, row.snrTowards, row.snrBack];
	const [route, back, towards, snrBack] = lists.map((text) => JSON.parse(text ?? "[]"));
	return [
		hopsLine(mesh, row.fromNodeId, route, row.toNodeId, towards),
		(back.length > 0 || snrBack.length > 0) && hopsLine(mesh, row.toNodeId, back, row.fromNodeId, snrBack),
	];
}

/** @param signals each leap's, in quarters of a decibel; -128 is not known */
function hopsLine(mesh, from, hops, to, signals) {
	return el("p", [from, ...hops, to].map((hop, index) => {
		const snr = signals[index - 1];
		const isKnown = Number.isFinite(snr) && snr !== -128;
		const arrow = isKnown ? ` → (${decibels(snr / 4)}) ` : " → ";
		return [index > 0 && el("span.faint", arrow), bdi(mesh.longName(nodeIdOf(hop)))];
	}));
}
