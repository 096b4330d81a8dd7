"""A radio from the shop: met by its set-up, set up in one screen with one restart, or put aside."""

import importlib.machinery
import importlib.util
import json
import pathlib
import re
import subprocess

from served import Gateway, Port, eventually
from shown import PHONE, Shown, expect, read_code, too_wide

GENERATOR = pathlib.Path(__file__).parent.parent.parent / "deploy/countries"
# Each press of a finger or the mouse; what a label hands on to its field is none.
COUNT_PRESSES = "() => { window.presses = 0; addEventListener('pointerdown', () => { window.presses += 1; }, true); }"


def new_radio(firmware="2.8"):
    return Gateway(["--fresh", "--silent", "--nodes", "0", "--firmware", firmware])


def met(chromium, gateway, zone="Europe/Vienna", token=None, viewport=PHONE, **options):
    """Somebody signs in and is met by the set-up."""
    shown = Shown(chromium, gateway, viewport=viewport, timezone_id=zone, **options)
    shown.sign_in(token)
    expect(shown.page.get_by_role("heading", name="Set up this radio")).to_be_visible()
    expect(shown.page.get_by_label("Long name")).to_be_visible()
    shown.page.evaluate(COUNT_PRESSES)
    return shown


def choose(page, words):
    page.locator("label.choice").filter(has_text=words).first.click()


def answer(page, region="EU_868", name="Hut am See", whom="Everybody here"):
    if region:
        choose(page, re.compile(rf"^{region}\b"))
    if name:
        page.get_by_label("Long name").fill(name)
    if whom:
        choose(page, whom)


def set_it_up(page):
    page.get_by_role("button", name="Set it up").click()
    expect(page.get_by_text("The radio is set up.")).to_be_visible(timeout=90000)


def setting(gateway, path):
    return gateway.command("radio", "config", "get", path)


def own(gateway):
    return gateway.get(f"/api/v1/sources/{gateway.source()}/self")["data"]


def restarts(gateway):
    """As the radio itself counts them."""
    number = own(gateway)["nodeId"]
    return gateway.node(lambda row: row["nodeId"] == number)["rebootCount"]


def changes(shown):
    """What was written to the radio, previews left out."""
    bodies = [json.loads(request.post_data) for request in shown.requests if request.method == "PATCH"]
    return [body for body in bodies if not body.get("preview")]


def link_of(region, *more):
    """A link as a radio in that region gives it."""
    gateway = Gateway(["--silent", "--nodes", "0"])
    gateway.command("radio", "config", "set", f"lora.region={region}", *more, "--yes")
    link = gateway.command("channel", "url", "--all").split()[-1]
    gateway.close()
    return link


def by_each_way(chromium, firmware):
    link = link_of("EU_868", "lora.modem_preset=MEDIUM_FAST")
    for whom in ("Everybody here", "People who gave me a link", "A group of our own"):
        gateway = new_radio(firmware)
        before = restarts(gateway)
        shown = met(chromium, gateway, zone="America/New_York" if whom.startswith("A group") else "Europe/Vienna")
        page = shown.page
        assert not too_wide(page), too_wide(page)
        if whom.startswith("People"):
            # A link answers the first question, too.
            answer(page, region=None, whom=whom)
            page.get_by_label("Link (").fill(link)
            expect(page.get_by_text("Hikers, Rescue.")).to_be_visible()
        elif whom.startswith("A group"):
            answer(page, region="US", whom=whom)
            page.get_by_label("Name of the channel").fill("Club")
        else:
            answer(page)
        shown.axe(whom)
        page.get_by_role("button", name="Set it up").click()
        expect(page.locator(".steps .good").first).to_have_text(re.compile("Written"))
        expect(page.locator(".word")).to_have_text("The radio restarts")
        expect(page.get_by_text("The radio is set up.")).to_be_visible(timeout=90000)
        expect(page.locator(".steps .good")).to_have_count(3)
        shown.axe("set up")
        assert not too_wide(page), too_wide(page)
        if whom.startswith("A group"):
            shared = gateway.command("channel", "url").split()[-1]
            expect(page.get_by_label("Link", exact=True)).to_have_value(shared)
            assert read_code(page.get_by_role("img", name="Code of your group")) == shared
        page.get_by_role("link", name="To the chat").click()
        expect(page.get_by_text("You hear nobody yet")).to_be_visible()
        shown.write("the first text")
        expect(page.locator("article")).to_contain_text("the first text")
        assert page.evaluate("() => window.presses") <= 4, "that is more than four clicks"
        assert len(changes(shown)) == 1, "it is written once"
        assert restarts(gateway) == before + 1, f"it has restarted {restarts(gateway) - before} times"
        assert setting(gateway, "owner.long_name") == "Hut am See"
        assert setting(gateway, "owner.short_name") == "Huta"
        wanted = {
            "Everybody here": ("EU_868", "LONG_FAST", "0"),
            "People who gave me a link": ("EU_868", "MEDIUM_FAST", "0"),
            # Others' nodes hand on what is said only in the slot of the public channel.
            "A group of our own": ("US", "LONG_FAST", "20"),
        }[whom]
        assert tuple(setting(gateway, f"lora.{name}") for name in ("region", "modem_preset", "channel_num")) == wanted
        assert own(gateway)["setup"] == []
        shown.check()
        shown.close()
        gateway.close()


def test_a_radio_with_firmware_2_7_is_set_up_by_each_way(chromium):
    by_each_way(chromium, "2.7")


def test_a_radio_with_firmware_2_8_is_set_up_by_each_way(chromium):
    by_each_way(chromium, "2.8")


def test_a_new_radio_is_met_once_and_can_be_put_aside(chromium):
    gateway = new_radio()
    shown = met(chromium, gateway)
    page = shown.page
    shown.axe("set-up")
    # Austria is proposed, and why; the region is for the person to choose.
    expect(page.get_by_label("Country")).to_have_value("AT")
    expect(page.get_by_text("set to Europe/Vienna")).to_be_visible()
    expect(page.locator("label.choice").first).to_have_text(
        "EU_868, 869.4–869.65 MHz, a tenth of the time. The sticker on board or antenna must say 868.")
    expect(page.locator("input[name=region]:checked")).to_have_count(0)
    page.get_by_role("link", name="Not now").click()
    # Without a region nothing goes: its card stays.
    card = page.get_by_role("group", name="Problem")
    expect(card.get_by_role("link", name="Set up this radio")).to_be_visible()
    page.goto("about:blank")
    page.goto(gateway.url)
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    card.get_by_role("link", name="Set up this radio").click()
    expect(page.get_by_label("Long name")).to_be_visible()
    shown.check()


def test_where_just_the_name_is_the_factorys_it_asks_for_that_and_can_be_put_aside_for_good(chromium):
    gateway = new_radio("2.7")
    gateway.command("radio", "config", "set", "lora.region=EU_868", "--yes")
    eventually("it has its region", lambda: own(gateway)["setup"] == ["name"])
    eventually("it has restarted", lambda: gateway.links() == ["live"] and restarts(gateway) == 2)
    shown = met(chromium, gateway)
    page = shown.page
    expect(page.get_by_label("Country")).to_have_count(0)
    page.get_by_role("link", name="Not now").click()
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    expect(page.get_by_role("link", name="Set up this radio")).to_have_count(0)
    page.goto("about:blank")
    page.goto(gateway.url)
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    # Its address shows it again.
    shown.go("setup")
    answer(page, region=None, whom=None)
    set_it_up(page)
    assert setting(gateway, "owner.long_name") == "Hut am See"
    # What is set up is not asked again.
    page.reload()
    expect(page.get_by_text("The radio is set up.")).to_be_visible()
    expect(page.get_by_label("Long name")).to_have_count(0)
    shown.check()


def test_a_radio_is_set_up_by_keyboard_alone(chromium):
    gateway = new_radio()
    page = met(chromium, gateway).page
    keyboard = page.keyboard

    def tab_to(selector):
        for _ in range(20):
            keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"no Tab leads to {selector}")

    tab_to("input[name=region]")
    keyboard.press("Space")
    tab_to("#long-name")
    keyboard.type("Hut")
    tab_to("input[name=whom]")
    keyboard.press("Space")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowUp")
    keyboard.press("Enter")
    expect(page.get_by_text("The radio is set up.")).to_be_focused(timeout=90000)
    tab_to("a.main")
    keyboard.press("Enter")
    tab_to("#text")
    keyboard.type("by keys")
    keyboard.press("Enter")
    expect(page.locator("article")).to_contain_text("by keys")
    assert page.evaluate("() => window.presses") == 0
    assert setting(gateway, "lora.region") == "EU_868"


def test_the_clock_proposes_a_country(chromium):
    gateway = new_radio()
    cases = {
        "Europe/Vienna": ("AT", ["EU_868", "EU_433"]), "Asia/Calcutta": ("IN", ["IN"]), "Asia/Kolkata": ("IN", ["IN"]),
        # Firmware that knows Brazil's own code offers it first.
        "America/Sao_Paulo": ("BR", ["BR_902", "ANZ"]), "Africa/Nairobi": ("KE", None), "UTC": ("", None),
    }
    for zone, (country, regions) in cases.items():
        shown = met(chromium, gateway, zone=zone)
        page = shown.page
        expect(page.get_by_label("Country")).to_have_value(country)
        offered = page.locator("input[name=region]:visible").evaluate_all("all => all.map((one) => one.value)")
        if regions:
            assert offered == regions, f"{zone}: {offered}"
            expect(page.get_by_text("look up what is allowed there")).to_have_count(0)
        else:
            assert len(offered) > 20 and not any(region.startswith("ITU") for region in offered), f"{zone}: {offered}"
            expect(page.get_by_text("look up what is allowed there")).to_be_visible()
        shown.check()
        shown.close()
    # Amateurs' bands are there for those who say that they have a licence.
    page = met(chromium, gateway).page
    page.get_by_label("I have an amateur radio licence").check()
    expect(page.locator("label.choice").filter(has_text="ITU1_70CM")).to_be_visible()
    # An old firmware has no code of Brazil's own.
    gateway.close()
    gateway = Gateway(["--silent", "--nodes", "0", "--fresh", "--firmware", "2.7"])
    shown = Shown(chromium, gateway, timezone_id="Asia/Kathmandu")

    def forget_nepal(route):
        found = route.fetch()
        body = found.json()
        body["data"]["regions"] = [row for row in body["data"]["regions"] if row["region"] != "NP_865"]
        route.fulfill(response=found, json=body)

    shown.page.route(re.compile("section=lora"), forget_nepal)
    shown.sign_in()
    expect(shown.page.get_by_text("The firmware of this radio has no region for it")).to_be_visible()


def test_who_may_not_change_the_radio_gets_the_lines_to_type(chromium):
    gateway = new_radio()
    for name, scopes in (("anna", ("read", "send", "nodes:write")), ("bert", ("info:read", "messages:read", "channels:read"))):
        shown = met(chromium, gateway, token=gateway.make_token(name, *scopes))
        page = shown.page
        answer(page, whom="A group of our own")
        page.get_by_label("Name of the channel").fill("Club")
        expect(page.get_by_role("button", name="Set it up")).to_have_count(0)
        expect(page.get_by_text("it lacks configuration:write")).to_be_visible()
        lines = page.get_by_label("Command to type")
        link = re.compile(r"^sudo mesh-gateway channel add '(https://meshtastic\.org/e/#[\w-]+)' --replace$")
        expect(lines.nth(0)).to_have_value(link)
        wanted = "sudo mesh-gateway radio config set lora.region=EU_868 owner.long_name='Hut am See' owner.short_name=Huta"
        expect(lines.nth(1)).to_have_value(wanted)
        expect(lines.nth(2)).to_have_value(f"mesh-gateway token allow {name} configuration:write")
        # The commands would refuse what is too long.
        page.get_by_label("Name of the channel").fill("Club of hikers")
        expect(lines).to_have_count(1)
        page.get_by_label("Name of the channel").fill("Club")
        expect(lines).to_have_count(3)
        assert not too_wide(page), too_wide(page)
        shown.axe("the lines to type")
        shown.check()
        url = link.match(lines.nth(0).input_value())[1]
        shown.close()
    # They do what they say.
    gateway.command("channel", "add", url, "--replace", "--yes")
    gateway.command("radio", "config", "set", "lora.region=EU_868", "owner.long_name=Hut am See", "--yes")
    assert gateway.get(f"/api/v1/sources/{gateway.source()}/channels")["data"][0]["name"] == "Club"
    eventually("nothing is open", lambda: own(gateway)["setup"] == [])


def test_a_link_that_is_none_or_of_elsewhere_is_said_to_be(chromium):
    elsewhere = link_of("US")
    gateway = new_radio()
    shown = met(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 400")
    page = shown.page
    answer(page, whom="People who gave me a link")
    field = page.get_by_label("Link (")
    # Of none, cut off, of nine channels (eight are as many as a radio has), and without a channel.
    nine = "CgMSAQE" + "KAxIBAQoDEgEBCgMSAQEKAxIBAQoDEgEBCgMSAQEKAxIBAQoDEgEB"
    for text, words in (("hello", "is no link with channels"), (elsewhere[:-30], "not whole"), ("https://meshtastic.org/e/#" + nine, "not whole|9 channels"),
                        ("https://meshtastic.org/e/#EgIIAQ", "not whole")):
        field.fill(text)
        expect(page.locator("p.bad")).to_have_text(re.compile(words))
        page.get_by_role("button", name="Set it up").click()
        assert not changes(shown), "what is no link is written"
    # The region that was chosen is another one than the link's: it asks.
    field.fill(elsewhere)
    expect(page.get_by_text("The link is for US, which is not one for Austria.")).to_be_visible()
    expect(page.locator("input[name=region]:checked")).to_have_count(0)
    page.get_by_role("button", name="Set it up").click()
    assert not changes(shown), "nobody has chosen a region"
    choose(page, re.compile(r"^EU_868\b"))
    set_it_up(page)
    assert setting(gateway, "lora.region") == "EU_868"
    names = [row["name"] for row in gateway.get(f"/api/v1/sources/{gateway.source()}/channels")["data"] if row["role"]]
    assert names == ["LongFast", "Hikers", "Rescue"], names
    shown.check()


def test_what_was_chosen_after_a_link_stays_chosen(chromium):
    elsewhere, licensed = link_of("US"), link_of("ITU1_70CM", "owner.is_licensed=true")
    gateway = new_radio()
    shown = met(chromium, gateway)
    page = shown.page
    chosen = page.locator("input[name=region]:checked")
    answer(page, whom="People who gave me a link")
    field = page.get_by_label("Link (")
    # An answer that comes when the link is no longer wanted changes nothing.
    with page.expect_response(re.compile(r"/radio/settings$")):
        field.fill(elsewhere)
        choose(page, "Everybody here")
    expect(chosen).to_have_value("EU_868")
    expect(page.get_by_text("The link is for")).to_have_count(0)
    # It asks once; the answer stays.
    choose(page, "People who gave me a link")
    expect(page.get_by_text("The link is for US, which is not one for Austria.")).to_be_visible()
    expect(chosen).to_have_count(0)
    choose(page, re.compile(r"^EU_868\b"))
    choose(page, "Everybody here")
    choose(page, "People who gave me a link")
    expect(page.get_by_text("The link is for US")).to_be_visible()
    expect(chosen).to_have_value("EU_868")
    # A region for amateurs is not offered to everybody, and the country's does not take its place silently.
    field.fill(licensed)
    expect(page.get_by_text("The link is for ITU1_70CM, which needs an amateur radio licence.")).to_be_visible()
    expect(page.get_by_text("Choose the region above.")).to_be_visible()
    expect(chosen).to_have_count(0)
    page.get_by_label("I have an amateur radio licence").check()
    choose(page, re.compile(r"^ITU1_70CM\b"))
    expect(chosen).to_have_value("ITU1_70CM")
    shown.check()


def test_a_link_for_a_region_that_the_radio_does_not_know_asks(chromium):
    gateway = new_radio()
    shown = Shown(chromium, gateway, timezone_id="Europe/Vienna")

    def forget(route):
        found = route.fetch()
        body = found.json()
        body["data"]["regions"] = [row for row in body["data"]["regions"] if row["region"] != "US"]
        route.fulfill(response=found, json=body)

    page = shown.page
    page.route(re.compile("section=lora"), forget)
    shown.sign_in()
    answer(page, whom="People who gave me a link")
    page.get_by_label("Link (").fill(link_of("US"))
    expect(page.get_by_text("The link is for US, which is not among the regions of this radio.")).to_be_visible()
    expect(page.locator("input[name=region]:checked")).to_have_count(0)
    shown.check()


def test_a_radio_that_is_away_is_not_said_to_be_set_up(chromium):
    gateway = new_radio()
    shown = met(chromium, gateway)
    page = shown.page
    page.get_by_role("link", name="Not now").click()
    gateway.radios[0].unplug()
    # Where no cable is, none is to be checked.
    expect(page.locator(".word")).to_have_text(re.compile(r"^Radio away since \d\d:\d\d$"))
    page.evaluate("() => { [...session.meshes.values()][0].status.link.problem = 'device-absent'; showConnection(); }")
    expect(page.locator(".word")).to_have_text(re.compile(r"^Radio away since \d\d:\d\d: check cable and port$"))
    shown.go("setup")
    expect(page.locator("main section.card")).to_have_text(re.compile("^Radio away since"))
    expect(page.get_by_text("The radio is set up.")).to_have_count(0)
    shown.axe("set-up of a radio that is away")
    gateway.radios[0].plug()
    expect(page.get_by_label("Long name")).to_be_visible(timeout=90000)
    shown.check()


def test_a_new_radio_that_is_plugged_in_later_is_met_too(chromium):
    gateway = new_radio()
    gateway.radios[0].unplug()
    eventually("it is away", lambda: gateway.links() != ["live"])
    shown = Shown(chromium, gateway).sign_in()
    page = shown.page
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    gateway.radios[0].plug()
    expect(page.get_by_label("Long name")).to_be_visible()
    page.get_by_role("link", name="Not now").click()
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    page.reload()
    expect(page.get_by_role("group", name="Problem")).to_be_visible()
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    shown.check()


def test_a_radio_whose_name_alone_is_the_factorys_is_met_when_it_is_plugged_in_later(chromium):
    gateway = new_radio("2.7")
    gateway.ports = [port] = [Port(gateway.radios[0])]
    gateway.restart()
    eventually("it is live", lambda: gateway.links() == ["live"])
    gateway.command("radio", "config", "set", "lora.region=EU_868", "--yes")
    eventually("it has restarted", lambda: own(gateway)["setup"] == ["name"] and restarts(gateway) == 2)
    port.unplug()
    eventually("it is away", lambda: gateway.links() != ["live"])
    shown = Shown(chromium, gateway).sign_in()
    page = shown.page
    expect(page.locator(".word")).to_have_text(re.compile("^Radio away since"), timeout=90000)
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    port.plug()
    expect(page.get_by_label("Long name")).to_be_visible()
    expect(page.get_by_label("Country")).to_have_count(0)
    page.get_by_role("link", name="Not now").click()
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    # A word of a radio that was there before asks for nothing.
    page.wait_for_timeout(1000)
    before = len(shown.requests)
    page.evaluate("() => { for (let n = 0; n < 3; n += 1) views.hear('status', {}, views.current.mesh); }")
    page.wait_for_timeout(1000)
    assert len(shown.requests) == before, [request.url for request in shown.requests[before:]]


def test_a_name_of_many_bytes_is_counted(chromium):
    gateway = new_radio()
    shown = met(chromium, gateway)
    page = shown.page
    answer(page, name="😀" * 10)
    expect(page.get_by_text("40 of 24 bytes")).to_be_visible()
    expect(page.get_by_label("Short name")).to_have_value("😀")
    page.get_by_role("button", name="Set it up").click()
    expect(page.get_by_label("Long name")).to_be_focused()
    assert not changes(shown)
    shown.check()


def test_a_right_that_ends_meanwhile_is_said_to_be_missing(chromium):
    gateway = new_radio()
    shown = met(chromium, gateway, token=gateway.make_token("anna", "read", "send", "configuration:write"))
    shown.expected += [f"Failed to load resource: the server responded with a status of {status}" for status in (401, 403)]
    page = shown.page
    answer(page)
    # As whoever takes the right away makes the gateway answer.
    required = {"resource": "configuration", "action": "write"}
    page.route(re.compile(r"/radio/settings$"), lambda route: route.fulfill(
        status=403, json={"success": False, "error": "Forbidden", "message": "Insufficient permissions", "required": required}))
    page.get_by_role("button", name="Set it up").click()
    expect(page.get_by_role("alert")).to_contain_text("it lacks configuration:write")
    shown.axe("a right that has ended")
    # What goes wrong then is said as the first time.
    with page.expect_response(re.compile(r"/radio/settings$")):
        page.get_by_role("button", name="Try this again").dblclick()
    expect(page.get_by_role("alert")).to_contain_text("it lacks configuration:write")
    assert len(changes(shown)) == 2, "it is tried once more"
    page.unroute(re.compile(r"/radio/settings$"))
    page.get_by_role("button", name="Change the answers").click()
    expect(page.get_by_label("Long name")).to_have_value("Hut am See")
    # With the token all of them end.
    gateway.command("token", "revoke", "anna")
    page.get_by_role("button", name="Set it up").click()
    expect(page.locator("#door-problem")).to_contain_text("not valid")
    assert setting(gateway, "lora.region") == "UNSET"
    shown.check()


def test_what_the_radio_has_not_taken_is_red_and_tried_again(chromium):
    gateway = new_radio()
    shown = met(chromium, gateway)
    page = shown.page

    def without_region(route):
        body = json.loads(route.request.post_data)
        if not body.get("preview"):
            body["changes"] = [row for row in body["changes"] if row["path"] != "lora.region"]
        route.continue_(post_data=json.dumps(body))

    # To the page it is as if the radio had said yes and kept the old value.
    page.route(re.compile(r"/radio/settings$"), without_region)
    answer(page)
    page.get_by_role("button", name="Set it up").click()
    expect(page.get_by_text("Region: the radio has UNSET.")).to_be_visible(timeout=90000)
    shown.axe("not taken")
    page.unroute(re.compile(r"/radio/settings$"))
    page.get_by_role("button", name="Try this again").click()
    expect(page.get_by_text("The radio is set up.")).to_be_visible(timeout=90000)
    assert setting(gateway, "lora.region") == "EU_868"
    shown.check()


def test_a_group_whose_radio_keeps_the_public_key_is_red(chromium):
    gateway = new_radio()
    shown = met(chromium, gateway)
    page = shown.page

    def with_public_key(route):
        body = json.loads(route.request.post_data)
        if not body.get("preview"):
            body["channels"][0]["psk"] = "public"
        route.continue_(post_data=json.dumps(body))

    page.route(re.compile(r"/radio/settings$"), with_public_key)
    answer(page, whom="A group of our own")
    page.get_by_label("Name of the channel").fill("Club")
    page.get_by_role("button", name="Set it up").click()
    expect(page.get_by_text("Channel 0: the radio has the name, but no key of its own.")).to_be_visible(timeout=90000)
    page.unroute(re.compile(r"/radio/settings$"))
    page.get_by_role("button", name="Try this again").click()
    expect(page.get_by_role("heading", name="Code of your group")).to_be_visible(timeout=90000)
    [channel] = json.loads(gateway.command("channel", "url", "--json"))["channels"]
    assert (channel["name"], channel["key"]) == ("Club", "own"), channel
    shown.check()


def test_after_an_answer_that_was_lost_the_radio_is_asked(chromium):
    gateway = new_radio()
    shown = met(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 504")
    page = shown.page

    def too_late(route):
        if json.loads(route.request.post_data).get("preview"):
            return route.continue_()
        route.fetch()
        return route.fulfill(status=504, json={"success": False, "error": "Gateway Timeout", "message": "Too late."})

    page.route(re.compile(r"/radio/settings$"), too_late)
    answer(page)
    page.get_by_role("button", name="Set it up").click()
    expect(page.get_by_text("The radio is set up.")).to_be_visible(timeout=90000)
    expect(page.locator("p.bad")).to_have_count(0)
    assert len(changes(shown)) == 1
    shown.check()


def test_a_radio_that_does_not_come_back_is_looked_for_at_its_cable(chromium):
    gateway = new_radio()
    shown = met(chromium, gateway)
    page = shown.page
    answer(page)
    page.get_by_role("button", name="Set it up").click()
    expect(page.locator(".steps .good").first).to_have_text(re.compile("Written"))
    gateway.radios[0].unplug()
    expect(page.get_by_role("alert")).to_contain_text("has not come back within a minute. Look at its cable", timeout=90000)
    expect(page.locator(".word")).to_have_text(re.compile("^Radio away since"), timeout=90000)
    shown.axe("a radio that stays away")
    # Another one in its place has taken nothing of it.
    gateway.radios[0].plug()
    eventually("it is there", lambda: gateway.links() == ["live"])
    page.get_by_role("button", name="Try this again").click()
    expect(page.get_by_text("Region: the radio has UNSET.")).to_be_visible(timeout=90000)
    page.get_by_role("button", name="Try this again").click()
    expect(page.get_by_text("The radio is set up.")).to_be_visible(timeout=90000)
    shown.check()


def test_a_radio_that_comes_back_at_another_port_is_set_up_there(chromium):
    gateway = new_radio()
    gateway.ports = [before, after] = [Port(gateway.radios[0]), Port(gateway.radios[0])]
    after.unplug()
    gateway.restart()
    eventually("it is at one of them", lambda: gateway.links() == ["live", "lost"])
    shown = met(chromium, gateway)
    page = shown.page
    answer(page)
    page.get_by_role("button", name="Set it up").click()
    expect(page.locator(".steps .good").first).to_have_text(re.compile("Written"))
    before.unplug()
    expect(page.locator(".word")).to_have_text("The radio restarts")
    after.plug()
    expect(page.get_by_text("The radio is set up.")).to_be_visible(timeout=90000)
    assert len(changes(shown)) == 1
    lora = gateway.get(f"/api/v1/sources/{gateway.source()}/radio/settings?section=lora")["data"]["settings"]
    assert {row["path"]: row["value"] for row in lora}["lora.region"] == "EU_868"
    page.get_by_role("link", name="To the chat").click()
    shown.write("from the other port")
    expect(page.locator("article")).to_contain_text("from the other port")
    shown.check()


def test_what_another_tab_has_set_is_shown_before_it_is_written_over(chromium):
    gateway = new_radio()
    first = met(chromium, gateway)
    token = first.page.evaluate("() => sessionStorage.getItem('/token')")
    second = Shown(chromium, gateway, beside=first)
    second.expected.append("Failed to load resource: the server responded with a status of 409")
    second.sign_in(token)
    second.go("setup")
    answer(second.page, name="Second", region="EU_433")
    answer(first.page, name="First")
    set_it_up(first.page)
    second.page.get_by_role("button", name="Set it up").click()
    expect(second.page.get_by_role("alert")).to_contain_text("another value than the one that was seen")
    assert setting(gateway, "owner.long_name") == "First"
    # What it has now is shown before it is written over.
    again = second.page.get_by_role("button", name="Try this again")
    again.click()
    expect(second.page.get_by_text("Region: the radio has EU_868.")).to_be_visible()
    expect(second.page.get_by_text("Long name: the radio has First.")).to_be_visible()
    expect(again).to_be_focused()
    second.axe("what somebody else has set")
    assert setting(gateway, "owner.long_name") == "First" and len(changes(second)) == 1
    again.click()
    expect(second.page.get_by_text("The radio is set up.")).to_be_visible(timeout=90000)
    assert setting(gateway, "owner.long_name") == "Second" and setting(gateway, "lora.region") == "EU_433"
    first.check()
    second.check()


def test_without_names_of_countries_their_codes_are_shown(chromium):
    gateway = new_radio()
    shown = Shown(chromium, gateway, timezone_id="Europe/Vienna")
    shown.page.add_init_script("delete Intl.DisplayNames;")
    shown.sign_in()
    country = shown.page.get_by_label("Country")
    expect(country).to_have_value("AT")
    assert country.evaluate("one => one.selectedOptions[0].text") == "AT"
    shown.check()


def test_a_set_up_that_cannot_be_fetched_is_tried_again(chromium):
    gateway = new_radio()
    shown = Shown(chromium, gateway)
    page = shown.page
    page.route("**/annex/setup*", lambda route: route.abort())
    shown.sign_in()
    expect(page.get_by_role("heading", name="Set up this radio")).to_be_visible()
    expect(page.get_by_text("It did not answer.")).to_be_visible()
    page.unroute("**/annex/setup*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_label("Long name")).to_be_visible()
    shown.check()


def test_a_phone_is_added_and_signed_in_by_its_link(chromium):
    gateway = Gateway(["--silent", "--nodes", "0"])
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 409")
    page = shown.sign_in().page
    shown.go("more")
    dialog = page.get_by_role("dialog")

    def add(name):
        page.get_by_role("button", name="Add your phone").click()
        dialog.get_by_label("Name of the token").fill(name)
        dialog.get_by_role("button", name="Make the code").click()

    add("phone")
    link = read_code(dialog.get_by_role("img", name="Code that signs the phone in"))
    assert link == dialog.get_by_label("Link").input_value()
    shown.axe("a phone's code")
    page.keyboard.press("Escape")
    # A name is given once.
    add("phone")
    expect(dialog.get_by_role("alert").locator("p")).to_be_visible()
    shown.axe("a name that is taken")
    expect(dialog.get_by_label("Name of the token")).to_have_value("phone 2")
    # Without an answer nobody knows whether there is one more.
    page.route("**/api/v1/tokens", lambda route: route.abort())
    dialog.get_by_role("button", name="Make the code").click()
    expect(dialog.get_by_text("It may have been made all the same")).to_be_visible()
    expect(dialog.get_by_label("Command to type")).to_have_value("mesh-gateway token revoke 'phone 2'")
    shown.axe("a phone's code that is lost")
    page.unroute("**/api/v1/tokens")
    expect(dialog.get_by_label("Name of the token")).to_have_value("phone 3")
    dialog.get_by_role("button", name="Make the code").click()
    expect(dialog.get_by_role("img", name="Code that signs the phone in")).to_be_visible()
    page.keyboard.press("Escape")
    phone = Shown(chromium, gateway, viewport=PHONE)
    phone.page.goto(link)
    phone.page.get_by_role("button", name="Sign in").click()
    expect(phone.page.get_by_role("heading", name="Chats")).to_be_visible()
    phone.go("more")
    expect(phone.page.get_by_role("heading", name="Your token")).to_be_visible()
    expect(phone.page.get_by_role("button", name="Add your phone")).to_have_count(0)
    shown.check()
    phone.check()


def test_the_table_of_countries_is_that_of_tzdata(_):
    loader = importlib.machinery.SourceFileLoader("countries", str(GENERATOR))
    generator = importlib.util.module_from_spec(importlib.util.spec_from_loader("countries", loader))
    loader.exec_module(generator)
    zones = generator.countries_of_zones(pathlib.Path("/usr/share/zoneinfo"))
    script = generator.OUTPUT.read_text()
    table = {}
    for area, words in re.findall(r'^\t"?([A-Za-z]*)"?: "([a-z].*)",$', script, re.MULTILINE):
        country = None
        for word in words.split():
            if re.fullmatch("[a-z]{2}", word):
                country = word.upper()
            else:
                table[f"{area}/{word}".removeprefix("/")] = country
    shared = table.keys() & zones.keys()
    assert len(shared) > 500, "the machine's tzdata has the same zones, but for a few"
    assert not {zone: (table[zone], zones[zone]) for zone in shared if table[zone] != zones[zone]}
    # What Chromium says, and the older name that it has for the same place.
    assert table["Asia/Calcutta"] == table["Asia/Kolkata"] == "IN" and table["Europe/Kiev"] == "UA" and "UTC" not in table
    packed = subprocess.run(["gzip", "-9"], input=script[script.index("const zones"):script.index("/** Countries")].encode(), stdout=subprocess.PIPE, check=True)
    assert len(packed.stdout) <= 4096, f"the zones have {len(packed.stdout)} bytes packed"
