"""Plays Apple's push service (APNs), by its documents: two hosts over HTTP/2 and TLS, on ports of their own.

    apple.py CERTIFICATE KEY SETTINGS

SETTINGS is an object with `key` (the public half, 65 bytes in base64 for links), `keyID`, `team`, `topic` and `answers`: for
"HOST/DEVICE TOKEN" what is answered, one after the other and then the last one again, each a list of status, body (an object or a
text) and headers. What is not listed is answered as Apple's documents say: 200, or the reason why not.

The first line is an object with the two ports; each other one is a request that has come, with what it was answered.
"""

import base64
import json
import re
import socket
import ssl
import sys
import threading
import time

import h2.config
import h2.connection
import h2.events
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

settings = json.loads(sys.argv[3])
lock = threading.Lock()
counts = {}


def unlinked(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def say(value):
    with lock:
        print(json.dumps(value), flush=True)


def refusal_of_token(text):
    """Why a provider's token is none; None if it is good."""
    if not text:
        return 403, "MissingProviderToken"
    try:
        word, token = text.split(" ")
        head, claims, signature = token.split(".")
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unlinked(settings["key"]))
        raw = unlinked(signature)
        assert word == "bearer" and len(raw) == 64
        pair = (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        key.verify(utils.encode_dss_signature(*pair), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        assert json.loads(unlinked(head)) == {"alg": "ES256", "kid": settings["keyID"]}
        claims = json.loads(unlinked(claims))
        assert claims.keys() == {"iss", "iat"} and claims["iss"] == settings["team"]
    except (AssertionError, ValueError, InvalidSignature):
        return 403, "InvalidProviderToken"
    return None if abs(time.time() - claims["iat"]) < 3600 else (403, "ExpiredProviderToken")


def refusal(headers, body):
    """What Apple refuses, in its words; None if it takes the request."""
    path = headers[":path"]
    if headers[":method"] != "POST":
        return 405, "MethodNotAllowed"
    if not path.startswith("/3/device/"):
        return 404, "BadPath"
    if path == "/3/device/":
        return 400, "MissingDeviceToken"
    if not re.fullmatch(r"/3/device/[0-9a-f]{64,200}", path):
        return 400, "BadDeviceToken"
    wrong = refusal_of_token(headers.get("authorization"))
    if wrong:
        return wrong
    if "apns-topic" not in headers:
        return 400, "MissingTopic"
    if headers["apns-topic"] != settings["topic"]:
        return 400, "BadTopic"
    if headers.get("apns-push-type") != "alert":
        return 400, "InvalidPushType"
    if headers.get("apns-priority") not in ("5", "10"):
        return 400, "BadPriority"
    if not re.fullmatch(r"\d{1,10}", headers.get("apns-expiration", "")):
        return 400, "BadExpirationDate"
    if not 1 <= len(headers.get("apns-collapse-id", "").encode()) <= 64:
        return 400, "BadCollapseId"
    if not body:
        return 400, "PayloadEmpty"
    if len(body) > 4096:
        return 413, "PayloadTooLarge"
    try:
        told = json.loads(body)
        assert told["aps"]["alert"]["title"] and told["aps"]["sound"] == "default"
    except (AssertionError, KeyError, TypeError, ValueError):
        return 400, "PayloadEmpty"
    return None


def answer(host, headers, body):
    """Status, body and headers."""
    key = host + "/" + headers[":path"].removeprefix("/3/device/")
    planned = settings["answers"].get(key)
    wrong = refusal(headers, body)
    if planned:
        with lock:
            number = counts[key] = counts.get(key, -1) + 1
        status, text, more = planned[min(number, len(planned) - 1)]
        # What is planned says nothing about a request that Apple would not have taken.
        if not wrong or status != 200:
            return status, text, more
    return (wrong[0], {"reason": wrong[1]}, {}) if wrong else (200, "", {})


def serve(host, plain, context):
    with plain:
        try:
            stream = context.wrap_socket(plain, server_side=True)
        except (ssl.SSLError, OSError):
            return
        with stream:
            if stream.selected_alpn_protocol() == "h2":
                converse(host, stream)


def converse(host, stream):
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
    connection.initiate_connection()
    stream.sendall(connection.data_to_send())
    requests = {}
    while True:
        try:
            data = stream.recv(65536)
        except OSError:
            return
        if not data:
            return
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                requests[event.stream_id] = (dict(event.headers), bytearray())
            elif isinstance(event, h2.events.DataReceived):
                requests[event.stream_id][1].extend(event.data)
                connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                headers, body = requests.pop(event.stream_id)
                status, text, more = answer(host, headers, bytes(body))
                say({"host": host, "headers": headers, "body": body.decode("utf-8", "replace"), "status": status})
                text = (text if isinstance(text, str) else json.dumps(text)).encode()
                connection.send_headers(
                    event.stream_id, [(":status", str(status)), ("apns-id", "0")] + list(more.items()),
                    end_stream=not text)
                # A window of HTTP/2 is 64 kB, a frame 16 kB.
                while text:
                    connection.send_data(event.stream_id, text[:16384], end_stream=len(text) <= 16384)
                    text = text[16384:]
        stream.sendall(connection.data_to_send())


def listen(host):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.set_alpn_protocols(["h2"])
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            plain, _ = listener.accept()
            threading.Thread(target=serve, args=(host, plain, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


say({host: listen(host) for host in ("production", "sandbox")})
# Until whoever has started it goes.
sys.stdin.read()
