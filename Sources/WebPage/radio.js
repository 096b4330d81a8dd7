
// The own radio: who it is for others, and how it does.

kinds.radio = ({ mesh }) => ({
  title: say("myRadio"),
  node: page(say("myRadio"), views.link(mesh, "more"), later(async () => {
    await mesh.names().catch(() => {});
    const [self] = await Promise.all([get(mesh, "self"), mesh.loadStatus().catch(() => {})]);
    return [
      el("section.card", null, el("h2", null, bdi(self.longName ?? mesh.name)), ...radioStrip(mesh),
        factList([["id", el("code", null, self.nodeId)], ["shortName", bdi(self.shortName ?? "")]]),
        self.keyWords && [el("h3", null, say("keyWords")), el("p", null, say("keyWordsLong")), el("p.words", null, self.keyWords.join(" "))],
        el("p", null, nodeLink(mesh, self.nodeId))),
      self.contactUrl && el("section.card", null, el("h2", null, say("contactCode")), el("p", null, say("contactLong")), qrPicture(self.contactUrl, say("contactCode")), copyable(self.contactUrl)),
      el("section.card", null, el("h2", null, say("channelCode")), self.channelUrl ? channelCode(self.channelUrl)
        : "channelUrl" in self ? el("p", null, say("noChannelCode")) : [el("p", null, say("channelCodeScope")), copyable("mesh-gateway channel url --all --qr")])];
  })),
});

/** It holds the keys of the channels: shown when somebody asks for it. */
function channelCode(url) {
  const box = el("div", null, el("p", null, say("channelCodeLong")));
  box.append(el("button", { type: "button", click: (event) => {
    event.currentTarget.remove();
    box.append(qrPicture(url, say("channelCode")), copyable(url));
  } }, say("showCode")));
  return box;
}
