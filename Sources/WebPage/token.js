// What the token may do and what not: each right with its scope, and what to type where it is missing.

/** In the order in which people miss them. */
const rights = [
	"messages:read",
	"channels:read",
	"messages:write",
	"channels:write",
	"nodes:read",
	"channels:viewOnMap",
	"nodes:write",
	"traceroute:read",
	"traceroute:write",
	"info:read",
	"notifications:read",
	"packetmonitor:read",
	"configuration:read",
	"configuration:write",
	"mqtt:read",
	"mqtt:write",
	"admin",
];

/** Where a token may do it on some channels only, on which. */
function someChannels(scope) {
	const [resource, action] = scope.split(":");
	if (resource !== "channels" || !session.rights) return null;
	const found = [0, 1, 2, 3, 4, 5, 6, 7].filter((index) => session.rights.has(`channel_${index}:${action}`));
	return found.length < 8 ? ` (${found.map((index) => t("channelN", { n: index })).join(", ")})` : null;
}

offers.tokenRights = () => {
	const isGiven = (scope) => (scope === "admin" ? session.scopes.includes(scope) : may(scope));
	const words = (scope) => [t(`may_${scope.replace(":", "_")}`), someChannels(scope), " ", el("code", scope)];
	const missing = rights.filter((scope) => !isGiven(scope));
	return [
		el("h3", t("tokenMay")),
		el("ul.plainlist", rights.filter(isGiven).map((scope) => el("li", words(scope)))),
		missing.length > 0 && [
			el("h3", t("tokenMayNot")),
			el("p", t("onTheBox")),
			el("ul.plainlist",
				missing.map((scope) => el("li", el("details", el("summary", words(scope)), allowCommand([scope])))),
			),
			el("p", lookAgainButton()),
		],
	];
};
