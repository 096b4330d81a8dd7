// The mesh by place, without tiles: nodes, rings of distance, links, routes, a node's track, waypoints. Metres on a
// plane around the middle of what is seen, which is right for the some hundred kilometres that a mesh has.

/** Hours in which a node was heard, in the order in which they are offered; 0: however long ago. */
const ages = [
	[1, "hour"],
	[24, "day"],
	[168, "week"],
	[720, "month"],
	[0, "everAge"]
];

viewMakers.map = ({ mesh, query }) => {
	const picture = svg("svg.map", { tabindex: "0", role: "group", label: t("mapLabel") });
	const scale = el("p.scale", unspoken);
	const nothing = el("p.nothing", { hidden: true }, t("noPlaces"));
	const bubble = mapBubble(mesh, () => redraw());
	const beside = besideMap(mesh);
	let [age] = ages.find(([hours]) => String(hours) === preferences.get("age")) ?? [168];
	let meant = query.get("n");
	let links = [];
	let routes = [];
	let waypoints = [];
	let track = [];
	/** What is seen: its middle and size in metres; and metres of a pixel. */
	let plane = null;
	let box = null;
	let metre = 1;
	let hint = null;

	const isYoung = (node) =>
		!age || [mesh.self, meant].includes(node.nodeId) || node.lastHeard * 1000 > Date.now() - age * 3600000;
	const shownNodes = () => mesh.everybody.filter((node) => !node.isIgnored && isYoung(node));
	const placed = () => shownNodes().filter(hasPosition);
	const width = () => 111320 * Math.cos((plane.latitude * Math.PI) / 180);
	const project = (place) => [
		(place.longitude - plane.longitude) * width(),
		(plane.latitude - place.latitude) * 110540,
	];

	/** So that everything can be seen; what is far off alone does not make the rest a point. */
	function fit() {
		const [only, own] = [meant, mesh.self].map((one) => mesh.nodes.get(one));
		const spots = (meant && hasPosition(only) ? [only, own, ...track] : [...placed(), ...waypoints])
			.filter(hasPosition)
			.map(project);
		const [x1, x2, y1, y2] = [0, 1].flatMap((axis) => {
			const all = spots.map((spot) => spot[axis]).sort((a, b) => a - b);
			const edge = all.length > 20 ? 0.02 : 0;
			return [edge, 1 - edge].map((share) => all[Math.round((all.length - 1) * share)] ?? 0);
		});
		// A little to the left: on the right there are buttons.
		const size = Math.max(x2 - x1, y2 - y1, 1000) * 1.4;
		box = { x: (x1 + x2) / 2 + size * 0.07, y: (y1 + y2) / 2, size };
	}

	function look() {
		const [wide, high] = [picture.clientWidth || 600, picture.clientHeight || 400];
		metre = box.size / Math.min(wide, high);
		picture.setAttribute(
			"viewBox",
			[box.x - (wide * metre) / 2, box.y - (high * metre) / 2, wide * metre, high * metre].join(" "),
		);
	}

	function redraw() {
		beside.draw(shownNodes(), waypoints);
		const own = mesh.own;
		const middle = [mesh.nodes.get(meant), own, placed()[0], waypoints[0]].find(hasPosition);
		nothing.hidden = Boolean(middle);
		tools.hidden = !middle;
		if (!middle) return put(picture);
		plane ??= middle;
		if (!box) fit();
		look();
		const nodes = placed();
		const spots = new Map(nodes.map((node) => [node.nodeId, project(node)]));
		const isShown = (a, b) => spots.has(a) && spots.has(b);
		const isMeant = (ends) => !meant || ends.includes(meant);
		const step = ringStep(box.size);
		const rank = (node) =>
			(node.nodeId === meant) * 8 + (node === own) * 4 + (node.isFavorite === true) * 2 + isOnline(node);
		nodes.sort((a, b) => rank(a) - rank(b) || (a.lastHeard ?? 0) - (b.lastHeard ?? 0));
		const stacks = stacksOf(nodes, spots, 9 * metre);
		const named = namesThatFit(mesh, { stacks, spots, waypoints, project, metre });
		const held = picture.contains(focused()) && focused().dataset.key;
		put(
			picture,
			mapRings(project(hasPosition(own) ? own : middle), step, metre),
			reachMark(mesh.nodes.get(bubble.nodeId ?? meant), spots, metre),
			legsOf(routes.filter((row) => isMeant([row.fromNodeId, row.toNodeId, ...hopsOf(row)])))
			.filter(([a, b]) => isShown(a, b))
			.map(([a, b]) => mapLine("route", spots.get(a), spots.get(b), metre)),
			links
			.filter(({ from, to }) => isShown(from.nodeId, to.nodeId) && isMeant([from.nodeId, to.nodeId]))
			.map(({ from, to, grade }) => mapLine(grade, spots.get(from.nodeId), spots.get(to.nodeId), metre)),
			svg("polyline.track", {
				points: track.map((place) => project(place).join(",")).join(" "),
				"stroke-width": 2.5 * metre,
			}),
			waypoints
			.filter(hasPosition)
			.map((point) => waypointMark(mesh, point, project(point), named.has(point), metre)),
			stacks.map((stack) => {
				const open = (event) => bubble.show(stack.nodes, event.currentTarget);
				return stack.nodes.length > 1
					? stackMark(stack, metre, open)
					: nodeMark(mesh, stack, { meant, isNamed: named.has(stack.nodes[0]) }, metre, open);
			}),
		);
		settle();
		if (held) find(`[data-key="${CSS.escape(held)}"]`, picture)?.focus();
		scale.textContent = `${t("north")} · ${t("ringsAre", { step: distance(step) })}`;
	}

	const zoom = (factor, [x, y] = [box.x, box.y]) => {
		const size = Math.max(50, Math.min(4e7, box.size * factor));
		const share = size / box.size;
		box = { x: x + (box.x - x) * share, y: y + (box.y - y) * share, size };
		redraw();
	};
	const shift = (x, y) => {
		box.x += x * metre;
		box.y += y * metre;
		look();
	};
	const placeAt = (event) => {
		const frame = picture.getBoundingClientRect();
		return [
			box.x + (event.clientX - frame.left - frame.width / 2) * metre,
			box.y + (event.clientY - frame.top - frame.height / 2) * metre,
		];
	};
	const settle = roving(picture, ".mark");
	pans(picture, () => box !== null, {
		zoom,
		shift,
		placeAt,
		tapped(event) {
			if (!hint) return;
			const [x, y] = placeAt(event);
			const latitude = plane.latitude - y / 110540;
			const longitude = plane.longitude + x / width();
			views.go(`${linkTo(mesh, "waypoints", "new")}?at=${latitude.toFixed(6)},${longitude.toFixed(6)}`);
		},
	});
	const choice = el("select", {
			label: t("heardWithin"),
			change: () => {
				age = Number(choice.value);
				preferences.set("age", choice.value);
				redraw();
			},
		},
		ages.map(([hours, word]) =>
			el("option", { value: hours, selected: hours === age }, capital(t(word))),
		),
	);
	const tool = (sign, label, click) =>
		el("button", { title: t(label), label: t(label), click: () => box && click() }, sign);
	const tools = el("div.tools", { role: "group", label: t("map") },
		tool("+", "zoomIn", () => zoom(0.7)),
		tool("−", "zoomOut", () => zoom(1.4)),
		tool("⤢", "showAllOnMap", () => {
			box = meant = null;
			track = [];
			redraw();
		}),
		may("messages:write") &&
		tool("⚑", "placeWaypoint", () => {
			hint?.remove();
			hint = toast(t("tapTheMap"));
			picture.classList.add("placing");
		}),
	);

	async function load() {
		const since = Date.now() - Math.max(24, age) * 3600000;
		const source = `sourceId=${encoded(mesh.id)}`;
		await Promise.allSettled([
			mesh.names(nodeFields),
			mesh.self ?? mesh.loadStatus(),
			may("info:read") &&
			get(mesh, "links").then((rows) => {
				links = rows;
			}),
			may("traceroute:read") &&
			ask(`api/traceroutes/recent?${source}&hours=24&limit=200`).then((rows) => {
				routes = rows;
			}),
			get(mesh, "waypoints").then((rows) => {
				waypoints = rows;
			}),
			meant &&
			get(mesh, `nodes/${encoded(meant)}/position-history?limit=500&since=${since}`).then((rows) => {
				track = rows.filter(hasPosition);
			}),
		]);
		redraw();
	}
	const slowly = debounced(redraw, 1000);
	const watcher = new ResizeObserver(() => {
		if (box) redraw();
	});
	return {
		title: t("map"),
		look: "wide",
		node: el("section.mapview",
			el("div.row.head.spread",
				el("h1", { tabindex: "-1" }, t("map")),
				el("label.check", t("heardWithin"), choice),
			),
			el("div.stack", picture, nothing, tools, scale, bubble.node, mapLegend()),
			beside.node,
		),
		begin() {
			watcher.observe(picture);
			load();
		},
		again: load,
		leave() {
			watcher.disconnect();
			hint?.remove();
		},
		hear(kind, data) {
			if (kind === "waypoint")
				waypoints = [
					...waypoints.filter((point) => point.waypointId !== (data.waypointId ?? Number(data.id))),
					...(data.deleted ? [] : [data]),
				];
			if (kind === "traceroute") routes = [...routes.filter((row) => row.id !== data.id), data];
			if (["node", "position", "waypoint", "traceroute", "minute"].includes(kind)) slowly();
		},
	};
};

/** 1, 2 or 5 times a power of ten, so that three rings fit. */
function ringStep(size) {
	const metresOfUnit = isImperial() ? 1609.34 : 1;
	const rough = size / metresOfUnit / 6;
	const power = 10 ** Math.floor(Math.log10(rough));
	return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) * metresOfUnit;
}
