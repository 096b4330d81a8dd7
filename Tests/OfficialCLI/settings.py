"""Fields of every type, changed by REST and read back with the official package `meshtastic` at a shared port.

    settings.py PORT URL TOKEN

The port has the right to administer, the token everything. What fails is printed, and the exit code is 1 then.
"""

import base64
import json
import sys
import urllib.error
import urllib.request

import meshtastic.tcp_interface
from at_the_port import AtThePort
from values import value

PORT, URL, TOKEN = sys.argv[1:]
here = AtThePort(PORT, URL, TOKEN)
KEY = bytes(range(32))

# Path, value, and what the library then has. An address is a number there, its first octet the lowest byte.
CHANGES = [
    ("security.debug_log_api_enabled", True, True),
    ("lora.hop_limit", 5, 5),
    ("lora.tx_power", -3, -3),
    ("power.adc_multiplier_override", 1.5, 1.5),
    ("mqtt.root", "msh/Hütte", "msh/Hütte"),
    ("device.role", "CLIENT_MUTE", 1),
    ("security.admin_key", [base64.b64encode(KEY).decode()], [KEY]),
    ("network.ipv4_config.ip", "192.168.1.20", 0x1401A8C0),
    ("lora.ignore_incoming", [305419896, 7], [305419896, 7]),
    ("telemetry.device_update_interval", 3600, 3600),
]


def change(body):
    """Status and data of a PATCH."""
    request = urllib.request.Request(
        f"{URL}/api/v1/sources/default/radio/settings", method="PATCH", data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})  # fmt: skip
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


status, data = change({"changes": [{"path": path, "value": new} for path, new, _ in CHANGES]})
here.check(status == 200 and data["isDone"], f"PATCH: {status} {data}")
library = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))
for path, _, wanted in CHANGES:
    got = value(library.localNode, path)
    here.check(got == wanted, f"{path} is {got!r} and not {wanted!r}")
library.close()

# A secret is set, and goes to no client.
status, data = change({"changes": [{"path": "mqtt.password", "value": "not to be seen"}]})
here.check(status == 200 and data["changes"][0]["newSecretBytes"] == 14, f"the password: {status} {data}")
library = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))
here.check(value(library.localNode, "mqtt.password") != "not to be seen", "the library has the password")
library.close()

# While a program has an edit open, nothing is written.
hops = {"changes": [{"path": "lora.hop_limit", "value": 6}]}
library = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))
library.localNode.beginSettingsTransaction()
here.eventually("the edit is open", lambda: change({**hops, "preview": True})[0] == 409)
status, words = change(hops)
here.check(status == 409 and "a program at a shared port" in words, f"amid an edit: {status} {words}")
library.localNode.commitSettingsTransaction()
here.eventually("the edit has ended", lambda: change(hops)[0] == 200)
library.close()
print("\n".join(here.faults))
sys.exit(1 if here.faults else 0)
