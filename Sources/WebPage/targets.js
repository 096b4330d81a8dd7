// Where notifications go beside the bell: how each target does, and sending one there now.

const targetTest = (target) => {
	if (!target.test) return "";
	const { state, error } = target.test;
	if (state === "failed") return t("testFailed", { why: error });
	return t(state === "arrived" ? "testArrived" : "testUnderway");
};

/** Asks what has become of a test until it is over: a request takes half a minute at most. */
async function tested(row, again) {
	for (let turn = 0; turn < 40 && row?.test?.state === "underway"; turn += 1) {
		await pauseOf(1000);
		row = await again();
	}
	return row;
}

async function testTarget(name) {
	const path = `api/v1/targets/${encoded(name)}/test`;
	const { targets } = await ask(path, { method: "POST", body: {} });
	return tested(targets[0], async () =>
		(await ask("api/v1/targets")).targets.find((one) => one.name === name), );
}

/** A button that sends one now, and what became of it, which stays when the rest is drawn again. */
function trialOf(send, label) {
	const word = el("p.faint", { role: "status" });
	let isTried = false;
	const button = el("button", {
			label,
			click: async () => {
				button.disabled = isTried = true;
				put(word, t("testUnderway"));
				const now = await attempt(send);
				button.disabled = isTried = false;
				put(word, now ? bdi(targetTest(now)) : "");
			},
		},
		t("sendOneNow"),
	);
	return { word, button, draw: (row) => !isTried && put(word, bdi(targetTest(row))) };
}

function targetState(target) {
	if (target.mistakes.length) return t(target.inForce ? "inForceAsBefore" : "ruleBroken");
	if (!target.inForce) return t("notInForce");
	if (!target.failing) return t("inForce");
	const since = Date.parse(target.failingSince ?? "");
	return t("failsSince", { when: dateAndTime(since) });
}

/** One target: how it does. */
function targetRow(name) {
	const about = el("div");
	const { word, button, draw } = trialOf(() => testTarget(name), `${t("sendOneNow")}: ${name}`);
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
			draw(target);
			button.hidden = !target.inForce || !may("configuration:write");
		},
	};
}

/** Targets are files on the box. */
function targetsPart() {
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
	return { ...asked, node: [el("p", t("targetsLong")), asked.box] };
}

/** Browsers and apps register by themselves. */
function pushesPart(mesh) {
	const node = el("div");
	let draw;
	const asked = followed(node, async () => {
		draw ??= (await annexes.offer("push", "pushes"))(mesh, node);
		await draw();
	});
	return { ...asked, node: asked.box };
}

Object.assign(offers, { trial: trialOf, tested, ruleLink });

viewMakers.targets = ({ mesh }) => {
	const parts = [
		may("notifications:read") && pushesPart(mesh),
		may("configuration:read") && targetsPart(),
	].filter(Boolean);
	return {
		title: toldTitle("targets"),
		node: toldPage(mesh, "targets", ...parts.flatMap(({ node }) => node)),
		again: () => parts.forEach((part) => part.again()),
		hear: (kind) => parts.forEach((part) => part.hear(kind)),
		leave: () => parts.forEach((part) => part.leave()),
	};
};
