#!/usr/bin/env python3
"""Writes what the corpus begins with: Tests/Fuzz/seeds.py FOLDER makes FOLDER/TARGET/NUMBER of the recordings, the
example configuration and the routes of this repository."""

import hashlib
import json
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
own_nonces = (69420, 69421)


def frame(payload):
    return b"\x94\xc3" + len(payload).to_bytes(2, "big") + payload


def varint(value):
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(parts + [value])


def config_complete(nonce):
    return frame(b"\x38" + varint(nonce))


def fields(message):
    """Number and value of each protobuf field; nothing after the first that cannot be read."""
    place = 0

    def number():
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    try:
        while place < len(message):
            key = number()
            kind = key & 7
            if kind == 0:
                yield key >> 3, number()
                continue
            size = number() if kind == 2 else {1: 8, 5: 4}[kind]
            yield key >> 3, message[place : place + size]
            place += size
    except (IndexError, KeyError):
        return


def entries(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def received(path):
    return b"".join(bytes.fromhex(entry["hex"]) for entry in entries(path) if entry["dir"] == "rx")


def payloads(stream):
    place = stream.find(b"\x94\xc3")
    while place >= 0:
        size = int.from_bytes(stream[place + 2 : place + 4], "big")
        payload = stream[place + 4 : place + 4 + size]
        if size <= 512 and len(payload) == size and list(fields(payload)):
            yield payload
            place = stream.find(b"\x94\xc3", place + 4 + size)
        else:
            place = stream.find(b"\x94\xc3", place + 1)


def pieces(stream, size, most):
    step = max(size, len(stream) // most)
    return [stream[start : start + size] for start in range(0, len(stream), step)]


def stream(recordings):
    for path in recordings:
        for index, piece in enumerate(pieces(received(path), 700, 20)):
            yield bytes([index]) + piece


def frame_to_store(recordings):
    for path in recordings:
        bytes_of_port = received(path)
        found = list(payloads(bytes_of_port))
        settings = [payload for payload in found if payload[0] >> 3 not in (2, 7)][:40]
        both = b"".join(map(frame, settings))
        yield b"\xf9" + both + config_complete(own_nonces[0]) + both + config_complete(own_nonces[1])
        for piece in pieces(bytes_of_port, 600, 4):
            yield b"\xf8" + piece
        for payload in found:
            yield bytes([len(payload) % 16 << 4 | 2]) + payload
            for number, packet in fields(payload):
                data = dict(fields(packet)).get(4) if number == 2 and isinstance(packet, bytes) else None
                if isinstance(data, bytes):
                    inner = dict(fields(data))
                    port, content = inner.get(1, 0), inner.get(2, b"")
                    if isinstance(port, int) and port < 256 and isinstance(content, bytes):
                        circumstances = len(content) & 0x1C | 0x20 * (port % 2)
                        yield bytes([0xF3, port, circumstances]) + content
                        yield bytes([0xF7, port, circumstances | 0x28]) + content
                        yield bytes([len(content) % 12 << 4 | 3, port, 0x80 | circumstances]) + content


def client_packet(_):
    """One of each kind that real clients write: its port, and its fields."""
    kinds = {}
    streams = {}
    for entry in entries(root / "Tests/ClientStreams/streams.jsonl"):
        streams[entry["stream"]] = streams.get(entry["stream"], b"") + bytes.fromhex(entry.get("hex", ""))
    for written in streams.values():
        for payload in payloads(written):
            for packet in (value for number, value in fields(payload) if number == 1 and isinstance(value, bytes)):
                data = dict(fields(packet)).get(4)
                inner = list(fields(data)) if isinstance(data, bytes) else []
                content = dict(inner).get(2)
                order = [number for number, _ in fields(content)] if dict(inner).get(1) == 6 and content else []
                kind = (dict(inner).get(1), *(number for number, _ in [*fields(packet), *inner]), *order)
                kinds.setdefault(kind, packet)
    yield from kinds.values()


def shared_radio(_):
    """What each real client writes, as any client, one that may send, and one that may administer."""
    streams = {}
    for line in (root / "Tests/ClientStreams/streams.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["conn"] == 1 and "hex" in entry:
            streams.setdefault(entry["stream"], bytearray()).extend(bytes.fromhex(entry["hex"]))
    for number, content in enumerate(streams.values()):
        yield bytes([number % 3]) + bytes(content[:1500])


def broker(_):
    """A start, a person who deletes, garbage and foreign devices, a status that is not ours, a broker that forgets."""
    def said(topic, payload, kept=0):
        return bytes([4 + kept, topic, len(payload)]) + payload

    start, away, long = b"\x00", b"\x01", b"\x02\xff"
    for version in (b"\x00", b"\x01"):
        yield version + start + long
        yield version + start + long + said(4, b"") + long + away + start + long
        yield version + start + said(0, b"online", 1) + said(1, b"7", 1) + said(4, b"{}", 1) + said(7, b"{}", 1) + long
        yield version + start + long + said(0, b"offline") + said(2, b"online") + long + said(2, b"offline")
        yield version + start + long + b"\x03" + away + b"\x03" + start + long
        yield version + start + long + said(200, b"homeassistant/device/x/config") + said(8, b"\xff\x00{") + long


def capture_file(recordings):
    for path in recordings:
        lines = path.read_text().splitlines()
        short = [line for line in lines if len(line) < 600]
        for start in range(0, len(short), max(12, len(short) // 6)):
            yield "\n".join(short[start : start + 12]).encode()
        asked = [entry for entry in entries(path) if entry["dir"] == "tx"][:3]
        answers = [entry for entry in entries(path) if entry["dir"] == "rx" and len(entry["hex"]) < 400][:3]
        end = {"t": 9, "dir": "rx", "hex": config_complete(own_nonces[0]).hex(), "at": 1787300000000}
        lost = {"t": 9.5, "dir": "ev", "hex": "", "event": "port lost: \"unplugged\"\\\u0007"}
        want = {"t": 0, "dir": "tx", "hex": frame(b"\x18" + varint(own_nonces[0])).hex()}
        yield "\n".join(map(json.dumps, [want, *answers, end, *asked, lost, want, end])).encode()


def configuration(_):
    text = (root / "deploy/mesh-gateway.conf").read_text()
    yield text.encode()
    live = re.sub(r"^#(\w[\w-]* *=)", r"\1", text, flags=re.M)
    for line in re.findall(r"^[\w-]+ *=.*$", live, flags=re.M):
        yield line.encode() + b"\n"
    tests = "\n".join(path.read_text() for path in sorted((root / "Tests/ConfigurationTests").glob("*.swift")))
    settings = re.findall(r"^ *([a-z][a-z-]+ = .*)$", tests, flags=re.M)
    for start in range(0, len(settings), 8):
        yield "\n".join(settings[start : start + 8]).encode()
    for line in settings:
        yield line.encode()
    yield b"name = x\0MESH_GATEWAY_NAME=Hut\nMESH_GATEWAY_LISTEN=8080,[::1]:1\nMESH_GATEWAY_NAM=y\n"


def token(_):
    yield b"Bearer mm_v1_0123456789abcdef0123456789abcdef"
    yield b"mm_v1_0123456789abcdef0123456789abcdef"
    yield b"mm_v1_0123456789ABCDEF0123456789abcdef"
    yield bytes(45)
    yield b"bearer  x"
    for scopes in ("admin", "read", "send", "read send", "nodes:read channel_0:viewOnMap channels:write", "nodes:reed"):
        yield scopes.encode()


bodies = [
    ("POST", "/api/v1/messages", {"text": "Gr\u00fcezi \U0001f44b", "channel": 0, "replyId": 7, "queue": True}),
    ("POST", "/api/v1/messages", {"text": "x" * 230, "toNodeId": "!abcdef12", "emoji": 1}),
    ("POST", "/api/v1/messages/m_7/resend", {}),
    ("POST", "/api/v1/channel-database", {"name": "Hut", "psk": "AQ==", "isEnabled": True, "enforceNameValidation": False}),
    ("PUT", "/api/v1/channel-database/1", {"name": "Hut", "psk": "", "description": None}),
    ("POST", "/api/traceroute", {"destination": "!abcdef12", "channel": 1}),
    ("POST", "/api/nodes/!abcdef12/favorite", {"isFavorite": True, "syncToDevice": True}),
    ("POST", "/local/tokens", {"name": "a", "scopes": ["nodes:read"], "expiresAt": 4102444800000}),
    ("POST", "/local/channel-links", {"link": "https://meshtastic.org/e/#CgMSAQESCAgBOANAA0gB"}),
]
queries = ["limit=3&offset=1", "since=1787300000", "before=1787300000000", "nodeId=!abcdef12&type=voltage", "search=a%20b%22",
           "hours=24&averaging=5", "portnum=1&encrypted=0", "format=json", "since=-1&limit=0x10&x=%zz"]


def routes():
    """Method and path of each endpoint, as the sources list them."""
    rooms = [root / "Sources" / room for room in ("RestAPI", "ControlAPI", "Routes")]
    for path in sorted(file for room in rooms for file in room.rglob("*.swift")):
        text = path.read_text()
        for kind, rest in re.findall(r"\b(perSource|v1|session|open|local|cookie|LocalPage)\(([^\n]*\n?[^\n]*)", text):
            method = re.search(r"\.(get|post|put|delete)\b", rest)
            name = re.search(r'"([^"]*)"', rest)
            if not name or not (name[1] or kind == "v1"):
                continue
            place = {"perSource": "/api/v1/sources/default/", "v1": "/api/v1/"}.get(kind, "") + name[1]
            yield (method[1] if method else "get").upper(), place


parameters = {"nodeId": "!abcdef12", "id": "1", "messageId": "m_7", "sourceId": "default", "name": "a", "number": "2882400018"}


def http_request(_):
    for index, (method, path) in enumerate(sorted(set(routes()))):
        path = re.sub(r"\{(\w+)\}", lambda match: parameters.get(match[1], "!abcdef12"), path)
        who = 6 if path.startswith("/local") else 1
        body = "" if method == "GET" else "{}"
        yield bytes([who]) + f"{method} {path} HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{body}".encode()
        query = queries[index % len(queries)]
        yield bytes([who]) + f"{method} {path}?{query} HTTP/1.1\r\nHost: a\r\nOrigin: http://localhost:8080\r\n\r\n".encode()
    for method, path, body in bodies:
        who = 6 if path.startswith("/local") else 1
        yield bytes([who]) + f"{method} {path} HTTP/1.1\nContent-Type: application/json\n\n{json.dumps(body)}".encode()
    for who in range(8):
        yield bytes([who]) + b"GET /api/v1/messages HTTP/1.1\nHost: a\n\n"
        yield bytes([who]) + b"GET /api/v1/nodes HTTP/1.1\nAccept: */*\nIf-None-Match: *\nX-Forwarded-For: 1.2.3.4\n\n"
        yield bytes([who]) + b"OPTIONS http://a/api/v1 HTTP/1.1\nOrigin: http://b\nCookie: meshmonitor.sid=1.2.3; a=b\n\n"
    yield b"\x01POST /api/v1/messages HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\ntext=a+b%21&channel=0"


def command_line(_):
    """Lines for the made-up program of Tests/MadeUpProgram."""
    lines = ["", "help", "--help", "--version", "help --json", "help ships moor", "ships", "ships list -af --limit 3",
             "ships --all --no-such", "ships list --limit many", "ships list -l", "ships moor Anna", "ships moor Anna 65536",
             "ships moor Anna 7 8", "ships list --book /tmp/b --pier north --pier south", "ships --pier none", "ships --pier=",
             "load bulk coal", "load crates -- -a --b", "load sand coal", "load bulk coal --weight 1e9", "load bulk --weight=-2 x",
             "load", "crane", "crane --help", "secret", "shipps", "shisp list", "--hlep", "ships list --lim", "ships -", "ships --"]
    for line in lines:
        yield line.replace(" ", "\0").encode()
    yield "ships\0moor\0Anna am Berg\0".encode()
    yield "load\0bulk\0\x1b[2J\n\u202e\u8239\0--weight".encode()
    yield b"ships\0moor\0\xff\xfe"


def pattern(_):
    """Patterns of deploy/RULES.md, each with a text."""
    for one in [r"help|sos", r"^(?-i)SOS\b", r"(?P<hut>\w+) hut", r"[[:alpha:]-z]{2,5}?", r"\pL+\x{1F600}?", r"[^a-c\d]$", "(a*)*b",
                "(?:a|a?){50}", r"(?s).*(?m)^end$", r"zip {z:[0-9]{5}}", r"((((x{9}){9}){9}){9}", r"\p{Lu}\P{^Nd}", "[]", "(?i", "a{2,1}"]:
        yield one.encode() + b"\0" + "Help! SOS at the Hut, aaaaa Zip 12345 äß\nend".encode()
    yield b"\xff[\xc3-\xe2]\0\xff\xfe"


def settings_file(_):
    """Files of settings as both programs write them, and what is refused of YAML."""
    yield """# settings
owner: "H\\u00fctte"
ownerShort: HS
canned_messages: Ja|Nein
location: {lat: 47.2692, lon: -11.4041, alt: 574}
config:
  position: {fixedPosition: true}
  lora: {hopLimit: 5, ignoreIncoming: ['305419896', 7], region: EU_868, overrideFrequency: 869.525}
  network: {wifiPsk: sekrit, ipv4Config: {ip: 335653056}}
  security:
    adminKey:
    - base64:q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=
    privateKey: base64:AAAA
    isManaged: true
module_config:
  remoteHardware:
    availablePins:
    - gpioPin: 4
      name: Door
  mqtt: {mapReportSettings: {publishIntervalSecs: 60}}
""".encode()
    for one in ["channel_url: https://meshtastic.org/e/#CgMSAQESCAgBOANAA0gB", "config: {lora: {region: MARS}}", "a: &x 1\nb: *x",
                "a: !!str 1", "a: 1\na: 2", "[a]: 1", "? {a: b}\n: c", "a: [[[[[[[[1]]]]]]]]", "a: |2-\n   b\n", "a: >+\n  b\n\n",
                "--- a\n...\n--- b", "%YAML 1.1\n---\na: 'it''s'", "a: \"\\x41\\\n b\"", "owner: ~\nlocation: null", "\tb", "a: b: c"]:
        yield one.encode()
    yield b"\xff\xfea\0"
    yield b"owner: \xc3("


def pair_text(text):
    return len(text).to_bytes(4, "big") + text.encode()


def pair_number(number):
    return number.to_bytes(4, "big", signed=True)


def pair_inputs(frames):
    """Each frame alone, all of them by several sizes, and what is no frame."""
    whole = b"".join(len(one).to_bytes(4, "big") + one for one in frames)
    for one in frames:
        yield b"\3" + len(one).to_bytes(4, "big") + one
    yield from (bytes([size]) + whole for size in (1, 7, 255))
    yield b"\7" + whole[:-1]
    yield from (b"\4" + bad for bad in (b"\xff\xff\xff\xff\1", bytes(4), b"\0\0\0\1\x63"))


def broker_calls(_):
    """Kinds 1 to 7: probe, connect, publish, subscribe, unsubscribe, answer, disconnect."""
    settings = (pair_text("house.local") + b"\x22\xb3\0\x3c" + pair_text("meshgw") + b"\1" + bytes(4) + b"\1" + pair_text("mesh")
                + b"\1" + pair_text("secret") + b"\1\0\1" + pair_text("/c") + b"\1" + pair_text("/k") + b"\1" + pair_text("s")
                + pair_number(8 << 20))
    message = pair_text("a/b") + pair_text("xy") + b"\1\0\1" + pair_number(60) + b"\0\1" + pair_text("a") + pair_text("b")
    subscription = pair_text("a/#") + b"\1\1\1\2\1" + pair_number(7)
    yield from pair_inputs([
        b"\1", b"\2\5" + settings, b"\2\4" + settings, b"\3" + pair_number(1) + message,
        b"\3" + pair_number(2) + bytes(8) + b"\0\1\0\0\0", b"\4" + pair_number(2) + subscription,
        b"\4" + pair_number(9) + pair_text("#") + bytes(5), b"\5" + pair_number(3) + pair_text("a/#"), b"\6", b"\7"])


def broker_events(_):
    """Kinds 1 to 11, in the order of ConnectionEvent."""
    limits = b"\0\0\x03\xe8\0\x14\0\x3c\2\1\1\0"
    message = (pair_text("a/b") + pair_text("xy") + b"\2\0\7\1\0\2" + pair_number(7) + pair_number(8) + b"\0\1" + pair_text("a")
               + pair_text("b"))
    yield from pair_inputs([
        b"\1" + pair_text("2.0.11"), b"\2" + pair_text("no such file"), b"\3", b"\4\0" + bytes(4) + limits + b"\1",
        b"\5" + message, b"\6" + pair_number(1) + b"\0" + bytes(4), b"\7" + pair_number(2) + b"\x80", b"\x08" + pair_number(3),
        b"\x09\x8e" + pair_text("x"), b"\x0a" + pair_number(7) + pair_text("lost") + b"\1", b"\x0b"])


def sealed_text(_):
    """What a stranger sends, and what is sealed by somebody who has the key."""
    yield from (b"\0" + payload for payload in (b"MG1", b"MG1" + bytes(16), b"MG1" + bytes(100), b"MG2" + bytes(50), b"clear"))
    said = {"id": "a-1", "from": "Ann", "text": "Servus", "at": 1795831200000}
    for number, content in enumerate([said, {"text": "x"}, {"text": " "}, {"from": "Ann"}, [], said | {"from": "n" * 300},
                                      said | {"id": "i" * 129}, said | {"text": "\u0007\u202e\n\U0001f3d4"}], 1):
        yield bytes([number]) + json.dumps(content, ensure_ascii=False).encode()
    yield from (b"\xff" + content for content in (b"", b"\xff\xfe", b"[" * 500, b"by hand"))


def main():
    recordings = sorted((root / "Tests/Recordings").glob("*.jsonl"))
    for make in (stream, broker, broker_calls, broker_events, shared_radio, frame_to_store, capture_file, client_packet,
                 command_line, configuration, token, http_request, pattern, sealed_text,
                 settings_file):
        folder = Path(sys.argv[1]) / make.__name__.replace("_", "-")
        folder.mkdir(parents=True, exist_ok=True)
        for seed in make(recordings):
            (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed[:4096])


main()
