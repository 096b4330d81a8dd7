// A channel's name and key, whom it is shared with, leaving it; and joining those of somebody else's link.

const usedChannels = (edit) => edit.channels.filter((row) => row.role > 0);

/** In "My radio": each leads to where it is changed. */
function channelLinks(edit) {
	const { mesh } = edit;
	const free = edit.channels.find((row) => row.role === 0);
	const link = (name, ...path) => el("a.button", { href: linkTo(mesh, ...path) }, name);
	return el("div.row.wrap",
		usedChannels(edit).map((row) => link(bdi(row.displayName), "channel", String(row.id))),
		free && link([icon("plus"), t("newChannel")], "channel", String(free.id)),
		link([icon("plus"), t("join")], "join"),
	);
}

/** In the place of what a token may not do: what it lacks. */
const unlessMay = (right, content) =>
	may(right) ? content() : el("section.card", missingRight(right), lookAgainButton());

/** A key of 32 bytes, made here: asked for twice, the radio gets the same one. */
const newKey = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));

/** How exactly a channel is told the radio's place, in bits. */
const precisions = [0, 10, 12, 13, 14, 15, 16, 32];
const precisionText = (bits) =>
	bits === 0
	? t("noPlaceTold")
	: bits === 32
	? t("exactPlace")
	: t("within", { far: distance(reachOf({ positionPrecisionBits: bits })) });

/** The link of one of the channels in a link of all: added by others, it changes nothing else of theirs. */
function linkOfOne(url, place) {
	const binary = atob(url.split("#")[1].replaceAll("-", "+").replaceAll("_", "/"));
	let at = 0;
	const length = () => {
		let [value, shift, byte] = [0, 0, 128];
		for (; byte & 128; shift += 7) {
			byte = binary.charCodeAt(at++);
			value |= (byte & 127) << shift;
		}
		return value;
	};
	// A ChannelSet: its channels are its field 1, in the order of their slots.
	for (let count = 0; at < binary.length;) {
		const start = at;
		const isChannel = length() === 10;
		const size = length();
		at += size;
		if (isChannel && count++ === place)
			return `https://meshtastic.org/e/?add=true#${
				btoa(binary.slice(start, at)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
			}`;
	}
	return null;
}

/** Name, key, and what is told there. */
function channelForm(mesh, row, reload) {
	const isNew = row.role === 0;
	const was = isNew ? { name: "", positionPrecision: 0 } : row;
	const name = el("input", { id: "channel-name", value: was.name, autocomplete: "off" });
	const size = limited(name, 11);
	const own = el("input", { id: "channel-own", autocomplete: "off", class: "code" });
	const ownBox = labelled("ownKey", own);
	const keys = [!isNew && "keep", "new", "public", "none", "own"].filter(Boolean);
	const key = el("select", { id: "channel-key", input: () => (ownBox.hidden = key.value !== "own") },
		keys.map((one) => el("option", { value: one }, t(`take_${one}`))),
	);
	ownBox.hidden = true;
	const bits = [...new Set([...precisions, was.positionPrecision ?? 0])].toSorted((a, b) => a - b);
	const place = el("select", { id: "channel-place" },
		bits.map((one) =>
			el("option", { value: String(one), selected: one === (was.positionPrecision ?? 0) }, precisionText(one)),
		),
	);
	const check = (flag) => el("input", { type: "checkbox", checked: was[flag] });
	const [up, down] = [check("uplinkEnabled"), check("downlinkEnabled")];
	const made = newKey();
	const wanted = () => ({
		...(name.value.trim() !== was.name && { name: name.value.trim() }),
		...(key.value !== "keep" && { psk: { new: made, own: own.value.trim() } [key.value] ?? key.value }),
		...(Number(place.value) !== (was.positionPrecision ?? 0) && { positionPrecision: Number(place.value) }),
		...(up.checked !== Boolean(was.uplinkEnabled) && { uplinkEnabled: up.checked }),
		...(down.checked !== Boolean(was.downlinkEnabled) && { downlinkEnabled: down.checked }),
	});
	const submit = () => {
		if (name.reportValidity())
			propose(mesh, {
				title: t("nameAndKey"),
				method: "PUT",
				path: `channels/${row.id}`,
				body: wanted,
				done: reload,
			});
	};
	return el("form.card", { submit },
		el("h2", t("nameAndKey")),
		labelled("name", name),
		size,
		labelled("channelKey", key),
		ownBox,
		labelled("placeTold", place),
		el("label.check", up, t("uplink")),
		el("label.check", down, t("downlink")),
		el("button.main", { type: "submit" }, t("apply")),
	);
}

/** Code and link of this channel alone. */
function shareCard(mesh, row, place) {
	const url = mesh.status.channelUrl && linkOfOne(mesh.status.channelUrl, place);
	const box = el("section.card",
		el("h2", t("share")),
		el("p", t(row.encryptionStatus === "secure" ? "whoReadsOwn" : "publicChannel")),
	);
	const show = (event) => {
		event.currentTarget.remove();
		box.append(
			codePicture(mesh, `channels.svg?channel=${row.id}`, url, t("channelCode")),
			copyable(url, t("link")),
		);
	};
	box.append(url ? el("button", { click: show }, t("showCode")) : el("p", t("noChannelCode")));
	return box;
}

function leaveCard(mesh, row) {
	const leave = () =>
		propose(mesh, {
			title: t("leaveChannel"),
			method: "DELETE",
			path: `channels/${row.id}`,
			body: () => ({}),
			notes: () => [t("leaveLong")],
			done({ isDone }) {
				refreshConversations();
				if (isDone) views.go(linkTo(mesh, ""));
			},
		});
	return el("section.card",
		el("h2", t("leaveChannel")),
		row.id === 0 ? el("p", t("primaryStays")) : el("button.danger", { click: leave }, t("leaveChannel")),
	);
}

viewMakers.channel = ({ mesh, rest }) => {
	const id = Number(rest[0]);
	const box = later(async () => {
		const rows = await get(mesh, "channels");
		await mesh.loadStatus().catch(() => {});
		const row = rows.find((one) => one.id === id);
		if (!row) return el("p", t("nothingFound"));
		const isUsed = row.role > 0;
		const reload = () => {
			refreshConversations();
			box.again();
		};
		// A token that sees some channels alone does not know where in the link this one is.
		const place = rows.length === 8 ? rows.filter((one) => one.role > 0 && one.id < id).length : -1;
		return [
			el("h2", bdi(isUsed ? row.displayName : t("newChannel"))),
			unlessMay("configuration:write", () => [
				channelForm(mesh, row, reload),
				isUsed && shareCard(mesh, row, place),
				isUsed && leaveCard(mesh, row),
			]),
		];
	});
	const back = lackOf("c") ? linkTo(mesh, "radio") : linkTo(mesh, "c", `channel:${id}`);
	return { title: t("channel"), node: page(t("channel"), back, box) };
};

/**
 * LoRa settings of a link that differ from the radio's: added, its channels are not heard. Where replacing would be
 * refused nothing is said of it: that is no error of adding.
 */
async function otherAir(mesh, url) {
	const body = { url, replace: true, preview: true };
	const asked = ask(sourcePath(mesh, "channels/import"), { method: "POST", body, patience: 30000 });
	const answer = await asked.catch((error) => (error instanceof Refusal ? null : Promise.reject(error)));
	if (!answer) return [];
	const modem = answer.data.changes.filter((row) => row.isChange && row.path !== "lora.hop_limit");
	return modem.map((row) =>
		t("otherAir", { name: settingName(row.path), theirs: String(row.new), ours: String(row.old) }),
	);
}

viewMakers.join = ({ mesh }) => {
	const field = el("textarea", { id: "join-link", rows: "3", required: true });
	const take = (replace) => {
		const url = field.value.trim();
		if (!field.reportValidity()) return;
		propose(mesh, {
			title: t(replace ? "replaceThem" : "addThem"),
			method: "POST",
			path: "channels/import",
			body: () => ({ url, replace }),
			notes: () => (replace ? [] : otherAir(mesh, url)),
			done({ isDone }) {
				refreshConversations();
				if (isDone) views.go(linkTo(mesh, ""));
			},
		});
	};
	const choice = (replace, word, long) =>
		el("div.setting", el("button", { click: () => take(replace) }, t(word)), el("p.faint", t(long)));
	const form = () =>
		el("form.card",
			labelled("channelLink", field),
			el("p.faint", t("linkLong")),
			choice(false, "addThem", "addLong"),
			choice(true, "replaceThem", "replaceLong"),
		);
	return {
		title: t("join"),
		node: page(t("join"), linkTo(mesh, "new"), unlessMay("configuration:write", form)),
	};
};
