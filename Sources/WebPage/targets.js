// Where notifications go beside the bell: how each target does, and sending one there now.

const targetTest = (target) => {
	if (!target.test) return "";
	const { state, error } = target.test;
	if (state === "failed") return t("testFailed", { why: error });
	return t(state === "arrived" ? "testArrived" : "testUnderway");
};

async function testTarget(name) {
	const path = `api/v1/targets/${encoded(name)}/test`;
	let target = (await ask(path, { method: "POST", body: {} })).targets[0];
	// A request takes half a minute at most.
	for (let turn = 0; turn < 40 && target?.test?.state === "underway"; turn += 1) {
		await new Promise((done) => setTimeout(done, 1000));
		target = (await ask("api/v1/targets")).targets.find((one) => one.name === name);
	}
	return target;
}

function targetState(target) {
	if (target.mistakes.length) return t(target.inForce ? "inForceAsBefore" : "ruleBroken");
	if (!target.inForce) return t("notInForce");
	if (!target.failing) return t("inForce");
	const since = Date.parse(target.failingSince ?? "");
	return t("failsSince", { when: dateAndTime(since) });
}

/** One target: how it does. What became of a try stays when the rest is drawn again. */
function targetRow(name) {
	const [about, word] = [el("div"), el("p.faint", { role: "status" })];
	let isTried = false;
	const button = el("button", {
			label: `${t("sendOneNow")}: ${name}`,
			click: async () => {
				button.disabled = isTried = true;
				put(word, t("testUnderway"));
				const now = await attempt(() => testTarget(name));
				button.disabled = isTried = false;
				put(word, now ? bdi(targetTest(now)) : "");
			},
		},
		t("sendOneNow"),
	);
	return {
		element: el("section.card.target", { "data-id": name }, about, word, button),
		draw(target) {
			const isBad = target.failing || target.mistakes.length > 0;
			const summary = Date.parse(target.summaryAt ?? "");
			renew(
				about,
				el("h2", bdi(name)),
				el("p.faint", bdi(`${target.kind ?? ""} ${target.url ?? ""}`)),
				factList([
					["brokerState", el(isBad ? "span.bad" : "span", targetState(target))],
					["brokerReason", target.failing && target.error && bdi(target.error)],
					["waiting", number(target.waiting)],
					["heldByQuiet", number(target.held ?? 0)],
					["summaryAt", target.summaryAt && dateAndTime(summary)],
					["lastArrival", target.succeededAt ? dateAndTime(Date.parse(target.succeededAt)) : t("never")],
					["fallback", target.fallback && bdi(target.fallback)],
				]),
				target.mistakes.map((one) => el("p.bad", bdi(`${one.file}:${one.line ?? ""} ${one.message}`))),
			);
			if (!isTried) put(word, bdi(targetTest(target)));
			button.hidden = !target.inForce || !may("configuration:write");
		},
	};
}

viewMakers.targets = ({ mesh }) => {
	const [wrong, list] = [el("div"), el("div")];
	const rows = new Map();
	const rowOf = (name) => {
		if (!rows.has(name)) rows.set(name, targetRow(name));
		return rows.get(name);
	};
	const none = [el("p", t("noTargets")), copyable("sudo mesh-gateway target add phone ntfy")];
	const asked = followed(el("div", wrong, list), async () => {
		const { targets, mistakes, obstacle } = await ask("api/v1/targets");
		renew(
			wrong,
			targets.length > 0 && obstacle && el("p.bad", bdi(obstacle)),
			mistakes.map((one) => el("p.bad", bdi(`${one.file}: ${one.message}`))),
		);
		const isBad = (one) => one.failing || one.mistakes.length > 0;
		const order = targets.toSorted((a, b) => isBad(b) - isBad(a) || a.name.localeCompare(b.name));
		for (const target of order) rowOf(target.name).draw(target);
		syncChildren(list, order.length ? order.map(({ name }) => rowOf(name).element) : none);
	});
	return {
		...asked,
		title: toldTitle("targets"),
		node: toldPage(mesh, "targets", el("p", t("targetsLong")), asked.box),
	};
};
