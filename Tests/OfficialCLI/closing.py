"""A program at a port that closes when the settings have changed, as a radio's own port does: it comes back after a second, reads
the settings again, and hears what comes behind.

    closing.py PORT URL TOKEN

PORT has the right to administer, and closes; URL and TOKEN are those of the gateway's REST API. What fails is printed, and the
exit code is 1 then.
"""

import sys

import meshtastic.tcp_interface
from at_the_port import AtThePort
from pubsub import pub

PORT, URL, TOKEN = sys.argv[1:]
here = AtThePort(PORT, URL, TOKEN)
heard = []


class Counting(meshtastic.tcp_interface.TCPInterface):
    """How often it has connected."""

    connections = 0

    def myConnect(self):
        self.connections += 1
        super().myConnect()

    def hop_limit(self):
        return self.localNode.localConfig.lora.hop_limit if self.isConnected.is_set() else None


def take(packet, interface=None):
    heard.append(packet["decoded"]["text"])


pub.subscribe(take, "meshtastic.receive.text")
integration = Counting("127.0.0.1", portNumber=int(PORT))
for limit in (5, 6):
    before = integration.connections
    integration.localNode.localConfig.lora.hop_limit = limit
    integration.localNode.writeConfig("lora")
    here.eventually(f"it comes back with {limit}", lambda: integration.connections > before)
    here.eventually(f"it reads {limit}", lambda: integration.hop_limit() == limit)
    here.api("/api/v1/messages", {"text": f"behind {limit}", "channel": 0})
    here.eventually(f"it hears what comes behind {limit}", lambda: f"behind {limit}" in heard)
integration.close()
print("\n".join(here.faults))
sys.exit(1 if here.faults else 0)
