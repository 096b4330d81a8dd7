// Points on the map that people share: a list, and a form for one of them.

viewMakers.waypoints = (address) =>
	address.rest[0]
	? waypointForm(address)
	: {
		title: t("waypoints"),
		node: page(
			t("waypoints"),
			linkTo(address.mesh, "map"),
			later(async () => [waypointList(address.mesh, await get(address.mesh, "waypoints"))]),
			newWaypointLink(address.mesh, "a.button.main"),
		),
	};

/** For tokens that may share one. */
const newWaypointLink = (mesh, look) =>
	may("messages:write") && may("channels:write") &&
	el(look, { href: linkTo(mesh, "waypoints", "new") }, icon("plus"), t("newWaypoint"));

function waypointList(mesh, points) {
	if (!points.length) return el("p.faint", t("noWaypoints"));
	const own = mesh.own;
	return el("ul.plainlist",
		points.map((point) =>
			el("li",
				el("a", { href: linkTo(mesh, "waypoints", point.waypointId) },
					`${point.icon ?? "⚑"} `,
					bdi(point.name),
				),
				el("span.faint",
					hasPosition(own) && hasPosition(point) && ` ${farText(own, point)}`,
					point.expireAt ? ` ${t("until", { when: dateAndTime(point.expireAt * 1000) })}` : "",
				),
				point.description && el("p", { dir: "auto" }, point.description),
			),
		),
	);
}

function waypointForm({ mesh, rest, query }) {
	const isNew = rest[0] === "new";
	const path = `waypoints/${encoded(rest[0])}`;
	const fields = {
		name: el("input", { id: "w-name", required: true }),
		description: el("input", { id: "w-description" }),
		icon: el("input", { id: "w-icon", maxlength: "4", size: "4" }),
		latitude: el("input", { id: "w-latitude", required: true, inputmode: "decimal" }),
		longitude: el("input", { id: "w-longitude", required: true, inputmode: "decimal" }),
		expire: el("select", { id: "w-expire" },
			[
				["", "never"],
				[1, "hour"],
				[24, "day"],
				[168, "week"],
			].map(([hours, word]) => el("option", { value: hours }, t(word))),
		),
		channel: el("select", { id: "w-channel" }),
		locked: el("input", { type: "checkbox" }),
	};
	const counts = [limited(fields.name, 29), limited(fields.description, 99)];
	const problem = el("div", { role: "alert" });
	const away = el("p.faint", { id: "away" });
	const submit = el("button.main", { type: "submit", "aria-describedby": "away" }, t(isNew ? "shareIt" : "changeIt"));
	const lack = ["messages:write", "channels:write"].find((right) => !may(right));
	let isFixed = lack !== undefined;
	const title = t(isNew ? "newWaypoint" : "waypoint");
	let owner = null;
	const removeIt = () =>
		attempt(async () => {
			const { data } = await ask(sourcePath(mesh, path), { method: "DELETE" });
			if (!data.isTold) toast(t("deletedHere"));
			past.replace(linkTo(mesh, "waypoints"));
		});
	/** It is deleted for everybody, whoever has made it. */
	const confirmRemoval = () => {
		const box = dialog(
			t("deletePoint"),
			el("p", t("deletePointLong", { name: mesh.longName(owner) })),
			el("p", bdi(fields.name.value)),
			el("div.row",
				el("button.main.danger", {
						click: () => {
							box.close();
							removeIt();
						},
					},
					t("delete"),
				),
				el("button", { click: () => box.close() }, t("keep")),
			),
		);
	};
	const remove = el("button.danger", {
			hidden: true,
			click: () => (owner === mesh.self ? removeIt() : confirmRemoval()),
		},
		t("delete"),
	);
	const facts = el("div");
	const form = el("form.card", {
			submit: async () => {
				if (!form.reportValidity()) return;
				const decimal = (field) => Number(field.value.replace(",", "."));
				const body = {
					name: fields.name.value.trim(),
					description: fields.description.value.trim() || null,
					icon: fields.icon.value.trim() || null,
					latitude: decimal(fields.latitude),
					longitude: decimal(fields.longitude),
					locked: fields.locked.checked,
				};
				if (isNew) body.channel = Number(fields.channel.value);
				if (fields.expire.value !== "keep")
					body.expireAt = fields.expire.value
					? Math.floor(Date.now() / 1000) + fields.expire.value * 3600
					: null;
				try {
					await ask(sourcePath(mesh, isNew ? "waypoints" : path), { method: isNew ? "POST" : "PUT", body });
					toast(t("waypointSent"));
					past.replace(linkTo(mesh, "map"));
				} catch (error) {
					put(problem, reasons(error));
				}
			},
		},
		labelled("name", fields.name),
		counts[0],
		labelled("description", fields.description),
		counts[1],
		labelled("icon", fields.icon),
		el("div.pair", labelled("latitude", fields.latitude), labelled("longitude", fields.longitude)),
		el("div.pair", labelled("ends", fields.expire), isNew && labelled("channel", fields.channel)),
		el("label.check", fields.locked, t("lockIt")),
		problem,
		away,
		el("div.row", submit, remove),
	);
	/** What cannot be changed, or not now: without the radio nobody would hear of it. */
	function allow() {
		const isAway = mesh.absence !== null;
		for (const field of Object.values(fields)) field.disabled = isFixed;
		for (const button of [submit, remove]) button.disabled = isFixed || isAway;
		away.textContent = isAway && !isFixed ? t("needsRadio", { away: mesh.absence }) : "";
	}
	return {
		title,
		node: page(title, linkTo(mesh, "map"), facts, form),
		hear: (kind) => kind === "status" && allow(),
		again() {
			if (!isNew && !facts.firstChild) this.begin();
		},
		async begin() {
			if (lack) put(problem, missingRight(lack));
			allow();
			const given = query.get("at")?.split(",");
			if (given) {
				[fields.latitude.value, fields.longitude.value] = given;
			}
			await mesh.needConversations()?.catch(() => {});
			fields.channel.append(
				...mesh.chats
				.filter((row) => row.id.startsWith("channel:"))
				.sort((a, b) => a.id.localeCompare(b.id))
				.map((row) => el("option", { value: row.id.slice(8) }, row.name)),
			);
			if (!fields.channel.options.length)
				fields.channel.append(el("option", { value: "0" }, t("channelN", { n: 0 })));
			if (isNew) {
				await mesh.names().catch(() => {});
				const own = mesh.own;
				if (!given && hasPosition(own)) {
					fields.latitude.value = own.latitude;
					fields.longitude.value = own.longitude;
				}
				return;
			}
			isFixed = true;
			allow();
			await attempt(async () => {
				const [point] = await Promise.all([get(mesh, path), mesh.needStatus()]);
				owner = point.ownerNodeId;
				for (const key of ["name", "description", "icon", "latitude", "longitude"])
					fields[key].value = point[key] ?? "";
				for (const count of counts) count.draw();
				fields.locked.checked = point.lockedTo != null;
				find("[value=keep]", fields.expire)?.remove();
				fields.expire.prepend(
					el("option", { value: "keep", selected: true },
						point.expireAt ? t("until", { when: dateAndTime(point.expireAt * 1000) }) : t("unchanged"),
					),
				);
				fields.expire.value = "keep";
				put(
					facts,
					el("p.faint",
						t("from"),
						": ",
						nodeLink(mesh, point.ownerNodeId),
						` · ${dateAndTime(point.lastUpdatedAt)}`,
					),
				);
				isFixed = lack !== undefined || point.isChangeable === false;
				remove.hidden = isFixed;
				allow();
				if (point.isChangeable === false) put(problem, el("p", t("lockedPoint")));
			});
		},
	};
}
