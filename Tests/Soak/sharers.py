"""Eight programs on a shared radio, until SIGTERM; then their figures as JSON: sharers.py PORT MINUTES FOLDER.

Five read everything, always connected. One asks for the handshake and never reads. One comes every second, takes the
handshake, and goes as the next one comes. One sends a text every ten seconds, and ends with that a minute before the end.
FOLDER gets "heard-0" to "heard-4" and "heard-sender", what each was told of the mesh ("sender id port"), "shared", the ids of
the texts that were taken, and "ready" once the five and the sender have their handshakes.
"""

import collections
import itertools
import json
import random
import select
import signal
import socket
import sys
import threading
import time

from frames import Witness, clear, fields

port, minutes, folder = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
READERS = 5
PAUSE = 10
# Seconds: the first ones wait for the radio's own handshake.
PATIENCE = 200
# FromRadio's variants.
MY_INFO, NODE_INFO, END, QUEUE_STATUS = 3, 4, 7, 11
OF_HANDSHAKES = {3, 4, 5, 7, 8, 9, 10, 13, 15, 17, 19}
HEARTBEAT = b"\x3a\x00"
stopping = threading.Event()
lock = threading.Lock()
figures = collections.Counter()
live = []


def count(what, number=1):
    with lock:
        figures[what] += number


def most(what, value):
    with lock:
        figures[what] = max(figures[what], round(value, 1))


def varint(value):
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def variant_of(payload):
    """A FromRadio's; 1 is its number."""
    return next((number for number in fields(payload) if number != 1), None)


def connect(size=None):
    client = socket.socket()
    if size:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    client.settimeout(60)
    client.connect(("127.0.0.1", port))
    return client


def say(client, payload):
    client.sendall(b"\x94\xc3" + len(payload).to_bytes(2, "big") + payload)


class Program:
    """One connection of a program that reads."""

    def __init__(self):
        self.socket, self.witness = connect(), Witness()
        self.waiting = collections.deque()

    def frames(self):
        """Payloads as they come; None about once a second at least; ends with the connection."""
        while True:
            if not select.select([self.socket], [], [], 1)[0]:
                yield None
                continue
            try:
                data = self.socket.recv(1 << 16)
            except OSError:
                return
            if not data:
                return
            for _, payload in self.witness.read(data):
                yield payload
            yield None

    def handshake(self, frames):
        """Asks for everything and takes it; how many milliseconds that took. What is wrong with it is counted."""
        nonce, began = random.randrange(1, 1 << 32), time.monotonic()
        say(self.socket, b"\x18" + varint(nonce))
        nodes, announced = 0, None
        for payload in frames:
            if payload is None:
                if time.monotonic() - began > PATIENCE:
                    raise OSError("no handshake")
                continue
            content, variant = fields(payload), variant_of(payload)
            if variant == MY_INFO:
                announced = fields(content[MY_INFO]).get(15)
            elif variant == NODE_INFO:
                nodes += 1
            elif variant == END:
                count("handshakes")
                if content[END] != nonce or nodes != announced:
                    count("handshakes that are not whole")
                return (time.monotonic() - began) * 1000
            elif variant not in OF_HANDSHAKES:
                count("frames of what goes on inside a handshake")
        raise OSError("ended in the middle of a handshake")


def reads(number, beats):
    """Always there; it only listens, or sends heartbeats as well."""
    with open(f"{folder}/heard-{number}", "w", buffering=1 << 16) as heard:
        program = Program()
        frames = program.frames()
        program.handshake(frames)
        with lock:
            live.append(number)
        last = time.monotonic()
        for payload in frames:
            if payload is None:
                if stopping.is_set():
                    return
                if beats and time.monotonic() - last > 30:
                    last = time.monotonic()
                    say(program.socket, HEARTBEAT)
            else:
                note(payload, heard)
    count("readers that were cut")


def note(payload, heard):
    told, _ = clear(payload, 2)
    if told and told[2] not in (5, 6):
        print(*told, file=heard)
    elif variant_of(payload) in OF_HANDSHAKES:
        count("frames of a handshake in between")


def sends():
    """A text every ten seconds, each of which has one queue status with its id."""
    statuses, taken = collections.Counter(), []
    with open(f"{folder}/heard-sender", "w", buffering=1 << 16) as heard:
        program = Program()
        frames = program.frames()
        program.handshake(frames)
        with lock:
            live.append("sender")
        next_text, ends = time.monotonic() + PAUSE, time.monotonic() + minutes * 60 - min(60, minutes * 20)
        for payload in frames:
            if payload is None:
                if stopping.is_set():
                    break
                if next_text <= time.monotonic() < ends:
                    next_text += PAUSE
                    taken.append(random.randrange(1 << 16, 1 << 32))
                    say(program.socket, text(taken[-1], f"shared {len(taken)}"))
            elif status := fields(payload).get(QUEUE_STATUS):
                status = fields(status)
                if status.get(4):
                    statuses[int(status[4])] += 1
                    count("texts of a program that were not taken", status.get(1, 0) != 0)
            else:
                note(payload, heard)
        else:
            count("readers that were cut")
    with open(f"{folder}/shared", "w") as file:
        print(*taken, sep="\n", file=file)
    wrong = sum(statuses[number] != 1 for number in taken) + sum(number not in taken for number in statuses)
    figures["texts without exactly one queue status"] = wrong


def text(number, words):
    """ToRadio with a packet for everybody: to (2), decoded (4) with port and payload, id (6), want_ack (10)."""
    data = b"\x08\x01\x12" + varint(len(words)) + words.encode()
    packet = b"\x15\xff\xff\xff\xff" + b"\x22" + varint(len(data)) + data + b"\x35" + number.to_bytes(4, "little") + b"\x50\x01"
    return b"\x0a" + varint(len(packet)) + packet


def never_reads():
    """It notices that it was cut when it says something. In turns it is stuck in the middle of all nodes, and behind a handshake
    without nodes, which fits into what the kernels keep."""
    for nonce in itertools.cycle((7, 69420)):
        if stopping.is_set():
            return
        client = connect(size=4096)
        try:
            say(client, b"\x18" + varint(nonce))
            while not stopping.wait(2):
                say(client, HEARTBEAT)
        except OSError:
            count("connections of one that never reads, ended by the gateway")
        client.close()


def comes_again():
    before = None
    while not stopping.is_set():
        began = time.monotonic()
        # There are eight: its place has to be free as soon as it has left.
        if before:
            before.close()
        program = Program()
        before = program.socket
        try:
            most("slowest handshake of one that comes again, ms", program.handshake(program.frames()))
        except OSError:
            count("handshakes that were not given to one that comes again")
        stopping.wait(max(0, began + 1 - time.monotonic()))


signal.signal(signal.SIGTERM, lambda *_: stopping.set())
threads = [threading.Thread(target=reads, args=(number, number < 3)) for number in range(READERS)]
threads.append(threading.Thread(target=sends))
for thread in threads:
    thread.start()
while len(live) < len(threads) and not stopping.wait(0.1):
    pass
threads += [threading.Thread(target=never_reads), threading.Thread(target=comes_again)]
for thread in threads[-2:]:
    thread.start()
open(f"{folder}/ready", "w").close()
for thread in threads:
    thread.join()
print(json.dumps(figures))
