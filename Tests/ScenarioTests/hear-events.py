"""Hears Home Assistant's events of a gateway at a broker, with a session that the broker keeps, and prints each as JSON on a line.

hear-events.py PORT: prints "hears" when it is subscribed for the first time. Comes back whenever the broker does.
"""

import json
import sys

import paho.mqtt.client as mqtt


def connected(client, userdata, flags, reason, properties):
    if not flags.session_present:
        client.subscribe("mesh-gateway/+/+/event/#", qos=1)


def subscribed(client, userdata, number, reasons, properties):
    print("hears", flush=True)


def heard(client, userdata, message):
    print(json.dumps({"topic": message.topic, "retained": message.retain, **json.loads(message.payload)}), flush=True)


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="hears", clean_session=False)
client.on_connect, client.on_subscribe, client.on_message = connected, subscribed, heard
client.reconnect_delay_set(min_delay=1, max_delay=1)
client.connect("127.0.0.1", int(sys.argv[1]), keepalive=5)
client.loop_forever()
