// Being up to date: one stream of events while the page is seen, and knowing when nobody answers any more.
//
// 1. The stream says something every 25 s. A longer silence, or a key or tap after a short one, is a reason to ask.
// 2. Whoever does not answer a small question within `patience` is away: that is said at once.
// 3. Hidden, the page has no stream, unless somebody wants to be told of what comes. Shown again it goes on after the
//    last event it has seen.
// 4. A token has four streams. A page that gets none closes nobody's, which would ask for one at once in its turn: it
//    asks every 10 s whether anything has changed, and each minute for a stream.

const live = {
	state: "connecting",
	/** When it was lost, in milliseconds. */
	since: null,
	heardAt: 0,
	touchedAt: 0,
	/** When anything was asked for. */
	askedAt: 0,
	last: "",
	control: null,
	wantsPackets: false,
	probe: null,
	lookTimer: null,
	patience: 4000,
	/** Of the data, as it was told without a stream. */
	version: null,
	/** What came between that and the stream is not known. */
	hasGap: false,
	/** Why there is no stream has been said. */
	hasSaidFull: false,
	/** Something was asked for while nobody answered. */
	owesAnswers: false,

	heard() {
		this.heardAt = Date.now();
	},

	set(state) {
		if (this.state === state) return;
		if (state === "offline") this.since = this.heardAt || Date.now();
		const before = this.state;
		this.state = state;
		showConnection();
		if (state === "offline") announce(t("offlineSince", { time: timeOfDay(this.since) }));
		if (before === "offline" && state !== "connecting") {
			announce(t("liveAgain"));
			this.recover();
		}
		if (["live", "polling"].includes(state)) sendDoubtful();
	},

	/** What was opened during an outage is asked for again. */
	async recover() {
		if (!this.owesAnswers) return;
		this.owesAnswers = false;
		try {
			await loadMeshes();
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			return;
		}
		if (!session.token) return;
		showConnection();
		if (views.current) views.askAgain();
		else views.show();
	},

	/** Nothing comes any more: whoever waits for the stream has to begin again. */
	lost() {
		if (!session.token) return;
		this.set("offline");
		this.control?.abort();
	},

	/** Resolves to whether the gateway answers now. */
	check() {
		this.probe ??= ask("api/v1/ping", { patience: this.patience })
			.then((answer) => {
				noteVersion(answer.server_version);
				return true;
			})
			.catch((error) => error.status > 0)
			.finally(() => {
				this.probe = null;
			});
		return this.probe;
	},

	/** Somebody uses the page: is what it shows still true? */
	touched() {
		if (!session.token || this.state === "offline") return;
		this.touchedAt = Date.now();
		this.lookTimer ??= setTimeout(
			async () => {
					// Whatever has come since says as much as an answer.
					if (this.heardAt < this.touchedAt) await this.check();
					this.lookTimer = null;
				},
				Math.max(0, 2000 - (this.touchedAt - this.heardAt)),
		);
	},

	/** Packets are told only while somebody looks at them: there are many. */
	want(packets) {
		if (this.wantsPackets === packets) return;
		this.wantsPackets = packets;
		this.control?.abort("again");
	},

	/** Nobody looks at a hidden page; but somebody may want to be told of what comes. */
	get isWanted() {
		return !document.hidden || notices.isOn;
	},

	async run() {
		if (this.isRunning) return;
		this.isRunning = true;
		let pause = 0;
		while (session.token && this.isWanted) {
			const began = Date.now();
			const reason = await this.stream();
			if (!session.token || !this.isWanted) break;
			if (reason === "again") continue;
			// One that has just begun and is closed at once would be asked for without end.
			pause = Date.now() - began > 10000 ? 300 : Math.min(3000, pause * 2 || 500);
			if (reason === "full") {
				if (!this.hasSaidFull) toast(t("fullOfStreams"));
				this.hasSaidFull = true;
				await this.poll(6);
			} else if (reason === "unsupported") await this.poll(30);
			else {
				this.set("offline");
				await pauseOf(pause * (0.8 + 0.2 * Math.random()));
			}
		}
		this.isRunning = false;
	},

	/** Until it ends; why, in a word. */
	async stream() {
		const control = (this.control = new AbortController());
		let patience = setTimeout(() => control.abort("silent"), this.patience);
		const eventKinds = ["start", "missed", ...Object.keys(effects), ...(this.wantsPackets ? ["packet"] : [])];
		const after = this.last ? `&after=${encoded(this.last)}` : "";
		try {
			const response = await fetch(`${root}api/v1/events?mayClose=no&kinds=${eventKinds.join(",")}${after}`, {
				headers: { Authorization: `Bearer ${session.token}` },
				signal: control.signal,
				credentials: "omit",
			});
			this.heard();
			if (response.status === 401) return signOut(t("tokenRefused")), "over";
			if (response.status === 400 && after) return (this.last = ""), "again";
			if (response.status === 503) return "full";
			if (!response.ok) return [404, 501, 502, 504].includes(response.status) ? "unsupported" : "refused";
			const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
			let text = "";
			for (;;) {
				const { value, done } = await reader.read();
				if (done) return "ended";
				clearTimeout(patience);
				this.heard();
				this.set("live");
				if (this.hasGap) {
					this.hasGap = false;
					hear("missed", {});
				}
				// A heartbeat comes every 25 s. When it does not, somebody looks.
				patience = setTimeout(async () => {
					if (!(await this.check())) control.abort("silent");
					else patience = setTimeout(() => control.abort("silent"), 20000);
				}, 35000);
				text = this.take(text + value);
			}
		} catch {
			return control.signal.aborted && control.signal.reason === "again" ? "again" : "lost";
		} finally {
			clearTimeout(patience);
		}
	},

	/** Hands on the whole blocks of a text; what is left of it. */
	take(text) {
		const blocks = text.split("\n\n");
		const rest = blocks.pop();
		for (const block of blocks) {
			let kind = "message";
			let data = "";
			for (const line of block.split("\n")) {
				const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
				if (field === "event") kind = value;
				else if (field === "data") data += value;
				else if (field === "id") this.last = value;
			}
			if (!data) continue;
			try {
				hear(kind, JSON.parse(data));
			} catch (error) {
				console.error(`${kind}: ${error.message}`);
			}
		}
		return rest;
	},

	/** For so many times 10 s: has anything changed? There are enough streams, or none comes through a proxy. */
	async poll(turns) {
		for (let turn = 0; turn < turns && session.token && this.isWanted; turn += 1) {
			const control = (this.control = new AbortController());
			try {
				const answer = await ask("api/v1/ping", { patience: this.patience });
				noteVersion(answer.server_version);
				this.set("polling");
				if (this.version !== answer.data_version) hear("missed", {});
				this.version = answer.data_version;
			} catch (error) {
				// Who may not ask that asks for what is shown. What did not answer is said already.
				if (error.status === 403) {
					this.set("polling");
					hear("missed", {});
				} else if (error.status >= 500) this.set("offline");
			}
			this.hasGap = true;
			await pauseOf(10000, control.signal);
			if (control.signal.aborted) return;
		}
	},
};

/** What each kind of event changes, before the open view hears of it. */
const effects = {
	message(mesh, row) {
		noteMessage(mesh, row);
		notices.hear(mesh, row);
	},
	"message-deleted": () => refreshConversations(),
	read(mesh, row) {
		const known = mesh.conversations.get(row.id);
		if (!known) return refreshConversations();
		known.unreadCount = row.unread;
		return showUnread();
	},
	delivery: () => {},
	node: (mesh, row) => (row.deleted ? mesh.nodes.delete(row.id ?? row.nodeId) : mesh.hearNode(whole(row))),
	position: () => {},
	telemetry: () => {},
	channel: () => refreshConversations(),
	traceroute: () => {},
	waypoint: () => {},
	status(mesh, row) {
		const wordOf = () => mesh.absence ?? (mesh.lacksRegion ? t("noRegion") : null);
		const before = wordOf();
		mesh.status = { ...mesh.status, ...row };
		showConnection();
		if (mesh === views.address?.mesh && wordOf() !== before) announce(wordOf() ?? t("radioBack"));
		// No event says that its minute is over, which begins some seconds later at most.
		clearTimeout(mesh.timer);
		if (row.link?.restarting)
			mesh.timer = setTimeout(() => session.token && mesh.loadStatus().then(showConnection, () => {}), 75000);
	},
	problem: () => {},
	solved: () => {},
	notification: (_, row) => bell.hear(row),
};

function hear(kind, data) {
	const mesh = findMesh(data.sourceId ?? data.device_id);
	if (kind === "start") noteVersion(data.version ?? data.server_version);
	if (kind === "missed") {
		refreshConversations();
		ringBell();
	}
	if (mesh) effects[kind]?.(mesh, data);
	// What rules tell is one list for all radios.
	views.hear(kind, data, kind === "notification" ? null : mesh);
}

/** A text that has come moves its conversation to the top. */
function noteMessage(mesh, row) {
	if (isRequest(row)) return;
	const key = conversationOf(row);
	const known = mesh.conversations.get(key);
	if (!known) return refreshConversations();
	const isNew = !known.lastMessage || row.createdAt > known.lastMessage.createdAt;
	if (isNew || known.lastMessage.id === row.id) {
		known.lastMessage = row;
		known.lastSender = row.writer ?? mesh.nodes.get(row.fromNodeId)?.longName ?? known.lastSender;
	}
	if (isNew && !isOwn(row) && !row.emoji && !views.isReading(mesh, key))
		known.unreadCount = (known.unreadCount ?? 0) + 1;
	showUnread();
}

const refreshConversations = debounced(async () => {
	for (const mesh of session.meshes.values()) {
		try {
			await mesh.loadConversations();
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
		}
	}
	showUnread();
	views.hear("conversations", {});
}, 200);

/** A page of an older version speaks with a newer gateway: it offers to begin anew. */
function noteVersion(version) {
	if (!version) return;
	session.version ??= version;
	if (session.version === version || find("#toasts .version")) return;
	const note = toast(
		t("newVersion", { version }),
		el("button.main", { click: () => location.reload() }, t("reload")),
	);
	note.classList.add("version");
}

on(document, "visibilitychange", () => {
	if (document.hidden && !notices.isOn) live.control?.abort("hidden");
	else live.run();
});
addEventListener("pagehide", () => live.control?.abort("hidden"));
addEventListener("pageshow", (event) => event.persisted && live.run());
for (const kind of ["keydown", "pointerdown"])
	addEventListener(kind, () => live.touched(), { capture: true, passive: true });
