
// The mesh by place, without tiles: nodes, rings of distance, links, a node's track, waypoints. Metres on a plane around
// the middle of what is seen, which is right for the some hundred kilometres that a mesh has.

const ages = { 1: "hour", 24: "day", 168: "week", 720: "month", 0: "everAge" };

kinds.map = ({ mesh, query }) => {
	const state = { age: Number(taste.get("age")) || 168, links: [], waypoints: [], track: [], box: null, focus: query.get("n"), canMake: true };
	const picture = draw("svg.map", { tabindex: "0", role: "group", "aria-label": t("mapLabel") });
	const beside = el("div.beside");
	const scale = el("p.scale", { "aria-hidden": "true" });
	let plane = null, isPlacing = false;

	const centre = () => {
		const node = mesh.nodes.get(state.focus) ?? mesh.nodes.get(mesh.self);
		return hasPlace(node) ? node : placed()[0] ?? state.waypoints.find(hasPlace);
	};
	const placed = () => [...mesh.nodes.values()].filter((node) => hasPlace(node) && !node.isIgnored && isYoung(node));
	const isYoung = (node) => state.age === 0 || node.nodeId === mesh.self || node.nodeId === state.focus || node.lastHeard * 1000 > Date.now() - state.age * 3600000;

	/** Metres east and south of the middle. */
	function project(place) {
		return [(place.longitude - plane.longitude) * 111320 * Math.cos(plane.latitude * Math.PI / 180), (plane.latitude - place.latitude) * 110540];
	}
	const back = ([x, y]) => ({ latitude: plane.latitude - y / 110540, longitude: plane.longitude + x / (111320 * Math.cos(plane.latitude * Math.PI / 180)) });

	/** So that everything can be seen; what is far off alone does not make the rest a point. */
	function fit() {
		const nodes = placed();
		const spots = (state.track.length ? state.track : [...nodes, ...state.waypoints.filter(hasPlace)]).map(project);
		if (state.focus && hasPlace(mesh.nodes.get(state.focus)) && !state.track.length) spots.splice(0, Infinity, project(mesh.nodes.get(state.focus)));
		if (!spots.length) spots.push([0, 0]);
		const part = (values, share) => values.sort((a, b) => a - b)[Math.round((values.length - 1) * share)];
		const edge = spots.length > 20 ? 0.02 : 0;
		const [x1, x2] = [part(spots.map(([x]) => x), edge), part(spots.map(([x]) => x), 1 - edge)];
		const [y1, y2] = [part(spots.map(([, y]) => y), edge), part(spots.map(([, y]) => y), 1 - edge)];
		const size = Math.max(x2 - x1, y2 - y1, 1000) * 1.25;
		state.box = { x: (x1 + x2) / 2, y: (y1 + y2) / 2, size };
	}

	function redraw() {
		const middle = centre();
		if (!middle) {
			picture.replaceChildren();
			scale.textContent = "";
			drawBeside();
			return;
		}
		plane ??= { latitude: middle.latitude, longitude: middle.longitude };
		if (!state.box) fit();
		const width = picture.clientWidth || 600, height = picture.clientHeight || 400;
		// Metres of a pixel.
		const metre = state.box.size / Math.min(width, height);
		state.metre = metre;
		look(width, height);
		const nodes = placed();
		const shown = new Map(nodes.map((node) => [node.nodeId, project(node)]));
		const own = mesh.nodes.get(mesh.self);
		const ringCentre = hasPlace(own) ? project(own) : project(middle);
		const step = ringStep(state.box.size);
		const text = (x, y, words, look) => draw(`text.${look}`, { x, y, "font-size": 12 * metre, "text-anchor": "middle" }, words);
		const rings = [1, 2, 3].map((turn) => [draw("circle", { class: "ring", cx: ringCentre[0], cy: ringCentre[1], r: step * turn, "stroke-width": metre }),
			text(ringCentre[0], ringCentre[1] - step * turn - 3 * metre, distance(step * turn), "faint")]);
		const links = state.links.filter((link) => shown.has(link.from.nodeId) && shown.has(link.to.nodeId)).map((link) => {
			const [[x1, y1], [x2, y2]] = [shown.get(link.from.nodeId), shown.get(link.to.nodeId)];
			const grade = quality(link.snr.p50);
			const dash = { good: null, fair: `${7 * metre} ${4 * metre}`, weak: `${2 * metre} ${5 * metre}` }[grade];
			return draw("line", { class: `link ${grade}`, x1, y1, x2, y2, "stroke-width": 2 * metre, "stroke-dasharray": dash });
		});
		const isCrowded = nodes.length > 120 && metre > state.box.size / 40000;
		const marks = nodes.map((node) => {
			const [x, y] = shown.get(node.nodeId);
			const isOwn = node.nodeId === mesh.self, isMeant = node.nodeId === state.focus;
			return draw("a", { href: to(mesh, "n", node.nodeId), class: `spot${isOnline(node) ? " online" : ""}${isOwn ? " own" : ""}${isMeant ? " meant" : ""}`, tabindex: "-1",
				"aria-label": mesh.longName(node.nodeId) },
			draw("circle", { cx: x, cy: y, r: 14 * metre, class: "reach" }), draw("circle", { cx: x, cy: y, r: (isOwn || isMeant ? 9 : 6.5) * metre, "stroke-width": 2 * metre }),
			(!isCrowded || isMeant || isOwn) && text(x, y + 22 * metre, mesh.shortName(node.nodeId), "name"));
		});
		const points = state.waypoints.filter(hasPlace).map((point) => {
			const [x, y] = project(point);
			return draw("a", { href: to(mesh, "waypoints", point.waypointId), class: "waypoint", tabindex: "-1", "aria-label": point.name },
				draw("path", { d: `M${x} ${y}l${-6 * metre} ${-14 * metre}h${12 * metre}z`, "stroke-width": metre }), draw("text", { x, y: y - 16 * metre, "font-size": 16 * metre, "text-anchor": "middle" }, point.icon ?? "⚑"),
				text(x, y + 14 * metre, point.name, "name"));
		});
		const track = state.track.length > 1 ? draw("polyline", { class: "track", points: state.track.map((place) => project(place).join(",")).join(" "), "stroke-width": 2.5 * metre }) : null;
		const focused = picture.contains(document.activeElement) && document.activeElement.getAttribute("href");
		picture.replaceChildren(...[...rings.flat(), ...links, track, ...points, ...marks].filter(Boolean));
		settle();
		if (focused) [...picture.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
		scale.textContent = `${t("north")} · ${t("ringsAre", { step: distance(step) })}`;
		drawBeside();
	}

	function look(width = picture.clientWidth, height = picture.clientHeight) {
		const wide = state.metre * width, high = state.metre * height;
		picture.setAttribute("viewBox", `${state.box.x - wide / 2} ${state.box.y - high / 2} ${wide} ${high}`);
	}

	function drawBeside() {
		const own = mesh.nodes.get(mesh.self);
		const rows = placed().filter((node) => node.nodeId !== mesh.self).map((node) => [node, hasPlace(own) ? way(own, node) : null])
			.sort(([, a], [, b]) => (a?.metres ?? 0) - (b?.metres ?? 0));
		const without = [...mesh.nodes.values()].filter((node) => !hasPlace(node) && !node.isIgnored && isYoung(node)).sort((a, b) => (b.lastHeard ?? 0) - (a.lastHeard ?? 0));
		beside.replaceChildren(
			el("details.card", { open: innerWidth > 1000 }, el("summary", el("h2", t("byDistance", { n: rows.length }))), rows.length ? table(t("distances"), ["name", "distance", "direction", "heard"], el("tbody", rows.slice(0, 100).map(([node, far]) => el("tr", el("th", { scope: "row" }, nodeLink(mesh, node.nodeId)), el("td", far ? distance(far.metres) : ""),
					el("td", far ? `${Math.round(far.bearing)}° ${compass(far.bearing)}` : ""), el("td", ago(node.lastHeard * 1000)))))) : el("p.faint", t("noPlaces"))),
			el("details.card", el("summary", el("h2", t("waypointsN", { n: state.waypoints.length }))), waypointList(mesh, state.waypoints), el("a.button", { href: to(mesh, "waypoints", "new") }, icon("plus"), t("newWaypoint"))),
			without.length > 0 && el("details.card", el("summary", el("h2", t("withoutPlace", { n: without.length }))), el("ul.plainlist", without.slice(0, 200).map((node) => el("li", nodeLink(mesh, node.nodeId), el("span.faint", ` ${ago(node.lastHeard * 1000)}`))))));
	}

	const zoom = (factor, around = [state.box.x, state.box.y]) => {
		if (!state.box) return;
		const size = Math.max(50, Math.min(4e7, state.box.size * factor));
		const share = size / state.box.size;
		state.box = { x: around[0] + (state.box.x - around[0]) * share, y: around[1] + (state.box.y - around[1]) * share, size };
		redraw();
	};
	const move = (x, y) => {
		if (!state.box) return;
		state.box.x += x * state.box.size;
		state.box.y += y * state.box.size;
		look();
	};
	const placeAt = (event) => {
		const box = picture.getBoundingClientRect();
		return [state.box.x + (event.clientX - box.left - box.width / 2) * state.metre, state.box.y + (event.clientY - box.top - box.height / 2) * state.metre];
	};
	const settle = roving(picture, "a");
	pans(picture, { zoom, placeAt, shift: (x, y) => { state.box.x -= x * state.metre; state.box.y -= y * state.metre; look(); },
		tapped(event) {
			if (!isPlacing) return;
			isPlacing = false;
			picture.classList.remove("placing");
			const { latitude, longitude } = back(placeAt(event));
			views.go(`${to(mesh, "waypoints", "new")}?at=${latitude.toFixed(6)},${longitude.toFixed(6)}`);
		} });
	picture.addEventListener("keydown", (event) => {
		if (event.target !== picture) return;
		const steps = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
		if (steps) move(...steps);
		else if (event.key === "+") zoom(0.7);
		else if (event.key === "-") zoom(1.4);
		else return;
		event.preventDefault();
	});

	const choice = el("select", { "aria-label": t("heardWithin"), change: () => { state.age = Number(choice.value); taste.set("age", choice.value); redraw(); } },
		Object.entries(ages).map(([hours, word]) => el("option", { value: hours, selected: Number(hours) === state.age }, t(word))));
	const tool = (words, label, click) => el("button", { title: label, "aria-label": label, click }, words);
	const tools = el("div.tools", { role: "group", "aria-label": t("mapTools") }, tool("+", t("zoomIn"), () => zoom(0.7)), tool("−", t("zoomOut"), () => zoom(1.4)),
		tool("⤢", t("showAllOnMap"), () => { state.box = null; state.focus = null; state.track = []; redraw(); }),
		tool("⚑", t("placeWaypoint"), () => { isPlacing = true; picture.classList.add("placing"); toast(t("tapTheMap")); }));

	async function load() {
		const wanted = [mesh.names(), mesh.self ? null : mesh.loadStatus(), get(mesh, "links").then((rows) => { state.links = rows; }), get(mesh, "waypoints").then((rows) => { state.waypoints = rows; }),
			state.focus && get(mesh, `nodes/${id(state.focus)}/position-history?limit=500&since=${Date.now() - Math.max(24, state.age) * 3600000}`).then((rows) => { state.track = rows.filter(hasPlace); })];
		await Promise.allSettled(wanted);
		redraw();
	}
	const slowly = settled(redraw, 1000);
	const watcher = new ResizeObserver(() => { if (state.box) redraw(); });
	return {
		title: t("map"), look: "wide",
		node: el("section.mapview", el("div.row.head.spread", el("h1", { tabindex: "-1" }, t("map")), el("label.check", t("heardWithin"), choice)),
			el("div.stack", picture, tools, scale, legend()), beside),
		begin() { watcher.observe(picture); load(); },
		again: load,
		leave: () => watcher.disconnect(),
		hear(kind, data) {
			if (kind === "waypoint") {
				const one = data.waypointId ?? Number(data.id);
				state.waypoints = state.waypoints.filter((point) => point.waypointId !== one);
				if (!data.deleted) state.waypoints.push(data);
			}
			if (["node", "position", "waypoint"].includes(kind)) slowly();
		},
	};
};

const compass = (degrees) => ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][Math.round(degrees / 45) % 8];

/** 1, 2 or 5 times a power of ten, so that three rings fit. */
function ringStep(size) {
	const rough = size / (isImperial() ? 1609.34 : 1) / 6;
	const power = 10 ** Math.floor(Math.log10(rough));
	return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) * (isImperial() ? 1609.34 : 1);
}

function legend() {
	return el("ul.legend", { "aria-label": t("legend") }, ["good", "fair", "weak"].map((grade) => el("li", null,
		draw("svg", { viewBox: "0 0 28 6", width: "28", height: "6", "aria-hidden": "true" }, draw("line", { class: `link ${grade}`, x1: 0, x2: 28, y1: 3, y2: 3, "stroke-width": 2, "stroke-dasharray": { good: null, fair: "7 4", weak: "2 4" }[grade] })), t(grade))));
}

/** Dragging, pinching and the wheel; each has its button, too. */
function pans(picture, { zoom, shift, placeAt, tapped }) {
	const fingers = new Map();
	let moved = 0;
	picture.addEventListener("pointerdown", (event) => {
		fingers.set(event.pointerId, [event.clientX, event.clientY]);
		if (fingers.size === 1) moved = 0;
	});
	picture.addEventListener("pointermove", (event) => {
		const before = fingers.get(event.pointerId);
		if (!before) return;
		const now = [event.clientX, event.clientY];
		if (fingers.size === 1) {
			moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
			if (moved > 6) {
				picture.setPointerCapture(event.pointerId);
				shift(now[0] - before[0], now[1] - before[1]);
			}
		} else if (fingers.size === 2) {
			const [other] = [...fingers].find(([one]) => one !== event.pointerId).slice(1);
			const span = ([x, y]) => Math.hypot(x - other[0], y - other[1]) || 1;
			zoom(span(before) / span(now), placeAt({ clientX: (now[0] + other[0]) / 2, clientY: (now[1] + other[1]) / 2 }));
			moved = 99;
		}
		fingers.set(event.pointerId, now);
	});
	for (const kind of ["pointerup", "pointercancel"]) picture.addEventListener(kind, (event) => {
		fingers.delete(event.pointerId);
		if (kind === "pointerup" && moved <= 6) tapped(event);
	});
	picture.addEventListener("click", (event) => { if (moved > 6) event.preventDefault(); }, { capture: true });
	picture.addEventListener("wheel", (event) => {
		event.preventDefault();
		zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, placeAt(event));
	}, { passive: false });
}
