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

	/** Somebody has read a chat: what was told of its texts is read, too. */
	read(mesh, conversation) {
		const start = `${linkTo(meshOf(mesh, conversation), "c", conversation)}?`;
		const rows = this.unread.filter((row) => targetOf(row)?.startsWith(start));
		if (rows.length) this.acknowledge(rows).then(() => views.hear("notification", {}), () => {});
	},

	async acknowledge(rows) {
		await ask("api/v1/notifications/ack", { method: "POST", body: { ids: rows.map((row) => row.id) } });
		// They may have been asked for again since these were shown.
		for (const { id } of rows)
			if (this.rows.has(id)) this.rows.get(id).acknowledged = true;
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
const targetOf = (row) => (aboutOf(row).link?.startsWith("#/") ? aboutOf(row).link : null);

/** What a row says for programs; nothing where it cannot be read. */
function aboutOf(row) {
	try {
		return JSON.parse(row.payload_json) ?? {};
	} catch {
		return {};
	}
}
