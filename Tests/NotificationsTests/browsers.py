"""Browsers and push services, by the libraries that others use for them: answers each line of standard input with one.

browsers.py keys     one browser's keys a line: {"private", "p256dh", "auth"}, made by cryptography
browsers.py open     {"private", "auth", "body"} to the text that http-ece opens, in base64; else "refused"
browsers.py headers  the value of Authorization to the claims of its token, if py-vapid finds it good; else "refused"

Bytes are in base64, keys in that for links without padding.
"""

import base64
import json
import os
import sys

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02


def link(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unlinked(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def keys(_):
    private = ec.generate_private_key(ec.SECP256R1())
    return json.dumps({
        "private": link(private.private_numbers().private_value.to_bytes(32, "big")),
        "p256dh": link(private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)),
        "auth": link(os.urandom(16)),
    })


def opened(line):
    push = json.loads(line)
    private = ec.derive_private_key(int.from_bytes(unlinked(push["private"]), "big"), ec.SECP256R1())
    text = http_ece.decrypt(
        base64.b64decode(push["body"]), private_key=private, auth_secret=unlinked(push["auth"]), version="aes128gcm")
    return base64.b64encode(text).decode()


def claims(line):
    if not Vapid02.verify(line):
        return "refused"
    header, body, _ = line.split("t=")[1].split(",")[0].split(".")
    assert json.loads(unlinked(header)) == {"alg": "ES256", "typ": "JWT"}, header
    return unlinked(body).decode()


answer = {"keys": keys, "open": opened, "headers": claims}[sys.argv[1]]
for line in sys.stdin:
    try:
        print(answer(line.rstrip("\n")))
    except Exception:
        print("refused")
