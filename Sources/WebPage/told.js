// What rules have told, newest first.

/** The address of what a row is about, as far as it says so. */
function targetOf(row) {
	try {
		const { link } = JSON.parse(row.payload_json);
		return link?.startsWith("#/") ? link : null;
	} catch {
		return null;
	}
}

function toldRow(row) {
	const target = targetOf(row);
	const time = Date.parse(row.created_at);
	return el(`li.told${row.acknowledged ? "" : ".new"}`,
		el("div.row.spread",
			el("b", target ? el("a", { href: target }, bdi(row.title)) : bdi(row.title)),
			el("time.faint", { datetime: row.created_at, title: dateAndTime(time) }, shortTime(time)),
		),
		row.body && el("p", bdi(row.body)),
		!row.acknowledged &&
		el("button.plain", {
				label: `${t("markRead")}: ${inSentence(row.title)}`,
				click: () => attempt(() => bell.acknowledge([row])).then(() => views.hear("notification", {})),
			},
			t("markRead"),
		),
	);
}

/** Nothing was told: what to type for it. */
const nothingTold = () => [
	el("p", t("nothingTold")),
	el("p", t("tellHealth")),
	copyable("sudo mesh-gateway rule add health"),
	el("p", t("tellTexts")),
	copyable("sudo mesh-gateway rule add direct-message"),
];

viewMakers.told = ({ mesh }) => {
	let isAll = false;
	const list = el("div");
	const markAll = el("button", {
			click: () => attempt(() => bell.acknowledge(bell.unread)).then(() => show()),
		},
		t("markAllRead"),
	);
	const older = el("button", {
			click: () =>
				attempt(async () => {
					await bell.load(new Date(Date.now() - 3650 * 864e5).toISOString());
					isAll = true;
					show();
				}),
		},
		t("showOlder"),
	);
	const show = () => {
		const rows = [...bell.rows.values()].sort((a, b) => b.event_id - a.event_id);
		markAll.hidden = !bell.unread.length;
		older.hidden = isAll;
		put(list, rows.length ? el("ul", rows.map(toldRow)) : nothingTold());
	};
	const box = later(async () => {
		await bell.load();
		show();
		return [markAll, list, older, await targetsCard().catch(() => null)];
	});
	return {
		title: t("told"),
		node: page(t("told"), linkTo(mesh, "more"), box),
		again: box.again,
		hear: (kind) => kind === "notification" && show(),
	};
};
