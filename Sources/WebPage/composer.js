// The box at the bottom: what is typed, what it costs on the air, and what will become of it.

function composer({ mesh, conversation, peer, info, sent, newest }) {
	const box = boxOf(mesh, conversation);
	const asked = meshOf(mesh, conversation);
	/** Over a broker there are none. */
	const packetsIn = (text) => (asked ? packetsOf(text) : 0);
	const field = el("textarea", {
		rows: "1",
		id: "text",
		placeholder: t("message"),
		dir: "auto",
		"aria-describedby": "hint size",
		enterkeyhint: "send",
		value: box.text,
		input: () => changed(),
		keydown: (event) => {
			if (event.key === "Escape" && box.answers) reply(null);
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
	const hint = el("div", { id: "hint" });
	const problem = el("div.problem", { role: "alert" });
	const quoted = el("div.quoted", { hidden: true });
	const untilHeard = el("input", { type: "checkbox", change: () => drawHint() });
	const waits = el("label.check", { hidden: true }, untilHeard, el("span"));
	const send = el("button.main.round", { type: "submit", label: t("send"), title: t("send") }, icon("send"));

	function changed() {
		box.text = field.value;
		if (!box.isDoubtful) box.problem = null;
		box.keep();
		drawProblem();
		grow();
		drawSize();
	}

	/** The box has changed by itself: an answer has come, or none. */
	function drawBox() {
		if (field.value !== box.text) {
			field.value = box.text;
			grow();
		}
		drawReply();
		drawProblem();
		drawSize();
	}

	function drawProblem() {
		if (box.isDoubtful)
			put(
				problem,
				el("p.bad", el("b", t("perhapsSent"))),
				el("p", t("perhapsSentLong")),
				el("button", { click: () => again() }, t("askAgain")),
			);
		else if (box.problem)
			put(
				problem,
				el("p.bad", el("b", t("notSent"))),
				reasons(box.problem),
				el("button", { click: () => submit() }, t("tryAgain")),
			);
		else put(problem);
	}

	/** With another token nobody knows whether it was sent: it is a person's word. */
	function again() {
		if (box.pending.by === tokenMark()) box.handOver(mesh);
		else box.send(mesh, box.pending.body, newest());
	}

	function grow() {
		field.style.height = "auto";
		field.style.height = `${Math.min(field.scrollHeight + 2, innerHeight * 0.4)}px`;
	}

	function drawSize() {
		const n = bytesOf(field.value.trim());
		const packets = packetsIn(field.value);
		size.textContent = n && packets
			? t("size", {
				bytes: n,
				limit: partBytes * Math.min(packets, partLimit),
				packets: t("packetsN", { n: packets }),
			})
			: "";
		if (packets > partLimit) size.textContent = t("tooLong", { n, limit: partBytes * partLimit });
		size.classList.toggle("bad", packets > partLimit);
		send.disabled = packets > partLimit || box.isSending || field.disabled;
	}

	/** What will happen to a text, before it is sent. */
	function drawHint() {
		const row = info();
		const node = peer && mesh.nodes.get(peer);
		const name = clip(row.name, 60);
		const words = [];
		field.setAttribute("aria-label", t("messageTo", { name }));
		const isDoubted = node?.isInDoubt || row.cannotSend?.code === "KEY_MISMATCH";
		if (isDoubted) words.push(t("keyChanged", { name }));
		else if (isClosed(row)) words.push(row.cannotSend?.message ?? t("cannotSend"));
		if (asked && !isClosed(row)) {
			if (mesh.status?.connected === false) words.push(t("waitsForRadio"));
			else if (mesh.lacksRegion) words.push(`${t("noRegion")}.`);
			if (node && node.isUnmessagable) words.push(t("nobodyReads", { name }));
			if (node && node.hasPKC === false) words.push(t("noKey", { name }));
		}
		const isQuiet = Boolean(node && !isOnline(node));
		waits.hidden = !isQuiet || isClosed(row);
		waits.lastChild.textContent = t("untilHeard", { name, when: node ? heardAgo(node) : "" });
		const { resource, action } = (isClosed(row) && row.cannotSend?.required) || {};
		hint.classList.toggle("bad", Boolean(isDoubted));
		renew(
			hint,
			words.join(" "),
			isDoubted && [" ", el("a", { href: linkTo(mesh, "n", peer) }, t("compareKeys"))],
			resource && el("details", el("summary", t("onTheBox")), allowCommand([`${resource}:${action}`])),
		);
		// Where nothing is offered there is no menu.
		extra[0].hidden = !asked || (isClosed(row) && !may("messages:write"));
		field.disabled = isClosed(row);
		field.parentNode.hidden = !asked && field.disabled;
		drawSize();
	}

	function reply(row) {
		box.answers = row;
		box.keep();
		drawReply();
		field.focus();
	}

	function drawReply() {
		const row = box.answers;
		quoted.hidden = !row;
		if (!row) return void put(quoted);
		put(
			quoted,
			el("p",
				el("b", t("replyTo", { name: writerOf(mesh, row) })),
				" ",
				bdi(row.text),
			),
			el("button.plain", { click: () => reply(null) }, icon("close"), el("span.out", t("noReply"))),
		);
	}

	function submit() {
		const text = field.value.trim();
		if (!text || box.isSending || packetsIn(text) > partLimit) return;
		const body = { ...destination(conversation), text };
		if (box.answers) Object.assign(body, { replyId: packetOf(box.answers), emoji: 0 });
		// Also while the radio seems to be there: it may have gone a moment ago.
		if (asked) body.queue = !waits.hidden && untilHeard.checked ? "heard" : true;
		box.send(mesh, body, newest());
	}

	const extra = menu({ class: "plain round", label: t("moreToSend") }, icon("plus"), () => [
		may("messages:write") && [
			t("sendPosition"),
			() =>
			attempt(async () => {
				await post(mesh, "actions/send-position", peer ? { destination: peer } : destination(conversation));
				toast(t("positionSent"));
			}),
			mesh.absence,
		],
		!isClosed(info()) && [t("ringBell"), () => confirmBell(mesh, conversation, info().name), mesh.absence],
	]);
	Object.assign(box, { changed: drawBox, sent });
	queueMicrotask(() => {
		grow();
		drawHint();
		drawBox();
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
		look: (rows) => box.find(rows),
		leave() {
			if (box.changed === drawBox) Object.assign(box, { changed() {}, sent() {} });
		},
	};
}

/** A radio that is away is no reason: texts can wait for it. */
const isClosed = (row) => row.canSend === false && row.cannotSend?.code !== "NOT_CONNECTED";

/** A bell rings on every device in a channel: nobody does that by a slip of the finger. */
function confirmBell(mesh, conversation, name) {
	const field = el("input", { id: "bell", value: t("bellText"), required: true });
	const box = dialog(
		t("ringBell"),
		el("p", t("bellLong", { name })),
		el("label", { for: "bell" }, t("text")),
		field,
		limited(field, partBytes),
		el("div.row",
			el("button.main", {
					click: () =>
						attempt(async () => {
							if (!field.reportValidity()) return;
							await postOnce(mesh, "actions/alert", { ...destination(conversation), text: field.value });
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
