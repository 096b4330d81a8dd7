"""The command line beside a running gateway, and the official Python tool beside an equal radio."""

import time

from servers import create_tokens, gateway, say, simulated_radio, until, Client

TOOL = ".build/test-python/bin/meshtastic"


def measure(bench, table):
    table.part("the command line, 100 nodes: start to end, and the most memory")
    database = bench.path("commands.db")
    create_tokens(database, bench)
    mesh = ["--nodes", "100"]
    with simulated_radio("radio", bench, *mesh) as port, simulated_radio("their-radio", bench, *mesh) as their_port:
        with gateway(database, bench, f"tcp:127.0.0.1:{port}", pinned=False) as (_, url):
            client = Client(url, bench.token)
            until("the radio", client.has_radio)
            time.sleep(2)
            for command, theirs in (("status", "info"), ("nodes", "nodes"), ("doctor", None)):
                say(f"Measuring: mesh-gateway {command}")
                ours = bench.tool("command", "ours", 21, bench.gateway, command, "--socket", bench.socket)
                tool, name = {}, ""
                if theirs:
                    tool = bench.tool("command", "tool", 3, TOOL, "--host", f"127.0.0.1:{their_port}", f"--{theirs}")
                    name = f"the Python package's --{theirs}"
                table.row(command, "ms", ours["ours_ms"], tool.get("tool_ms"), name)
                table.row(f"{command}, memory", "MB", ours["ours_mb"], tool.get("tool_mb"), name)
