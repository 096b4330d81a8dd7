// The service worker: shows what the gateway has pushed to this browser, also while no page is open. It asks nobody for
// anything, keeps nothing, and has no token. A push is an object of texts: title, body, tag, link, type, id, createdAt.
// What it cannot read it shows as a word of the gateway: a push that shows nothing is held against the page.

/** The address of the page, below which it works. */
const home = self.registration.scope;

/** The page's windows; those of its documentation, or of what else the host has, are none. */
async function pages() {
	const all = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
	return all.filter(({ url }) => url.replace(/[?#].*/s, "").replace(/\/?$/, "/") === home);
}

/** A text of a stranger, without what turns the texts around it. */
const said = (value) => (typeof value === "string" ? value.replace(/[\u202a-\u202e\u2066-\u2069]/g, "") : "");

function read(push) {
	try {
		return push.json() ?? {};
	} catch {
		return {};
	}
}

/** A page that is seen shows it itself. But somebody who tries it out wants to see it. */
async function show({ title, body, tag, link, type, createdAt }) {
	const isSeen = (await pages()).some((page) => page.visibilityState === "visible");
	if (isSeen && type !== "test") return;
	const time = Date.parse(createdAt);
	await self.registration.showNotification(said(title) || "mesh-gateway", {
		body: said(body),
		tag: said(tag),
		// What replaces another one is news, too.
		renotify: said(tag) !== "",
		icon: "icon.png",
		data: said(link),
		...(time > 0 && { timestamp: time }),
	});
}

/** What it is about, in the page that is open, else in a new one. */
async function open(link) {
	const view = String(link).startsWith("#/") ? link : "";
	const [page] = await pages();
	if (!page) return self.clients.openWindow(home + view);
	if (view) page.postMessage(view);
	return page.focus();
}

/** Until it is done; what fails is nobody's to mend here. */
const lasts = (event, work) => event.waitUntil(work.catch(() => {}));

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("push", (event) => lasts(event, show(read(event.data))));
self.addEventListener("notificationclick", (event) => {
	event.notification.close();
	lasts(event, open(event.notification.data));
});
