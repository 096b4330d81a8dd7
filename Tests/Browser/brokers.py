"""The brokers: how they are doing, what is wrong with a file, and showing everything there again."""

import json

from served import Gateway
from shown import Shown, expect

BROKER = {
    "name": "house", "address": "mqtts://house:8883", "homeAssistant": "favourites", "state": "live", "reason": None,
    "version": "5", "maySubscribe": True, "connections": 1, "published": 40, "publishedBytes": 4000, "received": 3,
    "refused": 0, "refusal": None, "devices": 3, "deleted": ["0000abcd"], "mistakes": [],
}
MISTAKE = {"file": "hut.conf", "line": 2, "message": "write for example: url = mqtt://house.example"}


def serve(shown):
    """A gateway of whose brokers one is connected, one is so although its file has a mistake now, and one never was."""
    broken = {**BROKER, "name": "hut", "state": "broken", "devices": 0, "deleted": [], "mistakes": [MISTAKE]}
    kept = {**BROKER, "name": "barn", "deleted": [], "mistakes": [{**MISTAKE, "file": "barn.conf"}]}
    body = json.dumps({"schema": "mqtt/1", "via": "daemon", "folder": None, "missingLibrary": None, "brokers": [BROKER, kept, broken], "mistakes": []})
    asked = []

    def answer(route):
        asked.append(f"{route.request.method} {route.request.url.split('/api/v1/')[1]}")
        route.fulfill(body=body, content_type="application/json")

    shown.page.route("**/api/v1/mqtt**", answer)
    return asked


def test_brokers_are_shown_and_everything_is_shown_there_again(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    asked = serve(shown)
    page = shown.sign_in(gateway.make_token("all", "admin")).page
    shown.go("more")
    page.get_by_role("link", name="Brokers").click()
    expect(page.locator(".broker")).to_have_count(3)
    expect(page.locator(".broker").first).to_contain_text("0000abcd")
    expect(page.locator(".broker").last).to_contain_text("hut.conf:2 write for example")
    expect(page.locator(".broker").nth(1)).to_contain_text("in force as before; its file has a mistake")
    expect(page.locator(".broker").last).not_to_contain_text("in force as before")
    expect(page.get_by_role("button", name="Show everything again")).to_have_count(2)
    page.get_by_role("button", name="Show everything again").first.click()
    expect(page.locator("#said")).to_have_text("Everything is shown there again.")
    assert asked[-1] == "POST mqtt/house/refresh", asked
    shown.check()


def test_without_a_broker_and_without_the_right_to_change(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("reader", "read")).page
    shown.go("brokers")
    expect(page.locator("main")).to_contain_text("There is no broker.")
    other = Shown(chromium, gateway)
    serve(other)
    other.sign_in(gateway.make_token("another reader", "read"))
    other.go("brokers")
    expect(other.page.locator(".broker")).to_have_count(3)
    expect(other.page.get_by_role("button", name="Show everything again")).to_have_count(0)
    shown.check()
