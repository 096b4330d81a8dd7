// What one uses on a page: notes, dialogs, menus, lists that arrow keys move in, tables, codes, fields.

/** One sentence for those who listen, and a short note for those who look. */
function announce(text) {
	find("#said").textContent = text;
}

function toast(text, ...more) {
	const note = el("div.toast", { role: "group" },
		el("p", text),
		more,
		el("button.plain", { click: () => note.remove() }, t("close")),
	);
	find("#toasts").append(note);
	announce(text);
	if (!more.length) setTimeout(() => note.remove(), 8000);
	return note;
}

/** A dialog that Escape closes; what was focused before is focused afterwards. */
function dialog(title, ...content) {
	const before = focused();
	const place = before?.closest("[data-id]")?.dataset.id;
	const heading = el("h2", { id: "dialog-title", tabindex: "-1" }, title);
	const box = el("dialog", { "aria-labelledby": "dialog-title" },
		el("div.row.spread",
			heading,
			el("button.plain", { click: () => box.close() }, icon("close"), el("span", t("close"))),
		),
		content,
	);
	on(box, "close", () => {
		box.remove();
		// What it was opened from may have been drawn again meanwhile.
		(before?.isConnected ? before : place && find(`#main [data-id="${CSS.escape(place)}"]`))?.focus();
	});
	document.body.append(box);
	box.showModal();
	heading.focus();
	return box;
}

/**
 * As `put`, for what changes under somebody's hands: what looks as before stays, an open menu is not taken away, what
 * was unfolded stays so, and the focus goes to what is now in its place.
 */
function renew(element, ...content) {
	if (find(":popover-open", element)) return;
	const next = element.cloneNode();
	next.append(...present(content));
	const unfolded = element.querySelectorAll("details");
	next.querySelectorAll("details").forEach((one, index) => {
		one.open ||= unfolded[index]?.open === true;
	});
	if (next.isEqualNode(element)) return;
	const stops = () => [...element.querySelectorAll("a[href], button:not(.menu *), summary, [tabindex='0']")];
	const nameOf = (one) => one.getAttribute("href") ?? one.textContent;
	const before = stops().indexOf(focused());
	const name = before >= 0 && nameOf(focused());
	put(element, ...next.childNodes);
	if (before < 0) return;
	const found = stops();
	const same = found.find((one) => nameOf(one) === name) ?? found[before] ?? find("#main h1");
	same?.focus({ preventScroll: true });
}

/** A text to copy: by a button where the browser can, else by selecting it (plain http has no clipboard). */
function copyable(text, name = t("command")) {
	const field = el("textarea.code", {
		readonly: true,
		rows: "1",
		label: name,
		focus() {
			field.select();
			// What is selected already is not scrolled to again.
			field.scrollIntoView({ block: "nearest" });
		},
	}, text);
	const button =
		navigator.clipboard &&
		el("button", {
				click: async () => {
					try {
						await navigator.clipboard.writeText(text);
						announce(t("copied"));
						button.textContent = t("copied");
					} catch {
						field.focus();
					}
				},
			},
			t("copy"),
		);
	return el("span.copyable", field, button);
}

/**
 * Choices behind one button: `items` gives [text, action] when it is opened, perhaps a little later, and a third where
 * it cannot be done now: why. Arrow keys move, Escape closes.
 */
function menu(attributes, content, items) {
	const list = el("div.menu", { role: "menu", popover: "auto" });
	const button = el("button", {
			"aria-haspopup": "menu",
			"aria-expanded": "false",
			title: attributes.label,
			...attributes,
			click: async () => {
				// What it stands in is not drawn anew meanwhile.
				button.setAttribute("aria-busy", "true");
				try {
					const found = await items();
					if (button.isConnected) openMenu(list, button, found.filter(Boolean));
				} finally {
					button.removeAttribute("aria-busy");
				}
			},
		},
		content,
	);
	return [button, list];
}

/** Where a key leads in a list of `count`, perhaps beyond its ends; undefined: it is another key. */
function targetOfKey(key, index, count) {
	const targets = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1 };
	return targets[key];
}

function openMenu(list, anchor, items) {
	put(
		list,
		items.map(([text, action, obstacle]) =>
			el("button", {
					role: "menuitem",
					tabindex: "-1",
					"aria-disabled": obstacle ? "true" : null,
					click: () => {
						if (obstacle) return;
						list.hidePopover();
						action();
					},
				},
				text,
				obstacle && el("small", obstacle),
			),
		),
	);
	list.onkeydown = (event) => {
		const all = [...list.children];
		const target = targetOfKey(event.key, all.indexOf(focused()), all.length);
		if (target === undefined) {
			if (event.key === "Tab") list.hidePopover();
			return;
		}
		event.preventDefault();
		all[(target + all.length) % all.length].focus();
	};
	list.ontoggle = (event) => {
		anchor.setAttribute("aria-expanded", String(event.newState === "open"));
		if (event.newState === "closed" && list.contains(focused())) anchor.focus();
	};
	list.showPopover();
	const box = anchor.getBoundingClientRect();
	const top = box.bottom + list.offsetHeight > innerHeight - 8 ? box.top - list.offsetHeight : box.bottom;
	list.style.top = `${Math.max(8, top)}px`;
	list.style.left = `${Math.max(8, Math.min(box.right - list.offsetWidth, innerWidth - list.offsetWidth - 8))}px`;
	list.firstElementChild?.focus();
}

/** By finger: two taps, unless on what has a use of its own, and one that stays, which opens the menu `list`. */
function touched(element, { twice, long, list }) {
	let first = null;
	let timer = null;
	let isLong = false;
	const far = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) > 12;
	const end = () => {
		clearTimeout(timer);
		timer = null;
	};
	let start;
	on(element, "pointerdown", (event) => {
		end();
		isLong = false;
		if (event.pointerType === "mouse" || !event.isPrimary) return;
		start = event;
		timer = setTimeout(() => {
			[timer, first, isLong] = [null, null, true];
			long();
			// The finger that lets go would close what has just been opened.
			on(window, "pointerup", () => setTimeout(() => list.matches(":popover-open") || long()), { once: true });
		}, 500);
	});
	on(element, "pointermove", (event) => timer && far(event, start) && end());
	on(element, "pointercancel", end);
	on(element, "pointerup", (event) => {
		if (!timer) return;
		end();
		if (event.target.closest("a, button")) return;
		const isSecond = first && event.timeStamp - first.timeStamp < 350 && !far(event, first);
		first = isSecond ? null : event;
		if (isSecond && twice) twice();
	});
	// As a click, which a browser with more patience takes it for, it would close it, too.
	on(element, "touchend", (event) => isLong && event.preventDefault());
	// The browser's own menu, at the same press.
	on(element, "contextmenu", (event) => ["touch", "pen"].includes(event.pointerType) && event.preventDefault());
}

/**
 * What somebody presses stays where it is: the work given to what is returned waits until the finger is gone and a
 * second tap would have come. One that rests there holds nothing up for longer than three seconds.
 */
function handsOff(element) {
	const waiting = [];
	let timer = null;
	const release = () => {
		timer = null;
		while (waiting.length) waiting.shift()();
	};
	const until = (pause) => {
		clearTimeout(timer);
		timer = setTimeout(release, pause);
	};
	on(element, "pointerdown", () => {
		until(3000);
		const over = new AbortController();
		const end = () => {
			over.abort();
			until(400);
		};
		for (const kind of ["pointerup", "pointercancel"]) on(window, kind, end, { signal: over.signal });
	});
	return (work) => (timer ? waiting.push(work) : work());
}

/** Arrow keys move among the items of a list that is one Tab stop. */
function roving(list, selector, first = 0) {
	const items = () => [...list.querySelectorAll(selector)];
	const set = (item) => {
		for (const other of items()) other.tabIndex = other === item ? 0 : -1;
	};
	on(list, "focusin", (event) => {
		const item = event.target.closest(selector);
		if (item && list.contains(item)) set(item);
	});
	on(list, "keydown", (event) => {
		const all = items();
		const index = all.indexOf(event.target.closest(selector));
		const target = targetOfKey(event.key, index, all.length);
		if (index < 0 || !all[target] || event.target.closest("dialog, [popover]")) return;
		event.preventDefault();
		all[target].focus();
	});
	return () => {
		const all = items();
		if (!all.some((item) => item.tabIndex === 0)) all.at(first)?.setAttribute("tabindex", "0");
	};
}

/** A table in a region that scrolls by itself; the heads are keys of texts. */
function table(label, heads, rows, look = "plain") {
	return el("div.scroll", { tabindex: "0", role: "region", label: label },
		el(`table.${look}`,
			el("caption.out", label),
			el("thead",
				el("tr",
					heads.map((head) => el("th", { scope: "col" }, t(head))),
				),
			),
			rows,
		),
	);
}

/** A QR code that the gateway has drawn; black on white whatever the colours of the page are. */
const codeImage = (picture, label) => el("img.qr", { src: `data:image/svg+xml,${encoded(picture)}`, alt: label });

/** How many bytes a field has of those it may have: radios count bytes, and what is typed may have several each. */
function limited(field, limit) {
	const count = el("span.size", { id: `${field.id}-size` });
	const draw = () => {
		const n = bytesOf(field.value.trim());
		count.textContent = t("bytesOf", { n, limit });
		count.classList.toggle("bad", n > limit);
		field.setCustomValidity(n > limit ? t("tooLong", { n, limit }) : "");
	};
	field.setAttribute("aria-describedby", count.id);
	on(field, "input", draw);
	draw();
	// What is put in by the page is no input.
	return Object.assign(count, { draw });
}

/** A field under its name. */
const labelled = (key, field) => el("div", el("label", { for: field.id }, t(key)), field);
