"""For everybody: WCAG 2.2 on every view, in every size and scheme."""

from served import Gateway, eventually
from shown import DESKTOP, NARROW, PHONE, Shown, each_view, expect, too_wide, views


def lively():
    gateway = Gateway(["--chatter", "240"])
    eventually("there is something to see", lambda: gateway.get("/api/v1/messages?limit=20")["count"] > 8)
    return gateway


def test_axe_finds_nothing(chromium):
    gateway = lively()
    failures = []
    for viewport in (PHONE, DESKTOP):
        for scheme in ("light", "dark"):
            shown = Shown(chromium, gateway, viewport=viewport, color_scheme=scheme)
            shown.page.goto(gateway.url)
            shown.axe("door")
            shown.sign_in()
            for name in each_view(shown, views(gateway)):
                try:
                    shown.axe(f"{name} {viewport['width']} {scheme}")
                except AssertionError as error:
                    failures.append(str(error))
            shown.check()
            shown.close()
    assert not failures, "\n".join(failures)


def test_nothing_is_wider_than_a_narrow_screen(chromium):
    gateway = lively()
    # 320 px, and the same at 200 % text on a wider one (WCAG 1.4.10 and 1.4.4).
    for viewport, text in ((NARROW, 100), ({"width": 640, "height": 800}, 200)):
        shown = Shown(chromium, gateway, viewport=viewport)
        shown.sign_in()
        shown.page.evaluate("size => { document.documentElement.style.fontSize = `${size}%`; }", text)
        for name in each_view(shown, views(gateway)):
            assert not too_wide(shown.page), f"{name}: {too_wide(shown.page)}"


def test_sideways_on_a_phone_three_messages_stand_beside_the_box(chromium):
    gateway = lively()
    shown = Shown(chromium, gateway, viewport={"width": 844, "height": 390})
    page = shown.sign_in().page
    shown.open_chat()
    eventually("there are messages", lambda: page.locator("article").count() > 4)
    page.wait_for_timeout(500)
    seen = page.evaluate("""() => { const frame = document.querySelector('.scroller').getBoundingClientRect();
        return [...document.querySelectorAll('article')].map((one) => one.getBoundingClientRect())
            .filter((box) => box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1).length; }""")
    expect(page.locator("#text")).to_be_in_viewport()
    assert seen >= 3, seen


def test_everything_that_can_be_focused_is_seen_to_be(chromium):
    gateway = lively()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    for name in each_view(shown, views(gateway)):
        page.evaluate("() => document.querySelector('#skip').focus()")
        for _ in range(25):
            page.keyboard.press("Tab")
            found = page.evaluate("""() => { const one = document.activeElement; if (one === document.body) return 'body';
                const box = one.getBoundingClientRect(), style = getComputedStyle(one);
                const isIn = box.bottom > 0 && box.top < innerHeight && box.width > 0;
                const isMarked = style.outlineStyle !== 'none' || one.closest('svg') !== null;
                return isIn && isMarked ? '' : `${one.outerHTML.slice(0, 90)} ${isIn} ${isMarked}`; }""")
            if found == "body":
                break
            assert not found, f"{name}: {found}"


def test_forced_colours_and_reduced_motion_work(chromium):
    gateway = lively()
    shown = Shown(chromium, gateway, forced_colors="active", reduced_motion="reduce")
    shown.sign_in()
    for name in each_view(shown, views(gateway)):
        shown.axe(f"{name} forced colours")
    shown.check()


def test_a_thousand_nodes_are_shown(chromium):
    gateway = Gateway(["--nodes", "1000", "--chatter", "240"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n")
    expect(page.locator("tbody tr").nth(99)).to_be_attached()
    expect(page.locator("tbody tr").nth(900)).to_be_attached(timeout=60000)
    page.get_by_label("Find a node").fill("summit")
    expect(page.locator("tbody tr")).not_to_have_count(1000)
    shown.go("map")
    expect(page.locator(".map .spot").nth(40)).to_be_attached(timeout=60000)
    shown.check()
