"""The targets of the page behind the bell: where notifications go, and sending one there now."""

import http.server
import json
import threading
from pathlib import Path

from served import Gateway
from shown import Shown, expect


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
        card = page.locator("section.card", has=page.get_by_role("heading", name="Targets"))
        expect(card.get_by_role("listitem")).to_have_count(2)
        expect(card).to_contain_text(f"{address}/...")
        card.get_by_role("button", name="Send one now: phone").click()
        expect(card.get_by_role("listitem").first).to_contain_text("It has arrived.")
        card.get_by_role("button", name="Send one now: tablet").click()
        expect(card.get_by_role("listitem").last).to_contain_text("It did not arrive: 127.0.0.1 answered 403")
        assert [body["topic"] for body in Receiver.got] == ["right", "wrong"], Receiver.got
        shown.axe("targets")
        shown.check()
    finally:
        receiver.shutdown()
        receiver.server_close()


def test_who_may_only_read_sends_nothing_and_without_targets_there_is_no_card(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("reader", "read")).page
    page.get_by_role("link", name="Notifications").click()
    expect(page.get_by_text("No notifications in the last day")).to_be_visible()
    expect(page.get_by_role("heading", name="Targets")).to_have_count(0)
    add(gateway, "phone", "http://127.0.0.1:9/topic")
    page.reload()
    expect(page.get_by_role("heading", name="Targets")).to_be_visible()
    expect(page.get_by_role("button", name="Send one now")).to_have_count(0)
    shown.check()
