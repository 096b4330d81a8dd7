// What happens when the page is opened.

/** The place that each view belongs to; the rest belongs to the chats. */
const placeOf = {
	n: "nodes",
	map: "map",
	waypoints: "map",
	more: "more",
	links: "more",
	packets: "more",
	radio: "more",
	told: "more",
};

applyPreferences();
past.depth = history.state?.depth ?? 0;
const skip = find("#skip");
skip.textContent = t("skip");
on(skip, "click", () => views.focus());
const offered = takeToken();
const kept = memory.get("token");
if (offered) showDoor("", offered);
else if (kept) openSession(kept);
else showDoor();
