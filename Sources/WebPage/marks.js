// What the map is drawn of. Places are [x, y] in metres on its plane; `metre` is how many of them a pixel has.

/** How a line is broken, in pixels: its kind is never said by its colour alone. */
const dashes = { good: [], fair: [7, 4], weak: [2, 5], route: [1, 3] };

const mapText = (kind, [x, y], words, metre, size = 12) =>
	svg(`text.${kind}`, { x, y, "font-size": size * metre, "text-anchor": "middle" }, words);

const mapRings = ([x, y], step, metre) => [1, 2, 3].map((turn) => [
	svg("circle.ring", { cx: x, cy: y, r: step * turn, "stroke-width": metre }),
	mapText("faint", [x, y - step * turn - 3 * metre], distance(step * turn), metre),
]);

const mapLine = (kind, [x1, y1], [x2, y2], metre) =>
	svg(`line.${kind}`, {
		x1,
		y1,
		x2,
		y2,
		"stroke-width": (kind === "route" ? 3 : 2) * metre,
		"stroke-dasharray": dashes[kind].map((length) => length * metre).join(" ") || null,
	});

/** Where the node may really be: it tells its place with so many bits only. */
function reachMark(node, spots, metre) {
	if (!spots.has(node?.nodeId) || !reachOf(node)) return null;
	const [cx, cy] = spots.get(node.nodeId);
	return svg("circle.precision", { cx, cy, r: reachOf(node), "stroke-width": 1.5 * metre });
}

/** Nodes whose dots would lie on one another, as one: the last of a stack is the one that matters most. */
function stacksOf(nodes, spots, reach) {
	const stacks = [];
	const cells = new Map();
	const cellOf = ([x, y], dx = 0, dy = 0) => `${Math.floor(x / reach) + dx} ${Math.floor(y / reach) + dy}`;
	for (const node of nodes.toReversed()) {
		const place = spots.get(node.nodeId);
		const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].flatMap((dy) => cells.get(cellOf(place, dx, dy)) ?? []));
		const stack = near.find((one) => Math.hypot(one.place[0] - place[0], one.place[1] - place[1]) < reach);
		if (stack) {
			stack.nodes.push(node);
			continue;
		}
		const found = { place, nodes: [node] };
		stacks.push(found);
		cells.set(cellOf(place), [...(cells.get(cellOf(place)) ?? []), found]);
	}
	// What matters most is drawn over the rest.
	return stacks.reverse();
}

/**
 * Nodes and waypoints that have their name beside them. One that would cover another is left out: what matters most is
 * named first, the rest when one comes nearer.
 */
function namesThatFit(mesh, { stacks, waypoints, project, metre }) {
	const taken = [];
	const named = new Set();
	const name = (key, [x, y], words) => {
		const half = ([...words].length * 4 + 3) * metre;
		if (taken.some(([x1, y1, half1]) => Math.abs(x1 - x) < half + half1 && Math.abs(y1 - y) < 13 * metre)) return;
		taken.push([x, y, half]);
		named.add(key);
	};
	for (const point of waypoints.filter(hasPosition)) {
		const [x, y] = project(point);
		name(point, [x, y + 14 * metre], point.name);
	}
	for (const { place: [x, y], nodes } of stacks.toReversed())
		if (nodes.length === 1) name(nodes[0], [x, y + 22 * metre], mesh.shortName(nodes[0].nodeId));
	return named;
}

function waypointMark(mesh, point, [x, y], isNamed, metre) {
	const href = linkTo(mesh, "waypoints", point.waypointId);
	return svg("a.mark.waypoint", { href, tabindex: "-1", label: point.name, "data-key": href },
		svg("path", { d: `M${x} ${y}l${-6 * metre} ${-14 * metre}h${12 * metre}z`, "stroke-width": metre }),
		mapText("icon", [x, y - 16 * metre], point.icon ?? "⚑", metre, 16),
		isNamed && mapText("label", [x, y + 14 * metre], point.name, metre),
	);
}

/** A mark that opens a bubble, by pointer and by key. */
const opener = (look, key, label, open, ...content) =>
	svg(look, {
			role: "button",
			tabindex: "-1",
			label,
			"data-key": key,
			"aria-haspopup": "dialog",
			click: open,
			keydown: (event) => {
				if (event.key !== "Enter" && event.key !== " ") return;
				event.preventDefault();
				open(event);
			},
		},
		content,
	);

function nodeMark(mesh, { place: [cx, cy], nodes: [node] }, { meant, isNamed }, metre, open) {
	const isSelf = node.nodeId === mesh.self;
	const isMeant = node.nodeId === meant;
	const looks = ["g.mark.spot", isOnline(node) && "online", isSelf && "own", isMeant && "meant"].filter(Boolean);
	return opener(looks.join("."), node.nodeId, inSentence(mesh.longName(node.nodeId)), open,
		svg("circle.reach", { cx, cy, r: 14 * metre }),
		svg("circle", { cx, cy, r: (isSelf || isMeant ? 9 : 6.5) * metre, "stroke-width": 2 * metre }),
		svg("title", inSentence(mesh.longName(node.nodeId))),
		isNamed && mapText("label", [cx, cy + 22 * metre], mesh.shortName(node.nodeId), metre),
	);
}

function stackMark({ place: [cx, cy], nodes }, metre, open) {
	const look = nodes.some(isOnline) ? "g.mark.spot.several.online" : "g.mark.spot.several";
	return opener(look, `several ${nodes[0].nodeId}`, t("nodesHere", { n: nodes.length }), open,
		svg("circle.reach", { cx, cy, r: 14 * metre }),
		svg("circle", { cx, cy, r: 11 * metre, "stroke-width": 2 * metre }),
		mapText("amount", [cx, cy + 4 * metre], String(nodes.length), metre, 11),
	);
}

// MARK: routes

/** The nodes on the way there and back, as rows of traceroutes have them. */
const hopsOf = (row) => [row.route, row.routeBack].flatMap((text) => JSON.parse(text ?? "[]")).map(nodeIdOf);

/** Each pair of nodes that a route goes over, once. A hop without a name is passed over. */
function legsOf(rows) {
	const legs = new Map();
	for (const row of rows) {
		if (row.route === null) continue;
		const there = [row.fromNodeId, ...JSON.parse(row.route).map(nodeIdOf), row.toNodeId];
		const back = JSON.parse(row.routeBack ?? "[]").map(nodeIdOf);
		for (const way of [there, back.length ? [row.toNodeId, ...back, row.fromNodeId] : []]) {
			const known = way.filter((hop) => hop.startsWith("!"));
			for (let index = 1; index < known.length; index += 1) {
				const leg = [known[index - 1], known[index]].sort();
				legs.set(leg.join(), leg);
			}
		}
	}
	return [...legs.values()];
}

// MARK: what the colours say

function mapLegend() {
	const line = (kind) => mapLine(kind, [0, 8], [28, 8], 1);
	const dot = (look) => svg(`g.spot.${look}`, svg("circle", { cx: 14, cy: 8, r: 6, "stroke-width": 2 }));
	const size = { viewBox: "0 0 28 16", width: "28", height: "16", "aria-hidden": "true" };
	const rows = [
		...["good", "fair", "weak"].map((grade) => [line(grade), t("linkIs", { grade: t(grade) })]),
		[line("route"), t("routesOfTheDay")],
		[dot("online"), t("online")],
		[dot("offline"), t("notOnline")],
		[dot("online.own"), t("myRadio")],
		[dot("meant"), t("chosenNode")],
		[dot("several"), t("severalNodes")],
	];
	// It lies over the map: open only where that has room beside what it shows.
	return el("details.legend", { open: innerWidth > 1600 },
		el("summary", t("legend")),
		el("ul",
			rows.map(([drawing, words]) => el("li", svg("svg", { ...size }, drawing), words)),
		),
	);
}
