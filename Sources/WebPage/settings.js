// The radio's settings as the page has them: what the radio says, and beside it what somebody wants. Nothing is written
// here: applying.js does that, for all of them at once.

/** Whether a firmware such as 2.8.0.5eed001 has what came with version `since`; null: every one has it. */
function hasSince(firmware, since) {
	const numbers = (text) => text.split(".").slice(0, 3).map(Number);
	const [had, wanted] = [firmware ?? "", since ?? ""].map(numbers);
	const at = wanted.findIndex((one, place) => one !== (had[place] ?? 0));
	return !firmware || !since || at < 0 || had[at] > wanted[at];
}

const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const isSecret = (row) => row.secretBytes != null;

/** The gateway takes no more in one edit. */
const mostChanges = 32;

/** One radio's settings, and what is to become of them. */
class SettingsEdit {
	constructor(mesh) {
		Object.assign(this, { mesh, rows: new Map(), wishes: new Map(), drawn: new Set() });
		Object.assign(this, { regions: [], channels: [], firmware: null });
	}

	/** The radio may take its 20 seconds to say them. */
	async load() {
		const { data } = await ask(sourcePath(this.mesh, "radio/settings"), { patience: 30000 });
		this.channels = may("channels:read") ? await get(this.mesh, "channels") : [];
		Object.assign(this, { regions: data.regions, firmware: data.firmware });
		const known = data.settings.filter((row) => hasSince(data.firmware, row.since));
		this.rows = new Map(known.map((row) => [row.path, row]));
		for (const [path, value] of this.wishes) this.wish(path, value);
		this.draw();
	}

	has(path) {
		return this.rows.has(path);
	}

	/** As the radio has it. */
	value(path) {
		return this.rows.get(path)?.value;
	}

	/** As it would be. */
	wanted(path) {
		return this.wishes.has(path) ? this.wishes.get(path) : this.value(path);
	}

	wish(path, value) {
		const row = this.rows.get(path);
		const isOld = !row || (isSecret(row) ? value == null || value === "" : isSame(value, row.value));
		if (isOld) this.wishes.delete(path);
		else this.wishes.set(path, value);
	}

	undo() {
		this.wishes.clear();
		this.draw();
	}

	/** Calls `work` whenever something has changed, as long as the element is in the document. */
	follow(element, work) {
		this.drawn.add([element, work]);
		work();
	}

	draw() {
		for (const one of this.drawn) {
			if (one[0].isConnected) one[1]();
			else this.drawn.delete(one);
		}
	}

	/**
	 * As the gateway takes them. Each says what was seen, so that nothing is written over what somebody else has set
	 * meanwhile; a secret is not seen.
	 */
	changes(saysWas) {
		return [...this.wishes].map(([path, value]) => {
			const row = this.rows.get(path);
			return { path, value, ...(saysWas && !isSecret(row) && { was: row.value }) };
		});
	}

	get canBeApplied() {
		return this.wishes.size > 0 && this.wishes.size <= mostChanges && !this.mesh.absence;
	}

	get restarts() {
		return [...this.wishes.keys()].some((path) => this.rows.get(path).restarts);
	}
}

/** Wishes outlast a look at another view. */
const edits = new WeakMap();

function editOf(mesh) {
	if (!edits.has(mesh)) edits.set(mesh, new SettingsEdit(mesh));
	return edits.get(mesh);
}

// MARK: how a setting is called, and written

/** Where it has no name of its own, by the words of its path. */
const settingName = (path) => texts[`set_${path.replaceAll(".", "_")}`] ?? path.split(".").map(plainName).join(": ");

/** Names of regions and parts stay as they are known. */
const choiceText = (choice) => (/\d/.test(choice) ? choice : plainName(choice));

/** `bytes`: how long a secret is. */
function settingText(type, value, bytes) {
	if (bytes != null) return bytes ? t("secretOf", { n: bytes }) : t("noSecret");
	if (typeof value === "boolean") return t(value ? "on" : "off");
	if (value == null || value === "" || value.length === 0) return "–";
	return type === "choice" ? choiceText(value) : Array.isArray(value) ? value.join(", ") : String(value);
}

const rowText = (row) => settingText(row.type, row.value, row.secretBytes);

// MARK: fields

let fieldCount = 0;

/** [element, how it is read, how it is filled], by a setting's type. Reading gives undefined while it is not valid. */
function fieldOf(edit, row, id, choices) {
	const plain = (attributes) => el("input", { id, autocomplete: "off", ...attributes });
	const valid = (field, value) => (field.validity.valid ? value : undefined);
	const textOf = (field) => [field, () => valid(field, field.value), (value) => (field.value = value ?? "")];
	if (isSecret(row)) {
		const digits = row.type === "integer" && { inputmode: "numeric" };
		return textOf(plain({ type: "password", autocomplete: "new-password", ...digits }));
	}
	switch (row.type) {
		case "flag": {
			const field = plain({ type: "checkbox" });
			return [field, () => field.checked, (value) => (field.checked = value)];
		}
		case "choice": {
			const field = el("select", { id });
			const fillIn = (value) => {
				const all = choices?.(edit) ?? row.choices.map((choice) => [choice, choiceText(choice)]);
				// The radio's own value is shown, even where it should not have it.
				if (!all.some(([choice]) => choice === value)) all.unshift([value, choiceText(value)]);
				const signature = JSON.stringify(all);
				if (field.dataset.all !== signature)
					put(field, all.map(([choice, text]) => el("option", { value: choice }, text)));
				field.dataset.all = signature;
				field.value = value;
			};
			return [field, () => field.value, fillIn];
		}
		case "integer":
		case "number": {
			const step = row.type === "integer" ? "1" : "any";
			const field = plain({ type: "number", step, min: row.min, max: row.max, required: true });
			return [field, () => valid(field, Number(field.value)), (value) => (field.value = value)];
		}
	}
	if (!row.type.endsWith("[]")) return textOf(plain({ type: "text" }));
	// One a line. Numbers of a list are read by the gateway.
	const field = el("textarea", { id, rows: "2" });
	const lines = () => field.value.split(/\s+/).filter(Boolean);
	const read = () => {
		const old = edit.value(row.path);
		return isSame(lines(), old.map(String)) ? old : lines();
	};
	return [field, read, (value) => (field.value = value.join("\n"))];
}

/** A field under its name, with what the setting is for and what the radio has. */
function settingField(edit, path, { choices, changed, limit } = {}) {
	const row = edit.rows.get(path);
	const id = `setting-${(fieldCount += 1)}`;
	const [field, read, fillIn] = fieldOf(edit, row, id, choices);
	const help = row.help && el("p.faint", { id: `${id}-help` }, row.help);
	const state = el("p.faint", { id: `${id}-state` });
	const name = [settingName(path), row.unit && ` (${row.unit})`];
	const size = limit && limited(field, limit(edit));
	field.setAttribute("aria-describedby", [help?.id, size?.id, state.id].filter(Boolean).join(" "));
	on(field, "input", () => {
		const value = read();
		edit.wish(path, value === undefined ? edit.value(path) : value);
		changed?.(edit);
		edit.draw();
		if (value === undefined) put(state, el("span.bad", field.validationMessage));
	});
	const box = el("div.setting",
		field.type === "checkbox" ? el("label.check", field, name) : [el("label", { for: id }, name), field],
		size,
		help,
		state,
	);
	edit.follow(box, () => {
		const now = edit.rows.get(path);
		const isWished = edit.wishes.has(path);
		// Text that is being typed is left alone.
		if (field !== focused()) {
			fillIn(edit.wanted(path));
			size?.draw();
		}
		box.classList.toggle("changed", isWished);
		put(
			state,
			isSecret(now)
			? t(isWished ? "secretChanges" : "secretStays", { what: rowText(now) })
			: isWished && t("wasBefore", { what: rowText(now) }),
		);
	});
	return box;
}

/** A setting that cannot be changed here. */
const settingFact = (edit, path) => {
	const row = edit.rows.get(path);
	return el("div.setting",
		el("p", settingName(path), ": ", el("b", bdi(rowText(row))), row.unit && ` ${row.unit}`),
		row.help && el("p.faint", row.help),
	);
};

/** One of all settings, by its path. */
function anySetting(edit, path) {
	const isOpen = edit.rows.get(path).writable;
	return el("li", el("code.faint", path), isOpen ? settingField(edit, path) : settingFact(edit, path));
}

/** All of them in their sections, and a search over path and help. */
function allSettings(edit) {
	const found = el("ul");
	const sections = Map.groupBy(edit.rows.keys(), (path) => path.split(".")[0]);
	const list = [...sections].map(([section, paths]) => {
		const items = el("ul");
		const fillIn = () => items.firstChild ?? put(items, paths.map((path) => anySetting(edit, path)));
		return el("details", { toggle: fillIn }, el("summary", plainName(section), ` (${paths.length})`), items);
	});
	const field = el("input", {
		type: "search",
		label: t("searchSettings"),
		placeholder: t("searchSettings"),
		input: () => {
			const words = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
			const textOf = (row) => `${row.path} ${settingName(row.path)} ${row.help ?? ""}`.toLowerCase();
			const rows = [...edit.rows.values()].filter((row) => words.every((word) => textOf(row).includes(word)));
			for (const one of list) one.hidden = words.length > 0;
			put(
				found,
				words.length > 0 && rows.slice(0, 20).map((row) => anySetting(edit, row.path)),
				words.length > 0 && !rows.length && el("li.faint", t("nothingFound")),
				words.length > 0 && rows.length > 20 && el("li.faint", t("moreSettings", { n: rows.length - 20 })),
			);
		},
	});
	return [el("div.search", icon("search"), field), found, list];
}
