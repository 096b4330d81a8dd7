"""The page in a browser, and what must hold whatever is done with it."""

import contextlib
import io
import os
import pathlib

import axe_playwright_python
import PIL.Image
import zxingcpp
from playwright.sync_api import expect, sync_playwright
from served import eventually

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1400, "height": 900}
NARROW = {"width": 320, "height": 640}
AXE = pathlib.Path(axe_playwright_python.__file__).with_name("axe.min.js")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# The browser is slow on a busy machine.
expect.set_options(timeout=60000)


@contextlib.contextmanager
def browser():
    with sync_playwright() as engine:
        chromium = engine.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


class Shown:
    """One person's browser. What it asks for and complains of is kept, and looked at in the end."""

    def __init__(self, chromium, gateway, viewport=None, beside=None, **options):
        """`beside` is another one in whose browser this is one more tab."""
        self.gateway = gateway
        self.context = beside.context if beside else chromium.new_context(viewport=viewport or DESKTOP, locale="en-GB", **options)
        self.context.set_default_timeout(60000)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        # A connection that is lost is a complaint of the browser's own.
        self.expected = ["Failed to load resource: net::ERR_"]
        self.page.on("request", lambda request: self.requests.append(request))
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(f"{error}\n{error.stack}"))

    def sign_in(self, token=None, keep=False):
        self.page.goto(self.gateway.url)
        self.page.get_by_label("Token").fill(token or self.gateway.token)
        self.page.get_by_label("Stay signed in").set_checked(keep)
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.locator("#frame")).to_be_visible()
        return self

    def go(self, *path, source=None):
        self.page.evaluate("hash => { location.hash = hash; }", "#/" + "/".join([source or self.gateway.source(), *path]))

    def open_chat(self, name="LongFast"):
        self.page.get_by_role("link", name=name).first.click()
        expect(self.page.locator(".log")).to_be_visible()

    def write(self, text):
        self.page.locator("#text").fill(text)
        self.page.locator("#text").press("Enter")

    def check(self):
        """Nothing from elsewhere, no complaint, and the token nowhere but in the head of requests."""
        for request in self.requests:
            assert request.url.startswith((self.gateway.url, "data:")), f"asks {request.url}"
            assert self.gateway.token not in request.url, "the token is in an address"
        found = [text for text in self.complaints if not any(text.startswith(start) for start in self.expected)]
        assert not found, f"the console says {found}"
        assert self.gateway.token not in self.page.content(), "the token is in the document"
        assert self.gateway.token not in self.page.url, "the token is in the address"

    def axe(self, what):
        """Which rules had something to look at; none of them is broken."""
        self.page.evaluate(AXE.read_text())
        found, passed = self.page.evaluate("""tags => axe.run(document, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })
            .then((result) => [result.violations, result.passes.map((rule) => rule.id)])""", RULES)
        lines = [f"{what}: {rule['id']}: {node['html'][:160]} {node['failureSummary'][:200]}" for rule in found for node in rule["nodes"][:3]]
        assert not lines, "\n".join(lines)
        return passed

    def act(self, article, action):
        """Chooses from the options of a message."""
        article.locator("button.more").click()
        self.page.get_by_role("menuitem", name=action, exact=True).click()

    def close(self):
        self.context.close()


def views(gateway):
    """Every view by its name, with its path behind the source."""
    nodes = gateway.get("/api/v1/nodes?limit=200")["data"]
    near = next((node["nodeId"] for node in nodes if node["hopsAway"] == 0 and node["hasPKC"]), nodes[0]["nodeId"])
    packets = gateway.get("/api/v1/packets?limit=1")["data"]
    found = {
        "chats": [""], "chat": ["c", "channel:0"], "direct": ["c", f"direct:{near}"], "new": ["new"], "search": ["search?q=the"],
        "nodes": ["n"], "node": ["n", near], "map": ["map"], "waypoint": ["waypoints", "new"], "waypoints": ["waypoints"],
        "more": ["more"], "links": ["links"], "packets": ["packets"], "radio": ["radio"],
        "channel": ["channel", "1"], "join": ["join"], "setup": ["setup"],
        "told": ["told"], "mqtt": ["mqtt"], "brokers": ["brokers"], "rules": ["rules"], "targets": ["targets"],
    }
    if packets:
        found["packet"] = ["packets", str(packets[0]["id"])]
    return found


def each_view(shown, paths):
    """Opens each of these views, and names it when all of it is there."""
    for name, path in paths.items():
        shown.go(*path)
        shown.page.wait_for_timeout(300)
        expect(shown.page.locator("main h1:visible").first).to_be_visible()
        eventually("it has loaded", lambda: shown.page.get_by_text("Loading …").count() == 0)
        yield name


def read_code(image):
    """What a camera reads in a QR code that the page shows."""
    eventually("it is drawn", lambda: image.evaluate("image => image.complete && image.naturalWidth > 0"))
    found = zxingcpp.read_barcodes(PIL.Image.open(io.BytesIO(image.screenshot())), formats=zxingcpp.BarcodeFormat.QRCode)
    assert len(found) == 1, found
    return found[0].text


def too_wide(page):
    """What one would have to scroll sideways for; tables may, in regions of their own."""
    return page.evaluate("""() => [document.documentElement, ...document.querySelectorAll('main, main > *, .two > *, .scroller, .composer, #top, #places, .page')]
        .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1
            && (one === document.documentElement || getComputedStyle(one).overflowX !== 'visible'))
        .map((one) => `${one.localName}.${one.className} ${one.scrollWidth} > ${one.clientWidth}: ${[...one.querySelectorAll('*')]
            .filter((inner) => inner.getBoundingClientRect().right > one.getBoundingClientRect().right + 1 && !inner.closest('.scroll')).at(-1)?.outerHTML.slice(0, 120)}`)""")


def picture(page, name):
    page.screenshot(path=os.path.join(os.environ["MESH_GATEWAY_LOGS"], f"{name}.png"))
