
// Who hears whom how well, both directions in a row, the worst first.

kinds.links = ({ mesh, query }) => {
  const only = query.get("node");
  const box = later(async () => {
    await mesh.names().catch(() => {});
    const rows = (await get(mesh, "links?worst=true")).filter((link) => !only || link.from.nodeId === only || link.to.nodeId === only);
    const pairs = new Map();
    for (const link of rows) {
      const [a, b] = [link.from.nodeId, link.to.nodeId].sort();
      const pair = pairs.get(a + b) ?? { a, b, names: {} };
      pair.names[link.from.nodeId] = link.from.longName;
      pair.names[link.to.nodeId] = link.to.longName;
      pair[link.from.nodeId === a ? "there" : "back"] = link;
      pairs.set(a + b, pair);
    }
    if (!pairs.size) return el("p.faint", null, say("noLinks"));
    const cell = (link) => el("td", null, link ? [signal(link.snr.p50), el("p.faint", null, say("linkCount", { n: link.count, low: number(link.snr.p10, 1), high: number(link.snr.p90, 1) }))] : el("span.faint", null, say("notKnown")));
    const worst = (pair) => Math.min(pair.there?.snr.p50 ?? 99, pair.back?.snr.p50 ?? 99);
    const latest = (pair) => Math.max(pair.there?.lastHeard ?? 0, pair.back?.lastHeard ?? 0);
    return el("div.scroll", { tabindex: "0", role: "region", "aria-label": say("links") }, el("table.cards-small", null, el("caption.out", null, say("links")),
      el("thead", null, el("tr", null, ["between", "towards", "backwards", "lastHeard"].map((key) => el("th", { scope: "col" }, say(key))))),
      el("tbody", null, [...pairs.values()].sort((a, b) => worst(a) - worst(b)).slice(0, 300).map((pair) => el("tr", null,
        el("th", { scope: "row" }, nodeLink(mesh, pair.a), " → ", nodeLink(mesh, pair.b)), cell(pair.there), cell(pair.back), el("td", null, ago(latest(pair))))))));
  });
  return { title: say("links"), node: page(say("links"), views.link(mesh, "more"), el("p", null, say("linksLong")), box), again: box.again };
};
