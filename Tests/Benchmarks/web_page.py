"""The web page in Debian's Chromium: what it takes to open it, and for how long at a time it is busy with a large mesh."""

import json
import os
import subprocess

from servers import say


def measure(bench, table):
    say("Measuring: the web page")
    # The one of another part, or one of its own.
    database = bench.path(f"mesh-{bench.largest}.db")
    if not os.path.exists(database):
        database = bench.path(f"page-{bench.largest}.db")
    command = ["Tests/Browser/run", bench.gateway, ".build/browser-python/bin/python", "--figures", str(bench.largest), database]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    table.part("the web page in a browser, 1,000 nodes")
    for line in output.splitlines():
        if line.startswith("{"):
            found = json.loads(line)
            table.row(found["what"], found["unit"], found["value"], budget=found["budget"], met=found["met"])
