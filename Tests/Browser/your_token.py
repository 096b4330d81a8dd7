"""What a token may do and what not: explained, and where it begins."""

from served import Gateway
from shown import PHONE, Shown, expect
from told import near


def test_what_a_token_may_not_do_is_explained_with_the_line_to_type(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway, viewport=PHONE)
    page = shown.sign_in(gateway.make_token("anna's phone", "read", "send")).page
    shown.go("more")
    card = page.locator("section.card").filter(has=page.get_by_role("heading", name="Your token"))
    may, may_not = card.locator(".plainlist").nth(0), card.locator(".plainlist").nth(1)
    expect(may).to_contain_text("Send and delete messages, share waypoints messages:write")
    row = may_not.locator("li").filter(has_text="nodes:write")
    expect(row).to_contain_text("Star, ignore, name and delete nodes")
    row.locator("summary").click()
    expect(row.get_by_label("Command to type")).to_have_value("mesh-gateway token allow 'anna'\\''s phone' nodes:write")
    shown.axe("your token")
    # It counts from the next request on.
    name = near(gateway)
    shown.go("n", name)
    expect(page.locator("dl.table").first).to_be_visible()
    expect(page.get_by_role("button", name="Favourite", exact=True)).to_have_count(0)
    gateway.command("token", "allow", "anna's phone", "nodes:write")
    shown.go("more")
    page.get_by_role("button", name="Look again").click()
    expect(may).to_contain_text("nodes:write")
    expect(may_not).not_to_contain_text("nodes:write")
    shown.go("n", name)
    page.get_by_role("button", name="Favourite", exact=True).click()
    expect(page.get_by_role("button", name="Favourite", exact=True)).to_have_attribute("aria-pressed", "true")
    shown.check()


def test_a_token_of_some_channels_is_told_of_which(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("guest", "messages:read", "channel_0:read", "channel_2:read")).page
    shown.go("more")
    expect(page.locator("li").filter(has_text="channels:read")).to_contain_text("Read what is written on channels (Channel 0, Channel 2)")
    shown.check()


def test_a_token_without_messages_begins_with_what_it_may_see(chromium):
    gateway = Gateway(["--silent"])
    starts = {
        ("nodes:read", "channels:viewOnMap"): "Nodes", ("info:read", "nodes:read"): "My radio", ("packetmonitor:read", "channels:read"): "Packets",
        ("configuration:read", "nodes:read"): "Notifications: Rules", ("traceroute:read", "nodes:read"): "More", ("read",): "Chats",
    }
    for number, (scopes, heading) in enumerate(starts.items()):
        shown = Shown(chromium, gateway)
        page = shown.sign_in(gateway.make_token(f"token{number}", *scopes)).page
        expect(page.locator("main").get_by_role("heading", name=heading, exact=True).first).to_be_visible()
        expect(page.get_by_text("it lacks")).to_have_count(0)
        # A reload begins there, too; and who asks for something else is told what is missing.
        page.reload()
        expect(page.locator("main").get_by_role("heading", name=heading, exact=True).first).to_be_visible()
        if heading != "Chats":
            shown.go("")
            expect(page.get_by_text("it lacks messages:read.")).to_be_visible()
        shown.check()
        shown.close()


def test_more_lists_no_view_that_is_closed(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("little", "messages:read", "channels:read", "nodes:read")).page
    shown.go("more")
    expect(page.get_by_role("heading", name="Your token")).to_be_visible()
    for link in page.locator("nav .item").all():
        link.click()
        expect(page.locator("main h1")).to_be_visible()
        expect(page.get_by_text("it lacks")).to_have_count(0)
        page.go_back()
    for name in ("Links", "Packets", "My radio", "Rules", "Brokers"):
        expect(page.locator("nav .item").filter(has_text=name)).to_have_count(0)
    # Nobody has told it what the radio is called: it is not called "Default".
    expect(page.locator("#top .who")).to_have_text("")
    shown.check()
