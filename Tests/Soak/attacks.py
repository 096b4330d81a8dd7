"""One hostile client, until SIGTERM; then what it has done as JSON: attacks.py ATTACK PORT ADDRESSES

Its connections come from so many addresses of this machine in turn, from 127.0.1.1 on. It takes the processor only
when nobody else wants it: what is measured is what it takes from the gateway, not from the machine.
"""

import collections
import itertools
import json
import os
import selectors
import signal
import socket
import sys
import time

figures = collections.Counter()
attack, port, addresses = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
origins = itertools.cycle(f"127.0.{1 + number // 250}.{1 + number % 250}" for number in range(addresses))
PLAIN = b"GET /api/health HTTP/1.1\r\nHost: gateway\r\n\r\n"


class Done(Exception):
    pass


def stop(*_):
    raise Done


def connect(timeout=2):
    client = socket.socket()
    client.settimeout(timeout)
    client.bind((next(origins), 0))
    client.connect(("127.0.0.1", port))
    figures["connections"] += 1
    return client


def kept(count, begin, proceed, pause):
    """Holds so many connections: each is begun and then, every so many seconds, goes on. Those that were ended are replaced
    at the same times."""
    held = []
    watch = selectors.DefaultSelector()
    while True:
        for _ in range(count - len(held)):
            try:
                client = connect()
                begin(client)
            except OSError:
                figures["refused"] += 1
                continue
            client.setblocking(False)
            watch.register(client, selectors.EVENT_READ)
            held.append(client)
            ended(watch, held, 0)
        for client in list(held):
            try:
                proceed(client)
            except BlockingIOError:
                pass
            except OSError:
                drop(watch, held, client)
        end = time.monotonic() + pause
        while (left := end - time.monotonic()) > 0:
            ended(watch, held, left)
            time.sleep(0.02)


def ended(watch, held, timeout):
    for key, _ in watch.select(timeout):
        try:
            if not key.fileobj.recv(4096):
                drop(watch, held, key.fileobj)
        except BlockingIOError:
            pass
        except OSError:
            drop(watch, held, key.fileobj)


def drop(watch, held, client):
    figures["ended by the gateway"] += 1
    watch.unregister(client)
    held.remove(client)
    client.close()


def nothing(_):
    pass


def slow_senders():
    kept(500, lambda client: client.send(PLAIN[:20]), lambda client: client.send(b"x"), 1)


def idle_connections():
    kept(1000, lambda client: client.send(PLAIN), nothing, 1)


def repeat(request, replies):
    """The same bytes again and again on one connection, read to the end of so many answers, or of the connection."""
    while True:
        try:
            with connect(10) as client:
                while True:
                    client.sendall(request)
                    open_answers = replies
                    while open_answers > 0:
                        data = client.recv(1 << 16)
                        if not data:
                            raise ConnectionResetError
                        answers = data.count(b"HTTP/1.1 ")
                        figures["answers"] += answers
                        open_answers -= answers
        except OSError:
            figures["ended by the gateway"] += 1


def headers():
    lines = "".join(f"X-Header-{number}: {number}\r\n" for number in range(10_000))
    repeat(b"GET /api/health HTTP/1.1\r\nHost: gateway\r\n" + lines.encode() + b"\r\n", 1)


def pipelining():
    repeat(PLAIN * 1000, 1000)


def pipelining_unread():
    """A thousand requests on each of 50 connections, of whose answers none is read."""
    held = []
    while True:
        try:
            client = connect()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            held.append(client)
            client.send(PLAIN * 1000)
        except BlockingIOError:
            pass
        except OSError:
            figures["refused"] += 1
        while len(held) > 50:
            held.pop(0).close()
        time.sleep(0.05)


def wrong_tokens():
    """A hundred at a time, each another one, until it is a million."""
    form = "GET /api/v1/nodes HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer mm_v1_%032x\r\n\r\n"
    number = 0
    while number < 1_000_000:
        try:
            with connect(10) as client:
                while number < 1_000_000:
                    client.sendall("".join(form % (number + place) for place in range(100)).encode())
                    left = 100
                    while left > 0:
                        data = client.recv(1 << 16)
                        if not data:
                            raise ConnectionResetError
                        left -= data.count(b"HTTP/1.1 ")
                    number += 100
                    figures["wrong tokens"] = number
        except OSError:
            figures["ended by the gateway"] += 1


os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
signal.signal(signal.SIGTERM, stop)
try:
    {
        "slow-senders": slow_senders,
        "idle-connections": idle_connections,
        "headers": headers,
        "pipelining": pipelining,
        "pipelining-unread": pipelining_unread,
        "wrong-tokens": wrong_tokens,
    }[attack]()
except Done:
    pass
print(json.dumps(figures))
