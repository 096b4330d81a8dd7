"""Views that are not the first screen: scripts of their own, fetched when they are needed."""

import re

from served import Gateway, eventually
from shown import Shown, each_view, expect, views
from told import near

ANNEXES = {"node", "map", "air", "told", "setup", "settings", "talks", "push"}


def fetched(shown):
    """The names of the annexes that were asked for, in their order."""
    return [found[1] for request in shown.requests if (found := re.search(r"/annex/(\w+)\.", request.url))]


def everything_fetched(shown):
    eventually("the rest was fetched", lambda: shown.page.evaluate("() => annexes.known.size") == len(ANNEXES))


def test_a_view_is_fetched_when_it_is_opened(chromium):
    gateway = Gateway(["--chatter", "240"])
    name = near(gateway)
    for path, annex, selector in ((["map"], "map", "svg.map"), (["links"], "air", "main h1"), (["rules"], "told", ".rule, .later"), (["n", name], "node", ".lead"), (["radio"], "settings", "main h1")):
        shown = Shown(chromium, gateway)
        page = shown.sign_in().page
        expect(page.locator(".chats a").first).to_be_visible()
        shown.go(*path)
        expect(page.locator(selector).first).to_be_visible()
        assert fetched(shown)[:1] == [annex], fetched(shown)
        shown.check()
        shown.close()


def test_the_first_screen_fetches_none_and_the_rest_comes_once_it_is_idle(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    expect(page.locator(".chats a").first).to_be_visible()
    page.wait_for_timeout(1000)
    first = [request.url for request in shown.requests]
    # The page with its icons and manifest, what signing in asks, and six for the first screen.
    assert len(first) <= 10 and not fetched(shown), first
    everything_fetched(shown)
    assert sorted(fetched(shown)) == sorted(ANNEXES), "each is fetched once"
    shown.check()


def test_a_view_is_there_while_the_gateway_is_away(chromium):
    gateway = Gateway(["--chatter", "240"])
    paths, source = views(gateway), gateway.source()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    everything_fetched(shown)
    gateway.stop()
    expect(page.locator(".word")).to_contain_text("Offline since")
    for name, heading in (("map", "Map"), ("packets", "Packets"), ("told", "Notifications"), ("radio", "My radio"), ("search", "Search")):
        shown.go(*paths[name], source=source)
        expect(page.locator("main h1")).to_have_text(heading)
    shown.go("map", source=source)
    expect(page.locator("svg.map")).to_be_visible()
    assert len(fetched(shown)) == len(ANNEXES), "one was asked for again"


def test_a_view_that_cannot_be_fetched_says_so_and_is_tried_again(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    page.route("**/annex/*", lambda route: route.abort())
    shown.go("map")
    expect(page.locator("main h1")).to_have_text("Map")
    alert = page.locator("main").get_by_role("alert")
    expect(alert).to_contain_text("It did not answer.")
    shown.axe("a view that cannot be fetched")
    page.get_by_role("button", name="Try again").click()
    expect(alert).to_contain_text("It did not answer.")
    page.unroute("**/annex/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("svg.map")).to_be_visible()
    expect(page.locator("main h1")).to_be_focused()
    shown.check()


def test_a_view_that_was_opened_during_an_outage_comes_by_itself(chromium):
    gateway = Gateway(["--silent"])
    source = gateway.source()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    page.route("**/annex/*", lambda route: route.abort())
    expect(page.locator(".word")).to_have_text("Live")
    gateway.stop()
    expect(page.locator(".word")).to_contain_text("Offline since")
    shown.go("map", source=source)
    expect(page.locator("main")).to_contain_text("It did not answer.")
    page.unroute("**/annex/*")
    gateway.start()
    expect(page.locator("svg.map")).to_be_visible(timeout=60000)


def test_a_view_that_an_upgrade_has_replaced_offers_to_load_the_page_anew(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 404")
    page = shown.sign_in().page
    # Another version has other digests.
    page.evaluate("() => { for (const name in annexDigests) annexDigests[name] = annexDigests[name].replace(/..../, 'sha256-AAAA'); }")
    shown.go("map")
    expect(page.locator("main").get_by_role("alert")).to_contain_text("another than when this page was loaded")
    shown.axe("a view that was replaced")
    page.locator("main").get_by_role("button", name="Reload").click()
    expect(page.locator("svg.map")).to_be_visible()
    shown.check()


def test_what_was_changed_on_its_way_does_not_run(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page

    def change(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text() + "window.wasChanged = true;")

    page.route("**/annex/map.*", change)
    shown.go("map")
    expect(page.locator("main").get_by_role("button", name="Reload")).to_be_visible()
    assert page.evaluate("() => window.wasChanged") is None
    assert any("Content Security Policy" in text for text in shown.complaints), shown.complaints
    # Nor does what has no digest, whoever asks for it.
    assert page.evaluate("() => { try { document.head.append(Object.assign(document.createElement('script'), { text: 'window.wasMade = true' })); } catch (error) { return error.name; } }") == "TypeError"
    assert page.evaluate("() => window.wasMade") is None


def test_the_browser_keeps_what_was_fetched(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    everything_fetched(shown)
    network = shown.context.new_cdp_session(page)
    network.send("Network.enable")
    kept = []
    network.on("Network.responseReceived", lambda event: kept.append(event["response"].get("fromDiskCache", False)) if "/annex/" in event["response"]["url"] else None)
    network.on("Network.requestServedFromCache", lambda event: kept.append(True))
    page.reload()
    shown.go("map")
    expect(page.locator("svg.map")).to_be_visible()
    everything_fetched(shown)
    assert kept and all(kept), kept
    shown.check()


def test_each_view_has_its_texts_whichever_was_opened_before(chromium):
    gateway = Gateway(["--chatter", "240"])
    eventually("there is something to see", lambda: gateway.get("/api/v1/messages?limit=20")["count"] > 2)
    for name, path in views(gateway).items():
        shown = Shown(chromium, gateway)
        shown.sign_in()
        shown.page.evaluate("""() => { window.missing = []; const before = t;
            t = (key, values) => { if (!(key in texts)) window.missing.push(key); return before(key, values); }; }""")
        for _ in each_view(shown, {name: path}):
            missing = shown.page.evaluate("() => window.missing")
            assert not missing, f"{name}: {missing}"
        shown.check()
        shown.close()
