
// The own radio: who it is for others, and how it does.

kinds.radio = ({ mesh }) => ({
	title: t("myRadio"),
	node: page(t("myRadio"), to(mesh, "more"), later(async () => {
		await mesh.names().catch(() => {});
		const [self] = await Promise.all([get(mesh, "self"), mesh.loadStatus().catch(() => {})]);
		return [
			el("section.card", ...radioStrip(mesh),
				factList([["id", el("code", self.nodeId)], ["shortName", bdi(self.shortName ?? "")]]),
				self.keyWords && [el("h2", t("keyWords")), el("p", t("keyWordsLong")), el("p.words", self.keyWords.join(" "))],
				el("p", el("a", { href: to(mesh, "n", self.nodeId) }, t("aboutNode")))),
			self.contactUrl && el("section.card", el("h2", t("contactCode")), el("p", t("contactLong")), qrPicture(self.contactUrl, t("contactCode")), copyable(self.contactUrl)),
			el("section.card", el("h2", t("channelCode")), self.channelUrl ? channelCode(self.channelUrl)
				: "channelUrl" in self ? el("p", t("noChannelCode")) : [el("p", t("channelCodeScope")), copyable("mesh-gateway channel url --all --qr")])];
	})),
});

/** It holds the keys of the channels: shown when somebody asks for it. */
function channelCode(url) {
	const box = el("div", el("p", t("channelCodeLong")));
	box.append(el("button", { click: (event) => {
		event.currentTarget.remove();
		box.append(qrPicture(url, t("channelCode")), copyable(url));
	} }, t("showCode")));
	return box;
}
