"""A program at a port that closes when the settings have changed, as Home Assistant's integration is one: it does not know
`rebooted`, and comes back two seconds after its connection has ended.

    closing.py PORT URL TOKEN

PORT has the right to administer, and closes; URL and TOKEN are those of the gateway's REST API. What fails is printed, and the
exit code is 1 then.
"""

import sys
import threading
import time

import meshtastic.tcp_interface
from at_the_port import AtThePort
from pubsub import pub

PORT, URL, TOKEN = sys.argv[1:]
here = AtThePort(PORT, URL, TOKEN)


class Integration:
    """One connection after the other."""

    def __init__(self):
        self.radio, self.heard, self.ends = None, [], 0
        pub.subscribe(self.lose, "meshtastic.connection.lost")
        pub.subscribe(self.take, "meshtastic.receive.text")
        self.connect()

    def connect(self):
        self.radio = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))

    def lose(self, interface=None):
        if interface is not self.radio:
            return
        self.radio, self.ends = None, self.ends + 1
        threading.Thread(target=self.come_back, args=(interface,)).start()

    def come_back(self, before):
        before.close()
        time.sleep(2)
        self.connect()

    def take(self, packet, interface=None):
        self.heard.append(packet["decoded"]["text"])

    def hop_limit(self):
        radio = self.radio
        return radio.localNode.localConfig.lora.hop_limit if radio and radio.isConnected.is_set() else None


integration = Integration()
here.check(integration.hop_limit() == 3, f"its hop limit is {integration.hop_limit()}")
for limit in (5, 6):
    before = integration.ends
    here.expect(["--set", "lora.hop_limit", str(limit)], 0, "Writing lora configuration")
    here.eventually(f"it is disconnected with {limit}", lambda: integration.ends > before)
    here.eventually(f"it comes back and reads {limit}", lambda: integration.hop_limit() == limit)
    here.api("/api/v1/messages", {"text": f"behind {limit}", "channel": 0})
    here.eventually(f"it hears what comes behind {limit}", lambda: f"behind {limit}" in integration.heard)
pub.unsubAll()
integration.radio.close()
print("\n".join(here.faults))
sys.exit(1 if here.faults else 0)
