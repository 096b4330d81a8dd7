"""Conversations over a broker, with Debian's mosquitto: made in the page, written, sealed, bridged to a channel, changed and
removed there."""

import json
import os
import re
import socket
import subprocess
import tempfile
import time

from served import Gateway, eventually
from shown import PHONE, Shown, expect, picture, too_wide

MOSQUITTO = "/usr/sbin/mosquitto"


class Broker:
    """mosquitto on the loopback, which can go away and come back."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        with socket.create_server(("127.0.0.1", 0)) as place:
            self.port = place.getsockname()[1]
        # It gives up root's rights by itself, and could then not read its folder.
        lines = [f"listener {self.port} 127.0.0.1", "allow_anonymous true", "log_dest none", "user root" if os.geteuid() == 0 else ""]
        with open(f"{self.folder.name}/conf", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.start()

    def start(self):
        self.process = subprocess.Popen([MOSQUITTO, "-c", f"{self.folder.name}/conf"])
        eventually("the broker listens", lambda: socket.create_connection(("127.0.0.1", self.port)).close() is None)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()


class Client:
    """Somebody else at the broker. It speaks as little of MQTT 3.1.1 as it needs: QoS 0, and packets below 16 kB."""

    def __init__(self, broker, topics="club/#"):
        self.socket = socket.create_connection(("127.0.0.1", broker.port), timeout=30)
        self.send(0x10, self.text("MQTT") + b"\x04\x02\x00\x00" + self.text("somebody"))
        self.receive()
        self.send(0x82, b"\x00\x01" + self.text(topics) + b"\x00")
        self.receive()

    @staticmethod
    def text(words):
        return len(words.encode()).to_bytes(2, "big") + words.encode()

    def send(self, kind, body):
        size = bytes([len(body)]) if len(body) < 128 else bytes([len(body) % 128 | 128, len(body) // 128])
        self.socket.sendall(bytes([kind]) + size + body)

    def receive(self):
        """The next packet, without its head."""
        head = self.exactly(2)
        size = head[1] if head[1] < 128 else head[1] % 128 + 128 * self.exactly(1)[0]
        return self.exactly(size)

    def exactly(self, count):
        found = b""
        while len(found) < count:
            part = self.socket.recv(count - len(found))
            assert part, "the broker has closed the connection"
            found += part
        return found

    def say(self, topic, words):
        self.send(0x30, self.text(topic) + words.encode())

    def heard(self):
        """Topic and text of the next message."""
        body = self.receive()
        end = 2 + int.from_bytes(body[:2], "big")
        return body[2:end].decode(), body[end:].decode()


def with_broker(broker, *radios, rules=""):
    """A gateway with a file for the broker, and perhaps with a rule."""
    gateway = Gateway(*(radios or [["--silent"]]))
    home = gateway.folder.name
    for folder, name, text in (("brokers.d", "house", f"url = mqtt://127.0.0.1:{broker.port}\n"), ("rules.d", "club", rules)):
        if text:
            os.mkdir(f"{home}/{folder}")
            with open(f"{home}/{folder}/{name}.conf", "w", encoding="utf-8") as file:
                file.write(text)
    gateway.restart()
    eventually("the gateway knows the broker", lambda: gateway.get("/api/v1/mqtt")["brokers"][0]["state"] == "live")
    return gateway


def make(gateway, **members):
    gateway.get("/api/v1/mqtt/conversations", body={"name": "club", "broker": "house", "filters": ["club/talk", "club/+/news"], **members})
    eventually("it is connected", lambda: state(gateway) == "connected")


def state(gateway):
    return row_of(gateway)["connection"]["state"]


def row_of(gateway):
    return gateway.get("/api/v1/mqtt/conversations/club")["data"]


def change(gateway, **members):
    return gateway.get("/api/v1/mqtt/conversations/club", body=members, method="PATCH")["data"]


def card(page, title):
    """A part of what a conversation is made of."""
    return page.locator("section.card").filter(has=page.get_by_role("heading", name=title, exact=True))


def text_of(page, words):
    return page.locator("article").filter(has_text=words)


def test_a_conversation_is_made_written_changed_and_removed(chromium):
    with Broker() as broker:
        gateway = with_broker(broker)
        other = Client(broker)
        shown = Shown(chromium, gateway)
        shown.expected.append("Failed to load resource: the server responded with a status of 400")
        page = shown.sign_in().page
        page.get_by_role("link", name="New message").click()
        page.get_by_role("link", name="Over a broker").click()
        expect(page.get_by_label("Broker", exact=True)).to_have_value("house")
        page.get_by_label("Name", exact=True).fill("club")
        page.get_by_label("Title").fill("The Club")
        page.get_by_label("Topics to read").fill("club/#x")
        page.get_by_role("button", name="Make it").click()
        # What the gateway refuses stands at the field that it names.
        filters = page.get_by_label("Topics to read")
        expect(filters).to_be_focused()
        expect(filters).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#talk-filters-wrong")).to_contain_text("Has one that has + or # beside other characters")
        shown.axe("a filter that is none")
        picture(page, "talking-refused")
        filters.fill("club/talk\nclub/+/news")
        expect(page.get_by_label("Topic to write to")).to_have_attribute("placeholder", "club/talk")
        page.get_by_role("button", name="Make it").click()
        expect(page.locator("main h1")).to_have_text("The Club")
        eventually("it is connected", lambda: state(gateway) == "connected")
        # A text of somebody else appears by itself, with its writer and where it was said.
        other.say("club/hut/news", '{"text": "Soup is ready", "from": "Ann"}')
        other.heard()
        theirs = text_of(page, "Soup is ready")
        expect(theirs).to_contain_text("Ann")
        expect(theirs).to_contain_text("club/hut/news")
        expect(theirs.locator("a[href]")).to_have_count(0)
        expect(theirs.locator(".quick")).to_have_count(0)
        theirs.locator("button.more").click()
        expect(page.get_by_role("menuitem")).to_have_text(["Copy text", "Details", "Unread from here", "Copy link"])
        page.get_by_role("menuitem", name="Details").click()
        expect(page.get_by_role("dialog")).to_contain_text("club/hut/news")
        shown.axe("details of a text over a broker")
        page.keyboard.press("Escape")
        shown.write("Coming <b>up</b>")
        assert other.heard() == ("club/talk", "Coming <b>up</b>")
        expect(text_of(page, "Coming").locator(".meta")).to_contain_text("with the broker")
        expect(page.get_by_role("button", name="More to send")).to_have_count(0)
        expect(page.locator("a.chat", has_text="The Club")).to_contain_text("Coming <b>up</b>")
        shown.axe("a chat over a broker")
        picture(page, "talking-chat")
        # Its topics change at once.
        page.get_by_role("button", name="Options of this chat").click()
        page.get_by_role("menuitem", name="Topics, key, bridge").click()
        expect(page.locator("dl.table").first).to_contain_text("connected")
        filters = page.get_by_label("Topics to read")
        expect(filters).to_have_value("club/talk\nclub/+/news")
        # A topic with a comma is another one than two topics.
        for written in (["club/a,b"], ["club/a", "b"], ["club/door"]):
            filters.fill("\n".join(written))
            page.get_by_role("button", name="Save").click()
            eventually("saved", lambda: gateway.get("/api/v1/mqtt/conversations/club")["data"]["filters"] == written)
            expect(page.locator("#said")).to_have_text("Saved.")
            page.locator(".toast").get_by_role("button", name="Close").click()
        assert gateway.get("/api/v1/mqtt/conversations/club")["data"]["topic"] == "club/door"
        shown.axe("what a conversation is made of")
        picture(page, "talking-form")
        page.locator("a.back").click()
        expect(page.locator(".log")).to_be_visible()
        other.say("club/talk", "nobody hears this")
        other.say("club/door", "Who is there?")
        expect(text_of(page, "Who is there?")).to_be_visible(timeout=15000)
        expect(text_of(page, "nobody hears this")).to_have_count(0)
        page.get_by_role("button", name="Options of this chat").click()
        page.get_by_role("menuitem", name="Topics, key, bridge").click()
        page.get_by_role("button", name="Remove").click()
        expect(page.get_by_role("dialog")).to_contain_text("Remove The Club?")
        shown.axe("before a conversation is removed")
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(page.locator("main h1:visible")).to_have_text("Chats")
        expect(page.locator("a.chat", has_text="The Club")).to_have_count(0)
        assert gateway.get("/api/v1/mqtt/conversations")["data"] == []
        shown.check()


def test_a_chat_over_a_broker_is_read_marked_muted_and_searched(chromium):
    with Broker() as broker:
        gateway = with_broker(broker, rules="when = message on mqtt:club\nwords = soup\n")
        make(gateway)
        other = Client(broker)
        shown = Shown(chromium, gateway)
        page = shown.sign_in().page
        row = page.locator("a.chat", has_text="club")
        for number in range(60):
            other.say("club/talk", f"text {number}")
        other.say("club/hut/news", '{"text": "Soup!", "from": "Ann"}')
        expect(row.locator(".count")).to_contain_text("61")
        expect(row).to_contain_text("Ann: Soup!")
        # As it comes from a notification, which is read with the chat.
        page.locator(".bell").click()
        told = page.locator("li.told", has_text="Soup!").get_by_role("link", name="Ann on club")
        assert told.get_attribute("href").startswith("#//c/mqtt:club?m="), told.get_attribute("href")
        told.click()
        expect(page.locator("article.meant")).to_contain_text("Soup!")
        expect(row.locator(".count")).to_have_count(0)
        expect(page.locator(".bell .count")).to_be_hidden()
        # Older ones are loaded as somebody scrolls up.
        expect(text_of(page, "text 0")).to_have_count(0)
        first = page.locator("article .text").first
        eventually("older ones are there", lambda: page.locator(".scroller").evaluate("one => { one.scrollTop = 0; }") or first.inner_text() == "text 0")
        page.get_by_role("button", name="Options of this chat").click()
        page.get_by_role("menuitem", name="Mute for good").click()
        expect(row).to_contain_text("muted")
        page.get_by_role("button", name="Options of this chat").click()
        page.get_by_role("menuitem", name="Search in this chat").click()
        expect(page.get_by_label("Sender")).to_have_count(0)
        page.get_by_label("Words").fill("text 17")
        page.get_by_role("button", name="Search").click()
        expect(page.locator(".found li")).to_have_count(1)
        expect(page.locator(".found li")).to_contain_text("club/talk → club")
        shown.axe("what was found in a chat over a broker")
        page.locator(".found a").click()
        expect(page.locator("article.meant")).to_contain_text("text 17")
        shown.act(page.locator("article.meant"), "Unread from here")
        expect(row.locator(".count")).to_contain_text("44")
        shown.check()


def test_a_token_that_may_only_read_is_told_what_it_lacks(chromium):
    with Broker() as broker:
        gateway = with_broker(broker)
        make(gateway)
        shown = Shown(chromium, gateway)
        page = shown.sign_in(gateway.make_token("reader", "read")).page
        shown.open_chat("club")
        expect(page.locator("#hint")).to_contain_text("messages:write")
        expect(page.locator("#text")).to_be_hidden()
        page.get_by_role("button", name="Options of this chat").click()
        page.get_by_role("menuitem", name="Topics, key, bridge").click()
        expect(page.locator("dl.table").first).to_contain_text("connected")
        expect(page.locator("dl.table").nth(1)).to_contain_text("club/+/news")
        expect(card(page, "Seal")).to_contain_text("no: whoever runs the broker can read it")
        expect(page.locator("main textarea.code")).to_have_value("mesh-gateway token allow reader mqtt:write")
        for button in ("Save", "Make a key", "Build the bridge"):
            expect(page.get_by_role("button", name=button)).to_have_count(0)
        shown.axe("a conversation that the token may not change")
        shown.go("mqtt")
        expect(page.locator("main")).to_contain_text("it lacks mqtt:write")
        shown.check()


def test_where_nobody_can_write_there_is_no_box(chromium):
    with Broker() as broker:
        gateway = with_broker(broker)
        make(gateway, filters=["club/#"])
        shown = Shown(chromium, gateway)
        page = shown.sign_in().page
        shown.open_chat("club")
        expect(page.locator("#hint")).to_contain_text("It has no topic to write to")
        expect(page.locator("#text")).to_be_hidden()
        shown.axe("a chat without a topic to write to")
        shown.check()


def test_a_broker_that_is_away_is_said_and_texts_wait_for_it(chromium):
    with Broker() as broker:
        gateway = with_broker(broker)
        make(gateway, title="The Club")
        shown = Shown(chromium, gateway, viewport=PHONE)
        page = shown.sign_in().page
        shown.open_chat("The Club")
        broker.stop()
        eventually("the gateway knows", lambda: state(gateway) == "connecting")
        expect(page.locator(".pane .head")).to_contain_text("connecting")
        shown.write("Anybody there?")
        own = text_of(page, "Anybody there?")
        expect(own.locator(".meta")).to_contain_text("waits")
        assert not too_wide(page), too_wide(page)
        shown.axe("a chat whose broker is away")
        picture(page, "talking-away")
        page.locator("a.back").click()
        expect(page.locator("a.chat", has_text="The Club").locator("small")).to_contain_text("connecting")
        assert not too_wide(page), too_wide(page)
        picture(page, "talking-list")
        shown.go("mqtt", "club")
        expect(page.locator("dl.table").first).to_contain_text(re.compile("Waiting to be sent\\s*1"))
        assert not too_wide(page), too_wide(page)
        picture(page, "talking-phone")
        shown.go("c", "mqtt:club")
        broker.start()
        expect(own.locator(".meta")).to_contain_text("with the broker", timeout=60000)
        expect(page.locator(".pane .head")).not_to_contain_text("connecting")
        shown.check()


def test_beside_several_radios_it_stands_among_the_chats_of_the_first(chromium):
    with Broker() as broker:
        gateway = with_broker(broker, ["--silent"], ["--silent", "--seed", "2"])
        other = Client(broker)
        first, second = (source["id"] for source in gateway.sources())
        shown = Shown(chromium, gateway)
        page = shown.sign_in().page
        shown.go("new", source=second)
        page.get_by_role("link", name="Over a broker").click()
        page.get_by_label("Name", exact=True).fill("club")
        page.get_by_label("Topics to read").fill("club/talk")
        page.get_by_role("button", name="Make it").click()
        expect(page.locator("main h1")).to_have_text("club")
        eventually("it is connected", lambda: state(gateway) == "connected")
        other.say("club/talk", "Hello")
        expect(text_of(page, "Hello")).to_be_visible()
        shown.go("", source=first)
        expect(page.locator("a.chat", has_text="club")).to_have_count(1)
        shown.go("", source=second)
        expect(page.locator("a.chat", has_text="LongFast")).to_have_count(1)
        expect(page.locator("a.chat", has_text="club")).to_have_count(0)
        shown.check()


def test_a_conversation_is_sealed_and_its_key_forgotten(chromium):
    with Broker() as broker:
        gateway = with_broker(broker)
        make(gateway)
        other = Client(broker)
        shown = Shown(chromium, gateway)
        page = shown.sign_in().page
        shown.go("mqtt", "club")
        seal = card(page, "Seal")
        expect(seal).to_contain_text("no: whoever runs the broker can read it")
        expect(seal.locator("textarea.code")).to_have_value("mesh-gateway conversation key club --import FILE")
        seal.get_by_role("button", name="Make a key").click()
        expect(seal).to_contain_text("with the key")
        assert row_of(gateway)["keyId"] in seal.inner_text()
        expect(page.locator("#said")).to_contain_text(f"It is sealed with the key {row_of(gateway)['keyId']}")
        page.locator(".toast").get_by_role("button", name="Close").click()
        expect(seal.locator("textarea.code")).to_have_value("mesh-gateway conversation key club")
        key = gateway.command("conversation", "key", "club")
        assert key.startswith("meshgw-key:1:") and key not in page.content(), key
        # What is not sealed with it is no text, and is counted.
        for words in ("Soup is ready", "MG1" + 60 * "x", "MG1" + 70 * "y"):
            other.say("club/talk", words)
        expect(seal).to_contain_text(re.compile(r"Not opened\s*2"))
        expect(seal).to_contain_text(re.compile(r"Came in clear\s*1"))
        shown.axe("a sealed conversation")
        picture(page, "talking-sealed")
        # A bridge that the key stands for holds it.
        change(gateway, bridge={"channel": 1})
        seal.get_by_role("button", name="Forget the key").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Forget the key of club?")
        expect(dialog).to_contain_text("new texts go out in clear")
        dialog.get_by_role("button", name="Forget the key").click()
        expect(dialog.get_by_role("alert")).to_contain_text('mqtt:club has a bridge, which needs "json" or a key')
        shown.expected.append("Failed to load resource: the server responded with a status of 409")
        shown.axe("a key that is held by a bridge")
        picture(page, "talking-forget")
        dialog.get_by_role("button", name="Keep it").click()
        card(page, "Bridge to a channel").get_by_role("button", name="End the bridge").click()
        eventually("it has ended", lambda: row_of(gateway)["bridge"] is None)
        seal.get_by_role("button", name="Forget the key").click()
        dialog.get_by_role("button", name="Forget the key").click()
        expect(dialog).to_have_count(0)
        expect(seal).to_contain_text("no: whoever runs the broker can read it")
        expect(card(page, "Bridge to a channel")).to_contain_text("make a key first")
        assert row_of(gateway)["sealed"] is False
        shown.check()


def test_a_conversation_is_bridged_to_a_channel(chromium):
    with Broker() as broker:
        gateway = with_broker(broker, ["--silent"], ["--silent", "--seed", "2"])
        make(gateway, title="The Club")
        other = Client(broker)
        shown = Shown(chromium, gateway)
        shown.expected.append("Failed to load resource: the server responded with a status of 400")
        page = shown.sign_in().page
        shown.go("mqtt", "club")
        bridge = card(page, "Bridge to a channel")
        # Of several radios each channel is named with its own.
        expect(bridge.get_by_label("Channel").locator("option")).to_have_count(6)
        channels = [words.split(", ")[0] for words in bridge.get_by_label("Channel").locator("option").all_inner_texts()]
        assert channels == 2 * ["LongFast", "Hikers", "Rescue"], channels
        expect(bridge).to_contain_text("each text needs an id")
        bridge.get_by_label("Channel").select_option(index=1)
        bridge.get_by_label("Texts down an hour").fill("1")
        bridge.get_by_role("button", name="Build the bridge").click()
        expect(bridge.get_by_role("alert")).to_contain_text('Bridge needs "json" or a key')
        shown.axe("a bridge that is refused")
        picture(page, "talking-bridge-refused")
        page.get_by_label("Send texts as JSON").check()
        page.get_by_role("button", name="Save").click()
        expect(bridge).not_to_contain_text("each text needs an id")
        # What was chosen is still there.
        expect(bridge.get_by_label("Texts down an hour")).to_have_value("1")
        bridge.get_by_role("button", name="Build the bridge").click()
        expect(bridge.get_by_role("button", name="End the bridge")).to_be_visible()
        expect(bridge.get_by_role("alert")).to_be_empty()
        expect(bridge.locator("dl")).to_contain_text("Hikers")
        expect(bridge.locator("dl")).to_contain_text(re.compile(r"Rights of\s*Channel 1"))
        made = row_of(gateway)["bridge"]
        assert (made["source"], made["channel"], made["up"], made["down"], made["textsPerHour"]) == (gateway.source(), 1, True, True, 1), made
        # Up: under the name of the node that has written it, and not as one's own.
        gateway.get("/api/v1/messages", body={"text": "Who is at the hut?", "channel": 1})
        topic, said = other.heard()
        assert topic == "club/talk" and json.loads(said)["text"] == "Who is at the hut?", said
        writer = json.loads(said)["from"]
        shown.go("c", "mqtt:club")
        up = text_of(page, "Who is at the hut?")
        expect(up.locator(".sender")).to_have_text(writer)
        expect(up.locator(".meta")).to_contain_text("with the broker")
        expect(page.locator("a.chat", has_text="The Club")).to_contain_text(f"{writer}: Who is at the hut?")
        up.locator("button.more").click()
        page.get_by_role("menuitem", name="Details").click()
        expect(page.get_by_role("dialog")).to_contain_text("the bridge, from the channel")
        page.keyboard.press("Escape")
        expect(page.locator(".toast")).to_have_count(0)
        shown.axe("a chat that is bridged")
        picture(page, "talking-bridged")
        # Down: one in an hour, and what is more is said. What comes in the first ten seconds of a connection is of yesterday.
        down = eventually("a text is sent on the channel", lambda: said_on_channel(gateway, other))
        shown.go("c", "channel:1")
        own = text_of(page, down)
        expect(own).to_contain_text(re.compile(r"^Ann: Soup \d+"))
        own.locator("button.more").click()
        page.get_by_role("menuitem", name="Details").click()
        expect(page.get_by_role("dialog")).to_contain_text("mqtt:club")
        page.keyboard.press("Escape")
        other.say("club/talk", '{"id": "more", "from": "Ann", "text": "More soup"}')
        eventually("it is not sent", lambda: row_of(gateway)["bridge"]["dropped"] > 0)
        shown.go("mqtt", "club")
        expect(bridge.locator("dl")).to_contain_text(re.compile(r"Not sent down\s*\d+\s*the limit of 1 an hour was reached"))
        # Only one direction, and another number.
        bridge.get_by_label("What passes").select_option("Up only: from the channel to here")
        bridge.get_by_label("Texts down an hour").fill("60")
        bridge.get_by_role("button", name="Save").click()
        eventually("saved", lambda: [row_of(gateway)["bridge"][key] for key in ("up", "down", "textsPerHour")] == [True, False, 60])
        # Another channel would hear what was not meant for it.
        gateway.get(f"/api/v1/sources/{gateway.source()}/channels/1", body={"name": "Climbers"}, method="PUT")
        expect(bridge.locator("dl")).to_contain_text("channel 1 has another name or another key")
        expect(bridge.locator("dl")).to_contain_text("Climbers, ")
        expect(page.locator(".toast")).to_have_count(0)
        shown.axe("a bridge that has stopped")
        picture(page, "talking-bridge-stopped")
        page.set_viewport_size(PHONE)
        bridge.scroll_into_view_if_needed()
        assert not too_wide(page), too_wide(page)
        picture(page, "talking-bridge-phone")
        bridge.get_by_role("button", name="Set it again").click()
        expect(bridge.locator("dl")).not_to_contain_text("another name")
        bridge.get_by_role("button", name="End the bridge").click()
        expect(bridge.get_by_role("button", name="Build the bridge")).to_be_visible()
        assert row_of(gateway)["bridge"] is None
        expect(bridge.locator("dl")).to_contain_text(re.compile(r"Rights of\s*Channel 1"))
        shown.check()


def said_on_channel(gateway, other):
    """What somebody at the broker has said, as it went to the channel."""
    number = time.monotonic_ns()
    other.say("club/talk", f'{{"id": "{number}", "from": "Ann", "text": "Soup {number}"}}')
    time.sleep(1)
    found = gateway.get("/api/v1/messages?channel=1")["data"]
    return next((row["text"] for row in found if row["text"].startswith("Ann: ")), None)


def test_a_bridge_takes_the_rights_of_its_channel(chromium):
    with Broker() as broker:
        gateway = with_broker(broker)
        make(gateway, json=True)
        shown = Shown(chromium, gateway)
        shown.expected.append("Failed to load resource: the server responded with a status of 403")
        page = shown.sign_in(gateway.make_token("listener", "read", "mqtt:write")).page
        shown.go("mqtt", "club")
        bridge = card(page, "Bridge to a channel")
        bridge.get_by_role("button", name="Build the bridge").click()
        # Else it could write by the bridge where it may not.
        expect(bridge.get_by_role("alert")).to_contain_text("it lacks messages:write")
        expect(bridge.get_by_role("alert").locator("textarea")).to_have_value("mesh-gateway token allow listener messages:write")
        assert row_of(gateway)["bridge"] is None
        shown.axe("a bridge that takes another right")
        picture(page, "talking-bridge-right")
        bridge.get_by_label("What passes").select_option("Up only: from the channel to here")
        bridge.get_by_role("button", name="Build the bridge").click()
        expect(bridge.get_by_role("button", name="End the bridge")).to_be_visible()
        expect(bridge.get_by_role("alert")).to_be_empty()
        # Who may only look sees it.
        reader = Shown(chromium, gateway)
        reader.sign_in(gateway.make_token("reader", "read"))
        reader.go("mqtt", "club")
        seen = card(reader.page, "Bridge to a channel")
        expect(seen.locator("dl")).to_contain_text("LongFast")
        expect(seen.locator("dl")).to_contain_text("Up only")
        expect(seen.get_by_role("button")).to_have_count(0)
        reader.axe("a bridge that one may look at")
        picture(reader.page, "talking-bridge-reader")
        # Who may not read the channel does not read the conversation.
        stranger = Shown(chromium, gateway)
        stranger.expected.append("Failed to load resource: the server responded with a status of 403")
        stranger.sign_in(gateway.make_token("stranger", "messages:read", "channel_1:read", "mqtt:read"))
        expect(stranger.page.locator("a.chat", has_text="Hikers")).to_have_count(1)
        expect(stranger.page.locator("a.chat", has_text="club")).to_have_count(0)
        for one in (shown, reader, stranger):
            one.check()


def test_without_a_broker_it_says_how_to_have_one(chromium):
    gateway = Gateway(["--silent"])
    shown = Shown(chromium, gateway)
    page = shown.sign_in().page
    shown.go("mqtt")
    expect(page.locator("main textarea.code")).to_have_value("sudo mesh-gateway mqtt add house mqtt://broker.example --show none")
    expect(page.get_by_role("button", name="Make it")).to_have_count(0)
    shown.axe("no broker to choose")
    shown.check()
