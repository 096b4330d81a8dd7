"""The official package `meshtastic` on a shared radio, as several programs use it at once.

    shared.py RIGHT PORT URL TOKEN NODE

RIGHT is what the port allows, URL and TOKEN those of the gateway's REST API, NODE the id of a node that answers. What fails
is printed, and the exit code is 1 then.
"""

import re
import sys
import threading

import meshtastic.tcp_interface
from at_the_port import AtThePort, Listen
from pubsub import pub

RIGHT, PORT, URL, TOKEN, NODE = sys.argv[1:6]
here = AtThePort(PORT, URL, TOKEN)


def texts():
    return [row["text"] for row in here.api("/api/v1/messages?limit=100")]


def listener():
    """A library that stays connected, and the texts that it hears."""
    heard = []
    interface = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))

    def take(packet, interface=None):
        heard.append(packet["decoded"]["text"])

    pub.subscribe(take, "meshtastic.receive.text")
    return interface, heard, take


def several_at_once(may_send):
    """Two command lines, a library and a REST client."""
    interface, heard, taker = listener()
    results = {}
    words = {
        "one": ["--sendtext", "from one", "--ack"], "two": ["--nodes"], "three": ["--traceroute", NODE],
        # The package waits on after a refusal, until its time is over.
        "four": ["--request-position", "--dest", NODE, "--timeout", "20"],
    }
    threads = [threading.Thread(target=lambda n=n, w=w: results.update({n: here.cli(*w)})) for n, w in words.items()]
    for thread in threads:
        thread.start()
    here.api("/api/v1/messages", {"text": "from REST", "channel": 0})
    for thread in threads:
        thread.join()
    expected = {
        "one": "implicit ACK|Received an ACK" if may_send else "NOT_AUTHORIZED|NAK", "two": NODE,
        "three": "Route traced" if may_send else "NOT_AUTHORIZED|Timed out|No response",
        "four": "Sending position request",
    }
    for name, pattern in expected.items():
        code, output = results[name]
        here.check(code is not None and re.search(pattern, output), f"{name}: {code}; not {pattern!r} in\n{output[-1500:]}")
    here.eventually("the library hears REST", lambda: "from REST" in heard)
    if may_send:
        here.eventually("the library hears the command line", lambda: "from one" in heard)
        here.eventually("REST has the command line's text", lambda: "from one" in texts())
        interface.sendText("from the library")
        here.eventually("REST has the library's text", lambda: "from the library" in texts())
        here.check(heard.count("from one") == 1, f"{heard}")
    here.check(heard.count("from REST") == 1, f"{heard}")
    interface.close()


def settings(may_change):
    here.expect(["--info"], 0, "Simulated radio")
    here.expect(["--nodes"], 0, NODE)
    here.expect(["--export-config"], 0, "canned_messages:|config:")
    here.expect(["--device-metadata"], 0, r"firmware_version: 2\.")
    here.expect(["--set", "lora.hop_limit", "5"], 0, "Writing lora configuration")
    here.expect(["--ch-index", "1", "--ch-set", "name", "Path"], 0, "Writing modified channels")
    is_changed("hop limit", ["--get", "lora.hop_limit"], r"lora.hop_limit: 5", may_change)
    is_changed("channel", ["--info"], r'"name": "Path"', may_change)


def owner(may_change):
    """At last: the radio restarts seven seconds later, and what it is told in that moment is lost, as at a cable."""
    here.expect(["--set-owner", "New owner"], 0, "Setting device owner")
    is_changed("owner", ["--info"], "New owner", may_change)


def is_changed(what, words, pattern, may_change):
    def is_so():
        return (re.search(pattern, here.cli(*words)[1]) is not None) == may_change
    if may_change:
        here.eventually(what, is_so)
    else:
        here.check(is_so(), f"{what} was changed")


settings(RIGHT == "admin")
listen = Listen(here)
listen.hears()
listen.end()
several_at_once(RIGHT != "read")
owner(RIGHT == "admin")
print("\n".join(here.faults))
sys.exit(1 if here.faults else 0)
