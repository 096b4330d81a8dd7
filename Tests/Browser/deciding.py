"""Two keys of one node: a person decides in the page."""

import base64

from served import Gateway
from shown import PHONE, Shown, expect

OTHER = bytes(range(2, 34))


def doubtful(policy="hold"):
    """A gateway that has seen another key of a node, and a text to it that waits."""
    gateway = Gateway(["--silent"], environment={"MESH_GATEWAY_KEY_CHANGE": policy})
    node = gateway.node(lambda row: row["hasPKC"] and row["hopsAway"] == 0)
    gateway.change(("UPDATE nodes SET announced_key = ?, key_mismatch = 1, key_doubted_at = 1787300000000 WHERE number = ?", OTHER, node["nodeNum"]))
    return gateway, node["nodeId"]


def key_of(gateway, node):
    return gateway.get(f"/api/v1/nodes/{node}/key")["data"]


def test_two_keys_are_compared_side_by_side_and_one_is_accepted(chromium):
    gateway, node = doubtful()
    gateway.get("/api/v1/messages", body={"text": "for you", "toNodeId": node, "queue": True})
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("n", node)
    card = page.locator(".card", has=page.get_by_role("heading", name="Which key is right?"))
    expect(card.locator(".words")).to_have_count(2)
    left, right = (one.bounding_box() for one in card.locator(".keys > div").all())
    assert left["y"] == right["y"] and left["x"] < right["x"], "they stand one under the other"
    words = card.locator(".words").all_inner_texts()
    known = key_of(gateway, node)["publicKey"]
    assert [word.replace(" ", "") for word in words] == [known, base64.b64encode(OTHER).decode()], words
    shown.axe("two keys")
    card.get_by_role("button", name="Accept the other key").click()
    page.get_by_role("dialog").get_by_role("button", name="Its owner's app shows this").click()
    expect(page.locator("#toasts")).to_contain_text("1 text that waited goes out now.")
    expect(page.get_by_role("heading", name="Which key is right?")).to_have_count(0)
    found = key_of(gateway, node)
    assert found["publicKey"] == base64.b64encode(OTHER).decode() and not found["isInDoubt"], found
    page.get_by_text("History of its key").click()
    expect(page.get_by_text("the other key was accepted")).to_contain_text("rest:test")
    shown.check()


def test_the_known_key_is_kept_and_nobody_decides_by_a_slip(chromium):
    gateway, node = doubtful()
    known = key_of(gateway, node)["publicKey"]
    shown = Shown(chromium, gateway, viewport=PHONE)
    page = shown.sign_in().page
    shown.go("n", node)
    page.get_by_role("button", name="Keep the known key").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert key_of(gateway, node)["isInDoubt"]
    page.get_by_role("button", name="Keep the known key").click()
    page.get_by_role("dialog").get_by_role("button", name="Its owner's app shows this").click()
    expect(page.get_by_role("heading", name="Which key is right?")).to_have_count(0)
    found = key_of(gateway, node)
    assert found["publicKey"] == known and found["isVerified"], found
    shown.check()


def test_a_chat_in_doubt_leads_to_the_decision(chromium):
    gateway, node = doubtful("refuse")
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("c", f"direct:{node}")
    expect(page.locator("#hint")).to_contain_text("has changed: compare it before you write")
    page.locator("#hint").get_by_role("link", name="Compare the keys").click()
    expect(page.get_by_role("heading", name="Which key is right?")).to_be_visible()
    shown.check()


def test_without_the_right_it_says_what_to_type(chromium):
    gateway, node = doubtful()
    shown = Shown(chromium, gateway)
    shown.expected.append("Failed to load resource: the server responded with a status of 403")
    page = shown.sign_in(gateway.make_token("reader", "read", "send")).page
    shown.go("n", node)
    accept = page.get_by_role("button", name="Accept the other key")
    expect(page.get_by_role("heading", name="Which key is right?")).to_be_visible()
    if accept.count():
        accept.click()
        page.get_by_role("dialog").get_by_role("button", name="Its owner's app shows this").click()
        expect(page.locator("#toasts")).to_contain_text("lacks admin")
    else:
        expect(page.get_by_text("takes a token for everything")).to_be_visible()
    assert key_of(gateway, node)["isInDoubt"]
    shown.check()


def test_a_kept_key_is_kept_and_what_is_announced_afterwards_asks_nobody(chromium):
    gateway, node = doubtful()
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    chats = page.locator(".problems")
    expect(chats).to_contain_text("needs a person's decision")
    shown.go("n?f=keyDoubt")
    expect(page.locator("tbody tr")).to_have_count(1)
    shown.go("n", node)
    expect(page.locator(".lead")).to_contain_text("key in doubt")
    page.get_by_role("button", name="Keep the known key").click()
    page.get_by_role("dialog").get_by_role("button", name="Its owner's app shows this").click()
    expect(page.get_by_role("heading", name="Which key is right?")).to_have_count(0)
    # Somebody goes on to announce the other one.
    gateway.change(("UPDATE nodes SET announced_key = ?, key_mismatch = 1, key_doubted_at = 1787300000000 WHERE announced_key IS NULL AND number = ?",
                    OTHER, int(node[1:], 16)))
    row = gateway.get(f"/api/v1/nodes/{node}")["data"]
    assert "isInDoubt" not in row and key_of(gateway, node)["otherKey"], row
    page.reload()
    expect(page.locator(".lead")).to_contain_text("key verified")
    expect(page.get_by_role("heading", name="Which key is right?")).to_have_count(0)
    line = page.locator("p.faint", has_text="Another key is announced for it. The known one stays, as was decided.")
    expect(line).to_be_visible()
    shown.axe("a kept key")
    shown.go("n?f=keyDoubt")
    expect(page.get_by_text("0 of")).to_be_visible()
    shown.go("c", f"direct:{node}")
    expect(page.locator("#hint")).not_to_contain_text("has changed")
    shown.go("")
    expect(page.locator(".chats a").first).to_be_visible()
    expect(chats).not_to_contain_text("needs a person's decision")
    # One may think again.
    shown.go("n", node)
    page.get_by_role("button", name="Decide anew").click()
    page.get_by_role("dialog").get_by_role("button", name="Accept the other key").click()
    page.get_by_role("dialog").get_by_role("button", name="Its owner's app shows this").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Another key is announced")).to_have_count(0)
    assert key_of(gateway, node)["publicKey"] == base64.b64encode(OTHER).decode()
    shown.check()
