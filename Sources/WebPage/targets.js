// Where notifications go beside the bell, for tokens that may read the configuration.

const targetTest = (target) => {
	if (!target.test) return target.failing ? target.error : "";
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

function targetRow(target) {
	const word = el("p.faint", { role: "status" }, bdi(targetTest(target)));
	const button = el("button.plain", {
			label: `${t("sendOneNow")}: ${target.name}`,
			click: async () => {
				button.disabled = true;
				put(word, t("testUnderway"));
				const now = await attempt(() => testTarget(target.name));
				button.disabled = false;
				put(word, now ? bdi(targetTest(now)) : "");
			},
		},
		t("sendOneNow"),
	);
	return el("li",
		el("b", target.name),
		el("p.faint", bdi(`${target.kind ?? ""} ${target.url ?? ""}`)),
		word,
		target.inForce && may("configuration:write") && button,
	);
}

/** Nothing at all without targets. */
const targetsCard = async () => {
	if (!may("configuration:read")) return null;
	const { targets } = await ask("api/v1/targets");
	return targets.length ? el("section.card", el("h2", t("targets")), el("ul", targets.map(targetRow))) : null;
};
