// A token for a phone, made by one that may everything, as a code that signs the phone in.

const mayAddPhones = () => session.scopes.includes("admin");

offers.addPhone = () => dialog(t("addPhone"), phoneForm());

/** "phone 2" comes after "phone". */
const nameAfter = (name) => name.replace(/(?: (\d+))?$/, (_, n) => ` ${Number(n ?? 1) + 1}`);

function phoneForm() {
	const name = el("input", { id: "phone-name", required: true, autocomplete: "off", value: t("phone") });
	const send = el("button", { type: "submit" }, t("makeCode"));
	const trouble = el("div", { role: "alert" });
	const made = el("div", { role: "status" });
	const form = el("form", {
			submit: async () => {
				send.disabled = true;
				put(trouble);
				const body = { name: name.value.trim() };
				try {
					const { data } = await ask("api/v1/tokens", { method: "POST", body });
					put(form, made);
					const said = el("p", { tabindex: "-1" }, t("phoneMade", { name: data.name }));
					put(
						made,
						said,
						codeImage(data.signIn.svg, t("phoneCode")),
						copyable(data.signIn.url, t("link")),
						el("p.faint", t("shownOnce")),
					);
					said.focus();
				} catch (error) {
					const isLost = error.status === 0;
					put(
						trouble,
						reasons(error),
						isLost && [
							el("p", t("phonePerhaps")),
							copyable(`mesh-gateway token revoke ${shellWord(body.name)}`),
						],
					);
					if (isLost || error.status === 409) name.value = nameAfter(body.name);
				}
				send.disabled = false;
			},
		},
		el("p", t("addPhoneLong")),
		labelled("phoneName", name),
		trouble,
		el("p", send),
		made,
	);
	return form;
}
