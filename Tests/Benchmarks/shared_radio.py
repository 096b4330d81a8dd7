"""How long programs on a shared radio wait from connecting to the end of its handshake, what memory they cost, and how often
the gateway wakes up for those that say nothing."""

import contextlib
import socket
import time

from disk import quiet
from servers import gateway, said, say, simulated_radio

# MeshMonitor 4.15.1's virtual node on an equal radio, where this measuring client needs 7 to 9 ms itself.
THEIRS = {60: (9, None), 250: (11, None), 1000: (49, 350)}
REFERENCE = "MeshMonitor 4.15.1, measured once"


def measure(bench, table):
    table.part("a shared radio: from connecting to config_complete_id")
    for nodes, (one, eight) in THEIRS.items():
        say(f"Measuring: a shared radio with {nodes} nodes")
        found = bench.tool("share", bench.path(f"share-{nodes}.db"), nodes)
        alone, last = found[f"share-{nodes}-one-ms"], found[f"share-{nodes}-last-of-eight-ms"]
        budgets = [("at most 20 ms", 20), ("at most 80 ms", 80)] if nodes == 1000 else [(None, 0), (None, 0)]
        name = f"{nodes:,} nodes"
        table.row(name, "ms", alone, one, REFERENCE, budgets[0][0], alone <= budgets[0][1])
        reference = REFERENCE if eight else ""
        table.row(f"{name}, the last of eight at once", "ms", last, eight, reference, budgets[1][0], last <= budgets[1][1])
        size = found[f"share-{nodes}-kB-a-client"]
        table.row(f"{name}, memory of a client", "kB", size, None, "", "at most 100 kB", size <= 100)
    idle(bench, table)


def idle(bench, table):
    """Each is told something at least every 55 s; one timer serves all."""
    seconds, clients = (20 if bench.quick else 250), 4
    database = bench.path("share-idle.db")
    rates = {}
    for count in (0, clients):
        say(f"Measuring {count} idle programs on a shared radio for {seconds} s")
        with contextlib.ExitStack() as stack:
            radio = stack.enter_context(simulated_radio("radio", bench, "--silent", "--nodes", "100"))
            device, options = f"tcp:127.0.0.1:{radio}", ["--share", "127.0.0.1:0"]
            child, _ = stack.enter_context(gateway(database, bench, device, pinned=False, options=options))
            port = said("gateway", bench, r"sharing the radio on 127\.0\.0\.1:(\d+)", "log")
            for _ in range(count):
                stack.enter_context(contextlib.closing(connected(int(port))))
            time.sleep(30)
            rates[count] = quiet(child.pid, seconds)[0] / seconds
    table.part(f"programs on a shared radio that are idle, for {seconds} s")
    most = clients / 55 + 0.1
    table.row(
        f"wake-ups with {clients}", "/s", rates[clients], rates[0], "without any", f"at most {most:.2f} more",
        rates[clients] - rates[0] <= most,
    )


def connected(port):
    """A program that has had its handshake: want_config_id and config_complete_id 7."""
    program, told = socket.create_connection(("127.0.0.1", port), 60), b""
    program.sendall(b"\x94\xc3\x00\x02\x18\x07")
    while b"\x94\xc3\x00\x02\x38\x07" not in told:
        data = program.recv(1 << 16)
        if not data:
            raise SystemExit("bench: a program was turned away")
        told += data
    return program
