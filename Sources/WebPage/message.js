// A message as one sees it, and what can be done with it.

/** How far an own message has come: a sign, and words. Those of others have no such state. */
const deliveries = {
	pending: ["◷", "onItsWay"],
	queued: ["◷", "queued"],
	handed: ["◷", "withRadio"],
	accepted: ["◷", "withRadio"],
	sent: ["✓", "sent"],
	delivered: ["✓", "relayed"],
	relayed: ["✓", "relayed"],
	brokered: ["✓", "brokered"],
	confirmed: ["✓✓", "received"],
	failed: ["!", "notDelivered"],
	unknown: ["?", "noReceipt"],
	uncertain: ["?", "uncertain"],
	expired: ["!", "expired"],
	cancelled: ["–", "cancelled"],
};

/** Lists say only that it is pending; without a radio it waits. */
function deliveryKey(row) {
	if (row.deliveryState === "confirmed") return row.deliveryState;
	if (isOverBroker(row) && row.deliveryState === "delivered") return "brokered";
	const detail = row.deliveryDetail ?? row.delivery?.state;
	if (deliveries[detail]) return detail;
	const isAway = isOverBroker(row) || session.meshes.get(row.sourceId)?.status?.connected === false;
	return row.deliveryState === "pending" && isAway ? "queued" : row.deliveryState;
}

function deliverySign(row) {
	const [sign, words] = deliveries[deliveryKey(row)] ?? [];
	if (!sign) return null;
	return el("span.delivery", { "data-state": deliveryKey(row), title: t(words) },
		el("span", unspoken, sign),
		el("span.out", ` ${t(words)}`),
	);
}

function deliveryWords(row) {
	const [sign, words] = deliveries[deliveryKey(row)] ?? [];
	if (!sign) return null;
	return el("span.delivery", { "data-state": deliveryKey(row) }, el("span", unspoken, `${sign} `), t(words));
}

/** Links only to the web, with the host to which they go; everything else is text. */
function linked(text) {
	return text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/).map((part, index) => {
		if (index % 2 === 0) return part;
		try {
			const url = new URL(part);
			url.username = url.password = "";
			// What turns the text around it would move the host away from its place.
			return el("a", { href: url.href, dir: "ltr", target: "_blank", rel: "noopener noreferrer", tabindex: "-1" },
				linkWords(part, url),
			);
		} catch {
			return part;
		}
	});
}

/**
 * As it was typed, if that begins with the host to which the link goes. Else as the browser reads it: letters that look
 * like others are punycode, and a name before an @, which could be taken for the host, is left out.
 */
function linkWords(typed, url) {
	const [, host] = /^https?:\/\/([^/\\?#]*)/.exec(typed);
	return host.toLowerCase() === url.host && !/\p{Cf}/u.test(typed) ? typed : url.href;
}

const emojiOnly = (text) =>
	/^(\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f|\s)+$/u.test(text) && [...text].length < 9;

/** An alert is one wherever it is shown; its BEL is none of its letters. */
const bellOf = (row) =>
	row.isAlert ? [el("span.bell", { title: t("alert"), label: t("alert"), role: "img" }, "🔔"), " "] : [];

/** How it came: directly with its signal, or over how many others. */
function reception(row) {
	if (isOwn(row)) return null;
	// Some write under their topic.
	if (isOverBroker(row)) return row.topic !== row.writer && bdi(row.topic);
	if (row.viaMqtt) return t("viaMqtt");
	if (!row.hopStart) return null;
	const hops = row.hopStart - row.hopLimit;
	return hops > 0
		? t("hops", { n: hops })
		: row.rxSnr
		? t("directSnr", { snr: decibels(row.rxSnr) })
		: t("direct");
}

/** Who has written a text, as people call him. */
const writerOf = (mesh, row) => (isMine(row) ? t("you") : (row.writer ?? mesh.longName(row.fromNodeId)));

function messageElement(mesh, row, { answered, reactions, follows, isDirect, mayReact, act }) {
	const own = isMine(row);
	const name = writerOf(mesh, row);
	const arrival = reception(row);
	const [button, list] = menu({ class: "more", tabindex: "-1", label: t("messageOptions") }, icon("menu"), () =>
		messageActions(mesh, row, act),
	);
	// Nobody likes a text twice.
	const isLiked = reactions.some((one) => isOwn(one) && one.text === quickReaction);
	const like = () => react(mesh, row, quickReaction);
	const mayLike = mayReact && !isLiked;
	const counted = new Map();
	for (const one of reactions)
		counted.set(one.text, [
			...(counted.get(one.text) ?? []),
			isOwn(one) ? ownReaction(one) : mesh.longName(one.fromNodeId),
		]);
	const hasFailed = (text) => reactions.some((one) => one.text === text && one.deliveryState === "failed");
	const looks = [
		"message",
		own && "own",
		follows && "follows",
		row.deliveryState === "failed" && "failed",
		row.isAlert && "alert",
	];
	const [, words] = deliveries[deliveryKey(row)] ?? [];
	// Who moves by arrows hears all of it: a label is read in place of what stands in it.
	const spoken = [
		name,
		row.isAlert && t("alert"),
		answered && t("answersTo", { text: answered.text }),
		row.text,
		timeOfDay(row.createdAt),
		words && t(words),
		...[...counted].map(([emoji, who]) => t("reactedWith", { emoji, who: who.join(", ") })),
	];
	const article = el("article", {
			tabindex: "-1",
			"data-id": row.id,
			class: looks.filter(Boolean).join(" "),
			label: spoken.filter(Boolean).join(", "),
			"aria-keyshortcuts": "ArrowRight ArrowLeft Enter",
			keydown: (event) => {
				const step = { ArrowRight: 1, ArrowLeft: -1 } [event.key];
				if (step) return moveWithin(article, step, event);
				if (event.target !== article || (event.key !== "Enter" && event.key !== " ")) return;
				event.preventDefault();
				button.click();
			},
		},
		!own && !isDirect && !follows && avatar(mesh, isOverBroker(row) ? `mqtt:${name}` : row.fromNodeId),
		el("div.bubble",
			!own &&
			!isDirect &&
			!follows &&
			el("a.sender", { href: !isOverBroker(row) && linkTo(mesh, "n", row.fromNodeId), tabindex: "-1" },
				bdi(name),
			),
			row.replyId && !row.emoji
			? el("a.quote", {
					href: answered ? `${linkTo(mesh, "c", conversationOf(row))}?m=${encoded(answered.id)}` : null,
					tabindex: "-1",
				},
				answered
				? el("span",
					el("b", bdi(writerOf(mesh, answered))),
					" ",
					bdi(answered.text),
				)
				: t("answersOlder"),
			)
			: null,
			el("p", { dir: "auto", class: emojiOnly(row.text) ? "text big" : "text" }, bellOf(row), linked(row.text)),
			el("div.meta",
				el("time", { title: dateAndTime(row.createdAt) }, timeOfDay(row.createdAt)),
				arrival && el("button.link", { tabindex: "-1", click: () => showDetails(mesh, row) }, arrival),
				words &&
				el("button.link", { tabindex: "-1", click: () => showDetails(mesh, row) }, deliveryWords(row)),
				row.viaStoreForward && el("span", t("stored")),
				row.spoofSuspected && el("span.bad", t("spoofed")),
			),
			row.deliveryState === "failed" && !isOverBroker(row) && failure(mesh, row, act),
			mayLike &&
			el("button.quick", { tabindex: "-1", label: t("reactWith", { emoji: quickReaction }), click: like },
				quickReaction,
			),
		),
		button,
		list,
		counted.size > 0 &&
		el("div.reactions",
			[...counted].map(([text, who]) =>
				el("button.reaction", {
						tabindex: "-1",
						title: who.join(", "),
						label: t("reactedWith", { emoji: text, who: who.join(", ") }),
						click: () =>
							dialog(
								t("reactions"),
								el("ul",
									[...counted].map(([emoji, names]) =>
										el("li",
											`${emoji} `,
											names.flatMap((one, index) => [index ? ", " : "", bdi(one)]),
										),
									),
								),
							),
					},
					text,
					who.length > 1 ? ` ${who.length}` : "",
					hasFailed(text) && el("b.bad", " !"),
				),
			),
		),
	);
	touched(find(".bubble", article), { twice: mayLike && like, long: () => button.click(), list });
	return article;
}

/** A reaction goes over the air, too. */
const ownReaction = (row) => (row.deliveryState === "failed" ? `${t("you")} (${t("notDelivered")})` : t("you"));

/** Sideways, arrows lead through what is in a message: it is one Tab stop whatever it holds. */
function moveWithin(article, step, event) {
	const all = [article, ...article.querySelectorAll("a[href], .bubble button, .reaction")];
	const target = all[all.indexOf(focused()) + step];
	if (!all.includes(focused()) || !target) return;
	event.preventDefault();
	target.focus();
}

/** By the code of the radio's or the mesh's refusal (Routing.Error): why, and whether news of the node would help. */
const routingErrors = {
	1: ["noRoute"],
	3: ["nobodyConfirmed"],
	4: ["sendsNothing"],
	5: ["nobodyConfirmed"],
	6: ["cannotRead", true],
	7: ["tooLarge"],
	9: ["airTimeUsed"],
	34: ["otherKeyThere", true],
	35: ["knowsNotUs", true],
	38: ["tooSoon"],
	39: ["keyMissing", true],
};

/** Under a text that did not get there: why, and what mends it. */
function failure(mesh, row, act) {
	const peer = row.channel < 0 && row.toNodeId;
	const [found, needsNews] = routingErrors[row.routingErrorCode] ?? [];
	// On a channel nobody's key is the reason.
	const reason = found === "sendsNothing" && mesh.lacksRegion ? "noRegion" : found;
	const why = (peer || !needsNews) && reason;
	const mayAsk = needsNews && peer && may("messages:write") && !mesh.absence;
	const askIt = () =>
		attempt(async () => {
			await post(mesh, "actions/request-nodeinfo", { destination: peer });
			toast(t("askedForNews"));
		});
	return el("div.why",
		why && el("p", t(why)),
		el("div.row.wrap",
			mayAsk && el("button.link", { tabindex: "-1", click: askIt }, t("askForNews")),
			el("button.link", { tabindex: "-1", click: change(mesh, row, act, "resend") }, t("sendAgain")),
		),
	);
}

/** Like a new text it waits for the radio. */
const change = (mesh, row, act, what) => () =>
	attempt(async () => act.reload((await post(mesh, `messages/${encoded(row.id)}/${what}`, { queue: true })).data));

async function messageActions(mesh, row, act) {
	// Over a broker nothing is answered, sent again or taken back.
	const isRadios = !isOverBroker(row);
	const state = isRadios && row.deliveryState;
	const isTold = isRadios && !isOwn(row) && (await areThereRules());
	const mayWrite = isRadios && !isClosed(mesh.conversations.get(conversationOf(row)) ?? row);
	return [
		mayWrite && [t("reply"), () => act.reply(row)],
		mayWrite && [t("react"), () => chooseReaction(mesh, row), mesh.absence],
		[t("copyText"), () => copyText(row.text)],
		[t("details"), () => showDetails(mesh, row)],
		isTold && [t("whyNot"), () => askWhyNot(mesh, `messages/${encoded(row.id)}`, row)],
		state === "failed" && [t("sendAgain"), change(mesh, row, act, "resend")],
		state === "pending" && [t("cancel"), change(mesh, row, act, "cancel")],
		!isOwn(row) && [t("unreadFrom"), () => markUnread(mesh, conversationOf(row), row.id)],
		[
			t("copyLink"),
			() => copyText(`${location.origin}${root}${linkTo(mesh, "c", conversationOf(row))}?m=${encoded(row.id)}`),
		],
		isRadios && may("messages:write") && [t("delete"), () => confirmDeletion(mesh, row, act)],
	];
}

/**
 * Whether anybody could have been told anything, as far as the token may know. The answer may be a minute old; one that
 * does not come soon is a no, and is there the next time.
 */
async function areThereRules() {
	if (!may("configuration:read")) return false;
	if (Date.now() - ruleCount.askedAt > 60000 || ruleCount.token !== session.token) {
		const forget = () => {
			ruleCount.askedAt = 0;
			return false;
		};
		const answer = ask("api/v1/rules").then(({ rules }) => rules.length > 0, forget);
		Object.assign(ruleCount, { askedAt: Date.now(), token: session.token, answer });
	}
	return Promise.race([ruleCount.answer, new Promise((done) => setTimeout(done, 1500, false))]);
}

const ruleCount = { askedAt: 0, token: null, answer: null };

/** @param subject a row of messages, or a node's id */
const askWhyNot = (mesh, path, subject) =>
	attempt(async () => (await annexes.offer("told", "whyNot"))(mesh, path, subject));

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		toast(t("copied"));
	} catch {
		dialog(t("copy"), el("p", t("copyByHand")), copyable(text, t("text")));
	}
}

function confirmDeletion(mesh, row, act) {
	const remove = async () => {
		await ask(`api/messages/${encoded(row.id)}?sourceId=${encoded(mesh.id)}`, { method: "DELETE" });
		act.drop(row);
		box.close();
	};
	const box = dialog(
		t("deleteTitle"),
		el("p", t("deleteLong")),
		el("blockquote", { dir: "auto" }, row.text),
		el("div.row",
			el("button.main.danger", { click: () => attempt(remove) }, t("delete")),
			el("button", { click: () => box.close() }, t("keep")),
		),
	);
}

/** Unlike a text a reaction does not wait for the radio: later nobody would know what it is about. */
async function react(mesh, row, emoji) {
	if (mesh.absence) return void toast(mesh.absence);
	const key = `${row.id} ${emoji}`;
	if (underWay.has(key)) return;
	underWay.add(key);
	const isTaken = await attempt(async () => {
		const body = { text: emoji, replyId: packetOf(row), emoji: 1 };
		await postOnce(mesh, "messages", { ...destination(conversationOf(row)), ...body });
		announce(t("sentToGateway"));
		return true;
	});
	// Its row comes by the stream, sooner or later; then it is not offered any more.
	setTimeout(() => underWay.delete(key), isTaken ? 60000 : 0);
}

/** Reactions that the chat does not show yet. */
const underWay = new Set();
const quickReaction = "👍";

function chooseReaction(mesh, row) {
	const send = (emoji) => {
		box.close();
		react(mesh, row, emoji);
	};
	const field = el("input", { label: t("otherEmoji"), placeholder: t("otherEmoji"), maxlength: "12" });
	const box = dialog(
		t("react"),
		el("div.emojis",
			["👍", "❤️", "😂", "😮", "😢", "🙏", "🎉", "👎"].map((emoji) =>
				el("button", { click: () => send(emoji) }, emoji),
			),
		),
		el("form.row", {
				submit: () => {
					if (field.value.trim()) send(field.value.trim());
				},
			},
			field,
			el("button", { type: "submit" }, t("send")),
		),
	);
}

const destination = (conversation) =>
	conversation.startsWith("direct:")
	? { toNodeId: conversation.slice(7) }
	: conversation.startsWith("channel:")
	? { channel: Number(conversation.slice(8)) }
	: { conversation };

/** Everything that is known of a message's way. */
function showDetails(mesh, row) {
	if (isOverBroker(row)) return attempt(async () => (await annexes.offer("talks", "details"))(row));
	dialog(
		t("details"),
		later(async () => {
			// The node that passed it on is one of those heard directly.
			await mesh.names().catch(() => {});
			const { message, attempts, receipts, hops, receptions, reactions } = await get(
				mesh,
				`messages/${encoded(row.id)}/details`,
			);
			const { delivery } = message;
			return [
				factList([
					delivery && [
						"delivery",
						[
							deliveryWords({ ...row, deliveryDetail: delivery.state }),
							el("p.faint", { lang: "en" }, delivery.reason),
						],
					],
					["from", nodeLink(mesh, row.fromNodeId)],
					[
						"to",
						row.channel >= 0
						? (mesh.conversations.get(`channel:${row.channel}`)?.name ??
							t("channelN", { n: row.channel }))
						: nodeLink(mesh, row.toNodeId),
					],
					["channel", row.channel >= 0 && String(row.channel)],
					[isOwn(row) ? "written" : "cameAt", dateAndSecond(row.createdAt)],
					isTime(row.rxTime) && ["radioSays", dateAndSecond(row.rxTime)],
					["dataSize", t("bytesN", { n: bytesOf(row.text) })],
					["packetId", packetOf(row) > 0 && el("code", numberText(packetOf(row)))],
					["way", reception(row)],
					hops.rxRssi && ["rssi", `${hops.rxRssi} dBm`],
					hops.taken > 0 && hops.relayNode && ["relay", relayWords(mesh, hops.relayNode, row.fromNodeId)],
					receptions.length > 1 && [
						"radios",
						receptions.map((one) => el("p", bdi(one.sourceName), ` ${secondOfDay(one.timestamp)}`)),
					],
					message.sender && ["sentBy", bdi(message.sender)],
					receipts.length > 0 && [
						"ackedAt",
						receipts.map((one) =>
							el("p",
								one.nodeId && nodeLink(mesh, one.nodeId),
								` ${dateAndSecond(one.timestamp)}`,
								one.proof && el("span.faint", " ", t(`proof_${one.proof}`)),
							),
						),
					],
					attempts.length > 1 && ["attempts", attempts.map((one) => el("p", dateAndSecond(one.timestamp)))],
					reactions.length > 0 && [
						"reactions",
						reactions.map((one) =>
							el("p", `${one.emoji} `, bdi(one.isOwn ? t("you") : (one.name ?? one.fromNodeId))),
						),
					],
				]),
				el("p", el("a", { href: `${linkTo(mesh, "packets")}?packet=${packetOf(row)}` }, t("packet"))),
			];
		}),
	);
}

/** A packet names only the last byte of the node that passed it on: all nodes heard directly that end in it. */
function relayWords(mesh, byte, sender) {
	const end = byte.toString(16).padStart(2, "0");
	const fits = ({ nodeId, hopsAway }) => nodeId.endsWith(end) && !hopsAway && ![sender, mesh.self].includes(nodeId);
	const found = mesh.everybody.filter(fits).slice(0, 8);
	return found.length ? found.map((one, index) => [index ? ", " : "", nodeLink(mesh, one.nodeId)]) : `…${end}`;
}

const factList = (facts) =>
	el("dl.table",
		facts
		.filter((fact) => fact && fact[1])
		.map(([name, value]) => el("div", el("dt", t(name)), el("dd", value))),
	);

const nodeLink = (mesh, nodeId) =>
	el("a", { href: linkTo(mesh, "n", nodeId) },
		bdi(nodeId === mesh.self ? `${mesh.longName(nodeId)} (${t("you")})` : mesh.longName(nodeId)),
	);
