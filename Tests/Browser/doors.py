"""Coming in, and what a token may not."""

import base64
import gzip
import hashlib
import re
import urllib.error
import urllib.request

from served import Gateway, eventually
from shown import Shown, expect


def test_a_link_brings_a_token_only_if_one_wants_it(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(f"{gateway.url}#token={gateway.token}")
    expect(page.get_by_text("only if you trust")).to_be_visible()
    assert gateway.token not in page.url
    assert page.evaluate("() => sessionStorage.length + localStorage.length") == 0, "it is kept before anybody has said so"
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    shown.check()


def test_who_comes_by_a_code_stays_signed_in(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(gateway.url)
    expect(page.get_by_label("Stay signed in")).not_to_be_checked()
    page.goto("about:blank")
    page.goto(f"{gateway.url}#token={gateway.token}")
    expect(page.get_by_label("Stay signed in")).to_be_checked()
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    # Another tab of the browser is in, too.
    other = Shown(chromium, gateway, beside=shown)
    other.page.goto(gateway.url)
    expect(other.page.get_by_role("heading", name="Chats")).to_be_visible()
    shown.check()


def test_a_revoked_token_loses_nothing_that_was_typed(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 401")
    page = shown.sign_in(gateway.make_token("short", "read", "send")).page
    shown.open_chat()
    page.locator("#text").fill("half a sentence")
    gateway.command("token", "revoke", "short")
    expect(page.get_by_label("Token")).to_be_visible()
    expect(page.get_by_text("not valid, or no longer")).to_be_visible()
    page.get_by_label("Token").fill(gateway.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#text")).to_have_value("half a sentence")
    shown.check()


def test_a_wrong_token_is_refused(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(gateway.url)
    for wrong in ("mm_v1_00000000000000000000000000000000", "naïve", "<img src=x>"):
        page.get_by_label("Token").fill(wrong)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#door-problem")).to_contain_text("not valid")


def test_a_token_without_scopes_is_told_what_is_missing(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 403")
    page = shown.sign_in(gateway.make_token("nodes", "nodes:read", "channels:viewOnMap")).page
    # It begins with what it may see.
    expect(page.locator("tbody tr").nth(5)).to_be_visible()
    shown.go()
    expect(page.get_by_text("lacks messages:read")).to_be_visible()
    expect(page.locator("main textarea.code")).to_have_value("mesh-gateway token allow nodes messages:read")
    shown.close()
    reader = Shown(chromium, gateway)
    reader.expected.append("Failed to load resource: the server responded with a status of 403")
    page = reader.sign_in(gateway.make_token("reader", "read")).page
    reader.open_chat()
    expect(page.locator("#hint")).to_contain_text("channel_0:write")
    expect(page.locator("#text")).to_be_disabled()
    reader.check()


def test_a_token_that_may_nothing_is_told_so_and_can_be_given_back(chromium):
    gateway = Gateway(["--silent"])
    nothing = gateway.make_token("nothing", "nodes:read")
    # As a newer version may have stored it: none that this one knows.
    gateway.change(("UPDATE tokens SET scopes = 'dreams:read' WHERE name = 'nothing'",))
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 403")
    page = shown.sign_in(nothing).page
    expect(page.locator("main")).to_contain_text("This token may not see any radio")
    assert "Simulated" not in page.content() and "LongFast" not in page.content(), "it sees the mesh"
    page.get_by_role("button", name="Sign out").click()
    shown.sign_in()
    expect(page.get_by_role("link", name="LongFast").first).to_be_visible()
    shown.check()


def test_a_foreign_link_changes_nothing_by_itself(chromium):
    gateway = Gateway(["--silent"])
    foreign = gateway.make_token("foreign", "read")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    page.locator("#text").fill("half a sentence")
    # Into the open page, as a link in a message of another tab would.
    page.evaluate("token => { location.hash = `token=${token}`; }", foreign)
    expect(page.get_by_text("only if you trust")).to_be_visible()
    assert foreign not in page.url
    assert foreign not in page.evaluate("() => JSON.stringify([Object.values(sessionStorage), Object.values(localStorage)])"), "it is kept before anybody has said so"
    page.reload()
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    expect(page.get_by_text("Draft:")).to_be_visible()
    shown.open_chat()
    expect(page.locator("#text")).to_have_value("half a sentence")
    used = {request.headers.get("authorization") for request in shown.requests if "/api/" in request.url}
    assert used == {f"Bearer {gateway.token}"}, "the foreign token was used"
    shown.check()


def test_whoever_signs_in_last_is_in_also_after_a_reload(chromium):
    gateway = Gateway(["--silent"])
    first, second = gateway.make_token("first", "read"), gateway.make_token("second", "read")
    for keeps in (False, True):
        shown = Shown(chromium, gateway)
        page = shown.sign_in(first, keep=True).page
        # Another one takes over the browser: a link brings a token into the page that is open.
        page.evaluate("token => { location.hash = `token=${token}`; }", second)
        page.get_by_label("Stay signed in").set_checked(keeps)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#frame")).to_be_visible()
        used = []
        page.on("request", lambda request: used.append(request.headers.get("authorization")) if "/api/" in request.url else None)
        page.reload()
        expect(page.locator(".word")).to_have_text("Live")
        assert set(used) == {f"Bearer {second}"}, "somebody from before is in"
        assert first not in page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"), "a token from before is kept"
        shown.close()


def test_to_stay_signed_in_ends_when_somebody_else_signs_in_for_a_tab(chromium):
    gateway = Gateway(["--silent"])
    first, second = gateway.make_token("first", "read"), gateway.make_token("second", "read")
    shown = Shown(chromium, gateway)
    shown.sign_in(first, keep=True)
    beside = Shown(chromium, gateway, beside=shown)
    page = beside.page
    page.goto(f"{gateway.url}#token={second}")
    page.get_by_label("Stay signed in").set_checked(False)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".word")).to_have_text("Live")
    page.close()
    # The browser is closed and opened again: the tab of the second one is over, and nobody is in.
    again = Shown(chromium, gateway, beside=shown)
    again.page.goto(gateway.url)
    expect(again.page.get_by_label("Token")).to_be_visible()
    again.check()


def test_what_somebody_before_was_shown_is_gone(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("somebody writes", lambda: gateway.get("/api/v1/messages?channel=0&limit=3")["count"] > 1)
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 403")
    page = shown.sign_in().page
    shown.open_chat()
    expect(page.locator("article").first).to_be_visible()
    shown.go()
    expect(page.locator(".chats a").first).to_be_visible()
    # The next one may see nodes, and no messages.
    page.evaluate("token => { location.hash = `token=${token}`; }", gateway.make_token("nodes", "nodes:read", "channels:viewOnMap"))
    since = len(shown.requests)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Nodes")).to_be_visible()
    expect(page.locator(".chats a")).to_have_count(0)
    page.wait_for_timeout(2000)
    assert not page.locator("article, .chats a").count(), "a text for somebody before is shown"
    # Until the token is found good, whoever was there before is still in.
    asked = [request for request in shown.requests[since:] if "/api/" in request.url]
    start = next(place for place, request in enumerate(asked) if request.url.endswith("/v1/me"))
    used = {request.headers.get("authorization") for request in asked[start:]}
    assert f"Bearer {gateway.token}" not in used, "somebody before is still asking"


def test_names_of_strangers_are_text(chromium):
    gateway = Gateway(["--chatter", "120"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    for path in (["n"], ["new"], ["map"], ["packets"]):
        shown.go(*path)
        expect(page.get_by_text("<b>Bold & co</b>").first).to_be_attached(timeout=60000)
        assert page.locator("main b", has_text="Bold & co").count() == 0
    shown.check()


def asked(url, method="GET", **headers):
    """Status, headers and body of an answer; http.client unpacks nothing."""
    request = urllib.request.Request(url, method=method, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def test_the_document_is_small_strict_and_revalidated(chromium):
    del chromium
    gateway = Gateway(["--silent"], base="/mesh")
    tags = set()
    for coding, budget in (("gzip", 46_000), (None, 250_000)):
        accepts = {"Accept_Encoding": coding} if coding else {}
        status, headers, body = asked(gateway.url, **accepts)
        assert status == 200 and headers["Content-Encoding"] == coding and headers["Vary"] == "Origin, Accept-Encoding"
        assert len(body) <= budget, len(body)
        policy, tag = headers["Content-Security-Policy"], headers["ETag"]
        assert re.search(r"script-src( 'sha256-[^ ]*')+; style-src 'sha256-[^ ]*';", policy) and "unsafe" not in policy
        assert "require-trusted-types-for 'script'; trusted-types sw annex" in policy
        plain = gzip.decompress(body) if coding else body
        for part, text in re.findall(rb"<(style|script)[^>]*>(.+?)</\1>", plain, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
            assert re.search(f"{part.decode()}-src [^;]*'sha256-{re.escape(digest)}'", policy), "the policy names another one"
        tags.add(tag)
        # A HEAD says what a GET would; what is known already is not sent again; parts of it are not given.
        status, head, nothing = asked(gateway.url, "HEAD", **accepts)
        assert (status, head["ETag"], head["Content-Length"], nothing) == (200, tag, str(len(body)), b"")
        status, known, nothing = asked(gateway.url, If_None_Match=tag, **accepts)
        assert (status, known["ETag"], known["Vary"], nothing) == (304, tag, headers["Vary"], b"")
        assert asked(gateway.url, Range="bytes=0-9", **accepts)[::2] == (200, body)
    assert len(tags) == 2, "one tag for both codings"
    for value, coding in (("br, gzip;q=0.5", "gzip"), ("*", "gzip"), ("GZIP", "gzip"), ("gzip;q=0, *", None), ("identity", None), ("br", None), ("*;q=0", None)):
        assert asked(gateway.url, Accept_Encoding=value)[1]["Content-Encoding"] == coding, value


def test_a_browser_without_gzip_gets_the_plain_document(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway, extra_http_headers={"Accept-Encoding": "identity"})
    answers = []
    shown.page.on("response", lambda response: answers.append((response.url, response.header_value("content-encoding"))))
    page = shown.sign_in().page
    expect(page.locator(".chats a").first).to_be_visible()
    assert (gateway.url, None) in answers
    shown.check()


def test_below_a_base_path_it_works_the_same(chromium):
    gateway = Gateway(["--silent"], base="/mesh")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    expect(page.locator(".chats a").first).to_be_visible()
    expect(page.locator(".word")).to_have_text("Live")
    shown.check()


def test_a_token_can_be_pasted_and_is_asked_for_once(chromium):
    """WCAG 3.3.8 and 3.3.7: no test of memory, and nothing that was given already."""
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page
    shown.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(gateway.url)
    field = page.get_by_label("Token")
    assert field.get_attribute("autocomplete") == "current-password" and page.locator("input[autocomplete=username]").count() == 1
    page.evaluate("text => navigator.clipboard.writeText(text)", gateway.token)
    field.focus()
    page.keyboard.press("Control+V")
    page.keyboard.press("Enter")
    expect(page.locator(".chats a").first).to_be_visible()
    for path in (["n"], ["c", "channel:0"], ["more"]):
        shown.go(*path)
        page.reload()
        expect(page.locator("main h1:visible").first).to_be_visible()
        expect(page.get_by_label("Token")).to_have_count(0)
    shown.check()
