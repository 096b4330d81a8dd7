// Where the radio is. The browser's clock proposes a country, and the person chooses the region: with a wrong one it
// sends what is forbidden, or hears nobody.

/** The browser's time zone, with its country where it has one: UTC has none. */
function clockPlace() {
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
	const cut = zone.indexOf("/");
	const [area, name] = [zone.slice(0, Math.max(cut, 0)), zone.slice(cut + 1)];
	let country;
	for (const word of (zonesOfAreas[area] ?? "").split(" ")) {
		if (/^[a-z]{2}$/.test(word)) country = word.toUpperCase();
		else if (word === name) return { zone, country };
	}
	return { zone };
}

function regionsOf(country) {
	const found = Object.entries(countriesOfRegions).find(([, countries]) => countries.split(" ").includes(country));
	return found ? found[0].split("-") : [];
}

/** The code itself where the browser has no names. */
function countryName(code) {
	return Intl.DisplayNames ? new Intl.DisplayNames("en", { type: "region" }).of(code) : code;
}

/** What is printed on a board or an antenna for this band. */
function stickerOf(from) {
	const bands = [
		[915, "915, 920 or 923"],
		[900, "915"],
		[800, "868"],
		[460, "470"],
		[400, "433"],
		[200, "220"],
		[0, "144"],
	];
	return from >= 2400 ? "2.4 GHz" : bands.find(([least]) => from >= least)[1];
}

/** "EU_868, 869.4–869.65 MHz, a tenth of the time. The sticker on board or antenna must say 868." */
function regionWords({ region, from, to, dutyCycle }) {
	if (from == null) return region;
	const share = dutyCycle === 10 ? t("tenthOfTime") : dutyCycle < 100 ? t("dutyCycle", { n: dutyCycle }) : "";
	const facts = [region, `${from}–${to} MHz`, share].filter(Boolean).join(", ");
	return [el("b", facts), ". ", t("sticker", { band: stickerOf(from) })];
}

/** @param regions that the radio knows; null: the token may not see them */
function whereQuestion(regions) {
	const { zone, country: proposed } = clockPlace();
	const known = Object.keys(countriesOfRegions).flatMap((codes) => codes.split("-"));
	const rows = new Map((regions ?? known.map((region) => ({ region }))).map((row) => [row.region, row]));
	const free = [...rows.keys()].filter((region) => !rows.get(region).licensed);
	const licensed = [...rows.keys()].filter((region) => rows.get(region).licensed);
	const countries = new Set([proposed, ...Object.values(countriesOfRegions).join(" ").split(" ")].filter(Boolean));
	const list = el("div");
	const said = el("p.note", { role: "status", hidden: true });
	/** The region of the link, and the last such region that was acted on: what a person chose after it stays. */
	let ofLink = null;
	let lastOfLink = null;
	/** The link's region is not one of those that the country has. */
	let isBeside = false;

	const choice = (region) =>
		el("label.choice",
			el("input", { type: "radio", name: "region", value: region, required: true }),
			el("span", regionWords(rows.get(region))),
		);
	const chosen = () => find("input[name=region]:checked", node)?.value ?? null;
	const wordsOfLink = () => {
		if (!isBeside) return "linkAnswers";
		return free.includes(ofLink) ? "linkContradicts" : rows.has(ofLink) ? "linkLicensed" : "linkUnknown";
	};

	function draw() {
		const before = chosen();
		const own = regionsOf(select.value).filter((region) => rows.has(region));
		const choices = own.length ? own : free;
		const wasBeside = isBeside;
		isBeside = ofLink !== null && !choices.includes(ofLink);
		const isNew = ofLink !== null && ofLink !== lastOfLink;
		lastOfLink = ofLink ?? lastOfLink;
		put(
			list,
			own.length === 0 && el("p.note", t(regionsOf(select.value).length ? "unknownThere" : "lookUpThere")),
			[...choices, isBeside && free.includes(ofLink) && ofLink].filter(Boolean).map(choice),
		);
		said.hidden = !ofLink;
		const country = select.value && countryName(select.value);
		said.textContent = ofLink ? t(wordsOfLink(), { region: ofLink, country }) : "";
		// A region that the country does not have is never chosen for the person, nor is the country's in its place.
		const asksAnew = isBeside && (isNew || (!wasBeside && before === ofLink));
		const answer = asksAnew ? null : isNew ? ofLink : (before ?? (isBeside ? null : ofLink));
		for (const field of node.querySelectorAll("input[name=region]")) field.checked = field.value === answer;
		return isBeside && chosen() === null;
	}

	const select = el("select", { id: "country", change: draw },
		el("option", { value: "" }, t("otherCountry")),
		[...countries]
		.map((code) => [countryName(code), code])
		.sort(([a], [b]) => a.localeCompare(b))
		.map(([name, code]) => el("option", { value: code, selected: code === proposed }, name)),
	);
	// Disabled while hidden, so that the form does not require a choice there.
	const forLicensed = el("fieldset", { hidden: true, disabled: true }, licensed.map(choice));
	const hasLicence = el("input", {
		type: "checkbox",
		change: () => {
			forLicensed.hidden = forLicensed.disabled = !hasLicence.checked;
			for (const field of forLicensed.querySelectorAll("input")) field.checked = false;
		},
	});
	const node = el("fieldset",
		el("legend", el("h2", t("whereIsIt"))),
		labelled("country", select),
		el("p.faint", t(proposed ? "proposedBy" : "notProposed", { zone })),
		said,
		list,
		licensed.length > 0 && [el("label.check", hasLicence, t("haveLicence")), forLicensed],
	);
	draw();
	return {
		node,
		get region() {
			return rows.get(chosen());
		},
		/**
		 * Chooses the region of a link if the country has it; null: there is none. Whether the person has to choose,
		 * because the link is for elsewhere, for licensed amateurs, or for a region that this radio does not know.
		 */
		follow(region) {
			ofLink = region;
			return draw();
		},
	};
}
