// The rules: how each is doing, what it has told or would have told, what came near; and why somebody was not told.

function ruleState(rule) {
	const isBroken = rule.mistakes.length > 0;
	if (rule.inForce) return t(isBroken ? "inForceAsBefore" : "inForce");
	return t(isBroken ? "ruleBroken" : rule.enabled ? "notInForce" : "switchedOff");
}

const fates = { __proto__: null, counted: "fateCounted", old: "fateOld" };

const saidAt = (row) => {
	const time = Date.parse(row.at);
	return el("time.faint", { datetime: row.at, title: dateAndTime(time) }, shortTime(time));
};

/** What rules have told, and what they have not, each with its time; with the rule's name where there are several. */
function saidLists(mesh, { firings, nearMisses }, isOfSeveral) {
	const name = (row) => isOfSeveral && [el("b", bdi(row.rule)), ": "];
	const fate = (row) => fates[row.fate] && el("span.faint", ` (${t(fates[row.fate])})`);
	return [
		el("h3", t("hasTold")),
		firings.length
		? el("ul.firings", firings.map((row) => el("li", saidAt(row), " ", name(row), bdi(row.title), fate(row))))
		: el("p.faint", t("nothing")),
		el("h3", t("nearMisses")),
		nearMisses.length
		? el("ul.misses",
			nearMisses.map((row) =>
				el("li",
					saidAt(row),
					" ",
					name(row),
					row.nodeId && [bdi(mesh.longName(row.nodeId)), ": "],
					bdi(row.condition),
				),
			),
		)
		: el("p.faint", t("nothing")),
	];
}

offers.whyNot = (mesh, path) =>
	dialog(
		t("whyNot"),
		el("p", t("whyNotLong")),
		later(async () => saidLists(mesh, await get(mesh, `${path}/rules`), true)),
	);

function ruleCard(mesh, rule) {
	const shown = el("div");
	const path = `api/v1/rules/${encoded(rule.name)}`;
	const show = (key, work) =>
		el("button", { label: `${t(key)}: ${rule.name}`, click: () => put(shown, later(work)) }, t(key));
	return el("section.card.rule",
		el("h2", bdi(rule.name)),
		el("pre.code", rule.settings.map(({ key, value }) => `${key} = ${value}`).join("\n")),
		factList([
			["brokerState", ruleState(rule)],
			["lastsNow", rule.open > 0 && number(rule.open)],
			["firedLast", rule.lastFiredAt ? dateAndTime(Date.parse(rule.lastFiredAt)) : t("never")],
		]),
		rule.mistakes.map((one) => el("p.bad", bdi(`${one.file}:${one.line ?? ""} ${one.message}`))),
		el("div.row.wrap",
			show("ruleLog", async () => saidLists(mesh, await ask(`${path}/log`))),
			!rule.mistakes.length &&
			show("testRule", async () => {
				const test = await ask(`${path}/test`);
				const since = test.since ? dateAndTime(Date.parse(test.since)) : t("never");
				const words = `${t("wouldHaveFired", { n: test.count, since })} ${test.reach}`;
				return [el("p", words), saidLists(mesh, test)];
			}),
		),
		shown,
	);
}

viewMakers.rules = ({ mesh }) => {
	const box = later(async () => {
		const { rules, mistakes } = await ask("api/v1/rules");
		return [
			mistakes.map((one) => el("p.bad", bdi(`${one.file}: ${one.message}`))),
			rules.length ? rules.map((rule) => ruleCard(mesh, rule)) : el("p.faint", t("noRules")),
		];
	});
	return {
		title: t("rules"),
		node: page(
			t("rules"),
			linkTo(mesh, "more"),
			el("p", t("rulesLong")),
			copyable("sudo mesh-gateway rule add battery"),
			box,
		),
		again: box.again,
	};
};
