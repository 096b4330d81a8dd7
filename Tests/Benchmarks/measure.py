"""Measures everything, or the parts that are named: measure.py RELEASE WORK [--quick] [PART...]. deploy/bench says what.

Prints one Markdown table: each figure beside that of something that does the same and was measured in the same run.
"""

import os
import sys

import commands
import disk
import events
import packets
import routes
import shared_radio
import start
import visibility
import web_page
from rows import Table
from servers import Bench

PARTS = {
    "start": start,
    "routes": routes,
    "packets": packets,
    "visibility": visibility,
    "disk": disk,
    "events": events,
    "commands": commands,
    "share": shared_radio,
    "page": web_page,
}

release, work, *words = sys.argv[1:]
bench, table = Bench(release, work, "--quick" in words), Table()
# A million messages are more than the gateway keeps by default.
os.environ["MESH_GATEWAY_DATABASE_SIZE"] = "unlimited"
chosen = [word for word in words if word != "--quick"] or list(PARTS)
for part in PARTS:
    if part in chosen:
        PARTS[part].measure(bench, table)
print(table.markdown())
