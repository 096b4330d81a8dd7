// What is typed in each chat: a text, what it answers, and the text that is on its way to the gateway. It belongs to
// this tab and to the chat, and outlives the view and a reload.
//
// 1. A text gets an id before it is handed over (`Idempotency-Key`), and keeps it until the gateway has answered: asked
//    again under the same id the gateway sends nothing twice.
// 2. When the answer is lost the text was perhaps sent. It is handed over again as soon as the gateway answers.
// 3. A refusal is an answer: then it was not sent.

const boxPrefix = (mesh) => `${home}draft:${mesh.id}:`;
const boxes = new Map();

/** 128 bits of chance; `crypto.randomUUID` is missing over plain http. */
function newSendId() {
	const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
	return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Enough to tell tokens apart: ids of one are nothing to another. */
const tokenMark = () => session.token?.slice(0, 14);

class Box {
	constructor(mesh, conversation) {
		this.key = boxPrefix(mesh) + conversation;
		this.conversation = conversation;
		this.isSending = false;
		this.problem = null;
		/** Of the view that shows it. */
		this.changed = () => {};
		this.sent = () => {};
		let kept = {};
		try {
			kept = JSON.parse(sessionStorage.getItem(this.key)) ?? {};
		} catch {
			/* forbidden, or from an older version */
		}
		this.text = kept.text ?? "";
		this.answers = kept.answers ?? null;
		this.pending = kept.pending ?? null;
	}

	/** The answer to the text that was handed over is lost. */
	get isDoubtful() {
		return this.pending?.isDoubtful === true && !this.isSending;
	}

	keep() {
		const { text, answers, pending } = this;
		try {
			const kept = JSON.stringify({ text, answers, pending });
			if (text || answers || pending) sessionStorage.setItem(this.key, kept);
			else sessionStorage.removeItem(this.key);
		} catch {
			/* it counts as long as the page is open */
		}
	}

	/** @param newest the time of the newest message that is known, by the gateway's clock */
	async send(mesh, body, newest = 0) {
		const isSame = this.pending && JSON.stringify(this.pending.body) === JSON.stringify(body);
		if (!isSame || this.pending.by !== tokenMark())
			this.pending = { id: newSendId(), by: tokenMark(), body, newest };
		await this.handOver(mesh);
	}

	async handOver(mesh) {
		const { pending } = this;
		if (this.isSending || !pending) return;
		[this.isSending, this.problem] = [true, null];
		this.changed();
		let data;
		try {
			// Given to a silent server, it could go out after its sender was told that it did not.
			if ((Date.now() - live.heardAt > 1000 || live.state === "offline") && !(await live.check()))
				throw new Refusal(0);
			pending.isDoubtful = true;
			this.keep();
			({ data } = await ask(sourcePath(meshOf(mesh, this.conversation), "messages"), {
				method: "POST",
				body: pending.body,
				patience: 8000,
				id: pending.id,
			}));
			this.settle();
		} catch (error) {
			if (error.status > 0) pending.isDoubtful = false;
			this.problem = error;
			this.keep();
			// Where everything else comes through, nobody says when to try again.
			if (this.pending.isDoubtful && live.state !== "offline")
				setTimeout(() => this.isDoubtful && this.handOver(mesh), 3000);
		} finally {
			this.isSending = false;
			this.changed();
		}
		if (data) await this.show(mesh, data);
	}

	/** It was sent: what is still in the box as it was goes. */
	settle() {
		const { text } = this.pending.body;
		this.pending = this.problem = null;
		if (this.text.trim() === text)[this.text, this.answers] = ["", null];
		this.keep();
		views.hear("conversations", {});
		announce(t("sentToGateway"));
	}

	/** The rows of what was sent. That one of them is gone already, or comes later by the stream, is no failure. */
	async show(mesh, data) {
		const found = await Promise.allSettled(
			(data.messageIds ?? [data.messageId]).map((one) =>
				get(meshOf(mesh, this.conversation), `messages/${encoded(one)}`),
			),
		);
		const rows = found.map((one) => one.value).filter(Boolean);
		this.sent(rows);
		// What the stream has told of it since is newer.
		const last = mesh.conversations.get(this.conversation)?.lastMessage;
		for (const row of rows)
			if (row.id !== last?.id) noteMessage(mesh, row);
	}

	/** Somebody with another token sees that the text is there. */
	find(rows) {
		if (!this.isDoubtful || this.pending.by === tokenMark()) return;
		const { body, newest } = this.pending;
		if (!rows.some((row) => isOwn(row) && row.text === body.text && row.createdAt > newest)) return;
		this.settle();
		this.changed();
	}
}

function boxOf(mesh, conversation) {
	const key = boxPrefix(mesh) + conversation;
	if (!boxes.has(key)) boxes.set(key, new Box(mesh, conversation));
	return boxes.get(key);
}

const draftOf = (mesh, conversation) => boxOf(mesh, conversation).text;

/** The gateway answers again: what it may not have got is handed over once more, in whatever chat it is. */
function sendDoubtful() {
	for (const mesh of session.meshes.values()) {
		const prefix = boxPrefix(mesh);
		let keys = [];
		try {
			keys = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
		} catch {
			/* forbidden */
		}
		for (const box of keys.map((key) => boxOf(mesh, key.slice(prefix.length))))
			if (box.isDoubtful && box.pending.by === tokenMark()) box.handOver(mesh);
	}
}

/** For what has no box, as a reaction: under one id, and once more when the answer is lost. */
async function postOnce(mesh, path, body) {
	const id = newSendId();
	const hand = () => ask(sourcePath(mesh, path), { method: "POST", body, id });
	try {
		return await hand();
	} catch (error) {
		if (error.status > 0 || !(await live.check())) throw error;
		return hand();
	}
}
