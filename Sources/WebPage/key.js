// Two keys of one node: a person compares them with their owner and says which one counts.

/** What has come to light about a key and was decided about it, by the names of its events. */
const keyEvents = {
	"key-changed": "keyWasChanged",
	"key-announced": "keyWasAnnounced",
	"key-restored": "keyWasRestored",
	"key-accepted": "keyWasAccepted",
	"key-verified": "keyWasVerified",
	"node-renumbered": "nodeWasRenumbered",
	"key-duplicate": "keyIsDuplicate",
};

/** @param again shows the node as it is afterwards */
function keyCard(mesh, key, again) {
	const isOpen = key.isInDoubt;
	const isDecided = !isOpen && Boolean(key.otherKey);
	return el(
		isOpen ? "section.card.problem" : "section.card",
		el("h2", t(isOpen ? "keyToDecide" : "key")),
		isOpen
		? keyDecision(mesh, key, again)
		: key.keyWords
		? [el("p", t("compareWords")), el("p.words", key.keyWords.join(" "))]
		: el("p", t("keyUnknownLong")),
		key.successor && el("p", t("movedTo"), " ", nodeLink(mesh, key.successor)),
		!isOpen && !isDecided && key.details && el("p", { lang: "en" }, key.details),
		!isOpen && !isDecided && key.advice && el("p", { lang: "en" }, key.advice),
		keyHistory(mesh, key, again),
	);
}

function keyDecision(mesh, key, again) {
	const side = (title, words, ...more) => el("div", el("h3", t(title)), el("p.words", words.join(" ")), more);
	const mayDecide = !session.rights || session.scopes.includes("admin");
	const choose = (decision, word) =>
		el("button", { click: () => confirmKey(mesh, key, decision, again) }, t(word));
	return [
		el("p", t("keyDecisionLong")),
		el("div.keys",
			side(
				"knownKey",
				key.keyWords ?? ["?"],
				el("p.faint",
					key.lastPKIPacket ? t("keyUsed", { when: dateAndTime(key.lastPKIPacket) }) : t("keyNeverUsed"),
				),
				mayDecide && choose("verify", "keepKnownKey"),
			),
			side(
				"announcedKey",
				key.otherKeyWords ?? ["?"],
				el("p.faint", t("keySeen", { when: dateAndTime(key.doubtedSince) })),
				mayDecide && choose("accept", "acceptOtherKey"),
			),
		),
		!mayDecide && [
			el("p", t("keyNeedsAdmin")),
			copyable(`mesh-gateway keys verify '${key.nodeId}'`),
			copyable(`mesh-gateway keys accept '${key.nodeId}'`),
		],
	];
}

/** It counts for everybody who writes to the node: nobody decides by a slip of the finger. */
function confirmKey(mesh, key, decision, again) {
	const name = mesh.longName(key.nodeId);
	const decide = () =>
		attempt(async () => {
			for (const one of document.querySelectorAll("dialog")) one.close();
			const { data } = await post(mesh, `nodes/${encoded(key.nodeId)}/key`, { decision, key: key.otherKey });
			const { messagesSent: sent, messagesRefused: refused } = data;
			toast(
				[
					t("keyDecided"),
					sent ? t("waitedAndGo", { n: sent }) : "",
					refused ? t("waitedTooLong", { n: refused }) : "",
				]
				.filter(Boolean)
				.join(" "),
			);
			refreshConversations();
			await again();
		});
	const words = decision === "accept" ? key.otherKeyWords : key.keyWords;
	const box = dialog(
		t(decision === "accept" ? "acceptOtherKey" : "keepKnownKey"),
		el("p", t(decision === "accept" ? "acceptLong" : "verifyLong", { name })),
		el("p.words", (words ?? []).join(" ")),
		el("div.row",
			el("button.main", { click: decide }, t("itShowsThis")),
			el("button", { click: () => box.close() }, t("cancel")),
		),
	);
}

/** Who had it decided is said as far as the token may know. */
function keyHistory(mesh, key, again) {
	const rows = (key.history ?? []).filter((one) => keyEvents[one.event]);
	// What is announced after a decision asks nobody: it is said, and can be decided anew.
	const isDecided = Boolean(key.otherKey) && !key.isInDoubt;
	if (!rows.length && !isDecided) return null;
	const decide = () => dialog(t("keyToDecide"), keyDecision(mesh, key, again));
	const line = (time, word, by) =>
		el(word === "keyWasAnnounced" ? "li.faint" : "li",
			el("span.faint", `${dateAndTime(time)} `),
			t(word),
			by && [" · ", bdi(by)],
		);
	return el("details", { open: isDecided },
		el("summary", t("keyHistory")),
		el("ul.plainlist", rows.map((one) => line(one.timestamp, keyEvents[one.event], one.by))),
		isDecided &&
		el("p.faint", t("keyStays"), " ", el("button.link", { click: decide }, t("decideAnew"))),
	);
}
