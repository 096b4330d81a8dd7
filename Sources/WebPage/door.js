// Coming in and going out. Without a token the page says what it is and how one gets a token, and nothing of the mesh.

/** The token that a link brings, taken out of the address before anything else happens. */
function takeToken() {
	const found = /^#token=([^&]*)$/.exec(location.hash);
	if (!found) return null;
	history.replaceState(null, "", root);
	try {
		return decodeURIComponent(found[1]);
	} catch {
		return null;
	}
}

/** The field for the token, over whatever is on the page; what was typed there stays. */
function showDoor(message = "", offered = "") {
	const door = find("#door");
	const problem = el("p.bad", { id: "door-problem", role: "alert" }, message);
	const field = el("input", {
		id: "token",
		type: "password",
		name: "password",
		autocomplete: "current-password",
		required: true,
		value: offered,
		"aria-describedby": "door-problem",
	});
	const keep = el("input", { type: "checkbox", name: "keep", checked: offered !== "" });
	const send = el("button.main", { type: "submit" }, t("signIn"));
	const form = el("form.card", {
			submit: async () => {
				if (send.dataset.waits) return;
				problem.textContent = "";
				send.dataset.waits = "yes";
				send.textContent = t("connecting");
				await enter(field.value.trim(), keep.checked, problem);
				delete send.dataset.waits;
				send.textContent = t("signIn");
				if (form.isConnected) field.focus();
			},
		},
		el("div.brand",
			el("img", { src: "icon.svg", alt: "", width: "48", height: "48" }),
			el("h1", { tabindex: "-1" }, "mesh-gateway"),
		),
		el("p", t("whatThisIs")),
		offered && el("p.note", t("linkOffers", { host: location.host })),
		// A password manager stores a token under a name.
		el("input.hidden", {
			type: "text",
			name: "username",
			autocomplete: "username",
			value: "mesh-gateway",
			tabindex: "-1",
			"aria-hidden": "true",
		}),
		el("label", { for: "token" }, t("token")),
		field,
		problem,
		el("label.check", keep, t("keepToken")),
		send,
		el("h2", t("noToken")),
		el("p", t("howToGetOne")),
		copyable("mesh-gateway token create phone --scope read --scope send --scope nodes:write --qr"),
		el("p", t("howToSetUp")),
		copyable("mesh-gateway token create setup --scope admin --expires 1h --qr"),
	);
	put(door, el("main", form));
	door.hidden = false;
	find("#frame").hidden = true;
	find("#skip").hidden = true;
	document.title = "mesh-gateway";
	(offered ? find("h1", door) : field).focus();
}

async function enter(token, keeps, problem) {
	if (!token) return;
	// A header cannot carry anything else.
	if (!/^[\x21-\x7e]+$/.test(token)) return void(problem.textContent = t("tokenRefused"));
	try {
		await ask("api/v1/sources", { token });
	} catch (error) {
		problem.textContent = error.status === 401 ? t("tokenRefused") : reasons(error)[0].textContent;
		return;
	}
	// Whoever signs in last is in, also after a reload: nobody from before stays signed in.
	endSession();
	forgetToken();
	try {
		(keeps ? localStorage : sessionStorage).setItem(`${home}token`, token);
	} catch {
		/* it is kept as long as the page is open */
	}
	await openSession(token);
	// The button that had the focus is gone.
	if (focused() === document.body) views.focus();
}

/** Wherever one is kept, for this tab or on this device; with what its radios were before they were changed. */
function forgetToken() {
	for (const store of ["localStorage", "sessionStorage"]) {
		try {
			for (const key of ["token", "former"]) window[store].removeItem(home + key);
		} catch {
			/* there is none */
		}
	}
}

/** Forgets the token. What was typed and not sent stays in its box. */
function signOut(message = "") {
	if (!session.token) return;
	endSession();
	forgetToken();
	showDoor(message);
}

/** What one was shown and told is not for the next: another token may see less. */
function endSession() {
	session.token = null;
	Object.assign(session, { meshes: new Map(), rights: null, scopes: [], gap: null, name: null });
	past.scrolled.clear();
	// Whoever comes next gets a stream in that name.
	live.control?.abort("again");
	live.state = "connecting";
	live.last = "";
	bell.forget();
	views.close();
}

/** With a token: what the first view needs, and the stream. */
async function openSession(token) {
	session.token = token;
	try {
		await loadMeshes();
	} catch (error) {
		if (error.status === 401) return;
		if (error.status === 0) live.set("offline");
		else toast(error.message);
	}
	if (!session.token) return;
	put(find("#door"));
	find("#door").hidden = true;
	find("#frame").hidden = false;
	find("#skip").hidden = false;
	showConnection();
	views.show();
	live.run();
	ringBell();
	// Unread texts are counted in every view, of every radio.
	if (may("messages:read"))
		for (const mesh of session.meshes.values())
			Promise.resolve(mesh.needConversations()).then(showUnread, () => {});
	annexes.fetchAhead();
}
