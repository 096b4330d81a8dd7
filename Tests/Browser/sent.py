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
