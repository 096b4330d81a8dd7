"""My radio: a page of sentences, each of which can be changed, and what becomes of a change."""

import json
import os
import pathlib
import re
import socket
import subprocess

from served import Gateway, eventually
from shown import PHONE, Shown, expect, too_wide

TESTS = pathlib.Path(__file__).parent.parent
# Of the official package, which the browser's Python does not have.
LIBRARY = os.environ.get("MESH_GATEWAY_TEST_PYTHON", str(TESTS.parent / ".build/test-python/bin/python"))
SECTIONS = ["Name", "Region and modem", "What it is for", "Place", "Channels", "Bluetooth", "Screen", "Network"]


def my_radio(chromium, gateway, token=None, **options):
    shown = Shown(chromium, gateway, **options)
    shown.sign_in(token)
    shown.go("radio")
    expect(shown.page.get_by_role("heading", name="Network", exact=True)).to_be_visible()
    return shown


def open_section(page, name):
    page.get_by_role("button", name=f"Change: {name}", exact=True).click()


def any_setting(page, path):
    """The field of a setting, found by its path in all settings."""
    page.get_by_label("Search settings").fill(path)
    return page.locator("li").filter(has=page.locator("code", has_text=re.compile(f"^{re.escape(path)}$"))).locator("input, select, textarea")


def apply(page, *more):
    page.locator(".bar").get_by_role("button", name="Apply").click()
    for name in ("Apply", *more):
        page.locator("dialog").get_by_role("button", name=name, exact=True).click()


def settings(gateway):
    return {row["path"]: row for row in eventually("the settings are read", lambda: gateway.get("/api/v1/radio/settings"))["data"]["settings"]}


def back(gateway):
    eventually("the radio is live", lambda: gateway.links() == ["live"])


def shared_gateway():
    """A gateway, and the port at which its radio is shared."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return Gateway(["--silent"], environment={"MESH_GATEWAY_SHARE": f"127.0.0.1:{port}/admin"}), port


def test_every_sentence_opens_its_fields(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway, viewport=PHONE)
    page = shown.page
    cards = page.locator("section.card").filter(has=page.get_by_role("button", name="Change: "))
    expect(cards.locator("h2")).to_have_text(SECTIONS)
    expect(cards.first).to_contain_text("Others see it as Simulated radio")
    expect(page.locator("main")).to_contain_text("It is in the region EU_868 and sends as Long fast, over 3 hops at most.")
    for name in SECTIONS:
        open_section(page, name)
    for card in cards.all():
        assert card.locator(".setting, a.button").count() in range(3, 7), card.text_content()
    # The region's presets, and those roles that people need.
    expect(page.get_by_label("Preset")).to_contain_text("Narrow slow")
    expect(page.get_by_label("Preset")).not_to_contain_text("Turbo")
    assert page.get_by_label("Role").locator("option").count() == 5
    assert not too_wide(page), too_wide(page)
    shown.axe("my radio with every section opened")
    page.locator("details").filter(has_text="Lora (").locator("summary").click()
    expect(page.locator("code", has_text=re.compile("^lora.sx126x_rx_boosted_gain$"))).to_be_visible()
    any_setting(page, "lora.spread_factor")
    shown.axe("a setting that was searched for")
    assert not too_wide(page), too_wide(page)
    # By what it is for, too.
    page.get_by_label("Search settings").fill("broker by itself")
    expect(page.locator("li code", has_text="mqtt.enabled")).to_be_visible()
    page.get_by_label("Search settings").fill("no such thing")
    expect(page.locator("main")).to_contain_text("Nothing found.")
    shown.check()


def test_older_firmware_is_offered_what_it_knows(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.page

    def age(route):
        answer = route.fetch()
        return route.fulfill(response=answer, body=answer.text().replace('"firmware":"2.8', '"firmware":"2.6.9'))

    page.route("**/radio/settings", age)
    shown.sign_in()
    shown.go("radio")
    open_section(page, "Name")
    expect(page.get_by_text(re.compile("of 39 bytes"))).to_be_visible()
    open_section(page, "What it is for")
    # Since 2.5.20 there is ROUTER_LATE, since 2.7.15 CLIENT_BASE.
    values = page.get_by_label("Role").locator("option").evaluate_all("all => all.map((one) => one.value)")
    assert values == ["ROUTER_LATE", "CLIENT", "TRACKER", "CLIENT_MUTE"], values
    page.get_by_label("Search settings").fill("mesh_beacon.flags")
    expect(page.locator("main")).to_contain_text("Nothing found.")
    shown.check()


def test_a_field_of_each_type_is_changed_read_back_by_the_library_and_put_back(chromium):
    gateway, port = shared_gateway()
    before = settings(gateway)
    shown = my_radio(chromium, gateway)
    page = shown.page
    open_section(page, "Region and modem")
    page.get_by_label("Hops at most").fill("5")
    open_section(page, "What it is for")
    page.get_by_label("Role").select_option("CLIENT_MUTE")
    open_section(page, "Screen")
    page.get_by_label("12-hour clock").check()
    open_section(page, "Network")
    page.get_by_label("Time server").fill("zeit.example.org")
    page.get_by_label("Password of the network").fill("not to be seen")
    any_setting(page, "power.adc_multiplier_override").fill("1.5")
    any_setting(page, "network.ipv4_config.ip").fill("192.168.1.20")
    any_setting(page, "lora.ignore_incoming").fill("305419896\n7")
    any_setting(page, "security.admin_key").fill("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    expect(page.locator(".bar")).to_contain_text("9 changes, restarts once")
    page.locator(".bar").get_by_role("button", name="Apply").click()
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("Hops at most: 3 → 5")
    expect(dialog).to_contain_text("Password of the network: a secret of 23 bytes → a secret of 14 bytes")
    expect(dialog.locator(".costs")).to_contain_text("takes airtime from everybody")
    expect(dialog.locator(".costs")).to_contain_text("Whoever has the private key to an admin key can change this radio")
    shown.axe("a preview")
    dialog.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it, and restarts.")
    expect(page.locator(".bar")).to_be_hidden()
    back(gateway)
    wanted = {
        "lora.hop_limit": 5, "device.role": 1, "display.use_12h_clock": True, "network.ntp_server": "zeit.example.org",
        "power.adc_multiplier_override": 1.5, "network.ipv4_config.ip": 0x1401A8C0, "lora.ignore_incoming": [305419896, 7],
        "security.admin_key": [bytes(range(32)).hex()],
    }  # fmt: skip
    read = subprocess.run([LIBRARY, TESTS / "OfficialCLI/values.py", str(port), *wanted], check=True, capture_output=True, text=True)
    assert json.loads(read.stdout.splitlines()[-1]) == wanted, read.stdout
    assert settings(gateway)["network.wifi_psk"]["secretBytes"] == 14
    # It is known in this browser, after a reload, too.
    page.reload()
    expect(page.get_by_text("Secrets cannot be put back")).to_contain_text("Password of the network")
    page.get_by_role("button", name="Put back").click()
    expect(page.locator(".bar")).to_contain_text("8 changes, restarts once")
    apply(page)
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it")
    back(gateway)
    after = settings(gateway)
    for path in wanted:
        assert after[path]["value"] == before[path]["value"], path
    expect(page.get_by_role("button", name="Put back")).to_have_count(0)
    shown.check()


def test_what_was_changed_is_forgotten_with_the_token_and_after_a_day(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    page = shown.page

    def change(seconds):
        open_section(page, "Screen")
        page.get_by_label("Dark after").fill(seconds)
        apply(page)
        expect(page.get_by_role("button", name="Put back")).to_be_visible()

    def kept():
        return page.evaluate("() => [sessionStorage.getItem('/former'), localStorage.getItem('/former')]")

    change("4294967295")
    expect(page.locator("main")).to_contain_text("It stays on.")
    # A token of this tab: nothing of it stays on the device.
    assert "display.screen_on_secs" in kept()[0] and kept()[1] is None, kept()
    page.evaluate("() => sessionStorage.setItem('/former', sessionStorage.getItem('/former').replace(/\"since\":/, '\"since\":1e3,\"then\":'))")
    page.reload()
    expect(page.get_by_role("heading", name="Network", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Put back")).to_have_count(0)
    assert kept() == ["[]", None], kept()
    change("300")
    page.evaluate("() => signOut()")
    assert kept() == [None, None], kept()
    shown.check()


def test_a_change_by_keyboard_alone(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    page = shown.page

    def tab_to(name, most=60):
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate("() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent") == name:
                return
        raise AssertionError(f"Tab does not lead to {name}")

    tab_to("Change: Name")
    page.keyboard.press("Enter")
    tab_to("Short name")
    page.keyboard.press("Control+A")
    page.keyboard.type("HUT")
    # As in any form; but not while the radio is away.
    gateway.radios[0].unplug()
    expect(page.locator(".bar").get_by_role("button", name="Apply")).to_be_disabled()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)
    gateway.radios[0].plug()
    expect(page.locator(".bar").get_by_role("button", name="Apply")).to_be_enabled()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_contain_text("Short name: SIM → HUT")
    tab_to("Apply")
    page.keyboard.press("Enter")
    eventually("the radio has it", lambda: settings(gateway)["owner.short_name"]["value"] == "HUT")
    expect(page.get_by_label("Short name")).to_be_focused()
    # Where the button is gone, the heading is where one goes on.
    page.keyboard.press("Control+A")
    page.keyboard.type("SIM")
    page.locator(".bar").get_by_role("button", name="Apply").focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_contain_text("Short name: HUT → SIM")
    tab_to("Apply")
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_be_focused()
    shown.check()


def test_what_is_undone_is_not_written_and_what_cannot_be_right_is_no_change(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    page = shown.page
    open_section(page, "Region and modem")
    hops = page.get_by_label("Hops at most")
    hops.fill("5")
    expect(page.locator(".bar")).to_contain_text("1 change, no restart")
    hops.fill("9")
    expect(page.locator(".bar")).to_be_hidden()
    expect(page.locator(".setting").filter(has=hops).locator(".bad")).to_contain_text("7")
    hops.fill("4")
    # What somebody wants is still there after a look at something else.
    shown.go("more")
    expect(page.get_by_role("heading", name="Appearance")).to_be_visible()
    shown.go("radio")
    expect(page.locator(".bar")).to_contain_text("1 change")
    page.locator(".bar").get_by_role("button", name="Undo").click()
    expect(page.locator(".bar")).to_be_hidden()
    expect(page.locator("main h1")).to_be_focused()
    open_section(page, "Region and modem")
    expect(hops).to_have_value("3")
    # A region that forbids the preset brings its own.
    page.get_by_label("Region", exact=True).select_option("ITU1_2M")
    expect(page.get_by_label("Preset")).to_have_value("TINY_FAST")
    expect(page.locator(".bar")).to_contain_text("2 changes")
    page.locator(".bar").get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Preset")).to_have_value("LONG_FAST")
    assert not any(request.method == "PATCH" for request in shown.requests)
    shown.check()


def test_what_silences_a_radio_is_asked_once_more(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    page = shown.page
    open_section(page, "Region and modem")
    page.get_by_label("Transmitter").uncheck()
    apply(page)
    expect(page.locator("dialog")).to_contain_text("To others it looks switched off.")
    assert settings(gateway)["lora.tx_enabled"]["value"] is True
    page.locator("dialog").get_by_role("button", name="Apply all the same").click()
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it.")
    assert settings(gateway)["lora.tx_enabled"]["value"] is False
    any_setting(page, "security.is_managed").check()
    apply(page)
    expect(page.locator("dialog")).to_contain_text("Without the key of a remote administrator nobody can undo this.")
    shown.check()


def test_what_the_radio_has_not_taken_is_said_row_by_row(chromium):
    gateway = Gateway(["--silent"])
    before = settings(gateway)["owner.long_name"]["value"]
    shown = my_radio(chromium, gateway)
    page = shown.page
    open_section(page, "Name")
    page.get_by_label("Short name").fill("CUT")
    # Firmware 2.8 says yes and keeps 24 bytes: the form takes no more, all settings do.
    long = "A name of more than twenty-four bytes"
    page.get_by_label("Long name").fill(long)
    expect(page.locator(".setting .bad").first).to_be_visible()
    expect(page.locator(".bar")).to_contain_text("1 change")
    any_setting(page, "owner.long_name").fill(long)
    apply(page)
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("The radio has not taken all of it.")
    expect(dialog.locator("span.bad")).to_have_text("not taken: the radio has A name of more than twen")
    expect(dialog.locator("span.good")).to_have_count(1)
    shown.axe("what was not taken")
    page.keyboard.press("Escape")
    expect(page.locator(".bar")).to_contain_text("1 change")
    # What it was can be put back, and what the radio has by now is what the next change stands on.
    expect(page.get_by_text("Changed here in the last day")).to_contain_text("Long name")
    any_setting(page, "owner.long_name").fill("Hut")
    apply(page)
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it, and restarts.")
    back(gateway)
    page.get_by_role("button", name="Put back").click()
    apply(page)
    eventually("it is as it was", lambda: settings(gateway)["owner.long_name"]["value"] == before)
    back(gateway)
    # What cannot be right is refused before anything is written.
    open_section(page, "Bluetooth")
    page.get_by_label("PIN", exact=True).fill("12345")
    page.locator(".bar").get_by_role("button", name="Apply").click()
    expect(dialog.locator("li.bad")).to_contain_text("six digits")
    expect(dialog.get_by_role("button", name="Apply", exact=True)).to_have_count(0)
    shown.expected.append("Failed to load resource: the server responded with a status of 400")
    shown.check()


def test_a_lost_answer_is_read_again_before_anything_is_said(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 504")
    page = shown.page
    lost = []

    def lose(route):
        if route.request.method == "PATCH" and "preview" not in route.request.post_data:
            lost.append(route.fetch())
            return route.fulfill(status=504, json={"success": False, "error": "Gateway Timeout", "message": "The radio has not answered"})
        return route.continue_()

    page.route("**/radio/settings", lose)
    open_section(page, "Screen")
    page.get_by_label("Dark after").fill("300")
    apply(page)
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it")
    assert len(lost) == 1, "it was written twice"
    back(gateway)
    # Lost before it was written.
    page.unroute("**/radio/settings")
    page.route("**/radio/settings", lambda route: route.continue_() if "preview" in (route.request.post_data or "preview") else route.abort())
    page.get_by_label("Dark after").fill("200")
    apply(page)
    expect(page.locator("dialog")).to_contain_text("not taken: the radio has 300")
    page.keyboard.press("Escape")
    page.locator(".bar").get_by_role("button", name="Undo").click()
    # Nobody can say whether a secret was taken.
    open_section(page, "Network")
    page.get_by_label("Password of the network").fill("not to be seen")
    apply(page)
    expect(page.locator("dialog")).to_contain_text("The answer was lost, and secrets cannot be read back")
    expect(page.locator("dialog li")).to_contain_text("a secret cannot be read back")
    expect(page.locator("dialog").get_by_role("button", name="Try again")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".bar")).to_be_hidden()
    shown.check()


def test_two_tabs_do_not_write_over_each_other(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    other = my_radio(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 409")
    for one, hops in ((shown, "5"), (other, "6")):
        open_section(one.page, "Region and modem")
        one.page.get_by_label("Hops at most").fill(hops)
    apply(other.page)
    expect(other.page.locator("#toasts")).to_contain_text("The radio has taken it.")
    page = shown.page
    page.locator(".bar").get_by_role("button", name="Apply").click()
    expect(page.locator("dialog")).to_contain_text("Somebody has changed it meanwhile.")
    assert settings(gateway)["lora.hop_limit"]["value"] == 6
    page.locator("dialog").get_by_role("button", name="Try again").click()
    expect(page.locator("dialog")).to_contain_text("Hops at most: 6 → 5")
    page.locator("dialog").get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it.")
    assert settings(gateway)["lora.hop_limit"]["value"] == 5
    shown.check()


def test_nothing_is_written_while_a_program_at_the_shared_port_holds_an_edit(chromium):
    gateway, port = shared_gateway()

    def takes_changes():
        try:
            return gateway.command("radio", "config", "set", "lora.hop_limit=3", "--yes")
        except subprocess.CalledProcessError:
            return False

    shown = my_radio(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 409")
    page = shown.page
    open_section(page, "Region and modem")
    page.get_by_label("Hops at most").fill("5")
    page.locator(".bar").get_by_role("button", name="Apply").click()
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("Hops at most: 3 → 5")
    with subprocess.Popen([LIBRARY, TESTS / "OfficialCLI/held-edit.py", str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "begun\n"
        eventually("it has begun", lambda: not takes_changes())
        dialog.get_by_role("button", name="Apply", exact=True).click()
        expect(dialog).to_contain_text(re.compile(r"a program at a shared port \(127\.0\.0\.1.*\) is changing settings .* nothing was written"))
        shown.axe("an edit at the shared port")
        assert settings(gateway)["lora.hop_limit"]["value"] == 3
        program.stdin.close()
        assert program.wait() == 0
    eventually("it has ended", lambda: takes_changes())
    dialog.get_by_role("button", name="Try again").click()
    expect(dialog).to_contain_text("Hops at most: 3 → 5")
    dialog.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it.")
    assert settings(gateway)["lora.hop_limit"]["value"] == 5
    shown.check()


def test_values_are_shown_and_no_field_without_the_right(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway, gateway.make_token("looker", "read", "configuration:read"))
    page = shown.page
    expect(page.locator("main")).to_contain_text("sends as Long fast, over 3 hops at most.")
    expect(page.get_by_role("button", name="Change")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("it lacks configuration:write")
    expect(page.locator("textarea.code").first).to_have_value("mesh-gateway token allow looker configuration:write")
    page.get_by_label("Search settings").fill("hop_limit")
    expect(page.locator(".setting")).to_contain_text("Hops at most: 3")
    expect(page.locator(".setting").locator("input, select, textarea")).to_have_count(0)
    shown.axe("my radio without the right")
    gateway.command("token", "allow", "looker", "configuration:write")
    page.get_by_role("button", name="Look again").click()
    open_section(page, "Name")
    expect(page.get_by_label("Long name")).to_be_visible()
    shown.check()
    # A token that may not see them either is told which scope shows them, and none of them.
    blind = Shown(chromium, gateway)
    page = blind.sign_in(gateway.make_token("blind", "info:read", "nodes:read")).page
    blind.go("radio")
    expect(page.locator("main")).to_contain_text("This token may not see the radio's settings (configuration:read).")
    expect(page.get_by_role("heading", name="All settings")).to_have_count(0)
    assert not any("radio/settings" in request.url for request in blind.requests)
    blind.check()


def test_a_right_that_ends_while_the_form_is_open(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 40")
    page = shown.page
    open_section(page, "Region and modem")
    page.get_by_label("Hops at most").fill("5")
    # As for a token that may less from now on.
    less = gateway.make_token("less", "read", "configuration:read")
    page.evaluate("token => { session.token = token; session.name = 'less'; }", less)
    page.locator(".bar").get_by_role("button", name="Apply").click()
    expect(page.locator("dialog")).to_contain_text("it lacks configuration:write")
    expect(page.locator("dialog textarea.code")).to_have_value("mesh-gateway token allow less configuration:write")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Hops at most")).to_have_value("5")
    # And of one that is revoked.
    page.evaluate("token => { session.token = token; }", gateway.token)
    gateway.command("token", "revoke", "test")
    page.locator(".bar").get_by_role("button", name="Apply").click()
    expect(page.get_by_text("This token is not valid, or no longer.")).to_be_visible()
    shown.check()


def test_a_radio_that_is_away_is_asked_when_it_is_back(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    page = shown.page
    open_section(page, "Region and modem")
    page.get_by_label("Hops at most").fill("5")
    gateway.radios[0].unplug()
    expect(page.locator(".bar")).to_contain_text("1 change, Radio away since")
    expect(page.locator(".bar").get_by_role("button", name="Apply")).to_be_disabled()
    shown.go("more")
    shown.go("radio")
    expect(page.locator("section.card").filter(has_text="Radio away since")).to_be_visible()
    gateway.radios[0].plug()
    expect(page.get_by_role("heading", name="Network", exact=True)).to_be_visible()
    apply(page)
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it.")
    shown.check()


def test_it_is_told_where_it_is(chromium):
    gateway = Gateway(["--silent"])
    shown = my_radio(chromium, gateway)
    page = shown.page
    open_section(page, "Place")
    page.get_by_label("Latitude").fill("46.5")
    page.get_by_label("Longitude").fill("7.25")
    page.get_by_label("Altitude (m)").fill("800")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("It stays at a place that was set by hand.")
    assert settings(gateway)["position.fixed_position"]["value"] is True
    page.get_by_role("button", name="Forget the place").click()
    expect(page.locator("main")).to_contain_text("It tells where it is by GPS")
    shown.check()
