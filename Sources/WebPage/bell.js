// The bell: what rules have told. Unread is what this token has not acknowledged.

const bell = {
	/** By their ids, oldest first. */
	rows: new Map(),
	/** This token has a feed. */
	isOpen: false,

	forget() {
		this.rows = new Map();
		this.isOpen = false;
		find("#top .bell")?.remove();
	},

	/** What is behind a place: without one, the last day. */
	async load(place = "") {
		for (let turn = 0; turn < 50; turn += 1) {
			const { notifications } = await ask(`api/v1/notifications?limit=200&after=${encoded(place)}`);
			this.isOpen = true;
			for (const row of notifications) this.rows.set(row.id, row);
			if (notifications.length < 200) break;
			place = notifications.at(-1).id;
		}
		showBell();
	},

	hear(row) {
		this.rows.set(row.id, row);
		showBell();
		announce(row.title);
	},

	get unread() {
		return [...this.rows.values()].filter((row) => !row.acknowledged);
	},

	async acknowledge(rows) {
		await ask("api/v1/notifications/ack", { method: "POST", body: { ids: rows.map((row) => row.id) } });
		for (const row of rows) row.acknowledged = true;
		showBell();
	},
};

/** A token without the scope has no bell. */
const ringBell = debounced(() => {
	if (session.token && may("notifications:read"))
		bell
		.load()
		.then(() => views.hear("notification", {}))
		.catch(() => {});
}, 200);

function showBell() {
	const top = find("#top");
	if (!bell.isOpen || !top.firstChild || !views.address?.mesh) return;
	if (!find(".bell", top))
		top.append(el("a.bell", icon("bell"), el("span.out", t("told")), el("span.count", { hidden: true })));
	const link = find(".bell", top);
	link.href = linkTo(views.address.mesh, "told");
	const n = bell.unread.length;
	const count = find(".count", link);
	count.hidden = n === 0;
	put(count, n > 99 ? "99+" : String(n), el("span.out", ` ${t("unread")}`));
}

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
