// Telling this browser also while no page of it is open: it registers with its push service, and the gateway with that.
// What is shown then is the work of sw.js. Nothing is asked of a person who has not clicked.

const workerAddress = `${root}sw.js`;

/** Nothing else becomes the address of a worker. */
const workerPolicy = window.trustedTypes?.createPolicy("sw", { createScriptURL: () => workerAddress });

/**
 * What this browser remembers of its registration, under the token that has made it: "auto" for none, its number and
 * its endpoint, or "gone".
 */
const pushNote = {
	get key() {
		return `push:${session.name}`;
	},
	get value() {
		return preferences.get(this.key);
	},
	set value(value) {
		preferences.set(this.key, value);
	},
	get id() {
		return Number.parseInt(this.value, 10);
	},
	get endpoint() {
		return this.value.split(" ")[1];
	},
};

/** Why this browser cannot be told, as the key of a text that says what to do, too; undefined: it can. */
function pushObstacle() {
	if (!isSecureContext) return "pushPlain";
	if (navigator.serviceWorker && window.PushManager && window.Notification)
		return Notification.permission === "denied" ? "pushDenied" : undefined;
	// Only browsers of iPhones and iPads know this word.
	return navigator.standalone === false ? "pushHome" : "pushNoService";
}

/** The page's worker, if it has one. What else the host has may have others. */
async function workerHere() {
	const found = await navigator.serviceWorker.getRegistration(root);
	return found?.scope === new URL(root, location).href ? found : undefined;
}

async function subscriptionHere() {
	return (await workerHere())?.pushManager.getSubscription();
}

/** Whether a subscription is for the gateway's push key, in base64url. A browser may not tell. */
function isForKey(subscription, key) {
	const given = subscription.options?.applicationServerKey;
	if (!given) return true;
	const text = btoa(String.fromCharCode(...new Uint8Array(given)));
	return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === key;
}

/** How it is with this browser: off, on, gone, or otherKey. One that is not on any more is told by the page itself. */
async function pushState({ key, note, registrations }) {
	if (pushNote.value === "auto") return "off";
	const subscription = await subscriptionHere();
	const isKnown =
		registrations.some(({ id }) => id === pushNote.id) && subscription?.endpoint === pushNote.endpoint;
	const isOther = subscription && !isForKey(subscription, key);
	if (isKnown && !isOther) return "on";
	// Meanwhile it was registered, or removed.
	if (pushNote.value !== note) return pushState(await askForPushes());
	pushNote.value = "gone";
	return isOther ? "otherKey" : "gone";
}

async function askForPushes() {
	const note = pushNote.value;
	const [{ key }, found] = await Promise.all([get(null, "push/key"), get(null, "push/registrations")]);
	return { key, note, ...found };
}

/** As its owner would call it: "Firefox, Linux". */
function browserName() {
	const agent = navigator.userAgent;
	const browsers = ["Edg", "OPR", "SamsungBrowser", "Firefox", "Chrome", "Safari"];
	const names = { Edg: "Edge", OPR: "Opera", SamsungBrowser: "Samsung Internet" };
	const browser = browsers.find((word) => agent.includes(`${word}/`));
	const [system] = /iPhone|iPad|Android|Windows|Mac OS|CrOS|Linux/.exec(agent) ?? [];
	return [names[browser] ?? browser ?? t("pushBrowser"), system].filter(Boolean).join(", ");
}

/** A worker that is new starts in a moment. */
function isActive(worker) {
	const next = worker.installing ?? worker.waiting;
	if (worker.active || !next) return null;
	return new Promise((done) => {
		on(next, "statechange", () => next.state === "activated" && done());
	});
}

/** A browser without a way to its push service may wait for it for good. */
function soonEnough(work) {
	const tooLate = pauseOf(30000).then(() => {
		throw new DOMException(t("pushSilent"));
	});
	return Promise.race([work, tooLate]);
}

/** Called by a click: a browser asks its person for leave only then. */
async function registerHere() {
	if ((await Notification.requestPermission()) !== "granted") throw new DOMException(t("pushNotAllowed"));
	const { key } = await get(null, "push/key");
	const address = workerPolicy?.createScriptURL("") ?? workerAddress;
	const worker = await navigator.serviceWorker.register(address, { scope: root });
	await soonEnough(isActive(worker));
	let subscription = await worker.pushManager.getSubscription();
	// The push service may have ended the one that is gone.
	if (subscription && (pushNote.value === "gone" || !isForKey(subscription, key))) {
		await subscription.unsubscribe();
		subscription = null;
	}
	subscription ??= await soonEnough(
		worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }),
	);
	const { endpoint, keys } = subscription.toJSON();
	const body = { endpoint, keys, name: browserName() };
	const { id } = await ask("api/v1/push/register", { method: "POST", body });
	pushNote.value = `${id} ${endpoint}`;
}

async function removePush(id) {
	const isHere = id === pushNote.id;
	await ask(`api/v1/push/registrations/${id}`, { method: "DELETE" });
	if (!isHere) return;
	pushNote.value = "auto";
	await (await subscriptionHere())?.unsubscribe();
}

async function testPush(id) {
	const path = `api/v1/push/registrations/${id}/test`;
	const { data } = await ask(path, { method: "POST", body: {} });
	return offers.tested(data.registrations[0], async () =>
		(await get(null, "push/registrations")).registrations.find((one) => one.id === id), );
}

const timeIn = (text) => (text ? dateAndTime(Date.parse(text)) : t("never"));

function pushWords({ state, failingSince }) {
	if (state === "no-apns") return t("pushNoApple");
	return failingSince ? t("failsSince", { when: timeIn(failingSince) }) : t("inForce");
}

/** One registration: whose it is, and how it does. */
function pushRow(id, changed) {
	const about = el("div");
	const trial = offers.trial(() => testPush(id));
	const remove = el("button", {
			click: () =>
				attempt(async () => {
					await removePush(id);
					await changed();
					views.focus();
				}),
		},
		t("pushRemove"),
	);
	return {
		element: el("section.card.push", { "data-id": `push-${id}` },
			about,
			trial.word,
			el("div.row.wrap", trial.button, remove),
		),
		draw(row, isHere) {
			const name = row.name ?? row.address;
			for (const button of [trial.button, remove])
				button.setAttribute("aria-label", `${button.textContent}: ${inSentence(name)}`);
			const isBad = row.failingSince || row.state !== "ready";
			renew(
				about,
				el("h2", bdi(name), isHere && el("span.faint", ` (${t("pushThisOne")})`)),
				el("p.faint", bdi(row.address)),
				factList([
					["brokerState", el(isBad ? "span.bad" : "span", pushWords(row))],
					["brokerReason", row.failingSince && row.error && bdi(row.error)],
					["token", row.token.name !== session.name && bdi(row.token.name)],
					["rules", row.rules && bdi(row.rules.join(", "))],
					["pushSince", timeIn(row.registeredAt)],
					["waiting", row.waiting > 0 && number(row.waiting)],
					["lastArrival", timeIn(row.toldAt)],
				]),
			);
			trial.draw(row);
			trial.button.hidden = row.state !== "ready";
		},
	};
}

/** What rules tell, and how to be told of more. */
const pushRules = (mesh, rules) => [
	el("p",
		rules.length
		? [
			t("pushRules"),
			" ",
			rules.map(({ name, builtIn }, at) => [
				at ? ", " : "",
				builtIn ? bdi(name) : offers.ruleLink(mesh, name),
				builtIn && ` (${t("pushBuiltIn")})`,
			]),
		]
		: t("pushNoRules"),
	),
	el("p", t("pushMore")),
	copyable("sudo mesh-gateway rule add health"),
];

/** Fills the part of *Where to* that is about browsers and apps: returns what draws it again. */
offers.pushes = (mesh, node) => {
	const [state, wrong, told, list] = [el("div"), el("p.bad", { role: "alert" }), el("div"), el("div")];
	const rows = new Map();
	const button = el("button.main", { hidden: true });
	const draw = async () => {
		const found = await askForPushes();
		const obstacle = pushObstacle();
		const here = obstacle ? "off" : await pushState(found);
		const words = { on: "pushOn", gone: "pushGone", otherKey: "pushOtherKey", off: "pushOff" };
		renew(state, el(here === "on" || here === "off" ? "p" : "p.bad", t(obstacle ?? words[here])));
		button.hidden = Boolean(obstacle) || here === "on";
		put(button, t(here === "off" ? "pushButton" : "pushAnew"));
		renew(told, pushRules(mesh, found.rules));
		const isHere = ({ id }) => here === "on" && id === pushNote.id;
		const order = found.registrations.toSorted((a, b) => isHere(b) - isHere(a) || a.id - b.id);
		for (const row of order) {
			if (!rows.has(row.id)) rows.set(row.id, pushRow(row.id, draw));
			rows.get(row.id).draw(row, isHere(row));
		}
		syncChildren(list, order.map(({ id }) => rows.get(id).element));
	};
	on(button, "click", async () => {
		button.disabled = true;
		put(wrong);
		try {
			await registerHere();
			await draw();
			announce(t("pushOn"));
		} catch (error) {
			put(wrong, error instanceof Refusal ? reasons(error) : error.message);
			await draw().catch(() => {});
		}
		button.disabled = false;
		if (button.hidden) views.focus();
	});
	put(node, el("section.card", el("h2", t("pushHere")), state, button, wrong, told), list);
	return draw;
};

/** Says when this browser's registration is gone: from then on the page tells by itself again. */
async function watchPush() {
	if (!session.token || !notices.isPushed || pushObstacle()) return;
	try {
		const state = await pushState(await askForPushes());
		if (state === "on") return;
		const link = el("a", { href: linkTo(findMesh(), "targets"), click: () => note.remove() }, t("targets"));
		const note = toast(t(state === "gone" ? "pushGone" : "pushOtherKey"), link);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		// The token may not read notifications any more: nothing is sent, and the page tells by itself.
		if (error.status === 403) pushNote.value = "gone";
	}
}

watchPush();
setInterval(watchPush, 36e5);
