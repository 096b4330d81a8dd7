// Everything else: links, packets, the own radio, how the page looks, who serves it, and leaving.

viewMakers.more = ({ mesh }) => {
	const item = (kind, word, long) =>
		!lackOf(kind) && el("a.item", { href: linkTo(mesh, kind) }, el("b", t(word)), el("span.faint", t(long)));
	const choose = (key, word, values) => {
		const select = el("select", {
				id: `taste-${key}`,
				change: () => {
					preferences.set(key, select.value);
					applyPreferences();
				},
			},
			values.map(([value, text]) => el("option", { value, selected: preferences.get(key) === value }, t(text))),
		);
		return labelled(word, select);
	};
	const how = el("p.faint");
	const drawHow = () => {
		const isDenied = isSecureContext && window.Notification?.permission === "denied";
		how.textContent = t(isDenied ? "tellMeDenied" : isSecureContext ? "tellMeLong" : "tellMePlain");
	};
	drawHow();
	return {
		title: t("more"),
		node: page(
			t("more"),
			null,
			el("nav", { label: t("more") },
				item("links", "links", "linksShort"),
				item("packets", "packets", "packetsShort"),
				item("waypoints", "waypoints", "waypointsShort"),
				item("radio", "myRadio", "myRadioShort"),
				item(lackOf("told") ? "rules" : "told", "told", "toldShort"),
				item("brokers", "brokers", "brokersShort"),
			),
			el("section.card",
				el("h2", t("appearance")),
				el("div.row.wrap",
					choose("scheme", "colours", [
						["auto", "automatic"],
						["light", "light"],
						["dark", "dark"],
					]),
					choose("units", "units", [
						["auto", "automatic"],
						["metric", "metric"],
						["imperial", "imperial"],
					]),
					choose("clock", "clock", [
						["auto", "automatic"],
						["24", "hours24"],
						["12", "hours12"],
					]),
				),
			),
			el("section.card",
				el("h2", t("tellMe")),
				el("label.check",
					el("input", {
						type: "checkbox",
						checked: notices.isOn,
						change: (event) => notices.turn(event.target.checked).then(drawHow),
					}),
					t("tellMeHere"),
				),
				how,
			),
			el("section.card",
				el("h2", t("thisGateway")),
				later(async () => {
					const health = await ask("api/health");
					noteVersion(health.version);
					return [
						factList([
							["address", location.host + root],
							["version", health.version],
							["runsSince", ago(Date.now() - health.uptime)],
						]),
						el("p", el("a", { href: "api/v1/docs" }, t("apiDocs"))),
					];
				}),
				!isSecureContext && el("p.faint", t("plainHttp")),
			),
			el("section.card",
				el("h2", t("yourToken")),
				el("p", t(memory.store === sessionStorage ? "tokenInTab" : "tokenOnDevice")),
				session.gap && el("p.note", { lang: "en" }, session.gap),
				later(async () => (await annexes.offer("told", "tokenRights"))()),
				el("div.row",
					session.scopes.includes("admin") &&
					el("button", { click: () => attempt(async () => (await annexes.offer("setup", "addPhone"))()) },
						t("addPhone"),
					),
					el("button", { click: () => signOut() }, t("signOut")),
				),
			),
		),
	};
};
