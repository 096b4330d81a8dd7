"""What the page costs: prints one JSON object a line, `{what, value, unit, budget, met}`, for `deploy/bench page`.

    Tests/Browser/run PROGRAM PYTHON --figures [MESSAGES] [DATABASE]

The budgets are in the issue of the page. Figures of a machine that does something else besides are too large.
"""

import json
import re
import tempfile
import time
import urllib.request

from heavy import filled, longest_tasks
from served import Gateway, eventually
from shown import Shown, browser, expect

# When the first message stands in the document, in milliseconds since the page was asked for.
FIRST = """new MutationObserver(() => { if (!window.first && document.querySelector(SELECTOR)) window.first = performance.now(); })
    .observe(document, { childList: true, subtree: true });"""


def say(what, value, unit="", budget=None, met=None):
    print(json.dumps({"what": what, "value": round(value, 1), "unit": unit, "budget": budget, "met": met}), flush=True)


def first_screen(chromium, gateway, path, selector, throttled):
    """Seconds until a message is there, and what was asked for: address, begin, end, bytes as they are and as they were sent, with the head."""
    shown = Shown(chromium, gateway)
    page = shown.page
    page.add_init_script(FIRST.replace("SELECTOR", json.dumps(selector)))
    page.goto(gateway.url)
    page.evaluate("token => sessionStorage.setItem('/token', token)", gateway.token)
    page.goto("about:blank")
    network = shown.context.new_cdp_session(page)
    network.send("Network.enable")
    if throttled:
        network.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 100, "downloadThroughput": 125000, "uploadThroughput": 125000})
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    asked = {}
    network.on("Network.requestWillBeSent", lambda event: asked.update(
        {event["requestId"]: {"url": event["request"]["url"], "begin": event["timestamp"], "end": None, "bytes": 0, "sent": 0}}))

    def received(event):
        if event["requestId"] in asked:
            asked[event["requestId"]]["bytes"] += event["dataLength"]

    def ended(event):
        if event["requestId"] in asked:
            asked[event["requestId"]].update(end=event["timestamp"], sent=event["encodedDataLength"])

    network.on("Network.dataReceived", received)
    network.on("Network.loadingFinished", ended)
    page.goto(f"{gateway.url}#/{gateway.source()}/{path}", wait_until="commit")
    first = eventually("a message is there", lambda: page.evaluate("() => window.first"))
    page.wait_for_timeout(2000)
    shown.close()
    return first, list(asked.values())


def costs(chromium, gateway):
    """The first screen is that of the conversations; a link may lead to a chat at once."""
    for throttled, network, budget in ((False, "loopback", 500), (True, "1 Mbit/s, 100 ms", 3000)):
        for name, path, selector in (("the conversations", "", ".chat .last bdi"), ("a chat", "c/channel:0", "article .text")):
            runs = [first_screen(chromium, gateway, path, selector, throttled) for _ in range(5)]
            times = sorted(first for first, _ in runs)
            say(f"{network}: to the first message, {name} (median of 5)", times[2], "ms", f"at most {budget} ms", times[2] <= budget)
            # On a slow network it is plain what waited for what.
            if throttled and not path:
                first_calls(*runs[0])


def first_calls(first, requests):
    calls = [one for one in requests if "/api/" in one["url"]]
    pages = [one for one in requests if one not in calls and "icon" not in one["url"] and "manifest" not in one["url"]]
    page, sent = (sum(one[key] for one in pages) for key in ("bytes", "sent"))
    size = sum(one["bytes"] for one in calls)
    say("first screen: requests besides the page", len(calls), "", "at most 6", len(calls) <= 6)
    # What begins behind the first message, as the bell does, keeps nobody waiting.
    shown = min(one["begin"] for one in requests) + first / 1000
    depth = deepest([one for one in calls if one["begin"] < shown])
    say("first screen: how many of them wait for each other", depth, "", "at most 2", depth <= 2)
    say("first screen: bytes besides the page", size, "B", "at most 50 kB", size <= 50_000)
    say("the page, as it is sent", sent, "B", "at most 46 kB", sent <= 46_000)
    say("the page, unpacked", page, "B", "at most 250 kB", page <= 250_000)


def deepest(calls):
    """One that begins after another has ended may have waited for it."""
    depths = []
    for call in sorted(calls, key=lambda one: one["begin"]):
        before = [depth for other, depth in depths if other["end"] and other["end"] <= call["begin"]]
        depths.append((call, 1 + max(before, default=0)))
    return max(depth for _, depth in depths)


def annexes(gateway):
    """The scripts that the page fetches later, as they are sent."""
    page = urllib.request.urlopen(gateway.url).read().decode()
    for name, digest in re.findall(r'(\w+):"sha256-([^"]+)"', page):
        letters = re.sub(r"\W", "", digest)
        request = urllib.request.Request(f"{gateway.url}annex/{name}.{letters}.js", headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request) as answer:
            size = len(answer.read())
        say(f"the script with {name}, as it is sent", size, "B", "at most 16 kB", size <= 16_000)


def live_texts(chromium, gateway):
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    expect(page.locator(".word")).to_have_text("Live")
    page.evaluate("""() => { window.seen = {}; new MutationObserver(() => { for (const one of document.querySelectorAll('article:not([data-seen])')) {
        one.dataset.seen = ''; window.seen[one.querySelector('.text').textContent] ??= Date.now(); } }).observe(document.querySelector('.log'), { childList: true, subtree: true }); }""")
    began, times, turns = time.time() * 1000, [], 0
    # The mesh says something on this channel now and then.
    while len(times) < 3 and turns < 9:
        page.wait_for_timeout(20000)
        turns += 1
        seen = page.evaluate("() => window.seen")
        rows = gateway.get("/api/v1/messages?channel=0&limit=100")["data"]
        # Once said only: a repeated text has the time of the first.
        times = [seen[row["text"]] - row["createdAt"] for row in rows
                 if row["createdAt"] > began and not row["emoji"] and row["text"] in seen and sum(row["text"] == other["text"] for other in rows) == 1]
    say(f"a text of the mesh, from stored to shown (slowest of {len(times)})", max(times), "ms", "at most 300 ms", max(times) <= 300)
    times = []
    for turn in range(10):
        text = f"figure {turn}"
        gateway.get("/api/v1/messages", body={"text": text, "channel": 0})
        stored = next(row["createdAt"] for row in gateway.get("/api/v1/messages?limit=5")["data"] if row["text"] == text)
        times.append(eventually("it is shown", lambda: page.evaluate("text => window.seen[text]", text)) - stored)
    say("an own text of another client, from stored to shown (slowest of 10)", max(times), "ms", "at most 300 ms", max(times) <= 300)
    shown.close()


def figures(messages=1_000_000, database=None):
    with browser() as chromium, tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(["--nodes", "1000", "--chatter", "120"])
        eventually("somebody writes", lambda: gateway.get("/api/v1/messages?channel=0&limit=3")["count"] > 2)
        costs(chromium, gateway)
        annexes(gateway)
        live_texts(chromium, gateway)
        gateway.close()
        gateway = filled(int(messages), database or f"{folder}/mesh.db")
        for step, task in longest_tasks(chromium, gateway).items():
            say(f"longest task while {step}, {int(messages):,} messages, 0 is under 50", task, "ms", "at most 200 ms", task <= 200)
        gateway.close()
