"""The rules: how they are doing, their log and near misses, what they would have told, and why somebody was not told."""

import re

from served import Gateway, eventually
from shown import Shown, expect


def write_rule(gateway, name, text):
    folder = f"{gateway.folder.name}/rules.d"
    gateway.command("rule", "add", "radio-lost", "--name", "first")
    with open(f"{folder}/{name}.conf", "w", encoding="utf-8") as file:
        file.write(text)
    # The daemon reads the folder again.
    gateway.command("rule", "remove", "first")


def missed(gateway, name):
    return gateway.get(f"/api/v1/rules/{name}/log")["nearMisses"]


def test_rules_are_shown_with_log_near_misses_and_test(chromium):
    gateway = Gateway(["--chatter", "240"])
    write_rule(gateway, "sos", "when = message\nwords = nobodysaysthis\n")
    eventually("somebody writes something else", lambda: missed(gateway, "sos"))
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("more")
    page.locator("main").get_by_role("link", name="Notifications").click()
    page.get_by_role("navigation", name="Notifications").get_by_role("link", name="Rules").click()
    card = page.locator(".rule")
    expect(card).to_have_count(1)
    expect(page.get_by_role("button", name="Log and near misses: sos")).to_be_hidden()
    card.locator("summary").click()
    expect(card).to_contain_text("words = nobodysaysthis")
    expect(card).to_contain_text("in force")
    expect(card.locator("dl")).to_contain_text("never")
    page.get_by_role("button", name="Log and near misses: sos").click()
    expect(card.locator(".misses li").first).to_contain_text("none of its words")
    shown.axe("a rule's log")
    page.get_by_role("button", name="What would it have told?: sos").click()
    expect(card).to_contain_text(re.compile(r"It would have fired 0 times since .*\. Texts of the change log"))
    expect(card.locator(".misses li").first).to_contain_text("none of its words")
    shown.check()


def test_a_rule_with_a_mistake_says_so(chromium):
    gateway = Gateway(["--silent"])
    write_rule(gateway, "bad", "when = direct mesage\n")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("rules")
    # What is wrong is said without opening it.
    expect(page.locator(".rule summary .bad").first).to_have_text("its file has a mistake")
    expect(page.locator(".rule summary p.bad")).to_contain_text('bad.conf:1 "direct mesage" is no trigger')
    page.locator(".rule summary").click()
    expect(page.get_by_role("button", name="What would it have told?")).to_have_count(0)
    shown.check()


def test_a_node_and_a_message_say_why_they_were_not_told(chromium):
    gateway = Gateway(["--chatter", "240"])
    write_rule(gateway, "sos", "when = message\nwords = nobodysaysthis\n")
    miss = eventually("somebody writes something else", lambda: missed(gateway, "sos"))[0]
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n", miss["nodeId"])
    page.get_by_role("button", name="Why was I not told?").click()
    expect(page.locator("dialog")).to_contain_text("Rules that listen: sos")
    expect(page.locator("dialog .misses li").first).to_contain_text("sos: ")
    expect(page.locator("dialog .misses li").first).to_contain_text("none of its words")
    shown.axe("why was I not told")
    page.keyboard.press("Escape")
    channel = next(row["channel"] for row in gateway.get("/api/v1/messages?limit=100")["data"] if row["id"] == miss["messageId"])
    shown.go("c", f"channel:{channel}")
    page.locator(f"article[data-id='{miss['messageId']}'] button.more").dispatch_event("click")
    page.get_by_role("menuitem", name="Why was I not told?").click()
    expect(page.locator("dialog .misses li")).to_have_count(1)
    expect(page.locator("dialog .misses li")).to_contain_text("none of its words")
    shown.check()


def test_without_a_rule_it_says_what_to_type_and_without_the_right_nothing_is_offered(chromium):
    gateway = Gateway(["--chatter", "240"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("rules")
    expect(page.locator("main")).to_contain_text("There is no rule.")
    expect(page.locator("main textarea.code")).to_have_value("sudo mesh-gateway rule add battery")
    shown.check()
    eventually("somebody writes", lambda: gateway.get("/api/v1/messages?channel=0&limit=3")["count"] > 1)
    other = Shown(chromium, gateway)
    other.sign_in(gateway.make_token("little", "messages:read", "channels:read", "nodes:read", "channels:viewOnMap"))
    other.go("more")
    expect(other.page.get_by_role("link", name="Waypoints")).to_be_visible()
    expect(other.page.get_by_role("link", name="Notifications")).to_have_count(0)
    other.go("c", "channel:0")
    other.page.locator("article:not(.own) button.more").first.dispatch_event("click")
    expect(other.page.get_by_role("menuitem", name="Details")).to_be_visible()
    expect(other.page.get_by_role("menuitem", name="Why was I not told?")).to_have_count(0)


def test_why_was_i_not_told_says_which_line_to_type_and_is_not_offered_without_a_rule(chromium):
    gateway = Gateway(["--chatter", "240"])
    node = gateway.node(lambda row: row["hopsAway"] == 0 and row["hasPKC"])["nodeId"]
    eventually("somebody writes", lambda: gateway.get("/api/v1/messages?channel=0&limit=3")["count"] > 1)
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    theirs = page.locator("article:not(.own) button.more").first
    shown.go("c", "channel:0")
    theirs.dispatch_event("click")
    expect(page.get_by_role("menuitem", name="Details")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Why was I not told?")).to_have_count(0)
    page.keyboard.press("Escape")
    shown.go("n", node)
    expect(page.get_by_role("heading", name="Facts")).to_be_visible()
    expect(page.locator("dl.table").get_by_text("First heard")).to_be_visible()
    expect(page.get_by_role("button", name="Why was I not told?")).to_have_count(0)
    # One that listens to something else: not to channels, and not to nodes.
    gateway.command("rule", "add", "radio-lost")
    page.reload()
    page.get_by_role("button", name="Why was I not told?").click()
    expect(page.locator("dialog")).to_contain_text("No rule in force listens to nodes.")
    expect(page.locator("dialog textarea.code")).to_have_value(f"sudo mesh-gateway rule add silent --node '{node}'")
    shown.axe("no rule listens")
    page.keyboard.press("Escape")
    shown.go("c", "channel:0")
    theirs.dispatch_event("click")
    page.get_by_role("menuitem", name="Why was I not told?").click()
    expect(page.locator("dialog")).to_contain_text("No rule in force listens to this channel.")
    line = page.locator("dialog textarea.code").input_value()
    assert line.startswith("echo 'when = message on 0' | sudo tee /etc/mesh-gateway/rules.d/channel-0.conf"), line
    shown.check()


def test_rules_that_are_broken_or_last_stand_first_with_the_names_of_their_nodes(chromium):
    gateway = Gateway(["--silent"])
    node = gateway.node(lambda row: row["hopsAway"] == 0 and row["hasPKC"])
    write_rule(gateway, "a-quiet", "when = radio lost\n")
    write_rule(gateway, "b-broken", "when = direct mesage\n")
    write_rule(gateway, "c-lasting", "when = battery below 101 %\nnode = " + node["nodeId"] + "\n")
    gateway.get("/api/v1/actions/request-telemetry", body={"destination": node["nodeId"], "kind": "device"})
    eventually("it lasts", lambda: [row for row in gateway.get("/api/v1/rules")["rules"] if row["open"]])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("rules?rule=c-lasting")
    rows = page.locator(".rule")
    expect(rows).to_have_count(3)
    assert [row.get_attribute("data-id") for row in rows.all()] == ["b-broken", "c-lasting", "a-quiet"]
    expect(rows.nth(1).locator("summary")).to_contain_text(f"Lasts now: {node['longName']}")
    # The link names one: it is open.
    expect(rows.nth(1).get_by_role("button", name="Log and near misses")).to_be_visible()
    expect(rows.nth(0).get_by_role("button", name="Log and near misses")).to_be_hidden()
    # Who may not see the node reads how many there are.
    other = Shown(chromium, gateway)
    other.sign_in(gateway.make_token("blind", "messages:read", "configuration:read"))
    other.go("rules")
    expect(other.page.locator(".rule").nth(1).locator("summary")).to_contain_text("Lasts now: 1")
    assert node["longName"] not in other.page.content()
    shown.axe("rules")
    shown.check()


def test_rules_targets_and_brokers_are_asked_again_while_they_are_open_and_seen(chromium):
    gateway = Gateway(["--silent"])
    gateway.command("rule", "add", "radio-lost")
    shown = Shown(chromium, gateway)
    page = shown.page
    # The clock is ours: ten seconds pass at once.
    page.clock.install()
    shown.sign_in()

    def asked(path, since):
        page.wait_for_timeout(100)
        return [request for request in shown.requests[since:] if request.url.endswith(path)]

    for view, path in (("rules", "/api/v1/rules"), ("targets", "/api/v1/targets"), ("brokers", "/api/v1/mqtt")):
        shown.go(view)
        expect(page.locator("main h1")).to_be_visible()
        eventually("it is asked for", lambda: asked(path, 0))
        since = len(shown.requests)
        page.clock.fast_forward(10500)
        eventually("it is asked for again", lambda: asked(path, since))
        # And when something has been told, or is wrong.
        for kind in ("notification", "problem"):
            since = len(shown.requests)
            page.evaluate("kind => views.hear(kind, {}, null)", kind)
            page.clock.fast_forward(1000)
            eventually(f"after a {kind}", lambda: asked(path, since))
        # Not while nobody sees it, nor when another view is open.
        page.evaluate("() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })")
        since = len(shown.requests)
        page.clock.fast_forward(30000)
        page.wait_for_timeout(500)
        assert not asked(path, since), view
        page.evaluate("() => { delete document.hidden; }")
        shown.go("more")
        expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
        since = len(shown.requests)
        page.clock.fast_forward(30000)
        page.wait_for_timeout(500)
        assert not asked(path, since), view
    # What has changed is shown, and what was opened stays open.
    shown.go("rules")
    page.locator(".rule summary").click()
    gateway.command("rule", "add", "direct-message")
    page.clock.fast_forward(10500)
    expect(page.locator(".rule")).to_have_count(2)
    expect(page.get_by_role("button", name="Log and near misses: radio-lost")).to_be_visible()
