// Setting up a radio as it came from the shop: one screen, one change, one restart.
//
// 1. The person answers where it is, what it is called and whom they talk to. What is settled already is not asked.
// 2. One PATCH writes it. The radio restarts by itself some seconds later, and firmware 2.8 has another number then.
// 3. The page reads the settings again. Only what they say counts: an answer may be lost, and radios keep old values.

/** How long a radio may take to restart. */
const restartPatience = 60000;

viewMakers.setup = ({ mesh }) => {
	const course = { radio: null, isOver: false, hasLeft: false };
	const waiting = el("p");
	let isWaiting = false;
	const box = later(async () => {
		await mesh.loadStatus();
		isWaiting = !mesh.isReady;
		// What is open is not known of a radio that is away.
		if (isWaiting) return put(waiting, mesh.absence ?? t("connecting")), el("section.card", waiting);
		if (!mesh.status.setup?.length) return setUpCards(mesh);
		course.radio = await readSettings(mesh);
		return setupForm(mesh, course);
	});
	return {
		title: t("setup"),
		node: page(t("setup"), linkTo(mesh, ""), box),
		hear(kind) {
			if (kind !== "status") return;
			course.hasLeft ||= isAway(mesh);
			if (!isWaiting) return;
			put(waiting, mesh.absence ?? t("connecting"));
			isWaiting = !mesh.isReady;
			if (!isWaiting) box.again();
		},
		leave() {
			course.isOver = true;
		},
	};
};

const isAway = ({ status }) => status.connected === false || status.link?.restarting === true;

/** What the radio has now. Without the right to read its settings: what its status says. */
async function readSettings(mesh) {
	if (!may("configuration:read")) {
		const { longName, shortName, setup } = mesh.status;
		const names = [
			["owner.long_name", longName],
			["owner.short_name", shortName],
		];
		const region = setup.includes("region") ? "UNSET" : null;
		return { regions: null, values: new Map([...names, ["lora.region", region]]) };
	}
	const read = async (section) =>
		(await ask(sourcePath(mesh, `radio/settings?section=${section}`), { patience: 30000 })).data;
	const [lora, owner] = await Promise.all(["lora", "owner"].map(read));
	const rows = [...lora.settings, ...owner.settings];
	const values = new Map(rows.map((row) => [row.path, row.value]));
	return { firmware: lora.firmware, regions: lora.regions, values };
}

/** The name that a radio has from the factory: it ends with four digits of its number. */
const factoryName = /^Meshtastic [0-9a-f]{4}$/i;

/** From 2.8 on a radio keeps 24 bytes of its name. */
const isBefore28 = (firmware) => /^(1\.|2\.[0-7]\.)/.test(firmware ?? "");

// MARK: the questions

/** @param course the radio's settings as last read, whether it has gone to restart, and whether the view is closed */
function setupForm(mesh, course) {
	const { radio } = course;
	const where = radio.values.get("lora.region") === "UNSET" ? whereQuestion(radio.regions) : null;
	const name = nameQuestion(radio);
	const whom = where && whomQuestion(mesh, where);
	const answers = () => ({ region: where?.region, ...name.answer, ...whom?.answer });
	const mayWrite = may("configuration:write");
	const after = el("div");
	const fields = el("fieldset.all", where?.node, name.node, whom?.node);
	const isTooLong = (field) => field.willValidate && field.validity.customError;
	const drawLines = () =>
		put(after, commandLines(mesh, radio, [...fields.elements].some(isTooLong) ? null : answers()));
	const form = el("form.card.setup", {
			submit: () => mayWrite && setUp({ mesh, answers: answers(), course, fields, form, after }),
			...(!mayWrite && { input: drawLines, change: drawLines }),
		},
		el("p", t(where ? "setupLong" : "setupName")),
		fields,
		after,
	);
	if (mayWrite) put(after, setupButtons(mesh));
	else drawLines();
	return form;
}

const setupButtons = (mesh) =>
	el("div.row.wrap",
		el("button.main", { type: "submit" }, t("setItUp")),
		el("a.button", { href: linkTo(mesh, "") }, t("notNow")),
	);

function nameQuestion({ firmware, values }) {
	const [long, short] = [values.get("owner.long_name"), values.get("owner.short_name")];
	const isNew = factoryName.test(long);
	const longName = el("input", { id: "long-name", required: true, autocomplete: "off", value: isNew ? "" : long });
	const shortName = el("input", { id: "short-name", required: true, autocomplete: "off", value: isNew ? "" : short });
	const counts = [limited(longName, isBefore28(firmware) ? 39 : 24), limited(shortName, 4)];
	let isShortOwn = !isNew;
	on(shortName, "input", () => {
		isShortOwn = shortName.value !== "";
	});
	on(longName, "input", () => {
		if (isShortOwn) return;
		shortName.value = beginningOf(longName.value);
		counts[1].draw();
	});
	return {
		node: el("fieldset",
			el("legend", el("h2", t("whatIsItCalled"))),
			el("p.faint", t("everybodyReads")),
			labelled("set_owner_long_name", longName),
			counts[0],
			labelled("set_owner_short_name", shortName),
			counts[1],
		),
		get answer() {
			return { longName: longName.value.trim(), shortName: shortName.value.trim() };
		},
	};
}

/** As much of a name as fits into four bytes. */
function beginningOf(name) {
	let short = "";
	for (const letter of name.replace(/\s/g, "")) {
		if (bytesOf(short + letter) > 4) break;
		short += letter;
	}
	return short;
}

function whomQuestion(mesh, where) {
	const link = el("textarea", { id: "channel-link", rows: "2", autocomplete: "off", input: () => look() });
	const group = el("input", { id: "group-name", autocomplete: "off" });
	const bytes = limited(group, 11);
	const found = el("p.faint", { role: "status" });
	/** What the link would change. */
	let preview = null;
	const parts = {
		everybody: [],
		link: [labelled("givenLink", link), found],
		group: [labelled("groupName", group), bytes],
	};
	const bodies = Object.fromEntries(
		Object.entries(parts).map(([way, part]) => [way, el("div", { hidden: true }, part)]),
	);
	const chosen = () => find("input[name=whom]:checked", node)?.value;

	function choose() {
		const way = chosen();
		for (const [one, body] of Object.entries(bodies)) body.hidden = one !== way;
		link.required = way === "link";
		group.required = way === "group";
		// A hidden field must not keep the form from being sent.
		for (const [one, field] of [
				["link", link],
				["group", group]
			]) field.disabled = one !== way;
		followLink();
	}

	const regionOfLink = () => preview?.changes.find((row) => row.path === "lora.region")?.new ?? null;
	/** A preview may come when another answer is chosen. */
	const followLink = () => where.follow(chosen() === "link" ? regionOfLink() : null);

	function take(answer, problem = "") {
		preview = answer;
		link.setCustomValidity(problem);
		const names = answer?.channels.filter((row) => row.new).map((row) => row.new.name) ?? [];
		const asks = followLink();
		const words = answer ? [t("linkHas", { names: names.join(", ") }), asks && t("linkAsks")] : [problem];
		found.textContent = words.filter(Boolean).join(" ");
		found.classList.toggle("bad", problem !== "" || asks);
	}

	/** The gateway reads it, as it will when it writes it. */
	const look = debounced(async () => {
		const url = link.value.trim();
		if (!url || !may("configuration:write")) return take(null);
		try {
			const body = { link: { url, replace: true }, preview: true };
			const { data } = await ask(sourcePath(mesh, "radio/settings"), { method: "PATCH", body, patience: 30000 });
			if (link.value.trim() === url) take(data);
		} catch (error) {
			if (link.value.trim() === url) take(null, reasons(error)[0].textContent);
		}
	}, 300);

	const way = (one) => [
		el("label.choice",
			el("input", { type: "radio", name: "whom", value: one, required: true, change: choose }),
			el("span", el("b", t(`whom_${one}`)), ": ", t(`whom_${one}_long`)),
		),
		bodies[one],
	];
	const node = el("fieldset", el("legend", el("h2", t("whomDoYouTalkTo"))), Object.keys(parts).map(way));
	return {
		node,
		get answer() {
			return { whom: chosen(), link: link.value.trim(), group: group.value.trim() };
		},
	};
}

// MARK: what is to be written

/** What the radio does not have yet: [path, value]. */
function wishesOf({ firmware, values }, { region, longName, shortName, whom }) {
	const wishes = [
		["owner.long_name", longName],
		["owner.short_name", shortName],
	];
	if (region) {
		// The radio refuses such a region to those without a licence.
		if (region.licensed) wishes.unshift(["owner.is_licensed", true]);
		wishes.unshift(["lora.region", region.region]);
	}
	// A link has its own preset.
	if (region?.defaultPreset && whom !== "link")
		wishes.push(
			["lora.use_preset", true],
			["lora.modem_preset", region.defaultPreset],
			["lora.channel_num", whom === "group" ? publicSlot(region, firmware) : 0],
		);
	return wishes.filter(([path, value]) => (value === 0 ? values.get(path) > 0 : value && value !== values.get(path)));
}

/**
 * The frequency slot of the public channel, where a region has several; else 0. A radio chooses the slot by the name of
 * its primary channel, and other people's nodes hand on only what is sent in theirs. The name's hash is that of the
 * firmware (RadioInterface.cpp). Regions that begin with another preset than LONG_FAST have one slot that is used.
 */
function publicSlot({ from, to, defaultPreset }, firmware) {
	if (defaultPreset !== "LONG_FAST") return 0;
	const megahertz = from < 2400 ? 0.25 : 0.8125;
	// A hair more, for bands that are a whole number of slots.
	const slots = (isBefore28(firmware) ? Math.floor : Math.round)((to - from) / megahertz + 0.001);
	const hash = [..."LongFast"].reduce((sum, letter) => (Math.imul(sum, 33) + letter.charCodeAt(0)) >>> 0, 5381);
	return slots > 1 ? (hash % slots) + 1 : 0;
}

function bodyOf(radio, answers) {
	const { whom, link, group } = answers;
	const changes = wishesOf(radio, answers).map(([path, value]) => ({ path, value, was: radio.values.get(path) }));
	const primary = { everybody: { name: "", psk: "public" }, group: { name: group, psk: "new" } } [whom];
	return {
		changes,
		...(primary && { channels: [{ index: 0, ...primary }] }),
		...(whom === "link" && { link: { url: link, replace: true } }),
	};
}

/**
 * For tokens that may not change the radio: the same by commands, and which scope is missing.
 *
 * @param answers null: a name is too long, and the commands would be refused
 */
function commandLines(mesh, radio, answers) {
	const source = session.meshes.size > 1 ? ` --source ${shellWord(mesh.id)}` : "";
	const wishes = answers
		? wishesOf(radio, answers).map(([path, value]) => `${path}=${shellWord(String(value))}`)
		: [];
	const { whom, link, group } = answers ?? {};
	const url = whom === "link" ? link : whom === "group" && group ? groupLink(group) : null;
	return [
		el("h2", t("byCommand")),
		// The link comes first, so that the chosen region replaces the link's.
		url && copyable(`sudo mesh-gateway channel add ${shellWord(url)} --replace${source}`),
		wishes.length > 0 && copyable(`sudo mesh-gateway radio config set ${wishes.join(" ")}${source}`),
		missingRight("configuration:write"),
		el("div.row.wrap", lookAgainButton(), el("a.button", { href: linkTo(mesh, "") }, t("notNow"))),
	];
}

/** One key for each name, so that the link to copy stays the same while other answers change. */
const groupKeys = new Map();

/**
 * A link with one channel under a new key (ChannelSet: settings 1, in it psk 2 and name 3). With a name of at most
 * 11 bytes each length is one byte.
 */
function groupLink(name) {
	if (!groupKeys.has(name)) groupKeys.set(name, crypto.getRandomValues(new Uint8Array(32)));
	const bytes = new TextEncoder().encode(name);
	const settings = [0x12, 32, ...groupKeys.get(name), 0x1a, bytes.length, ...bytes];
	const text = btoa(String.fromCharCode(0x0a, settings.length, ...settings));
	return `https://meshtastic.org/e/#${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}
