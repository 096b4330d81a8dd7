"""The processes that are measured: each is started with a `with`, waited for, and ended by its own process id."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time


class Bench:
    """Where everything is, and how much of it is to be done."""

    def __init__(self, release, work, quick):
        self.gateway, self.bench = f"{release}/mesh-gateway", f"{release}/bench"
        self.work, self.quick = work, quick
        # Messages of the largest database.
        self.largest = 100_000 if quick else 1_000_000
        # As the service has it: below /run, which is memory, and with it the flight recorder.
        self.memory = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.socket = f"{self.memory.name}/socket"
        # What the service has in its environment.
        with open("deploy/mesh-gateway.service") as unit:
            self.environment = re.findall(r"^Environment=(.*)$", unit.read(), re.MULTILINE)
        self.token, self.narrow_token = (f"mm_v1_{os.urandom(16).hex()}" for _ in range(2))

    def path(self, name):
        return os.path.join(self.work, name)

    def tool(self, *words):
        """What one of the `bench` commands prints, by name."""
        # An input that does not end: the C server ends with it.
        silence, other = os.pipe()
        command = [self.bench, *map(str, words)]
        output = subprocess.run(command, check=True, stdin=silence, stdout=subprocess.PIPE, text=True).stdout
        os.close(silence)
        os.close(other)
        return {name: float(value) for name, value in (line.split() for line in output.splitlines())}


def say(sentence):
    print(sentence, file=sys.stderr, flush=True)


def until(what, found, seconds=300):
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        value = found()
        if value:
            return value
        time.sleep(0.02)
    sys.exit(f"bench: {what} did not come in {seconds} s")


@contextlib.contextmanager
def process(name, command, bench, input=subprocess.DEVNULL):
    """A running process whose output is in NAME.out."""
    with open(bench.path(f"{name}.out"), "w") as output, open(bench.path(f"{name}.log"), "w") as log:
        child = subprocess.Popen(command, stdin=input, stdout=output, stderr=log)
    try:
        yield child
    finally:
        if child.stdin:
            child.stdin.close()
        child.send_signal(signal.SIGTERM)
        child.wait(60)


def said(name, bench, pattern, stream="out"):
    def found():
        with open(bench.path(f"{name}.{stream}")) as output:
            return re.search(pattern, output.read())

    return until(f"a word of {name}", found)[1]


def create_tokens(database, bench):
    """The second one may read some channels only."""
    scopes = ["messages:read", "channel_1:read", "channel_2:read"]
    narrow = [word for scope in scopes for word in ("--scope", scope)]
    for name, token, options in (("bench", bench.token, []), ("narrow", bench.narrow_token, narrow)):
        command = [bench.gateway, "token", "create", name, "--from-stdin", "--database", database, *options]
        command += ["--socket", bench.socket]
        subprocess.run(command, input=token, text=True, check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def gateway(database, bench, device="tcp:127.0.0.1:9", tracer=(), pinned=True, options=()):
    """On a free port, without the messages' limit; without a device its radio is not there. Yields the process and the URL."""
    command = [bench.gateway, "serve", "--database", database, "--socket", bench.socket, "--device", device]
    command += ["--listen", "127.0.0.1:0", *options]
    pin = ["taskset", "-c", "0"] if pinned else []
    with process("gateway", ["env", *bench.environment, *pin, *tracer, *command], bench) as child:
        yield child, said("gateway", bench, r"(http://127\.0\.0\.1:\d+)")


@contextlib.contextmanager
def reference_server(database, port, bench):
    """The plain C server; it ends when its input does."""
    command = ["taskset", "-c", "0", bench.path("reference-server"), "serve", database, str(port), bench.token]
    with process("reference", [*command, bench.path("nodes.json")], bench, subprocess.PIPE) as child:
        said("reference", bench, r"(listening)")
        yield child, f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def simulated_radio(name, bench, *options):
    """Yields its TCP port."""
    with process(name, [bench.gateway, "simulate", "--tcp", "0", *options], bench):
        yield said(name, bench, r"Listening on 127\.0\.0\.1:(\d+);")


class Client:
    """One kept-alive connection with the bench's token."""

    def __init__(self, url, token):
        self.connection = http.client.HTTPConnection(url.split("//")[1], timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, path, body=None):
        """The answer's bytes, or None when it is not one of success."""
        try:
            answer = self.exchange(path, body)
        except (OSError, http.client.HTTPException):
            # Closed after a pause.
            self.connection.close()
            answer = self.exchange(path, body)
        data = answer.read()
        self.etag = answer.headers.get("ETag")
        return data if answer.status < 300 else None

    def exchange(self, path, body):
        self.connection.request("POST" if body else "GET", path, json.dumps(body) if body else None, self.headers)
        return self.connection.getresponse()

    def has_radio(self):
        """Whether the handshake is over."""
        return json.loads(self.ask("/api/v1/status"))["data"]["nodeResponsive"]


def memory(pid):
    """Resident kilobytes, and those of them that nobody shares."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        values = {words[0]: int(words[1]) for words in (line.split() for line in file) if words[0].endswith(":") and len(words) == 3}
    return values["Rss:"], values["Private_Clean:"] + values["Private_Dirty:"], values["Private_Dirty:"]
