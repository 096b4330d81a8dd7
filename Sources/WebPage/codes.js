// QR codes, which Meshtastic's apps scan. The gateway draws the thing that a path names: no text is sent there.

/** What a code can hold, in bytes; a link has one for each character. */
const codeLimit = 2953;

/** Of the thing at `path`, whose link is `url`. */
function codePicture(mesh, path, url, label) {
	if (url.length > codeLimit) return el("p", t("tooLongForCode"));
	return later(async () => codeImage(await ask(sourcePath(mesh, path), { as: "text" }), label));
}

/** With which others add the node as a contact. */
const contactCode = (mesh, nodeId, url) =>
	codePicture(mesh, `nodes/${encoded(nodeId)}/contact.svg`, url, t("contactCode"));

/** It holds the keys of the channels: shown when somebody asks for it. */
function channelCode(mesh, url) {
	const box = el("div", el("p", t("channelCodeLong")));
	const show = (event) => {
		event.currentTarget.remove();
		box.append(codePicture(mesh, "channels.svg", url, t("channelCode")), copyable(url, t("link")));
	};
	box.append(el("button", { click: show }, t("showCode")));
	return box;
}

/** Of any node, on its page. */
offers.showContact = (mesh, nodeId) => {
	const content = async () => {
		const { longName, contactUrl } = await get(mesh, `nodes/${encoded(nodeId)}/key`);
		const name = el("p", bdi(longName));
		if (!contactUrl) return [name, el("p", t("keyUnknownLong"))];
		return [name, contactCode(mesh, nodeId, contactUrl), copyable(contactUrl, t("link"))];
	};
	dialog(t("contactCode"), later(content));
};
