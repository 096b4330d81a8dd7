// Conversations over brokers: making one, what it is made of, how it is connected, its key, its bridge to a channel,
// and removing it. What is said in them stands among the chats.

/** Among the chats of the first radio, whichever is looked at. */
const chatOf = (name) => linkTo(null, "c", `mqtt:${name}`);
const reloadChats = () => findMesh().loadConversations().catch(() => {});

const talkPath = (name) => `api/v1/mqtt/conversations/${encoded(name)}`;

/** What the gateway writes to where no topic is given. */
const usualTopic = (all) => all.find((filter) => !/[+#]/.test(filter)) ?? "";

/**
 * The fields of a conversation, each with room for what is wrong with it.
 * @param brokers their names
 * @param save given what differs from before
 */
function talkForm(row, brokers, save) {
	const text = (id, attributes) => el("input", { id, autocomplete: "off", ...attributes });
	const choice = (id, options) => el("select", { id }, options.map(([value, name]) => el("option", { value }, name)));
	const fields = {
		...(!row && { name: text("talk-name", { required: true, maxlength: "32", autocapitalize: "none" }) }),
		title: text("talk-title", { maxlength: "64" }),
		broker: choice("talk-broker", brokers.map((name) => [name, name])),
		filters: el("textarea", { id: "talk-filters", rows: "3", required: true, class: "code" }),
		topic: text("talk-topic", { class: "code" }),
		qos: choice("talk-qos", ["1", "0"].map((value) => [value, t(`talk_qos${value}`)])),
		json: el("input", { id: "talk-json", type: "checkbox" }),
		from: text("talk-from", { maxlength: "64", placeholder: "mesh-gateway" }),
	};
	const wrong = el("div", { role: "alert" });
	const wrongs = {};
	const field = (key) => {
		const one = fields[key];
		wrongs[key] = el("p.bad", { id: `${one.id}-wrong`, lang: "en" });
		const long = el("p.faint", { id: `${one.id}-long` }, t(`talk_${key}Long`));
		one.setAttribute("aria-describedby", `${wrongs[key].id} ${long.id}`);
		const name = one.type === "checkbox" ? el("label.check", one, t(`talk_${key}`)) : labelled(`talk_${key}`, one);
		return el("div", name, wrongs[key], long);
	};
	const lines = () => fields.filters.value.split("\n").map((line) => line.trim()).filter(Boolean);
	const given = () => ({
		...(!row && { name: fields.name.value.trim() }),
		title: fields.title.value.trim(),
		broker: fields.broker.value,
		filters: lines(),
		topic: fields.topic.value.trim() || null,
		qos: Number(fields.qos.value),
		json: fields.json.checked,
		from: fields.from.value.trim(),
	});
	let before;
	/** A topic that comes of the filters is no given one: it changes with them. */
	const showTopic = () => (fields.topic.placeholder = usualTopic(lines()));

	function fillIn() {
		if (row) {
			fields.title.value = row.title;
			fields.broker.value = row.broker;
			fields.filters.value = row.filters.join("\n");
			fields.topic.value = row.topic === usualTopic(row.filters) ? "" : (row.topic ?? "");
			fields.qos.value = String(row.qos);
			fields.json.checked = row.json;
			fields.from.value = row.from;
		}
		showTopic();
		// Of a new one these have to be given.
		before = { ...given(), ...(!row && { name: null, broker: null, filters: null }) };
	}

	/** Beside the field of the member with which the gateway's sentence begins. */
	function refuse(error) {
		const { status, message } = error;
		const [member] = message.split(" ", 1);
		const key = status === 409 ? "name" : status === 400 ? member : "";
		if (!wrongs[key]) return put(wrong, el("div.card.bad", reasons(error)));
		put(wrongs[key], capital(status === 409 ? message : message.slice(member.length + 1)));
		fields[key].setAttribute("aria-invalid", "true");
		fields[key].focus();
	}

	async function submit() {
		put(wrong);
		for (const [key, place] of Object.entries(wrongs)) {
			put(place);
			fields[key].removeAttribute("aria-invalid");
		}
		const isNew = ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]);
		const body = Object.fromEntries(Object.entries(given()).filter(isNew));
		try {
			const saved = await save(body);
			if (!saved) return;
			row = saved;
			fillIn();
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			refuse(error);
		}
	}

	on(fields.filters, "input", showTopic);
	const form = el("form.card", { submit },
		Object.keys(fields).map(field),
		wrong,
		el("button.main", { type: "submit" }, t(row ? "talk_save" : "talk_make")),
	);
	fillIn();
	return form;
}

/** How it is connected, and what waits. */
const talkState = ({ connection, waiting }) =>
	factList([
		["talk_state", t(`talk_${connection.state}`)],
		["talk_since", connection.since && dateAndTime(Date.parse(connection.since))],
		["talk_reason", connection.reason && el("span", { lang: "en" }, bdi(connection.reason))],
		["talk_waiting", number(waiting)],
	]);

// MARK: its key

/** Who can read it, and what came that it could not take. */
const sealFacts = ({ keyId, unopened, unsealed }) =>
	factList([
		["talk_sealed", keyId ? t("talk_withKey", { id: keyId }) : t("talk_inClear")],
		["talk_unopened", unopened > 0 && number(unopened)],
		["talk_unsealed", unsealed > 0 && number(unsealed)],
	]);

/** The gateway shows a key to nobody but users of its computer. */
const keyCommand = (name, ...more) => copyable(["mesh-gateway conversation key", name, ...more].join(" "));

/** @param show given the conversation as it is then */
function sealActions({ name, title, sealed }, show) {
	const path = `${talkPath(name)}/key`;
	const make = async () => {
		const { data } = await ask(path, { method: "POST" });
		toast(t("talk_madeKey", { id: data.keyId }));
		show(data);
	};
	if (!sealed)
		return [
			el("p", t("talk_sealLong")),
			el("button", { click: () => attempt(make) }, t("talk_makeKey")),
			el("p", t("talk_takeKey")),
			keyCommand(name, "--import", "FILE"),
		];
	return [
		el("p", t("talk_sealedLong")),
		el("p", t("talk_showKey")),
		keyCommand(name),
		el("button.danger", { click: () => forgetKey(path, title, show) }, t("talk_forgetKey")),
	];
}

function forgetKey(path, title, show) {
	const wrong = el("div", { role: "alert" });
	const forget = async () => {
		try {
			const { data } = await ask(path, { method: "DELETE" });
			box.close();
			show(data);
		} catch (error) {
			put(wrong, el("div.card.bad", reasons(error)));
		}
	};
	const box = dialog(
		t("talk_forgetTitle", { name: title }),
		el("p", t("talk_forgetLong")),
		wrong,
		el("div.row",
			el("button.main.danger", { click: forget }, t("talk_forgetKey")),
			el("button", { click: () => box.close() }, t("keep")),
		),
	);
}

// MARK: its bridge

/** The channels that the token may read; of several radios each with its own. */
async function channelsForBridge() {
	const meshes = [...session.meshes.values()];
	const rows = await Promise.all(
		meshes.map((mesh) =>
			get(mesh, "channels").catch((error) => (error.status === 403 ? [] : Promise.reject(error))),
		),
	);
	return meshes.flatMap((mesh, index) =>
		rows[index].filter((row) => row.role > 0).map((row) => ({
			source: mesh.id,
			channel: row.id,
			name: [row.displayName, meshes.length > 1 && mesh.name].filter(Boolean).join(", "),
		})),
	);
}

const isChannelOf = (bridge) => (one) => one.source === bridge.source && one.channel === bridge.channel;
const directionOf = ({ up, down }) => (up && down ? "both" : up ? "up" : "down");

/** Where it leads, and what is wrong with that. */
const bridgeFacts = ({ bridge, channels: ever }, channels, isAll) => [
	factList([
		bridge && [
			"channel",
			bdi(channels.find(isChannelOf(bridge))?.name ?? t("channelN", { n: bridge.channel })),
		],
		isAll && bridge && ["talk_direction", t(`talk_${directionOf(bridge)}`)],
		isAll && bridge?.down && ["talk_perHour", number(bridge.textsPerHour)],
		bridge && ["talk_stopped", bridge.reason && el("span.bad", { lang: "en" }, bdi(bridge.reason))],
		bridge?.dropped > 0 && [
			"talk_dropped",
			[number(bridge.dropped), bridge.lastReason && el("p.faint", { lang: "en" }, bdi(bridge.lastReason))],
		],
		["talk_rights", ever.map((n) => t("channelN", { n })).join(", ")],
	]),
	bridge?.reason && el("p", t("talk_againLong")),
	isAll && !bridge && el("p", t("talk_noBridge")),
	bridge?.warnings.map((one) => el("p.bad", { lang: "en" }, bdi(capital(one)))),
];

/** What can be done about it: `draw` is given the conversation. What is typed stays until the bridge is another one. */
function bridgeCard(save) {
	const [about, fields] = [el("div"), el("div")];
	const wrong = el("div", { role: "alert" });
	let drawn;
	const set = async (bridge) => {
		put(wrong);
		try {
			await save({ bridge });
		} catch (error) {
			// The sentence begins with the member.
			const said = error.status === 400
				? el("p", { lang: "en" }, capital(error.message.replace(/^bridge\./, "")))
				: reasons(error);
			put(wrong, el("div.card.bad", said));
		}
	};

	function form(bridge, channels) {
		const options = (all, chosen) =>
			all.map(([value, name]) => el("option", { value, selected: value === chosen }, name));
		const channel = el("select", { id: "talk-channel" },
			options(channels.map((one, index) => [String(index), clip(one.name)])),
		);
		const direction = el("select", { id: "talk-direction", "aria-describedby": "talk-direction-long" },
			options(
				["both", "up", "down"].map((one) => [one, t(`talk_${one}`)]),
				bridge && directionOf(bridge),
			),
		);
		const most = el("input", {
			id: "talk-most",
			type: "number",
			min: "1",
			max: "60",
			required: true,
			"aria-describedby": "talk-most-long",
			value: String(bridge?.textsPerHour ?? 20),
		});
		const submit = () => {
			const place = bridge ?? channels[channel.value];
			return set({
				source: place.source,
				channel: place.channel,
				up: direction.value !== "down",
				down: direction.value !== "up",
				textsPerHour: Number(most.value),
			});
		};
		const saves = !bridge ? "talk_join" : bridge.reason ? "talk_again" : "talk_save";
		if (!bridge && !channels.length) return el("p", t("talk_noChannel"));
		return el("form", { submit },
			!bridge && labelled("channel", channel),
			labelled("talk_direction", direction),
			el("p.faint", { id: "talk-direction-long" }, t("talk_directionLong")),
			labelled("talk_perHour", most),
			el("p.faint", { id: "talk-most-long" }, t("talk_perHourLong")),
			el("div.row.wrap",
				el("button.main", { type: "submit" }, t(saves)),
				bridge && el("button.danger", { click: () => set(null) }, t("talk_end")),
			),
		);
	}
	return {
		element: el("section.card",
			el("h2", t("talk_bridge")),
			el("p", t("talk_bridgeLong")),
			el("p", t("talk_bridgeRights")),
			about,
			fields,
			wrong,
		),
		draw(row, channels) {
			const { bridge } = row;
			const lacksIds = !bridge && !row.json && !row.sealed;
			renew(about, bridgeFacts(row, channels), lacksIds && el("p", t("talk_needsIds")));
			const now = JSON.stringify(bridge, ["source", "channel", "up", "down", "textsPerHour", "reason"]);
			if (now === drawn) return;
			drawn = now;
			const redraw = fields.contains(focused()) ? renew : put;
			redraw(fields, form(bridge, channels));
		},
	};
}

// MARK: all of it

/** For those who may not change it. */
const madeOf = (row) =>
	el("section.card",
		factList([
			["talk_broker", bdi(row.broker)],
			["talk_filters", row.filters.map((filter) => el("p", bdi(filter)))],
			["talk_topic", row.topic && bdi(row.topic)],
			["talk_from", bdi(row.from)],
		]),
	);

/** Everything that is known of a text. */
offers.details = (row) =>
	dialog(
		t("details"),
		later(async () => {
			const { message } = await get(null, `messages/${encoded(row.id)}/details`);
			const { delivery, sender } = message;
			return factList([
				delivery && [
					"delivery",
					[
						deliveryWords({ ...message, deliveryDetail: delivery.state }),
						el("p.faint", { lang: "en" }, delivery.reason),
					],
				],
				["talk_from", bdi(message.writer)],
				["talk_at", bdi(message.topic)],
				[isOwn(message) ? "written" : "cameAt", dateAndSecond(message.createdAt)],
				["dataSize", t("bytesN", { n: bytesOf(message.text) })],
				sender && ["sentBy", sender === "bridge" ? t("talk_byBridge") : bdi(sender)],
			]);
		}),
	);

function removeTalk(name, title) {
	const remove = async () => {
		await ask(talkPath(name), { method: "DELETE" });
		box.close();
		await reloadChats();
		past.replace(linkTo(findMesh(), ""));
	};
	const box = dialog(
		t("talk_removeTitle", { name: title }),
		el("p", t("talk_removeLong")),
		el("div.row",
			el("button.main.danger", { click: () => attempt(remove) }, t("talk_remove")),
			el("button", { click: () => box.close() }, t("keep")),
		),
	);
}

/** Those that a conversation can be given now, and the one that it has. */
async function brokersFor(row) {
	const { brokers, missingLibrary } = await ask("api/v1/mqtt");
	const usable = brokers.filter(({ state }) => !["broken", "stopped"].includes(state));
	const names = new Set([row?.broker, ...usable.map(({ name }) => name)].filter(Boolean));
	return { names: [...names], missingLibrary };
}

viewMakers.mqtt = ({ mesh, rest }) => {
	const [name] = rest;
	const title = name ? (findMesh().conversations.get(`mqtt:${name}`)?.name ?? name) : t("mqtt");
	const heading = el("bdi", title);
	/** Each draws its part of the conversation as it is now. */
	let parts = [];
	let channels;
	const show = (row) => {
		put(heading, clip(row.title));
		for (const draw of parts) draw(row, channels);
	};
	const part = (content) => {
		const element = el("div");
		parts.push((row) => renew(element, content(row)));
		return element;
	};
	const load = async () => {
		const { data } = await ask(talkPath(name));
		// One that has stopped leads to a channel that has another name by now.
		if (!channels || data.bridge?.reason) channels = await channelsForBridge();
		return data;
	};
	const make = async (body) => {
		const { data } = await ask("api/v1/mqtt/conversations", { method: "POST", body });
		await reloadChats();
		past.replace(chatOf(data.name));
	};
	const edit = async (body) => {
		const { data } = await ask(talkPath(name), { method: "PATCH", body });
		toast(t("talk_saved"));
		show(data);
		refreshConversations();
		return data;
	};
	const form = async (row) => {
		const { names, missingLibrary } = await brokersFor(row);
		return [
			missingLibrary && el("p.bad", bdi(missingLibrary)),
			names.length
			? talkForm(row, names, row ? edit : make)
			: el("section.card",
				el("p", t("talk_noBroker")),
				copyable("sudo mesh-gateway mqtt add house mqtt://broker.example --show none"),
			),
		];
	};
	const lack = () => el("section.card", missingRight("mqtt:write"), lookAgainButton());
	const box = later(async () => {
		const mayWrite = may("mqtt:write");
		if (!name) return mayWrite ? [el("p", t("talk_long")), await form()] : lack();
		parts = [];
		const row = await load();
		const bridge = bridgeCard(edit);
		const state = el("section.card", part(talkState));
		const seal = el("section.card",
			el("h2", t("talk_seal")),
			part(sealFacts),
			mayWrite && part((now) => sealActions(now, show)),
		);
		if (mayWrite) parts.push(bridge.draw);
		const content = mayWrite
			? [
				state,
				await form(row),
				seal,
				bridge.element,
				el("button.danger", { click: () => removeTalk(name, heading.textContent) }, t("talk_remove")),
			]
			: [
				state,
				madeOf(row),
				seal,
				el("section.card",
					el("h2", t("talk_bridge")),
					part((now) => bridgeFacts(now, channels, true)),
				),
				lack(),
			];
		show(row);
		return content;
	});
	/** What is typed stays: only what is known is shown anew. */
	const again = async () => {
		if (!name || document.hidden || live.state === "offline" || !box.isConnected) return;
		await load().then(show, () => {});
	};
	const timer = setInterval(again, 5000);
	return {
		title,
		node: page(heading, name ? chatOf(name) : linkTo(mesh, "new"), box),
		again,
		leave: () => clearInterval(timer),
	};
};
