"""What is written to the disk for a packet, a message and a request, counted by the system calls (strace); and how often
the processes wake up when nothing happens (/proc)."""

import glob
import re
import sqlite3
import subprocess
import sys
import time

from cable import attached, split
from servers import process, say, simulated_radio

TRACED = "pwrite64,write,pwritev,fsync,fdatasync,ftruncate"
PACKET_SECONDS = 4


def measure(bench, table):
    packets, messages, gets = (10, 5, 50) if bench.quick else (60, 20, 200)
    trace = bench.path("strace.out")
    tracer = ["strace", "-D", "-f", "-ttt", "-y", "-s", "0", "-e", f"trace={TRACED}", "-o", trace]
    phases = {}
    telemetry = stream(bench, "telemetry", 200 + packets)
    with attached(bench.path("disk.db"), bench, tracer) as (cable, _, client):
        # Each of the nodes has been heard before: a new one is a row of its own.
        hear(cable, telemetry[:200], 0.02)
        # What that and the handshake have left to be written.
        time.sleep(20)
        for name, work in (
            ("packet", lambda: hear(cable, telemetry[200:], PACKET_SECONDS)),
            ("text", lambda: hear(cable, stream(bench, "text", messages), 1)),
            ("message", lambda: send(client, messages)),
            ("GET", lambda: ask(client, gets)),
        ):
            say(f"Counting what is written: {name}")
            began = time.time()
            acceptances = work() or []
            phases[name] = [(began, time.time())]
            if acceptances:
                phases["acceptance"] = acceptances
    calls = read(trace)
    least = of_sqlite(bench)
    table.part("written to the disk, radio with 100 nodes")
    for name, what, count, most_syncs, most_bytes in (
        ("packet", f"a telemetry packet, one in {PACKET_SECONDS} s", packets, None, 4_096),
        ("text", "a text from the mesh", messages, None, None),
        ("acceptance", "a text from a client until it is accepted", messages, 1, 16 << 10),
        ("message", "the same until it is acknowledged", messages, None, None),
        ("GET", "a GET on a silent mesh", gets, 0, 0),
    ):
        syncs, written = totals(calls, phases[name])
        reference = (None, None, "") if name == "GET" else (*least, "SQLite alone, a small row and its transaction")
        syncs_met = () if most_syncs is None else (f"at most {most_syncs}", syncs <= most_syncs * count)
        table.row(f"{what}: fsyncs", "", syncs / count, reference[0], reference[2], *syncs_met)
        bytes_met = () if most_bytes is None else (f"at most {most_bytes >> 10} kB", written <= most_bytes * count)
        table.row(f"{what}: bytes", "B", written / count, reference[1], reference[2], *bytes_met)
    wakeups(bench, table)


def stream(bench, kind, count):
    command = [bench.bench, "stream", "Tests/Recordings", kind, "100", str(count)]
    return split(subprocess.run(command, check=True, capture_output=True).stdout)


def hear(cable, frames, seconds):
    for frame in frames:
        cable.put(frame)
        time.sleep(seconds)


def send(client, count):
    """When each was asked for and accepted."""
    times = []
    for number in range(count):
        began = time.time()
        if client.ask("/api/v1/messages", {"text": f"measured {number}", "channel": 0}) is None:
            sys.exit("bench: a text was not accepted")
        times.append((began, time.time()))
        time.sleep(4)
    return times


def ask(client, count):
    for number in range(count):
        client.ask(f"/api/v1/{('nodes', 'messages?limit=100', 'telemetry?limit=100', 'status')[number % 4]}")
    time.sleep(5)


# strace

CALL = re.compile(r"^\d+ +(\d+\.\d+) (\w+)\((\d+)<([^>]*)>.*= (-?\d+)")


def read(path):
    """(time, call, file, result) of everything that went to the database's files or a socket."""
    with open(path) as file:
        found = (CALL.match(line) for line in file)
        return [(float(call[1]), call[2], call[4], int(call[5])) for call in found if call]


def totals(calls, times):
    """The fsyncs of the database and its log in these times, and the bytes written to them."""

    def is_meant(when, file):
        return re.search(r"\.db(-wal|-journal)?$", file) and any(began <= when < ended for began, ended in times)

    mine = [call for call in calls if is_meant(call[0], call[2])]
    syncs = sum("sync" in call for _, call, _, _ in mine)
    return syncs, sum(result for _, call, _, result in mine if "write" in call and result > 0)


def of_sqlite(bench):
    """The fsyncs and bytes of one small row in a transaction of its own, in the way that is the least for SQLite."""
    script = (
        "import sqlite3, sys; d = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "d.execute('PRAGMA journal_mode = WAL'); d.execute('PRAGMA synchronous = FULL');"
        "d.execute('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)'); d.execute('PRAGMA wal_checkpoint');"
        "print(flush=True); sys.stdout.flush();"
        "[d.execute('INSERT INTO t VALUES (NULL, ?)', ('a' * 100,)) for _ in range(100)]; import os; os._exit(0)"
    )
    trace = bench.path("sqlite.out")
    tracer = ["strace", "-f", "-ttt", "-y", "-s", "0", "-e", f"trace={TRACED}", "-o", trace]
    subprocess.run([*tracer, sys.executable, "-c", script, bench.path("least.db")], check=True, stdout=subprocess.DEVNULL)
    calls = read(trace)
    starts = next(when for when, call, file, _ in calls if call == "write" and "null" in file)
    syncs, written = totals(calls, [(starts, float("inf"))])
    return syncs / 100, written / 100


# Wake-ups


def wakeups(bench, table):
    seconds = 20 if bench.quick else 120
    say(f"Counting the wake-ups of {seconds} s in which nothing happens")
    # On a database of its own: nothing that was said before is to come to its end meanwhile.
    with attached(bench.path("idle.db"), bench) as (_, child, client):
        client.connection.close()
        time.sleep(30)
        ours, written = quiet(child.pid, seconds)
    with simulated_radio("radio", bench, "--silent", "--nodes", "100") as port:
        listen = [".build/test-python/bin/meshtastic", "--host", f"127.0.0.1:{port}", "--listen"]
        with process("listen", listen, bench) as child:
            time.sleep(30)
            theirs, _ = quiet(child.pid, seconds)
    table.part(f"idle for {seconds} s, with a radio that is silent")
    rates = (ours / seconds, theirs / seconds)
    table.row("wake-ups of all threads", "/s", *rates, "the Python package's --listen", "at most 0.1", rates[0] <= 0.1)
    table.row("written", "B", written, None, "", "nothing", written == 0)


def quiet(pid, seconds):
    """How often its threads went to sleep again, and how many bytes it wrote to disks."""

    def state():
        switches = 0
        for path in glob.glob(f"/proc/{pid}/task/*/status"):
            with open(path) as file:
                switches += sum(int(line.split()[1]) for line in file if line.startswith("voluntary"))
        with open(f"/proc/{pid}/io") as file:
            return switches, int(re.search(r"^write_bytes: (\d+)", file.read(), re.MULTILINE)[1])

    before = state()
    time.sleep(seconds)
    after = state()
    return after[0] - before[0], after[1] - before[1]
