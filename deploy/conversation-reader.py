#!/usr/bin/env python3
"""Prints what is said in a sealed conversation, a line of JSON a text: conversation-reader.py HOST PORT FILTER < KEY

KEY is the line that `mesh-gateway conversation key NAME` shows. Needs python3-paho-mqtt and python3-cryptography.
"""
import base64
import json
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from paho.mqtt import subscribe

host, port, topics = sys.argv[1:]
cipher = AESSIV(base64.urlsafe_b64decode(sys.stdin.readline().strip().removeprefix("meshgw-key:1:") + "="))
known = set()


def read(client, userdata, message):
    mark, nonce, sealed = message.payload[:3], message.payload[3:19], message.payload[19:]
    try:
        said = json.loads(cipher.decrypt(sealed, [message.topic.encode(), nonce]))
    except (InvalidTag, ValueError):
        return
    if mark == b"MG1" and nonce not in known:
        known.add(nonce)
        print(json.dumps(said, ensure_ascii=False), flush=True)


subscribe.callback(read, topics, hostname=host, port=int(port))
