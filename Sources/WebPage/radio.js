// The own radio: who it is for others, how it does, and a page of sentences, each of which can be changed.

/** What people do with a radio, by the role that does it, and the firmware that has it. */
const purposes = [
	["CLIENT_BASE", "2.7.15"],
	["ROUTER_LATE", "2.5.20"],
	["CLIENT"],
	["TRACKER"],
	["CLIENT_MUTE"],
];

const purposeText = (role) => texts[`role_${role}`] ?? choiceText(role);

const purposesOf = (edit) =>
	purposes.filter(([, since]) => hasSince(edit.firmware, since)).map(([role]) => [role, purposeText(role)]);

const regionOf = (edit) => edit.regions.find(({ region }) => region === edit.wanted("lora.region"));

/** Those that the radio knows, with what is behind their names. */
const regionChoices = (edit) =>
	edit.regions.map(({ region, from, to, dutyCycle, licensed }) => [
		region,
		[
			region,
			from && `${number(from, 3)}–${number(to, 3)} MHz`,
			dutyCycle < 100 && t("dutyCycle", { n: number(dutyCycle) }),
			licensed && t("needsLicence"),
		]
		.filter(Boolean)
		.join(", "),
	]);

/** Those that the region allows. */
const presetsOf = (edit) => {
	const all = regionOf(edit)?.presets ?? edit.rows.get("lora.modem_preset").choices;
	return all.map((preset) => [preset, choiceText(preset)]);
};

/** A preset that the new region forbids would be another one on the radio, too. */
function followRegion(edit) {
	const region = regionOf(edit);
	if (region && !region.presets.includes(edit.wanted("lora.modem_preset")))
		edit.wish("lora.modem_preset", region.defaultPreset);
}

const timeText = (seconds) =>
	seconds >= 60
	? duration(seconds)
	: seconds.toLocaleString("en", { style: "unit", unit: "second", unitDisplay: "long" });

/** Seconds that stand for no end. */
const alwaysOn = 2 ** 32 - 1;

/** Each sentence: its name, what it says of the radio, and the fields that it opens. */
const sentences = [{
	name: "name",
	say: (value) => t("sayName", { long: value("owner.long_name"), short: value("owner.short_name") }),
	fields: [
		["owner.long_name", { limit: (edit) => (hasSince(edit.firmware, "2.8") ? 24 : 39) }],
		["owner.short_name", { limit: () => 4 }],
		["owner.is_unmessagable"],
	],
}, {
	name: "onAirHow",
	say: (value) => [
		value("lora.region") === "UNSET"
		? t("noRegion")
		: t("sayAir", {
			region: value("lora.region"),
			preset: value("lora.use_preset") ? choiceText(value("lora.modem_preset")) : t("ownModem"),
			n: value("lora.hop_limit") || 3,
		}),
		value("lora.tx_enabled") === false && ` ${t("saySilent")}`,
	],
	fields: [
		["lora.region", { choices: regionChoices, changed: followRegion }],
		["lora.modem_preset", { choices: presetsOf }],
		["lora.hop_limit"],
		["lora.channel_num"],
		["lora.tx_power"],
		["lora.tx_enabled"],
	],
}, {
	name: "purpose",
	say: (value) => purposeText(value("device.role")),
	fields: [
		["device.role", { choices: purposesOf }],
		["device.rebroadcast_mode"],
		["device.node_info_broadcast_secs"],
	],
}, {
	name: "place",
	say: (value) =>
		value("position.fixed_position")
		? t("sayFixed")
		: value("position.gps_mode") === "ENABLED"
		? t("sayGPS", { time: timeText(value("position.position_broadcast_secs") || 900) })
		: t("sayNoPlace"),
	fields: [
		["position.gps_mode"],
		["position.position_broadcast_secs"],
		["position.position_broadcast_smart_enabled"],
	],
	more: placeForm,
}, {
	name: "channels",
	say: (_, edit) => usedChannels(edit).map((row) => row.displayName).join(", ") || t("notKnown"),
	fields: [],
	more: channelLinks,
}, {
	name: "bluetooth",
	say: (value) => t(value("bluetooth.enabled") ? `say_${value("bluetooth.mode")}` : "sayNoBluetooth"),
	fields: [
		["bluetooth.enabled"],
		["bluetooth.mode"],
		["bluetooth.fixed_pin"]
	],
}, {
	name: "screen",
	say: (value) => {
		const seconds = value("display.screen_on_secs") || 600;
		return seconds === alwaysOn ? t("sayAlwaysOn") : t("sayScreen", { time: timeText(seconds) });
	},
	fields: [
		["display.screen_on_secs"],
		["display.auto_screen_carousel_secs"],
		["display.units"],
		["display.use_12h_clock"],
		["display.flip_screen"],
		["device.tzdef"],
	],
}, {
	name: "network",
	say: (value) =>
		value("network.wifi_enabled")
		? t("sayWifi", { name: value("network.wifi_ssid") })
		: t(value("network.eth_enabled") ? "sayCable" : "sayNoNetwork"),
	fields: [
		["network.wifi_enabled"],
		["network.wifi_ssid"],
		["network.wifi_psk"],
		["network.eth_enabled"],
		["network.ntp_server"],
	],
}, ];

/** One sentence, with its fields behind a button; a build of the firmware may lack all of them. */
function sentenceCard(edit, { name, say, fields, more }) {
	const known = fields.filter(([path]) => edit.has(path));
	if (!known.length && !more) return null;
	const sentence = el("p");
	const inside = el("div", { id: `fields-${name}`, hidden: true });
	// Return in a field does the same as the bar.
	const form = () =>
		el("form", { submit: () => edit.canBeApplied && applyEdit(edit) },
			el("button", { type: "submit", hidden: true }),
			known.map(([path, options]) => settingField(edit, path, options)),
		);
	const button = el("button", {
			label: `${t("change")}: ${t(name)}`,
			"aria-expanded": "false",
			"aria-controls": inside.id,
			click: () => {
				inside.hidden = !inside.hidden;
				button.setAttribute("aria-expanded", String(!inside.hidden));
				if (!inside.firstChild) put(inside, known.length > 0 && form(), more?.(edit));
			},
		},
		t("change"),
	);
	const mayChange = may("configuration:write") && (more || known.some(([path]) => edit.rows.get(path).writable));
	const card = el("section.card",
		el("div.row.spread", el("div.grow", el("h2", t(name)), sentence), mayChange && button),
		inside,
	);
	edit.follow(card, () => put(sentence, say((path) => edit.value(path), edit)));
	return card;
}

/** A fixed place is no setting: the radio is told, and tells the mesh at once. */
function placeForm(edit) {
	const { mesh } = edit;
	const own = hasPosition(mesh.own) ? mesh.own : {};
	const field = (name, attributes) =>
		el("input", { id: `place-${name}`, type: "number", step: "any", value: own[name] ?? "", ...attributes });
	const fields = {
		latitude: field("latitude", { min: -90, max: 90, required: true }),
		longitude: field("longitude", { min: -180, max: 180, required: true }),
		altitude: field("altitude", { step: "1" }),
	};
	const order = (method, body) =>
		attempt(async () => {
			await ask(sourcePath(mesh, "radio/position"), { method, body, patience: 30000 });
			toast(t("radioTook"));
			await edit.load();
		});
	const fix = () => {
		const values = Object.entries(fields).filter(([, one]) => one.value !== "");
		order("PUT", Object.fromEntries(values.map(([name, one]) => [name, Number(one.value)])));
	};
	const free = el("button", { click: () => order("DELETE") }, t("freePlace"));
	edit.follow(free, () => (free.hidden = edit.value("position.fixed_position") === false));
	return el("form", { submit: fix },
		el("h3", t("fixedPlace")),
		el("p.faint", t("fixedPlaceLong")),
		el("div.pair", Object.entries(fields).map(([name, one]) => labelled(`place${capital(name)}`, one))),
		el("div.row.wrap", el("button", { type: "submit" }, t("fixPlace")), free),
	);
}

/** Its settings, or what a token lacks to see or to change them. */
function settingsPart(edit, all) {
	if (!may("configuration:read"))
		return [
			el("section.card", el("p", t("settingsScope")), allowCommand(["configuration:read"]), lookAgainButton()),
		];
	put(all, el("h2", t("allSettings")), allSettings(edit));
	all.hidden = false;
	return [
		!may("configuration:write") && el("section.card", missingRight("configuration:write"), lookAgainButton()),
		putBackNote(edit),
		sentences.map((one) => sentenceCard(edit, one)),
	];
}

viewMakers.radio = ({ mesh }) => {
	const edit = editOf(mesh);
	const [strip, codes] = [el("div"), el("div")];
	const all = el("section.card", { hidden: true });
	const self = later(async () => {
		await mesh.names().catch(() => {});
		await mesh.loadStatus();
		put(strip, radioStrip(mesh));
		put(codes, codeCards(mesh));
		return selfCard(mesh, strip);
	});
	const settings = later(async () => {
		if (!mesh.isReady) return el("section.card", el("p", mesh.absence ?? t("connecting")));
		if (may("configuration:read")) await edit.load();
		return settingsPart(edit, all);
	});
	let wasReady = mesh.isReady;
	return {
		title: t("myRadio"),
		node: page(t("myRadio"), linkTo(mesh, "more"), self, settings, codes, all, editBar(edit)),
		/** A radio that is back may have other settings, and another number. What somebody has opened stays open. */
		hear(kind) {
			if (kind !== "status") return;
			put(strip, radioStrip(mesh));
			edit.draw();
			const isBack = !wasReady && mesh.isReady;
			wasReady = mesh.isReady;
			if (!isBack) return;
			if (!self.contains(focused())) self.again();
			if (!find("h2", settings)) settings.again();
			else edit.load().catch((error) => error instanceof Refusal || Promise.reject(error));
		},
	};
};

/** Who it is for others. */
function selfCard(mesh, strip) {
	const { nodeId, shortName, keyWords } = mesh.status;
	return el("section.card",
		strip,
		factList([
			["id", nodeId && el("code", nodeId)],
			["set_owner_short_name", shortName && bdi(shortName)],
		]),
		keyWords && [
			el("h2", t("keyWords")),
			el("p", t("keyWordsLong")),
			el("p.words", keyWords.join(" ")),
		],
		nodeId && el("p", el("a", { href: linkTo(mesh, "n", nodeId) }, t("aboutNode"))),
	);
}

/** What others scan. */
function codeCards(mesh) {
	const { nodeId, contactUrl, channelUrl } = mesh.status;
	return [
		contactUrl &&
		el("section.card",
			el("h2", t("contactCode")),
			el("p", t("contactLong")),
			!lackOf("n") && contactCode(mesh, nodeId, contactUrl),
			copyable(contactUrl, t("link")),
		),
		el("section.card",
			el("h2", t("channelCode")),
			channelUrl
			? channelCode(mesh, channelUrl)
			: "channelUrl" in mesh.status
			? el("p", t("noChannelCode"))
			: [el("p", t("channelCodeScope")), copyable("mesh-gateway channel url --all --qr")],
		),
	];
}
