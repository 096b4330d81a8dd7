// Conversations over brokers: making one, what it is made of, how it is connected, and removing it. What is said in
// them stands among the chats.

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
				sender && ["sentBy", bdi(sender)],
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
	const state = el("section.card");
	const title = name ? (findMesh().conversations.get(`mqtt:${name}`)?.name ?? name) : t("mqtt");
	const heading = el("bdi", title);
	const show = (row) => {
		put(heading, clip(row.title));
		renew(state, talkState(row));
	};
	const load = async () => (await ask(talkPath(name))).data;
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
	const box = later(async () => {
		const row = name && (await load());
		if (row) show(row);
		if (!may("mqtt:write"))
			return [
				row && [state, madeOf(row)],
				el("section.card", missingRight("mqtt:write"), lookAgainButton()),
			];
		const { names, missingLibrary } = await brokersFor(row);
		return [
			row ? state : el("p", t("talk_long")),
			missingLibrary && el("p.bad", bdi(missingLibrary)),
			names.length
			? talkForm(row, names, row ? edit : make)
			: el("section.card",
				el("p", t("talk_noBroker")),
				copyable("sudo mesh-gateway mqtt add house mqtt://broker.example --show none"),
			),
			row && el("button.danger", { click: () => removeTalk(name, heading.textContent) }, t("talk_remove")),
		];
	});
	/** What is typed stays: only the state is shown anew. */
	const again = async () => {
		if (!name || document.hidden || live.state === "offline" || !state.isConnected) return;
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
