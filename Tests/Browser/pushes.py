"""Browsers that are told also while no page is open: registering, what the worker shows, and what a click opens.

No push service is reached from here. So PushManager is one that makes keys as a browser does, and an endpoint on this machine; the
test opens what the gateway sends there, and hands it to the real worker. What the worker shows goes to a desktop of the test, over
D-Bus, and a click comes from there: a browser trusts no other.
"""

import base64
import contextlib
import http.server
import json
import os
import re
import subprocess
import tempfile
import threading
from pathlib import Path

import http_ece
import jeepney
from cryptography.hazmat.primitives.asymmetric import ec
from jeepney.io.blocking import open_dbus_connection
from served import Gateway, eventually
from shown import DESKTOP, PHONE, Shown, expect, too_wide
from telling import HIDE, WATCH

# What a browser with a push service does, which keeps its subscription over reloads.
SERVICE = """(() => {
    const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0)).buffer;
    PushManager.prototype.getSubscription = async () => {
        const kept = JSON.parse(localStorage.getItem('kept push') ?? 'null');
        return kept && { endpoint: kept.endpoint, options: { applicationServerKey: bytes(kept.key) },
            toJSON: () => ({ endpoint: kept.endpoint, expirationTime: null, keys: kept.keys }),
            unsubscribe: async () => { localStorage.removeItem('kept push'); return true; } };
    };
    PushManager.prototype.subscribe = async function({ userVisibleOnly, applicationServerKey: key }) {
        if (!userVisibleOnly || bytes(key).byteLength !== 65) throw new DOMException('no such key', 'InvalidAccessError');
        const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
        const keys = { p256dh: text(await crypto.subtle.exportKey('raw', pair.publicKey)), auth: text(crypto.getRandomValues(new Uint8Array(16))) };
        const { d } = await crypto.subtle.exportKey('jwk', pair.privateKey);
        localStorage.setItem('kept push', JSON.stringify({ endpoint: `http://127.0.0.1:PORT/push/${crypto.randomUUID()}`, key, keys, d }));
        return this.getSubscription();
    };
})();"""
# What the worker takes a page for that stands behind others.
BEHIND = "isBehind => Object.defineProperty(WindowClient.prototype, 'visibilityState', { configurable: true, get: () => isBehind ? 'hidden' : 'visible' })"
BUS = """<busconfig><type>session</type><listen>unix:dir=%s</listen>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>"""


class PushService(http.server.BaseHTTPRequestHandler):
    """Takes what is sent to endpoints."""

    def do_POST(self):
        self.server.got.append((self.path, dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(self.server.answer)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


@contextlib.contextmanager
def push_service():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PushService)
    server.got, server.answer = [], 201
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class Desktop:
    """Shows notifications, as a desktop does."""

    def __init__(self, address):
        self.bus, self.shown = open_dbus_connection(address), []
        name = jeepney.DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        self.bus.send_and_get_reply(jeepney.new_method_call(name, "RequestName", "su", ("org.freedesktop.Notifications", 4)))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        answers = {"GetServerInformation": ("ssss", ("desktop", "test", "1", "1.2")), "GetCapabilities": ("as", (["actions", "body"],))}
        with contextlib.suppress(OSError):
            while True:
                call = self.bus.receive()
                if call.header.message_type != jeepney.MessageType.method_call:
                    continue
                name = call.header.fields[jeepney.HeaderFields.member]
                if name == "Notify":
                    self.shown.append({"title": call.body[3], "body": call.body[4]})
                    answers[name] = ("u", (len(self.shown),))
                self.bus.send(jeepney.new_method_return(call, *answers.get(name, ())))

    def click(self, place):
        """On the one that was shown there, from 0 on."""
        emitter = jeepney.DBusAddress("/org/freedesktop/Notifications", interface="org.freedesktop.Notifications")
        self.bus.send(jeepney.new_signal(emitter, "ActionInvoked", "us", (place + 1, "default")))


@contextlib.contextmanager
def desktop_and_browser(chromium):
    """A browser with a profile of its own: a click on a notification leads to no other. With the desktop."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = Path(folder) / "bus.conf"
        settings.write_text(BUS % folder, encoding="utf-8")
        daemon = subprocess.Popen(["dbus-daemon", f"--config-file={settings}", "--nofork", "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        context = None
        try:
            address = daemon.stdout.readline().strip()
            desktop = Desktop(address)
            context = chromium.browser_type.launch_persistent_context(
                f"{folder}/profile", executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"], viewport=DESKTOP,
                locale="en-GB", permissions=["notifications"], env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": address})
            yield desktop, context
        finally:
            if context:
                context.close()
            daemon.terminate()
            daemon.wait()
            daemon.stdout.close()


class InContext:
    """What `Shown` takes in place of another tab."""

    def __init__(self, context):
        self.context = context


def served(service, *radio):
    return Gateway(list(radio), settings=f"push-hosts = 127.0.0.1:{service.server_port}\n")


def where_to(shown, service, token):
    shown.page.add_init_script(SERVICE.replace("PORT", str(service.server_port)))
    shown.sign_in(token, keep=True)
    shown.go("targets")
    return shown.page


def notify(page):
    page.get_by_role("button", name="Notify this browser").click()
    expect(page.locator(".push")).to_contain_text("this browser")


def opened(page, body):
    """What the browser reads of a request."""
    kept = json.loads(page.evaluate("() => localStorage.getItem('kept push')"))
    read = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    key = ec.derive_private_key(int.from_bytes(read(kept["d"]), "big"), ec.SECP256R1())
    return http_ece.decrypt(body, private_key=key, auth_secret=read(kept["keys"]["auth"]), version="aes128gcm").decode()


class Worker:
    """Hands pushes to the page's worker, through the browser."""

    def __init__(self, shown):
        self.shown, found = shown, []
        self.page = shown.context.new_page()
        self.session = shown.context.new_cdp_session(self.page)
        self.session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
        self.session.send("ServiceWorker.enable")
        own = lambda: [one["registrationId"] for one in found if one["scopeURL"] == shown.gateway.url and not one["isDeleted"]]
        # Its events come while the browser is asked for something else.
        self.id = eventually("there is a worker", lambda: self.page.wait_for_timeout(50) or own())[0]

    def push(self, data):
        self.session.send("ServiceWorker.deliverPushMessage", {"origin": re.sub(r"/$", "", self.shown.gateway.url), "registrationId": self.id, "data": data})


def notifications(page):
    return page.evaluate("""async () => (await (await navigator.serviceWorker.getRegistration()).getNotifications())
        .map(({ title, body, tag, data }) => ({ title, body, tag, data }))""")


def direct(service, page):
    """The first push about a direct message."""
    found = [json.loads(opened(page, body)) for _, _, body in service.got]
    return next((one for one in found if one["type"] == "direct-message"), None)


def test_a_browser_is_told_of_a_direct_message_and_a_click_opens_its_chat(chromium):
    with push_service() as service, desktop_and_browser(chromium) as (desktop, context):
        gateway = served(service, "--chatter", "600")
        shown = Shown(chromium, gateway, beside=InContext(context))
        page = where_to(shown, service, gateway.make_token("phone", "read"))
        expect(page.locator("main")).to_contain_text("Rules that tell: direct-message (built in)")
        expect(page.locator("main textarea.code").first).to_have_value(re.compile("^sudo mesh-gateway rule add "))
        assert not service.got, "nobody has asked for anything"
        shown.axe("before it is registered")
        notify(page)
        shown.axe("registered")
        pushed = eventually("a direct message is pushed", lambda: page.wait_for_timeout(100) or direct(service, page))
        path, headers, body = service.got[0]
        assert path == "/push/" + page.evaluate("() => JSON.parse(localStorage.getItem('kept push')).endpoint").split("/push/")[1]
        assert headers["Content-Encoding"] == "aes128gcm" and headers["TTL"] == "3600", headers
        assert pushed["body"].encode() not in body
        assert set(pushed) == {"title", "body", "tag", "link", "type", "id", "createdAt"}, pushed
        worker = Worker(shown)
        text = json.dumps(pushed)
        # The page is seen, and shows by itself what has come.
        worker.push(text)
        page.wait_for_timeout(2000)
        assert not desktop.shown and not notifications(page), desktop.shown
        # It stands behind others: a click brings it to the front, and opens the chat.
        sleeper = context.service_workers[0]
        sleeper.evaluate(BEHIND, True)
        worker.push(text)
        eventually("it is shown", lambda: page.wait_for_timeout(50) or desktop.shown)
        assert desktop.shown[0]["title"] == pushed["title"] and pushed["body"] in desktop.shown[0]["body"], (desktop.shown, pushed)
        assert [one["tag"] for one in notifications(page)] == [pushed["tag"]]
        desktop.click(0)
        expect(page.locator(".log")).to_be_visible()
        expect(page.locator("article").filter(has_text=pushed["body"]).first).to_be_visible()
        assert "#" + page.url.split("#")[1] == pushed["link"], (page.url, pushed)
        assert not notifications(page), "it stays when it was clicked on"
        shown.check()
        # Nobody has it open: a click opens it there.
        page.goto("about:blank")
        worker.push(text)
        eventually("it is shown", lambda: worker.page.wait_for_timeout(50) or len(desktop.shown) > 1)
        with context.expect_page() as opening:
            desktop.click(1)
        page = opening.value
        expect(page.locator("article").filter(has_text=pushed["body"]).first).to_be_visible()
        assert "#" + page.url.split("#")[1] == pushed["link"], (page.url, pushed)


def test_one_is_sent_to_a_browser_now_and_it_is_removed(chromium):
    with push_service() as service:
        gateway = served(service, "--silent")
        shown = Shown(chromium, gateway, viewport=PHONE, permissions=["notifications"])
        token = gateway.make_token("phone", "read")
        page = where_to(shown, service, token)
        notify(page)
        row = page.locator(".push")
        expect(row).to_contain_text(f"http://127.0.0.1:{service.server_port}/…")
        endpoint = page.evaluate("() => JSON.parse(localStorage.getItem('kept push')).endpoint")
        assert endpoint not in page.content(), "the endpoint is shown"
        row.get_by_role("button", name="Send one now").click()
        expect(row).to_contain_text("It has arrived.")
        pushed = opened(page, service.got[0][2])
        assert json.loads(pushed)["type"] == "test", pushed
        # Who tries it out wants to see it, and is looking at the page.
        Worker(shown).push(pushed)
        eventually("it is shown", lambda: notifications(page))
        assert not too_wide(page), too_wide(page)
        shown.axe("after a test")
        page.reload()
        expect(row).to_contain_text("this browser")
        row.get_by_role("button", name="Remove").click()
        expect(row).to_have_count(0)
        expect(page.get_by_role("button", name="Notify this browser")).to_be_visible()
        assert page.evaluate("() => localStorage.getItem('kept push')") is None, "the browser keeps its subscription"
        assert gateway.get("/api/v1/push/registrations")["data"]["registrations"] == []
        shown.check()


def test_a_registration_that_is_gone_or_has_another_key_is_said_and_made_anew(chromium):
    with push_service() as service:
        gateway = served(service, "--silent")
        shown = Shown(chromium, gateway, permissions=["notifications"])
        page = where_to(shown, service, gateway.make_token("phone", "read"))
        notify(page)
        first = page.evaluate("() => JSON.parse(localStorage.getItem('kept push'))")
        [row] = gateway.get("/api/v1/push/registrations")["data"]["registrations"]
        assert row["name"] == "Chrome, Linux" and row["token"]["name"] == "phone", row
        gateway.get(f"/api/v1/push/registrations/{row['id']}", method="DELETE")
        # A page that is opened says so by itself, and tells by itself again.
        shown.go("more")
        page.reload()
        toast = page.locator(".toast")
        expect(toast).to_contain_text("The registration of this browser is gone")
        assert not page.evaluate("() => notices.isPushed")
        toast.get_by_role("link", name="Where notifications go").click()
        expect(page.locator("main")).to_contain_text("The registration of this browser is gone")
        shown.axe("a registration that is gone")
        page.get_by_role("button", name="Register anew").click()
        expect(page.locator(".push")).to_contain_text("this browser")
        second = page.evaluate("() => JSON.parse(localStorage.getItem('kept push'))")
        assert second["endpoint"] != first["endpoint"] and second["key"] == first["key"]
        gateway.command("push", "new-key")
        page.reload()
        expect(page.locator("main")).to_contain_text("another push key")
        page.get_by_role("button", name="Register anew").click()
        expect(page.locator(".push")).to_contain_text("this browser")
        third = page.evaluate("() => JSON.parse(localStorage.getItem('kept push'))")
        assert third["key"] == gateway.get("/api/v1/push/key")["data"]["key"] != second["key"]
        # The push service says that it is gone: the gateway forgets it.
        service.answer = 410
        page.get_by_role("button", name="Send one now").click()
        expect(page.locator("main")).to_contain_text("The registration of this browser is gone")
        shown.check()


def test_a_browser_that_cannot_be_told_says_why_and_what_to_do(chromium):
    gateway = Gateway(["--silent"])
    denied = "Object.defineProperty(Notification, 'permission', { get: () => 'denied' })"
    for script, words in (
            ("Object.defineProperty(window, 'isSecureContext', { value: false })", "This page came over plain http"),
            ("delete window.PushManager", "This browser has no push service"),
            ("delete window.PushManager; Object.defineProperty(navigator, 'standalone', { value: false })", "add this page to it"),
            (denied, "This browser shows no notifications of this page")):
        shown = Shown(chromium, gateway)
        shown.page.add_init_script(script)
        page = shown.sign_in().page
        shown.go("targets")
        expect(page.locator("main")).to_contain_text(words)
        expect(page.get_by_role("button", name="Notify this browser")).to_be_hidden()
        assert page.evaluate("() => navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
        shown.axe(words)
        shown.check()
        shown.close()


def test_a_push_service_or_a_gateway_that_refuses_is_said(chromium):
    with push_service() as service:
        # It does not name the host.
        gateway = Gateway(["--silent"])
        shown = Shown(chromium, gateway, permissions=["notifications"])
        shown.expected.append("Failed to load resource: the server responded with a status of 400")
        page = where_to(shown, service, gateway.make_token("phone", "read"))
        page.get_by_role("button", name="Notify this browser").click()
        alert = page.locator("main").get_by_role("alert")
        expect(alert).to_contain_text("push-hosts")
        page.evaluate("() => { PushManager.prototype.getSubscription = async () => null; "
                      "PushManager.prototype.subscribe = async () => { throw new DOMException('Registration failed - push service error', 'AbortError'); }; }")
        page.get_by_role("button", name="Notify this browser").click()
        expect(alert).to_contain_text("push service error")
        expect(page.get_by_role("button", name="Notify this browser")).to_be_enabled()
        shown.axe("a push service that refuses")
        shown.check()


def test_an_open_page_whose_browser_is_registered_leaves_notifications_to_the_worker(chromium):
    with push_service() as service:
        gateway = served(service, "--chatter", "600")
        shown = Shown(chromium, gateway, permissions=["notifications"])
        page = shown.page
        page.add_init_script(WATCH)
        where_to(shown, service, gateway.make_token("phone", "read"))
        notify(page)
        shown.go("more")
        page.get_by_label("Tell me of direct messages and mentions").check()
        eventually("it lets one hear how it sounds", lambda: page.evaluate("() => window.tones"))
        page.evaluate("() => { window.told = []; window.tones = 0; }")
        page.evaluate(HIDE, True)
        eventually("it rings", lambda: page.evaluate("() => window.tones"))
        page.wait_for_timeout(500)
        assert page.evaluate("() => window.told") == []
        shown.check()


def test_the_worker_takes_anything_and_asks_for_nothing(chromium):
    with push_service() as service:
        gateway = served(service, "--silent")
        shown = Shown(chromium, gateway, permissions=["notifications"])
        page = where_to(shown, service, gateway.make_token("phone", "read"))
        notify(page)
        worker = Worker(shown)
        sleeper = shown.context.service_workers[0]
        sleeper.evaluate(BEHIND, True)
        sleeper.evaluate("() => { self.failed = []; for (const kind of ['error', 'unhandledrejection']) self.addEventListener(kind, (event) => self.failed.push(kind)); }")
        odd = ["", "no JSON", "null", "[]", "7", '"text"', "{", '{"title":{"a":1},"body":7,"tag":null,"link":[],"createdAt":{}}',
               '{"type":"test","toString":1}', json.dumps({"title": "t" * 3000, "link": "https://elsewhere.example/", "createdAt": "never"})]
        for one in odd:
            worker.push(one)
        last = {"title": "\u202eAnna", "body": "Hello", "tag": "last", "link": "#/x", "type": "direct-message", "id": "1", "createdAt": "2026-05-04T10:00:00.000Z"}
        worker.push(json.dumps(last))
        eventually("the last is shown", lambda: any(one["tag"] == "last" for one in notifications(page)))
        found = notifications(page)
        assert {"title": "Anna", "body": "Hello", "tag": "last", "data": "#/x"} in found, found
        assert sum(one["title"] == "mesh-gateway" for one in found) == len(odd) - 1, found
        assert sleeper.evaluate("() => self.failed") == []
        # It keeps nothing: neither the token, nor what it has shown.
        assert sleeper.evaluate("async () => [(await caches.keys()).length, (await indexedDB.databases()).length]") == [0, 0]
        shown.check()


def test_where_to_shows_each_token_its_part(chromium):
    gateway = Gateway(["--silent"])
    base = ("messages:read", "nodes:read", "channels:read", "info:read")
    for scopes, seen, hidden in ((("notifications:read",), "This browser", "There is no target."), (("configuration:read",), "There is no target.", "This browser")):
        shown = Shown(chromium, gateway)
        page = shown.sign_in(gateway.make_token(f"with-{scopes[0].split(':')[0]}", *base, *scopes)).page
        shown.go("targets")
        expect(page.locator("main")).to_contain_text(seen)
        expect(page.get_by_role("link", name="Where to")).to_be_visible()
        expect(page.locator("main")).not_to_contain_text(hidden)
        shown.check()
        shown.close()
    shown = Shown(chromium, gateway)
    page = shown.sign_in(gateway.make_token("neither", *base)).page
    shown.go("targets")
    expect(page.locator("main")).to_contain_text("it lacks notifications:read")
    shown.check()
