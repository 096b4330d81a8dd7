"""How long programs on a shared radio wait from connecting to the end of its handshake, and what memory they cost."""

from servers import say

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
