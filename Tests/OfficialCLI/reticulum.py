"""Reticulum's interface on a shared radio, as far as the radio is concerned: bytes on port 76, both ways.

    reticulum.py PORT

It sends, and prints "connected"; by the time that a line of standard input names them in hexadecimal, the mesh has sent bytes, too.
What fails is printed, and the exit code is 1 then.
"""

import sys
import threading
import time

import meshtastic.tcp_interface
from at_the_port import patience
from meshtastic.protobuf import portnums_pb2
from pubsub import pub

PORT = int(sys.argv[1])
# Of all values, and as many as go into one packet of such an interface.
SENT = bytes(range(200))
heard, changed, faults = [], threading.Condition(), []


def take(packet, interface=None):
    decoded = packet.get("decoded", {})
    if decoded.get("portnum") == "RETICULUM_TUNNEL_APP":
        with changed:
            heard.append(bytes(decoded["payload"]))
            changed.notify()


pub.subscribe(take, "meshtastic.receive")
interface = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=PORT)
for part in (SENT, b""):
    interface.sendData(
        part, destinationId="^all", portNum=portnums_pb2.PortNum.RETICULUM_TUNNEL_APP, wantAck=False, wantResponse=False,
        channelIndex=0, hopLimit=1)
print("connected", flush=True)
wanted = bytes.fromhex(sys.stdin.readline().strip())
end = time.monotonic() + patience()
with changed:
    while wanted not in heard and time.monotonic() < end:
        changed.wait(1)
if wanted not in heard:
    faults.append(f"{wanted.hex()} is not among {[part.hex() for part in heard]}")
# What it has sent itself does not come back to it.
if SENT in heard:
    faults.append("it hears itself")
interface.close()
print("\n".join(faults))
sys.exit(1 if faults else 0)
