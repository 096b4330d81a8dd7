"""The targets of the page behind the bell: where notifications go, and sending one there now."""

import http.server
import json
import threading
from pathlib import Path

from served import Gateway
from shown import PHONE, Shown, expect


class Receiver(http.server.BaseHTTPRequestHandler):
    """Plays ntfy, which knows one topic."""

    got = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Receiver.got.append(body)
        self.send_response(200 if body["topic"] == "right" else 403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


def add(gateway, name, url):
    """As a person does it."""
    file = Path(gateway.folder.name) / "url"
    file.write_text(url + "\n", encoding="utf-8")
    gateway.command("target", "add", name, "ntfy", "--url-file", str(file), "--allow-local")


def test_one_is_sent_now_and_the_page_says_what_became_of_it(chromium):
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    try:
        gateway = Gateway(["--silent"])
        address = f"http://127.0.0.1:{receiver.server_port}"
        add(gateway, "phone", f"{address}/right")
        add(gateway, "tablet", f"{address}/wrong")
        shown = Shown(chromium, gateway)
        page = shown.sign_in(gateway.make_token("all", "admin")).page
        page.get_by_role("link", name="Notifications").click()
        page.get_by_role("link", name="Where to").click()
        cards = page.locator(".target")
        expect(cards).to_have_count(2)
        phone, tablet = (page.locator(f".target[data-id={name}]") for name in ("phone", "tablet"))
        expect(phone).to_contain_text(f"{address}/...")
        for words in ("Statein force", "Waiting to be sent0", "Held by quiet hours0", "Last arrivalnever"):
            expect(phone.locator("dl")).to_contain_text(words)
        page.get_by_role("button", name="Send one now: phone").click()
        expect(phone).to_contain_text("It has arrived.")
        page.get_by_role("button", name="Send one now: tablet").click()
        expect(tablet).to_contain_text("It did not arrive: 127.0.0.1 answered 403")
        assert [body["topic"] for body in Receiver.got] == ["right", "wrong"], Receiver.got
        shown.axe("targets")
        shown.check()
    finally:
        receiver.shutdown()
        receiver.server_close()


def test_who_may_only_read_sends_nothing_and_without_targets_it_says_what_to_type(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("reader", "read")).page
    page.get_by_role("link", name="Notifications").click()
    page.get_by_role("link", name="Where to").click()
    expect(page.get_by_text("There is no target.")).to_be_visible()
    expect(page.locator("main textarea.code").last).to_have_value("sudo mesh-gateway target add phone ntfy")
    shown.axe("no target")
    add(gateway, "phone", "http://127.0.0.1:9/topic")
    page.reload()
    expect(page.get_by_role("heading", name="phone")).to_be_visible()
    expect(page.get_by_role("button", name="Send one now")).to_have_count(0)
    shown.check()


def test_a_target_says_what_waits_what_quiet_hours_hold_and_why_it_fails(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway, viewport=PHONE)
    page = shown.page
    row = {"name": "phone", "kind": "ntfy", "url": "https://ntfy.example/...", "fallback": "mail", "inForce": True, "waiting": 7, "held": 3,
           "summaryAt": "2026-05-04T10:00:00.000Z", "failing": False, "failingSince": None, "succeededAt": "2026-05-03T10:00:00.000Z",
           "error": None, "test": None, "mistakes": []}
    mail = {**row, "name": "mail", "failing": True, "failingSince": "2026-05-03T10:00:00.000Z", "error": "ntfy.example answered 500", "fallback": None}
    broken = {**row, "name": "old", "inForce": False, "mistakes": [{"file": "old.conf", "line": 2, "message": "no such key"}]}
    answer = {"schema": "targets/1", "via": "daemon", "folder": None, "obstacle": None, "targets": [row, mail, broken], "mistakes": []}
    page.route("**/api/v1/targets", lambda route: route.fulfill(json=answer))
    shown.sign_in()
    shown.go("targets")
    cards = page.locator(".target")
    expect(cards).to_have_count(3)
    # What does not do as it should stands first.
    assert [card.get_attribute("data-id") for card in cards.all()] == ["mail", "old", "phone"]
    for words in ("Waiting to be sent7", "Held by quiet hours3", "Last arrival3 May 2026", "Summary goes out4 May 2026", "In its placemail"):
        expect(cards.nth(2).locator("dl")).to_contain_text(words)
    expect(cards.nth(0)).to_contain_text("fails since 3 May 2026")
    expect(cards.nth(0)).to_contain_text("ntfy.example answered 500")
    expect(cards.nth(1)).to_contain_text("old.conf:2 no such key")
    shown.axe("targets")
    shown.check()
