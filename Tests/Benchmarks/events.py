"""What streams of events cost: memory and wake-ups beside one stream, an event beside an answer that shows the same, and a
ping beside nothing."""

import contextlib
import os
import re
import socket
import subprocess
import time

from cable import attached
from disk import quiet, stream
from rows import middle
from servers import Client, create_tokens, gateway, memory, say, until


class Stream:
    """One who follows."""

    def __init__(self, url, token, query=""):
        host, port = url.split("//")[1].split(":")
        self.socket = socket.create_connection((host, int(port)))
        request = f"GET /api/v1/events{query} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n"
        self.socket.sendall(request.encode())
        self.seen = b""
        self.read(b"event: start")

    def read(self, text):
        """Until this has come, and then from there."""
        while text not in self.seen:
            data = self.socket.recv(65536)
            if not data:
                raise SystemExit("bench: a stream has ended")
            self.seen += data
        self.seen = self.seen.split(text, 1)[1]

    def close(self):
        self.socket.close()


def more_tokens(database, bench):
    """A token has four streams; the network has twelve."""
    found = [bench.token]
    for number in range(2):
        token = f"mm_v1_{os.urandom(16).hex()}"
        command = [bench.gateway, "token", "create", f"stream-{number}", "--from-stdin", "--database", database]
        command += ["--socket", bench.socket]
        subprocess.run(command, input=token, text=True, check=True, stdout=subprocess.DEVNULL)
        found.append(token)
    return found


def measure(bench, table):
    idle(bench, table)
    latency(bench, table)
    ping(bench, table)


def idle(bench, table):
    seconds = 20 if bench.quick else 250
    database = bench.path("streams.db")
    create_tokens(database, bench)
    tokens = more_tokens(database, bench)
    kilobytes, rates = {}, {}
    # In one process: two that do the same differ by more than what is measured here.
    with gateway(database, bench, pinned=False) as (child, url), contextlib.ExitStack() as stack:
        open_streams = 0
        # All that the network may have, and the rest by its share.
        for count in (0, 1, 12):
            say(f"Measuring {count} idle streams for {seconds} s")
            for place in range(open_streams, count):
                stack.enter_context(contextlib.closing(Stream(url, tokens[place % len(tokens)])))
            open_streams = count
            # What has begun is on disk, and everybody has been told of it.
            time.sleep(10 if bench.quick else 30)
            kilobytes[count] = memory(child.pid)[0]
            rates[count] = quiet(child.pid, seconds)[0] / seconds
    table.part(f"streams of events that are idle, for {seconds} s")
    each = (kilobytes[12] - kilobytes[1]) / 11
    table.row("resident memory, of each beyond the first", "kB", each, None, "", "at most 60 kB", each <= 60)
    for count in (1, 12):
        more = rates[count] - rates[0]
        table.row(
            f"wake-ups with {count}", "/s", rates[count], rates[0], "without any", "at most 0.1 more", more <= 0.1
        )


def latency(bench, table):
    """From a text's last byte to its event, and to its row in an answer that is asked for all the time."""
    count = 20 if bench.quick else 200
    say(f"Measuring {count} texts as events and as rows")
    texts = stream(bench, "text", count * 2)
    with attached(bench.path("latency.db"), bench) as (cable, _, client):
        url = f"http://{client.connection.host}:{client.connection.port}"
        follower = Stream(url, bench.token, "?kinds=message")
        events, rows = [], []
        for text in texts[:count]:
            began = time.perf_counter()
            cable.put(text)
            follower.read(b"event: message")
            events.append((time.perf_counter() - began) * 1000)
            time.sleep(0.2)
        follower.close()
        for text in texts[count:]:
            before = client.ask("/api/v1/messages?limit=1")
            began = time.perf_counter()
            cable.put(text)
            while client.ask("/api/v1/messages?limit=1") == before:
                pass
            rows.append((time.perf_counter() - began) * 1000)
            time.sleep(0.2)
    table.part("from the last byte of a text to what is told of it")
    for name, share in (("median", 0.5), ("p99", 0.99)):
        table.row(f"the event, {name}", "ms", middle(events, share), middle(rows, share), "a GET that is asked without a pause")


def ping(bench, table):
    """Processor time of the daemon."""
    count = 500 if bench.quick else 5_000
    say(f"Measuring {count} pings")
    database = bench.path("ping.db")
    create_tokens(database, bench)
    with gateway(database, bench, pinned=False) as (child, url):
        client = Client(url, bench.token)
        until("an answer", lambda: client.ask("/api/v1/ping"))
        costs = {}
        for path in ("/api/v1/ping", "/api/health"):
            before = processor(child.pid)
            for _ in range(count):
                client.ask(path)
            costs[path] = (processor(child.pid) - before) / count * 1e6
    table.part("polling")
    cost = costs["/api/v1/ping"]
    table.row(
        "processor time of a ping", "us", cost, costs["/api/health"], "/api/health, which knows no token", "under 50 us",
        cost < 50,
    )


def processor(pid):
    """Seconds, to a hundredth: many requests make up for it."""
    with open(f"/proc/{pid}/stat") as file:
        words = re.sub(r"^.*\) ", "", file.read()).split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
