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
    page.get_by_role("link", name="Rules").click()
    card = page.locator(".rule")
    expect(card).to_have_count(1)
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
    expect(page.locator(".rule")).to_contain_text("its file has a mistake")
    expect(page.locator(".rule .bad")).to_contain_text('bad.conf:1 "direct mesage" is no trigger')
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
    expect(other.page.get_by_role("link", name="Links")).to_be_visible()
    expect(other.page.get_by_role("link", name="Rules")).to_have_count(0)
    other.go("c", "channel:0")
    other.page.locator("article:not(.own) button.more").first.dispatch_event("click")
    expect(other.page.get_by_role("menuitem", name="Details")).to_be_visible()
    expect(other.page.get_by_role("menuitem", name="Why was I not told?")).to_have_count(0)
