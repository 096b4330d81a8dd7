// Asking the gateway. Everything here is a request to /api/v1 or its neighbours, with the person's token.

/** Where the gateway's paths begin: behind a proxy perhaps not at the root. */
const root = location.pathname.replace(/\/?$/, "/");

/** What the token may, and what it lacks to be of use, is known once the gateway has said so. */
const session = { token: null, meshes: new Map(), version: null, rights: null, scopes: [], gap: null, name: null };

/** Whether the token has this right, as `token create --scope` names it; `channels:…` is one channel at least. */
function may(right) {
	if (!session.rights) return true;
	const [resource, action] = right.split(":");
	if (resource !== "channels") return session.rights.has(right);
	return [...session.rights].some((one) => one.startsWith("channel_") && one.endsWith(`:${action}`));
}

/** A request that was not answered as wished. Status 0: not answered at all. */
class Refusal extends Error {
	constructor(status, body = {}, retryAfter = null) {
		super(body.message ?? body.error ?? t(status ? "failedWith" : "noAnswer", { n: status }));
		Object.assign(this, { status, body, retryAfter });
	}
}

/**
 * Asks for a path below the root; the answer is JSON, or `as` "text". A silent server is given up after `patience`
 * milliseconds. Under an `id` it is done once, however often it is asked. Throws a Refusal.
 */
async function ask(path, { method = "GET", body, as = "json", patience = 15000, id, token = session.token } = {}) {
	const control = new AbortController();
	const timer = setTimeout(() => control.abort(), patience);
	const began = (live.askedAt = Date.now());
	let response, answer;
	try {
		response = await fetch(root + path, {
			method,
			signal: control.signal,
			credentials: "omit",
			headers: {
				Authorization: `Bearer ${token}`,
				...(body && { "Content-Type": "application/json" }),
				...(id && { "Idempotency-Key": id }),
			},
			body: body && JSON.stringify(body),
		});
		answer = await response[response.ok ? as : "json"]().catch(() => ({}));
	} catch {
		// One slow answer is no lost connection, as long as something else came meanwhile.
		if (!control.signal.aborted || live.heardAt < began) live.lost();
		live.owesAnswers = true;
		throw new Refusal(0);
	} finally {
		clearTimeout(timer);
	}
	live.heard();
	if (response.ok) return answer;
	if (response.status === 401 && token === session.token) signOut(t("tokenRefused"));
	throw new Refusal(response.status, answer, response.headers.get("Retry-After"));
}

/** Or until the signal comes. */
const pauseOf = (milliseconds, end) =>
	new Promise((resolve) => {
		setTimeout(resolve, milliseconds);
		end?.addEventListener("abort", resolve);
	});

/** Below a source; without a mesh below none. */
const sourcePath = (mesh, path) => `api/v1/${mesh ? `sources/${encoded(mesh.id)}/` : ""}${path}`;
const get = async (mesh, path) => (await ask(sourcePath(mesh, path))).data;
const post = (mesh, path, body = {}) => ask(sourcePath(mesh, path), { method: "POST", body });
/** A part of a path or a value of a query. */
const encoded = encodeURIComponent;

/** What a refusal means for a person, with what to type where that helps. */
function reasons(error) {
	if (!(error instanceof Refusal)) throw error;
	const required = error.body.required;
	if (error.status === 403 && required) {
		return missingRight([required.resource, required.action].filter(Boolean).join(":"));
	}
	if (error.body.isReplaced)
		return [el("p", t("pageReplaced")), el("button.main", { click: () => location.reload() }, t("reload"))];
	if (error.status === 429) return [el("p", t("tooOften", { n: error.retryAfter ?? "?" }))];
	return [el("p", error.message)];
}

/** Which rights the token lacks, and what to type for them. */
const missingRight = (...scopes) => [
	el("p", t("scopeMissing", { scope: scopes.join(", ") })),
	el("p", t("onTheBox")),
	allowCommand(scopes),
];

const allowCommand = (scopes) =>
	copyable(["mesh-gateway token allow", shellWord(session.name ?? "NAME"), ...scopes].join(" "));

/** As a shell takes it for one word. */
const shellWord = (word) => (/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The token may do more than when the page was opened, perhaps. */
const lookAgainButton = () =>
	el("button", {
			click: () =>
				attempt(async () => {
					await loadMeshes();
					views.close();
					views.show();
					ringBell();
					// What comes is chosen by what the token may, when the stream begins.
					live.control?.abort("again");
				}),
		},
		t("lookAgain"),
	);

/** Runs what a button starts, and says what went wrong. */
async function attempt(work) {
	try {
		return await work();
	} catch (error) {
		const [first, ...more] = reasons(error);
		toast(first.textContent, ...more);
	}
}

// MARK: what is known of each radio's mesh

/** A source: one radio and what was heard through it. */
class Mesh {
	constructor(row) {
		Object.assign(this, {
			id: row.id,
			sourceName: row.name,
			signal: row.signal,
			status: null,
			self: null,
			conversations: new Map(),
			nodes: new Map(),
		});
		this.asked = {};
	}

	/** As its radio calls itself; the name that somebody gave its source as long as nobody knows that; or none. */
	get radioName() {
		return this.status?.longName || (this.sourceName === "Default" ? "" : this.sourceName);
	}

	/** Radios of one name have their short names, too, and their numbers where that is not enough. */
	get name() {
		const twins = [...session.meshes.values()].filter((one) => one.radioName === this.radioName);
		if (twins.length < 2 || !this.radioName) return this.radioName;
		const short = this.status?.shortName;
		const isAlone = short && twins.filter((one) => one.status?.shortName === short).length === 1;
		const words = [short, !isAlone && (this.self ?? this.id.slice(0, 8))].filter(Boolean);
		return `${this.radioName} (${words.join(" ")})`;
	}

	/** How the radio does; what `self` says of it besides is asked for where it is shown. */
	noteRadio(row) {
		[this.sourceName, this.signal] = [row.name, row.signal];
		if (!("connected" in row)) return this;
		this.status = { ...this.status, ...row };
		this.self = row.nodeId;
		return this;
	}

	/** Why what needs the radio cannot be done now; null while it is there. */
	get absence() {
		const { problem, restarting, since } = this.status?.link ?? {};
		if (restarting) return t("restarting");
		if (this.status?.connected !== false) return null;
		// Of a radio in the network no cable can be pulled, and of one that has just gone nobody knows.
		return t(/absent|no-radio/.test(problem) ? "checkCable" : "radioAwaySince", {
			time: isTime(since) ? shortTime(since) : "?",
		});
	}

	/** A radio that is still telling what it has counts as connected, and answers nothing yet. */
	get isReady() {
		return !this.absence && (this.status?.link?.state ?? "live") === "live";
	}

	/** Then its radio neither sends nor receives. */
	get lacksRegion() {
		return this.status?.link?.problem === "region-unset";
	}

	/** Once; who is new comes by the stream. A list of names is a fifth of all that a table needs. */
	names(fields = nameFields) {
		if (!may("nodes:read")) return Promise.resolve();
		this.asked[fields] ??= get(this, `nodes?limit=10000&fields=${fields}`)
			.then((rows) => rows.forEach((row) => this.hearNode(fields === nameFields ? row : whole(row))))
			.catch((error) => {
				delete this.asked[fields];
				if (error.status !== 403) throw error;
			});
		return this.asked[fields];
	}

	hearNode(row) {
		this.nodes.set(row.nodeId, { ...this.nodes.get(row.nodeId), ...row });
	}

	longName(nodeId) {
		return this.nodes.get(nodeId)?.nickname || this.nodes.get(nodeId)?.longName || nodeId;
	}

	shortName(nodeId) {
		return this.nodes.get(nodeId)?.shortName || nodeId?.slice(-4) || "?";
	}

	/** Who may not know it is not sent to the gateway to hear that. */
	loadStatus() {
		const required = { resource: "info", action: "read" };
		if (!may("info:read")) return Promise.reject(new Refusal(403, { required }));
		const loading = get(this, "self")
			.then((status) => {
				this.status = { ...this.status, ...status };
				this.self = status.nodeId;
			})
			.finally(() => {
				if (this.loadingStatus === loading) this.loadingStatus = null;
			});
		this.loadingStatus = loading;
		return loading;
	}

	/** Unless it is known; who comes while it is asked for waits for the same answer. */
	needStatus() {
		return this.status ?? this.loadingStatus ?? this.loadStatus();
	}

	loadConversations() {
		const loading = get(this === findMesh() ? null : this, "conversations?limit=200")
			.then((rows) => {
				this.conversations = new Map(rows.map((row) => [row.id, row]));
			})
			.finally(() => {
				if (this.loading === loading) this.loading = null;
			});
		this.loading = loading;
		return loading;
	}

	/** One node with all that is known of it: what is said of it must not depend on which lists were opened before. */
	async loadNode(nodeId) {
		this.hearNode(whole(await get(this, `nodes/${encoded(nodeId)}`)));
	}

	/** Likewise. */
	needConversations() {
		return this.conversations.size ? null : (this.loading ?? this.loadConversations());
	}

	get everybody() {
		return [...this.nodes.values()];
	}

	get own() {
		return this.nodes.get(this.self);
	}

	get chats() {
		return [...this.conversations.values()];
	}

	get unread() {
		return this.chats.reduce((sum, row) => sum + (isMuted(row) ? 0 : (row.unreadCount ?? 0)), 0);
	}
}

/** In a node's row with all that lists need, what is left out is not so. */
const whole = (row) => ({ isInDoubt: false, ...row });

const nameFields = "nodeId,longName,shortName,nickname,lastHeard,hopsAway,hasPKC";
const nodeFields =
	`${nameFields},snr,batteryLevel,role,isFavorite,isIgnored,isInDoubt,` +
	"isUnmessagable,viaMqtt,latitude,longitude,positionPrecisionBits,hwModelName";

/** All that somebody may type to find a node. */
function namesOf(node) {
	const names = [node.nickname, node.longName, node.shortName, node.nodeId];
	return names.filter(Boolean).join(" ").toLowerCase();
}

const isMuted = (row) => row.muted === true && (!row.mutedUntil || row.mutedUntil > Date.now());
const isOwn = (row) => row.wantAck === true;
/** What a bridge has taken up is own, too: it is never unread. But somebody else has said it. */
const isMine = (row) => isOwn(row) && row.sender !== "bridge";
const requestNotes = ["Position exchange requested", "Position broadcast sent", "User info exchange requested"];
/** It says that a node was asked for something: nobody has written it. */
const isRequest = (row) => isOwn(row) && row.deliveryState === null && requestNotes.includes(row.text);
/** Online as Meshtastic's clients have it. */
const isOnline = (node) => node.lastHeard > Date.now() / 1000 - 900;

/** A text over a broker has a topic and a writer; its node is none. */
const isOverBroker = (row) => row.topic != null;
/** What is asked of conversations over brokers names no source. They stand in the list of the first radio. */
const meshOf = (mesh, conversation) => (conversation.startsWith("mqtt:") ? null : mesh);

/** The conversation of a row of messages; undefined: one over a broker that is not known yet. */
function conversationOf(row) {
	if (isOverBroker(row)) return findMesh().chats.find((one) => one.sourceId === row.sourceId)?.id;
	if (row.channel >= 0) return `channel:${row.channel}`;
	return `direct:${isOwn(row) ? row.toNodeId : row.fromNodeId}`;
}

function findMesh(sourceId) {
	return session.meshes.get(sourceId) ?? session.meshes.values().next().value;
}

/** What the token may, and the radios that it sees. */
async function loadMeshes() {
	const { token, sources } = (await ask("api/v1/me")).data;
	const known = session.meshes;
	const { scopes, gap, name } = token;
	Object.assign(session, { rights: new Set(token.permissions), scopes, gap, name });
	session.meshes = new Map(sources.map((row) => [row.id, (known.get(row.id) ?? new Mesh(row)).noteRadio(row)]));
}

/** UTF-8, which is what the radio counts. */
const bytesOf = (text) => new TextEncoder().encode(text).length;
const partBytes = 200;
const partLimit = 3;

/** How many packets a text needs at least: the gateway cuts at blanks, so that it can be one more. */
const packetsOf = (text) => Math.max(1, Math.ceil(bytesOf(text.trim()) / partBytes));
