// Who hears whom how well, both directions in a row, the worst first.

viewMakers.links = ({ mesh, query }) => {
	const only = query.get("node");
	const box = later(async () => {
		await mesh.names().catch(() => {});
		const rows = (await get(mesh, "links?worst=true")).filter(
			(link) => !only || link.from.nodeId === only || link.to.nodeId === only,
		);
		const pairs = new Map();
		for (const link of rows) {
			const [a, b] = [link.from.nodeId, link.to.nodeId].sort();
			const pair = pairs.get(a + b) ?? { a, b, names: {} };
			pair.names[link.from.nodeId] = link.from.longName;
			pair.names[link.to.nodeId] = link.to.longName;
			pair[link.from.nodeId === a ? "there" : "back"] = link;
			pairs.set(a + b, pair);
		}
		if (!pairs.size) return el("p.faint", t("noLinks"));
		const cell = (arrow, link) =>
			el("td",
				el("span.faint", `${arrow} `),
				link
				? [
					signal(mesh, link.snr.p50),
					el("p.faint",
						t(link.snr.p10 < link.snr.p90 ? "linkSpan" : "linkCount", {
							n: link.count,
							low: number(link.snr.p10),
							high: number(link.snr.p90),
						}),
					),
				]
				: el("span.faint", t("notKnown")),
			);
		const worst = (pair) => Math.min(pair.there?.snr.p50 ?? 99, pair.back?.snr.p50 ?? 99);
		const latest = (pair) => Math.max(pair.there?.lastHeard ?? 0, pair.back?.lastHeard ?? 0);
		return table(
			t("links"),
			["between", "towards", "backwards", "lastHeard"],
			el("tbody",
				[...pairs.values()]
				.sort((a, b) => worst(a) - worst(b))
				.slice(0, 300)
				.map((pair) =>
					el("tr",
						el("th", { scope: "row" }, nodeLink(mesh, pair.a), " ↔ ", nodeLink(mesh, pair.b)),
						cell("→", pair.there),
						cell("←", pair.back),
						el("td", ago(latest(pair))),
					),
				),
			),
			"cards-small",
		);
	});
	return {
		title: t("links"),
		node: page(t("links"), linkTo(mesh, "more"), el("p", t("linksLong")), box),
		again: box.again,
	};
};
