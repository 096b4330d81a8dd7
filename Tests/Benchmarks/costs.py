"""What is held against limits: the size of the executable, and instructions: costs.py RELEASE WORK. deploy/bench says what.

Prints a table, and fails when a limit of Costs.tsv is passed by more than the measure differs from run to run. Instructions are
counted by callgrind, and held are those in the executable alone: how the C library copies, and which functions SQLite takes,
differs by processor and by Debian release. Whoever makes something dearer raises the limit in the same commit, and says why.
"""

import contextlib
import glob
import os
import platform
import re
import subprocess
import sys

from servers import Bench, Client, create_tokens, gateway, memory, said, say, until

RECORDINGS = "Tests/Recordings"
LIMITS = "Tests/Benchmarks/Costs.tsv"
# By how much a limit may be passed.
ALLOWED = {"bytes": 0.01, "instructions": 0.03}
NODES, MESSAGES = 1_000, 100_000


def main(release, work):
    bench = Bench(release, work, quick=True)
    # A setting that somebody has here, or a test's, costs instructions to look through.
    for name in [name for name in os.environ if name.startswith("MESH_GATEWAY_")]:
        del os.environ[name]
    # More than the gateway keeps by default, and no other order of what is in a set from run to run.
    os.environ |= {"MESH_GATEWAY_DATABASE_SIZE": "unlimited", "SWIFT_DETERMINISTIC_HASHING": "1"}
    database = bench.path("costs.db")
    say(f"Filling a database with {NODES:,} nodes and {MESSAGES:,} messages")
    subprocess.run([bench.bench, "fill", database, str(NODES), str(MESSAGES)], check=True)
    create_tokens(database, bench)
    made_with, limits = read_limits()
    here = compiler()
    held = made_with == here
    print(f"Limits are those of {made_with}" + ("" if held else f"; this is {here}, and nothing is held") + ".\n")
    print("| what | here | limit | | with all libraries |\n|---|--:|--:|---|--:|")
    passed = []
    for name, unit, value, whole in costs(bench, database):
        limit = limits.get(name)
        over = limit is not None and value > limit * (1 + ALLOWED[unit])
        passed += [name] if over else []
        shown = "" if limit is None else f"{limit:,}"
        print(f"| {name}, {unit} | {value:,} | {shown} | {'**passed**' if over else ''} | {whole and f'{whole:,}' or ''} |", flush=True)
    if passed and held:
        sys.exit(f"bench: dearer than {LIMITS} allows: {', '.join(passed)}")


def read_limits():
    """The compiler and the architecture that they are of, and the limits by name."""
    with open(LIMITS) as file:
        lines = [line.rstrip("\n") for line in file]
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return rows[0][0], {name: int(limit) for name, limit in rows[1:]}


def compiler():
    version = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    return f"Swift {re.search(r'Swift version ([0-9.]+)', version)[1]}, {platform.machine()}"


def costs(bench, database):
    """Name, unit, what it costs in the executable, and with all libraries."""
    # Valgrind does not understand the debug information.
    stripped = bench.path("mesh-gateway")
    subprocess.run(["strip", "-o", stripped, bench.gateway], check=True)
    bench.gateway = stripped
    yield "executable, stripped", "bytes", os.path.getsize(stripped), None
    yield from requests(bench, database)
    yield from start(bench, database)
    yield from status(bench, database)
    yield from packets(bench)


@contextlib.contextmanager
def counted(name, bench, database, *options):
    """The gateway under callgrind."""
    tracer = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={bench.path(name)}", *options]
    with gateway(database, bench, tracer=tracer, pinned=False) as (child, url):
        yield child, url


def requests(bench, database):
    say("Counting: requests")
    with counted("requests", bench, database) as (child, url):
        client = Client(url, bench.token)
        nodes = client.ask("/api/v1/nodes")
        tag = client.etag
        one = re.findall(rb'"nodeId":"([^"]*)"', nodes)[500].decode()
        for name, path, times, known in (
            ("GET of one node", f"/api/v1/nodes/{one}", 100, {}),
            ("304 of the list of nodes", "/api/v1/nodes", 100, {"If-None-Match": tag}),
            ("GET of 100 messages", "/api/v1/messages?channel=0&limit=100", 20, {}),
            (f"GET of {NODES:,} nodes", "/api/v1/nodes", 3, {}),
        ):
            client.headers = {"Authorization": f"Bearer {bench.token}", **known}
            for _ in range(3):
                client.ask(path)
            counts = since(lambda: [client.ask(path) for _ in range(times)], "requests", child, bench)
            yield name, "instructions", *(count // times for count in counts)


def since(action, name, child, bench):
    """Instructions while something is done."""
    control("--zero", child)
    before = set(glob.glob(bench.path(f"{name}*")))
    action()
    control("--dump", child)
    written = until("a dump", lambda: set(glob.glob(bench.path(f"{name}*"))) - before)
    return summed(written, bench.gateway)


def control(option, child):
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["callgrind_control", option, str(child.pid)], check=True, **silent)


def start(bench, database):
    say("Counting: a start")
    with counted("start", bench, database, "--separate-threads=yes") as (child, _):
        said("gateway", bench, r"(serving)")
    mine = [path for path in glob.glob(bench.path("start*")) if path.endswith("-01")]
    yield "start and end, main thread", "instructions", *summed(mine, bench.gateway)


def status(bench, database):
    say("Counting: status")
    with gateway(database, bench, pinned=False) as (child, url):
        Client(url, bench.token).ask("/api/v1/nodes")
        resident = memory(child.pid)[0]
        out = bench.path("status")
        command = [bench.gateway, "status", "--socket", bench.socket, "--database", database]
        # Its status says that there is no radio.
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)  # fmt: skip
        yield "status", "instructions", *summed([out], bench.gateway)
        # One executable gives another figure each time.
        say(f"Resident after one request: {resident:,} kB")


RULES = {
    "battery": "when = battery below 20 %",
    "silent": "when = node silent for 6h",
    "word": "when = message\nwords = xyzzy",
    "new": "when = new node",
    "channel-use": "when = channel use above 25 %",
}
# Sixteen groups.
PACKETS = 1_008


def packets(bench):
    """One of those that CountedPackets.swift plays, on every thread but the one that plays them."""
    stripped = bench.path("bench")
    subprocess.run(["strip", "-o", stripped, bench.bench], check=True)
    folder = bench.path("rules")
    os.makedirs(folder)
    for name, text in RULES.items():
        with open(f"{folder}/{name}.conf", "w") as file:
            file.write(text + "\n")
    for kind, name in (("repeated", "telemetry, position, neighbour or node packet"), ("text", "text")):
        for rules, beside in ((None, ""), (folder, " beside five rules")):
            say(f"Counting: {name}{beside}")
            counts, told = played(bench, stripped, kind, rules)
            # Nobody has been silent for hours.
            if rules and [name for name in RULES if told[name] == 0] != ["silent"]:
                sys.exit(f"bench: rules have told {told}")
            yield f"{name}{beside}", "instructions", *(count // PACKETS for count in counts)


def played(bench, program, kind, rules):
    """Instructions of the packets, and how often each rule has told something."""
    name = f"{kind}{'-rules' if rules else ''}"
    tracer = ["valgrind", "--tool=callgrind", "--separate-threads=yes", "--instr-atstart=no", f"--callgrind-out-file={bench.path(name)}"]
    command = [program, "packets", RECORDINGS, bench.path(f"{name}.db"), kind, str(NODES), str(PACKETS), *([rules] if rules else [])]
    with open(bench.path(f"{name}.log"), "w") as log:
        child = subprocess.Popen(
            ["env", *bench.environment, *tracer, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)  # fmt: skip
    with child:
        says(child, "ready")
        control("--instr=on", child)
        goes_on(child)
        says(child, "done")
        before = set(glob.glob(bench.path(f"{name}.*-*")))
        control("--dump", child)
        control("--instr=off", child)
        written = set(glob.glob(bench.path(f"{name}.*-*"))) - before
        goes_on(child)
        told = {rule: int(count) for rule, count in (line.split() for line in child.stdout)}
    return summed([path for path in written if not path.endswith("-01")], program), told


def says(child, word):
    line = child.stdout.readline().strip()
    if line != word:
        sys.exit(f"bench: {line!r} instead of {word!r}")


def goes_on(child):
    child.stdin.write("\n")
    child.stdin.flush()


def summed(paths, executable):
    """The instructions in the executable, and all of them. A line behind `calls=` is the sum of what was called."""
    own, everything, files, inside, is_sum = 0, 0, {}, None, False
    for path in paths:
        with open(path) as file:
            for line in file:
                if line.startswith(("ob=", "cob=")):
                    number, _, name = line.split("=", 1)[1].strip().partition(" ")
                    files.setdefault(number, name)
                    inside = number if line[0] == "o" else inside
                elif line.startswith("calls="):
                    is_sum = True
                elif line[0] in "+-*0123456789":
                    if not is_sum:
                        count = int(line.split()[-1])
                        everything += count
                        own += count if files.get(inside) == executable else 0
                    is_sum = False
    return own, everything


main(*sys.argv[1:])
