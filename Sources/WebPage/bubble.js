// What the map says of a dot: a bubble beside it, or for a stack the list of its nodes first.

/** @param changed is called when another node is the one that is looked at, or none */
function mapBubble(mesh, changed) {
	const box = el("div.menu.about", { popover: "auto", role: "dialog", label: t("aboutNode") });
	const bubble = {
		node: box,
		/** Whose bubble is open. */
		nodeId: null,

		show(nodes, mark) {
			const place = mark.querySelector("circle").getBoundingClientRect();
			const key = mark.dataset.key;
			put(box, nodes.length > 1 ? list(nodes) : facts(nodes[0]));
			bubble.nodeId = nodes.length > 1 ? null : nodes[0].nodeId;
			box.ontoggle = (event) => {
				if (event.newState !== "closed") return;
				bubble.nodeId = null;
				changed();
				// The mark was drawn again meanwhile.
				if (focused() === document.body || box.contains(focused()))
					find(`[data-key="${CSS.escape(key)}"]`)?.focus();
			};
			if (!box.matches(":popover-open")) box.showPopover();
			stand(place);
			changed();
			find("a, button", box)?.focus();
		},
	};

	/** Under the dot, or over it where there is no room. */
	function stand(place) {
		const top = place.bottom + box.offsetHeight > innerHeight - 8 ? place.top - box.offsetHeight : place.bottom;
		const left = Math.min(place.left - 24, innerWidth - box.offsetWidth - 8);
		box.style.top = `${Math.max(8, top)}px`;
		box.style.left = `${Math.max(8, left)}px`;
	}

	const list = (nodes) => [
		el("h2", t("nodesHere", { n: nodes.length })),
		nodes.map((node) =>
			el("button", {
					click: () => {
						put(box, facts(node));
						bubble.nodeId = node.nodeId;
						stand(box.getBoundingClientRect());
						changed();
						find("a", box).focus();
					},
				},
				bdi(mesh.longName(node.nodeId)),
				el("span.faint", heardAgo(node)),
			),
		),
	];

	function facts(node) {
		const isSelf = node.nodeId === mesh.self;
		const reach = reachOf(node);
		return [
			el("h2", el("a", { href: linkTo(mesh, "n", node.nodeId) }, bdi(mesh.longName(node.nodeId)))),
			factList([
				["heard", !isSelf && heardAgo(node)],
				["way", isSelf ? t("ownNode") : node.hopsAway != null && hopsText(node.hopsAway)],
				["distance", !isSelf && hasPosition(mesh.own) && farText(mesh.own, node)],
				["precision", reach && t("within", { far: distance(reach) })],
			]),
			!isSelf &&
			may("messages:read") &&
			el("a.button", { href: linkTo(mesh, "c", `direct:${node.nodeId}`) }, icon("chats"), t("message")),
		];
	}

	return bubble;
}

/** The map in words beside it: how far, in which direction; and who has told no place. */
function besideMap(mesh) {
	const box = el("div.beside");
	const part = (title, isOpen, ...content) =>
		el("details.card", { open: isOpen }, el("summary", el("h2", title)), content);
	return {
		node: box,
		draw(nodes, waypoints) {
			const own = mesh.own;
			const rows = nodes
				.filter((node) => node !== own && hasPosition(node))
				.map((node) => [node, hasPosition(own) ? courseBetween(own, node) : null])
				.sort(([, a], [, b]) => (a?.metres ?? 0) - (b?.metres ?? 0));
			const without = nodes
				.filter((node) => !hasPosition(node))
				.sort((a, b) => (b.lastHeard ?? 0) - (a.lastHeard ?? 0));
			const opened = [...box.children].map((one) => one.open);
			renew(
				box,
				part(
					t("byDistance", { n: rows.length }),
					opened[0] ?? innerWidth > 1000,
					table(
						t("distances"),
						["name", "distance", "heard"],
						el("tbody",
							rows
							.slice(0, 100)
							.map(([node, far]) =>
								el("tr",
									el("th", { scope: "row" }, nodeLink(mesh, node.nodeId)),
									el("td", far && farText(own, node)),
									el("td", heardAgo(node)),
								),
							),
						),
					),
				),
				part(
					t("withoutPlace", { n: without.length }),
					opened[1] ?? innerWidth > 1000,
					el("ul.plainlist",
						without
						.slice(0, 200)
						.map((node) =>
							el("li", nodeLink(mesh, node.nodeId), el("span.faint", ` ${heardAgo(node)}`)),
						),
					),
				),
				part(
					t("waypointsN", { n: waypoints.length }),
					opened[2],
					waypointList(mesh, waypoints),
					newWaypointLink(mesh, "a.button"),
				),
			);
		},
	};
}
