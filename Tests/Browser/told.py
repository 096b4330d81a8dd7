"""What is shown is so, and what cannot be done is said: a radio that is away, an outage, rights, signals, charts."""

import json
import re
import time

from served import Gateway, eventually
from shown import Shown, each_view, expect, views


def near(gateway):
    nodes = eventually("nodes are heard", lambda: [node for node in gateway.get("/api/v1/nodes?limit=100")["data"]
                                                   if node["hopsAway"] == 0 and node["hasPKC"]])
    return nodes[0]["nodeId"]


def own_node(gateway):
    return eventually("the radio says who it is", lambda: gateway.get(f"/api/v1/sources/{gateway.source()}/self")["data"]["nodeId"])


def node(number, **values):
    """A row of a list of nodes."""
    name = f"!{number:08x}"
    return {"nodeId": name, "longName": f"Node {number}", "shortName": f"{number:04x}"[-4:], "hopsAway": 1, "hasPKC": True,
            "lastHeard": int(time.time()) - 60, "isFavorite": False, "isIgnored": False, "role": 0, **values}


def with_nodes(shown, *rows):
    """The lists of nodes have these rows, and those that the gateway has are not there."""
    shown.page.route(re.compile(r"/nodes\?limit=10000"), lambda route: route.fulfill(json={"success": True, "data": list(rows)}))


def test_the_bar_says_on_every_view_that_the_radio_is_away(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("there is something to see", lambda: gateway.get("/api/v1/messages?limit=20")["count"] > 2)
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    paths = views(gateway)
    expect(page.locator(".word")).to_have_text("Live")
    gateway.radios[0].unplug()
    # On a view that has never asked how the radio does, too.
    shown.go("more")
    for name in each_view(shown, paths):
        expect(page.locator(".word"), name).to_have_text(re.compile(r"^Radio away since \d\d:\d\d$"))
    expect(page.locator("#top")).to_have_attribute("data-state", "away")
    # What needs it is greyed out, with the reason.
    shown.go("n", paths["node"][1])
    for name in ("Trace route", "Ask it for …"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    expect(page.locator("#away")).to_contain_text(re.compile(r"Radio away since \d\d:\d\d\. What is greyed out needs it"))
    # A star is kept until it is back.
    expect(page.get_by_role("button", name="Favourite", exact=True)).to_be_enabled()
    shown.go("waypoints", "new")
    expect(page.get_by_role("button", name="Share")).to_be_disabled()
    expect(page.locator("#away")).to_contain_text("needs it")
    shown.go("c", "channel:0")
    page.get_by_role("button", name="More to send").click()
    item = page.get_by_role("menuitem", name="Send own position")
    expect(item).to_have_attribute("aria-disabled", "true")
    expect(item).to_contain_text("Radio away since")
    sent = [request for request in shown.requests if request.method == "POST" and "actions" in request.url]
    item.dispatch_event("click")
    page.wait_for_timeout(300)
    assert sent == [request for request in shown.requests if request.method == "POST" and "actions" in request.url], "it was asked for"
    shown.axe("the radio is away")
    page.keyboard.press("Escape")
    shown.go("n", paths["node"][1])
    gateway.radios[0].plug()
    expect(page.locator(".word")).to_have_text("Live", timeout=60000)
    expect(page.get_by_role("button", name="Trace route")).to_be_enabled()
    expect(page.locator("#away")).to_have_count(0)
    shown.check()


def test_what_was_opened_during_an_outage_is_asked_again(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("there is something to see", lambda: gateway.get("/api/v1/messages?limit=20")["count"] > 2)
    source, name = gateway.source(), near(gateway)
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    wanted = {
        ("radio",): "main .words", ("links",): "tbody tr", ("packets",): "tbody tr", ("n",): "tbody tr", ("n", name): ".facts, dl.table",
        ("c", "channel:0"): "article", ("waypoints",): ".plainlist, .faint", ("map",): ".map .spot",
    }
    for path, selector in wanted.items():
        shown.go("more", source=source)
        expect(page.locator(".word")).to_have_text("Live", timeout=20000)
        gateway.stop()
        shown.go(*path, source=source)
        expect(page.locator(".word")).to_contain_text("Offline since")
        page.wait_for_timeout(300)
        gateway.start()
        expect(page.locator(".word")).not_to_contain_text("Offline", timeout=20000)
        expect(page.locator(selector).first, f"{path}").to_be_attached()
        expect(page.locator("main").get_by_text("The gateway does not answer."), f"{path}").to_have_count(0)
        eventually("the radio is live", lambda: gateway.get(f"/api/v1/sources/{source}/status")["data"]["connected"])


def test_a_page_that_nobody_answered_says_so_and_comes_when_somebody_does(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    expect(page.locator(".chats a").first).to_be_visible()
    page.route("**/api/**", lambda route: route.abort())
    page.reload()
    expect(page.locator("main h1")).to_have_text("The gateway does not answer.")
    page.unroute("**/api/**")
    expect(page.locator(".chats a").first).to_be_visible(timeout=20000)
    shown.check()


def test_signal_words_go_by_the_preset_of_the_modem(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("there are links", lambda: len(gateway.get("/api/v1/links")["data"]) > 3)
    # Nothing more is heard.
    gateway.radios[0].unplug()
    shown = Shown(chromium, gateway)
    # LONG_FAST reads down to -17.5 dB: good from -5.5 on, fair from -12.5 on.
    signals = {1: -5.5, 2: -6, 3: -12.5, 4: -12.75}
    with_nodes(shown, *[node(number, hopsAway=0, snr=snr) for number, snr in signals.items()])
    page = shown.sign_in().page

    def words():
        shown.go("more")
        shown.go("n")
        expect(page.locator("tbody tr")).to_have_count(4)
        return [page.locator(f"tr[data-id='!{number:08x}'] .signal").get_attribute("data-grade") for number in signals]

    assert words() == ["good", "fair", "fair", "weak"]
    page.get_by_label("Show").select_option(label="Weak signal")
    expect(page.locator("tbody tr")).to_have_count(1)
    # The page has no rule of its own.
    fast = gateway.get("/api/v1/me")
    fast["data"]["sources"][0]["signal"] = {"limit": -7.5, "fair": -2.5, "good": 4.5}
    page.route("**/api/v1/me", lambda route: route.fulfill(json=fast))
    page.reload()
    assert words() == ["weak", "weak", "weak", "weak"]
    # Nor have links and the command line.
    scale = gateway.get("/api/v1/me")["data"]["sources"][0]["signal"]
    page.unroute("**/api/v1/me")

    def grade(snr):
        return "good" if snr >= scale["good"] else "fair" if snr >= scale["fair"] else "weak"

    rows = gateway.get("/api/v1/links")["data"]
    assert all(row["grade"] == grade(row["snr"]["p50"]) for row in rows)
    told = json.loads(gateway.command("links", "--json"))["links"]
    assert [row["grade"] for row in told] == [grade(row["snr"]["p50"]) for row in told] and len(told) == len(rows)
    shown.go("links")
    page.reload()
    expect(page.locator("tbody .signal").first).to_be_visible()
    seen = page.locator("tbody .signal").evaluate_all("all => all.map((one) => one.dataset.grade)")
    assert sorted(seen) == sorted(row["grade"] for row in rows)
    shown.check()


def test_the_own_radio_has_no_way_and_nobody_passes_on_what_came_directly(chromium):
    gateway = Gateway(["--chatter", "240"])
    own = own_node(gateway)
    packet = eventually("there are packets", lambda: gateway.get("/api/v1/packets?limit=5")["data"][0])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n")
    row = page.locator(f"tr[data-id='{own}']")
    expect(row).to_be_visible()
    assert "way unknown" not in row.inner_text(), row.inner_text()
    shown.go("n", own)
    expect(page.get_by_text("This is your own radio.")).to_be_visible()
    expect(page.locator("dl.table").get_by_text("Number", exact=True)).to_be_visible()
    assert page.locator("main").get_by_text("way unknown").count() == 0
    path = f"/api/v1/packets/{packet['id']}/explain"
    explained = gateway.get(path)
    for away in (0, 2):
        explained["data"]["hops"] = {"start": 3, "limit": 3 - away, "away": away, "relayByte": 1, "nextHopByte": 0,
                                     "relayCandidates": [{"nodeId": near(gateway), "nodeNum": 1, "longName": "Relay", "shortName": "R"}]}
        page.route("**/explain", lambda route: route.fulfill(json=explained))
        shown.go("more")
        shown.go("packets", str(packet["id"]))
        expect(page.get_by_role("heading", name="Bytes")).to_be_visible()
        expect(page.get_by_text("Passed on by")).to_have_count(1 if away else 0)
        page.unroute("**/explain")
    shown.check()


def telemetry(kind, value, minutes):
    return {"telemetryType": kind, "timestamp": int(time.time() * 1000) - minutes * 60000, "value": value, "unit": ""}


def test_charts_follow_what_comes_have_a_time_axis_and_are_read(chromium):
    gateway = Gateway(["--silent"])
    name = near(gateway)
    shown = Shown(chromium, gateway)
    page = shown.page
    rows = [telemetry("batteryLevel", 101, 2), telemetry("batteryLevel", 90, 30), telemetry("batteryLevel", 80, 50),
            telemetry("temperature", 20, 40)]
    page.route(re.compile(r"/api/telemetry/"), lambda route: route.fulfill(json=rows))
    shown.sign_in()
    shown.go("n", name)
    battery = page.locator("figure").filter(has_text="Battery")
    # A cable, and not 101 %.
    expect(battery.locator("figcaption")).to_contain_text("powered")
    expect(battery.locator("output")).to_contain_text("80 % to powered")
    for span, hours, least in (("1 hour", 1, 3), ("6 hours", 6, 5), ("24 hours", 24, 3), ("7 days", 168, 6), ("30 days", 720, 3)):
        with page.expect_request(re.compile(f"hours={hours}$")):
            page.get_by_role("button", name=span).click()
        expect(battery.locator(".axis span").nth(least - 1)).to_be_attached()
        assert battery.locator(".axis span").count() <= 8
    page.get_by_role("button", name="1 hour").click()
    expect(battery.locator(".axis span").first).to_have_text(re.compile(r"^\d\d:\d\d$"))
    # By pointer: the nearest value; by keys: the one before.
    picture = battery.locator("svg.chart")
    picture.hover(position={"x": 3, "y": 20})
    expect(battery.locator("output")).to_contain_text("80 %")
    page.mouse.move(1, 1)
    picture.focus()
    for key, words in (("ArrowLeft", "powered"), ("ArrowLeft", "90 %"), ("Home", "80 %"), ("ArrowRight", "90 %"), ("End", "powered")):
        page.keyboard.press(key)
        expect(battery.locator("output")).to_have_text(re.compile(f": {words}$"))
    # What comes is there at once, and who reads is not disturbed.
    page.keyboard.press("Home")
    event = {**telemetry("batteryLevel", 64, 0), "nodeId": name, "sourceId": gateway.source()}
    body = f'event: start\ndata: {{"resumed":false}}\n\nevent: telemetry\ndata: {json.dumps(event)}\n\n'
    page.route(re.compile("/api/v1/events"), lambda route: route.fulfill(content_type="text/event-stream", body=body))
    page.evaluate("""() => { for (const hidden of [true, false]) { Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange')); } }""")
    expect(battery.locator("figcaption")).to_contain_text("64 %")
    expect(battery.locator("output")).to_have_text(re.compile(": 80 %$"))
    shown.check()


def test_a_chart_is_drawn_of_each_kind_of_value_that_the_page_knows(chromium):
    gateway = Gateway(["--silent"])
    node = gateway.node(lambda row: row["hopsAway"] == 0 and row["hasPKC"])
    name = node["nodeId"]
    # By the names under which the API has them.
    kinds = {"snr_local": ("Signal here (SNR)", "-4 dB"), "rssi": ("RSSI", "-91 dBm"), "batteryLevel": ("Battery", "77 %"),
             "voltage": ("Voltage", "3.95 V"), "channelUtilization": ("Channel use", "12.5 %"), "airUtilTx": ("Air time", "1.5 %"),
             "temperature": ("Temperature", "21.5 °C"), "humidity": ("Humidity", "64 %"), "pressure": ("Air pressure", "951.5 hPa")}
    values = dict(zip(kinds, (-4, -91, 77, 3.95, 12.5, 1.5, 21.5, 64, 951.5)))
    now = int(time.time() * 1000)
    gateway.change(*[("INSERT INTO telemetry (node, at, packet_id, channel, kind, time, metrics) VALUES (?, ?, ?, 0, 2, ?, ?)",
                      1 << 32 | node["nodeNum"], now - age * 60000, 1000 + age, now // 1000, json.dumps(values, separators=(",", ":"))) for age in (1, 2)])
    measured = gateway.get(f"/api/telemetry/{name}?sourceId={gateway.source()}&hours=1")
    assert {row["telemetryType"] for row in measured} >= set(kinds), measured
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n", name)
    heads = page.locator("figure figcaption")
    expect(heads).to_have_count(len(kinds))
    for head, (title, words) in zip(heads.all(), kinds.values()):
        expect(head).to_have_text(title + words)
    assert page.locator("figure .line[d^=M]").count() == len(kinds)
    shown.check()


def test_a_token_is_told_on_every_view_what_it_lacks_and_what_to_type(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("somebody writes", lambda: gateway.get("/api/v1/messages?channel=0&limit=3")["count"] > 1)
    paths = views(gateway)
    lacks = {
        "chats": "messages:read", "chat": "messages:read", "new": "messages:read", "search": "messages:read", "nodes": "channels:viewOnMap",
        "node": "channels:viewOnMap", "map": "channels:viewOnMap", "waypoints": "channels:viewOnMap", "links": "info:read",
        "packets": "packetmonitor:read", "packet": "packetmonitor:read", "radio": "info:read", "brokers": "mqtt:read", "mqtt": "mqtt:read",
        "rules": "configuration:read", "told": "notifications:read", "targets": "configuration:read",
    }
    shown = Shown(chromium, gateway)
    shown.sign_in(gateway.make_token("little", "nodes:read"))
    page = shown.page
    for name, right in lacks.items():
        shown.go(*paths[name])
        expect(page.get_by_text(f"it lacks {right}."), name).to_be_visible()
        assert page.locator("main textarea.code").input_value() == f"mesh-gateway token allow little {right}", name
        shown.axe(f"{name} without {right}")
    # What is not allowed is not asked for either.
    shown.check()
    shown.go("more")
    expect(page.locator(".item")).to_have_count(0)
    shown.close()


def test_what_a_token_may_not_do_is_not_offered(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("somebody writes", lambda: gateway.get("/api/v1/messages?channel=0&limit=3")["count"] > 1)
    place = {"latitude": 47.27, "longitude": 11.4}
    gateway.get(f"/api/v1/sources/{gateway.source()}/waypoints", body={"name": "Hut", **place})
    point = str(eventually("there is a waypoint", lambda: gateway.get("/api/v1/waypoints")["data"][0]["waypointId"]))
    name = near(gateway)
    for scopes, mayDo in ((["admin"], True), (["read"], False)):
        shown = Shown(chromium, gateway)
        page = shown.sign_in(gateway.make_token(scopes[0], *scopes)).page

        def offers(role, text, **more):
            expect(page.get_by_role(role, name=text, **more), f"{scopes}: {text}").to_have_count(1 if mayDo else 0)

        shown.go("n", name)
        expect(page.locator("dl.table").first).to_be_visible()
        offers("button", "Trace route")
        offers("button", "Ask it for …")
        offers("button", "Favourite", exact=True)
        offers("button", "Ignore", exact=True)
        offers("button", "Save")
        shown.go("map")
        expect(page.locator(".map .spot").first).to_be_attached()
        offers("button", "Place a waypoint")
        shown.go("waypoints")
        expect(page.get_by_role("link", name="Hut")).to_be_visible()
        offers("link", "New waypoint")
        shown.go("waypoints", point)
        expect(page.get_by_label("Name")).to_have_value("Hut")
        button = page.get_by_role("button", name="Change")
        expect(button).to_be_enabled() if mayDo else expect(button).to_be_disabled()
        offers("button", "Delete")
        if not mayDo:
            expect(page.get_by_text("it lacks messages:write.")).to_be_visible()
        shown.go("c", "channel:0")
        page.locator("article:not(.own)").first.locator("button.more").dispatch_event("click")
        expect(page.get_by_role("menuitem", name="Details")).to_be_visible()
        offers("menuitem", "Delete")
        page.keyboard.press("Escape")
        shown.check()
        shown.close()
