// The brokers over which Home Assistant has the mesh: how they are doing, and showing everything there again.

const brokerStates = {
	__proto__: null,
	live: "brokerLive",
	connecting: "brokerConnecting",
	waiting: "brokerWaiting",
	refused: "brokerRefused",
	stopped: "brokerStopped",
	broken: "brokerBroken",
};

viewMakers.brokers = ({ mesh }) => {
	const refresh = (name) => {
		const button = el("button", {
				type: "button",
				click: async () => {
					button.disabled = true;
					try {
						await ask(`api/v1/mqtt/${encoded(name)}/refresh`, { method: "POST", body: {} });
						toast(t("brokerRefreshed"));
					} catch (error) {
						toast(error.message);
					}
					button.disabled = false;
				},
			},
			t("brokerRefresh"),
		);
		return button;
	};
	const card = (broker) =>
		el("section.card.broker",
			el("h2", bdi(broker.name)),
			factList([
				["brokerState", t(brokerStates[broker.state] ?? "notKnown")],
				["brokerReason", broker.reason && bdi(broker.reason)],
				["brokerAddress", broker.address && bdi(broker.address)],
				["brokerDevices", number(broker.devices)],
				["brokerDeleted", broker.deleted.length ? bdi(broker.deleted.join(" ")) : null],
				["brokerPublished", number(broker.published)],
				["brokerRefusal", broker.refusal && bdi(broker.refusal)],
			]),
			broker.state !== "broken" && broker.mistakes.length > 0 && el("p.bad", t("inForceAsBefore")),
			broker.mistakes.map((one) => el("p.bad", bdi(`${one.file}:${one.line ?? ""} ${one.message}`))),
			broker.state !== "broken" && may("mqtt:write") && el("p", refresh(broker.name)),
		);
	const node = el("div");
	const asked = followed(node, async () => {
		const { brokers, missingLibrary } = await ask("api/v1/mqtt");
		renew(
			node,
			missingLibrary && el("p.bad", bdi(missingLibrary)),
			brokers.length ? brokers.map(card) : el("p.faint", t("noBrokers")),
		);
	});
	return {
		...asked,
		title: t("brokers"),
		node: page(t("brokers"), linkTo(mesh, "more"), el("p", t("brokersLong")), asked.box),
	};
};
