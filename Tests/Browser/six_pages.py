"""More pages with one token than it has streams: each is up to date, and none takes another's."""

from sent import lost_answers, stored
from served import Gateway, eventually
from shown import Shown, expect

FULL = "Failed to load resource: the server responded with a status of 503"
FORBIDDEN = "Failed to load resource: the server responded with a status of 403"


def open_pages(chromium, gateway, count, token=None):
    """The pages with a stream, and the rest, which ask every 10 s."""
    pages = [Shown(chromium, gateway) for _ in range(count)]
    for shown in pages:
        shown.expected += [FULL, FORBIDDEN]
        # What the bar says at any time.
        shown.page.add_init_script("""window.words = new Set(); new MutationObserver(() => {
            const word = document.querySelector('.word'); if (word) window.words.add(word.textContent); })
            .observe(document, { childList: true, subtree: true, characterData: true });""")
        shown.sign_in(token)
        expect(shown.page.locator(".word")).to_contain_text("Live")
    return pages[:4], pages[4:]


def words(shown):
    return shown.page.evaluate("() => [...window.words]")


def test_six_pages_with_one_token_are_six_live_pages(chromium):
    gateway = Gateway(["--silent"])
    first, rest = open_pages(chromium, gateway, 6)
    for shown in first:
        expect(shown.page.locator(".word")).to_have_text("Live")
    for shown in rest:
        expect(shown.page.locator(".word")).to_have_text("Live, every 10 s")
        expect(shown.page.locator(".toast")).to_contain_text("this one asks every 10 seconds")
    for shown in (*first, *rest):
        shown.open_chat()
    for text in ("one", "two"):
        gateway.get("/api/v1/messages", body={"text": text, "channel": 0})
        for shown in (*first, *rest):
            expect(shown.page.locator("article.own").filter(has_text=text)).to_be_visible()
    # Nobody has lost the stream, and nobody was told that nobody answers.
    for shown in (*first, *rest):
        assert not [word for word in words(shown) if "Offline" in word], words(shown)
    for shown in first:
        assert "Live, every 10 s" not in words(shown), words(shown)
        assert sum("/events" in request.url for request in shown.requests) == 1, "it had to ask for a stream again"
    # Where one is closed, another gets its stream; why it had none was said once.
    first[0].close()
    eventually("one of them is told at once", lambda: any(shown.page.locator(".word").inner_text() == "Live" for shown in rest), patience=150)
    for shown in (*first[1:], *rest):
        shown.check()


def test_without_a_stream_a_text_whose_answer_was_lost_settles(chromium):
    gateway = Gateway(["--silent"])
    _, (shown,) = open_pages(chromium, gateway, 5)
    page = shown.page
    expect(page.locator(".word")).to_have_text("Live, every 10 s")
    shown.open_chat()
    lost_answers(page, 2)
    # On a quick machine it stands there for a moment only.
    page.evaluate("""() => { new MutationObserver(() => {
        window.wasDoubtful ||= document.querySelector('.composer .problem').textContent.includes('Perhaps sent');
    }).observe(document.querySelector('.composer'), { childList: true, subtree: true, characterData: true }); }""")
    shown.write("into the void")
    eventually("it was said", lambda: page.evaluate("() => window.wasDoubtful"))
    expect(page.locator("#text")).to_have_value("", timeout=60000)
    expect(page.locator(".composer .problem")).to_be_empty()
    expect(page.locator("article.own").filter(has_text="into the void")).to_have_count(1)
    assert [row["text"] for row in stored(gateway)] == ["into the void"]


def test_who_may_not_ask_whether_anything_has_changed_asks_for_what_is_shown(chromium):
    gateway = Gateway(["--silent"])
    token = gateway.make_token("reader", "messages:read", "channels:read", "nodes:read")
    _, (shown,) = open_pages(chromium, gateway, 5, token)
    expect(shown.page.locator(".word")).to_have_text("Live, every 10 s")
    shown.open_chat()
    gateway.get("/api/v1/messages", body={"text": "for readers", "channel": 0})
    expect(shown.page.locator("article.own").filter(has_text="for readers")).to_be_visible()
    shown.check()


def test_a_gateway_that_goes_is_said_without_a_stream_too(chromium):
    gateway = Gateway(["--silent"])
    _, (shown,) = open_pages(chromium, gateway, 5)
    gateway.stop()
    expect(shown.page.locator(".word")).to_contain_text("Offline since")
    gateway.start()
    expect(shown.page.locator(".word")).to_contain_text("Live", timeout=60000)
