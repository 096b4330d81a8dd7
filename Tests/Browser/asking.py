"""What one asks of nodes and notes of them, and points on the map."""

import re

from served import Gateway, eventually
from shown import Shown, expect


def near(gateway):
    nodes = eventually("nodes are heard", lambda: [node for node in gateway.get("/api/v1/nodes?limit=100")["data"]
                                                   if node["hopsAway"] == 0 and node["hasPKC"] and not node["isUnmessagable"]])
    return nodes[0]


def test_a_node_is_asked_and_answers(chromium):
    gateway = Gateway(["--chatter", "30"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n", near(gateway)["nodeId"])
    page.get_by_role("button", name="Trace route").click()
    page.get_by_role("dialog").get_by_role("button", name="Trace route").click()
    asked = page.locator(".asked")
    expect(asked).to_contain_text("Route: asked")
    expect(asked).to_contain_text("Route: answered", timeout=60000)
    page.get_by_text("Past routes").click()
    page.reload()
    page.get_by_text("Past routes").click()
    expect(page.locator(".routes li").first).to_contain_text("→")
    page.get_by_role("button", name="Ask it for").click()
    page.get_by_role("menuitem", name="Position").click()
    expect(asked).to_contain_text("Position: a", timeout=60000)
    shown.check()


def test_a_node_gets_a_nickname_a_star_and_its_code(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    node = near(gateway)["nodeId"]
    shown.go("n", node)
    page.get_by_label("Nickname").fill("The neighbour")
    page.get_by_label("Notes").fill("Has a spare antenna.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts").get_by_text("Saved.")).to_be_visible()
    page.get_by_role("button", name="Favourite", exact=True).click()
    expect(page.get_by_role("button", name="Favourite", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="QR code").click()
    expect(page.get_by_role("dialog").locator(".qr")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Compare these groups")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Notes")).to_have_value("Has a spare antenna.")
    expect(page.get_by_role("heading", name="The neighbour")).to_be_visible()
    shown.check()


def test_a_favourite_says_what_the_radio_makes_of_it(chromium):
    gateway = Gateway(["--silent", "--misbehave", "full-favorites"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    node = near(gateway)["nodeId"]
    shown.go("n", node)
    mark = page.get_by_role("button", name="Favourite", exact=True)
    notice = page.locator("#toasts").get_by_text("This radio is a CLIENT_BASE")
    missing = page.get_by_text("not on the radio, whose list may be full")
    mark.click()
    # Its next list shows that the radio has refused it, and the page need not be loaded again for that.
    expect(missing).to_be_visible(timeout=60000)
    expect(notice).to_have_count(0)
    mark.click()
    expect(mark).to_have_attribute("aria-pressed", "false")
    expect(missing).to_have_count(0)
    gateway.command("radio", "config", "set", "device.role=CLIENT_BASE", "--yes")
    own = gateway.get("/api/v1/self")["data"]["nodeId"]
    eventually("the role has come", lambda: gateway.get(f"/api/v1/nodes/{own}")["data"]["role"] == 12)
    eventually("the radio is back", lambda: gateway.get("/api/v1/status")["data"]["connected"])
    mark.click()
    expect(notice).to_contain_text("Mark only your own nodes.")
    # It stays until it is closed.
    page.locator("#toasts").get_by_role("link", name="My radio").click()
    expect(page.get_by_role("heading", name="My radio")).to_be_visible()
    shown.check()


def test_a_node_says_what_it_does_not_send(chromium):
    gateway = Gateway(["--silent", "--misbehave", "barren-nodes"])
    node = near(gateway)["nodeId"]
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n", node)
    quiet = page.get_by_text("neither telemetry nor a position for a week, although it was heard")
    expect(page.get_by_role("heading", name="Facts")).to_be_visible()
    expect(quiet).to_have_count(0)
    # It has been known for longer than a week.
    gateway.change(("UPDATE nodes SET created_at = created_at - 9 * 86400000",))
    page.reload()
    expect(quiet).to_be_visible()
    expect(page.get_by_text("Firmware 2.8 sends none to the mesh unless it is told to.")).to_be_visible()
    shown.check()


def test_codes_are_asked_for_with_the_token_and_shown_as_data(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("radio")
    drawn = "image => image.src.startsWith('data:image/svg+xml,') && image.complete && image.naturalWidth > 0"
    codes = page.locator("img.qr")
    eventually("the contact is drawn", lambda: codes.count() == 1 and codes.first.evaluate(drawn))

    def asked():
        return [request for request in shown.requests if request.url.endswith(".svg") and "/api/" in request.url]

    assert [request.url.rsplit("/", 1)[1] for request in asked()] == ["contact.svg"], "the keys of the channels were asked for"
    page.get_by_role("button", name="Show it").click()
    eventually("the channels are drawn", lambda: codes.count() == 2 and codes.last.evaluate(drawn))
    assert [request.url.rsplit("/", 1)[1] for request in asked()] == ["contact.svg", "channels.svg"]
    assert {request.headers.get("authorization") for request in asked()} == {f"Bearer {gateway.token}"}
    expect(page.get_by_role("img", name="Channels as QR code")).to_be_visible()
    shown.close()
    # One that may not see the keys is told what to type instead.
    reader = Shown(chromium, gateway)
    page = reader.sign_in(gateway.make_token("reader", "read")).page
    reader.go("radio")
    expect(page.get_by_text("this token may not see them")).to_be_visible()
    expect(page.get_by_role("button", name="Show it")).to_have_count(0)
    reader.check()


def test_a_waypoint_is_made_changed_and_deleted(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("waypoints", "new")
    page.get_by_label("Name").fill("Hut")
    page.get_by_label("Emoji").fill("🏠")
    page.get_by_label("Latitude").fill("47.27")
    page.get_by_label("Longitude").fill("11.4")
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".waypoint text", has_text="Hut")).to_be_attached()
    page.get_by_text("1 waypoint").click()
    page.get_by_role("link", name="🏠 Hut").first.click()
    page.get_by_label("Name").fill("Old hut")
    page.get_by_role("button", name="Change").click()
    expect(page.locator(".waypoint text", has_text="Old hut")).to_be_attached()
    assert gateway.get("/api/v1/waypoints")["data"][0]["name"] == "Old hut"
    shown.go("waypoints", str(gateway.get("/api/v1/waypoints")["data"][0]["waypointId"]))
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No waypoints.")).to_be_visible()
    shown.check()


def test_a_waypoint_of_somebody_else_is_deleted_after_a_question(chromium):
    gateway = Gateway(["--silent"])
    made = gateway.get("/api/v1/waypoints", body={"name": "Their hut", "latitude": 47.2, "longitude": 11.4})["data"]["waypointId"]
    gateway.change(("UPDATE waypoints SET from_node = ? WHERE id = ?", int(near(gateway)["nodeId"][1:], 16), made))
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("waypoints", str(made))
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep it").click()
    assert len(gateway.get("/api/v1/waypoints")["data"]) == 1
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("Their hut")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No waypoints.")).to_be_visible()
    shown.check()


def test_texts_are_found_by_word_and_sender(chromium):
    gateway = Gateway(["--silent"])
    for text in ("a needle in the hay", "nothing here"):
        # On a busy machine the radio may be away for a moment.
        gateway.get("/api/v1/messages", body={"text": text, "channel": 0, "queue": True})
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    page.get_by_label("Search messages and nodes").fill("needle")
    page.keyboard.press("Enter")
    expect(page.locator(".found li")).to_have_count(1)
    page.locator(".found a").click()
    expect(page.locator("article.meant")).to_contain_text("needle")
    # Who and when is enough; back leads to what was found.
    shown.go("search")
    page.get_by_label("Sender").fill(gateway.get("/api/v1/sources")["data"][0]["name"] + " is nobody")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("No node has this name.")).to_be_visible()
    page.get_by_label("Sender").fill("Simulated")
    page.get_by_label("From the day").fill("2020-01-01")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".found li")).to_have_count(2)
    page.get_by_label("To the day").fill("2020-01-02")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("Nothing found.")).to_be_visible()
    page.get_by_label("To the day").fill("")
    page.get_by_role("button", name="Search").click()
    page.locator(".found a").first.click()
    page.go_back()
    expect(page.locator(".found li")).to_have_count(2)
    shown.check()


def test_packets_can_be_filtered_while_they_are_paused(chromium):
    gateway = Gateway(["--chatter", "240"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("packets")
    kinds = page.locator("tbody tr td:nth-child(3)")
    expect(kinds.filter(has_text="Telemetry").first).to_be_visible(timeout=60000)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("paused")).to_contain_text("more have come")
    page.get_by_label("Kind").select_option(label="Telemetry")
    assert set(kinds.all_inner_texts()) == {"Telemetry"}, kinds.all_inner_texts()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("paused")).to_have_count(0)
    # One of them, byte by byte: made of the log's columns.
    page.locator("tbody a").first.click()
    expect(page.get_by_text("Put together from what the log keeps; not the bytes that came.")).to_be_visible()
    expect(page.locator("tbody tr").first).to_contain_text("from")
    shown.check()


def test_without_a_stream_it_asks_now_and_then(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 502")
    page = shown.page
    page.route("**/api/v1/events*", lambda route: route.fulfill(status=502))
    shown.sign_in()
    shown.open_chat()
    expect(page.locator(".word")).to_have_text("Live, every 10 s")
    gateway.get("/api/v1/messages", body={"text": "by asking", "channel": 0})
    expect(page.locator("article.own").filter(has_text="by asking")).to_be_visible()
    shown.check()


def test_the_documentation_is_read_and_tried(chromium):
    gateway = Gateway(["--silent"], base="/mesh")
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(f"{gateway.url}api/v1/docs")
    operations = page.locator("details.operation")
    eventually("the document is there", lambda: operations.count() > 50)
    page.get_by_label("Find").fill("GET nodeid}/key")
    expect(page.locator("details.operation:visible").first).to_have_id("nodeKey")
    node = page.locator("#nodeKey")
    node.locator("summary").first.click()
    expect(node.get_by_text("Needs a token with nodes:read.")).to_be_visible()
    expect(node.get_by_text("The same under /mesh/api/v1/sources/default/nodes/{nodeId}/key")).to_be_visible()
    # The members of an answer stand behind a fold, which is filled when it is opened.
    expect(node.get_by_text("keyWords", exact=True)).to_have_count(0)
    node.locator("details.shape summary", has_text="object").first.click()
    node.locator("details.shape summary", has_text="NodeKey").first.click()
    expect(node.get_by_text("keyWords", exact=True)).to_be_visible()
    page.get_by_label("Token").fill(gateway.token)
    node.get_by_label("nodeId").fill(near(gateway)["nodeId"])
    node.get_by_role("button", name="Send").click()
    expect(node.locator("strong.good")).to_contain_text("200")
    expect(node.locator("pre").last).to_contain_text('"keyWords"')
    # A body begins with what is required in it; a parameter shows what it is without.
    page.goto(f"{gateway.url}api/v1/docs#sendMessage")
    page.reload()
    expect(page.locator("#sendMessage textarea")).to_have_value(re.compile(r'"text": ""'))
    shown.axe("documentation")
    shown.check()
