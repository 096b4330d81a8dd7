// The change itself: written, restarting, read back; what the radio has not taken; and what comes after it.

/** A line for each step, which is ticked. */
function stepLines(...words) {
	const lines = words.map((word) => el("li", el("span.sign", unspoken, "·"), t(word)));
	let current = 0;
	const mark = (place, look, sign) => {
		lines[place].className = look;
		lines[place].firstChild.textContent = sign;
	};
	return {
		node: el("ol.steps", lines),
		begin(place) {
			current = place;
			mark(place, "now", "…");
		},
		tick(place) {
			mark(place, "good", "✓");
			announce(t(words[place]));
		},
		fail: () => mark(current, "bad", "✗"),
	};
}

async function setUp(work) {
	const { course, fields, form, after } = work;
	const steps = stepLines("stepWritten", "stepRestarted", "stepRead");
	const trouble = el("div", { role: "alert" });
	fields.disabled = true;
	put(after, steps.node, trouble);
	const failed = (error) => fail(reasons(error), writeOrShow);
	/** What somebody else has changed meanwhile is shown before it is written over. */
	const writeOrShow = async () => {
		const seen = course.radio.values;
		course.radio = await readSettings(work.mesh);
		const { values } = course.radio;
		const others = wishesOf(course.radio, work.answers).filter(([path]) => values.get(path) !== seen.get(path));
		if (!others.length) return setUp(work);
		fail(others.map(([path]) => el("p.bad", hasInstead(path, values.get(path)))), () => setUp(work));
	};
	/** @param retry what "Try this again" does */
	const fail = (words, retry) => {
		if (course.isOver) return;
		steps.fail();
		// The buttons go first: nothing is tried twice at once.
		const again = () => {
			put(trouble);
			return retry().catch(failed);
		};
		const back = async () => {
			put(trouble, el("p.faint", t("loading")));
			// Some of it may have been written.
			course.radio = await readSettings(work.mesh).catch(() => course.radio);
			fields.disabled = false;
			put(after, setupButtons(work.mesh));
		};
		put(
			trouble,
			words,
			el("div.row.wrap",
				el("button.main", { click: again }, t("tryThisAgain")),
				el("button", { click: back }, t("changeAnswers")),
			),
		);
		if (!form.contains(focused())) find("button", trouble).focus();
	};
	try {
		await takeSteps(work, steps, fail);
	} catch (error) {
		failed(error);
	}
}

async function takeSteps(work, steps, fail) {
	const { answers, course, form } = work;
	const { radio } = course;
	const before = new Set(session.meshes.keys());
	const body = bodyOf(radio, answers);
	let answer = null;
	course.hasLeft = false;
	steps.begin(0);
	try {
		const request = { method: "PATCH", body, patience: 60000 };
		answer = (await ask(sourcePath(work.mesh, "radio/settings"), request)).data;
		steps.tick(0);
	} catch (error) {
		// Whether it was written, the radio says.
		if (![0, 504].includes(error.status)) throw error;
	}
	const goOn = async () => {
		steps.begin(1);
		if (answer?.restarts !== false) {
			const now = await whenBack(work.mesh, before, course);
			if (!now) return fail(el("p.bad", t("staysAway")), goOn);
			work.mesh = now;
		}
		if (course.isOver) return;
		steps.tick(1);
		steps.begin(2);
		const still = await stillToChange(work.mesh, body);
		const lacking = lackingOf(still, answers);
		if (lacking.length) {
			const values = new Map([...radio.values, ...still.changes.map((row) => [row.path, row.old])]);
			course.radio = { ...radio, values };
			return fail(lacking.map((words) => el("p.bad", words)), () => setUp(work));
		}
		if (!answer) steps.tick(0);
		steps.tick(2);
		await loadMeshes();
		refreshConversations();
		if (course.isOver) return;
		form.replaceWith(...present(setUpCards(work.mesh, steps, answers.whom)));
		find("main h2").focus();
	};
	await goOn();
}

/** The mesh of the radio when it is back; null: it has not come back within a minute. */
async function whenBack(mesh, before, course) {
	const began = Date.now();
	while (Date.now() - began < restartPatience && !course.isOver) {
		await pauseOf(1000);
		try {
			await loadMeshes();
			showConnection();
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			continue;
		}
		// With its first region a radio may be another source, too.
		const now = session.meshes.get(mesh.id) ?? [...session.meshes.values()].find((one) => !before.has(one.id));
		if (!now) continue;
		course.hasLeft ||= isAway(now);
		// It may have restarted between two looks, or has no reason to.
		const isDue = course.hasLeft || Date.now() - began > 25000;
		if (now.isReady && isDue) return goOnWith(mesh, now);
	}
	return null;
}

/** The page goes on with the source that the radio is now. */
function goOnWith(mesh, now) {
	if (now.id !== mesh.id && views.address.mesh === mesh) {
		history.replaceState(history.state, "", linkTo(now, "setup"));
		views.address = views.parse();
		views.current.mesh = now;
		showPlaces();
	}
	return now;
}

/** What would still be changed: the radio has not taken it. One that is just back may be busy. */
async function stillToChange(mesh, body) {
	const changes = body.changes.map(({ path, value }) => ({ path, value }));
	const preview = { method: "PATCH", body: { ...body, changes, preview: true }, patience: 60000 };
	for (let turn = 1;; turn += 1) {
		try {
			return (await ask(sourcePath(mesh, "radio/settings"), preview)).data;
		} catch (error) {
			if (turn === 5 || ![0, 409, 503, 504].includes(error.status)) throw error;
			await pauseOf(2000);
		}
	}
}

/** @param what the path of a setting, or how else it is called */
const hasInstead = (what, value) =>
	t("hasInstead", { what: texts[`set_${what.replaceAll(".", "_")}`] ?? what, value: String(value ?? "?") });

/** A sentence for each thing that the radio has not taken. */
function lackingOf({ changes, channels }, { whom }) {
	const hasOwnName = (row) => whom === "group" && row.old?.name === row.new?.name;
	// The preview would make one more new key: a key of the radio's own is the one that was made.
	const differs = (row) => row.change !== "none" && !(hasOwnName(row) && row.old.key === "own");
	return [
		...changes
		.filter((row) => row.isChange)
		.map(({ path, old }) => hasInstead(path, old)),
		...channels
		.filter(differs)
		.map((row) =>
			hasOwnName(row)
			? t("noOwnKey", { n: row.index })
			: hasInstead(t("channelN", { n: row.index }), row.old?.name),
		),
	];
}

// MARK: what comes after it

/** @param steps those that have been counted, of whoever has just set it up */
function setUpCards(mesh, steps, whom) {
	return [
		el("section.card",
			steps?.node,
			el("h2", { tabindex: "-1" }, t("isSetUp")),
			el("p", el("a.button.main", { href: linkTo(mesh, "c", "channel:0") }, icon("chats"), t("toTheChat"))),
		),
		whom === "group" &&
		el("section.card",
			el("h2", t("groupCode")),
			el("p", t("groupCodeLong")),
			later(async () => {
				const [{ channelUrl }, picture] = await Promise.all([
					get(mesh, "self"),
					ask(sourcePath(mesh, "channels.svg"), { as: "text" }),
				]);
				return [codeImage(picture, t("groupCode")), copyable(channelUrl, t("link"))];
			}),
		),
		mayAddPhones() && el("section.card", el("h2", t("addPhone")), phoneForm()),
	];
}
