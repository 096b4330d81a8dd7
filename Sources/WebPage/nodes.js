// All nodes of a mesh: sorted, filtered, the first hundred at once.

const columns = [
	{ key: "name", of: (node, mesh) => mesh.longName(node.nodeId).toLowerCase() },
	{ key: "heard", of: (node) => node.lastHeard && -node.lastHeard },
	{ key: "hopsShort", of: (node) => node.hopsAway },
	{ key: "signal", of: (node) => (node.hopsAway === 0 && Number.isFinite(node.snr) ? -node.snr : null) },
	{ key: "battery", of: (node) => node.batteryLevel },
	{ key: "role", of: (node) => node.role ?? 0 },
	{ key: "distance", of: (node, mesh) => metresTo(mesh, node), look: "roomy" },
	{ key: "hardware", of: (node) => node.hwModelName ?? null, look: "roomy" },
];

/** From the own radio; null where one of the two places is not known. */
const metresTo = (mesh, node) =>
	node !== mesh.own && hasPosition(node) && hasPosition(mesh.own) ? courseBetween(mesh.own, node).metres : null;

const roles = [
	"Client",
	"Client mute",
	"Router",
	"Router client",
	"Repeater",
	"Tracker",
	"Sensor",
	"TAK",
	"Client hidden",
	"Lost and found",
	"TAK tracker",
	"Router late",
	"Client base",
];
const roleName = (role) => roles[role] ?? t("unknown");

/** Without a prototype: an address names one of them. */
const filters = {
	__proto__: null,
	online: (node) => isOnline(node),
	direct: (node) => node.hopsAway === 0,
	favourites: (node) => node.isFavorite,
	withKey: (node) => node.hasPKC,
	routers: (node) => [2, 3, 4, 11].includes(node.role),
	lowBattery: (node) => node.batteryLevel < 30,
	weakSignal: (node, mesh) => node.hopsAway === 0 && quality(mesh, node.snr) === "weak",
	keyDoubt: (node) => node.isInDoubt,
	ignored: (node) => node.isIgnored,
};

viewMakers.n = (address) => (address.rest[0] ? offers.nodeView(address) : nodesView(address));

function nodesView({ mesh, query }) {
	const state = {
		sort: query.get("sort") ?? "heard",
		isUp: query.get("down") !== "1",
		filter: query.get("f") ?? "",
		word: query.get("q") ?? "",
	};
	const field = el("input", {
		type: "search",
		label: t("findNode"),
		placeholder: t("findNode"),
		value: state.word,
		input: () => {
			state.word = field.value;
			changed();
		},
	});
	const choice = el("select", {
			label: t("show"),
			change: () => {
				state.filter = choice.value;
				changed();
			},
		},
		["", ...Object.keys(filters)].map((key) =>
			el("option", { value: key, selected: key === state.filter }, capital(t(key || "allNodes"))),
		),
	);
	const count = el("p.faint", { role: "status" }, t("loading"));
	const body = el("tbody");
	const known = new Map();
	const heads = columns.map((column) =>
		el("th", { scope: "col", class: column.look },
			el("button.plain", {
					click: () => {
						state.isUp = state.sort === column.key ? !state.isUp : true;
						state.sort = column.key;
						changed();
					},
				},
				t(column.key),
				el("span.arrow", unspoken),
			),
		),
	);
	let drawing = 0;
	let isLoaded = false;

	function changed() {
		const { sort, isUp, filter, word } = state;
		past.note(mesh, "n", { sort: sort !== "heard" && sort, down: !isUp && "1", f: filter, q: word });
		redraw();
	}

	function chosen() {
		const word = state.word.trim().toLowerCase();
		const column = columns.find((one) => one.key === state.sort) ?? columns[1];
		const direction = state.isUp ? 1 : -1;
		return (
			mesh.everybody
			.filter(
				(node) =>
				(filters[state.filter]?.(node, mesh) ?? (!node.isIgnored || word !== "")) &&
				(!word || namesOf(node).includes(word)),
			)
			.map((node) => [column.of(node, mesh) ?? null, node])
			// Favourites are looked for first; what is not known is of no interest, whichever way.
			.sort(([a, one], [b, other]) =>
				(other.isFavorite === true) - (one.isFavorite === true) ||
				(a === null) - (b === null) ||
				(a < b ? -direction : a > b ? direction : 0),
			)
			.map(([, node]) => node)
		);
	}

	/** A row is made anew only when the node has changed. */
	function row(node) {
		const text = JSON.stringify(node) + heardAgo(node) + metresTo(mesh, node);
		const old = known.get(node.nodeId);
		if (old?.text === text) return old.element;
		const element = nodeRow(mesh, node);
		known.set(node.nodeId, { text, element });
		return element;
	}

	function redraw() {
		const turn = ++drawing;
		const nodes = chosen();
		columns.forEach((column, index) =>
			heads[index].setAttribute(
				"aria-sort",
				column.key === state.sort ? (state.isUp ? "ascending" : "descending") : "none",
			),
		);
		// Those that are known already are not all that there are.
		if (isLoaded) count.textContent = t("nodesShown", { n: nodes.length, all: mesh.nodes.size });
		const held = focused()?.closest("tr")?.dataset.id;
		syncChildren(body, nodes.slice(0, 100).map(row));
		if (held && !body.contains(focused())) find(`[data-id="${CSS.escape(held)}"] a`, body)?.focus();
		// The rest when nobody waits for anything else.
		let from = 100;
		const goOn = () => {
			if (turn !== drawing || from >= nodes.length) return;
			body.append(...nodes.slice(from, (from += 50)).map(row));
			whenIdle(goOn);
		};
		whenIdle(goOn);
	}

	const slowly = debounced(redraw, 1500);
	const all = table(t("nodes"), [], body, "nodes");
	find("tr", all).append(...heads);
	return {
		title: t("nodes"),
		node: page(
			t("nodes"),
			null,
			el("div.row.wrap", el("div.search", icon("search"), field), choice),
			count,
			all,
		),
		async begin() {
			redraw();
			try {
				await mesh.names(nodeFields);
				isLoaded = true;
				redraw();
			} catch (error) {
				put(count, reasons(error));
			}
		},
		again() {
			mesh.asked = {};
			this.begin();
		},
		hear(kind) {
			if (kind === "node" || kind === "minute") slowly();
		},
	};
}

const whenIdle = (work) =>
	window.requestIdleCallback ? requestIdleCallback(work, { timeout: 500 }) : setTimeout(work, 30);

function nodeRow(mesh, node) {
	const isDirect = node.hopsAway === 0;
	const snr = isDirect ? node.snr : null;
	const metres = metresTo(mesh, node);
	return el("tr", { "data-id": node.nodeId, class: isOnline(node) ? "online" : "" },
		el("th", { scope: "row" },
			el("div.row",
				avatar(mesh, node.nodeId, node),
				nodeLink(mesh, node.nodeId),
				node.isFavorite &&
				el("span.full", { title: t("favourite") }, icon("star"), el("span.out", t("favourite"))),
				node.hasPKC && el("span", { title: t("withKey") }, icon("key"), el("span.out", t("withKey"))),
				node.isInDoubt && el("span.bad", t("keyDoubt")),
			),
		),
		el("td",
			isOnline(node) && el("span.dot", { title: t("online") }, el("span.out", `${t("online")}: `)),
			heardAgo(node),
		),
		el("td", node.nodeId !== mesh.self && hopsText(node.hopsAway)),
		el("td", Number.isFinite(snr) && signal(mesh, snr)),
		el("td", { "data-name": t("battery") }, battery(node.batteryLevel)),
		el("td", roleName(node.role)),
		el("td.roomy", metres !== null && distance(metres)),
		el("td.roomy", node.hwModelName?.replaceAll("_", " ")),
	);
}

/** Bars and a word: never a colour alone. */
function signal(mesh, snr) {
	const grade = quality(mesh, snr);
	const barsOfGrade = { good: 3, fair: 2, weak: 1 };
	const bars = barsOfGrade[grade];
	return el("span.signal", { "data-grade": grade },
		svg("svg", { viewBox: "0 0 14 12", "aria-hidden": "true", width: "14", height: "12" },
			[1, 2, 3].map((bar) =>
				svg("rect", {
					x: bar * 5 - 5,
					y: 12 - bar * 4,
					width: 3,
					height: bar * 4,
					class: bar <= bars ? "on" : "off",
				}),
			),
		),
		` ${t(grade)}, ${decibels(snr)}`,
	);
}

/** Above 100 % it hangs on a cable. */
const battery = (level) => (level == null ? "" : level > 100 ? t("powered") : `${level} %`);
