"""The page of the API's documentation: finding a route, and using it elsewhere."""

import json
import re
import subprocess

from served import Gateway, eventually
from shown import Shown, expect


def documentation(chromium, gateway, **options):
    shown = Shown(chromium, gateway, **options)
    shown.page.goto(f"{gateway.url}api/v1/docs")
    eventually("the document is there", lambda: shown.page.locator("details.operation").count() > 50)
    return shown, shown.page


def test_the_documentation_finds_the_right_route_first(chromium):
    shown, page = documentation(chromium, Gateway(["--silent"]))
    first = {"reply": "sendMessage", "tapback": "sendMessage", "reaction": "sendMessage", "DM": "sendMessage", "unread": "conversations",
             "bearer": "me", "token": "me", "replyId": "sendMessage"}
    for word, name in first.items():
        page.get_by_label("Find").fill(word)
        expect(page.locator("details.operation:visible").first, word).to_have_id(name)
    # All words have to be found, also in the texts of parameters and bodies.
    page.get_by_label("Find").fill("emoji which is a reaction")
    expect(page.locator("details.operation:visible").first).to_have_id("sendMessage")
    page.get_by_label("Find").fill("nosuchwordatall")
    expect(page.locator("details.operation:visible")).to_have_count(0)
    expect(page.get_by_text("Nothing has all of these words.")).to_be_visible()
    # Without a word all of them are where they belong.
    page.get_by_label("Find").fill("")
    expect(page.get_by_role("heading", name="Conversations")).to_be_visible()
    expect(page.locator("section", has=page.get_by_role("heading", name="Server", exact=True)).locator("#me")).to_be_visible()
    shown.check()


def test_what_was_typed_before_the_documentation_was_there_is_found(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page, waiting = shown.page, []
    page.route("**/openapi.json", lambda route: waiting.append(route))
    page.goto(f"{gateway.url}api/v1/docs")
    eventually("it is asked for", lambda: page.wait_for_timeout(50) or waiting)
    page.get_by_label("Find").fill("tapback")
    waiting[0].continue_()
    expect(page.get_by_role("heading", name="Found")).to_be_visible()
    expect(page.locator("details.operation:visible").first).to_have_id("sendMessage")
    expect(page.locator("section.begin")).to_be_hidden()
    shown.check()


def test_the_documentation_begins_with_a_token_and_has_a_line_for_each_route(chromium):
    gateway = Gateway(["--silent"], base="/mesh")
    shown, page = documentation(chromium, gateway, permissions=["clipboard-read", "clipboard-write"])
    begin = page.locator("section.begin")
    expect(begin).to_be_in_viewport()
    expect(begin).to_contain_text("mesh-gateway token create NAME")
    expect(begin).to_contain_text("Authorization: Bearer")

    def copied(place):
        place.get_by_role("button", name=re.compile("Cop")).click()
        return eventually("it is copied", lambda: page.evaluate("() => navigator.clipboard.readText()"))

    def run(line):
        assert "\n" not in line
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    assert "$TOKEN" in copied(begin)
    page.get_by_label("Token").fill(gateway.token)
    # What is copied has the token, what is seen has not.
    assert run(copied(begin))["data"]["token"]["name"] == "test"
    assert gateway.token not in page.locator("body").inner_text()
    # With what is filled in.
    page.evaluate("() => { location.hash = 'sendMessage'; }")
    send = page.locator("#sendMessage")
    send.locator("textarea").fill("""{"text": "it's $HOME", "channel": 0}""")
    send.get_by_label("Idempotency-Key").fill("one")
    expect(send.locator(".curl")).to_contain_text("-X POST")
    run(copied(send))
    assert [row["text"] for row in gateway.get("/api/v1/messages?channel=0")["data"]] == ["it's $HOME"]
    # Each has one; of the stream, too.
    page.evaluate("() => { for (const one of document.querySelectorAll('details.operation')) one.open = true; }")
    eventually("all are drawn", lambda: page.locator("details.operation .curl").count() == page.locator("details.operation").count())
    expect(page.locator("#events .curl")).to_contain_text("curl -N ")
    expect(page.locator("#events").get_by_role("button", name="Send")).to_have_count(0)
    shown.axe("documentation with all open")
    shown.complaints.clear()


def test_scopes_that_a_body_decides_stand_where_the_routes_scope_stands(chromium):
    shown, page = documentation(chromium, Gateway(["--silent"]))
    page.evaluate("() => { location.hash = 'sendMessage'; }")
    needs = page.locator("#sendMessage p.what", has_text="Needs a token")
    expect(needs).to_contain_text("channel_N:write")
    expect(needs).to_contain_text("messages:write")
    shown.check()
