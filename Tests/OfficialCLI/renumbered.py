"""The official package `meshtastic` on a shared radio that becomes another node meanwhile.

    renumbered.py PORT URL TOKEN

URL and TOKEN are those of the gateway's REST API; the port has the right to administer. Prints "connected" once a library and
`--listen` are, and reads the radio's new number, as !0a0b0c0d, from standard input: the radio has it by then. What fails is
printed, and the exit code is 1 then.
"""

import re
import sys

import meshtastic.tcp_interface
from at_the_port import AtThePort, Listen

PORT, URL, TOKEN = sys.argv[1:]
here = AtThePort(PORT, URL, TOKEN)


def sender_of(text):
    """Who has said it, as REST has it."""
    return next((row["fromNodeId"] for row in here.api("/api/v1/messages?limit=100") if row["text"] == text), None)


library = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))
old = f"!{library.myInfo.my_node_num:08x}"
library.sendText("before it")
here.eventually("the text of before", lambda: sender_of("before it") == old)
listen = Listen(here)
listen.hears()
print("connected", flush=True)
new = sys.stdin.readline().strip()
here.check(new != old, f"the radio still is {old}")

# The library that stays connected reads the radio again, and goes on as the new node.
here.eventually("it knows its number", lambda: library.myInfo and f"!{library.myInfo.my_node_num:08x}" == new)
own = library.localNode
here.eventually("it has read everything", lambda: library.isConnected.is_set() and own.localConfig.lora.hop_limit)
here.check(own.nodeNum == library.myInfo.my_node_num, f"the library administers {own.nodeNum:08x}")
library.sendText("after it")
here.eventually("the text of afterwards", lambda: sender_of("after it") == new)
listen.hears()

# Programs that come afterwards.
here.expect(["--info"], 0, re.escape(new))
here.expect(["--nodes"], 0, re.escape(new))
here.expect(["--sendtext", "from a command", "--ack"], 0, "implicit ACK|Received an ACK")
here.check(sender_of("from a command") == new, f"the command's text is from {sender_of('from a command')}")
# At last, because the radio restarts with it: the library administers the node that the radio is now.
library.localNode.setOwner("Renumbered")
here.eventually("the owner is written", lambda: here.api(f"/api/v1/nodes/{new}")["longName"] == "Renumbered")
library.close()
listen.end()
print("\n".join(here.faults))
sys.exit(1 if here.faults else 0)
