// Annexes: scripts of their own with the views that are not the first screen, their texts and their styles.
// annexes.json says what is in each; deploy/page makes them.
//
// 1. One is fetched when a view of it is opened, or once nobody has waited for anything for a few seconds: then it is
//    there when the gateway is away.
// 2. Its address has its digest, so that the browser keeps it, and the policy of this document names the digest: what
//    was changed on its way does not run. It runs as an inline script: not every browser takes a digest for a file.
// 3. An upgrade replaces it. Then this document is old, too, and has to be loaded anew.

/** By the first word of an address: the annex that has the view. Without a prototype. */
const annexOfKind = {
	__proto__: null,
	search: "air",
	links: "air",
	packets: "air",
	map: "map",
	waypoints: "map",
	radio: "settings",
	channel: "settings",
	join: "settings",
	told: "told",
	rules: "told",
	targets: "told",
	brokers: "told",
	mqtt: "talks",
	setup: "setup",
};

/** What an annex has for views of others, by its name. */
const offers = Object.create(null);

/** What has become of a text of an annex: nothing else may become a script. */
const annexPolicy = window.trustedTypes?.createPolicy("annex", { createScript: (text) => text });

const annexes = {
	/** Those that are there. */
	known: new Set(),
	/** Those that are being fetched: whoever comes meanwhile waits for the same. */
	underway: new Map(),
	/** The gateway has others now, as after an upgrade. */
	areReplaced: false,
	timer: null,

	/** The one that this view needs and that is not there. */
	lackOf({ kind, rest }) {
		const name = kind === "n" && rest[0] ? "node" : annexOfKind[kind];
		return name && !this.known.has(name) ? name : null;
	},

	/** Called by each annex at its end. */
	take(name, style) {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(style);
		document.adoptedStyleSheets.push(sheet);
		this.known.add(name);
	},

	/** Resolves when it is there. Throws a Refusal. */
	need(name) {
		if (this.known.has(name)) return null;
		if (!this.underway.has(name))
			this.underway.set(name, this.fetch(name).finally(() => this.underway.delete(name)));
		return this.underway.get(name);
	},

	async fetch(name) {
		let response, text;
		try {
			response = await fetch(`${root}annex/${name}.${annexDigests[name].slice(7).replace(/\W/g, "")}.js`, {
				credentials: "omit",
				signal: AbortSignal.timeout(15000),
				// What a proxy has changed is not to be kept.
				cache: this.areReplaced ? "reload" : "default",
			});
			text = await response.text();
		} catch {
			live.owesAnswers = true;
			if (!(await live.check())) live.lost();
			throw new Refusal(0);
		}
		if (response.ok) this.run(text);
		if (this.known.has(name)) return;
		this.areReplaced = response.ok || response.status === 404;
		throw new Refusal(response.status, { isReplaced: this.areReplaced });
	},

	run(text) {
		const script = document.createElement("script");
		script.text = annexPolicy?.createScript(text) ?? text;
		document.head.append(script);
		script.remove();
	},

	/** What an annex offers under this name, once it is there. */
	async offer(annex, name) {
		await this.need(annex);
		return offers[name];
	},

	/** Fetches the rest, one after another, while nobody waits for anything else. */
	fetchAhead() {
		clearTimeout(this.timer);
		const name = Object.keys(annexDigests).find((one) => !this.known.has(one));
		if (!name || this.areReplaced) return;
		this.timer = setTimeout(async () => {
			const isIdle = Date.now() - Math.max(live.askedAt, live.touchedAt) > 3000;
			if (session.token && isIdle && live.state !== "offline") {
				try {
					await this.need(name);
				} catch (error) {
					if (!(error instanceof Refusal)) throw error;
				}
			}
			this.fetchAhead();
		}, 1500);
	},
};

/** In the place of a view that is still being fetched, or cannot be. */
function awaitedView(address) {
	const { hasShown } = views;
	const box = later(async () => {
		await annexes.need(annexes.lackOf(address));
		if (views.current !== view) return;
		// Whoever has opened the page here has moved nowhere yet.
		views.hasShown = hasShown;
		views.show();
	});
	const view = { title: titleOf(address), node: page(titleOf(address), backFrom(address), box), again: box.again };
	return view;
}
