"""Requests: the gateway and the plain C server in turn, on one processor, with the load generator on the other."""

import contextlib
import json
import os
import re
import socket
import sqlite3
import subprocess
import time

from rows import middle
from servers import Client, create_tokens, gateway, memory, reference_server, say

C = "plain C server"
CONNECTIONS = 8


def load(url, connections, seconds, token, header=None):
    """Requests a second, and the 99th percentile in ms."""
    command = ["taskset", "-c", "1", "wrk", "--latency", "-t", "1", "-c", str(connections), "-d", f"{seconds}s"]
    command += ["-H", f"Authorization: Bearer {token}"] + (["-H", header] if header else [])
    output = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        raise SystemExit(f"bench: errors under load at {url}:\n{output}")
    slow = re.search(r"99%\s+([\d.]+)(us|ms|s)", output)
    milliseconds = float(slow[1]) * {"us": 0.001, "ms": 1, "s": 1000}[slow[2]]
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), milliseconds


class Comparison:
    def __init__(self, ours, theirs, bench, table):
        self.ours, self.theirs, self.bench, self.table = ours, theirs, bench, table
        self.seconds, self.rounds = (1, 1) if bench.quick else (2, 3)

    def compare(self, name, path, reference_path, token=None, header=None, ratio=None, slowest=None):
        """Two rows: requests a second, of which `ratio` of the C server's are wanted, and the time of the slowest
        hundredth on one connection, of which `slowest` ms are."""
        say(f"Measuring: {name}")
        token = token or self.bench.token
        rates, reference_rates, slow, reference_slow = [], [], [], []
        for _ in range(self.rounds):
            rates.append(load(self.ours + path, CONNECTIONS, self.seconds, token, header)[0])
            reference_rates.append(load(self.theirs + reference_path, CONNECTIONS, self.seconds, self.bench.token)[0])
            slow.append(load(self.ours + path, 1, self.seconds, token, header)[1])
            reference_slow.append(load(self.theirs + reference_path, 1, self.seconds, self.bench.token)[1])
        rate, reference_rate = middle(rates), middle(reference_rates)
        self.table.row(
            name, "/s", rate, reference_rate, C, ratio and f"at least {ratio} of it", ratio and rate >= ratio * reference_rate)
        self.table.row(
            f"{name}, p99", "ms", middle(slow), middle(reference_slow), C, slowest and f"at most {slowest} ms",
            slowest and middle(slow) <= slowest)


def measure(bench, table):
    sizes = [1_000, bench.largest] if bench.quick else [1_000, 100_000, bench.largest]
    for size in sizes:
        database, reference = databases(bench, size)
        with contextlib.ExitStack() as running:
            child, url = running.enter_context(gateway(database, bench))
            paths, tag = examples(Client(url, bench.token), bench)
            other, their_url = running.enter_context(reference_server(reference, free_port(), bench))
            comparison = Comparison(url, their_url, bench, table)
            table.part(f"1,000 nodes and {size:,} messages, {CONNECTIONS} connections; p99 on one")
            if size == sizes[-1]:
                comparison.compare("one node", paths["node"], paths["their node"], ratio=0.6)
                comparison.compare("all nodes", "/api/v1/nodes", "/nodes")
                comparison.compare(
                    "all nodes, unchanged (ETag), beside constant bytes", "/api/v1/nodes", "/constant",
                    header=f"If-None-Match: {tag}", ratio=0.8)
            pages(comparison, paths, size)
            searches(comparison, database, size)
            if size == sizes[-1]:
                sizes_of(child.pid, other.pid, table)


def databases(bench, size):
    """The gateway's, and the C server's, which is made of the answers to its examples; both are kept for other parts."""
    database, reference = bench.path(f"mesh-{size}.db"), bench.path(f"reference-{size}.db")
    if not os.path.exists(reference):
        say(f"Filling a database with 1,000 nodes and {size:,} messages")
        subprocess.run([bench.bench, "fill", database, "1000", str(size)], check=True)
        create_tokens(database, bench)
        with gateway(database, bench) as (_, url):
            examples(Client(url, bench.token), bench)
        answers = [bench.path(f"{name}.json") for name in ("nodes", "messages", "telemetry")]
        subprocess.run([bench.path("reference-server"), "load", reference, *answers, str(size)], check=True)
    return database, reference


def examples(client, bench):
    """Paths of what is in the database; the answers themselves go into the C server's."""
    client.ask("/api/v1/nodes")
    tag = client.etag
    answers = {}
    for name, path in (("nodes", "nodes"), ("messages", "messages?channel=0&limit=100")):
        answers[name] = keep(client, name, path, bench)
    node, talker = answers["nodes"]["data"][500], answers["messages"]["data"][0]
    series = f"telemetry?nodeId={talker['fromNodeId']}&type=batteryLevel&limit=100"
    keep(client, "telemetry", series, bench)
    return {
        "node": f"/api/v1/nodes/{node['nodeId']}", "their node": f"/node/{node['nodeNum']}",
        "sender": f"/api/v1/messages?fromNodeId={talker['fromNodeId']}&limit=100",
        "series": f"/api/v1/{series}", "their series": f"/telemetry/{talker['fromNodeNum']}",
    }, tag  # fmt: skip


def keep(client, name, path, bench):
    data = client.ask(f"/api/v1/{path}")
    with open(bench.path(f"{name}.json"), "wb") as file:
        file.write(data)
    return json.loads(data)


def pages(comparison, paths, size):
    def page(name, path, **more):
        comparison.compare(f"100 messages {name}", path, "/messages", slowest=3, **more)

    page("of a channel", "/api/v1/messages?channel=0&limit=100")
    page("of all, the newest", "/api/v1/messages?limit=100")
    page("of all, the oldest", f"/api/v1/messages?limit=100&offset={size - 100}")
    page("of one sender", paths["sender"])
    page("of two channels and direct ones, by the token's scopes", "/api/v1/messages?limit=100", token=comparison.bench.narrow_token)
    comparison.compare("100 values of one node's series", paths["series"], paths["their series"], slowest=3)


def searches(comparison, database, size):
    """Beside SQLite alone: what the index says of the same words, and the texts of as many rows."""
    alone = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    for name, words in (
        ("a word that few messages have", "aurora"),
        ("a word that a quarter of them have", "mesh"),
        ("a phrase of four such words", "back at noon mesh"),
        ("two characters that every message has", "on"),
        ("two characters that no message has", "zq"),
        ("a word that no message has", "zeppelin"),
    ):
        say(f"Measuring: search for {name}")
        query = words.replace(" ", "%20")
        url = f"{comparison.ours}/api/v1/messages/search?limit=50&q={query}"
        slow = middle([load(url, 1, comparison.seconds, comparison.bench.token)[1] for _ in range(comparison.rounds)])
        comparison.table.row(f"search for {name}, p99", "ms", slow, search_alone(alone, words), "SQLite's LIKE or FTS5 alone")
    alone.close()


def search_alone(database, words):
    """The 99th percentile in ms. The index has three letters at a time; what is shorter it does not have."""
    trigrams = " AND ".join(f'"{words[place : place + 3]}"' for place in range(len(words) - 2))
    indexed = "id IN (SELECT rowid FROM message_search WHERE message_search MATCH :trigrams) AND"
    sql = f"SELECT * FROM messages WHERE {indexed if trigrams else ''} text LIKE :text ORDER BY id DESC LIMIT 50"
    times, ends = [], time.monotonic() + 1
    while len(times) < 20 or (time.monotonic() < ends and len(times) < 500):
        start = time.perf_counter()
        database.execute(sql, {"trigrams": trigrams, "text": f"%{words}%"}).fetchall()
        times.append(time.perf_counter() - start)
    return middle(times, 0.99) * 1000


def sizes_of(pid, other, table):
    table.part("after that load")
    ours, theirs = memory(pid), memory(other)
    table.row("resident memory", "MB", ours[0] / 1024, theirs[0] / 1024, C, "at most 16 MB", ours[0] <= 16 << 10)
    table.row("of it private", "MB", ours[1] / 1024, theirs[1] / 1024, C)
    table.row("of it written to", "MB", ours[2] / 1024, theirs[2] / 1024, C)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
