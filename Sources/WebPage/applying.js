// A change of the radio is shown before it is made, with what it costs, and judged by what the radio has afterwards.
//
// 1. The gateway says what would change (`preview`). Nothing is written until somebody says so.
// 2. The answer says of each setting what the radio has made of it: even one that says "done" may keep the old value.
// 3. Where the answer is lost (504, or none), the change may have been written. The preview is asked for again then,
//    until the radio answers: what it would still change has not been taken. Of a secret nobody can say: it is not
//    read back.

/** A radio that restarts is there again within a minute. */
const patienceForRadio = 90000;

const slotText = (slot) =>
	slot
	? [
		slot.name,
		t(`key_${slot.key.replace(/\W/g, "")}`, { n: slot.keyBytes * 8 }),
		slot.positionPrecision && `${t("placeTold")} ${precisionText(slot.positionPrecision)}`,
		slot.uplinkEnabled && t("uplink"),
		slot.downlinkEnabled && t("downlink"),
	]
	.filter(Boolean)
	.join(", ")
	: "–";

const isSlotChange = (slot) => slot.change !== "none";
const isHidden = (row) => row.newSecretBytes != null;
/** A secret whose answer was lost: nobody knows. */
const isUnread = (row) => isHidden(row) && row.isTaken === null;

/** One thing that changes: its name, what was, what is to be, and what is to be said of it. */
const lineOf = (name, old, now, ...more) => el("li", el("b", name), ": ", bdi(old), " → ", bdi(now), more);

function changeLines(edit, { changes, channels }, stateOf = () => null) {
	const textOf = ({ path }, value, bytes) => settingText(edit.rows.get(path)?.type, value, bytes);
	return el("ul.plainlist",
		changes.filter((row) => row.isChange || row.error || stateOf(row)).map((row) =>
			row.error
			? el("li.bad", el("b", settingName(row.path)), ": ", bdi(row.error))
			: lineOf(
				settingName(row.path),
				textOf(row, row.old, row.oldSecretBytes),
				textOf(row, row.new, row.newSecretBytes),
				stateOf(row),
			),
		),
		channels.filter(isSlotChange).map((slot) =>
			lineOf(t("channelN", { n: slot.index }), slotText(slot.old), slotText(slot.new)),
		),
	);
}

/**
 * Opens a dialog for a change: {title, method, path, body(saysWas), risks, notes, done(data), refresh}. `risks` are
 * sentences that are asked once more, `notes` are shown beside the warnings.
 */
function propose(mesh, wish) {
	const body = el("div");
	const box = dialog(wish.title, body);
	const edit = editOf(mesh);
	// The button that opened it may be gone by then.
	on(box, "close", () => focused() === document.body && views.focus());
	const send = (isPreview, saysWas) =>
		ask(sourcePath(mesh, wish.path), {
			method: wish.method,
			body: { ...wish.body(saysWas), ...(isPreview && { preview: true }) },
			patience: 60000,
		}).then(({ data }) => data);
	const button = (key, click, look = "") => el(`button${look}`, { click }, t(key));
	const show = (...content) => {
		put(body, ...content);
		find("h2", box).focus();
	};
	const buttons = (...first) => el("div.row.wrap", first, button("close", () => box.close()));

	async function preview() {
		show(el("p.faint", t("loading")));
		try {
			const data = await send(true, true);
			const isAny = data.changes.some((row) => row.isChange) || data.channels.some(isSlotChange);
			const notes = [...((await wish.notes?.()) ?? []), ...data.warnings];
			show(
				isAny ? changeLines(edit, data) : el("p", t("nothingChanges")),
				notes.length > 0 && [el("h3", t("whatItCosts")), el("ul.costs", notes.map((one) => el("li", one)))],
				isAny && el("p.faint", t(data.restarts ? "restartsOnce" : "noRestart")),
				buttons(isAny && button("apply", wish.risks?.length ? askAgain : write, ".main")),
			);
		} catch (error) {
			refused(error);
		}
	}

	function askAgain() {
		const risks = wish.risks.map((one) => el("p", one));
		show(risks, buttons(button("applyAllTheSame", write, ".danger")));
	}

	async function write() {
		show(el("p.faint", t("writing")));
		try {
			result(await send(false, true));
		} catch (error) {
			if ([0, 504].includes(error.status)) await readAgain();
			else refused(error);
		}
	}

	async function readAgain() {
		show(el("p.faint", t("readingAgain")));
		const end = Date.now() + patienceForRadio;
		while (session.token) {
			try {
				const data = await send(true, false);
				for (const row of data.changes)
					Object.assign(row, { isTaken: isHidden(row) ? null : !row.isChange, taken: row.old });
				const isLeft = data.changes.some((row) => row.isTaken === false) || data.channels.some(isSlotChange);
				return result({ ...data, isDone: !isLeft });
			} catch (error) {
				if (![0, 503, 504].includes(error.status) || Date.now() > end) return refused(error);
				await pauseOf(3000);
			}
		}
	}

	function result(data) {
		wish.done(data);
		if (data.isDone && !data.changes.some(isUnread)) {
			box.close();
			return toast(t(data.restarts ? "radioTookRestarts" : "radioTook"));
		}
		const stateOf = (row) =>
			isUnread(row)
			? el("span", " ", t("secretUnread"))
			: row.isTaken === false
			? el("span.bad", " ", t("notTaken", { what: settingText(null, row.taken) }))
			: el("span.good", " ", t("taken"));
		const said = t(data.isDone ? "secretsUnread" : "notAllTaken");
		if (!box.isConnected) return toast(said);
		show(
			el(data.isDone ? "p" : "p.bad", said),
			changeLines(edit, data, stateOf),
			buttons(!data.isDone && button("tryAgain", again, ".main")),
		);
	}

	/** With what the radio has by now. */
	async function again() {
		show(el("p.faint", t("loading")));
		await wish.refresh?.().catch((error) => {
			if (!(error instanceof Refusal)) throw error;
		});
		preview();
	}

	function refused(error) {
		const said = reasons(error);
		const data = error.body.data;
		const isWrong = data?.changes.some((row) => row.error);
		if (!box.isConnected) return toast(said[0].textContent);
		show(
			isWrong ? changeLines(edit, data) : said,
			error.status === 409 && isWrong && el("p", t("changedMeanwhile")),
			buttons(![400, 403].includes(error.status) && button("tryAgain", again, ".main")),
		);
	}

	preview();
}

// MARK: what all settings share

/** Why a change has to be confirmed twice; null: once is enough. */
const riskOf = (path, value) =>
	path === "lora.tx_enabled" && value === false
	? t("riskSilent")
	: path.endsWith(".is_managed") && value === true
	? t("riskManaged")
	: path === "security.serial_enabled" && value === false
	? t("riskSerial")
	: null;

function applyEdit(edit) {
	propose(edit.mesh, {
		title: t("changesN", { n: edit.wishes.size }),
		method: "PATCH",
		path: "radio/settings",
		body: (saysWas) => ({ changes: edit.changes(saysWas) }),
		risks: [...edit.wishes].map(([path, value]) => riskOf(path, value)).filter(Boolean),
		refresh: () => edit.load(),
		done(data) {
			keepFormer(edit, data.changes);
			for (const row of data.changes) {
				const known = edit.rows.get(row.path);
				if (!known) continue;
				// A secret whose answer was lost is as long as the radio says by now.
				const secretBytes = isUnread(row) ? row.oldSecretBytes : row.newSecretBytes;
				if (!isSecret(known)) known.value = row.taken ?? row.new;
				else if (row.isTaken !== false) known.secretBytes = secretBytes ?? known.secretBytes;
				if (row.isTaken !== false) edit.wishes.delete(row.path);
			}
			edit.draw();
		},
	});
}

/** Stands below the settings while something is to be changed. */
function editBar(edit) {
	const words = el("span", { role: "status" });
	const apply = el("button.main", { click: () => applyEdit(edit) }, t("apply"));
	const undo = () => {
		edit.undo();
		// Its button is gone.
		views.focus();
	};
	const bar = el("div.bar", { hidden: true },
		words,
		el("button", { click: undo }, t("undo")),
		apply,
	);
	edit.follow(bar, () => {
		const n = edit.wishes.size;
		bar.hidden = n === 0;
		apply.disabled = !edit.canBeApplied;
		const cost = t(edit.restarts ? "restartsShort" : "noRestartShort");
		words.textContent =
			n > mostChanges
			? t("tooManyChanges", { n, limit: mostChanges })
			: n
			? `${t("changesN", { n })}, ${edit.mesh.absence ?? cost}`
			: "";
	});
	return bar;
}

// MARK: putting back

/** How long it is kept what a setting was. */
const formerLife = 864e5;

/**
 * A list of {id, path, was, secret, since}: what was changed in the last day, of every radio. It is kept where the
 * token is, and forgotten with it.
 */
function keptFormer() {
	const all = JSON.parse(memory.get("former")) ?? [];
	const young = all.filter(({ since }) => Date.now() - since < formerLife);
	if (young.length < all.length) memory.set("former", JSON.stringify(young));
	return young;
}

/** Those of this radio that are not so again. */
const formerOf = (edit) =>
	keptFormer().filter(({ id, path, was, secret }) => {
		const isHere = id === edit.mesh.id && edit.has(path);
		return isHere && (secret || !isSame(was, edit.value(path)));
	});

/** Before the page takes over what the radio has now: even what was not taken may have become something else. */
function keepFormer(edit, rows) {
	const { id } = edit.mesh;
	const former = [...keptFormer().filter((one) => one.id !== id), ...formerOf(edit)];
	for (const { path, isTaken, taken } of rows) {
		const known = edit.rows.get(path);
		if (!known || former.some((one) => one.id === id && one.path === path)) continue;
		const secret = isSecret(known);
		if (isTaken === false && (secret || isSame(taken, known.value))) continue;
		former.push({ id, path, was: secret ? null : known.value, secret, since: Date.now() });
	}
	memory.set("former", JSON.stringify(former));
}

/** Puts what was before among the wishes: it is shown and applied as any other change. */
function putBackNote(edit) {
	const box = el("div");
	edit.follow(box, () => {
		const former = formerOf(edit).filter(({ path }) => edit.rows.get(path).writable);
		const open = former.filter(({ path, was, secret }) => !secret && !isSame(was, edit.wanted(path)));
		const secrets = former.filter(({ secret }) => secret);
		const namesOfAll = (list) => list.map(({ path }) => settingName(path)).join(", ");
		const putBack = () => {
			for (const { path, was } of open) edit.wish(path, was);
			edit.draw();
		};
		renew(
			box,
			(open.length > 0 || secrets.length > 0) &&
			el("section.card",
				open.length > 0 && [
					el("p", t("changedLately", { names: namesOfAll(open) })),
					el("button", { click: putBack }, t("putBack")),
				],
				secrets.length > 0 && el("p.faint", t("secretsStay", { names: namesOfAll(secrets) })),
			),
		);
	});
	return box;
}
