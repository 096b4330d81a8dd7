// The box at the bottom: what is typed, what it costs on the air, and what will become of it.

function composer({ mesh, conversation, peer, channel, info, sent }) {
	let answers = null;
	let isSending = false;
	const key = draftKey(mesh, conversation);
	const field = el("textarea", {
		rows: "1",
		id: "text",
		placeholder: t("message"),
		dir: "auto",
		"aria-describedby": "hint size",
		enterkeyhint: "send",
		value: memory.get(key) ?? "",
		input: () => changed(),
		keydown: (event) => {
			if (event.key === "Escape" && answers) reply(null);
			if (
				event.key !== "Enter" ||
				event.shiftKey ||
				event.isComposing ||
				matchMedia("(pointer: coarse)").matches
			)
				return;
			event.preventDefault();
			submit();
		},
	});
	const size = el("span.size", { id: "size" });
	const hint = el("span", { id: "hint" });
	const problem = el("div.problem", { role: "alert" });
	const quoted = el("div.quoted", { hidden: true });
	const untilHeard = el("input", { type: "checkbox", change: () => drawHint() });
	const waits = el("label.check", { hidden: true }, untilHeard, el("span"));
	const send = el("button.main.round", { type: "submit", label: t("send"), title: t("send") }, icon("send"));

	function changed() {
		memory.set(key, field.value);
		put(problem);
		grow();
		drawSize();
	}

	function grow() {
		field.style.height = "auto";
		field.style.height = `${Math.min(field.scrollHeight + 2, innerHeight * 0.4)}px`;
	}

	function drawSize() {
		const n = bytesOf(field.value.trim());
		const packets = packetsOf(field.value);
		size.textContent = n
			? t("size", {
				bytes: n,
				limit: partBytes * Math.min(packets, partLimit),
				packets: t("packetsN", { n: packets }),
			})
			: "";
		if (packets > partLimit) size.textContent = t("tooLong", { n, limit: partBytes * partLimit });
		size.classList.toggle("bad", packets > partLimit);
		send.disabled = packets > partLimit || isSending || field.disabled;
	}

	/** What will happen to a text, before it is sent. */
	function drawHint() {
		const row = info();
		const node = peer && mesh.nodes.get(peer);
		const name = clip(row.name, 60);
		const words = [];
		field.setAttribute("aria-label", t("messageTo", { name }));
		if (isClosed(row)) words.push(row.cannotSend?.message ?? t("cannotSend"));
		else {
			if (mesh.status?.connected === false) words.push(t("waitsForRadio"));
			if (node && node.isUnmessagable) words.push(t("nobodyReads", { name }));
			if (node && node.keyMismatchDetected) words.push(t("keyChanged", { name }));
			if (node && node.hasPKC === false) words.push(t("noKey", { name }));
		}
		const isQuiet = Boolean(node && !isOnline(node));
		waits.hidden = !isQuiet || isClosed(row);
		waits.lastChild.textContent = t("untilHeard", { name, when: node ? heardAgo(node) : "" });
		hint.textContent = words.join(" ");
		field.disabled = isClosed(row);
		drawSize();
	}

	function reply(row) {
		answers = row;
		quoted.hidden = !row;
		if (!row) return void put(quoted);
		put(
			quoted,
			el("p",
				el("b", t("replyTo", { name: isOwn(row) ? t("you") : mesh.longName(row.fromNodeId) })),
				" ",
				bdi(row.text),
			),
			el("button.plain", {
					click: () => {
						reply(null);
						field.focus();
					},
				},
				icon("close"),
				el("span.out", t("noReply")),
			),
		);
		field.focus();
	}

	async function submit() {
		const text = field.value.trim();
		if (!text || isSending || packetsOf(text) > partLimit) return;
		isSending = true;
		drawSize();
		put(problem);
		try {
			// A text that is given to a silent server could go out after its sender was told that it did not.
			if (Date.now() - live.heardAt > 1000 || live.state === "offline") {
				if (!(await live.check())) throw new Refusal(0);
			}
			const body = { ...destination(conversation), text };
			if (answers) Object.assign(body, { replyId: packetOf(answers), emoji: 0 });
			// Also while the radio seems to be there: it may have gone a moment ago.
			body.queue = !waits.hidden && untilHeard.checked ? "heard" : true;
			const { data } = await ask(sourcePath(mesh, "messages"), { method: "POST", body, patience: 8000 });
			if (field.value.trim() === text) field.value = "";
			memory.set(key, field.value);
			reply(null);
			changed();
			announce(t("sentToGateway"));
			const rows = await Promise.all(
				(data.messageIds ?? [data.messageId]).map((one) => get(mesh, `messages/${encoded(one)}`)),
			);
			sent(rows);
			for (const row of rows) noteMessage(mesh, row);
		} catch (error) {
			put(
				problem,
				el("p.bad", el("b", t("notSent"))),
				reasons(error),
				el("button", { click: () => submit() }, t("tryAgain")),
			);
		} finally {
			isSending = false;
			drawSize();
		}
	}

	const extra = menu({ class: "plain round", label: t("moreToSend") }, icon("plus"), () => [
		may("messages:write") && [
			t("sendPosition"),
			() =>
			attempt(async () => {
				await post(mesh, "actions/send-position", peer ? { destination: peer } : { channel });
				toast(t("positionSent"));
			}),
			mesh.absence,
		],
		!isClosed(info()) && [t("ringBell"), () => confirmBell(mesh, conversation, info().name), mesh.absence],
	]);
	queueMicrotask(() => {
		grow();
		drawHint();
	});
	return {
		node: el("form.composer", {
				submit: () => {
					submit();
				},
			},
			problem,
			quoted,
			el("div.row", field, extra, send),
			el("div.row.under", hint, waits, size),
		),
		focus: () => field.focus({ preventScroll: true }),
		reply,
		drawHint,
		leave: () => memory.set(key, field.value),
	};
}

/** A radio that is away is no reason: texts can wait for it. */
const isClosed = (row) => row.canSend === false && row.cannotSend?.code !== "NOT_CONNECTED";

/** A bell rings on every device in a channel: nobody does that by a slip of the finger. */
function confirmBell(mesh, conversation, name) {
	const field = el("input", { id: "bell", value: t("bellText"), maxlength: "180" });
	const box = dialog(
		t("ringBell"),
		el("p", t("bellLong", { name })),
		el("label", { for: "bell" }, t("text")),
		field,
		el("div.row",
			el("button.main", {
					click: () =>
						attempt(async () => {
							await post(mesh, "actions/alert", { ...destination(conversation), text: field.value });
							box.close();
							toast(t("bellRung"));
						}),
				},
				t("ring"),
			),
			el("button", { click: () => box.close() }, t("cancel")),
		),
	);
}
