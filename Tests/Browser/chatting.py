"""What people do in a chat."""

import re

from served import Gateway, eventually
from shown import PHONE, Shown, expect


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


def test_a_chat_opens_beside_its_list_and_leaves_it_alone(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/messages", body={"text": "hello", "channel": 0})
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    expect(page.locator(".chats a").first).to_be_visible()
    shown.open_chat()
    expect(page.locator("article").first).to_be_visible()
    expect(page.locator("#text")).to_be_focused()
    shown.open_chat("Hikers")
    expect(page.get_by_role("heading", name="Hikers")).to_be_visible()
    page.wait_for_timeout(1000)
    for path in ("/problems", "messages?conversation=channel%3A0", "messages?conversation=channel%3A1"):
        asked = [request.url for request in shown.requests if path in request.url]
        assert len(asked) == 1, asked
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
