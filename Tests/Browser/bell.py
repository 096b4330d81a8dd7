"""The bell: what rules have told, how much of it is unread, and reading it."""

import json
import sqlite3
import time
import uuid

from served import Gateway, eventually
from shown import PHONE, Shown, expect


def tell(gateway, title, body="", needs="info", node=None, age=60):
    """A row as a rule writes it; its id."""
    row, now = str(uuid.uuid4()), int((time.time() - age) * 1000)
    with sqlite3.connect(gateway.database, timeout=30) as database:
        database.execute(
            "INSERT INTO feed (created_at, at, uuid, source, session, type, title, body, rule, node, needs)"
            " SELECT max(ifnull(max(created_at) + 1, 0), ?), ?, ?, 1, 0, 'battery', ?, ?, 'battery', ?, ? FROM feed",
            (now, now, row, title, body, node, needs))
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
