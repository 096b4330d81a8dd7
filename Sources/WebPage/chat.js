// One conversation: its messages, newest at the bottom, and what happens to them.

const pageSize = 50;
/** How many rows a chat keeps in the document, and how many are left when there are more. */
const rowLimit = { most: 600, left: 400 };

function chatPane(mesh, conversation, query) {
	const isDirect = conversation.startsWith("direct:");
	/** Whom its paths name: nobody over a broker. */
	const asked = meshOf(mesh, conversation);
	const peer = isDirect ? conversation.slice(7) : null;
	const info = () =>
		mesh.conversations.get(conversation) ?? {
			id: conversation,
			name: isDirect ? mesh.longName(peer) : asked ? t("channelN", { n: conversation.slice(8) }) : conversation,
		};
	const rows = new Map();
	const shown = new Map();
	const log = el(isDirect ? "div.log" : "div.log.group", {
		role: "log",
		label: t("messages"),
		"aria-live": "off",
	});
	const settle = roving(log, "article", -1);
	const older = el("button.plain", { hidden: true, click: () => loadOlder() }, t("older"));
	const fresh = el("button.fresh", { hidden: true, click: () => showNewest() });
	const scroller = el("div.scroller", older, log);
	const whenFree = handsOff(scroller);
	const trouble = el("div", { role: "alert" });
	const newest = () => list().at(-1)?.createdAt ?? 0;
	/** What the stream has brought before is newer. */
	const sent = (found) => take(found.filter((row) => !rows.has(row.id)).toReversed());
	const writer = composer({ mesh, conversation, peer, info, sent, newest });
	let firstUnread = null;
	/** The message to which a link leads. */
	let meant = null;
	let unseen = 0;
	let hasBefore = false;
	let hasAfter = false;
	let isLoaded = false;
	let isOver = false;

	/** Not scrollIntoView, which moves what is around, too. */
	const show = (element, below) => {
		scroller.scrollTop += element.getBoundingClientRect().top - scroller.getBoundingClientRect().top - below;
	};
	const isAtEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 60;
	/** What came at the same time, as the parts of a long text, stays as the gateway has it. */
	const list = () => [...rows.values()].sort((a, b) => a.createdAt - b.createdAt);

	function drawRows() {
		const wanted = [];
		const all = list();
		const reactions = new Map();
		const byPacket = new Map(all.map((row) => [packetOf(row), row]));
		for (const row of all) {
			if (!row.emoji || !byPacket.has(row.replyId)) continue;
			reactions.set(row.replyId, [...(reactions.get(row.replyId) ?? []), row]);
		}
		let before;
		let day = "";
		for (const row of all) {
			if (row.emoji && byPacket.has(row.replyId)) continue;
			const time = row.createdAt;
			if (dayOf(time) !== day) {
				day = dayOf(time);
				const name = dayName(time);
				wanted.push(mark(`day ${day} ${name}`, name, "day"));
			}
			if (row.id === firstUnread) wanted.push(mark("unread", t("unreadFrom"), "unread"));
			if (isRequest(row)) {
				wanted.push(mark(row.id, `${row.text} · ${timeOfDay(time)}`, "requested"));
				continue;
			}
			const follows =
				before &&
				before.fromNodeId === row.fromNodeId &&
				before.writer === row.writer &&
				isMine(before) === isMine(row) &&
				time - before.createdAt < 300000 &&
				dayOf(time) === dayOf(before.createdAt) &&
				row.id !== firstUnread;
			wanted.push(message(row, byPacket.get(row.replyId), reactions.get(packetOf(row)) ?? [], follows));
			before = row;
		}
		// Of the own node the way is not known, of all others it is.
		const hearsNobody = asked?.own && !mesh.everybody.some((node) => node.hopsAway != null);
		const word = !isLoaded ? "loading" : hearsNobody ? "hearNobody" : "noMessages";
		if (!all.length) wanted.push(mark(word, t(word), "day"));
		syncChildren(log, wanted);
		older.hidden = !hasBefore;
		settle();
	}

	function mark(key, text, look) {
		if (!shown.has(key)) shown.set(key, { element: el(`div.mark.${look}`, null, el("span", text)) });
		return shown.get(key).element;
	}

	function message(row, answered, reactions, follows) {
		const mayReact = asked && !isClosed(mesh.conversations.get(conversation) ?? row);
		const state = JSON.stringify([
			row,
			mayReact,
			answered?.text,
			reactions.map((one) => [one.text, one.fromNodeId, one.deliveryState]),
			follows,
			mesh.shortName(row.fromNodeId),
		]);
		const known = shown.get(row.id);
		// Whoever looks at its options is not disturbed.
		if (known && (known.state === state || find(":popover-open, [aria-busy]", known.element))) return known.element;
		// It stays marked when its delivery comes further.
		const element = messageElement(mesh, row, { answered, reactions, follows, isDirect, mayReact, act });
		element.classList.toggle("meant", row.id === meant);
		if (known) passFocus(known.element, element);
		shown.set(row.id, { state, element });
		return element;
	}

	/** @param found newest first */
	function take(found, keepPlace = false) {
		const atEnd = isAtEnd();
		const height = scroller.scrollHeight - scroller.scrollTop;
		for (const row of found.toReversed()) rows.set(row.id, row);
		writer.look(found);
		drawRows();
		if (keepPlace) scroller.scrollTop = scroller.scrollHeight - height;
		else if (atEnd || found.some((row) => isMine(row) && !row.emoji && Date.now() - row.createdAt < 5000)) toEnd();
		trim();
	}

	/** What is farther from what is seen goes out of the document; it is loaded again when somebody scrolls there. */
	function trim() {
		if (rows.size <= rowLimit.most) return;
		const height = scroller.scrollHeight - scroller.scrollTop;
		const isBelow = scroller.scrollTop > scroller.scrollHeight / 2;
		const all = list();
		const gone = isBelow ? all.slice(0, all.length - rowLimit.left) : all.slice(rowLimit.left);
		for (const { id } of gone) {
			rows.delete(id);
			shown.delete(id);
		}
		if (isBelow) hasBefore = true;
		else showThatMore(true);
		drawRows();
		if (isBelow) scroller.scrollTop = scroller.scrollHeight - height;
	}

	/** Newer ones are not in the document. */
	function showThatMore(isSo) {
		hasAfter = isSo;
		fresh.textContent = t("toNewest");
		fresh.hidden = !isSo;
	}

	function toEnd() {
		scroller.scrollTop = scroller.scrollHeight;
		unseen = 0;
		fresh.hidden = true;
		markRead();
	}

	async function load(parameters) {
		const answer = await ask(
			sourcePath(asked, `messages?conversation=${encoded(conversation)}&limit=${pageSize}${parameters}`),
		);
		isLoaded = true;
		return answer;
	}

	async function loadNewest() {
		// What comes while it is asked for may be too new for the answer, and stays.
		const known = [...rows.values()];
		const answer = await load("");
		if (isOver) return;
		[hasBefore, hasAfter] = [answer.hasBefore === true, false];
		if (!known.length) firstUnread = unreadBegins(answer.data);
		for (const row of known)
			if (row.createdAt >= (answer.data.at(-1)?.createdAt ?? Infinity)) rows.delete(row.id);
		const atEnd = isAtEnd() || !known.length;
		take(answer.data);
		if (!atEnd) return;
		const line = find(".mark.unread", log);
		if (line && firstUnread && !unreadShown) {
			show(line, 8);
			unreadShown = true;
			if (isAtEnd()) markRead();
		} else toEnd();
	}
	let unreadShown = false;

	function unreadBegins(found) {
		let left = info().unreadCount ?? 0;
		if (!left) return null;
		let first = null;
		for (const row of found) {
			if (isOwn(row) || row.emoji) continue;
			first = row.id;
			left -= 1;
			if (!left) break;
		}
		return first;
	}

	async function loadOlder() {
		if (!hasBefore || older.disabled) return;
		older.disabled = true;
		await attempt(async () => {
			const answer = await load(`&before=${encoded(list()[0].id)}`);
			hasBefore = answer.hasBefore === true;
			// Of what came at the same time these stand first.
			const known = list().toReversed();
			rows.clear();
			take([...known, ...answer.data], true);
		});
		older.disabled = false;
	}

	/** Behind the last that is there: they stand below what is seen. */
	async function loadNewer() {
		if (!hasAfter || fresh.disabled) return;
		fresh.disabled = true;
		await attempt(async () => {
			const answer = await load(`&after=${encoded(list().at(-1).id)}`);
			for (const row of answer.data) rows.set(row.id, row);
			showThatMore(answer.hasAfter === true);
			drawRows();
			trim();
		});
		fresh.disabled = false;
	}

	/** Around a message that a link names. */
	async function loadAround(name) {
		const answer = await load(`&around=${encoded(name)}`);
		meant = name;
		[hasBefore, hasAfter] = [answer.hasBefore === true, answer.hasAfter === true];
		take(answer.data);
		const element = shown.get(name)?.element;
		if (element) show(element, scroller.clientHeight / 3);
		element?.focus({ preventScroll: true });
		showThatMore(hasAfter);
	}

	async function showNewest() {
		if (hasAfter) {
			rows.clear();
			await attempt(loadNewest);
		}
		toEnd();
		writer.focus();
	}

	const markRead = debounced(async () => {
		const row = info();
		const last = list().at(-1);
		if (!last || !views.isReading(mesh, conversation) || !isAtEnd() || hasAfter) return;
		bell.read(mesh, conversation);
		if (!row.unreadCount) return;
		row.unreadCount = 0;
		showUnread();
		await post(asked, `conversations/${encoded(conversation)}/read`, { messageId: last.id }).catch(() => {});
		views.hear("conversations", {}, mesh);
	}, 300);

	async function begin() {
		// In a direct chat only one node has a name, and there is more to know of it than lists have.
		const known = peer ? mesh.loadNode(peer) : mesh.names();
		known.then(
			() => {
				if (isOver) return;
				whenFree(drawRows);
				drawHead();
			},
			() => {},
		);
		await Promise.allSettled([mesh.needConversations(), mesh.needStatus()]);
		if (isOver) return;
		drawHead();
		try {
			const name = query.get("m");
			if (name) await loadAround(name);
			else await loadNewest();
		} catch (error) {
			// It was deleted, or the link was cut off on its way.
			if ([400, 404].includes(error.status) && query.get("m")) {
				put(trouble, el("p.note", t("messageGone")));
				await attempt(loadNewest);
			} else {
				put(log);
				put(trouble, el("div.card.bad", reasons(error)));
			}
		}
		if (!isOver && matchMedia("(pointer: fine)").matches && !query.get("m")) writer.focus();
	}

	on(
		scroller,
		"scroll",
		() => {
			if (scroller.scrollTop < 80 && hasBefore && !older.disabled) loadOlder();
			if (hasAfter && isAtEnd()) loadNewer();
			else if (!hasAfter && isAtEnd() && !fresh.hidden) toEnd();
			else if (isAtEnd()) markRead();
		}, { passive: true },
	);
	addEventListener("focus", markRead);

	const act = {
		reply: (row) => writer.reply(row),
		reload: (row) => take([row]),
		drop(row) {
			rows.delete(row.id);
			drawRows();
		},
	};
	const heading = el("h1", { tabindex: "-1" });
	const about = el("p.faint");
	const pane = el("section.pane",
		el("div.row.head",
			el("a.back", { href: linkTo(mesh, "") }, icon("back"), el("span", t("back"))),
			el("div.grow", heading, about),
			chatMenu(mesh, conversation, info),
		),
		trouble,
		el("div.stack", scroller, fresh),
		writer.node,
	);

	/** The name may come later than the view: a link leads here. */
	function drawHead() {
		const { name } = info();
		put(heading, peer ? el("a", { href: linkTo(mesh, "n", peer), tabindex: "-1" }, bdi(name)) : bdi(name));
		const line = peer
			? peerLine(mesh, peer)
			: asked
			? info().isPublic && [icon("open"), " ", t("publicChannel")]
			: [t("mqtt"), " ", cutOff(info())];
		put(about, realName(mesh, peer), line, isMuted(info()) && [" ", icon("mute"), " ", t("muted")]);
		pane.setAttribute("aria-label", name);
		writer.drawHint();
		views.entitle();
	}

	function note(kind, data) {
		if (isOver) return;
		if (kind === "message" && conversationOf(data) === conversation) {
			const isNew = !rows.has(data.id);
			const atEnd = isAtEnd();
			if (hasAfter && isNew) return;
			take([data]);
			if (isNew && !isMine(data) && !data.emoji) {
				saySoon(data.writer ?? mesh.shortName(data.fromNodeId), data.text);
				if (!atEnd) {
					unseen += 1;
					fresh.textContent = t("newMessages", { n: unseen });
					fresh.hidden = false;
				}
			}
		} else if (kind === "delivery" && rows.has(data.id)) {
			noteDelivery(rows.get(data.id), data);
			drawRows();
			writer.drawHint();
		} else if (kind === "message-deleted" && rows.delete(data.id)) drawRows();
		else if (kind === "notification") markRead();
		else if (kind === "minute") {
			drawHead();
			drawRows();
		} else if (["status", "conversations"].includes(kind) || (kind === "node" && data.nodeId === peer))
			drawHead();
	}

	drawHead();
	drawRows();
	return {
		get title() {
			return info().name;
		},
		node: pane,
		begin,
		reads: (one) => one === conversation && isAtEnd(),
		again: () => {
			put(trouble);
			if (!rows.size) begin();
			else if (!hasAfter) attempt(loadNewest);
		},
		leave() {
			isOver = true;
			removeEventListener("focus", markRead);
			writer.leave();
		},
		hear: (kind, data) => whenFree(() => note(kind, data)),
	};
}

/** A packet is what replies and reactions name. */
const packetOf = (row) => row.requestId ?? Number(row.id.split("_").at(-1));

function noteDelivery(row, event) {
	if (event.deliveryState) row.deliveryState = event.deliveryState;
	if ("routingErrorCode" in event) row.routingErrorCode = event.routingErrorCode;
	row.deliveryDetail = event.state ?? event.delivery?.state ?? row.deliveryDetail;
}

/** Puts these elements into a parent in this order, and leaves alone those that stand right. */
function syncChildren(parent, wanted) {
	const kept = new Set(wanted);
	for (const child of [...parent.childNodes])
		if (!kept.has(child)) child.remove();
	wanted.forEach((child, index) => {
		if (parent.childNodes[index] !== child) parent.insertBefore(child, parent.childNodes[index] ?? null);
	});
}

/** In a row that is drawn anew the same thing is focused, or the row where that is gone. */
function passFocus(before, after) {
	const one = focused();
	if (!before.contains(one)) return;
	const alike = (row) => [...row.querySelectorAll("a, button")].filter((other) => other.className === one.className);
	const same = alike(after)[alike(before).indexOf(one)] ?? after;
	// Some of it is seen only where the focus is in the row.
	queueMicrotask(() => {
		for (const next of [after, same]) next.focus({ preventScroll: true });
	});
}

/** At most one sentence in five seconds for those who listen. */
const saySoon = (() => {
	let count = 0;
	let timer = null;
	return (name, text) => {
		count += 1;
		timer ??= setTimeout(() => {
			announce(count === 1 ? `${name}: ${text}` : t("newMessages", { n: count }));
			[count, timer] = [0, null];
		}, 300);
	};
})();

/** Beside a nickname, which only this gateway knows; for others the node is called so. */
function realName(mesh, nodeId) {
	const { nickname, longName } = mesh.nodes.get(nodeId) ?? {};
	return nickname && longName && longName !== nickname ? [bdi(longName), " · "] : [];
}

function peerLine(mesh, peer) {
	const node = peer && mesh.nodes.get(peer);
	if (!node) return [];
	const way = peer !== mesh.self && hopsText(node.hopsAway);
	return [t("heardAgo", { when: heardAgo(node) }), way && ` · ${way}`];
}

const hopsText = (hops) => (hops == null ? t("hopsUnknown") : hops === 0 ? t("direct") : t("hops", { n: hops }));

function chatMenu(mesh, conversation, info) {
	const peer = conversation.startsWith("direct:") ? conversation.slice(7) : null;
	const asked = meshOf(mesh, conversation);
	const set = (change) =>
		attempt(async () => {
			await post(asked, `conversations/${encoded(conversation)}/mute`, change);
			refreshConversations();
		});
	const hour = 3600000;
	return menu({ class: "plain round", label: t("chatOptions") }, icon("menu"), () => [
		peer && [t("aboutNode"), () => views.go(linkTo(mesh, "n", peer))],
		!peer && [
			t(asked ? "channelOptions" : "topicOptions"),
			() => views.go(linkTo(mesh, ...conversation.split(":"))),
		],
		[t("searchChat"), () => views.go(`${linkTo(mesh, "search")}?in=${encoded(conversation)}`)],
		...(isMuted(info())
			? [
				[t("unmute"), () => set({ muted: false })]
			]
			: [
				[t("muteHour"), () => set({ muted: true, mutedUntil: Date.now() + hour })],
				[t("muteWeek"), () => set({ muted: true, mutedUntil: Date.now() + 168 * hour })],
				[t("muteForGood"), () => set({ muted: true })],
			]),
		[t("readAll"), () => attempt(() => post(asked, `conversations/${encoded(conversation)}/read`))],
		[t("markUnread"), () => markUnread(mesh, conversation)],
	]);
}

/** Also from a message on: marks may go back. */
async function markUnread(mesh, conversation, messageId) {
	await attempt(async () => {
		const path = `conversations/${encoded(conversation)}/unread`;
		await post(meshOf(mesh, conversation), path, messageId ? { messageId } : {});
		refreshConversations();
		views.go(linkTo(mesh, ""));
	});
}
