"""The size of the executable, and the time until it answers on a large database."""

import os
import subprocess

from routes import C, databases, free_port
from servers import say


def measure(bench, table):
    database, reference = databases(bench, bench.largest)
    stripped = bench.path("stripped")
    subprocess.run(["strip", "-o", stripped, bench.gateway], check=True)
    say("Measuring: start")
    port = free_port()
    serve = [stripped, "serve", "--database", database, "--device", "tcp:127.0.0.1:9", "--socket", bench.socket]
    ours = bench.tool("start", port, *serve, "--listen", f"127.0.0.1:{port}")["start_ms"]
    command = [bench.path("reference-server"), "serve", reference, str(port), bench.token, bench.path("nodes.json")]
    theirs = bench.tool("start", port, *command)["start_ms"]
    table.part("start, and what is started")
    name = f"start to the first answer, {bench.largest:,} messages"
    table.row(name, "ms", ours, theirs, C, "at most 50 ms", ours <= 50)
    megabytes = [os.path.getsize(path) / 1e6 for path in (stripped, bench.path("reference-server"))]
    table.row("executable, static Swift, stripped", "MB", *megabytes, C, "at most 15 MB", megabytes[0] <= 15)
