"""The bell: what rules have told, how much of it is unread, and reading it."""

import json
import sqlite3
import time
import uuid

from served import Gateway, eventually
from shown import PHONE, Shown, expect


def tell(gateway, title, body="", needs="info", node=None, age=60, rule="battery", message=None, conversation=None):
    """A row as a rule writes it; its id."""
    row, now = str(uuid.uuid4()), int((time.time() - age) * 1000)
    with sqlite3.connect(gateway.database, timeout=30) as database:
        database.execute(
            "INSERT INTO feed (created_at, at, uuid, source, session, type, title, body, rule, node, needs, message, conversation)"
            " SELECT max(ifnull(max(created_at) + 1, 0), ?), ?, ?, 1, 0, 'battery', ?, ?, ?, ?, ?, ?, ? FROM feed",
            (now, now, row, title, body, rule, node, needs, message, conversation))
    database.close()
    return row


def bell(shown):
    return shown.page.get_by_role("link", name="Notifications")


def test_an_empty_bell_says_what_to_type(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    bell(shown).click()
    expect(page.get_by_role("heading", name="Notifications")).to_be_visible()
    expect(page.get_by_text("No notifications in the last day")).to_be_visible()
    typed = [field.input_value() for field in page.locator("main textarea").all()]
    assert all(line.startswith("sudo mesh-gateway rule add ") for line in typed) and len(typed) == 2, typed
    expect(page.get_by_role("button", name="Mark all as read")).to_be_hidden()
    shown.axe("an empty bell")
    shown.check()


def test_what_was_told_is_counted_read_and_led_from(chromium):
    gateway = Gateway(["--silent"])
    node = eventually("a node is known", lambda: gateway.get("/api/v1/nodes?limit=1")["data"])[0]
    tell(gateway, "long ago", age=3 * 86400)
    first = tell(gateway, "The radio is lost", "Nobody answers.")
    tell(gateway, "<b>Anna</b> \u202e\u2066", "<script>alert(1)</script>\nsecond line", node=node["nodeNum"])
    for viewport in (PHONE, None):
        shown = Shown(chromium, gateway, viewport=viewport)
        page = shown.sign_in().page
        expect(bell(shown)).to_contain_text("2 unread")
        shown.go("told")
        rows = page.locator("li.told")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("<b>Anna</b>")
        expect(rows.first).to_contain_text("<script>alert(1)</script>")
        shown.axe("a bell with rows")
        shown.check()
        shown.close()

    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("told")
    page.get_by_role("button", name="Mark as read: The radio is lost").click()
    expect(bell(shown)).to_contain_text("1 unread")
    seen = {row["id"]: row["acknowledged"] for row in gateway.get("/api/v1/notifications")["notifications"]}
    assert seen[first] and list(seen.values()).count(True) == 1, seen
    page.get_by_role("button", name="Mark all as read").click()
    expect(bell(shown).locator(".count")).to_be_hidden()
    page.get_by_role("button", name="Show older ones").click()
    expect(page.locator("li.told")).to_have_count(3)
    page.locator("li.told a").first.click()
    expect(page).to_have_url(f"{gateway.url}#/{gateway.source()}/n/{node['nodeId']}")
    page.reload()
    expect(bell(shown)).to_be_visible()
    expect(bell(shown).locator(".count")).to_be_hidden()
    shown.check()


def test_told_names_its_rule_is_filtered_by_it_and_following_marks_one(chromium):
    gateway = Gateway(["--silent"])
    node = gateway.node(lambda row: row["hasPKC"])
    tell(gateway, "Battery of Ridge: 19 %", node=node["nodeNum"])
    tell(gateway, "Ridge is silent", node=node["nodeNum"], rule="silent")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    bell(shown).click()
    rows = page.locator("li.told")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("By the rule silent")
    choice = page.get_by_label("Only those of a rule")
    choice.select_option("battery")
    expect(rows).to_have_count(1)
    expect(page).to_have_url(f"{gateway.url}#/{gateway.source()}/told?rule=battery")
    page.reload()
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("19 %")
    expect(choice).to_have_value("battery")
    # Following it marks it; back, the list is as it was.
    expect(bell(shown)).to_contain_text("2 unread")
    rows.first.get_by_role("link", name="Battery of Ridge").click()
    expect(page.get_by_role("heading", name="Facts")).to_be_visible()
    expect(bell(shown)).to_contain_text("1 unread")
    page.go_back()
    expect(rows).to_have_count(1)
    expect(rows.first).not_to_have_class("told new")
    # What comes meanwhile chooses nothing.
    choice.select_option("")
    tell(gateway, "SOS", rule="sos")
    page.reload()
    expect(rows).to_have_count(3)
    expect(choice).to_have_value("")
    rows = rows.filter(has_text="Ridge")
    rows.first.get_by_role("link", name="silent", exact=True).click()
    expect(page.get_by_role("heading", name="Notifications: Rules")).to_be_visible()
    shown.check()


def test_reading_the_chat_marks_what_was_told_of_it(chromium):
    gateway = Gateway(["--chatter", "240"])
    message = eventually("somebody writes", lambda: [row for row in gateway.get("/api/v1/messages?channel=0&limit=5")["data"] if not row["emoji"]])[0]
    tell(gateway, "Somebody writes", message=message["id"], conversation="channel:0")
    tell(gateway, "Something else")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    expect(bell(shown)).to_contain_text("2 unread")
    shown.go("c", "channel:0")
    expect(page.locator("article").first).to_be_visible()
    page.locator(".scroller").evaluate("one => { one.scrollTop = one.scrollHeight; }")
    expect(bell(shown)).to_contain_text("1 unread")
    seen = {row["title"]: row["acknowledged"] for row in gateway.get("/api/v1/notifications")["notifications"]}
    assert seen == {"Somebody writes": True, "Something else": False}, seen
    shown.check()


def test_an_empty_bell_says_which_rules_are_in_force(chromium):
    gateway = Gateway(["--silent"])
    gateway.command("rule", "add", "direct-message")
    gateway.command("rule", "add", "radio-lost")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    bell(shown).click()
    expect(page.locator("main")).to_contain_text("In force: direct-message, radio-lost")
    expect(page.locator("main textarea")).to_have_count(0)
    page.get_by_role("link", name="radio-lost").click()
    expect(page.get_by_role("button", name="Log and near misses: radio-lost")).to_be_visible()
    shown.check()


def test_the_bell_is_reached_sideways_and_at_200_percent(chromium):
    gateway = Gateway(["--silent"])
    tell(gateway, "The radio is lost")
    for width, height in ((844, 390), (700, 450), (640, 360)):
        shown = Shown(chromium, gateway, viewport={"width": width, "height": height})
        page = shown.sign_in().page
        expect(page.locator("#top")).to_have_attribute("data-state", "live")
        expect(bell(shown)).to_be_in_viewport(ratio=1)
        expect(bell(shown)).to_contain_text("1 unread")
        # Below the places, where it covers nothing.
        assert bell(shown).bounding_box()["y"] > height / 2, bell(shown).bounding_box()
        assert bell(shown).evaluate("""one => { const box = one.getBoundingClientRect();
            return one.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)); }"""), "it is covered"
        bell(shown).click()
        expect(page.locator("li.told")).to_be_visible()
        # And by the page of everything else.
        shown.go("more")
        page.locator("main").get_by_role("link", name="Notifications").click()
        expect(page.get_by_role("heading", name="Notifications")).to_be_visible()
        shown.axe(f"told at {width}x{height}")
        shown.check()
        shown.close()


def test_a_token_sees_the_bell_that_it_may(chromium):
    gateway = Gateway(["--silent"])
    tell(gateway, "about a node", needs="node:0")
    tell(gateway, "about the radio")
    some = gateway.make_token("some", "notifications:read", "info:read", "nodes:read")
    shown = Shown(chromium, gateway)
    page = shown.sign_in(some).page
    expect(bell(shown)).to_contain_text("1 unread")
    shown.go("told")
    expect(page.locator("li.told")).to_have_count(1)
    none = gateway.make_token("none", "messages:read", "channels:read", "nodes:read")
    other = Shown(chromium, gateway)
    other.sign_in(none)
    other.page.wait_for_timeout(2000)
    assert not any("/notifications" in request.url for request in other.requests), "it asks for what it may not have"
    expect(bell(other)).to_have_count(0)


def test_what_is_told_meanwhile_is_counted_at_once(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    told = {
        "id": str(uuid.uuid4()), "event_id": int(time.time() * 1000), "session_id": "x.1", "device_id": gateway.source(),
        "title": "Battery of Ridge: 19 %", "body": "It is below 20.", "notification_type": "battery", "payload_json": "{}",
        "created_at": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()), "acknowledged": False,
    }
    blocks = f"event: start\ndata: {{}}\n\nevent: notification\ndata: {json.dumps(told)}\n\n"
    shown.page.route("**/api/v1/events?*", lambda route: route.fulfill(body=blocks, content_type="text/event-stream"))
    shown.sign_in()
    expect(bell(shown)).to_contain_text("1 unread")
    shown.go("told")
    expect(shown.page.locator("li.told")).to_contain_text("It is below 20.")
