"""A tab in the background tells of what is for its reader."""

from served import Gateway, eventually
from shown import Shown, expect

# What the page asks the browser to show and to play.
WATCH = """window.told = []; window.tones = 0;
    window.Notification = class { static permission = 'granted'; static requestPermission() { return Promise.resolve('granted'); }
        constructor(title, options) { window.told.push([title, options.body]); } addEventListener() {} close() {} };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function(...given) { window.tones += 1; return start.apply(this, given); };"""
HIDE = """isHidden => { Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event('visibilitychange')); }"""


def test_direct_messages_are_told_once_it_is_asked_for(chromium):
    gateway = Gateway(["--chatter", "600"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.add_init_script(WATCH)
    shown.sign_in()
    expect(page.locator(".word")).to_have_text("Live")
    shown.go("more")
    choice = page.get_by_label("Tell me of direct messages and mentions")
    expect(choice).not_to_be_checked()
    # Nobody has asked for it: hidden, nothing is told, and no stream is held.
    page.evaluate(HIDE, True)
    eventually("somebody writes to us", lambda: gateway.get("/api/v1/messages?channel=-1&limit=1")["count"])
    page.wait_for_timeout(1000)
    assert page.evaluate("() => [window.told.length, window.tones]") == [0, 0]
    page.evaluate(HIDE, False)
    choice.check()
    eventually("it lets one hear how it sounds", lambda: page.evaluate("() => window.tones"))
    # While somebody looks, nothing is told.
    page.evaluate("() => { window.told = []; window.tones = 0; }")
    known = gateway.get("/api/v1/messages?channel=-1&limit=1")["data"][0]["id"]
    page.evaluate(HIDE, True)
    told = eventually("it is told", lambda: page.evaluate("() => window.told"))
    assert page.evaluate("() => window.tones") > 0
    rows = gateway.get("/api/v1/messages?channel=-1&limit=100")["data"]
    texts = [row["text"] for row in rows[:next(place for place, row in enumerate(rows) if row["id"] == known)]]
    assert told[0][1] in texts or "@" in told[0][1], (told, texts)
    # On this device it stays so.
    page.evaluate(HIDE, False)
    page.reload()
    expect(choice).to_be_checked()
    choice.uncheck()
    page.reload()
    expect(choice).not_to_be_checked()
    shown.check()
