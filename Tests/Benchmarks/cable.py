"""A serial cable between a simulated radio and the gateway, into which packets of our own can be put at the line's speed."""

import contextlib
import os
import select
import socket
import threading
import time
import tty

from servers import Client, create_tokens, gateway, simulated_radio, until

BAUD = 115200


class Cable:
    """Carries both ways from the radio's TCP port to the pseudo terminal `device`, until it is closed."""

    def __init__(self, radio_port):
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.device = os.ttyname(self.slave)
        self.radio = socket.create_connection(("127.0.0.1", int(radio_port)))
        self.lock = threading.Lock()
        self.is_open = True
        self.thread = threading.Thread(target=self.carry)
        self.thread.start()

    def carry(self):
        while self.is_open:
            ready, _, _ = select.select([self.master, self.radio], [], [], 0.2)
            if self.master in ready:
                self.radio.sendall(os.read(self.master, 4096))
            if self.radio in ready:
                data = self.radio.recv(4096)
                if not data:
                    return
                self.put(data)

    def put(self, data):
        """Hands bytes over at once; frames of two hands do not mix."""
        with self.lock:
            while data:
                data = data[os.write(self.master, data) :]

    def close(self):
        self.is_open = False
        self.thread.join()
        self.radio.close()
        os.close(self.master)
        os.close(self.slave)


@contextlib.contextmanager
def attached(database, bench, tracer=()):
    """A gateway on a new database, with a radio of 100 nodes that is silent by itself, once the handshake is over. Yields
    the cable between them, the gateway's process, and a client."""
    create_tokens(database, bench)
    with simulated_radio("radio", bench, "--silent", "--nodes", "100") as port, contextlib.closing(Cable(port)) as cable:
        with gateway(database, bench, cable.device, tracer, pinned=False) as (child, url):
            client = Client(url, bench.token)
            until("the radio", client.has_radio)
            yield cable, child, client


def split(stream):
    """The frames of a stream that has nothing else in it."""
    frames, place = [], 0
    while place < len(stream):
        end = place + 4 + int.from_bytes(stream[place + 2 : place + 4], "big")
        frames.append(stream[place:end])
        place = end
    return frames


class Pace:
    """The time at which bytes have come through the line: ten bits each."""

    def __init__(self):
        self.free = time.monotonic()

    def wait(self, count):
        self.free = max(self.free, time.monotonic() - 0.05) + count * 10 / BAUD
        time.sleep(max(self.free - time.monotonic(), 0))
