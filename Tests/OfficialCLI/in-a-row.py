"""Commands that change settings, one straight after the other, while the radio restarts again and again as it was told. Each ends
at once and waits for nothing: what it has said must be done all the same.

    in-a-row.py PORT URL TOKEN

PORT has the right to administer, URL and TOKEN are those of the gateway's REST API. What fails is printed, and the exit code is 1
then.
"""

import sys

from at_the_port import AtThePort

PORT, URL, TOKEN = sys.argv[1:]
here = AtThePort(PORT, URL, TOKEN)
SETTINGS = [
    ("display.screen_on_secs", "61"), ("lora.hop_limit", "5"), ("position.gps_update_interval", "77"),
    ("power.ls_secs", "301"), ("telemetry.device_update_interval", "1801"), ("range_test.sender", "63"),
    ("neighbor_info.update_interval", "14401"), ("store_forward.records", "25"), ("serial.timeout", "9"),
    ("external_notification.output_ms", "501"), ("detection_sensor.minimum_broadcast_secs", "46"),
    ("mqtt.root", "msh/row"),
]
for name, value in SETTINGS:
    here.expect(["--set", name, value], 0, "Writing .* configuration")
here.expect(["--set-owner", "In a row"], 0, "Setting device owner")


def values():
    words = [word for name, _ in SETTINGS for word in ("--get", name)]
    return here.cli(*words)[1]


here.eventually("everything is set", lambda: all(f"{name}: {value}" in values() for name, value in SETTINGS))
here.eventually("the owner is set", lambda: "In a row" in here.cli("--info")[1])
print("\n".join(here.faults), values() if here.faults else "")
sys.exit(1 if here.faults else 0)
