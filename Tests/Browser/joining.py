"""Channels, where they are used: a chat's menu leads to name, key, code and leaving, and a link adds or replaces some."""

import base64

from served import Gateway, eventually
from shown import PHONE, Shown, expect, read_code, too_wide

EU_868, US = 3, 1


def block(number, content):
    """A field of a message in the protocol's encoding; nothing here is as long as 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def link(names, region=None):
    """A link of channels, with their LoRa settings when a region is given."""
    content = b"".join(block(1, block(2, name.encode().ljust(16, b".")) + block(3, name.encode())) for name in names)
    if region is not None:
        # use_preset, region, hop_limit, tx_enabled
        content += block(2, bytes([1 << 3, 1, 7 << 3, region, 8 << 3, 3, 9 << 3, 1]))
    return "https://meshtastic.org/e/#" + base64.urlsafe_b64encode(content).decode().rstrip("=")


def channels(gateway):
    return [row for row in gateway.get("/api/v1/channels")["data"] if row["role"] > 0]


def names(gateway):
    return [row["name"] for row in channels(gateway)]


def region(gateway):
    rows = eventually("the settings are read", lambda: gateway.get("/api/v1/radio/settings?section=lora"))["data"]["settings"]
    return next(row["value"] for row in rows if row["path"] == "lora.region")


def apply(page):
    page.locator("dialog").get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("The radio has taken it")


def test_a_chat_leads_to_its_channel(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway, viewport=PHONE)
    page = shown.sign_in().page
    shown.open_chat("Hikers")
    page.get_by_role("button", name="Options of this chat").click()
    page.get_by_role("menuitem", name="Name, key, share, leave").click()
    expect(page.get_by_role("heading", name="Hikers")).to_be_visible()
    key = channels(gateway)[1]["psk"]
    # Its code holds this channel and no other.
    page.get_by_role("button", name="Show it").click()
    url = read_code(page.locator("img.qr"))
    assert url == page.get_by_label("Link", exact=True).input_value()
    assert url.startswith("https://meshtastic.org/e/?add=true#"), url
    shared = base64.urlsafe_b64decode(url.split("#")[1] + "==")
    assert base64.b64decode(key) in shared and b"Rescue" not in shared, shared
    expect(page.locator("main")).to_contain_text("Anyone with the code or the link can read and write on this channel")
    assert not too_wide(page), too_wide(page)
    shown.axe("a channel")
    page.get_by_label("Name").fill("Club")
    page.get_by_label("Key", exact=True).select_option("A new one")
    page.locator("form").get_by_role("button", name="Apply").click()
    expect(page.locator("dialog")).to_contain_text("Hikers, own key of 128 bits")
    expect(page.locator("dialog")).to_contain_text("Club, own key of 256 bits")
    expect(page.locator("dialog .costs")).to_contain_text("Messages that are stored here stay under the number of their slot")
    apply(page)
    expect(page.get_by_role("heading", name="Club")).to_be_visible()
    assert names(gateway) == ["LongFast", "Club", "Rescue"] and channels(gateway)[1]["psk"] != key
    page.locator("button.danger").click()
    expect(page.locator("dialog")).to_contain_text("The radio forgets the key.")
    apply(page)
    eventually("it is left", lambda: names(gateway) == ["LongFast", "Rescue"])
    expect(page.get_by_role("heading", name="Chats")).to_be_visible()
    shown.check()


def test_a_channel_is_made_and_the_primary_one_stays(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("radio")
    page.get_by_role("button", name="Change: Channels").click()
    page.get_by_role("link", name="New channel").click()
    page.get_by_label("Name").fill("Family")
    page.locator("form").get_by_role("button", name="Apply").click()
    apply(page)
    eventually("it is there", lambda: names(gateway) == ["LongFast", "Hikers", "Rescue", "Family"])
    assert channels(gateway)[3]["encryptionStatus"] == "secure"
    shown.go("channel", "0")
    expect(page.locator("main")).to_contain_text("A radio without a primary channel hears nobody")
    expect(page.locator("button.danger")).to_have_count(0)
    # A key of one's own that is none is refused before anything is written.
    page.get_by_label("Key", exact=True).select_option("One that I have")
    page.get_by_label("Key in base64").fill("short")
    page.locator("form").get_by_role("button", name="Apply").click()
    expect(page.locator("dialog")).to_contain_text("psk is none, public, new, or 1, 16 or 32 bytes in base64")
    shown.expected.append("Failed to load resource: the server responded with a status of 400")
    shown.check()


def test_a_link_adds_channels_or_replaces_them(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway, viewport=PHONE)
    shown.expected.append("Failed to load resource: the server responded with a status of 4")
    page = shown.sign_in().page
    page.get_by_role("link", name="New message").click()
    page.get_by_role("link", name="Join a channel").click()
    field, dialog = page.get_by_label("Link with channels"), page.locator("dialog")
    shown.axe("joining a channel")
    assert not too_wide(page), too_wide(page)

    def take(text, action):
        field.fill(text)
        page.get_by_role("button", name=action, exact=True).click()

    for text, why in (
        ("hello", "no link with channels"), ("https://example.org/e/#CgMSAQE", "no link with channels"),
        (link(["Club"])[:-3], "not whole"), (link([], EU_868), "not whole"), (link([f"C{n}" for n in range(8)]), "8 channels are to be added and 5"),
    ):
        take(text, "Add")
        expect(dialog).to_contain_text(why)
        expect(dialog.get_by_role("button", name="Apply", exact=True)).to_have_count(0)
        page.keyboard.press("Escape")
    assert names(gateway) == ["LongFast", "Hikers", "Rescue"]
    # Adding never touches LoRa, and says that nobody will be heard.
    take(link(["Club"], US), "Add")
    expect(dialog).to_contain_text("Region: the link has US, this radio EU_868.")
    apply(page)
    eventually("it is there", lambda: names(gateway) == ["LongFast", "Hikers", "Rescue", "Club"])
    assert region(gateway) == "EU_868"
    shown.go("join")
    # What replacing would be refused for is no error of adding.
    page.route("**/channels/import", lambda route: route.fulfill(status=400, json={"message": "unknown"}) if '"replace":true' in route.request.post_data else route.continue_())
    take(link(["Rest"], US), "Add")
    expect(dialog).to_contain_text("Channel 4: – → Rest")
    expect(dialog).not_to_contain_text("unknown")
    page.unroute("**/channels/import")
    page.keyboard.press("Escape")
    take(link(["Club"], US), "Add")
    expect(dialog).to_contain_text("Nothing would change")
    page.keyboard.press("Escape")
    take(link([f"C{n}" for n in range(8)], US), "Replace")
    expect(dialog).to_contain_text("Region: EU_868 → US")
    expect(dialog.locator(".costs")).to_contain_text("other regions' nodes are not heard")
    apply(page)
    eventually("they are replaced", lambda: names(gateway) == [f"C{n}" for n in range(8)])
    assert region(gateway) == "US"
    shown.check()


def test_without_the_right_it_says_what_is_missing(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("reader", "read")).page
    for path in (["join"], ["channel", "1"]):
        shown.go(*path)
        expect(page.locator("main")).to_contain_text("it lacks configuration:write")
        expect(page.locator("main textarea.code")).to_have_value("mesh-gateway token allow reader configuration:write")
        expect(page.locator("main form")).to_have_count(0)
    shown.check()


def test_joining_is_tried_again_when_its_script_cannot_be_fetched(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    page.route("**/annex/settings.*", lambda route: route.abort())
    shown.go("join")
    expect(page.locator("main h1")).to_have_text("Join a channel")
    expect(page.locator("main").get_by_role("alert")).to_contain_text("It did not answer.")
    page.unroute("**/annex/settings.*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_label("Link with channels")).to_be_visible()
    shown.check()
