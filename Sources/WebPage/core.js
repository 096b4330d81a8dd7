
// What every view stands on: elements, texts, storage, the way a time or a number is written.

/** The first element that a selector means. */
const find = (selector, root = document) => root.querySelector(selector);

/**
 * Makes an element. Texts only become text: nothing from outside is ever markup.
 * Attributes: functions are listeners (a form is never sent by the browser), true is an empty attribute, label is what it is called for those who listen, null and false are left out.
 */
function el(name, ...content) {
	const [tag, ...classes] = name.split(".");
	return fill(document.createElement(tag), classes, content);
}

/** The same of a picture. */
function draw(name, ...content) {
	const [tag, ...classes] = name.split(".");
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, content);
}

function fill(element, classes, content) {
	const attributes = Object.getPrototypeOf(content[0] ?? 0) === Object.prototype ? content.shift() : {};
	if (classes.length) element.setAttribute("class", classes.join(" "));
	if (element.localName === "button") element.type = "button";
	for (const [key, value] of Object.entries(attributes)) {
		if (value == null || value === false) continue;
		if (key === "submit") on(element, key, (event) => {
			event.preventDefault();
			value(event);
		});
		else if (typeof value === "function") on(element, key, value);
		else if (key.startsWith("--")) element.style.setProperty(key, value);
		else if (key === "value") element.value = value;
		else element.setAttribute(key === "label" ? "aria-label" : key, value === true ? "" : value);
	}
	element.append(...there(content));
	return element;
}

const focused = () => document.activeElement;

const on = (element, kind, work, options) => element.addEventListener(kind, work, options);

/** What of it there is: null and false stand for nothing. */
const there = (content) => content.flat(3).filter((child) => child != null && child !== false);

/** In place of what was in an element. */
const put = (element, ...content) => element.replaceChildren(...there(content));

/** For what is said in words beside it. */
const unspoken = { "aria-hidden": "true" };

/** No radio has a name as long as this, or so many accents on a letter: they would push aside what stands around them. */
const clip = (text, most = 240) => (text?.length > 24 ? [...text].slice(0, most).join("").replace(/(\p{M}{4})\p{M}+/gu, "$1") : text);
/** Within a sentence there is no element around a name: what turns the text is taken out. */
const inSentence = (value) => (value?.length ? clip(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, "") : value);

/** A name that a stranger has chosen: what is in it cannot turn the text around it. */
const bdi = (text) => el("bdi", clip(text));

const icons = {
	chats: "M4 5h16v11H9l-5 4z", nodes: "M12 11a1.5 1.5 0 1 0 .01 0M12 14v7M8 8a6 6 0 0 0 0 9M16 8a6 6 0 0 1 0 9M5 5a10 10 0 0 0 0 15M19 5a10 10 0 0 1 0 15",
	map: "M9 4 3 6v14l6-2 6 2 6-2V4l-6 2zM9 4v14M15 6v14", more: "M4 7h16M4 12h16M4 17h16",
	send: "M4 12 20 4l-5 16-3-7z", back: "M15 5l-7 7 7 7", key: "M7 8a4 4 0 1 0 .01 0M11 12h10v4M17 12v3",
	star: "m12 4 2.4 5 5.6.7-4 3.8 1 5.5-5-2.7-5 2.7 1-5.5-4-3.8 5.6-.7z", search: "M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.5 20 20",
	plus: "M12 5v14M5 12h14", menu: "M12 6v.01M12 12v.01M12 18v.01", mute: "M6 10v4h3l5 4V6l-5 4zM17 9l4 6M21 9l-4 6",
	pin: "M12 21s7-6.5 7-11a7 7 0 0 0-14 0c0 4.5 7 11 7 11zM12 8v4", close: "M6 6l12 12M18 6 6 18",
};

/** A picture beside words, never in place of them. */
function icon(name) {
	return draw("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: icons[name] }));
}

const plurals = new Intl.PluralRules("en");

/** A text of the table, with what stands in its {braces}. `KEY_one` is its form for one. */
function t(key, values = {}) {
	const form = "n" in values && plurals.select(Number(values.n)) === "one" ? texts[`${key}_one`] : undefined;
	return (form ?? texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => inSentence(values[name]) ?? "");
}

// MARK: what is remembered

/** Below this path: two gateways behind one name do not share a token. */
const home = location.pathname;

/** Kept in the tab; or on this device, once somebody has asked for it. */
const memory = {
	get store() {
		try {
			return localStorage.getItem(`${home}token`) ? localStorage : sessionStorage;
		} catch {
			return null;
		}
	},
	get(key) { return this.store?.getItem(home + key) ?? null; },
	set(key, value) {
		try {
			if (value === null || value === "") this.store?.removeItem(home + key);
			else this.store?.setItem(home + key, value);
		} catch { /* full, or forbidden: it is not remembered */ }
	},
};

/** Appearance and units are no secret: they stay on the device. */
const taste = {
	get(key) { try { return localStorage.getItem(`${home}taste:${key}`) ?? "auto"; } catch { return "auto"; } },
	set(key, value) { try { localStorage.setItem(`${home}taste:${key}`, value); } catch { /* it counts until the page is closed */ } },
};

function applyTaste() {
	const scheme = taste.get("scheme");
	document.documentElement.dataset.scheme = scheme;
	find("meta[name=color-scheme]").content = scheme === "auto" ? "light dark" : scheme;
}

// MARK: times and numbers

const locale = navigator.languages;
/** Before this the clock of a host or a node was not set. */
const earliest = Date.UTC(2015, 0, 1);

function clockOptions() {
	const hours = taste.get("clock");
	return hours === "auto" ? {} : { hour12: hours === "12" };
}

const isTime = (at) => Number.isFinite(at) && at > earliest;
const timeOfDay = (at) => isTime(at)
	? new Date(at).toLocaleTimeString(locale, { timeStyle: "short", ...clockOptions() }) : t("unknownTime");
const dateAndTime = (at) => isTime(at)
	? new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short", ...clockOptions() }) : t("unknownTime");
const dayOf = (at) => (isTime(at) ? new Date(at).toDateString() : "");

function dayName(at) {
	if (!isTime(at)) return t("unknownTime");
	const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 864e5);
	if (days === 0) return t("today");
	if (days === 1) return t("yesterday");
	const year = new Date(at).getFullYear() === new Date().getFullYear() ? undefined : "numeric";
	return new Date(at).toLocaleDateString(locale, { weekday: days < 7 ? "long" : undefined, day: "numeric", month: "long", year });
}

/** Today the time, else the day. */
const shortTime = (at) => (dayOf(at) === new Date().toDateString() ? timeOfDay(at)
	: isTime(at) ? new Date(at).toLocaleDateString(locale, { day: "numeric", month: "short" }) : "");

const relative = new Intl.RelativeTimeFormat("en-GB", { numeric: "always", style: "short" });

/** "4 min ago". What is in the future by a wrong clock is now. */
function ago(at, now = Date.now()) {
	if (!isTime(at)) return t("unknownTime");
	const seconds = Math.max(0, (now - at) / 1000);
	if (seconds < 60) return t("justNow");
	if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), "minute");
	if (seconds < 86400) return relative.format(-Math.floor(seconds / 3600), "hour");
	return relative.format(-Math.floor(seconds / 86400), "day");
}

/** "3 hours": in the largest unit that fits. */
function duration(seconds) {
	const [unit, size] = [["day", 86400], ["hour", 3600]].find(([, one]) => seconds >= one) ?? ["minute", 60];
	return Math.floor(seconds / size).toLocaleString("en", { style: "unit", unit, unitDisplay: "long" });
}

const heardAgo = (node) => ago(node.lastHeard * 1000);

const number = (value, digits = 1) => Number(value).toLocaleString(locale, { maximumFractionDigits: digits });

function isImperial() {
	const units = taste.get("units");
	return units === "auto" ? /-(US|LR|MM)$/.test(navigator.language) : units === "imperial";
}

function distance(metres) {
	if (isImperial()) return metres < 300 ? `${number(metres * 3.281, 0)} ft` : `${number(metres / 1609.34)} mi`;
	return metres < 1000 ? `${number(metres, 0)} m` : `${number(metres / 1000)} km`;
}

const temperature = (celsius) => (isImperial() ? `${number(celsius * 1.8 + 32)} °F` : `${number(celsius)} °C`);
const decibels = (value) => `${number(value, 2)} dB`;

/** Metres between two places (haversine), and degrees from north. */
function way(a, b) {
	const radians = Math.PI / 180;
	const [φ1, φ2] = [a.latitude * radians, b.latitude * radians];
	const [Δφ, Δλ] = [φ2 - φ1, (b.longitude - a.longitude) * radians];
	const h = Math.sin(Δφ / 2) ** 2 + Math.cos(φ1) * Math.cos(φ2) * Math.sin(Δλ / 2) ** 2;
	const bearing = Math.atan2(Math.sin(Δλ) * Math.cos(φ2), Math.cos(φ1) * Math.sin(φ2) - Math.sin(φ1) * Math.cos(φ2) * Math.cos(Δλ));
	return { metres: 12742000 * Math.asin(Math.min(1, Math.sqrt(h))), bearing: (bearing / radians + 360) % 360 };
}

/** "1.4 km, 312° NW". */
function farText(a, b) {
	const { metres, bearing } = way(a, b);
	return `${distance(metres)}, ${Math.round(bearing)}° ${"N NE E SE S SW W NW".split(" ")[Math.round(bearing / 45) % 8]}`;
}

const hasPlace = (node) => Number.isFinite(node?.latitude) && Number.isFinite(node?.longitude)
	&& (node.latitude !== 0 || node.longitude !== 0);

/** LoRa reads down to about -20 dB at the slowest setting; these steps are what people call it. */
function quality(snr) {
	if (!Number.isFinite(snr)) return null;
	return snr >= 0 ? "good" : snr >= -8 ? "fair" : "weak";
}

/** Calls `work` once, when nothing has asked for `wait` milliseconds. */
function settled(work, wait) {
	let timer;
	return (...given) => {
		clearTimeout(timer);
		timer = setTimeout(work, wait, ...given);
	};
}

/** One sentence for those who listen, and a short note for those who look. */
function announce(text) { find("#said").textContent = text; }

function toast(text, ...more) {
	const note = el("div.toast", { role: "group" }, el("p", text), more,
		el("button.plain", { click: () => note.remove() }, t("close")));
	find("#toasts").append(note);
	announce(text);
	if (!more.length) setTimeout(() => note.remove(), 8000);
	return note;
}

/** A dialog that Escape closes; what was focused before is focused afterwards. */
function dialog(title, ...content) {
	const before = focused();
	const heading = el("h2", { id: "dialog-title", tabindex: "-1" }, title);
	const box = el("dialog", { "aria-labelledby": "dialog-title" },
		el("div.row.spread", heading,
			el("button.plain", { click: () => box.close() }, icon("close"), el("span", t("close")))),
		content);
	on(box, "close", () => {
		box.remove();
		if (before?.isConnected) before.focus();
	});
	document.body.append(box);
	box.showModal();
	heading.focus();
	return box;
}

/** A text to copy: by a button where the browser can, else by selecting it (plain http has no clipboard). */
function copyable(text, label = t("copy")) {
	const field = el("textarea.code", { readonly: true, rows: "1", value: text, label: label, focus() {
			field.select();
			// What is selected already is not scrolled to again.
			field.scrollIntoView({ block: "nearest" });
		} });
	const button = navigator.clipboard && el("button", {
		click: async () => {
			try {
				await navigator.clipboard.writeText(text);
				announce(t("copied"));
				button.textContent = t("copied");
			} catch { field.focus(); }
		},
	}, label);
	return el("span.copyable", field, button);
}

/** Choices behind one button: `items` gives [text, action] when it is opened. Arrow keys move, Escape closes. */
function menu(attributes, content, items) {
	const list = el("div.menu", { role: "menu", popover: "auto" });
	const button = el("button", { "aria-haspopup": "menu", title: attributes.label, ...attributes, click: () => openMenu(list, button, items().filter(Boolean)) }, content);
	return [button, list];
}

function openMenu(list, anchor, items) {
	put(list, items.map(([text, action]) => el("button", { role: "menuitem", tabindex: "-1", click: () => {
		list.hidePopover();
		action();
	} }, text)));
	list.onkeydown = (event) => {
		const all = [...list.children];
		const at = all.indexOf(focused());
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
		if (to === undefined) {
			if (event.key === "Tab") list.hidePopover();
			return;
		}
		event.preventDefault();
		all[(to + all.length) % all.length].focus();
	};
	list.ontoggle = (event) => {
		if (event.newState === "closed" && list.contains(focused())) anchor.focus();
	};
	list.showPopover();
	const box = anchor.getBoundingClientRect();
	const top = box.bottom + list.offsetHeight > innerHeight - 8 ? box.top - list.offsetHeight : box.bottom;
	list.style.top = `${Math.max(8, top)}px`;
	list.style.left = `${Math.max(8, Math.min(box.right - list.offsetWidth, innerWidth - list.offsetWidth - 8))}px`;
	list.firstElementChild?.focus();
}

/** Arrow keys move among the items of a list that is one Tab stop. */
function roving(list, selector, start = 0) {
	const items = () => [...list.querySelectorAll(selector)];
	const set = (item) => {
		for (const other of items()) other.tabIndex = other === item ? 0 : -1;
	};
	on(list, "focusin", (event) => {
		const item = event.target.closest(selector);
		if (item && list.contains(item)) set(item);
	});
	on(list, "keydown", (event) => {
		const all = items();
		const at = all.indexOf(event.target.closest(selector));
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
		if (at < 0 || to === undefined || !all[to] || event.target.closest("dialog, [popover]")) return;
		event.preventDefault();
		all[to].focus();
	});
	return () => {
		const all = items();
		if (!all.some((item) => item.tabIndex === 0)) all.at(start)?.setAttribute("tabindex", "0");
	};
}

/** A table in a region that scrolls by itself; the heads are keys of texts. */
function table(label, heads, rows, look = "plain") {
	return el("div.scroll", { tabindex: "0", role: "region", label: label }, el(`table.${look}`, el("caption.out", label),
		el("thead", el("tr", heads.map((head) => el("th", { scope: "col" }, t(head))))), rows));
}

/** A field under its name. */
const labelled = (key, field) => el("div", el("label", { for: field.id }, t(key)), field);
