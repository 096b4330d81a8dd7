"""The cable between a simulated radio and the gateway. The test speaks into it, as nodes of the mesh, and counts what the
gateway gives to the radio."""

import collections
import contextlib
import itertools
import socket
import threading
import time

from wire import Fixed, fields, message

TEXT, POSITION, NODE_INFO, ADMIN, WAYPOINT, DETECTION, TELEMETRY, TRACEROUTE = 1, 3, 4, 6, 8, 10, 67, 70
EVERYBODY = 0xFFFFFFFF
SNR, RSSI = 5.5, -80

# What the gateway has given to the radio.
Sent = collections.namedtuple("Sent", "to port payload channel wants_response id")


class Cable:
    def __init__(self, radio_port):
        self.radio_port = radio_port
        # Packets of the gateway, in their order; nodes that the radio has told of, itself first.
        self.sent, self.nodes, self.own = [], [], None
        # How often the radio was asked who it is.
        self.handshakes = 0
        # Not those of an earlier run, which a gateway may know.
        self.ids = itertools.count(int(time.time()) & 0xFFFFFF00 | 0x40000000)
        self.gateway = None
        self.lock = threading.Lock()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                gateway = self.server.accept()[0]
                radio = socket.create_connection(("127.0.0.1", self.radio_port))
                with self.lock:
                    self.gateway = gateway
                threading.Thread(target=self.carry, args=(gateway, radio, self.note_sent, None), daemon=True).start()
                threading.Thread(target=self.carry, args=(radio, gateway, self.note_told, self.lock), daemon=True).start()

    def carry(self, source, target, note, lock):
        """Frames one after the other, so that another can be put between them."""
        with contextlib.suppress(OSError), source, target:
            reader = source.makefile("rb")
            while frame := next_frame(reader):
                note(frame)
                with lock or contextlib.nullcontext():
                    target.sendall(frame)
            with contextlib.suppress(OSError):
                target.shutdown(socket.SHUT_RDWR)

    def note_sent(self, frame):
        packet = fields(frame[4:]).get(1) if frame[:2] == START else None
        data = fields(fields(packet).get(4, b"")) if packet else {}
        if 1 in data:
            packet = fields(packet)
            self.sent.append(Sent(
                packet.get(2, EVERYBODY), data[1], data.get(2, b""), packet.get(3, 0), bool(data.get(3)), packet.get(6, 0)))

    def note_told(self, frame):
        told = fields(frame[4:]) if frame[:2] == START else {}
        if 3 in told:
            self.own = fields(told[3])[1]
            self.handshakes += 1
        elif 4 in told:
            number = fields(told[4])[1]
            if number not in self.nodes:
                self.nodes.append(number)

    def hear(self, sender, port, payload, to=EVERYBODY, channel=0, reply=None, emoji=False, number=None):
        """The radio hears a node of its mesh. Returns the packet's id; with the number of an earlier one it comes again."""
        data = {1: port, 2: payload, 9: 1}
        if reply is not None:
            data[7] = Fixed(reply)
        if emoji:
            data[8] = Fixed(1)
        number = number or next(self.ids)
        packet = {1: Fixed(sender), 2: Fixed(to), 3: channel, 4: data, 6: Fixed(number), 7: Fixed(int(time.time())), 8: SNR,
                  9: 3, 12: RSSI, 15: 3, 21: 1}
        told = message({2: packet})
        with self.lock:
            self.gateway.sendall(START + len(told).to_bytes(2, "big") + told)
        return number

    def close(self):
        self.server.close()


START = b"\x94\xc3"


def next_frame(reader):
    """A frame, or one byte that is in none; empty at the end."""
    head = reader.read(1)
    if head != START[:1]:
        return head
    head += reader.read(1)
    if head != START:
        return head
    head += reader.read(2)
    return head + reader.read(int.from_bytes(head[2:], "big"))
