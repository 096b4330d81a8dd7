// Which view is shown: the address says it, `#/SOURCE/VIEW…`. A link to a message or a node can be sent to a friend.

/** Each place with the first word of its address. */
const kindOfPlace = { chats: "", nodes: "n", map: "map", more: "more" };

/**
 * By the first word behind the source: (address) => view. A view has node, title, and perhaps move, hear, leave.
 * An address may hold any word, so that there is no prototype to find `constructor` in.
 */
const viewMakers = Object.create(null);

const views = {
	current: null,
	address: null,

	/** The parts of the address: `#/SOURCE/c/direct:!a1b2c3d4?m=ID`. */
	parse(hash = location.hash) {
		const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
		const [source = "", kind = "", ...rest] = path.split("/").map((part) => {
			try {
				return decodeURIComponent(part);
			} catch {
				return part;
			}
		});
		const isKnown = viewMakers[kind] || annexOfKind[kind];
		return { mesh: findMesh(source), kind: isKnown ? kind : "", rest, query: new URLSearchParams(query) };
	},

	go(hash) {
		if (location.hash === hash) this.show();
		else location.hash = hash;
	},

	show() {
		if (!session.token) return;
		this.begin();
		const address = (this.address = this.parse());
		if (!address.mesh) return this.empty();
		for (const note of document.querySelectorAll(".toast:has(.code)")) note.remove();
		const main = find("#main");
		const maker = lackOf(address.kind)
			? deniedView
			: annexes.lackOf(address)
			? awaitedView
			: viewMakers[address.kind];
		if (
			this.current?.maker === maker &&
			this.current.mesh === address.mesh &&
			this.current.move?.(address)
		) {
			this.entitle();
			past.scrollBack(true);
			return this.focus();
		}
		this.current?.leave?.();
		const view = maker(address);
		this.current = Object.assign(view, { maker, mesh: address.mesh });
		main.className = view.look ?? "";
		put(main, view.node);
		showPlaces();
		this.entitle();
		if (this.hasShown) this.focus();
		this.hasShown = true;
		view.begin?.();
		past.scrollBack();
	},

	/** Where nobody has asked for a view, it is the first that the token may see. */
	begin() {
		if (location.hash.replace(/^#\/?/, "")) return;
		const first = ["", "n", "radio", "packets", "told", "rules", "brokers", "more"].find((kind) => !lackOf(kind));
		const address = this.meet() ?? (first && linkTo(findMesh(), first));
		if (!address) return;
		history.replaceState(history.state, "", address);
		past.addresses.set(past.depth, location.hash);
	},

	/** The address of the set-up that meets a radio from the shop, once in each browser. */
	meet() {
		for (const mesh of session.meshes.values()) {
			const key = `met:${mesh.id}`;
			if (mesh.status?.setup?.length && preferences.get(key) === "auto") {
				preferences.set(key, "yes");
				return linkTo(mesh, "setup");
			}
		}
	},

	/** By the view itself, and in each of its parts that had no answer. */
	askAgain() {
		this.current.again?.();
		for (const box of document.querySelectorAll("#main .later.owed")) box.again();
	},

	close() {
		this.current?.leave?.();
		this.current = null;
		put(find("#main"));
	},

	/** The view's heading is where a reader goes on. */
	focus() {
		(
			[...document.querySelectorAll("#main h1")].filter((one) => one.offsetParent).at(-1) ?? find("#main")
		).focus({ preventScroll: true });
	},

	/** Nobody has answered yet, the token sees no radio, or there is none. */
	empty() {
		const isKnown = session.rights !== null;
		const seesSome = !isKnown || ["nodes:read", "messages:read", "channels:read"].some(may);
		put(
			find("#main"),
			page(
				t(!isKnown ? "noAnswer" : seesSome ? "noRadio" : "noRights"),
				null,
				isKnown && (seesSome ? el("p", t("noRadioLong")) : missingRight("read")),
				el("button", { click: () => signOut() }, t("signOut")),
			),
		);
	},

	entitle() {
		const n = unreadInAll();
		const title = `${this.current?.title ?? "mesh-gateway"} · mesh-gateway`;
		document.title = n ? `(${n}) ${title}` : title;
	},

	hear(kind, data, mesh) {
		if (!this.current || (mesh && mesh !== this.current.mesh)) return;
		this.current.hear?.(kind, data);
		if (kind === "missed") this.current.again?.();
	},

	isReading(mesh, conversation) {
		return (
			!document.hidden &&
			document.hasFocus() &&
			this.current?.mesh === mesh &&
			this.current.reads?.(conversation) === true
		);
	},
};

/** The address of a view. */
const linkTo = (mesh, ...path) =>
	`#/${[mesh?.id ?? "", ...path].map((part) => encoded(part).replaceAll("%3A", ":").replaceAll("%21", "!")).join("/")}`;

/** A page with a heading and a way back to where it hangs. */
function page(title, back, ...content) {
	return el("section.page",
		el("div.row.head",
			back && el("a.back", { href: back }, icon("back"), el("span", t("back"))),
			el("h1", { tabindex: "-1" }, title),
		),
		content,
	);
}

/** What is filled when its answer is there. Without one it is asked for again when the gateway is back, or by hand. */
function later(work, hint = t("loading")) {
	const box = el("div.later", el("p.faint", hint));
	const fillIn = async () => {
		box.classList.remove("owed");
		try {
			const content = await work();
			put(box, content);
		} catch (error) {
			const isOwed = error.status === 0;
			box.classList.toggle("owed", isOwed);
			put(
				box,
				el("div.card.bad", { role: "alert" },
					isOwed ? el("p", t("didNotAnswer")) : reasons(error),
					(isOwed || error.status >= 500) && el("button", { click: again }, t("tryAgain")),
				),
			);
		}
	};
	/** By hand: the button is gone then. */
	const again = () => {
		put(box, el("p.faint", { tabindex: "-1" }, t("loading")));
		box.firstChild.focus();
		fillIn();
	};
	box.again = fillIn;
	fillIn();
	return box;
}

// MARK: what is around every view

function showPlaces() {
	const { mesh, kind } = views.address;
	const now = placeOf[kind] ?? "chats";
	const nav = find("#places");
	if (!nav.firstChild) {
		nav.setAttribute("aria-label", t("places"));
		nav.append(
			...Object.keys(kindOfPlace).map((place) =>
				el("a", { "data-place": place },
					icon(place),
					el("span", t(place)),
					el("span.count", { hidden: true }),
				),
			),
		);
	}
	for (const link of nav.children) {
		link.href = linkTo(mesh, kindOfPlace[link.dataset.place]);
		if (link.dataset.place === now) link.setAttribute("aria-current", "page");
		else link.removeAttribute("aria-current");
	}
	showUnread();
	showConnection();
	showBell();
}

const unreadInAll = () => [...session.meshes.values()].reduce((sum, mesh) => sum + mesh.unread, 0);

function showUnread() {
	views.entitle();
	const n = unreadInAll();
	const count = find("#places .count");
	if (count) {
		count.hidden = n === 0;
		put(count, n > 99 ? "99+" : String(n), el("span.out", ` ${t("unread")}`));
	}
	// The radios that are not looked at have their counts in the switch.
	if (session.meshes.size > 1) showConnection();
}

/** Which radio, and whether what is shown is true now. */
function showConnection() {
	const top = find("#top");
	if (!session.token || !views.address?.mesh) return;
	const mesh = views.address.mesh;
	const isUp = ["live", "polling"].includes(live.state);
	const state = isUp && mesh.absence ? "away" : isUp && mesh.lacksRegion ? "regionless" : live.state;
	const words = {
		away: mesh.absence,
		regionless: t("noRegion"),
		offline: `${t("offlineSince", { time: timeOfDay(live.since) })}. ${t("asOf")}`,
	};
	top.dataset.state = state;
	const all = [...session.meshes.values()];
	if (!top.firstChild) top.append(el("span.who"), el("span.state", el("span.dot", unspoken), el("span.word")));
	find(".word", top).textContent = words[state] ?? t(state);
	const who = find(".who", top);
	const signature = JSON.stringify(
		all.map((one) => [one.id, one.name, one.unread, one.status?.connected, one === mesh]),
	);
	if (who.dataset.signature === signature || who.contains(focused())) return;
	who.dataset.signature = signature;
	put(
		who,
		all.length > 1
		? el("select", {
				label: t("radio"),
				change: (event) => {
					const chosen = session.meshes.get(event.target.value);
					location.hash = linkTo(chosen, views.address.kind.replace(/^c$/, ""));
				},
			},
			all.map((one) =>
				el("option", { value: one.id, selected: one === mesh },
					[
						one.name || t("radio"),
						one.status?.connected === false && t("away"),
						one.unread && `${one.unread} ${t("unread")}`,
					]
					.filter(Boolean)
					.join(" · "),
				),
			),
		)
		: el("b", bdi(mesh.name)),
	);
}

// MARK: what a token may not see

const mapRights = ["nodes:read", "channels:viewOnMap"];
/** What a view needs, by the first word of its address; without a prototype. */
const viewRights = {
	__proto__: null,
	"": ["messages:read"],
	c: ["messages:read"],
	new: ["messages:read"],
	mqtt: ["mqtt:read"],
	search: ["messages:read"],
	n: mapRights,
	map: mapRights,
	waypoints: mapRights,
	links: ["info:read"],
	packets: ["packetmonitor:read"],
	radio: ["info:read"],
	told: ["notifications:read"],
	brokers: ["mqtt:read"],
	rules: ["configuration:read"],
	/** It has a part for each of the two. */
	get targets() {
		return may("configuration:read") ? [] : ["notifications:read"];
	},
};

/** The rights that a view needs and the token lacks; null: none. */
function lackOf(kind) {
	const missing = viewRights[kind]?.filter((right) => !may(right));
	return missing?.length ? missing : null;
}

/** What a view is called before it is there, and where "Back" leads from it. */
function titleOf({ mesh, kind, rest }) {
	const names = { "": "chats", c: "chats", n: "nodes", new: "newMessage", radio: "myRadio" };
	return kind === "n" && rest[0] && !lackOf(kind) ? mesh.longName(rest[0]) : t(names[kind] ?? kind);
}

function backFrom({ mesh, kind, rest }) {
	const first = kindOfPlace[placeOf[kind] ?? "chats"];
	return kind === first && !rest[0] ? null : linkTo(mesh, first);
}

/** In the place of a view: what is missing, and what to type. */
function deniedView(address) {
	const title = titleOf(address);
	const lack = el("div.card.bad", { role: "alert" }, missingRight(...lackOf(address.kind)), lookAgainButton());
	return { title, node: page(title, backFrom(address), lack) };
}

addEventListener("hashchange", () => {
	const offered = takeToken();
	if (offered) return showDoor("", offered);
	past.enter();
	views.show();
});
