"""Looking about: lists and the way back to them, the map, packets, and what a node or a channel says of itself."""

import json
import re
import time

from served import Gateway, eventually
from shown import DESKTOP, PHONE, Shown, each_view, expect, views
from told import near, node, own_node, with_nodes

SIZES = (DESKTOP, PHONE, {"width": 700, "height": 450})


def with_conversations(shown, count):
    """So many chats, after the pattern of the channels that there are."""
    rows = shown.gateway.get("/api/v1/conversations?limit=200")["data"]
    chats = [{**rows[0], "id": f"direct:!{number:08x}", "type": "direct", "name": f"Somebody {number}"} for number in range(1, count + 1 - len(rows))]
    shown.page.route(re.compile(r"/conversations\?limit=200"), lambda route: route.fulfill(json={"success": True, "data": rows + chats}))


def test_the_document_does_not_scroll(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("there is something to see", lambda: gateway.get("/api/v1/messages?limit=20")["count"] > 2)
    paths = views(gateway)
    for size in SIZES:
        shown = Shown(chromium, gateway, viewport=size)
        page = shown.page
        with_conversations(shown, 20)

        def is_still(name, page=page, size=size):
            high, seen = page.evaluate("() => [document.documentElement.scrollHeight, innerHeight]")
            assert high <= seen, f"{name} at {size['width']}x{size['height']}: {high} > {seen}"

        page.goto(gateway.url)
        expect(page.get_by_label("Token")).to_be_visible()
        is_still("signing in")
        shown.sign_in()
        expect(page.locator(".chats a")).to_have_count(20)
        is_still("twenty chats")
        for name in each_view(shown, paths):
            is_still(name)
        shown.close()


def test_back_goes_back_to_the_list_as_it_was(chromium):
    gateway = Gateway(["--nodes", "200", "--silent"])
    shown = Shown(chromium, gateway, viewport=PHONE)
    # There are no such nodes.
    shown.expected.append("Failed to load resource: the server responded with a status of 404")
    with_conversations(shown, 30)
    page = shown.sign_in().page
    shown.go("n")
    expect(page.locator("tbody tr").nth(150)).to_be_attached()
    page.get_by_role("button", name="Name").click()
    page.get_by_role("button", name="Name").click()
    page.get_by_label("Show").select_option(label="With a key")
    page.get_by_label("Find a node").fill("r")
    expect(page.locator("tbody tr").nth(30)).to_be_attached()
    rows = page.locator("tbody tr").count()
    main = page.locator("#main")
    main.evaluate("one => { one.scrollTop = 1500; }")
    link = page.locator("tbody th a").nth(20)
    page.wait_for_timeout(200)
    where = main.evaluate("one => one.scrollTop")
    link.evaluate("one => one.click()")
    expect(page.get_by_role("heading", name="Facts")).to_be_visible()
    # Further on, and back by two steps.
    page.get_by_role("link", name="Message", exact=True).click()
    expect(page.locator("#text")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_role("heading", name="Facts")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_label("Find a node")).to_have_value("r")
    expect(page.locator("th", has=page.get_by_role("button", name="Name"))).to_have_attribute("aria-sort", "descending")
    expect(page.get_by_label("Show")).to_have_value("withKey")
    expect(page.locator("tbody tr")).to_have_count(rows)
    eventually("it is where it was", lambda: abs(main.evaluate("one => one.scrollTop") - where) < 3)
    # The list of chats, too, which is only hidden meanwhile.
    shown.go("")
    expect(page.locator(".chats a")).to_have_count(30)
    chats = page.locator(".two > .list")
    chats.evaluate("one => { one.scrollTop = 900; }")
    page.wait_for_timeout(200)
    where = chats.evaluate("one => one.scrollTop")
    assert where > 300
    page.locator(".chats a").nth(15).evaluate("one => one.click()")
    expect(page.locator("#text")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    eventually("it is where it was", lambda: abs(chats.evaluate("one => one.scrollTop") - where) < 3)
    # Who came by a link has nowhere to go back to but where it hangs.
    page.goto("about:blank")
    page.goto(f"{gateway.url}#/{gateway.source()}/n/{near(gateway)}")
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_label("Find a node")).to_be_visible()
    shown.check()


def test_tables_are_cards_where_names_would_not_be_readable(chromium):
    """1400 px at 200 % are 700."""
    gateway = Gateway(["--chatter", "240"])
    # The view of links is a report: it shows what there is when it is opened.
    eventually("four pairs of nodes have links", lambda: len({frozenset((link["from"]["nodeId"], link["to"]["nodeId"]))
                                                              for link in gateway.get("/api/v1/links")["data"]}) >= 4)
    shown = Shown(chromium, gateway, viewport={"width": 700, "height": 450})
    page = shown.sign_in().page
    for path in (["n"], ["links"], ["packets"]):
        shown.go(*path)
        expect(page.locator("tbody tr").nth(3)).to_be_attached()
        assert page.locator("tbody tr").first.evaluate("one => getComputedStyle(one).display") == "flex", path
    shown.go("n")
    cut = page.locator("tbody th a").evaluate_all("all => all.filter((one) => one.getClientRects().length > 2 || one.scrollWidth > one.clientWidth + 1 && one.clientWidth).map((one) => one.textContent)")
    assert not cut, cut


def test_the_map_has_stacks_bubbles_precision_and_routes(chromium):
    gateway = Gateway(["--silent"])
    own = own_node(gateway)
    shown = Shown(chromium, gateway)
    page = shown.page
    spot = {"latitude": 47.3, "longitude": 11.4}
    with_nodes(
        shown, node(int(own[1:], 16), latitude=47.2, longitude=11.3), node(1, hopsAway=3, positionPrecisionBits=13, latitude=47.25, longitude=11.5),
        *[node(number, **spot) for number in (2, 3, 4)], node(5))
    route = {"id": 1, "fromNodeId": own, "toNodeId": "!00000001", "route": json.dumps([2]), "routeBack": "[]", "snrTowards": "[1,1]", "snrBack": "[]"}
    page.route(re.compile("/traceroutes/recent"), lambda answer: answer.fulfill(json=[route]))
    shown.sign_in()
    shown.go("map")
    # Three nodes on one spot are one mark that says how many, and opens.
    expect(page.locator(".map .spot")).to_have_count(3)
    stack = page.get_by_role("button", name="3 nodes here")
    expect(stack.locator("text")).to_have_text("3")
    stack.locator(".reach").click()
    bubble = page.get_by_role("dialog")
    expect(bubble.get_by_role("button")).to_have_count(3)
    bubble.get_by_role("button", name=re.compile("^Node 3")).click()
    expect(bubble.get_by_role("link", name="Node 3", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(bubble).to_have_count(0)
    # By keys, too.
    page.get_by_role("button", name="Node 1", exact=True).focus()
    page.keyboard.press("Enter")
    for words in ("Node 1", "min ago", "3 hops", "km", "within 2.9 km"):
        expect(bubble).to_contain_text(words)
    circle = page.locator(".map .precision")
    assert abs(float(circle.get_attribute("r")) - 2918) < 10
    shown.axe("a bubble")
    page.keyboard.press("Escape")
    expect(circle).to_have_count(0)
    expect(page.get_by_role("button", name="Node 1", exact=True)).to_be_focused()
    # Own -> 2 -> 1, as two legs; who has told no place is listed beside.
    expect(page.locator(".map line.route")).to_have_count(2)
    expect(page.get_by_text("1 node without a place")).to_be_visible()
    expect(page.get_by_role("link", name="Node 5", exact=True)).to_be_visible()
    legend = page.locator(".legend")
    for words in ("Link, good", "Link, weak", "Routes of the last day", "online", "not online", "My radio", "Chosen node", "Several nodes"):
        expect(legend).to_contain_text(words)
    page.get_by_role("button", name="Node 1", exact=True).focus()
    page.keyboard.press("Enter")
    bubble.get_by_role("link", name="Node 1", exact=True).click()
    expect(page).to_have_url(re.compile("n/!00000001"))
    shown.complaints = [text for text in shown.complaints if "404" not in text]  # there is no such node
    shown.check()


def test_radios_carry_their_own_names(chromium):
    gateway = Gateway(["--seed", "1", "--silent"], ["--seed", "2", "--silent"])
    rows = [gateway.get(f"/api/v1/sources/{source['id']}/self")["data"] for source in gateway.sources()]
    # They have one name, and one short name.
    names = [f"{row['longName']} ({row['shortName']} {row['nodeId']})" for row in rows]
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    for path in (["more"], ["packets"]):
        shown.go(*path)
        options = page.get_by_label("Radio").locator("option")
        expect(options).to_have_count(2)
        assert [text.split(" · ")[0] for text in options.all_text_contents()] == names
    shown.check()


def test_two_radios_of_one_name_have_their_short_names(chromium):
    gateway = Gateway(["--seed", "1", "--silent"], ["--seed", "2", "--silent"])
    answer = gateway.get("/api/v1/me")
    shown = Shown(chromium, gateway)
    page = shown.page
    for short, words in ((("SW", "SE"), ["Base (SW)", "Base (SE)"]), (("S", "S"), [f"Base (S {row['nodeId']})" for row in answer["data"]["sources"]])):
        for row, name in zip(answer["data"]["sources"], short):
            row.update(longName="Base", shortName=name)
        page.route("**/api/v1/me", lambda route: route.fulfill(json=answer))
        # Nobody says otherwise.
        page.route("**/self", lambda route: route.abort())
        shown.sign_in() if short[0] == "SW" else page.reload()
        shown.go("more")
        options = page.get_by_label("Radio", exact=True).locator("option")
        expect(options).to_have_count(2)
        eventually("they are told apart", lambda: [text.split(" · ")[0] for text in options.all_text_contents()] == words)
    shown.check()


def test_the_star_of_a_favourite_is_filled_everywhere(chromium):
    gateway = Gateway(["--silent"])
    node = gateway.node(lambda row: row["hopsAway"] == 0 and row["hasPKC"])["nodeId"]
    gateway.get(f"/api/nodes/{node}/favorite", body={"isFavorite": True, "sourceId": gateway.source()})
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page

    def filled(star):
        expect(star).to_have_count(1)
        expect(star).not_to_have_css("fill", "none")

    shown.go("n")
    filled(page.locator(f"tr[data-id='{node}'] [title=Favourite] svg"))
    shown.go("n", node)
    filled(page.get_by_role("button", name="Favourite", exact=True).locator("svg"))
    page.get_by_role("button", name="Favourite", exact=True).click()
    expect(page.get_by_role("button", name="Favourite", exact=True).locator("svg")).to_have_css("fill", "none")
    shown.check()


def test_packets_have_seconds_size_channel_number_and_plain_names(chromium):
    gateway = Gateway(["--chatter", "600"])
    rows = eventually("there are packets", lambda: gateway.get("/api/v1/packets?limit=60")["count"] > 40 and gateway.get("/api/v1/packets?limit=60")["data"])
    row = next(row for row in rows if row["packet_id"] and row["portnum_name"] == "TELEMETRY_APP")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go(f"packets?packet={row['packet_id']}")
    line = page.locator("tbody tr").first
    expect(line).to_contain_text(re.compile(r"\d\d:\d\d:\d\d"))
    for words in (f"{row['payload_size']} bytes", f"!{row['packet_id']:08x}", "Telemetry"):
        expect(line).to_contain_text(words)
    assert line.locator("td").nth(5).inner_text() == str(row["channel"])
    shown.go("packets")
    expect(page.locator("tbody tr").nth(30)).to_be_attached()
    kinds = set(page.locator("tbody td:nth-child(3)").all_inner_texts())
    assert not [kind for kind in kinds if "_" in kind or kind.isupper()], kinds
    shown.go("packets", str(row["id"]))
    facts = page.locator("dl.table")
    for words in (f"{row['payload_size']} bytes", f"!{row['packet_id']:08x}"):
        expect(facts).to_contain_text(words)
    expect(facts).to_contain_text(re.compile(r"\d\d:\d\d:\d\d"))
    # Of a message, too.
    gateway.get("/api/v1/messages", body={"text": "seconds", "channel": 0})
    shown.go("c", "channel:0")
    shown.act(page.locator("article.own").filter(has_text="seconds"), "Details")
    details = page.get_by_role("dialog")
    expect(details).to_contain_text(re.compile(r"\d\d:\d\d:\d\d"))
    expect(details).to_contain_text("7 bytes")
    expect(details).to_contain_text(re.compile(r"Packet number\s*![0-9a-f]{8}"))
    shown.check()


def packet_event(number, source):
    packet = {"id": 1_000_000 + number, "packet_id": number + 1, "timestamp": int(time.time() * 1000), "from_node": 1, "from_node_id": "!00000001",
              "to_node": 0xFFFFFFFF, "to_node_id": "!ffffffff", "channel": 0, "portnum": 67, "portnum_name": "TELEMETRY_APP", "encrypted": 0,
              "payload_size": 20, "payload_preview": f"packet {number}", "direction": "rx", "sourceId": source}
    return f"event: packet\ndata: {json.dumps(packet)}\n\n"


def test_a_row_of_packets_or_nodes_is_a_link_as_a_whole(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("there are packets", lambda: gateway.get("/api/v1/packets?limit=5")["count"] > 2)
    gateway.radios[0].unplug()
    for viewport in (DESKTOP, PHONE):
        shown = Shown(chromium, gateway, viewport=viewport)
        page = shown.sign_in().page
        for view in ("packets", "n"):
            shown.go(view)
            row = page.locator("tbody tr").nth(1)
            expect(row.get_by_role("link")).to_have_count(1)
            target = row.get_by_role("link").get_attribute("href")
            cells = row.locator("td:visible, th:visible").count()
            assert cells > 3
            for cell in range(cells):
                # Whatever lies there: a pointer does not look for the link.
                box = row.locator("td:visible, th:visible").nth(cell).bounding_box()
                if not box["width"] or not box["height"]:
                    continue
                page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                expect(page).to_have_url(f"{gateway.url}{target}")
                page.go_back()
                expect(row).to_be_visible()
            shown.axe(f"rows of {view}")
        shown.check()
        shown.close()


def test_packets_that_left_are_forgotten(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    source = gateway.source()
    given = {"now": 0, "most": 300}

    def stream(route):
        """A hundred more with each stream; then it ends, and the page asks for the next one."""
        first = given["now"]
        given["now"] = min(given["most"], first + 100)
        events = "".join(packet_event(number, source) for number in range(first, given["now"]))
        route.fulfill(content_type="text/event-stream", body=f'event: start\ndata: {{"resumed":true}}\n\n{events}')

    shown.sign_in()
    shown.go("packets")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.route(re.compile("/api/v1/events.*packet"), stream)
    # Hidden and shown again it asks at once.
    page.evaluate("""() => { for (const hidden of [true, false]) { Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange')); } }""")
    network = shown.context.new_cdp_session(page)
    counts = []
    for most in (300, 2000):
        given["most"] = most
        expect(page.locator("tbody tr").first).to_contain_text(f"packet {most - 1}", timeout=120000)
        page.wait_for_timeout(1000)
        network.send("HeapProfiler.collectGarbage")
        counts.append(network.send("Memory.getDOMCounters")["nodes"])
    expect(page.locator("tbody tr")).to_have_count(200)
    print(f"        DOM nodes after 300 and 2,000 packets: {counts}")
    assert counts[1] < counts[0] * 1.3, counts


def test_favourites_come_first_and_a_node_tells_more(chromium):
    gateway = Gateway(["--silent"])
    own = own_node(gateway)
    shown = Shown(chromium, gateway, viewport={"width": 1500, "height": 900})
    page = shown.page
    with_nodes(
        shown, node(int(own[1:], 16), latitude=47.2, longitude=11.3), node(1, longName="Alpha", hwModelName="HELTEC_V3"),
        node(2, longName="Beta", latitude=47.3, longitude=11.3), node(3, longName="Zulu", isFavorite=True))
    full = {**node(1, hopsAway=0), "longName": "Alpha the long", "hwModelName": "HELTEC_V3", "rssi": -97, "snr": 4, "isLicensed": True,
            "latitude": 47.25, "longitude": 11.5, "positionPrecisionBits": 13, "createdAt": 1787300000000}
    page.route(re.compile(r"/nodes/!00000001\?"), lambda route: route.fulfill(json={"success": True, "data": full}))
    shown.expected.append("Failed to load resource: the server responded with a status of 404")
    shown.sign_in()
    shown.go("n")
    for _ in range(3):
        expect(page.locator("tbody tr")).to_have_count(4)
        expect(page.locator("tbody tr").first).to_contain_text("Zulu")
        page.get_by_role("button", name="Name").click()
    for head in ("Distance", "Hardware"):
        expect(page.get_by_role("columnheader", name=head)).to_be_visible()
    expect(page.locator("tr[data-id='!00000002']")).to_contain_text("11.1 km")
    expect(page.locator("tr[data-id='!00000001']")).to_contain_text("HELTEC V3")
    page.get_by_role("button", name="Distance").click()
    expect(page.locator("tbody tr").nth(1)).to_contain_text("Beta")
    shown.go("n", "!00000001")
    facts = page.locator("dl.table").first
    for words in ("Alpha the long", "HELTEC V3", "-97 dBm", "Licensed", "within 2.9 km", "On the map", "OpenStreetMap"):
        expect(facts).to_contain_text(words)
    assert "47.25" in facts.get_by_role("link", name="OpenStreetMap").get_attribute("href")
    shown.check()


def test_a_channel_says_whether_everybody_can_read_it(chromium):
    gateway = Gateway(["--silent"])
    rows = [row for row in gateway.get("/api/v1/conversations")["data"] if row["type"] == "channel"]
    public, secret = ([row for row in rows if row["isPublic"] is value] for value in (True, False))
    assert public and secret, rows
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    for found, words in ((public, 1), (secret, 0)):
        link = page.locator(f".chats a[data-id='{found[0]['id']}']")
        expect(link.get_by_text("Everybody can read this")).to_have_count(words)
        link.click()
        expect(page.locator(".pane .head").get_by_text("Everybody can read this")).to_have_count(words)
    shown.check()
