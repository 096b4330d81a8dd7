"""The official package `meshtastic` on a shared radio that becomes another node meanwhile.

    renumbered.py PORT URL TOKEN

URL and TOKEN are those of the gateway's REST API; the port has the right to administer. Prints "connected" once a library and
`--listen` are, and reads the radio's new number, as !0a0b0c0d, from standard input: the radio has it by then. What fails is
printed, and the exit code is 1 then.
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

PORT, URL, TOKEN = sys.argv[1:]
CLI = [sys.executable, "-m", "meshtastic", "--host", f"127.0.0.1:{PORT}"]
ENVIRONMENT = dict(os.environ, HTTPS_PROXY="http://127.0.0.1:9", PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8")
faults = []


def patience():
    """Seconds, longer than anything takes. What else the machine does takes its share of that time."""
    return 120 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


def check(is_so, what):
    if not is_so:
        faults.append(what)


def eventually(what, is_so):
    end = time.monotonic() + patience()
    while time.monotonic() < end:
        if is_so():
            return
        time.sleep(0.2)
    faults.append(f"waited in vain: {what}")


def api(path, body=None):
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {TOKEN}"})
    if body:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=patience()) as answer:
        return json.load(answer)["data"]


def sender_of(text):
    """Who has said it, as REST has it."""
    return next((row["fromNodeId"] for row in api("/api/v1/messages?limit=100") if row["text"] == text), None)


def expect(words, pattern):
    answer = subprocess.run(
        CLI + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT, text=True,
        timeout=patience(), check=False)
    is_so = answer.returncode == 0 and re.search(pattern, answer.stdout)
    check(is_so, f"{' '.join(words)}: {answer.returncode}; not {pattern!r} in\n{answer.stdout[-1500:]}")


def listens(output):
    """`--listen`, and whether it prints what is said now."""
    said = 0

    def has_heard():
        # It does not say when it has begun to listen.
        nonlocal said
        if said % 15 == 0:
            api("/api/v1/messages", {"text": f"for who listens {said}", "channel": 0, "queue": True})
        said += 1
        return any("for who listens" in line for line in output)

    eventually("--listen prints a text", has_heard)
    output.clear()


library = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(PORT))
old = f"!{library.myInfo.my_node_num:08x}"
library.sendText("before it")
eventually("the text of before", lambda: sender_of("before it") == old)
listener = subprocess.Popen(
    CLI + ["--listen"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT, text=True)
printed = []
reader = threading.Thread(target=lambda: printed.extend(listener.stdout))
reader.start()
listens(printed)
print("connected", flush=True)
new = sys.stdin.readline().strip()
check(new != old, f"the radio still is {old}")

# The library that stays connected reads the radio again, and goes on as the new node.
eventually("the library knows its new number", lambda: library.myInfo and f"!{library.myInfo.my_node_num:08x}" == new)
eventually("it has read everything", lambda: library.isConnected.is_set() and library.localNode.localConfig.lora.hop_limit)
check(library.localNode.nodeNum == library.myInfo.my_node_num, f"the library administers {library.localNode.nodeNum:08x}")
library.sendText("after it")
eventually("the text of afterwards", lambda: sender_of("after it") == new)
listens(printed)
check(listener.poll() is None, "--listen has ended by itself")

# Programs that come afterwards.
expect(["--info"], re.escape(new))
expect(["--nodes"], re.escape(new))
expect(["--sendtext", "from a command", "--ack"], "implicit ACK|Received an ACK")
check(sender_of("from a command") == new, f"the command's text is from {sender_of('from a command')}")
# At last, because the radio restarts with it: the library administers the node that the radio is now.
library.localNode.setOwner("Renumbered")
eventually("the owner is written", lambda: api(f"/api/v1/nodes/{new}")["longName"] == "Renumbered")
library.close()
# Whoever has started this may keep SIGTERM from it.
listener.kill()
listener.wait()
reader.join()
print("\n".join(faults))
sys.exit(1 if faults else 0)
