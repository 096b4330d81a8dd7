"""A chat in a busy mesh: the document has what is near what is seen, and the rest comes when it is wanted."""

import json

from served import Gateway, eventually
from shown import Shown, expect

ELEMENTS = "() => document.querySelectorAll('*').length"


def packets(gateway, count):
    """So many events of a stream as the gateway tells them, a third of them texts on the first channel."""
    gateway.get("/api/v1/messages", body={"text": "the first", "channel": 0})
    message = eventually("it is there", lambda: gateway.get("/api/v1/messages?conversation=channel:0")["data"][0])
    nodes = gateway.get("/api/v1/nodes?limit=100")["data"]
    blocks = ["event: start\ndata: {}\n\n"]
    for number in range(count):
        node = nodes[number % len(nodes)]
        time = message["createdAt"] + 250 * (number + 1)
        rows = [
            ("message", {**message, "id": f"{message['id'].split('_')[0]}_{node['nodeNum']}_{number + 1}", "requestId": None, "wantAck": False,
                         "fromNodeId": node["nodeId"], "fromNodeNum": node["nodeNum"], "deliveryState": None, "text": f"text {number}", "createdAt": time}),
            ("node", {**node, "lastHeard": time // 1000, "sourceId": message["sourceId"]}),
            ("telemetry", {"nodeId": node["nodeId"], "telemetryType": "batteryLevel", "value": number % 100, "timestamp": time, "sourceId": message["sourceId"]}),
        ]
        kind, row = rows[number % 3]
        blocks.append(f"event: {kind}\ndata: {json.dumps(row)}\n\n")
    return blocks


def test_with_2400_packets_an_open_chat_does_not_grow(chromium):
    gateway = Gateway(["--silent"])
    blocks = packets(gateway, 4500)
    shown = Shown(chromium, gateway)
    page = shown.page
    parts = ["".join(blocks[start:end]) for start, end in ((0, 2101), (2101, 2902), (2902, 3703), (3703, None))]
    page.route("**/api/v1/events?*", lambda route: route.fulfill(body=parts.pop(0), headers={"Content-Type": "text/event-stream"}) if parts and page.locator(".log").count() else route.abort())
    shown.sign_in()
    shown.open_chat()
    expect(page.locator("article").filter(has_text="text 2097")).to_be_visible(timeout=60000)
    before = page.evaluate(ELEMENTS)
    for last in (2898, 3699, 4497):
        expect(page.locator("article").filter(has_text=f"text {last}")).to_be_visible(timeout=60000)
    after = page.evaluate(ELEMENTS)
    print(f"        {before} elements, and {after} after 2,400 packets more; {page.locator('article').count()} messages")
    assert page.locator("article").count() <= 600 and after < before * 1.6, (before, after)


def test_who_scrolls_through_a_long_chat_finds_all_of_it(chromium):
    gateway = Gateway(["--silent"])
    gateway.get("/api/v1/messages", body={"text": "the first", "channel": 0})
    count = 1500
    shown = Shown(chromium, gateway)
    page = shown.page
    first = eventually("it is there", lambda: gateway.get("/api/v1/messages?conversation=channel:0")["data"][0])
    rows = [{**first, "id": f"s_1_{number}", "requestId": number, "text": f"text {number}.", "createdAt": 1795000000000 + number * 1000} for number in range(count)]

    def slice_of(route):
        query = dict(part.split("=") for part in route.request.url.split("?")[1].split("&"))
        place = {key: int(query[key].split("_")[-1]) for key in ("before", "after") if key in query}
        end = place.get("before", place["after"] + 51 if "after" in place else count)
        start = max(0, end - 50)
        found = rows[start:min(end, count)]
        route.fulfill(json={"success": True, "data": found[::-1], "hasBefore": start > 0, "hasAfter": end < count})

    page.route("**/messages?conversation=*", slice_of)
    shown.sign_in()
    shown.open_chat()
    expect(page.get_by_text("text 1499.", exact=True)).to_be_visible()
    seen = set()

    def scroll(to, until):
        for _ in range(200):
            seen.update(page.locator("article .text").all_inner_texts())
            assert page.locator("article").count() <= 650, "it grows"
            if until in seen:
                return
            page.locator(".scroller").evaluate(f"one => {{ one.scrollTop = {to}; }}")
            page.wait_for_timeout(100)
        raise AssertionError(f"{until} is not found")

    scroll(0, "text 0.")
    assert len(seen) == count, "some are left out on the way up"
    assert page.get_by_text("text 1499.", exact=True).count() == 0, "all of it is in the document"
    seen.clear()
    seen.update(page.locator("article .text").all_inner_texts())
    scroll("one.scrollHeight", "text 1499.")
    assert len(seen) == count, "some are left out on the way down"
    # And at once.
    seen.clear()
    scroll(0, "text 0.")
    page.get_by_role("button", name="To the newest").click()
    expect(page.get_by_text("text 1499.", exact=True)).to_be_in_viewport()
    shown.check()
