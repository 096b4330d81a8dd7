
// Everything else: links, packets, the own radio, how the page looks, who serves it, and leaving.

kinds.more = ({ mesh }) => {
  const to = (kind, word, long) => el("a.item", { href: views.link(mesh, kind) }, el("b", null, say(word)), el("span.faint", null, say(long)));
  const choose = (key, word, values) => {
    const select = el("select", { id: `taste-${key}`, change: () => {
      taste.set(key, select.value);
      applyTaste();
    } }, values.map(([value, text]) => el("option", { value, selected: taste.get(key) === value }, say(text))));
    return el("div", null, el("label", { for: select.id }, say(word)), select);
  };
  return {
    title: say("more"),
    node: page(say("more"), null,
      el("nav.items", { "aria-label": say("more") }, to("links", "links", "linksShort"), to("packets", "packets", "packetsShort"), to("waypoints", "waypoints", "waypointsShort"), to("radio", "myRadio", "myRadioShort")),
      el("section.card", null, el("h2", null, say("appearance")), el("div.row.wrap", null,
        choose("scheme", "colours", [["auto", "asDevice"], ["light", "light"], ["dark", "dark"]]), choose("units", "units", [["auto", "asBrowser"], ["metric", "metric"], ["imperial", "imperial"]]),
        choose("clock", "clock", [["auto", "asBrowser"], ["24", "hours24"], ["12", "hours12"]]))),
      el("section.card", null, el("h2", null, say("thisGateway")), later(async () => {
        const health = await ask("api/health");
        noteVersion(health.version);
        return [factList([["address", location.host + root], ["version", health.version], ["runsSince", ago(Date.now() - health.uptime)]]), el("p", null, el("a", { href: "api/v1/docs" }, say("apiDocs")))];
      }), !isSecureContext && el("p.faint", null, say("plainHttp"))),
      el("section.card", null, el("h2", null, say("yourToken")), el("p", null, say(memory.store === sessionStorage ? "tokenInTab" : "tokenOnDevice")), el("button", { type: "button", click: () => signOut() }, say("signOut")))),
  };
};
