"""The official package at a shared port hears what a rule answers, with what it answers.

    answered.py PORT URL TOKEN

Once it is connected it says so. Then somebody pings, and the line that it is told is the packet id of the ping. What fails is
printed, and the exit code is 1 then.
"""

import sys

import meshtastic.tcp_interface
from at_the_port import AtThePort
from pubsub import pub

PORT, URL, TOKEN = sys.argv[1:]
here = AtThePort(PORT, URL, TOKEN)
heard = []


def take(packet, interface=None):
    heard.append((packet["decoded"].get("replyId"), packet["decoded"]["text"]))


pub.subscribe(take, "meshtastic.receive.text")
interface = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))
print("connected", flush=True)
ping = int(sys.stdin.readline())
here.eventually("it hears the ping", lambda: (None, "ping") in heard)
here.eventually("it hears the answer", lambda: (ping, "heard you") in heard)
interface.close()
print("\n".join(here.faults))
sys.exit(1 if here.faults else 0)
