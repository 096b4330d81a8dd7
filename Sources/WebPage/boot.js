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
	brokers: "more",
	told: "more",
	rules: "more",
	targets: "more",
};

/** "4 min ago" is so for a minute, also where nothing is heard any more. */
function tick() {
	if (!document.hidden) views.hear("minute", {});
}
setInterval(tick, 60000);
on(document, "visibilitychange", tick);

applyPreferences();
past.depth = history.state?.depth ?? 0;
past.addresses.set(past.depth, location.hash);
const skip = find("#skip");
skip.textContent = t("skip");
on(skip, "click", () => views.focus());
const offered = takeToken();
const kept = memory.get("token");
if (offered) showDoor("", offered);
else if (kept) openSession(kept);
else showDoor();
