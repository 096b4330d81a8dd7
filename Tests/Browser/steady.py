"""What somebody has in hand stays while things come in: the focus, a menu, a place, a filter; and ages go on by themselves."""

import re

from served import Gateway, eventually
from shown import Shown, expect
from told import near, node, own_node, with_nodes


def busy():
    """Few nodes, of which each is heard every second."""
    gateway = Gateway(["--nodes", "6", "--chatter", "400"])
    eventually("there are packets", lambda: gateway.get("/api/v1/packets?limit=20")["count"] > 10)
    return gateway


def hears_more_of(gateway, name):
    """Waits until the gateway has heard the node three times more, and the page has drawn that."""
    def heard():
        return sum(row["from_node_id"] == name for row in gateway.get("/api/v1/packets?limit=1000")["data"])
    before = heard()
    eventually("it is heard", lambda: heard() > before + 2)


def focus(page):
    return page.evaluate("() => document.activeElement.textContent")


def test_what_is_focused_or_open_stays_while_the_node_is_heard(chromium):
    gateway = busy()
    name = near(gateway)
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n", name)
    page.get_by_role("button", name="Trace route").focus()
    hears_more_of(gateway, name)
    assert focus(page) == "Trace route", focus(page)
    page.get_by_role("link", name="Its packets").focus()
    hears_more_of(gateway, name)
    assert focus(page) == "Its packets", focus(page)
    menu = page.get_by_role("button", name="Ask it for …")
    expect(menu).to_have_attribute("aria-expanded", "false")
    menu.click()
    expect(menu).to_have_attribute("aria-expanded", "true")
    hears_more_of(gateway, name)
    expect(page.get_by_role("menuitem", name="Weather")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    # A button that says something else afterwards is still the one that was pressed.
    page.get_by_role("button", name="Ignore", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Ignored")).to_be_focused()
    shown.check()


def test_the_list_beside_the_map_keeps_the_focus(chromium):
    gateway = busy()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("map")
    expect(page.locator(".beside a").first).to_be_visible()
    name = near(gateway)
    page.locator(f".beside a[href$='{name}']").focus()
    hears_more_of(gateway, name)
    page.wait_for_timeout(2000)  # it is drawn a second after the last of them
    assert page.evaluate("() => document.activeElement.getAttribute('href')").endswith(name), focus(page)
    shown.check()


def test_details_lead_back_to_a_message_that_changed_meanwhile(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    gateway.radios[0].unplug()
    expect(page.locator("#hint")).to_contain_text("waits for it")
    shown.write("for later")
    article = page.locator("article.own")
    expect(article).to_contain_text("waits")
    article.focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Details").press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Packet number")
    gateway.radios[0].plug()
    expect(article).not_to_contain_text("waits", timeout=60000)
    page.keyboard.press("Escape")
    expect(article).to_be_focused()
    shown.check()


def test_a_reaction_leaves_the_chat_where_it_is(chromium):
    gateway = Gateway(["--silent"])
    for number in range(6):
        gateway.get("/api/v1/messages", body={"text": f"{number}" + "\nline" * 20, "channel": 0})
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    expect(page.locator("article")).to_have_count(6)
    page.locator(".scroller").evaluate("one => { one.scrollTop = 0; }")
    article = page.locator("article").first
    shown.act(article, "React")
    page.get_by_role("button", name="🎉").click()
    expect(article.locator(".reaction")).to_have_text("🎉")
    expect(article).to_be_in_viewport()
    shown.check()


def test_ages_go_on_where_nothing_is_heard_any_more(chromium):
    gateway = Gateway(["--silent"])
    own = own_node(gateway)
    shown = Shown(chromium, gateway)
    page = shown.page
    with_nodes(shown, node(int(own[1:], 16)), node(1))
    page.clock.install()
    shown.sign_in()
    shown.go("n")
    row = page.locator("tr[data-id='!00000001']")
    expect(row).to_contain_text("1 min ago")
    expect(row.locator(".dot")).to_have_count(1)
    page.clock.fast_forward("20:00")
    page.clock.run_for(3000)
    expect(row).to_contain_text("21 min ago")
    expect(row.locator(".dot")).to_have_count(0)


def test_packets_are_found_as_they_were_left(chromium):
    gateway = busy()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("packets")
    expect(page.locator("tbody tr").nth(5)).to_be_attached()
    page.get_by_label("Filter packets").fill("Position")
    page.get_by_label("Kind").select_option(label="Position")
    page.get_by_role("button", name="Pause").click()
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name="Bytes")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_label("Filter packets")).to_have_value("Position")
    expect(page.get_by_label("Kind")).to_have_value("POSITION_APP")
    expect(page.locator("tbody tr").first).to_be_attached()
    assert set(page.locator("tbody td:nth-child(3)").all_inner_texts()) == {"Position"}
    shown.check()


def test_back_leads_past_a_form_that_is_done_with(chromium):
    gateway = Gateway(["--silent"])
    made = gateway.get("/api/v1/waypoints", body={"name": "Hut", "latitude": 47.2, "longitude": 11.4})["data"]["waypointId"]
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("more")
    page.get_by_role("link", name=re.compile("^Waypoints")).click()
    page.get_by_role("link", name="Hut").click()
    expect(page.get_by_label("Name")).to_have_value("Hut")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No waypoints.")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_role("heading", name="More")).to_be_visible()
    assert str(made) not in page.url
    # Nor is one shared twice.
    shown.go("map")
    shown.go("waypoints", "new")
    page.get_by_label("Name").fill("Tent")
    expect(page.get_by_label("Latitude")).not_to_have_value("")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("heading", name="Map", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="New waypoint")).to_have_count(0)
    expect(page.get_by_role("heading", name="More")).to_be_visible()
    shown.check()
