"""What the page costs, once: PROGRAM as scenarios.py has it. Prints requests, bytes and times; asserts nothing."""

import time

from served import Gateway, eventually
from shown import Shown, browser, expect


def first_screen(chromium, gateway, throttled):
    shown = Shown(chromium, gateway)
    page = shown.page
    page.goto(gateway.url)
    page.evaluate("token => sessionStorage.setItem('/token', token)", gateway.token)
    page.goto("about:blank")
    network = shown.context.new_cdp_session(page)
    network.send("Network.enable")
    if throttled:
        network.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 100, "downloadThroughput": 125000, "uploadThroughput": 125000})
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes, names = {}, {}
    network.on("Network.responseReceived", lambda event: names.update({event["requestId"]: event["response"]["url"]}))
    network.on("Network.dataReceived", lambda event: sizes.update(
        {event["requestId"]: sizes.get(event["requestId"], 0) + event["dataLength"]}))
    began = time.monotonic()
    page.goto(gateway.url + "#/" + gateway.source() + "/", wait_until="commit")
    page.wait_for_selector(".chat .last bdi")
    took = time.monotonic() - began
    page.wait_for_timeout(1500)
    found = {names.get(one, "?").removeprefix(gateway.url): size for one, size in sizes.items()}
    print(f"{'1 Mbit/s, 100 ms' if throttled else 'loopback'}: conversations after {took:.2f} s; {len(found)} requests, "
          f"{sum(found.values())} bytes, besides the page {sum(size for name, size in found.items() if name)}: {found}")
    shown.close()


def live_text(chromium, gateway):
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.open_chat()
    expect(page.locator(".word")).to_have_text("Live")
    page.evaluate("""() => { window.seen = {}; new MutationObserver(() => { for (const one of document.querySelectorAll('article .text'))
        window.seen[one.textContent] ??= Date.now(); }).observe(document.querySelector('.log'), { childList: true, subtree: true }); }""")
    times = []
    for turn in range(5):
        text = f"figure {turn}"
        gateway.get("/api/v1/messages", body={"text": text, "channel": 0})
        stored = next(row["createdAt"] for row in gateway.get("/api/v1/messages?limit=5")["data"] if row["text"] == text)
        times.append(eventually("it is shown", lambda: page.evaluate("text => window.seen[text]", text)) - stored)
    print(f"from stored to shown: {sorted(times)} ms")
    shown.close()


def tasks(chromium, gateway):
    shown = Shown(chromium, gateway)
    page = shown.page
    page.add_init_script("window.tasks = []; new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => Math.round(one.duration)))).observe({ type: 'longtask', buffered: true });")
    shown.sign_in()
    for path in (["n"], ["map"], ["c", "channel:0"], ["n"]):
        shown.go(*path)
        page.wait_for_timeout(4000)
    print(f"tasks over 50 ms with 1,000 nodes: {page.evaluate('() => window.tasks')}")
    shown.close()


gateway = Gateway(["--nodes", "1000", "--chatter", "120"])
eventually("somebody writes", lambda: gateway.get("/api/v1/messages?limit=3")["count"] > 2)
with browser() as chromium:
    first_screen(chromium, gateway, False)
    first_screen(chromium, gateway, True)
    live_text(chromium, gateway)
    tasks(chromium, gateway)
gateway.close()
