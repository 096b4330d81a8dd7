// A value over time, as a picture with words beside it and a table below it. It follows what comes.

const unit = (name, digits) => (value) => `${number(value, digits)} ${name}`;

const chartKinds = [
	{ key: "snr_local", title: "ownSnr", write: decibels },
	{ key: "rssi", title: "rssi", write: unit("dBm", 0) },
	{ key: "batteryLevel", title: "battery", write: (level) => battery(Math.round(level)), low: 0, high: 100 },
	{ key: "voltage", title: "voltage", write: unit("V", 2) },
	{ key: "channelUtilization", title: "channelUse", write: unit("%"), low: 0 },
	{ key: "airUtilTx", title: "airTime", write: unit("%"), low: 0 },
	{ key: "temperature", title: "temperature", write: temperature },
	{ key: "humidity", title: "humidity", write: unit("%", 0) },
	{ key: "pressure", title: "pressure", write: unit("hPa") },
];

/** Hours that are seen at once, with the hours between two ticks. */
const spans = {
	1: { word: "hour", step: 0.25 },
	6: { word: "sixHours", step: 1 },
	24: { word: "day", step: 6 },
	168: { word: "week", step: 24 },
	720: { word: "month", step: 168 },
};
const hourLength = 3600000;

/** All charts of a node, over a span that one chooses. */
function charts(mesh, nodeId) {
	let hours = 24;
	const box = el("div.charts");
	const shown = new Map();
	const series = new Map();

	async function load() {
		const asked = hours;
		const rows = await ask(`api/telemetry/${encoded(nodeId)}?sourceId=${encoded(mesh.id)}&hours=${asked}`);
		if (asked !== hours) return [];
		series.clear();
		shown.clear();
		for (const row of rows.toReversed()) add(row);
		return draw();
	}

	function add(row) {
		if (!series.has(row.telemetryType)) series.set(row.telemetryType, []);
		series.get(row.telemetryType).push([row.timestamp, row.value]);
	}

	/** What is there stays where it is, so that nobody who reads it is disturbed. */
	function draw() {
		const begin = Date.now() - hours * hourLength;
		const found = chartKinds.filter(({ key }) => series.has(key));
		for (const kind of found) {
			const points = series.get(kind.key).filter(([time]) => time >= begin);
			if (!points.length) continue;
			if (!shown.has(kind.key)) shown.set(kind.key, chart(kind));
			shown.get(kind.key).draw(points, hours);
		}
		return shown.size
			? found.filter(({ key }) => shown.has(key)).map(({ key }) => shown.get(key).node)
			: el("p.faint", t("noValues"));
	}

	const redraw = () => put(box, later(load));
	const follow = debounced(() => {
		const content = find(".later", box);
		if (content && !content.matches(".owed")) syncChildren(content, [draw()].flat());
	}, 500);
	const choice = el("div.segments", { role: "group", label: t("span") },
		Object.entries(spans).map(([key, { word }]) =>
			el("button", {
					"aria-pressed": String(Number(key) === hours),
					click: (event) => {
						hours = Number(key);
						for (const button of choice.children)
							button.setAttribute("aria-pressed", String(button === event.currentTarget));
						redraw();
					},
				},
				t(word),
			),
		),
	);
	redraw();
	return {
		node: el("section", { label: t("charts") }, el("div.row.spread.wrap", el("h2", t("charts")), choice), box),
		again: redraw,
		hear(kind, data) {
			if (kind !== "telemetry" || data.nodeId !== nodeId) return;
			add(data);
			follow();
		},
	};
}

const [chartWidth, chartHeight, chartPad] = [600, 140, 8];

/** One kind of value; `draw` takes [milliseconds, value], oldest first, at least one. */
function chart({ title, write, low, high }) {
	let points = [];
	let words = "";
	/** The time that is read out; null: nobody points at any. */
	let chosen = null;
	let x, y;
	const grid = svg("g");
	const line = svg("path", { class: "line" });
	const lone = svg("g");
	const cursor = svg("line", { class: "cursor", y1: 0, y2: chartHeight });
	const spot = svg("path.lone");
	const last = el("span");
	const [above, below] = [el("span.high", unspoken), el("span.low", unspoken)];
	const axis = el("div.axis", unspoken);
	const reading = el("output.faint");

	function read() {
		const point = points.find(([time]) => time === chosen);
		for (const one of [cursor, spot]) one.setAttribute("visibility", point ? "visible" : "hidden");
		reading.textContent = point ? `${dateAndTime(point[0])}: ${write(point[1])}` : words;
		if (!point) return;
		for (const name of ["x1", "x2"]) cursor.setAttribute(name, x(point[0]));
		spot.setAttribute("d", `M${x(point[0])} ${y(point[1])}h.01`);
	}

	const choose = (index) => {
		[chosen] = points[Math.max(0, Math.min(points.length - 1, index))];
		read();
	};
	const leave = () => {
		chosen = null;
		read();
	};
	const picture = svg("svg.chart", {
			viewBox: `0 0 ${chartWidth} ${chartHeight}`,
			role: "img",
			tabindex: "0",
			preserveAspectRatio: "none",
			pointermove: (event) => {
				const box = picture.getBoundingClientRect();
				const pointed = ((event.clientX - box.left) / box.width) * chartWidth;
				const far = ([time]) => Math.abs(x(time) - pointed);
				choose(points.reduce((best, one, index) => (far(one) < far(points[best]) ? index : best), 0));
			},
			pointerleave: leave,
			blur: leave,
			keydown: (event) => {
				const known = points.findIndex(([time]) => time === chosen);
				const index = known < 0 ? points.length : known;
				const steps = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: points.length - 1 };
				if (!(event.key in steps)) return;
				event.preventDefault();
				choose(steps[event.key]);
			},
		},
		grid,
		line,
		lone,
		cursor,
		spot,
	);
	const values = el("details", {
			toggle: () => {
				if (values.open) put(values, values.firstChild, valueTable(title, points, write));
			},
		},
		el("summary", t("asTable")),
	);

	function draw(given, hours) {
		points = given;
		const all = points.map(([, value]) => value);
		const [least, most] = [Math.min(...all), Math.max(...all)];
		let [bottom, top] = [Math.min(low ?? least, least), high ?? most];
		if (top - bottom < 1) {
			[bottom, top] = low === 0 ? [0, 1] : [bottom - 0.5, top + 0.5];
		}
		const end = Date.now();
		const begin = end - hours * hourLength;
		x = (time) => chartPad + (Math.max(0, time - begin) / (end - begin)) * (chartWidth - 2 * chartPad);
		y = (value) =>
			chartHeight -
			chartPad -
			((Math.min(value, top) - bottom) / (top - bottom)) * (chartHeight - 2 * chartPad);
		drawLine(Math.max((hours * hourLength) / 24, Math.min(hours / 3, 2) * hourLength));
		const ticks = ticksOf(begin, end, spans[hours].step);
		put(
			grid,
			[0.25, 0.5, 0.75].map((share) => gridLine(0, chartWidth, share * chartHeight, share * chartHeight)),
			ticks.map((time) => gridLine(x(time), x(time), 0, chartHeight)),
		);
		put(
			axis,
			ticks.map((time) =>
				el("span", { "--at": x(time) / chartWidth }, hours > 24 ? dayAndMonth(time) : timeOfDay(time)),
			),
		);
		[above.textContent, below.textContent] = [write(top), write(bottom)];
		const [time, value] = points.at(-1);
		last.textContent = write(value);
		words = t(points.length > 1 ? "chartWords" : "chartWord", {
			least: write(least),
			most: write(most),
			last: write(value),
			when: ago(time),
			trend: t(trend(points)),
		});
		picture.setAttribute("aria-label", `${t(title)}. ${words}`);
		if (values.open) put(values, values.firstChild, valueTable(title, points, write));
		read();
	}

	/** @param gap milliseconds: a longer silence is a gap, and not a line across it. */
	function drawLine(gap) {
		const far = (index) => !points[index - 1] || !points[index] || points[index][0] - points[index - 1][0] >= gap;
		line.setAttribute(
			"d",
			points
			.map(([time, value], index) => `${far(index) ? "M" : "L"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`)
			.join(""),
		);
		put(
			lone,
			points
			.filter((_, index) => far(index) && far(index + 1))
			.map(([time, value]) => svg("path.lone", { d: `M${x(time)} ${y(value)}h.01` })),
		);
	}

	const node = el("figure.chart",
		el("figcaption", el("b", t(title)), last),
		el("div.plot", picture, above, below),
		axis,
		reading,
		values,
	);
	return { node, draw };
}

const gridLine = (x1, x2, y1, y2) => svg("line", { class: "grid", x1, x2, y1, y2 });

const dayAndMonth = (time) => new Date(time).toLocaleDateString(locale, { day: "numeric", month: "short" });

/** Round times of the clock on the wall within a span; `step` in hours. Those too near to an end would be cut off. */
function ticksOf(begin, end, step) {
	const found = [];
	const edge = (end - begin) / 25;
	const time = new Date(begin);
	time.setHours(step < 24 ? time.getHours() - (time.getHours() % Math.max(1, step)) : 0, 0, 0, 0);
	for (let at = time.getTime(); at < end - edge; at = time.getTime()) {
		if (at > begin + edge) found.push(at);
		// Days, and not 24 hours: one has 23 of them.
		if (step < 24) time.setMinutes(time.getMinutes() + step * 60);
		else time.setDate(time.getDate() + step / 24);
	}
	return found;
}

function valueTable(title, points, write) {
	return table(
		t(title),
		["time", "value"],
		el("tbody",
			points
			.slice(-200)
			.reverse()
			.map(([time, value]) => el("tr", el("td", dateAndTime(time)), el("td", write(value)))),
		),
		"short",
	);
}

/** The later half beside the earlier one. */
function trend(points) {
	if (points.length < 4) return "steady";
	const half = points.length >> 1;
	const mean = (part) => part.reduce((sum, [, value]) => sum + value, 0) / part.length;
	const [a, b] = [mean(points.slice(0, half)), mean(points.slice(half))];
	const span = Math.max(
		1,
		Math.max(...points.map(([, value]) => value)) - Math.min(...points.map(([, value]) => value)),
	);
	return b - a > span / 5 ? "rising" : a - b > span / 5 ? "falling" : "steady";
}
