"""Clients of all kinds at once, until SIGTERM; then their figures as JSON.

    load.py URL TOKEN SOCKET FOLDER [--direct]

Readers ask without a pause worth the name; one writes texts, with --direct every third to one node, and marks that node; slow ones send and read a few bytes a second; some break off
in the middle; and on the local socket are streams of events that nobody ever reads. FOLDER gets "posted", the ids of
the messages that were accepted, and "stored", those of all packets that the gateway shows: "sender id message|packet".
"""

import collections
import http.client
import json
import random
import signal
import socket
import sys
import threading
import time
import urllib.parse

url, token, local, folder = sys.argv[1:5]
is_direct = sys.argv[5:] == ["--direct"]
host, port = urllib.parse.urlsplit(url).netloc.split(":")
stopping = threading.Event()
lock = threading.Lock()
figures = collections.Counter()
times = []


def count(what):
    with lock:
        figures[what] += 1


def head(method, path, **more):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {token}"]
    return "\r\n".join(lines + [f"{name}: {value}" for name, value in more.items()] + ["", ""]).encode()


class Client:
    """One kept-alive connection that is opened anew when it broke."""

    def __init__(self):
        self.connection = http.client.HTTPConnection(host, int(port), timeout=30)

    def ask(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        for last in (False, True):
            try:
                self.connection.request(method, path, json.dumps(body) if body else None, headers)
                answer = self.connection.getresponse()
                text = answer.read()
                # Metrics are not JSON.
                return answer.status, json.loads(text) if "json" in answer.getheader("Content-Type", "") else text
            except (OSError, http.client.HTTPException):
                self.connection.close()
                if last or body:
                    raise


def reader(paths, pause):
    client, dice = Client(), random.Random(paths[0])
    while not stopping.wait(pause):
        began = time.monotonic()
        try:
            status, _ = client.ask("GET", "/api/v1/" + dice.choice(paths))
        except (OSError, http.client.HTTPException):
            count("GET without an answer")
            continue
        with lock:
            times.append(time.monotonic() - began)
            figures["GET"] += 1
            figures["GET not answered with 200"] += status != 200


def writer():
    client, number = Client(), 0
    with open(f"{folder}/posted", "w") as posted:
        while not stopping.wait(5):
            number += 1
            where = {"channel": 0}
            if is_direct and number % 3 == 0 and (node := somebody(client)):
                where = {"toNodeId": node}
                marked = client.ask("POST", f"/api/nodes/{node}/favorite", {"isFavorite": True, "sourceId": "default"})[0]
                count(f"favourites answered with {marked}")
            status, answer = client.ask("POST", "/api/v1/messages", {"text": f"soak {number}", "queue": True, **where})
            if status in (201, 202):
                print(answer["data"]["messageId"], file=posted, flush=True)
            count(f"POST answered with {status}")


def somebody(client):
    """The id of a node that direct messages can be encrypted for."""
    nodes = client.ask("GET", "/api/v1/nodes?fields=nodeId,hasPKC,isUnmessagable,keyMismatchDetected")[1]["data"]
    found = [node["nodeId"] for node in nodes if node["hasPKC"] and not (node["isUnmessagable"] or node["keyMismatchDetected"])]
    return random.choice(found) if found else None


def bookkeeper():
    """Writes down what the gateway shows, before the log of packets forgets it."""
    client, known = Client(), set()
    with open(f"{folder}/stored", "w", buffering=1) as stored:
        while True:
            was_stopping = stopping.wait(10)
            rows = [("message", row["fromNodeNum"], row["id"].rsplit("_", 1)[1]) for row in messages(client)]
            rows += [("packet", row["from_node"], row["packet_id"]) for row in packets(client, known)]
            for kind, sender, number in rows:
                if (kind, sender, number) not in known:
                    known.add((kind, sender, number))
                    print(sender, number, kind, file=stored)
            if was_stopping:
                return


def messages(client):
    return client.ask("GET", "/api/v1/messages?limit=1000")[1]["data"]


def packets(client, known):
    """Newest first, up to a page of which everything is known."""
    for page in range(50):
        rows = client.ask("GET", f"/api/v1/packets?limit=1000&offset={900 * page}")[1]["data"]
        yield from rows
        if all(("packet", row["from_node"], row["packet_id"]) in known for row in rows[-200:]):
            return


def connected(size=None):
    client = socket.socket()
    if size:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    client.settimeout(30)
    client.connect((host, int(port)))
    return client


def slow_sender():
    with connected() as client:
        for byte in head("GET", "/api/v1/nodes"):
            client.sendall(bytes([byte]))
            if stopping.wait(0.7):
                return
        count("slow requests sent whole")


def slow_reader():
    with connected(size=4096) as client:
        client.sendall(head("GET", "/api/v1/messages?limit=1000", Connection="close"))
        while client.recv(500):
            if stopping.wait(0.2):
                return
        count("slow answers read whole")


def breaker():
    with connected() as client:
        request = head("POST", "/api/v1/messages", **{"Content-Length": "500", "Content-Type": "application/json"})
        client.sendall((request + b"{" * 400)[: random.randrange(600)])
        stopping.wait(0.3)
    count("requests broken off")


def stream_that_never_reads():
    with socket.socket(socket.AF_UNIX) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(local)
        client.sendall(b"GET /local/events HTTP/1.1\r\nHost: local\r\n\r\n")
        stopping.wait(120)
    count("streams never read")


def again(body):
    """Whatever becomes of one connection, there is a next one."""

    def run():
        while not stopping.is_set():
            try:
                body()
            except OSError:
                count(f"connections of a {body.__name__} ended".replace("_", " "))
                stopping.wait(0.5)

    return run


signal.signal(signal.SIGTERM, lambda *_: stopping.set())
lists = ["nodes", "messages?limit=100", "telemetry?limit=100", "status", "packets?limit=100"]
others = ["network/topology", "traceroutes", "channels", "metrics", "messages/search?q=ridge"]
bodies = [lambda: reader(lists, 0.05), lambda: reader(lists, 0.05), lambda: reader(others, 0.2), writer, bookkeeper]
bodies += [again(slow_sender)] * 8 + [again(slow_reader)] * 8 + [again(breaker)] * 2 + [again(stream_that_never_reads)] * 3
threads = [threading.Thread(target=body) for body in bodies]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
times.sort()
for share in (50, 99):
    figures[f"GET p{share} ms"] = round(times[len(times) * share // 100] * 1000, 1) if times else 0
print(json.dumps(figures))
