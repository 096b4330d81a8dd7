// The mesh by place, without tiles: nodes, rings of distance, links, a node's track, waypoints. Metres on a plane
// around the middle of what is seen, which is right for the some hundred kilometres that a mesh has.

const ages = { 1: "hour", 24: "day", 168: "week", 720: "month", 0: "everAge" };
const dashes = { good: [], fair: [7, 4], weak: [2, 5] };

viewMakers.map = ({ mesh, query }) => {
	const picture = svg("svg.map", { tabindex: "0", role: "group", label: t("mapLabel") });
	const beside = el("div.beside");
	const scale = el("p.scale", unspoken);
	let age = Number(preferences.get("age")) || 168;
	let meant = query.get("n");
	let links = [];
	let waypoints = [];
	let track = [];
	/** What is seen: its middle and size in metres; and metres of a pixel. */
	let plane = null;
	let box = null;
	let metre = 1;
	let hint = null;

	const isYoung = (node) =>
		!age || [mesh.self, meant].includes(node.nodeId) || node.lastHeard * 1000 > Date.now() - age * 3600000;
	const placed = () => mesh.everybody.filter((node) => hasPosition(node) && !node.isIgnored && isYoung(node));
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
		drawBeside();
		const own = mesh.own;
		const middle = [mesh.nodes.get(meant), own, placed()[0], waypoints[0]].find(hasPosition);
		if (!middle) return put(picture);
		plane ??= middle;
		if (!box) fit();
		look();
		const nodes = placed();
		const spots = new Map(nodes.map((node) => [node.nodeId, project(node)]));
		const [x0, y0] = project(hasPosition(own) ? own : middle);
		const step = ringStep(box.size);
		const text = (kind, x, y, words, size = 12) =>
			svg(`text.${kind}`, { x, y, "font-size": size * metre, "text-anchor": "middle" }, words);
		// A name that would cover another one is left out: what matters most is named first, the rest when one
		// comes nearer.
		const taken = [];
		const named = new Set();
		const name = (key, x, y, words) => {
			const half = ([...words].length * 4 + 3) * metre;
			if (taken.some(([x1, y1, half1]) => Math.abs(x1 - x) < half + half1 && Math.abs(y1 - y) < 13 * metre))
				return;
			taken.push([x, y, half]);
			named.add(key);
		};
		for (const point of waypoints.filter(hasPosition)) {
			const [x, y] = project(point);
			name(point, x, y + 14 * metre, point.name);
		}
		const rank = (node) =>
			(node.nodeId === meant) * 8 + (node === own) * 4 + (node.isFavorite === true) * 2 + isOnline(node);
		nodes.sort((a, b) => rank(a) - rank(b) || (a.lastHeard ?? 0) - (b.lastHeard ?? 0));
		for (const node of nodes.toReversed()) {
			const [x, y] = spots.get(node.nodeId);
			name(node.nodeId, x, y + 22 * metre, mesh.shortName(node.nodeId));
		}
		const held = picture.contains(focused()) && focused().getAttribute("href");
		put(
			picture,
			[1, 2, 3].flatMap((turn) => [
				svg("circle.ring", { cx: x0, cy: y0, r: step * turn, "stroke-width": metre }),
				text("faint", x0, y0 - step * turn - 3 * metre, distance(step * turn)),
			]),
			...links
			.filter(
				({ from, to }) =>
				spots.has(from.nodeId) &&
				spots.has(to.nodeId) &&
				(!meant || [from.nodeId, to.nodeId].includes(meant)),
			)
			.map((link) => {
				const [
					[x1, y1],
					[x2, y2]
				] = [spots.get(link.from.nodeId), spots.get(link.to.nodeId)],
				grade = quality(link.snr.p50);
				return svg(`line.${grade}`, {
					x1,
					y1,
					x2,
					y2,
					"stroke-width": 2 * metre,
					"stroke-dasharray": dashes[grade].map((length) => length * metre).join(" ") || null,
				});
			}),
			svg("polyline.track", {
				points: track.map((place) => project(place).join(",")).join(" "),
				"stroke-width": 2.5 * metre,
			}),
			...waypoints.filter(hasPosition).map((point) => {
				const [x, y] = project(point);
				const href = linkTo(mesh, "waypoints", point.waypointId);
				return svg("a.waypoint", { href, tabindex: "-1", label: point.name },
					svg("path", {
						d: `M${x} ${y}l${-6 * metre} ${-14 * metre}h${12 * metre}z`,
						"stroke-width": metre,
					}),
					text("icon", x, y - 16 * metre, point.icon ?? "⚑", 16),
					named.has(point) && text("label", x, y + 14 * metre, point.name),
				);
			}),
			...nodes.map((node) => {
				const [x, y] = spots.get(node.nodeId);
				const isSelf = node.nodeId === mesh.self;
				const isMeant = node.nodeId === meant;
				const looks = ["a.spot", isOnline(node) && "online", isSelf && "own", isMeant && "meant"];
				const href = linkTo(mesh, "n", node.nodeId);
				return svg(looks.filter(Boolean).join("."), { href, tabindex: "-1", label: mesh.longName(node.nodeId) },
					svg("circle.reach", { cx: x, cy: y, r: 14 * metre }),
					svg("circle", {
						cx: x,
						cy: y,
						r: (isSelf || isMeant ? 9 : 6.5) * metre,
						"stroke-width": 2 * metre,
					}),
					svg("title", inSentence(mesh.longName(node.nodeId))),
					named.has(node.nodeId) && text("label", x, y + 22 * metre, mesh.shortName(node.nodeId)),
				);
			}),
		);
		settle();
		const anchors = [...picture.querySelectorAll("a")];
		if (held) anchors.find((link) => link.getAttribute("href") === held)?.focus();
		scale.textContent = `${t("north")} · ${t("ringsAre", { step: distance(step) })}`;
	}

	/** The same in words: how far, in which direction; and who has told no place. */
	function drawBeside() {
		const own = mesh.own;
		const rows = placed()
			.filter((node) => node !== own)
			.map((node) => [node, hasPosition(own) ? courseBetween(own, node) : null])
			.sort(([, a], [, b]) => (a?.metres ?? 0) - (b?.metres ?? 0));
		const without = mesh.everybody
			.filter((node) => !hasPosition(node) && !node.isIgnored && isYoung(node))
			.sort((a, b) => (b.lastHeard ?? 0) - (a.lastHeard ?? 0));
		const part = (title, isOpen, ...content) =>
			el("details.card", { open: isOpen }, el("summary", el("h2", title)), content);
		const opened = [...beside.children].map((one) => one.open);
		put(
			beside,
			part(
				t("byDistance", { n: rows.length }),
				opened[0] ?? innerWidth > 1000,
				table(
					t("distances"),
					["name", "distance", "heard"],
					el("tbody",
						rows
						.slice(0, 100)
						.map(([node, far]) =>
							el("tr",
								el("th", { scope: "row" }, nodeLink(mesh, node.nodeId)),
								el("td", far && farText(own, node)),
								el("td", heardAgo(node)),
							),
						),
					),
				),
			),
			part(
				t("waypointsN", { n: waypoints.length }),
				opened[1],
				waypointList(mesh, waypoints),
				el("a.button", { href: linkTo(mesh, "waypoints", "new") }, icon("plus"), t("newWaypoint")),
			),
			part(
				t("withoutPlace", { n: without.length }),
				opened[2],
				el("ul.plainlist",
					without
					.slice(0, 200)
					.map((node) =>
						el("li", nodeLink(mesh, node.nodeId), el("span.faint", ` ${heardAgo(node)}`)),
					),
				),
			),
		);
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
	const settle = roving(picture, "a");
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
		Object.entries(ages).map(([hours, word]) =>
			el("option", { value: hours, selected: Number(hours) === age }, t(word)),
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
		tool("⚑", "placeWaypoint", () => {
			hint?.remove();
			hint = toast(t("tapTheMap"));
			picture.classList.add("placing");
		}),
	);
	const legend = el("ul.legend", { label: t("legend") },
		Object.entries(dashes).map(([grade, dash]) =>
			el("li",
				svg("svg", { viewBox: "0 0 28 6", width: "28", height: "6", "aria-hidden": "true" },
					svg(`line.${grade}`, {
						x2: 28,
						y1: 3,
						y2: 3,
						"stroke-width": 2,
						"stroke-dasharray": dash.join(" ") || null,
					}),
				),
				t(grade),
			),
		),
	);

	async function load() {
		const since = Date.now() - Math.max(24, age) * 3600000;
		await Promise.allSettled([
			mesh.names(nodeFields),
			mesh.self ?? mesh.loadStatus(),
			get(mesh, "links").then((rows) => {
				links = rows;
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
			el("div.stack", picture, tools, scale, legend),
			beside,
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
			if (["node", "position", "waypoint"].includes(kind)) slowly();
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
