// The own radio: who it is for others, and how it does.

viewMakers.radio = ({ mesh }) => ({
	title: t("myRadio"),
	node: page(
		t("myRadio"),
		linkTo(mesh, "more"),
		later(async () => {
			await mesh.names().catch(() => {});
			const [self] = await Promise.all([get(mesh, "self"), mesh.loadStatus().catch(() => {})]);
			return [
				el("section.card",
					...radioStrip(mesh),
					factList([
						["id", self.nodeId && el("code", self.nodeId)],
						["shortName", self.shortName && bdi(self.shortName)],
					]),
					self.keyWords && [
						el("h2", t("keyWords")),
						el("p", t("keyWordsLong")),
						el("p.words", self.keyWords.join(" ")),
					],
					self.nodeId && el("p", el("a", { href: linkTo(mesh, "n", self.nodeId) }, t("aboutNode"))),
				),
				self.contactUrl &&
				el("section.card",
					el("h2", t("contactCode")),
					el("p", t("contactLong")),
					!lackOf("n") && contactCode(mesh, self.nodeId, self.contactUrl),
					copyable(self.contactUrl, t("link")),
				),
				el("section.card",
					el("h2", t("channelCode")),
					self.channelUrl
					? channelCode(mesh, self.channelUrl)
					: "channelUrl" in self
					? el("p", t("noChannelCode"))
					: [el("p", t("channelCodeScope")), copyable("mesh-gateway channel url --all --qr")],
				),
			];
		}),
	),
});
