"""The official package `meshtastic` on a shared radio, as several programs use it at once.

    shared.py RIGHT PORT URL TOKEN NODE

RIGHT is what the port allows, URL and TOKEN those of the gateway's REST API, NODE the id of a node that answers. What fails
is printed, and the exit code is 1 then.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

import meshtastic.tcp_interface
from pubsub import pub

RIGHT, PORT, URL, TOKEN, NODE = sys.argv[1:6]
CLI = [sys.executable, "-m", "meshtastic", "--host", f"127.0.0.1:{PORT}"]
ENVIRONMENT = dict(os.environ, HTTPS_PROXY="http://127.0.0.1:9", PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8")
faults = []


def patience():
    """Seconds, longer than anything takes. What else the machine does takes its share of that time."""
    return 120 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


def check(is_so, what):
    if not is_so:
        faults.append(what)


def cli(*words):
    """Exit code and output; None as the code when it had to be ended."""
    process = subprocess.Popen(
        CLI + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT,
        text=True)
    try:
        output, _ = process.communicate(timeout=patience())
        return process.returncode, output
    except subprocess.TimeoutExpired:
        process.kill()
        return None, process.communicate()[0]


def expect(words, code, pattern):
    got, output = cli(*words)
    check(got == code and re.search(pattern, output), f"{' '.join(words)}: {got}; not {pattern!r} in\n{output[-1500:]}")
    # The one traceback that the package has against any fast radio is that of a heartbeat after the end.
    check("Traceback" not in output or "sendHeartbeat" in output, f"{' '.join(words)}: {output[-1500:]}")


def api(path, body=None):
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {TOKEN}"})
    if body:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=patience()) as answer:
        return json.load(answer)


def texts():
    return [row["text"] for row in api("/api/v1/messages?limit=100")["data"]]


def eventually(what, is_so):
    end = time.monotonic() + patience()
    while time.monotonic() < end:
        if is_so():
            return
        time.sleep(0.2)
    faults.append(f"waited in vain: {what}")


def listener():
    """A library that stays connected, and the texts that it hears."""
    heard = []
    interface = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))

    def take(packet, interface=None):
        heard.append(packet["decoded"]["text"])

    pub.subscribe(take, "meshtastic.receive.text")
    return interface, heard, take


def several_at_once(may_send):
    """Two command lines, a library and a REST client."""
    interface, heard, taker = listener()
    results = {}
    words = {
        "one": ["--sendtext", "from one", "--ack"], "two": ["--nodes"], "three": ["--traceroute", NODE],
        # The package waits on after a refusal, until its time is over.
        "four": ["--request-position", "--dest", NODE, "--timeout", "20"],
    }
    threads = [threading.Thread(target=lambda n=n, w=w: results.update({n: cli(*w)})) for n, w in words.items()]
    for thread in threads:
        thread.start()
    api("/api/v1/messages", {"text": "from REST", "channel": 0})
    for thread in threads:
        thread.join()
    expected = {
        "one": "implicit ACK|Received an ACK" if may_send else "NOT_AUTHORIZED|NAK", "two": NODE,
        "three": "Route traced" if may_send else "NOT_AUTHORIZED|Timed out|No response",
        "four": "Sending position request",
    }
    for name, pattern in expected.items():
        code, output = results[name]
        check(code is not None and re.search(pattern, output), f"{name}: {code}; not {pattern!r} in\n{output[-1500:]}")
    eventually("the library hears REST", lambda: "from REST" in heard)
    if may_send:
        eventually("the library hears the command line", lambda: "from one" in heard)
        eventually("REST has the command line's text", lambda: "from one" in texts())
        interface.sendText("from the library")
        eventually("REST has the library's text", lambda: "from the library" in texts())
        check(heard.count("from one") == 1, f"{heard}")
    check(heard.count("from REST") == 1, f"{heard}")
    interface.close()


def listens():
    """`--listen` runs until it is ended, and prints what the mesh and the others say."""
    process = subprocess.Popen(
        CLI + ["--listen"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT,
        text=True)
    output = []
    reader = threading.Thread(target=lambda: output.extend(process.stdout))
    reader.start()
    number = 0

    def has_heard():
        # It does not say when it has begun to listen.
        nonlocal number
        if number % 15 == 0:
            api("/api/v1/messages", {"text": f"for who listens {number}", "channel": 0})
        number += 1
        return any("for who listens" in line for line in output)

    eventually("--listen prints a text", has_heard)
    check(process.poll() is None, "--listen has ended by itself")
    # Whoever has started this may keep SIGTERM from it.
    process.kill()
    process.wait()
    reader.join()


def settings(may_change):
    expect(["--info"], 0, "Simulated radio")
    expect(["--nodes"], 0, NODE)
    expect(["--export-config"], 0, "canned_messages:|config:")
    expect(["--device-metadata"], 0, r"firmware_version: 2\.")
    expect(["--set", "lora.hop_limit", "5"], 0, "Writing lora configuration")
    expect(["--set-owner", "New owner"], 0, "Setting device owner")
    expect(["--ch-index", "1", "--ch-set", "name", "Path"], 0, "Writing modified channels")
    changed = {
        "hop limit": (["--get", "lora.hop_limit"], r"lora.hop_limit: 5"),
        "owner": (["--info"], "New owner"), "channel": (["--info"], r'"name": "Path"'),
    }
    for what, (words, pattern) in changed.items():
        def is_so():
            return (re.search(pattern, cli(*words)[1]) is not None) == may_change
        if may_change:
            eventually(what, is_so)
        else:
            check(is_so(), f"{what} was changed")


if RIGHT == "admin":
    settings(True)
else:
    settings(False)
listens()
several_at_once(RIGHT != "read")
print("\n".join(faults))
sys.exit(1 if faults else 0)
