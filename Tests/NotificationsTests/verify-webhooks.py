"""Says of webhooks whether they are what the gateway has signed: for each line of standard input one of "good" or "refused".

A line is an object with `secret`, `headers` (by lower-case name) and `body` (a text). Checked with the library of Standard Webhooks.
"""

import json
import sys

from standardwebhooks import Webhook

for line in sys.stdin:
    webhook = json.loads(line)
    try:
        told = Webhook(webhook["secret"]).verify(webhook["body"].encode(), webhook["headers"])
    except Exception:
        print("refused")
    else:
        # What it gives back is the body's JSON.
        print("good" if told == json.loads(webhook["body"]) else "altered")
