"""What people do in a chat."""

import re
import time

from served import Gateway, eventually
from shown import DESKTOP, PHONE, Shown, expect


def test_signing_in_reading_sending_and_receiving(chromium):
    gateway = Gateway()
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(gateway.url)
    expect(page.get_by_label("Token")).to_be_focused()
    assert "Simulated" not in page.content() and "LongFast" not in page.content(), "a stranger sees the mesh"
    shown.sign_in()
    expect(page.locator(".word")).to_have_text("Live")
    expect(page.get_by_text("is connected")).to_be_visible()
    shown.open_chat()
    expect(page.locator("#text")).to_be_in_viewport()
    shown.write("hello mesh")
    own = page.locator("article.own").filter(has_text="hello mesh")
    expect(own).to_be_visible()
    expect(own.locator(".delivery")).to_contain_text(re.compile("waits|way|radio|passed on|received"))
    expect(page.locator("#text")).to_have_value("")
    # What the mesh says from now on appears by itself.
    count = page.locator("article:not(.own)").count()
    expect(page.locator("article:not(.own)").nth(count)).to_be_attached(timeout=60000)
    shown.check()


def test_a_message_is_answered_reacted_to_and_deleted(chromium):
    gateway = Gateway()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    first = page.locator("article:not(.own)").first
    expect(first).to_be_visible(timeout=60000)
    text = first.locator(".text").inner_text()
    first.locator("button.more").click()
    page.get_by_role("menuitem", name="Reply").click()
    shown.write("an answer")
    answer = page.locator("article.own").filter(has_text="an answer")
    expect(answer.locator(".quote")).to_contain_text(text[:20])
    answer.locator("button.more").click()
    page.get_by_role("menuitem", name="React").click()
    page.get_by_role("dialog").get_by_role("button", name="🎉").click()
    expect(answer.locator(".reaction")).to_contain_text("🎉")
    answer.locator(".reaction").click()
    expect(page.get_by_role("dialog")).to_contain_text("You")
    page.keyboard.press("Escape")
    answer.locator("button.more").click()
    page.get_by_role("menuitem", name="Details").click()
    expect(page.get_by_role("dialog")).to_contain_text("Delivery")
    page.keyboard.press("Escape")
    answer.locator("button.more").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(answer).to_have_count(0)
    shown.check()


def reactions(gateway):
    return [(row["text"], row["replyId"]) for row in gateway.get("/api/v1/messages?conversation=channel:0&limit=200")["data"] if row["emoji"] and row["wantAck"]]


def with_busy_chat(chromium, **options):
    """A chat where much comes, seen above its end, where what comes moves nothing; and one of its articles."""
    gateway = Gateway(["--chatter", "240"])
    eventually("many have written", lambda: gateway.get("/api/v1/messages?conversation=channel:0&limit=50")["data"][9:])
    shown = Shown(chromium, gateway, **options)
    page = shown.sign_in().page
    shown.go("c", "channel:0")
    theirs = page.locator("article:not(.own)").nth(2)
    expect(theirs).to_be_attached()
    expect(page.get_by_text("Loading …")).to_have_count(0)
    article = page.locator(f"""article[data-id="{theirs.get_attribute("data-id")}"]""")
    page.locator(".scroller").evaluate("one => { one.scrollTop = 0; }")
    article.scroll_into_view_if_needed()
    return gateway, shown, article


def test_one_click_reacts(chromium):
    gateway, shown, article = with_busy_chat(chromium, viewport={"width": 1366, "height": 500})
    page = shown.page
    name = article.get_attribute("data-id")
    quick = article.get_by_role("button", name="React with 👍")
    page.mouse.move(1, 1)
    expect(quick).to_be_hidden()
    # By hover, and by focus.
    article.locator(".bubble").hover()
    expect(quick).to_be_visible()
    shown.axe("the emoji at a bubble")
    page.mouse.move(1, 1)
    expect(quick).to_be_hidden()
    article.focus()
    expect(quick).to_be_visible()
    quick.click()
    expect(article.locator(".reaction")).to_contain_text("👍")
    # It is there once, and not offered again.
    expect(quick).to_have_count(0)
    packet = next(row["requestId"] or int(name.split("_")[-1]) for row in gateway.get("/api/v1/messages?limit=1000")["data"] if row["id"] == name)
    assert reactions(gateway).count(("👍", packet)) == 1, reactions(gateway)
    # By keys it is among what is in the message.
    other = page.locator("article:not(.own)").nth(4)
    other = page.locator(f"""article[data-id="{other.get_attribute("data-id")}"]""")
    other.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        if page.evaluate("() => document.activeElement.className") == "quick":
            break
    page.keyboard.press("Enter")
    expect(other.locator(".reaction").filter(has_text="👍")).to_have_count(1)
    eventually("it is sent", lambda: len(reactions(gateway)) == 2)
    shown.check()


def draws_anew(page, article):
    """Something has come that changes this row: it is another element afterwards."""
    article.evaluate("""one => { one.classList.add("before"); const row = { ...window.row, rxSnr: (window.turn = (window.turn ?? 5) + 1) / 2, rxTime: null };
        hear("message", row); }""")


def test_a_row_that_is_drawn_anew_loses_neither_focus_nor_tap(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/messages", body={"text": "hello", "channel": 0})
    node = gateway.node(lambda row: row["hopsAway"] == 0)
    own = eventually("it is there", lambda: gateway.get("/api/v1/messages?conversation=channel:0")["data"][0])
    row = {**own, "id": f"{own['sourceId']}_{node['nodeNum']}_77", "requestId": None, "wantAck": False, "fromNodeId": node["nodeId"],
           "fromNodeNum": node["nodeNum"], "deliveryState": None, "text": "who is there", "hopStart": 3, "hopLimit": 3, "rxSnr": 1}
    shown = Shown(chromium, gateway, has_touch=True)
    page = shown.sign_in().page
    sent = []

    def keep(route):
        sent.append(route.request.post_data_json)
        route.fulfill(json={"success": True, "data": {"messageId": "none", "deliveryState": "pending", "queued": False}})

    page.route(re.compile("/messages$"), keep)
    shown.open_chat()
    expect(page.locator("article.own")).to_be_visible()
    # One that is not shown yet is not sent again, unless it is forgotten.
    page.evaluate("() => { underWay.add = () => {}; }")
    page.evaluate("row => { window.row = row; hear('message', row); }", row)
    article = page.locator(f"""article[data-id="{row['id']}"]""")
    quick = article.locator(".quick")
    is_before = re.compile("before")
    # The focus is where it was. The emoji is seen only where it is in the row.
    article.focus()
    quick.focus()
    expect(quick).to_be_focused()
    draws_anew(page, article)
    expect(article).not_to_have_class(is_before)
    expect(quick).to_be_focused()
    page.keyboard.press("Enter")
    eventually("one is sent", lambda: page.wait_for_timeout(50) or len(sent) == 1)
    article.locator("button.link").focus()
    draws_anew(page, article)
    expect(article).not_to_have_class(is_before)
    expect(article.locator("button.link")).to_be_focused()
    article.focus()
    draws_anew(page, article)
    expect(article).not_to_have_class(is_before)
    expect(article).to_be_focused()
    # A click is one although something comes between its two halves.
    quick.hover()
    page.mouse.down()
    draws_anew(page, article)
    page.mouse.up()
    eventually("two are sent", lambda: page.wait_for_timeout(50) or len(sent) == 2)
    expect(article).not_to_have_class(is_before)
    # So are two taps, and a finger that stays.
    touches = Touches(shown, article)
    def tapped_while_it_is_drawn():
        touches.down(0.8)
        touches.up()
        draws_anew(page, article)
        touches.down()
        touches.up()
        page.wait_for_timeout(1000)
        return len(sent) == 3

    eventually("three are sent", tapped_while_it_is_drawn)
    expect(article).not_to_have_class(is_before)
    touches.press(page.get_by_role("menuitem", name="Reply"), meanwhile=lambda: draws_anew(page, article))
    touches.up(0.9)
    page.wait_for_timeout(500)
    page.keyboard.press("Escape")
    expect(page.get_by_role("menuitem", name="Reply")).to_be_hidden()
    # Nor is the menu lost that waits for an answer.
    page.route("**/api/v1/rules", lambda route: None)
    page.evaluate("() => { ruleCount.askedAt = 0; }")
    article.locator("button.more").focus()
    page.keyboard.press("Enter")
    draws_anew(page, article)
    expect(page.get_by_role("menuitem", name="Reply")).to_be_visible()
    assert [one["replyId"] for one in sent] == [77] * 3, sent
    shown.check()


def test_a_text_that_comes_while_its_chat_is_loading_stays(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/messages", body={"text": "the first", "channel": 0})
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    waiting = []
    page.route("**/messages?conversation=*", lambda route: route.continue_() if waiting else waiting.append((route, route.fetch())))
    shown.open_chat()
    eventually("it is asked for", lambda: page.wait_for_timeout(50) or waiting)
    gateway.get("/api/v1/messages", body={"text": "the second", "channel": 0})
    second = page.locator("article").filter(has_text="the second")
    expect(second).to_be_visible()
    route, answer = waiting[0]
    route.fulfill(response=answer)
    expect(page.locator("article").filter(has_text="the first")).to_be_visible()
    expect(second).to_be_visible()
    shown.check()


class Touches:
    """A finger on the text of an article. How long it stays by its own clock does not depend on how fast the machine is."""

    def __init__(self, shown, article):
        self.devtools = shown.context.new_cdp_session(shown.page)
        self.article = article
        self.clock = time.time()

    def down(self, pause=0.1):
        self.article.scroll_into_view_if_needed()
        # It may just be drawn anew.
        box = eventually("it is there", self.article.locator(".text").bounding_box)
        self.send("touchStart", pause, {"x": box["x"] + 8, "y": box["y"] + box["height"] / 2})

    def up(self, pause=0.02):
        self.send("touchEnd", pause)

    def send(self, kind, pause, *points):
        self.clock = self.clock + pause
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points), "timestamp": self.clock})

    def tap_twice(self):
        for pause in (0.8, 0.1):
            self.down(pause)
            self.up()

    def press(self, wanted, meanwhile=lambda: None):
        """Stays down until this is seen. A browser that is too slow for a touch takes it back: then once more."""
        for _ in range(10):
            self.down(0.8)
            meanwhile()
            try:
                return expect(wanted).to_be_visible(timeout=6000)
            except AssertionError:
                self.up(0.9)
        raise AssertionError("no press opens it")


def test_two_taps_react_and_a_long_press_opens_the_options(chromium):
    gateway, shown, article = with_busy_chat(chromium, viewport=PHONE, has_touch=True, is_mobile=True)
    page = shown.page
    finger = Touches(shown, article)
    # One that stays opens the options, which stay open when the finger is gone.
    finger.press(page.get_by_role("menuitem", name="Reply"))
    finger.up(0.9)
    page.wait_for_timeout(500)
    expect(page.get_by_role("menuitem", name="Reply")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menuitem", name="Reply")).to_be_hidden()
    # One alone does nothing.
    finger.down(0.8)
    finger.up()
    page.wait_for_timeout(800)
    assert not reactions(gateway)
    # Two taps are one reaction, however often they are repeated, before it is shown and later.
    eventually("it is sent", lambda: finger.tap_twice() or page.wait_for_timeout(500) or reactions(gateway))
    finger.tap_twice()
    expect(article.get_by_role("button", name=re.compile("👍 from .*You"))).to_have_count(1)
    finger.tap_twice()
    page.wait_for_timeout(800)
    assert len(reactions(gateway)) == 1, reactions(gateway)
    shown.check()


def test_a_receipt_says_that_its_key_proves_it(chromium):
    gateway = Gateway(["--silent", "--firmware", "2.8.1"])
    nodes = [node for node in gateway.get("/api/v1/nodes?limit=100")["data"] if node["hopsAway"] == 0 and node["hasPKC"]]
    node = next(node["nodeId"] for node in nodes if not node["isUnmessagable"])
    sent = gateway.get("/api/v1/messages", body={"text": "only for you", "toNodeId": node, "queue": True})["data"]["messageId"]
    eventually("it is received", lambda: gateway.get(f"/api/v1/messages/{sent}")["data"]["deliveryState"] == "confirmed")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("c", f"direct:{node}")
    shown.act(page.locator("article.own").filter(has_text="only for you"), "Details")
    expect(page.get_by_role("dialog")).to_contain_text("proven by its key")
    shown.check()


def test_sending_needs_no_mouse(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(gateway.url)
    page.keyboard.type(gateway.token)
    page.keyboard.press("Enter")
    expect(page.locator(".chats a").first).to_be_visible()
    page.get_by_role("link", name="LongFast").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("by hand")
    page.keyboard.press("Enter")
    article = page.locator("article.own").filter(has_text="by hand")
    expect(article).to_be_visible()
    # Back to the message and through its options.
    page.keyboard.press("Shift+Tab")
    expect(article).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Reply")).to_be_focused()
    page.keyboard.press("Escape")
    shown.check()


def test_the_box_is_at_most_twelve_tab_stops_away(chromium):
    gateway = Gateway(["--chatter", "120"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    expect(page.locator("article").nth(2)).to_be_attached(timeout=60000)
    page.locator("#skip").focus()
    stops = ["skip"]
    for _ in range(11):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("() => document.activeElement.id || document.activeElement.outerHTML.slice(0, 60)"))
        if stops[-1] == "text":
            break
    assert stops[-1] == "text", stops
    page.locator("#skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.querySelector('main').contains(document.activeElement)"), "the skip link leads elsewhere"


def test_a_text_in_parts_stands_in_its_order(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway, viewport=PHONE)
    page = shown.sign_in().page
    shown.open_chat()
    shown.write("the first part, " * 11 + "the second part, " * 9)
    page.get_by_role("button", name="Send", exact=True).click()
    own = page.locator("article.own")
    for _ in range(2):
        expect(own).to_have_count(2)
        expect(own.first).to_contain_text("first part")
        expect(own.last).to_contain_text("second part")
        page.reload()
    # What is announced takes no room below the page, which would slide then.
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight"), "the page can be scrolled"
    shown.check()


def test_what_did_not_arrive_says_why(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    gone = next(node for node in gateway.get("/api/v1/nodes?limit=100")["data"] if node["longName"] == "Bernd, ausgeschaltet")
    gateway.get("/api/v1/messages", body={"text": "are you there?", "toNodeId": gone["nodeId"]})
    page = shown.sign_in().page
    shown.go("c", f"direct:{gone['nodeId']}")
    article = page.locator("article.own").first
    expect(article.locator(".delivery")).to_contain_text("not delivered", timeout=120000)
    article.get_by_role("button", name="not delivered").click()
    expect(page.get_by_role("dialog")).to_contain_text("nobody confirmed it")
    page.keyboard.press("Escape")
    article.get_by_role("button", name="Send again").click()
    expect(article.locator(".delivery")).not_to_contain_text("not delivered")
    shown.check()


def test_drafts_are_kept_and_unread_is_counted(chromium):
    gateway = Gateway(["--chatter", "120"])
    shown = Shown(chromium, gateway, viewport=PHONE)
    page = shown.sign_in().page
    expect(page.locator("#places .count").first).to_be_visible(timeout=60000)
    expect(page).to_have_title(re.compile(r"^\(\d+\) Chats"))
    shown.open_chat()
    page.locator("#text").fill("not yet ready")
    page.reload()
    expect(page.locator("#text")).to_have_value("not yet ready")
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_text("Draft:")).to_be_visible()
    shown.check()


def test_unread_is_counted_after_a_reload_of_any_view(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("somebody writes", lambda: any(row["unreadCount"] for row in gateway.get("/api/v1/conversations")["data"]))
    gateway.radios[0].unplug()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    for path in (["n"], ["more"], ["packets"]):
        shown.go(*path)
        expect(page.locator("main h1:visible")).to_be_visible()
        page.reload()
        expect(page.locator("#places .count").first).to_be_visible()
        expect(page).to_have_title(re.compile(r"^\(\d+\) "))
    shown.check()


def test_the_row_of_an_open_chat_shows_no_draft_that_was_sent(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    row = page.locator('.chats a[data-id="channel:0"]')
    shown.open_chat()

    def answer_late(route):
        """The stream brings the text before the answer to it is there."""
        if route.request.method != "POST":
            return route.continue_()
        answer = route.fetch()
        expect(page.locator("article.own")).to_have_count(1)
        expect(row.locator(".last")).to_contain_text("Draft")
        return route.fulfill(response=answer)

    page.route(re.compile("/messages$"), answer_late)
    shown.write("hello mesh")
    expect(page.locator("#text")).to_have_value("")
    expect(row.locator(".last")).to_have_text("You: hello mesh")
    shown.check()


def calls(shown, since=0):
    """What was asked of the API, the stream counted."""
    return [request.url.split("/api/")[1] for request in shown.requests[since:] if "/api/" in request.url]


def quiet(shown):
    """All answers have come, and nothing more is asked for."""
    count = -1
    while count != len(shown.requests):
        count = len(shown.requests)
        shown.page.wait_for_timeout(1500)


def test_a_tap_asks_for_little_and_leaves_the_list_alone(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/messages", body={"text": "hello", "channel": 0})
    keyed = eventually("nodes are known", lambda: [row for row in gateway.get("/api/v1/nodes?limit=100")["data"] if row["hasPKC"]][13:] and gateway.get("/api/v1/nodes?limit=100")["data"])
    for node in [row for row in keyed if row["hasPKC"]][:20]:
        gateway.get("/api/v1/messages", body={"text": "hello you", "toNodeId": node["nodeId"], "queue": True})
    shown = Shown(chromium, gateway, viewport={"width": 1400, "height": 500})
    page = shown.sign_in().page
    expect(page.locator(".chats a").nth(10)).to_be_visible()
    quiet(shown)
    page.get_by_label("Search messages and nodes").fill("half a word")
    page.evaluate("() => { document.querySelector('.list').scrollTop = 120; window.row = document.querySelectorAll('.chats li')[9]; }")
    scroll = page.evaluate("() => document.querySelector('.list').scrollTop")
    assert scroll > 0, "nothing to scroll"
    chats = page.locator(".chats a")
    order = "() => [...document.querySelectorAll('.chats a')].map((link) => link.dataset.id)"
    names = page.evaluate(order)
    for place in (4, 6):
        since = len(shown.requests)
        chats.nth(place).evaluate("link => link.click()")
        expect(page.locator("article").first).to_be_visible()
        quiet(shown)
        assert len(calls(shown, since)) <= 3, calls(shown, since)
        assert len(page.locator(".pane").all()) == 1
        assert page.evaluate("() => document.querySelector('.list').scrollTop") == scroll
        assert page.evaluate("() => window.row.isConnected"), "the list was built once more"
        expect(page.get_by_label("Search messages and nodes")).to_have_value("half a word")
        assert page.evaluate(order) == names
    shown.check()


def test_a_chat_by_link_or_reload_asks_for_six_things(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/messages", body={"text": "hello", "channel": 0})
    direct = gateway.node(lambda row: row["hasPKC"])["nodeId"]
    for viewport in (DESKTOP, PHONE):
        shown = Shown(chromium, gateway, viewport=viewport)
        page = shown.sign_in().page
        quiet(shown)
        for chat in ("channel:0", f"direct:{direct}"):
            address = f"{gateway.url}#/{gateway.source()}/c/{chat}"
            for how in ("link", "reload"):
                since = len(shown.requests)
                page.goto("about:blank") if how == "link" else None
                page.goto(address) if how == "link" else page.reload()
                expect(page.locator("#text")).to_be_visible()
                quiet(shown)
                asked = calls(shown, since)
                # A stream that is slow to begin is asked for once more.
                streams = [one for one in asked if one.startswith("v1/events")]
                # The bell asks what was told, sooner or later than the chat for its texts.
                told = [one for one in asked if one.startswith("v1/notifications")]
                assert len(told) == 1 and len(asked) - len(streams) <= 5 + 1, (chat, how, asked)
        shown.close()


def test_looking_at_what_is_quoted_keeps_the_reply(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    shown.write("the question")
    question = page.locator("article.own").filter(has_text="the question")
    expect(question).to_be_visible()
    shown.act(question, "Reply")
    shown.write("the answer")
    answer = page.locator("article.own").filter(has=page.locator(".quote"))
    expect(answer).to_have_count(1)
    shown.act(answer, "Reply")
    page.locator("#text").fill("half an")
    answer.locator(".quote").click()
    expect(page.locator("article.meant")).to_contain_text("the question")
    expect(page.locator(".quoted")).to_contain_text("the answer")
    expect(page.locator("#text")).to_have_value("half an")
    shown.write("half an answer")
    expect(page.locator(".quoted")).to_be_hidden()
    eventually("it is sent", lambda: len(gateway.get("/api/v1/messages?conversation=channel:0")["data"]) == 3)
    rows = {row["text"]: row for row in gateway.get("/api/v1/messages?conversation=channel:0")["data"]}
    assert rows["half an answer"]["replyId"] == rows["the answer"]["requestId"], rows
    shown.check()


def test_the_warning_does_not_depend_on_what_was_opened_before(chromium):
    gateway = Gateway(["--silent"])
    own = gateway.get("/api/v1/self")["data"]["nodeId"]
    quiet_one = gateway.node(lambda row: row["isUnmessagable"] and row["nodeId"] != own)
    changed = gateway.node(lambda row: row["hasPKC"] and not row["isUnmessagable"] and row["nodeId"] != own)
    gateway.change(("UPDATE nodes SET announced_key = ?, key_mismatch = 1 WHERE number = ?", bytes(range(2, 34)), changed["nodeNum"]))
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    expect(page.locator(".chats a").first).to_be_visible()
    for node, words in ((quiet_one, "nobody reads there"), (changed, "has changed")):
        page.goto("about:blank")
        page.goto(f"{gateway.url}#/{gateway.source()}/c/direct:{node['nodeId']}")
        expect(page.locator("#hint")).to_contain_text(words)
    # It looks like a warning.
    expect(page.locator("#hint")).to_have_class("bad")
    shown.check()


def test_requests_are_a_grey_line_and_reactions_are_reacted(chromium):
    gateway = Gateway(["--silent"])
    node = gateway.node(lambda row: row["hasPKC"] and row["hopsAway"] == 0)["nodeId"]
    gateway.get("/api/v1/messages", body={"text": "hello you", "toNodeId": node})
    gateway.get("/api/v1/actions/request-position", body={"destination": node})
    question = gateway.get("/api/v1/messages", body={"text": "like it?", "channel": 0})["data"]["requestId"]
    gateway.get("/api/v1/messages", body={"text": "👍", "channel": 0, "replyId": question, "emoji": 1})
    rows = {row["id"]: row for row in gateway.get("/api/v1/conversations")["data"]}
    assert rows[f"direct:{node}"]["lastMessage"]["text"] == "hello you", rows[f"direct:{node}"]
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    direct = page.locator(f'.chats a[data-id="direct:{node}"]')
    expect(direct.locator(".last")).to_contain_text("hello you")
    expect(page.locator('.chats a[data-id="channel:0"] .last')).to_contain_text("You reacted 👍")
    direct.click()
    expect(page.locator(".mark.requested")).to_contain_text("Position exchange requested")
    expect(page.locator("article")).to_have_count(1)
    # One that comes while the page is open changes nothing.
    gateway.get("/api/v1/actions/request-nodeinfo", body={"destination": node})
    expect(page.locator(".mark.requested")).to_have_count(2)
    expect(direct.locator(".last")).to_contain_text("hello you")
    shown.check()


def test_a_request_stands_behind_the_line_of_its_day(chromium):
    gateway = Gateway(["--silent"])
    node = gateway.node(lambda row: row["hasPKC"] and row["hopsAway"] == 0)["nodeId"]
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    now = int(time.time() * 1000)

    def row(number, age, **values):
        return {"id": f"{number}_{number}", "requestId": number, "fromNodeId": "!00000001", "toNodeId": node, "channel": -1, "text": f"text {number}",
                "createdAt": now - age, "wantAck": True, "emoji": 0, "deliveryState": "delivered", "sourceId": gateway.source(), **values}

    asked = {"text": "Position exchange requested", "deliveryState": None}
    day = 86400000
    rows = [row(4, 0), row(3, 1, **asked), row(2, 3 * day), row(1, 3 * day + 1, **asked)]
    page.route(re.compile(r"/messages\?conversation="), lambda route: route.fulfill(json={"success": True, "data": rows, "hasBefore": False}))
    shown.go("c", f"direct:{node}")
    expect(page.locator("article")).to_have_count(2)
    looks = page.locator(".log > *").evaluate_all("all => all.map((one) => one.className.split(' ').pop())")
    assert [look for look in looks if look in ("day", "requested")] == ["day", "requested", "day", "requested"], looks
    assert page.locator(".log > *").first.get_attribute("class") == "mark day", looks
    shown.check()


def test_an_alert_looks_like_one_everywhere(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/actions/alert", body={"text": "Avalanche", "channel": 0})
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    expect(page.locator(".chats a .last").first.get_by_role("img", name="Alert")).to_be_attached()
    shown.open_chat()
    expect(page.locator("article.alert").get_by_role("img", name="Alert")).to_be_visible()
    shown.go("search?q=Avalanche")
    expect(page.locator(".found").get_by_role("img", name="Alert")).to_be_attached()
    packet = eventually("it is in the log", lambda: [row for row in gateway.get("/api/v1/packets?limit=20")["data"] if row["portnum"] == 11])[0]
    shown.go("packets", str(packet["id"]))
    expect(page.locator("main")).to_contain_text('"Avalanche", and BEL')
    assert "\u0007" not in page.locator("main").inner_text() and "\ufffd" not in page.locator("main").inner_text()
    shown.check()


def test_unread_texts_of_all_radios_are_in_the_switch(chromium):
    gateway = Gateway(["--seed", "1", "--silent"], ["--seed", "2", "--chatter", "240"])
    sources = gateway.sources()
    eventually("somebody writes", lambda: any(row["unreadCount"] for row in gateway.get(f"/api/v1/sources/{sources[1]['id']}/conversations")["data"]))
    gateway.radios[1].unplug()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    choice = page.get_by_label("Radio", exact=True)
    expect(choice.locator("option").nth(1)).to_contain_text("unread")
    # What is marked as read is that of one radio, and says of which.
    choice.select_option(sources[1]["id"])
    button = page.get_by_role("button", name=re.compile("^Mark all of .+ as read$"))
    button.click()
    expect(button).to_be_hidden()
    expect(choice.locator("option").nth(1)).not_to_contain_text("unread")
    shown.check()


def test_a_nickname_stands_beside_the_real_name_and_its_bytes_are_counted(chromium):
    gateway = Gateway(["--silent"])
    node = gateway.node(lambda row: row["hasPKC"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n", node["nodeId"])
    field = page.get_by_label("Nickname")
    field.fill("é" * 31)
    expect(page.locator("#nickname-size")).to_have_text("62 of 60 bytes")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts .toast")).to_have_count(0)
    field.fill("Zoé")
    expect(page.locator("#nickname-size")).to_have_text("4 of 60 bytes")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts").get_by_text("Saved.")).to_be_visible()
    heading = page.locator("h1:visible").last
    expect(heading).to_contain_text("Zoé")
    expect(heading).to_contain_text(node["longName"])
    shown.go("c", f"direct:{node['nodeId']}")
    expect(page.locator(".pane .head")).to_contain_text("Zoé")
    expect(page.locator(".pane .head")).to_contain_text(node["longName"])
    shown.check()


def test_a_chat_is_muted_and_marked_unread(chromium):
    gateway = Gateway(["--chatter", "60"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    expect(page.locator("article").first).to_be_visible(timeout=60000)
    page.get_by_role("button", name="Options of this chat").click()
    page.get_by_role("menuitem", name="Mute for an hour").click()
    expect(page.locator(".chats a", has_text="LongFast").get_by_text("muted")).to_be_attached()
    page.get_by_role("button", name="Options of this chat").click()
    page.get_by_role("menuitem", name="Mark as unread").click()
    expect(page.locator(".chats a", has_text="LongFast").locator(".count")).to_be_visible()
    shown.check()


def test_all_chats_are_read_at_once(chromium):
    gateway = Gateway(["--chatter", "240"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    eventually("two chats are unread", lambda: len([row for row in gateway.get(f"/api/v1/sources/{gateway.source()}/conversations")["data"] if row["unreadCount"]]) > 1)
    gateway.radios[0].unplug()
    expect(page.get_by_text("is away since")).to_be_visible()
    expect(page.locator(".chats .count").nth(1)).to_be_visible()
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.locator(".count:visible")).to_have_count(0)
    expect(page).to_have_title(re.compile(r"^Chats"))
    expect(page.get_by_role("button", name="Mark all as read")).to_be_hidden()
    page.reload()
    expect(page.locator(".chats a").first).to_be_visible()
    expect(page.locator(".count:visible")).to_have_count(0)
    rows = gateway.get(f"/api/v1/sources/{gateway.source()}/conversations")["data"]
    assert not any(row["unreadCount"] for row in rows), rows
    shown.check()


def test_two_radios_are_told_apart(chromium):
    gateway = Gateway(["--seed", "1", "--chatter", "60"], ["--seed", "2", "--chatter", "60"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    names = [source["name"] for source in gateway.sources()]
    choice = page.get_by_label("Radio", exact=True)
    expect(choice.locator("option")).to_have_count(2)
    first = page.url
    choice.select_option(gateway.sources()[1]["id"])
    expect(page.locator(".chats a").first).to_be_visible()
    assert gateway.sources()[1]["id"] in page.url and page.url != first, names
    page.go_back()
    assert gateway.sources()[1]["id"] not in page.url
    shown.check()
