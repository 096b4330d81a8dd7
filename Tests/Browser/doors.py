"""Coming in, and what a token may not."""

import re
import urllib.request

from served import Gateway
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
    expect(page.get_by_text("lacks messages:read")).to_be_visible()
    assert page.locator("textarea.code").first.input_value().endswith("--scope messages:read")
    shown.go("n")
    expect(page.locator("tbody tr").nth(5)).to_be_visible()
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
    expect(page.locator("main")).to_contain_text("may not see it")
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
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".word")).to_have_text("Live")
    page.close()
    # The browser is closed and opened again: the tab of the second one is over, and nobody is in.
    again = Shown(chromium, gateway, beside=shown)
    again.page.goto(gateway.url)
    expect(again.page.get_by_label("Token")).to_be_visible()
    again.check()


def test_names_of_strangers_are_text(chromium):
    gateway = Gateway(["--chatter", "120"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    for path in (["n"], ["new"], ["map"], ["packets"]):
        shown.go(*path)
        expect(page.get_by_text("<b>Bold & co</b>").first).to_be_attached(timeout=60000)
        assert page.locator("main b", has_text="Bold & co").count() == 0
    shown.check()


def test_the_document_is_small_strict_and_revalidated(chromium):
    del chromium
    gateway = Gateway(["--silent"], base="/mesh")
    with urllib.request.urlopen(gateway.url) as answer:
        body, policy, tag = answer.read(), answer.headers["Content-Security-Policy"], answer.headers["ETag"]
    assert len(body) <= 150_000, len(body)
    assert re.search(r"script-src 'sha256-[^ ]*'; style-src 'sha256-[^ ]*';", policy) and "unsafe" not in policy
    assert "require-trusted-types-for 'script'; trusted-types sw" in policy
    again = urllib.request.Request(gateway.url, headers={"If-None-Match": tag})
    try:
        urllib.request.urlopen(again)
        raise AssertionError("it is sent again")
    except urllib.error.HTTPError as error:
        assert error.code == 304


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
