"""What WCAG 2.2 asks for and axe cannot see; the numbers are those of its criteria. More of them is in reachable.py."""

import re

from served import Gateway, eventually
from shown import DESKTOP, NARROW, PHONE, Shown, each_view, expect, too_wide, views


def lively():
    gateway = Gateway(["--chatter", "240"])
    eventually("there is something to see", lambda: gateway.get("/api/v1/messages?limit=20")["count"] > 8)
    # A node with values over time has charts.
    eventually("a node has told its values", lambda: gateway.get("/api/v1/telemetry?limit=5")["count"] > 2)
    return gateway


def test_tables_states_and_names_say_what_they_are(chromium):
    """1.3.1, 1.4.1, 1.1.1, 2.4.6, 3.1.2: captions and scopes, no state by colour or sign alone, messages in their own direction."""
    gateway = lively()
    shown = Shown(chromium, gateway)
    shown.sign_in()
    failures = []
    for name in each_view(shown, views(gateway)):
        failures += [f"{name}: {what}" for what in shown.page.evaluate("""() => {
            const found = [], has = (one) => /\\p{L}/u.test(one.textContent) || /\\p{L}/u.test(one.getAttribute('aria-label') ?? '');
            for (const one of document.querySelectorAll('main table')) {
                if (!one.caption?.textContent.trim()) found.push('a table without a caption');
                if (one.querySelector('th:not([scope])')) found.push('a head of a table without its scope');
            }
            for (const one of document.querySelectorAll('.delivery, .signal, .state, main .bad, main .good'))
                if (one.closest('svg') === null && one.textContent.trim() && !has(one)) found.push(`no words: ${one.outerHTML.slice(0, 100)}`);
            for (const one of document.querySelectorAll('button, a')) if (one.getClientRects().length && !has(one) && !one.title && !/[\\p{N}\\p{P}\\p{S}]/u.test(one.textContent)) found.push(`no name: ${one.outerHTML.slice(0, 100)}`);
            for (const one of document.querySelectorAll('svg')) if (one.getAttribute('aria-hidden') !== 'true' && !one.getAttribute('aria-label')) found.push(`a picture without a name: ${one.outerHTML.slice(0, 100)}`);
            for (const one of document.querySelectorAll('p.text')) if (one.dir !== 'auto') found.push('a message without its direction');
            for (const one of document.querySelectorAll('[title]'))
                if (![one.textContent, one.getAttribute('aria-label'), one.closest('article')?.textContent, one.value].join(' ').includes(one.title.split(',')[0])
                    && one.localName !== 'time') found.push(`only a tooltip says ${one.title}`);
            return found;
        }""")]
    assert not failures, "\n".join(failures)


def test_every_view_has_a_title_and_the_focus(chromium):
    """2.4.2, 2.4.3, 3.1.1: the title names the view, and whoever opens it goes on at its heading, or in the box of a chat."""
    gateway = lively()
    for viewport in (PHONE, DESKTOP):
        shown = Shown(chromium, gateway, viewport=viewport)
        page = shown.sign_in().page
        assert page.evaluate("() => document.documentElement.lang") == "en"
        titles = {}
        for name in each_view(shown, views(gateway)):
            titles[name] = page.title()
            heading = page.evaluate("() => [...document.querySelectorAll('#main h1')].filter((one) => one.offsetParent).map((one) => one.innerText)")
            assert any(one.split("\n")[0] in titles[name] for one in heading), f"{name}: {titles[name]} does not name {heading}"
            focused = page.evaluate("() => document.activeElement.matches('#main h1, #main input, #text, #main')")
            assert focused, f"{name}: the focus is at {page.evaluate('() => document.activeElement.outerHTML.slice(0, 100)')}"
        assert len(set(titles.values())) >= len(titles) - 1, titles  # direct chat and node have one name
        shown.close()


def test_text_may_be_spaced_further(chromium):
    """1.4.12."""
    gateway = lively()
    for viewport in (NARROW, DESKTOP):
        shown = Shown(chromium, gateway, viewport=viewport)
        page = shown.sign_in().page
        page.evaluate("""() => { const sheet = new CSSStyleSheet();
            sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }');
            document.adoptedStyleSheets.push(sheet); }""")
        for name in each_view(shown, views(gateway)):
            assert not too_wide(page), f"{name}: {too_wide(page)}"
            cut = page.evaluate("""() => [...document.querySelectorAll('button, .button, #places a, label, dt, dd, th, h2')]
                .filter((one) => one.offsetParent && getComputedStyle(one).overflow === 'hidden' && one.scrollHeight > one.clientHeight + 2)
                .map((one) => one.outerHTML.slice(0, 100))""")
            assert not cut, f"{name}: {cut}"
        shown.close()


def test_edges_and_lines_can_be_seen(chromium):
    """1.4.11: three to one beside what is around, in both schemes."""
    gateway = lively()
    talker = eventually("a node has values", lambda: gateway.get("/api/v1/telemetry?limit=5")["data"][0]["nodeId"])
    for scheme in ("light", "dark"):
        shown = Shown(chromium, gateway, color_scheme=scheme)
        page = shown.sign_in().page
        failures = []
        for name in each_view(shown, {**views(gateway), "talker": ["n", talker]}):
            if name == "talker":
                expect(page.locator(".chart .line").first).to_be_attached()
            failures += [f"{name} {scheme}: {what}" for what in page.evaluate(CONTRAST)]
        assert not failures, "\n".join(failures)
        shown.close()


CONTRAST = """() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const parts = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
    const light = (colour) => { const [r, g, b] = parts(colour).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ratio = (a, b) => { const [low, high] = [light(a), light(b)].sort((one, other) => one - other); return (high + 0.05) / (low + 0.05); };
    const isClear = (colour) => parts(colour)[3] < 128;
    const ground = (one) => { for (; one; one = one.parentElement) { const colour = getComputedStyle(one).backgroundColor; if (!isClear(colour)) return colour; } return 'white'; };
    const found = [];
    const look = (one, colour, what) => { const value = ratio(colour, ground(what)); if (value < 3) found.push(`${value.toFixed(2)} ${one.outerHTML.slice(0, 90)}`); };
    for (const one of document.querySelectorAll('input:not([type=checkbox]), textarea, select')) if (one.offsetParent && one.matches(':not(.hidden)')) look(one, getComputedStyle(one).borderTopColor, one.parentElement);
    for (const one of document.querySelectorAll('path.line, line.good, line.fair, line.weak, .track, .icon')) {
        const stroke = getComputedStyle(one).stroke;
        if (one.getBoundingClientRect().width && stroke !== 'none' && !one.closest(':disabled')) look(one, stroke, one.closest('svg'));
    }
    for (const one of document.querySelectorAll('rect.on, .dot')) {
        const style = getComputedStyle(one), colour = one.localName === 'rect' ? style.fill : style.backgroundColor;
        if (one.getBoundingClientRect().width && !isClear(colour)) look(one, colour, one.closest('svg') ?? one.parentElement);
    }
    return found;
}"""


def test_what_is_focused_is_not_covered(chromium):
    """2.4.11, 2.4.7: on a phone, where bars stick to both ends."""
    gateway = lively()
    shown = Shown(chromium, gateway, viewport=PHONE)
    page = shown.sign_in().page
    for name in each_view(shown, views(gateway)):
        page.evaluate("() => document.querySelector('#skip').focus()")
        for _ in range(30):
            page.keyboard.press("Tab")
            found = page.evaluate("""() => { const one = document.activeElement; if (one === document.body) return 'body';
                const whole = one.getBoundingClientRect();
                const [left, top] = [Math.max(0, whole.left), Math.max(0, whole.top)];
                const box = { left, top, width: Math.min(innerWidth, whole.right) - left, height: Math.min(innerHeight, whole.bottom) - top };
                const points = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.2], [0.5, 0.8]].map(([x, y]) => document.elementFromPoint(box.left + box.width * x, box.top + box.height * y));
                // On the map points may lie on one another.
                return points.some((at) => at && (one.contains(at) || at.contains(one) || one.closest('svg.map')?.contains(at))) ? '' : one.outerHTML.slice(0, 120); }""")
            if found == "body":
                break
            assert not found, f"{name}: covered: {found}"


def test_targets_are_large_enough(chromium):
    """2.5.8: that the rule of axe which measures them takes part at all."""
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway, viewport=PHONE)
    shown.sign_in()
    expect(shown.page.locator(".chats a").first).to_be_visible()
    assert "target-size" in shown.axe("chats"), "nothing has been measured"


def test_the_map_needs_no_dragging(chromium):
    """2.5.7, 2.1.1: buttons and keys do what dragging does."""
    gateway = lively()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("map")
    picture = page.locator("svg.map")
    expect(page.locator(".spot").nth(3)).to_be_attached()

    page.wait_for_timeout(1000)

    def seen():
        """The corner, and the width."""
        x, y, width, _ = (float(part) for part in picture.get_attribute("viewBox").split())
        return x, y, width

    for name, is_smaller in (("Zoom in", True), ("Zoom out", False)):
        before = seen()[2]
        page.get_by_role("button", name=name).click()
        eventually(f"{name} does it", lambda: seen()[2] < before if is_smaller else seen()[2] > before)
    picture.focus()
    for key, part, is_less in (("ArrowLeft", 0, True), ("ArrowRight", 0, False), ("ArrowUp", 1, True), ("ArrowDown", 1, False), ("+", 2, True), ("-", 2, False)):
        before = seen()[part]
        page.keyboard.press(key)
        eventually(f"{key} does it", lambda: seen()[part] < before if is_less else seen()[part] > before)


def test_tables_are_sorted_and_lists_paused_by_keys(chromium):
    """2.1.1, 2.2.2, 4.1.2: a head is a button that says how the table is sorted, and what moves can be held."""
    gateway = Gateway(["--chatter", "240"])
    eventually("nodes are known", lambda: gateway.get("/api/v1/nodes?limit=20")["count"] > 10)
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n")
    expect(page.locator("tbody tr").nth(10)).to_be_attached()
    head = page.locator("th", has=page.get_by_role("button", name="Name"))
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    first = page.locator("tbody tr th").first.inner_text()
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(page.locator("tbody tr th").first).not_to_have_text(first)
    expect(page.locator("th[aria-sort=ascending], th[aria-sort=descending]")).to_have_count(1)
    shown.go("packets")
    expect(page.locator("tbody tr").nth(3)).to_be_attached()
    page.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Go on")).to_have_attribute("aria-pressed", "true")
    rows = page.locator("tbody").inner_text()
    # More come, and none of them moves what is read.
    expect(page.locator("main [role=status]")).to_contain_text(re.compile("paused, [1-9]"), timeout=60000)
    assert page.locator("tbody").inner_text() == rows
    page.keyboard.press("Enter")
    expect(page.locator("main [role=status]")).not_to_contain_text("Paused")
    eventually("it goes on", lambda: page.locator("tbody").inner_text() != rows)
    shown.check()


def test_what_happens_is_told_to_those_who_listen(chromium):
    """4.1.3: messages, delivery and the connection come by a region that screen readers follow."""
    gateway = Gateway(["--chatter", "240"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    said = page.locator("#said")
    assert said.get_attribute("role") == "status"
    shown.open_chat()
    expect(page.locator("article:not(.own)").first).to_be_visible(timeout=60000)
    expect(said).not_to_be_empty(timeout=60000)
    shown.write("listen")
    expect(page.locator("article.own").filter(has_text="listen")).to_be_visible()
    gateway.hold()
    page.locator("#text").press("h")
    expect(said).to_contain_text("Offline since")
    gateway.go_on()
    expect(page.locator(".word")).to_have_text("Live", timeout=20000)
    shown.check()


def test_less_motion_and_more_contrast_are_given_to_who_asks(chromium):
    """prefers-reduced-motion, prefers-contrast."""
    gateway = lively()
    shown = Shown(chromium, gateway, reduced_motion="reduce", contrast="more")
    page = shown.sign_in().page
    for name in each_view(shown, views(gateway)):
        moving = page.evaluate("""() => [...document.querySelectorAll('*')].filter((one) => { const style = getComputedStyle(one);
            return parseFloat(style.transitionDuration) > 0 || style.animationName !== 'none' || style.scrollBehavior === 'smooth'; }).map((one) => one.outerHTML.slice(0, 80))""")
        assert not moving, f"{name}: {moving}"
        shown.axe(f"{name} more contrast")


def test_what_is_in_a_message_is_reached_and_read_by_keys(chromium):
    """2.1.1, 4.1.2, 1.3.1: links, sender, quote and reactions; arrows read the text; commands have names; one h1."""
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    shown.write("see https://example.org/way")
    first = page.locator("article.own").first
    expect(first).to_be_visible()
    shown.act(first, "Reply")
    shown.write("that one: https://example.org/other")
    answer = page.locator("article.own").nth(1)
    expect(answer.locator(".quote")).to_be_visible()
    shown.act(answer, "React")
    page.get_by_role("dialog").get_by_role("button", name="🎉").click()
    expect(answer.locator(".reaction")).to_be_visible()
    page.locator("#text").focus()
    page.keyboard.press("Shift+Tab")
    expect(answer).to_be_focused()
    # Who moves by arrows hears what it says.
    name = answer.get_attribute("aria-label")
    assert "that one: https://example.org/other" in name and "answers: see" in name and "🎉" in name, name
    stops = []
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        stops.append(page.evaluate("() => document.activeElement.closest('.quote, .text a, .reaction, #text')?.className || document.activeElement.localName + document.activeElement.id"))
    for wanted in ("quote", "a", "reaction"):
        assert wanted in stops, (wanted, stops)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("() => document.activeElement.localName") == "article"
    # From the box the messages are one stop away, whatever is in them.
    page.locator("#text").focus()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("() => document.activeElement.localName") == "article"
    assert page.locator("h1:visible").count() == 1, page.locator("h1:visible").all_inner_texts()
    shown.check()


def test_each_view_has_one_h1_and_its_commands_names(chromium):
    gateway = lively()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    for name in each_view(shown, views(gateway)):
        assert page.locator("h1:visible").count() == 1, f"{name}: {page.locator('h1:visible').all_inner_texts()}"
        for field in page.locator("textarea.code").all():
            assert field.get_attribute("aria-label") in ("Command to type", "Link", "Text"), field.get_attribute("aria-label")
    shown.check()


def test_nothing_is_focused_under_the_bars(chromium):
    """2.4.11 on a low screen, where what is focused is scrolled to the edge."""
    gateway = lively()
    shown = Shown(chromium, gateway, viewport={"width": 700, "height": 450})
    page = shown.sign_in().page
    for name in each_view(shown, views(gateway)):
        page.evaluate("() => document.querySelector('#skip').focus()")
        for _ in range(40):
            page.keyboard.press("Tab")
            found = page.evaluate("""() => { const one = document.activeElement; if (one === document.body || one.closest('#places, #top, #skip, .menu, svg')) return '';
                const box = one.getBoundingClientRect();
                for (const bar of document.querySelectorAll('#places, #top')) { const at = bar.getBoundingClientRect();
                    if (box.top >= at.top && box.bottom <= at.bottom && box.left >= at.left && box.right <= at.right) return one.outerHTML.slice(0, 120); }
                return ''; }""")
            assert not found, f"{name}: under a bar: {found}"
    shown.check()
