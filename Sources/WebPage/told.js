// Notifications: what rules have told, the rules, and where it goes. Each is a view with an address of its own.

/** The views, with what they are called. */
const toldPlaces = { told: "hasTold", rules: "rules", targets: "whereTo" };

const toldTitle = (kind) => (kind === "told" ? t("told") : `${t("told")}: ${t(toldPlaces[kind])}`);

function toldPage(mesh, kind, ...content) {
	const places = Object.entries(toldPlaces).filter(([one]) => !lackOf(one));
	return page(
		toldTitle(kind),
		linkTo(mesh, "more"),
		el("nav.segments", { label: t("told") },
			places.map(([one, word]) =>
				el("a.button", { href: linkTo(mesh, one), "aria-current": one === kind ? "page" : null }, t(word)),
			),
		),
		content,
	);
}

/**
 * What is asked for again while it is open and seen: every 10 s, and when something was told, or a problem has begun or
 * is over.
 * @param load fills the node
 */
function followed(node, load) {
	const box = later(async () => {
		await load();
		return node;
	});
	const again = async () => {
		if (document.hidden || live.state === "offline") return;
		if (!box.contains(node)) return box.again();
		try {
			await load();
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			if (error.status > 0) box.again();
		}
	};
	const soon = debounced(again, 300);
	const timer = setInterval(again, 10000);
	return {
		box,
		again: box.again,
		hear: (kind) => ["notification", "problem", "solved", "minute"].includes(kind) && soon(),
		leave: () => clearInterval(timer),
	};
}

const ruleLink = (mesh, name) =>
	lackOf("rules") ? bdi(name) : el("a", { href: `${linkTo(mesh, "rules")}?rule=${encoded(name)}` }, bdi(name));

function toldRow(mesh, row) {
	const target = targetOf(row);
	const { rule } = aboutOf(row);
	const time = Date.parse(row.created_at);
	const read = () => attempt(() => bell.acknowledge([row])).then(() => views.hear("notification", {}));
	return el(`li.told${row.acknowledged ? "" : ".new"}`,
		el("div.row.spread",
			el("b",
				target
				? el("a", { href: target, click: () => !row.acknowledged && read() }, bdi(row.title))
				: bdi(row.title),
			),
			el("time.faint", { datetime: row.created_at, title: dateAndTime(time) }, shortTime(time)),
		),
		row.body && el("p", bdi(row.body)),
		el("div.row.spread",
			el("span.faint", rule && [t("byRule"), " ", ruleLink(mesh, rule)]),
			!row.acknowledged &&
			el("button.plain", { label: `${t("markRead")}: ${inSentence(row.title)}`, click: read }, t("markRead")),
		),
	);
}

/** Nothing was told: which rules would tell something, or what to type for some. */
const nothingTold = (mesh, rules) =>
	rules?.length
	? [
		el("p", t("nothingTold")),
		el("p", t("rulesInForce"), " ", rules.map(({ name }, index) => [index ? ", " : "", ruleLink(mesh, name)])),
	]
	: [
		el("p", t("nothingTold"), " ", t("rulesTell")),
		el("p", t("tellHealth")),
		copyable("sudo mesh-gateway rule add health"),
		el("p", t("tellTexts")),
		copyable("sudo mesh-gateway rule add direct-message"),
	];

viewMakers.told = ({ mesh, query }) => {
	let isAll = false;
	let rules = null;
	const state = { rule: query.get("rule") ?? "" };
	const list = el("div");
	const choice = el("select", {
		label: t("byRuleOnly"),
		change: () => {
			state.rule = choice.value;
			past.note(mesh, "told", state);
			show();
		},
	});
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
		const all = [...bell.rows.values()].sort((a, b) => b.event_id - a.event_id);
		const rows = all.filter((row) => !state.rule || aboutOf(row).rule === state.rule);
		const names = new Set([state.rule, ...all.map((row) => aboutOf(row).rule)].filter(Boolean));
		choice.hidden = !names.size;
		put(
			choice,
			["", ...[...names].sort()].map((name) => el("option", { value: name }, name || t("allRules"))),
		);
		choice.value = state.rule;
		markAll.hidden = !bell.unread.length;
		older.hidden = isAll;
		renew(
			list,
			rows.length
			? el("ul", rows.map((row) => toldRow(mesh, row)))
			: state.rule
			? el("p", t("nothingToldBy", { name: state.rule }))
			: nothingTold(mesh, rules),
		);
	};
	const box = later(async () => {
		const asked = may("configuration:read") ? ask("api/v1/rules").catch(() => null) : null;
		await bell.load();
		rules = (await asked)?.rules.filter((rule) => rule.inForce);
		show();
		return [el("div.row.wrap", choice, markAll), list, older];
	});
	return {
		title: t("told"),
		node: toldPage(mesh, "told", box),
		again: box.again,
		hear: (kind) => kind === "notification" && show(),
	};
};
