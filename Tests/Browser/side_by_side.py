"""Two gateways on one host: a browser tells them apart by the port only, and cookies not even by that."""

from served import Gateway
from shown import Shown, expect


def test_two_gateways_on_one_host_know_nothing_of_each_other(chromium):
    first, second = Gateway(["--seed", "1", "--silent"]), Gateway(["--seed", "2", "--silent"])
    one = Shown(chromium, first)
    page = one.sign_in(keep=True).page
    one.open_chat()
    page.locator("#text").fill("for the first")
    # A cookie of either goes to both: nothing may come of it.
    cookie = {"name": "meshmonitor.sid", "value": "1.99999999999.0000", "domain": "127.0.0.1", "path": "/"}
    one.context.add_cookies([cookie])
    two = Shown(chromium, second, beside=one)
    beside = two.page
    beside.goto(second.url)
    expect(beside.get_by_label("Token")).to_be_visible()
    assert first.token not in beside.content()
    # A token of the other is none here, and trying it does no harm.
    two.expected.append("Failed to load resource: the server responded with a status of 401")
    beside.get_by_label("Token").fill(first.token)
    beside.get_by_role("button", name="Sign in").click()
    expect(beside.locator("#door-problem")).to_contain_text("not valid")
    two.requests.clear()
    two.sign_in(keep=True)
    two.open_chat()
    expect(beside.locator("#text")).to_have_value("")
    beside.locator("#text").fill("for the second")
    page.reload()
    expect(page.locator("#text")).to_have_value("for the first")
    expect(page.locator(".word")).to_have_text("Live")
    beside.reload()
    expect(beside.locator("#text")).to_have_value("for the second")
    expect(beside.locator(".word")).to_have_text("Live")
    for shown in (one, two):
        own, other = shown.gateway, first if shown is two else second
        asked = [request for request in shown.requests if "/api/" in request.url]
        assert asked
        for request in asked:
            assert request.url.startswith(own.url), request.url
            heads = request.all_headers()
            assert heads["authorization"] == f"Bearer {own.token}", "the token of the other"
            assert "cookie" not in heads, "a cookie"
    assert [found["value"] for found in one.context.cookies()] == [cookie["value"]], "a cookie was set"
    # Leaving one is not leaving the other.
    two.go("more")
    beside.get_by_role("button", name="Sign out").click()
    expect(beside.get_by_label("Token")).to_be_visible()
    page.reload()
    expect(page.locator("#text")).to_have_value("for the first")
    one.write("still here")
    expect(page.locator("article.own").filter(has_text="still here")).to_be_visible()
    one.check()
    two.check()
