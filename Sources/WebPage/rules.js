// The rules: how each is doing, what it has told or would have told, what came near; and why somebody was not told.

function ruleState(rule) {
	const isBroken = rule.mistakes.length > 0;
	if (rule.inForce) return t(isBroken ? "inForceAsBefore" : "inForce");
	return t(isBroken ? "ruleBroken" : rule.enabled ? "notInForce" : "switchedOff");
}

const fates = { __proto__: null, counted: "fateCounted", old: "fateOld", sent: "fateSent", skipped: "fateSkipped" };

const saidAt = (row) => {
	const time = Date.parse(row.at);
	return el("time.faint", { datetime: row.at, title: dateAndTime(time) }, shortTime(time));
};

/** What rules have told, and what they have not, each with its time; with the rule's name where there are several. */
function saidLists(mesh, { firings, nearMisses }, isOfSeveral) {
	const name = (row) => isOfSeveral && [el("b", bdi(row.rule)), ": "];
	const fate = (row) => {
		const words = fates[row.fate] && [t(fates[row.fate]), row.reason ?? row.delivery].filter(Boolean).join(": ");
		return words && el("span.faint", ` (${words})`);
	};
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

/** Of a text on this channel, a direct one, or a node (null): whether the rule listens to it at all. */
function listens(mesh, rule, row) {
	if (!rule.inForce) return false;
	const ofGateway = ["radio-lost", "radio-back", "storage-failing", "problem", "gateway-started", "at"];
	if (!row) return !ofGateway.includes(rule.type);
	if (row.channel < 0) return rule.type === "direct-message";
	const [, names] = /^message on (.+)$/.exec(rule.settings.find(({ key }) => key === "when")?.value ?? "") ?? [];
	const name = mesh.conversations.get(`channel:${row.channel}`)?.name?.toLowerCase();
	const isNamed = (one) => one === String(row.channel) || one.toLowerCase() === name;
	if (rule.type === "message") return !names || names.split(names.includes(",") ? /\s*,\s*/ : /\s+/).some(isNamed);
	return rule.type === "mention";
}

/** What to type to be told of such a thing. */
function lineFor(row, nodeId) {
	if (!row) return `sudo mesh-gateway rule add silent --node '${nodeId}'`;
	if (row.channel < 0) return "sudo mesh-gateway rule add direct-message";
	const file = `/etc/mesh-gateway/rules.d/channel-${row.channel}.conf`;
	const line = `echo 'when = message on ${row.channel}' | sudo tee ${file}`;
	return `${line} && sudo systemctl reload mesh-gateway`;
}

/** @param subject a row of messages, or a node's id */
offers.whyNot = (mesh, path, subject) => {
	const row = typeof subject === "string" ? null : subject;
	dialog(
		t("whyNot"),
		later(async () => {
			const [said, { rules }] = await Promise.all([get(mesh, `${path}/rules`), ask("api/v1/rules")]);
			const found = rules.filter((rule) => listens(mesh, rule, row));
			const isSilent = !said.firings.length && !said.nearMisses.length;
			return [
				found.length
				? el("p", t("theyListen"), " ", found.map(({ name }, at) => [at ? ", " : "", ruleLink(mesh, name)]))
				: [
					el("p", t(!row ? "noneForNode" : row.channel < 0 ? "noneForDirect" : "noneForChannel")),
					copyable(lineFor(row, subject)),
				],
				(found.length || !isSilent) && [el("p", t("whyNotLong")), saidLists(mesh, said, true)],
			];
		}),
	);
};

/** One rule: a line that opens. What somebody asked for below it stays when the rest is drawn again. */
function ruleRow(mesh, name) {
	const [head, about, shown] = [el("summary"), el("div"), el("div")];
	const path = `api/v1/rules/${encoded(name)}`;
	const show = (key, work) =>
		el("button", { label: `${t(key)}: ${name}`, click: () => put(shown, later(work)) }, t(key));
	return {
		element: el("details.card.rule", { "data-id": name }, head, about, shown),
		draw(rule) {
			const isBroken = rule.mistakes.length > 0;
			const names = (rule.states ?? []).map((one) => one.name);
			const more = rule.open - names.length;
			const last = Date.parse(rule.lastFiredAt ?? "");
			renew(
				head,
				el("h2", bdi(name)),
				" ",
				el(isBroken ? "span.bad" : "span.faint", ruleState(rule)),
				rule.open > 0 &&
				el("p",
					`${t("lastsNow")}: `,
					names.map((one, at) => [at ? ", " : "", bdi(one)]),
					more > 0 && ` ${names.length ? t("andMore", { n: more }) : number(more)}`,
				),
				rule.mistakes.map((one) => el("p.bad", bdi(`${one.file}:${one.line ?? ""} ${one.message}`))),
			);
			renew(
				about,
				el("pre.code", rule.settings.map(({ key, value }) => `${key} = ${value}`).join("\n")),
				factList([
					["firedLast", rule.lastFiredAt ? dateAndTime(last) : t("never")],
					rule.acts && ["actsOfDay", t("actsCounted", { sent: rule.acts.sent, skipped: rule.acts.skipped })],
				]),
				el("div.row.wrap",
					!lackOf("told") &&
					el("a.button", { href: `${linkTo(mesh, "told")}?rule=${encoded(name)}` }, t("hasTold")),
					show("ruleLog", async () => saidLists(mesh, await ask(`${path}/log`))),
					!isBroken &&
					show("testRule", async () => {
						const test = await ask(`${path}/test`);
						const since = test.since ? dateAndTime(Date.parse(test.since)) : t("never");
						const words = `${t("wouldHaveFired", { n: test.count, since })} ${test.reach}`;
						return [el("p", words), saidLists(mesh, test)];
					}),
				),
			);
		},
	};
}

/** What is broken stands first, then what lasts. */
const rankOf = (rule) => (rule.mistakes.length ? 0 : rule.open > 0 ? 1 : 2);

viewMakers.rules = ({ mesh, query }) => {
	const [wrong, air, list] = [el("div"), el("div"), el("div")];
	const rows = new Map();
	let meant = query.get("rule");
	const rowOf = (name) => {
		if (!rows.has(name)) rows.set(name, ruleRow(mesh, name));
		return rows.get(name);
	};
	const asked = followed(el("div", wrong, air, list), async () => {
		const { rules, mistakes, airtime } = await ask("api/v1/rules");
		const acting = rules.some((rule) => rule.acts);
		renew(air, acting && el("p.faint", t("rulesSent", { seconds: number(Math.round(airtime / 100) / 10) })));
		renew(wrong, mistakes.map((one) => el("p.bad", bdi(`${one.file}: ${one.message}`))));
		const order = rules.toSorted((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name));
		for (const rule of order) rowOf(rule.name).draw(rule);
		if (order.length) syncChildren(list, order.map(({ name }) => rowOf(name).element));
		else renew(list, el("p.faint", t("noRules")));
		// By a link to one.
		if (meant && rows.has(meant)) {
			const { element } = rowOf(meant);
			element.open = true;
			setTimeout(() => element.scrollIntoView({ block: "nearest" }));
		}
		meant = null;
	});
	return {
		...asked,
		title: toldTitle("rules"),
		node: toldPage(
			mesh,
			"rules",
			el("p", t("rulesLong")),
			copyable("sudo mesh-gateway rule add battery"),
			asked.box,
		),
	};
};
