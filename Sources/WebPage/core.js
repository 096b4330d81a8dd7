// What every view stands on: pictures, names, icons, texts, storage, and how a time, a number or a distance is written.

const focused = () => document.activeElement;

/** For what is said in words beside it. */
const unspoken = { "aria-hidden": "true" };

/** The same as `el`, of a picture. */
function svg(name, ...content) {
	const [tag, ...classes] = name.split(".");
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, content);
}

/** No radio has a name as long, or so many accents on a letter: they would push aside what stands around them. */
function clip(text, most = 240) {
	if (!(text?.length > 24)) return text;
	const letters = [...text].slice(0, most).join("");
	return letters.replace(/(\p{M}{4})\p{M}+/gu, "$1");
}

/** Within a sentence there is no element around a name: what turns the text is taken out. */
const inSentence = (value) => (value?.length ? clip(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, "") : value);

/** A name that a stranger has chosen: what is in it cannot turn the text around it. */
const bdi = (text) => el("bdi", clip(text));

/** What a pen draws on a square of 24 by 24 (the `d` of an SVG path). */
const icons = {
	chats: "M4 5h16v11H9l-5 4z",
	nodes: "M12 11a1.5 1.5 0 1 0 .01 0M12 14v7M8 8a6 6 0 0 0 0 9M16 8a6 6 0 0 1 0 9" +
		"M5 5a10 10 0 0 0 0 15M19 5a10 10 0 0 1 0 15",
	map: "M9 4 3 6v14l6-2 6 2 6-2V4l-6 2zM9 4v14M15 6v14",
	more: "M4 7h16M4 12h16M4 17h16",
	send: "M4 12 20 4l-5 16-3-7z",
	back: "M15 5l-7 7 7 7",
	key: "M7 8a4 4 0 1 0 .01 0M11 12h10v4M17 12v3",
	star: "m12 4 2.4 5 5.6.7-4 3.8 1 5.5-5-2.7-5 2.7 1-5.5-4-3.8 5.6-.7z",
	search: "M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.5 20 20",
	plus: "M12 5v14M5 12h14",
	menu: "M12 6v.01M12 12v.01M12 18v.01",
	mute: "M6 10v4h3l5 4V6l-5 4zM17 9l4 6M21 9l-4 6",
	pin: "M12 21s7-6.5 7-11a7 7 0 0 0-14 0c0 4.5 7 11 7 11zM12 8v4",
	close: "M6 6l12 12M18 6 6 18",
	open: "M6 11h12v9H6zM9 11V7a3 3 0 0 1 5.8-1",
	bell: "M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
};

/** A picture beside words, never in place of them. */
function icon(name) {
	return svg("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: icons[name] }));
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
	get(key) {
		return this.store?.getItem(home + key) ?? null;
	},
	set(key, value) {
		try {
			if (value === null || value === "") this.store?.removeItem(home + key);
			else this.store?.setItem(home + key, value);
		} catch {
			/* full, or forbidden: it is not remembered */
		}
	},
};

/** Appearance and units are no secret: they stay on the device. */
const preferences = {
	get(key) {
		try {
			return localStorage.getItem(`${home}taste:${key}`) ?? "auto";
		} catch {
			return "auto";
		}
	},
	set(key, value) {
		try {
			localStorage.setItem(`${home}taste:${key}`, value);
		} catch {
			/* it counts until the page is closed */
		}
	},
};

function applyPreferences() {
	const scheme = preferences.get("scheme");
	document.documentElement.dataset.scheme = scheme;
	find("meta[name=color-scheme]").content = scheme === "auto" ? "light dark" : scheme;
}

// MARK: times and numbers

const locale = navigator.languages;
/** Before this the clock of a host or a node was not set. */
const earliest = Date.UTC(2015, 0, 1);

function clockOptions() {
	const hours = preferences.get("clock");
	return hours === "auto" ? {} : { hour12: hours === "12" };
}

const isTime = (time) => Number.isFinite(time) && time > earliest;
const timeOfDay = (time) =>
	isTime(time)
	? new Date(time).toLocaleTimeString(locale, { timeStyle: "short", ...clockOptions() })
	: t("unknownTime");
const dateAndTime = (time) =>
	isTime(time)
	? new Date(time).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short", ...clockOptions() })
	: t("unknownTime");
/** To the second, for what is compared with a log. */
const secondOfDay = (time) =>
	isTime(time)
	? new Date(time).toLocaleTimeString(locale, { timeStyle: "medium", ...clockOptions() })
	: t("unknownTime");
const dateAndSecond = (time) =>
	isTime(time)
	? new Date(time).toLocaleString(locale, { dateStyle: "medium", timeStyle: "medium", ...clockOptions() })
	: t("unknownTime");
const dayOf = (time) => (isTime(time) ? new Date(time).toDateString() : "");

function dayName(time) {
	if (!isTime(time)) return t("unknownTime");
	const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / 864e5);
	if (days === 0) return t("today");
	if (days === 1) return t("yesterday");
	const year = new Date(time).getFullYear() === new Date().getFullYear() ? undefined : "numeric";
	return new Date(time).toLocaleDateString(locale, {
		weekday: days < 7 ? "long" : undefined,
		day: "numeric",
		month: "long",
		year,
	});
}

/** Today the time, else the day. */
const shortTime = (time) =>
	dayOf(time) === new Date().toDateString()
	? timeOfDay(time)
	: isTime(time)
	? new Date(time).toLocaleDateString(locale, { day: "numeric", month: "short" })
	: "";

const relative = new Intl.RelativeTimeFormat("en-GB", { numeric: "always", style: "short" });

/** "4 min ago". What is in the future by a wrong clock is now. */
function ago(time, now = Date.now()) {
	if (!isTime(time)) return t("unknownTime");
	const seconds = Math.max(0, (now - time) / 1000);
	if (seconds < 60) return t("justNow");
	if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), "minute");
	if (seconds < 86400) return relative.format(-Math.floor(seconds / 3600), "hour");
	return relative.format(-Math.floor(seconds / 86400), "day");
}

/** "3 hours": in the largest unit that fits. */
function duration(seconds) {
	const [unit, size] = [
		["day", 86400],
		["hour", 3600],
	].find(([, one]) => seconds >= one) ?? ["minute", 60];
	return Math.floor(seconds / size).toLocaleString("en", { style: "unit", unit, unitDisplay: "long" });
}

const heardAgo = (node) => ago(node.lastHeard * 1000);

const number = (value, digits = 1) => Number(value).toLocaleString(locale, { maximumFractionDigits: digits });

function isImperial() {
	const units = preferences.get("units");
	return units === "auto" ? /-(US|LR|MM)$/.test(navigator.language) : units === "imperial";
}

function distance(metres) {
	if (isImperial()) return metres < 300 ? `${number(metres * 3.281, 0)} ft` : `${number(metres / 1609.34)} mi`;
	return metres < 1000 ? `${number(metres, 0)} m` : `${number(metres / 1000)} km`;
}

const temperature = (celsius) => (isImperial() ? `${number(celsius * 1.8 + 32)} °F` : `${number(celsius)} °C`);
const decibels = (value) => `${number(value, 2)} dB`;

/** Metres between two places (haversine), and degrees from north. */
function courseBetween(a, b) {
	const radians = Math.PI / 180;
	const [φ1, φ2] = [a.latitude * radians, b.latitude * radians];
	const [Δφ, Δλ] = [φ2 - φ1, (b.longitude - a.longitude) * radians];
	const h = Math.sin(Δφ / 2) ** 2 + Math.cos(φ1) * Math.cos(φ2) * Math.sin(Δλ / 2) ** 2;
	const bearing = Math.atan2(
		Math.sin(Δλ) * Math.cos(φ2),
		Math.cos(φ1) * Math.sin(φ2) - Math.sin(φ1) * Math.cos(φ2) * Math.cos(Δλ),
	);
	return { metres: 12742000 * Math.asin(Math.min(1, Math.sqrt(h))), bearing: (bearing / radians + 360) % 360 };
}

/** "1.4 km, 312° NW". */
function farText(a, b) {
	const { metres, bearing } = courseBetween(a, b);
	const direction = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][Math.round(bearing / 45) % 8];
	return `${distance(metres)}, ${Math.round(bearing)}° ${direction}`;
}

const hasPosition = (node) =>
	Number.isFinite(node?.latitude) &&
	Number.isFinite(node?.longitude) &&
	(node.latitude !== 0 || node.longitude !== 0);

/** Metres by which a place may be wrong, as so many of its bits are told; null: nobody knows, or all of them. */
function reachOf({ positionPrecisionBits: bits }) {
	return bits > 0 && bits < 32 ? 2 ** (31 - bits) * 1e-7 * 111320 : null;
}

/** The gateway says from which dB on a signal is good or fair: it goes by the modem of the radio that has heard it. */
function quality(mesh, snr) {
	if (!Number.isFinite(snr)) return null;
	return snr >= mesh.signal.good ? "good" : snr >= mesh.signal.fair ? "fair" : "weak";
}

/** A number of a packet or a node as people write it: eight digits. */
const numberText = (value) => `!${value.toString(16).padStart(8, "0")}`;

/** Of a number, as the radio sends it; a node on the way may have left none. */
function nodeIdOf(hop) {
	if (typeof hop !== "number") return hop;
	return hop === 0xffffffff ? t("unnamed") : `!${hop.toString(16).padStart(8, "0")}`;
}

/** A name of the protocol as people write it: "RANGE_TEST_APP" is "Range test". */
function plainName(name) {
	return capital(name.replace(/_APP$/, "").replaceAll("_", " ").toLowerCase());
}

/** Where words of a sentence stand alone. */
const capital = (words) => words[0].toUpperCase() + words.slice(1);

/** Calls `work` once, when nothing has asked for `wait` milliseconds. */
function debounced(work, wait) {
	let timer;
	return (...given) => {
		clearTimeout(timer);
		timer = setTimeout(work, wait, ...given);
	};
}
