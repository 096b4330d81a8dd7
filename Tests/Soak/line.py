"""The cable between the simulated radio and the gateway: a serial line of so many baud whose plug is pulled again and
again, and which keeps a ledger of every packet that it handed over.

    line.py RADIO GATEWAY BAUD SECONDS LEDGER SENT

RADIO is the radio's pseudo terminal; GATEWAY is the link that the gateway is given, made and removed here. SECONDS lie
between two unplugs on average; 0 for none. Ends with SIGTERM (the plug stays in until everything is read) and prints
its figures as JSON. LEDGER gets a line "sender id port" for each packet, and SENT the same for each that went to the radio.

What counts as handed over: a frame that is whole, on a connection on which the gateway has spoken, and that the gateway
has taken out of the line's buffer before the plug is pulled: the kernel says at that moment how many bytes still lie
there, and frames that end in them are cut off with the cable. When it is the gateway that closes the port, nobody can
ask any more: then what was handed over in the last second is not counted. And what comes before the radio has said who
it is can be filed under no radio: it counts when the gateway comes so far on the same connection that it asks for nodes,
the second stage of the handshake, which it does when the first one is complete.
"""

import array
import collections
import fcntl
import json
import os
import random
import select
import signal
import sys
import termios
import time
import tty

from frames import Witness, clear, packet

LAST_SECOND = 1.0
# Seconds in which the kernel has certainly put into the buffer what was written, on a busy machine too.
KERNELS_TIME = 1
# ToRadio.want_config_id with the nonce that asks for nodes only.
NODES_WANTED = b"\x94\xc3\x00\x04\x18\xad\x9e\x04"


class Line:
    def __init__(self, radio, link, baud, interval, ledger, sent):
        self.radio = os.open(radio, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.radio)
        self.link, self.rate, self.interval = link, baud / 10, interval
        # Written when the line ends: a disk that stalls does not stall the line, in the middle of a frame.
        self.ledger = open(ledger, "w", buffering=1 << 28)
        self.sent = open(sent, "w", buffering=1 << 24)
        self.dice = random.Random(1)
        self.figures = collections.Counter()
        self.is_stopping = False
        self.pending = b""
        self.master = None
        self.plug()

    # The plug

    def plug(self):
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self.port = os.ttyname(slave)
        os.close(slave)
        os.symlink(self.port, self.link + ".new")
        os.rename(self.link + ".new", self.link)
        self.hang_up()
        until = self.dice.uniform(0.2, 1.8) * self.interval if self.interval else float("inf")
        self.pulls_at = time.monotonic() + until

    def pull(self):
        os.unlink(self.link)
        unread = self.unread()
        self.settle(lambda end, when: end <= self.written - unread)
        os.close(self.master)
        self.master = None
        self.plugs_at = time.monotonic() + self.dice.uniform(0.2, 1.5)
        self.figures["unplugs"] += 1

    def unread(self):
        """How many bytes the gateway has not taken out of the line's buffer."""
        if not self.is_heard:
            return 0
        time.sleep(KERNELS_TIME)
        port = os.open(self.port, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        count = array.array("i", [0])
        fcntl.ioctl(port, termios.FIONREAD, count)
        os.close(port)
        return count[0]

    def hang_up(self):
        """Nobody has the port open, or nobody yet."""
        self.is_heard = self.is_known = False
        self.asked = b""
        self.witness, self.written, self.handed, self.pending = Witness(), 0, collections.deque(), b""
        self.other_way = Witness()

    def settle(self, counts):
        """The connection ends: enters what counts."""
        for end, payload in self.witness.read(b"", is_final=True):
            self.handed.append((end, time.monotonic(), payload))
        for end, when, payload in self.handed:
            if not counts(end, when):
                self.figures["frames cut off"] += 1
            elif self.is_known or not packet(payload):
                self.enter(payload)
            else:
                self.figures["packets of a radio that did not come to say who it is"] += 1
        self.hang_up()

    def enter(self, payload):
        self.figures["frames"] += 1
        told = packet(payload)
        if told:
            self.figures["packets"] += 1
            self.ledger.write("%d %d %s\n" % told)

    # Bytes

    def run(self):
        signal.signal(signal.SIGTERM, self.stop)
        began = last = time.monotonic()
        while not (self.is_stopping and self.master is not None):
            now = time.monotonic()
            # A line that could not be fed for a while does not make up for it.
            share = min(int((now - last) * self.rate), 512)
            if share > 0:
                last = now
                self.carry(share)
            if self.master is None and now >= self.plugs_at:
                self.plug()
            elif self.master is not None and now >= self.pulls_at:
                self.pull()
            self.answer()
            select.select([fd for fd in [self.master] if fd is not None and self.is_heard], [], [], 0.01)
        os.set_blocking(self.radio, False)
        time.sleep(1)
        self.settle(lambda end, when: True)
        self.figures["seconds"] = round(time.monotonic() - began, 1)
        print(json.dumps(self.figures))

    def stop(self, *_):
        self.is_stopping = True

    def carry(self, share):
        """From the radio; where nobody listens it is lost on the way, as a serial line does it."""
        if not self.pending:
            try:
                self.pending = os.read(self.radio, share)
            except BlockingIOError:
                return
            self.figures["bytes"] += len(self.pending)
        if not self.is_heard:
            self.figures["bytes that nobody heard"] += len(self.pending)
            self.pending = b""
            return
        try:
            count = os.write(self.master, self.pending)
        except BlockingIOError:
            return
        except OSError:
            return self.closed()
        data, self.pending = self.pending[:count], self.pending[count:]
        self.written += count
        now = time.monotonic()
        for end, payload in self.witness.read(data):
            self.handed.append((end, now, payload))
        # What lies back longer than this counts however the connection ends.
        while self.is_known and self.handed:
            end, when, payload = self.handed[0]
            if when > now - 30 or end > self.written - (1 << 16):
                break
            self.enter(payload)
            self.handed.popleft()

    def answer(self):
        """To the radio, as fast as it comes: it is little."""
        if self.master is None:
            return
        try:
            data = os.read(self.master, 4096)
        except BlockingIOError:
            return
        except OSError:
            return self.closed()
        if not self.is_heard:
            self.is_heard = True
            self.figures["connections"] += 1
        self.asked = (self.asked + data)[-len(NODES_WANTED) - len(data) :]
        self.is_known = self.is_known or NODES_WANTED in self.asked
        try:
            os.write(self.radio, data)
        except BlockingIOError:
            self.figures["bytes that the radio did not take"] += len(data)
            return
        for _, payload in self.other_way.read(data):
            if told := clear(payload, 1)[0]:
                self.sent.write("%d %d %s\n" % told)

    def closed(self):
        """The gateway has closed the port."""
        if self.is_heard:
            now = time.monotonic()
            self.settle(lambda end, when: when < now - LAST_SECOND)
            self.figures["closings by the gateway"] += 1


radio, link, baud, interval, ledger, sent = sys.argv[1:]
Line(radio, link, int(baud), float(interval), ledger, sent).run()
