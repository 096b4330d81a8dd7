"""The size of the executable, and the time until it answers on a large database."""

import os
import subprocess

from routes import C, examples, free_port
from servers import Client, create_tokens, gateway, say


def measure(bench, table):
    size = 100_000 if bench.quick else 1_000_000
    stripped, database, reference = bench.path("stripped"), bench.path("start.db"), bench.path("start-reference.db")
    subprocess.run(["strip", "-o", stripped, bench.gateway], check=True)
    say(f"Filling a database with 1,000 nodes and {size:,} messages")
    subprocess.run([bench.bench, "fill", database, "1000", str(size)], check=True)
    create_tokens(database, bench)
    with gateway(database, bench) as (_, url):
        examples(Client(url, bench.token), bench)
    answers = [bench.path(f"{name}.json") for name in ("nodes", "messages", "telemetry")]
    subprocess.run([bench.path("reference-server"), "load", reference, *answers, str(size)], check=True)

    say("Measuring: start")
    port = free_port()
    serve = [stripped, "serve", "--database", database, "--device", "tcp:127.0.0.1:9", "--socket", bench.path("socket")]
    ours = bench.tool("start", port, *serve, "--listen", f"127.0.0.1:{port}")["start_ms"]
    command = [bench.path("reference-server"), "serve", reference, str(port), bench.token, bench.path("nodes.json")]
    theirs = bench.tool("start", port, *command)["start_ms"]
    table.part("start, and what is started")
    name = f"start to the first answer, {size:,} messages"
    table.row(name, "ms", ours, theirs, C, "at most 50 ms", ours <= 50)
    megabytes = [os.path.getsize(path) / (1 << 20) for path in (stripped, bench.path("reference-server"))]
    table.row("executable, static Swift, stripped", "MB", *megabytes, C, "at most 20 MB", megabytes[0] <= 20)
