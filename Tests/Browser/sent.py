"""What becomes of own texts that did not go out, or should not."""

import re

from served import Gateway, eventually
from shown import Shown, expect


def unplugged(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    shown.sign_in()
    shown.open_chat()
    gateway.radios[0].unplug()
    expect(shown.page.locator("#hint")).to_contain_text("waits for it")
    return gateway, shown


def plug(gateway, shown):
    gateway.radios[0].plug()
    expect(shown.page.get_by_text("is connected")).to_be_visible(timeout=60000)


def stored(gateway):
    return gateway.get("/api/v1/messages?conversation=channel:0")["data"]


def test_a_text_that_failed_is_sent_again(chromium):
    gateway, shown = unplugged(chromium)
    page = shown.page
    # The radio is away for longer than the text may wait.
    gateway.get("/api/v1/messages", body={"text": "too late", "channel": 0, "queue": True, "expiresIn": 1})
    article = page.locator("article.own").filter(has_text="too late")
    expect(article.locator(".delivery")).to_contain_text("expired")
    expect(article).to_have_class(re.compile("failed"))
    plug(gateway, shown)
    shown.act(article, "Send again")
    expect(article.locator(".delivery")).to_contain_text(re.compile("way|radio|passed on"))
    expect(article.locator(".delivery")).to_contain_text("passed on", timeout=60000)
    expect(page.locator("article.own")).to_have_count(1)
    # What has been sent needs no second try.
    article.locator("button.more").click()
    expect(page.get_by_role("menuitem", name="Reply")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Send again")).to_have_count(0)
    page.keyboard.press("Escape")
    assert [row["text"] for row in stored(gateway)] == ["too late"]
    shown.check()


def test_sending_again_while_the_radio_is_away_says_so(chromium):
    gateway, shown = unplugged(chromium)
    shown.expected.append("Failed to load resource: the server responded with a status of 503")
    gateway.get("/api/v1/messages", body={"text": "too late", "channel": 0, "queue": True, "expiresIn": 1})
    article = shown.page.locator("article.own").filter(has_text="too late")
    expect(article.locator(".delivery")).to_contain_text("expired")
    shown.act(article, "Send again")
    # Like a new text it waits, or the page says why it does not.
    expect(shown.page.locator(".toast, .own .delivery:has-text('waits')").first).to_be_visible()
    shown.check()


def test_what_waits_can_be_cancelled(chromium):
    gateway, shown = unplugged(chromium)
    page = shown.page
    shown.write("not after all")
    article = page.locator("article.own").filter(has_text="not after all")
    expect(article.locator(".delivery")).to_contain_text("waits")
    shown.act(article, "Cancel")
    expect(article.locator(".delivery")).to_contain_text("cancelled")
    plug(gateway, shown)
    gateway.get("/api/v1/messages", body={"text": "this one goes", "channel": 0, "queue": True})
    expect(page.locator("article.own").filter(has_text="this one goes").locator(".delivery")).to_contain_text("passed on", timeout=60000)
    expect(article.locator(".delivery")).to_contain_text("cancelled")
    states = {row["text"]: row["deliveryState"] for row in stored(gateway)}
    assert states["not after all"] == "failed", states
    sent = [packet for packet in gateway.get("/api/v1/packets?limit=100")["data"] if packet["direction"] == "tx"]
    assert not any("not after all" in str(packet) for packet in sent), sent
    shown.check()


def test_what_is_deleted_is_gone_everywhere(chromium):
    gateway, shown = unplugged(chromium)
    page = shown.page
    other = Shown(chromium, gateway)
    other.sign_in()
    other.open_chat()
    shown.write("a slip")
    article = page.locator("article.own").filter(has_text="a slip")
    expect(other.page.locator("article.own").filter(has_text="a slip")).to_be_visible()
    shown.act(article, "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Keep it").click()
    expect(article).to_be_visible()
    shown.act(article, "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    for one in (shown, other):
        expect(one.page.locator("article.own")).to_have_count(0)
    # It no longer waits for the radio either.
    plug(gateway, shown)
    gateway.get("/api/v1/messages", body={"text": "this one goes", "channel": 0, "queue": True})
    eventually("the other goes", lambda: stored(gateway)[0]["deliveryState"] == "delivered")
    assert [row["text"] for row in stored(gateway)] == ["this one goes"]
    sent = [packet for packet in gateway.get("/api/v1/packets?limit=100")["data"] if packet["direction"] == "tx"]
    assert not any("a slip" in str(packet) for packet in sent), sent
    for one in (shown, other):
        one.check()


def lost_answers(page, count):
    """The gateway gets so many texts and their answers get lost; the ids under which they came."""
    ids = []

    def lose(route):
        if route.request.method != "POST":
            return route.fallback()
        ids.append(route.request.headers.get("idempotency-key"))
        if len(ids) > count:
            return route.fallback()
        route.fetch()
        return route.abort()

    page.route("**/messages", lose)
    return ids


def test_a_text_whose_answer_is_lost_goes_out_once(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    ids = lost_answers(page, 2)
    shown.write("only once")
    expect(page.locator(".composer .problem")).to_contain_text("Perhaps sent")
    # When live again it is asked for, and taken out of the box.
    expect(page.locator("#text")).to_have_value("", timeout=60000)
    expect(page.locator(".composer .problem")).to_be_empty()
    expect(page.locator("article.own").filter(has_text="only once")).to_have_count(1)
    assert [row["text"] for row in stored(gateway)] == ["only once"]
    assert len(ids) == 3 and len(set(ids)) == 1 and ids[0], ids
    # The next one is another one, also when it says the same.
    shown.write("only once")
    expect(page.locator("article.own").filter(has_text="only once")).to_have_count(2)
    assert ids[3] != ids[0]
    shown.check()


def test_a_lost_answer_outlives_a_reload_and_the_chat(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    held = []
    page.route("**/messages", lambda route: (route.fetch(), held.append(route)) if route.request.method == "POST" else route.fallback())
    shown.write("before the reload")
    eventually("the gateway has it", lambda: stored(gateway))
    page.unroute("**/messages")
    page.reload()
    expect(page.locator("article.own").filter(has_text="before the reload")).to_have_count(1)
    expect(page.locator("#text")).to_have_value("")
    shown.go()
    expect(page.get_by_text("Draft:")).to_have_count(0)
    assert [row["text"] for row in stored(gateway)] == ["before the reload"]
    shown.check()


def test_a_reaction_whose_answer_is_lost_is_one(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    shown.write("how is it?")
    article = page.locator("article.own").filter(has_text="how is it?")
    expect(article).to_be_visible()
    lost_answers(page, 1)
    shown.act(article, "React")
    page.get_by_role("dialog").get_by_role("button", name="🎉").click()
    expect(article.locator(".reaction")).to_contain_text("🎉")
    page.wait_for_timeout(1000)
    assert len([row for row in stored(gateway) if row["emoji"]]) == 1
    shown.check()


def test_drafts_belong_to_a_tab_and_go_with_the_text(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(keep=True).page
    shown.open_chat()
    page.locator("#text").fill("in this tab")
    beside = Shown(chromium, gateway, beside=shown)
    beside.page.goto(gateway.url)
    beside.open_chat()
    expect(beside.page.locator("#text")).to_have_value("")
    # Whoever leaves before the answer finds nothing that could be sent again.
    page.route("**/messages", lambda route: (page.wait_for_timeout(1500), route.fallback()) if route.request.method == "POST" else route.fallback())
    page.locator("#text").press("Enter")
    shown.open_chat("Hikers")
    expect(page.get_by_role("heading", name="Hikers")).to_be_visible()
    eventually("it is sent", lambda: stored(gateway))
    shown.open_chat()
    expect(page.locator("article.own").filter(has_text="in this tab")).to_have_count(1)
    expect(page.locator("#text")).to_have_value("")
    page.reload()
    expect(page.locator("article.own").filter(has_text="in this tab")).to_have_count(1)
    expect(page.locator("#text")).to_have_value("")
    expect(page.get_by_text("Draft:")).to_have_count(0)
    shown.check()


def test_a_failed_text_says_why_and_offers_what_mends_it(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    own = gateway.get("/api/v1/self")["data"]["nodeId"]
    stranger = gateway.node(lambda row: row["longName"] == "OE7XYZ Licensed" and row["nodeId"] != own)
    page = shown.sign_in().page
    shown.go("c", f"direct:{stranger['nodeId']}")
    shown.write("do you know me?")
    article = page.locator("article.own").first
    # It comes by the stream: nobody has to open anything.
    expect(article.locator(".why")).to_contain_text("does not know the key of the node", timeout=60000)
    article.get_by_role("button", name="Ask for its node info").click()
    expect(page.locator("#toasts")).to_contain_text("Asked for its node info")
    # What it was asked for is a line in the chat, and no message.
    expect(page.locator(".mark.requested")).to_contain_text("User info exchange requested")
    article.get_by_role("button", name="Send again").click()
    expect(article.locator(".delivery")).not_to_contain_text("not delivered")
    shown.check()
