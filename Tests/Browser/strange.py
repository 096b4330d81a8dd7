"""What strangers choose as names, and what clocks say before anybody has set them."""

import pathlib
import struct
import subprocess
import time

from served import Gateway, eventually
from shown import DESKTOP, NARROW, Shown, each_view, expect, too_wide, views

NAMES = [
    "W" * 4096,
    "very long words " * 256,
    "<img src=x onerror=alert(1)><script>alert(2)</script><b>markup</b> &amp; <!-- ",
    "\u202egnirts\u2066 not closed \u2067\u202d\u200f of any direction",
    "👨‍👩‍👧‍👦🏳️‍🌈👩🏽‍🚒🇦🇹" * 60,
    "Z" + "\u0301\u0327\u0489" * 400,
]
CLOCK = pathlib.Path(__file__).parent.parent / "CStandingClock/leapingclock.c"


def renamed(gateway):
    """Every name that somebody else may choose becomes one of those above. The radio, which knows better, is away."""
    place = {"latitude": 47.27, "longitude": 11.4}
    gateway.get("/api/v1/sources/" + gateway.source() + "/waypoints", body={"name": "Hut", "description": "Open", **place})
    eventually("there is a waypoint", lambda: gateway.get("/api/v1/waypoints")["data"])
    gateway.radios[0].unplug()
    statements = []
    for place, name in enumerate(NAMES):
        mine = (len(NAMES), place)
        statements += [
            ("UPDATE nodes SET long_name = ?1, short_name = substr(?1, 1, 400), status = ?1 WHERE number % ?2 = ?3", name, *mine),
            ("UPDATE messages SET text = ?1 WHERE id % ?2 = ?3", name, *mine),
            ("UPDATE channels SET name = ?1 WHERE channel > 0 AND channel % ?2 = ?3", name, *mine)]
    for table, columns in (("sources", ["name"]), ("waypoints", ["name", "description"])):
        statements += [(f"UPDATE {table} SET {column} = ?", NAMES[0]) for column in columns]
    gateway.change(*statements)


def test_names_of_any_kind_are_text_and_take_no_more_room_than_there_is(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("there is something to see", lambda: gateway.get("/api/v1/messages?limit=20")["count"] > 8)
    renamed(gateway)
    nodes = {}
    for node in {node["nodeNum"] % len(NAMES): node for node in gateway.get("/api/v1/nodes")["data"]}.values():
        nodes |= {f"node {node['nodeId']}": ["n", node["nodeId"]], f"direct {node['nodeId']}": ["c", f"direct:{node['nodeId']}"]}
    for viewport, paths in ((NARROW, views(gateway) | nodes), (DESKTOP, views(gateway))):
        shown = Shown(chromium, gateway, viewport=viewport)
        opened = []
        shown.page.on("dialog", lambda dialog: (opened.append(dialog.message), dialog.dismiss()))
        shown.sign_in()
        failures = []
        for name in each_view(shown, paths):
            failures += [f"{name}: {what}" for what in too_wide(shown.page) + misread(shown.page)]
            if name.startswith(("chat", "direct")) and name != "chats":
                box, log = shown.page.locator("#text").bounding_box(), shown.page.locator(".scroller").bounding_box()
                if box["y"] + box["height"] > viewport["height"]:
                    failures.append(f"{name}: the box is out of sight")
                if log["height"] < viewport["height"] / 4:
                    failures.append(f"{name}: no room for messages")
            if shown.page.locator("#main").bounding_box()["height"] < viewport["height"] / 2:
                failures.append(f"{name}: no room for the view")
        assert not failures and not opened, "\n".join(failures + opened)
        shown.check()


def misread(page):
    """Names that became markup, and those that could turn the text around them."""
    return page.evaluate("""() => {
        const found = [...document.querySelectorAll('[src=x], main script, main b, #top b')]
            .filter((one) => one.matches('[src], script') || one.textContent === 'markup').map((one) => `markup ${one.outerHTML.slice(0, 80)}`);
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const { data, parentElement: parent } = texts.currentNode;
            if (/[\\u202d\\u202e\\u2066\\u2067]/.test(data) && !parent.closest('bdi, [dir=auto], option, svg text, script'))
                found.push(`turns what is around: <${parent.localName} class="${parent.className}"> ${data.slice(0, 40)}`);
        }
        return found;
    }""")


def test_a_link_shows_the_host_to_which_it_goes(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    links = {
        # Cyrillic letters that look like Latin ones.
        "https://\u0430\u0440\u0440\u04cf\u0435.com/id": ("https://xn--80ak6aa92e.com/id", "https://xn--80ak6aa92e.com/id"),
        "https://google.com@evil.example/a": ("https://evil.example/a", "https://evil.example/a"),
        "https://google.com:80@evil.example/b": ("https://evil.example/b", "https://evil.example/b"),
        "https://google.com%2f@evil.example/c": ("https://evil.example/c", "https://evil.example/c"),
        "https://0x7f.1/d": ("https://127.0.0.1/d", "https://127.0.0.1/d"),
        "https://evil.example/\u202emoc.elgoog//e": ("https://evil.example/%E2%80%AEmoc.elgoog//e", "https://evil.example/%E2%80%AEmoc.elgoog//e"),
        # What says where it goes stays as it was typed.
        "https://Example.org/Über?q=1#x": ("https://Example.org/Über?q=1#x", "https://example.org/%C3%9Cber?q=1#x"),
        "http://box:8080": ("http://box:8080", "http://box:8080/"),
    }
    for text, (words, target) in links.items():
        shown.write(f"see {text} now")
        link = page.locator("article.own .text a").last
        expect(link).to_have_attribute("href", target)
        assert link.text_content() == words, f"{text} is shown as {link.text_content()}"
    shown.check()


def test_a_word_in_the_address_that_names_no_view_shows_the_chats(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    for word in ("constructor", "toString", "__proto__", "hasOwnProperty", "nonsense"):
        shown.go("more")
        expect(page.get_by_role("heading", name="More")).to_be_visible()
        shown.go(word)
        expect(page.get_by_role("heading", name="Chats")).to_be_visible()
        expect(page.get_by_role("link", name="LongFast").first).to_be_visible()
    shown.go("n?f=constructor")
    expect(page.get_by_label("Show")).to_have_value("")
    expect(page.locator("tbody tr").first).to_be_visible()
    shown.check()


def wrong_times(page):
    """What a time becomes that nobody has thought of."""
    return page.evaluate("() => document.querySelector('#frame').innerText.match(/.*(1970|1969|NaN|Invalid Date|undefined|5\\d years|\\d\\d,?\\d{3} days).*/g) ?? []")


def test_a_gateway_that_does_not_know_the_time_shows_none(chromium):
    # A Raspberry Pi has no clock of its own: until the network tells it the time, it is 1970.
    gateway = Gateway(["--silent"])
    clock, offset = f"{gateway.folder.name}/clock.so", f"{gateway.folder.name}/clock"
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", clock, CLOCK, "-ldl"], check=True)
    pathlib.Path(offset).write_bytes(struct.pack("q", 5000 - int(time.time())))
    gateway.environment = {"LD_PRELOAD": clock, "LEAPING_CLOCK": offset}
    gateway.restart()
    eventually("the radio is live", lambda: gateway.get(f"/api/v1/sources/{gateway.source()}/status")["data"]["link"]["state"] == "live")
    gateway.get("/api/v1/messages", body={"text": "what time is it", "channel": 0})
    assert gateway.get("/api/v1/messages?limit=1")["data"][0]["createdAt"] < 86400000, "it knows the time"
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    expect(page.locator("article.own").filter(has_text="what time is it")).to_be_visible()
    expect(page.locator("article time").first).to_have_text("unknown time")
    shown.write("nobody knows")
    expect(page.locator("article.own").filter(has_text="nobody knows")).to_be_visible()
    failures = []
    for name in each_view(shown, views(gateway)):
        failures += [f"{name}: {line}" for line in wrong_times(page)]
    assert not failures, "\n".join(failures)
    shown.check()


def test_a_browser_that_does_not_know_the_time_works(chromium):
    gateway = Gateway(["--chatter", "120"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.clock.install(time=0)
    shown.sign_in()
    assert page.evaluate("() => new Date().getFullYear()") == 1970, "it knows the time"
    expect(page.locator(".word")).to_have_text("Live")
    shown.open_chat()
    shown.write("back in time")
    own = page.locator("article.own").filter(has_text="back in time")
    expect(own).to_be_visible()
    expect(page.locator("#text")).to_have_value("")
    failures = []
    for name in each_view(shown, views(gateway)):
        failures += [f"{name}: {line}" for line in wrong_times(page)]
    assert not failures, "\n".join(failures)
    shown.check()


def test_a_message_without_a_time_has_none(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("somebody writes", lambda: [row for row in gateway.get("/api/v1/messages?limit=20")["data"] if row["channel"] == 0 and not row["emoji"]])
    gateway.radios[0].unplug()
    gateway.change(
        ("UPDATE messages SET timestamp = 0, rx_time = 0, created_at = id, updated_at = 0",), ("UPDATE nodes SET last_heard = 0, updated_at = 0, created_at = 0",))
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    expect(page.locator("article time").first).to_have_text("unknown time")
    failures = []
    for name in each_view(shown, views(gateway)):
        failures += [f"{name}: {line}" for line in wrong_times(page)]
    assert not failures, "\n".join(failures)
    shown.check()
