// A value over time, as a picture with words beside it and a table below it.

const unit = (name, digits) => (value) => `${number(value, digits)} ${name}`;

const chartKinds = [
	{ key: "snr_local", title: "ownSnr", write: decibels },
	{ key: "rssi", title: "rssi", write: unit("dBm", 0) },
	{ key: "batteryLevel", title: "battery", write: unit("%", 0), low: 0, high: 100 },
	{ key: "voltage", title: "voltage", write: unit("V", 2) },
	{ key: "channelUtilization", title: "channelUse", write: unit("%"), low: 0 },
	{ key: "airUtilTx", title: "airTime", write: unit("%"), low: 0 },
	{ key: "temperature", title: "temperature", write: temperature },
	{ key: "relativeHumidity", title: "humidity", write: unit("%", 0) },
	{ key: "barometricPressure", title: "pressure", write: unit("hPa") },
];

const spans = { 24: "day", 168: "week", 720: "month" };

/** All charts of a node, over a span that one chooses. */
function charts(mesh, nodeId) {
	let hours = 24;
	const box = el("div.charts");
	async function load() {
		const rows = await ask(`api/telemetry/${encoded(nodeId)}?sourceId=${encoded(mesh.id)}&hours=${hours}`);
		const series = Map.groupBy(rows, (row) => row.telemetryType);
		const found = chartKinds.filter(({ key }) => series.has(key));
		if (!found.length) return el("p.faint", t("noValues"));
		const pointsOf = (key) => series.get(key).map((row) => [row.timestamp, row.value]).reverse();
		return found.map((kind) => chart(kind, pointsOf(kind.key), hours));
	}
	const redraw = () => put(box, later(load));
	const choice = el("div.segments", { role: "group", label: t("span") },
		Object.entries(spans).map(([key, word]) =>
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
	return el("section", { label: t("charts") }, el("div.row.spread.wrap", el("h2", t("charts")), choice), box);
}

const [chartWidth, chartHeight, chartPad] = [600, 140, 8];

/** @param points [milliseconds, value], oldest first. */
function chart({ title, write, low, high }, points, hours) {
	const values = points.map(([, value]) => value);
	const [least, most] = [Math.min(...values), Math.max(...values)];
	let [bottom, top] = [Math.min(low ?? least, least), Math.max(high ?? most, most)];
	if (top - bottom < 1) {
		[bottom, top] = low === 0 ? [0, 1] : [bottom - 0.5, top + 0.5];
	}
	const end = Date.now();
	const begin = end - hours * 3600000;
	const x = (time) => chartPad + (Math.max(0, time - begin) / (end - begin)) * (chartWidth - 2 * chartPad);
	const y = (value) =>
		chartHeight - chartPad - ((value - bottom) / (top - bottom)) * (chartHeight - 2 * chartPad);
	const last = points.at(-1);
	const gap = Math.max((hours * 3600000) / 24, 2 * 3600000);
	// A silence is a gap, and not a line across it.
	const line = points
		.map(
			([time, value], index) =>
			`${index && time - points[index - 1][0] < gap ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`,
		)
		.join("");
	const lone = points.filter(
		([time], index) =>
		(!index || time - points[index - 1][0] >= gap) &&
		(index + 1 === points.length || points[index + 1][0] - time >= gap),
	);
	const words = t(points.length > 1 ? "chartWords" : "chartWord", {
		least: write(least),
		most: write(most),
		last: write(last[1]),
		when: ago(last[0]),
		trend: t(trend(points)),
	});
	const cursor = svg("line", { class: "cursor", y1: 0, y2: chartHeight, visibility: "hidden" });
	const spot = svg("path.lone", { visibility: "hidden" });
	const reading = el("output.faint", words);
	let chosen = points.length - 1;
	const point = (index) => {
		chosen = Math.max(0, Math.min(points.length - 1, index));
		const [time, value] = points[chosen];
		for (const name of ["x1", "x2"]) cursor.setAttribute(name, x(time));
		spot.setAttribute("d", `M${x(time)} ${y(value)}h.01`);
		for (const one of [cursor, spot]) one.setAttribute("visibility", "visible");
		reading.textContent = `${dateAndTime(time)}: ${write(value)}`;
	};
	const leave = () => {
		for (const one of [cursor, spot]) one.setAttribute("visibility", "hidden");
		reading.textContent = words;
	};
	const picture = svg("svg.chart", {
			viewBox: `0 0 ${chartWidth} ${chartHeight}`,
			role: "img",
			label: `${t(title)}. ${words}`,
			tabindex: "0",
			preserveAspectRatio: "none",
			pointermove: (event) => {
				const box = picture.getBoundingClientRect();
				const pointed = ((event.clientX - box.left) / box.width) * chartWidth;
				point(
					points.reduce(
						(best, [time], index) =>
						Math.abs(x(time) - pointed) < Math.abs(x(points[best][0]) - pointed) ? index : best,
						0,
					),
				);
			},
			pointerleave: leave,
			blur: leave,
			keydown: (event) => {
				const steps = { ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: points.length - 1 };
				if (!(event.key in steps)) return;
				event.preventDefault();
				point(steps[event.key]);
			},
		},
		[0.25, 0.5, 0.75].map((share) =>
			svg("line", {
				class: "grid",
				x1: 0,
				x2: chartWidth,
				y1: share * chartHeight,
				y2: share * chartHeight,
			}),
		),
		svg("path", { class: "line", d: line }),
		lone.map(([time, value]) => svg("path.lone", { d: `M${x(time)} ${y(value)}h.01` })),
		cursor,
		spot,
	);
	return el("figure.chart",
		el("figcaption", el("b", t(title)), el("span", write(last[1]))),
		el("div.plot", picture, el("span.high", unspoken, write(top)), el("span.low", unspoken, write(bottom))),
		reading,
		el("details", {
				toggle: (event) =>
					event.target.children[1] ?? event.target.append(valueTable(title, points, write)),
			},
			el("summary", t("asTable")),
		),
	);
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
