"""A new installation, few rights, a slow network, a problem to solve: nothing is blank, untrue or a dead end."""

import re

from deciding import doubtful
from served import Gateway, eventually
from shown import DESKTOP, PHONE, Shown, expect
from told import near, own_node


def test_signing_in_says_that_it_waits_and_leads_to_the_heading(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(gateway.url)
    held = []
    page.route(re.compile(r"/api/v1/sources$"), lambda route: held.append(route))
    page.get_by_label("Token").fill(gateway.token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Connecting …")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_timeout(500)
    assert len(held) == 1, "it is asked twice"
    held[0].continue_()
    expect(page.get_by_role("heading", name="Chats")).to_be_focused()
    shown.check()
    # Refused it is ready for the next one.
    shown.close()
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(gateway.url)
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#door-problem")).to_contain_text("not valid")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(page.get_by_label("Token")).to_be_focused()


def test_what_is_on_its_way_is_not_said_to_be_nothing(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    expect(page.locator(".chats a").first).to_be_visible()
    held = []
    for kind in (r"/messages\?conversation", r"/nodes\?limit=10000&fields=.*hwModelName"):
        page.route(re.compile(kind), lambda route: held.append(route))
    shown.open_chat()
    page.wait_for_timeout(1000)
    expect(page.locator(".log")).to_have_text("Loading …")
    held.pop().continue_()
    expect(page.locator(".log")).to_have_text("No messages yet")
    shown.go("n")
    expect(page.locator("tbody tr").first).to_be_attached()
    count = page.locator("main p[role=status]")
    expect(count).to_have_text("Loading …")
    held.pop().continue_()
    expect(count).to_have_text(re.compile(r"^(\d+) of \1 nodes$"))
    shown.check()


def test_what_knows_nothing_yet_says_so(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.route(re.compile(r"/nodes\?limit"), lambda route: route.fulfill(json={"success": True, "data": []}))
    page.route(re.compile(r"/self$"), lambda route: route.fulfill(json={"success": True, "data": {
        "nodeId": None, "longName": None, "shortName": None, "connected": False, "channelUrl": None, "problems": [], "link": {}}}))
    page.route(re.compile(r"/conversations\?"), lambda route: route.fulfill(json={"success": True, "data": []}))
    shown.sign_in()
    shown.go("map")
    expect(page.get_by_text("Nobody has told a place yet.")).to_be_visible()
    expect(page.get_by_role("button", name="Zoom in")).to_have_count(0)
    shown.go("new")
    expect(page.get_by_text("Nothing found.")).to_be_visible()
    shown.go("radio")
    expect(page.get_by_text("The radio has to be connected for it.")).to_be_visible()
    expect(page.get_by_role("link", name="About this node")).to_have_count(0)
    assert "" not in page.locator("main dd").all_inner_texts()
    shown.check()


def test_who_may_only_read_a_channel_is_told_what_to_type(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("reader", "read")).page
    shown.open_chat()
    expect(page.locator("#hint")).to_contain_text("lacks channel_0:write")
    page.locator("#hint summary").click()
    command = page.locator("#hint textarea")
    expect(command).to_have_value("mesh-gateway token allow reader channel_0:write")
    # No menu that holds nothing.
    expect(page.get_by_role("button", name="More to send")).to_have_count(0)
    shown.axe("a channel that may be read")
    shown.check()


def test_what_is_denied_is_named_and_has_a_way_back(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("few", "nodes:read")).page
    for path, title, back in ((["radio"], "My radio", "more"), (["links"], "Links", "more"), (["n", near(gateway)], "Nodes", "n"), (["search"], "Search", "")):
        shown.go(*path)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        assert page.get_by_role("link", name="Back").get_attribute("href").endswith(f"/{back}"), path
    shown.go("n")
    expect(page.get_by_role("link", name="Back")).to_have_count(0)
    shown.check()


def test_a_key_in_doubt_is_found_from_the_first_page(chromium):
    gateway, name = doubtful()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    problem = page.get_by_role("group", name="Problem")
    expect(problem).to_contain_text("needs a person's decision")
    problem.locator("summary").click()
    problem.get_by_role("link", name="Compare the keys").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.locator(f"tr[data-id='{name}'] a").click()
    expect(page.get_by_role("heading", name="Which key is right?")).to_be_visible()
    shown.check()


def with_problems(shown, *problems):
    """The source and the gateway have these problems, and no others."""
    found = shown.gateway.get(f"/api/v1/sources/{shown.gateway.source()}/self")
    found["data"]["problems"] = [{"severity": "warning", "command": None, "sourceId": None, **one} for one in problems]
    shown.page.route("**/self", lambda route: route.fulfill(json=found))


def test_a_problem_copies_its_command_and_guesses_none_from_its_words(chromium):
    gateway = Gateway(["--silent"])
    for viewport in (DESKTOP, PHONE):
        shown = Shown(chromium, gateway, viewport=viewport)
        with_problems(shown,
                      {"name": "rule-broken", "advice": "A rule's file has a mistake. mesh-gateway rule list shows them."},
                      {"name": "region-unset", "advice": "The radio has no region: mesh-gateway radio region EU_868", "command": "mesh-gateway radio region EU_868"})
        page = shown.sign_in().page
        cards = page.locator(".problems details")
        expect(cards).to_have_count(2)
        for card in cards.all():
            if viewport is DESKTOP:
                expect(card).not_to_have_attribute("open", "")
                # One line, however long it is.
                assert card.locator("summary").bounding_box()["height"] < 36
                card.locator("summary").click()
            expect(card).to_have_attribute("open", "")
        # The first has none, although its words look like one.
        expect(cards.nth(0).locator("textarea")).to_have_count(0)
        expect(cards.nth(1).locator("textarea")).to_have_value("mesh-gateway radio region EU_868")
        expect(cards.nth(1).locator("summary")).to_have_text("Problem: The radio has no region: ")
        shown.axe("problems")
        shown.check()
        shown.close()


def test_problems_of_rules_targets_and_brokers_lead_to_their_card(chromium):
    gateway = Gateway(["--silent"])
    views_of = {"rule-broken": "Notifications: Rules", "target-broken": "Notifications: Where to", "target-failing": "Notifications: Where to",
                "broker-away": "Brokers", "broker-broken": "Brokers"}
    shown = Shown(chromium, gateway, viewport=PHONE)
    with_problems(shown, *({"name": name, "advice": f"{name} is so."} for name in views_of))
    page = shown.sign_in().page
    expect(page.locator(".problems details")).to_have_count(5)
    for place, heading in enumerate(views_of.values()):
        page.locator(".problems details").nth(place).get_by_role("link").click()
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        page.go_back()
        expect(page.locator(".problems details")).to_have_count(5)
    shown.check()
    # Who may not see the card has no link to it.
    other = Shown(chromium, gateway, viewport=PHONE)
    with_problems(other, {"name": "rule-broken", "advice": "A rule's file has a mistake."})
    other.sign_in(gateway.make_token("little", "messages:read", "channels:read", "nodes:read", "info:read"))
    expect(other.page.locator(".problems details")).to_have_count(1)
    expect(other.page.locator(".problems details a")).to_have_count(0)


def test_the_own_radio_is_marked_and_a_muted_chat_says_so(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    own = own_node(gateway)
    shown.open_chat()
    page.get_by_role("button", name="Options of this chat").click()
    page.get_by_role("menuitem", name="Mute for an hour").click()
    expect(page.locator(".pane .head")).to_contain_text("muted")
    shown.go("n")
    expect(page.locator(f"tr[data-id='{own}'] a")).to_contain_text("(You)")
    shown.check()


def test_nothing_lies_on_anything_else(chromium):
    """Words under a field, a button beside a count, and the legend of a map."""
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("reader", "read")).page
    apart = """([above, below]) => { const [a, b] = [above, below].map((one) => document.querySelector(one).getBoundingClientRect());
        return b.top - a.bottom; }"""
    shown.open_chat()
    expect(page.locator("#hint")).to_contain_text("lacks")
    assert page.evaluate(apart, ["#text", "#hint"]) >= 4, "the edge of the focus covers it"
    shown.close()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n", near(gateway))
    expect(page.get_by_role("button", name="Save")).to_be_visible()
    assert page.evaluate(apart, ["#notes-size", "form.card button"]) >= 4
    shown.go("map")
    expect(page.locator(".map .spot").first).to_be_attached()
    expect(page.locator(".legend ul")).to_be_hidden()
    assert page.get_by_label("Heard within").locator("option").all_inner_texts() == ["1 hour", "24 hours", "7 days", "30 days", "Ever"]
    shown.go("c", "channel:0")
    page.get_by_role("button", name="More to send").click()
    page.get_by_role("menuitem", name="Ring the bell").click()
    assert page.evaluate(apart, ["#bell", "#bell-size"]) >= 0, "the count stands beside the field"
    page.keyboard.press("Escape")
    # 200 %: how many are unread stands at its picture.
    page.set_viewport_size({"width": 700, "height": 450})
    page.evaluate("() => { const count = document.querySelector('#places .count'); count.hidden = false; count.textContent = '7'; }")
    far = page.evaluate("""() => { const [a, b] = ['#places .count', '#places a .icon'].map((one) => document.querySelector(one).getBoundingClientRect());
        return Math.abs((a.top + a.bottom) / 2 - b.top); }""")
    assert far <= 12, far
    shown.check()


def test_a_name_from_right_to_left_begins_where_it_is_seen(chromium):
    gateway = Gateway(["--silent"])
    name = near(gateway)
    shown = Shown(chromium, gateway, viewport=PHONE)
    page = shown.page
    for path in (rf"/nodes/{re.escape(name)}$", r"/conversations\?"):
        page.route(re.compile(path), lambda route: route.fulfill(json={"success": True, "data": (
            [] if "conversations" in route.request.url else {"nodeId": name, "longName": "מרכז החילוץ של ההרים הגבוהים בצפון הרחוק", "hopsAway": 0, "lastHeard": 1})}))
    shown.sign_in()
    shown.go("c", f"direct:{name}")
    heading = page.locator(".pane h1")
    expect(heading).to_contain_text("מרכז")
    seen = heading.evaluate("""one => { const range = document.createRange(), text = one.querySelector('bdi').firstChild;
        range.setStart(text, 0); range.setEnd(text, 1);
        const [letter, frame] = [range.getBoundingClientRect(), one.getBoundingClientRect()];
        return letter.left >= frame.left - 1 && letter.right <= frame.right + 1; }""")
    assert seen, "its beginning is cut off"


def test_details_name_who_passed_a_message_on(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("somebody writes", lambda: gateway.get("/api/v1/messages?channel=0&limit=3")["count"] > 1)
    direct = [row for row in gateway.get("/api/v1/nodes?limit=100")["data"] if row["hopsAway"] == 0]
    relays = []
    shown = Shown(chromium, gateway)
    page = shown.page

    def passed_on(route):
        body = route.fetch().json()
        sender = body["data"]["message"]["fromNodeId"]
        relays.append(next(row for row in direct if row["nodeId"] not in (sender, own)))
        body["data"]["hops"].update(taken=2, relayNode=int(relays[-1]["nodeId"][-2:], 16))
        route.fulfill(json=body)

    own = own_node(gateway)
    page.route("**/messages/*/details", passed_on)
    shown.sign_in()
    shown.open_chat()
    shown.act(page.locator("article:not(.own)").first, "Details")
    fact = page.get_by_role("dialog").locator("dl.table > div", has_text="Passed on by")
    expect(fact).to_be_visible()
    expect(fact.get_by_role("link", name=relays[-1]["longName"], exact=True)).to_have_count(1)
    shown.check()


def test_a_reaction_that_failed_says_so(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/messages", body={"text": "here", "channel": 0})
    shown = Shown(chromium, gateway)
    page = shown.page

    def with_reaction(route):
        body = route.fetch().json()
        row = body["data"][-1]
        body["data"].insert(0, {**row, "id": "x_1_2", "text": "🎉", "emoji": 1, "requestId": 2, "deliveryState": "failed",
                                "replyId": row["requestId"] or int(row["id"].split("_")[-1])})
        route.fulfill(json=body)

    page.route(re.compile(r"/messages\?conversation"), with_reaction)
    shown.sign_in()
    shown.open_chat()
    reaction = page.locator(".reaction")
    expect(reaction).to_have_text("🎉 !")
    expect(reaction).to_have_attribute("aria-label", "🎉 from You (not delivered)")
    shown.check()


def test_a_browser_that_shows_no_notifications_is_named(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.add_init_script("""window.Notification = class { static permission = 'default';
        static requestPermission() { this.permission = 'denied'; return Promise.resolve('denied'); } };""")
    shown.sign_in()
    shown.go("more")
    expect(page.get_by_text("By a sound and a notification")).to_be_visible()
    page.get_by_label("Tell me of direct messages").check()
    expect(page.get_by_text("This browser shows no notifications")).to_be_visible()
    shown.check()


def test_a_link_that_was_cut_off_shows_the_chat(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/messages", body={"text": "the newest", "channel": 0})
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 400")
    page = shown.sign_in().page
    shown.go("c", f"channel:0?m={gateway.source()[:20]}")
    expect(page.get_by_text("This message is gone.")).to_be_visible()
    expect(page.locator("article")).to_contain_text("the newest")
    shown.check()
