"""What an honest client and the gateway's memory notice of hostile clients: hostile.py PROGRAM SECONDS FOLDER.

For each attack: the honest client alone, then beside it, for so many seconds each (a million wrong tokens are sent to
their end). The honest client asks for a node, every other time on a new connection. See deploy/soak.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time

from process import sample

ATTACKS = [
    ("500 slow senders", "slow-senders", 1),
    ("500 slow senders from 100 addresses", "slow-senders", 100),
    ("1,000 idle keep-alive connections", "idle-connections", 1),
    ("1,000 idle keep-alive connections from 100 addresses", "idle-connections", 100),
    ("requests with 10,000 headers", "headers", 1),
    ("pipelining, 1,000 requests at a time", "pipelining", 1),
    ("pipelining, answers never read", "pipelining-unread", 1),
    ("a million wrong tokens", "wrong-tokens", 1),
]
program, seconds, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
here = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 10
enemies = []


def start(name, *command):
    with open(f"{folder}/{name}.out", "w") as output, open(f"{folder}/{name}.log", "w") as log:
        return subprocess.Popen(command, stdout=output, stderr=log, stdin=subprocess.DEVNULL)


def said(name):
    with open(f"{folder}/{name}.out") as output:
        return output.read()


def until(what, found):
    for _ in range(600):
        value = found()
        if value:
            return value
        time.sleep(0.1)
    sys.exit(f"hostile: {what} did not come in a minute; see {folder}/*.log")


class Honest:
    def __init__(self, port, token):
        self.port, self.headers = port, {"Authorization": f"Bearer {token}"}
        self.kept = self.connection()
        self.path = "/api/v1/nodes"
        rows = until("a node", lambda: self.ask(self.kept)["data"])
        self.path = f"/api/v1/nodes/{rows[0]['nodeId']}"

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, connection):
        connection.request("GET", self.path, headers=self.headers)
        answer = connection.getresponse()
        body = json.loads(answer.read())
        if answer.status != 200:
            raise OSError(f"status {answer.status}")
        return body

    def ask_again(self):
        """As every client does whose kept connection was closed meanwhile."""
        try:
            self.ask(self.kept)
        except (ConnectionError, http.client.BadStatusLine):
            self.kept.close()
            self.ask(self.kept)

    def measure(self, goes_on, look):
        """Milliseconds to each answer, in order of their length; and how many did not come."""
        times, failures, number = [], 0, 0
        while goes_on():
            number += 1
            began = time.monotonic()
            try:
                if number % 2:
                    self.ask_again()
                else:
                    other = self.connection()
                    self.ask(other)
                    other.close()
            except (OSError, http.client.HTTPException):
                failures += 1
                self.kept.close()
            times.append((time.monotonic() - began) * 1000)
            if number % 100 == 1:
                look()
            time.sleep(0.002)
        return sorted(times), failures


def part(times, share):
    return times[min(len(times) - 1, len(times) * share // 100)]


def memory(gateway):
    return sample(gateway.pid, f"{folder}/mesh.db")["resident memory, kB"]


def lasting(duration):
    end = time.monotonic() + duration
    return lambda: time.monotonic() < end


def row(title, attack, addresses, honest, gateway, port):
    alone, _ = honest.measure(lasting(seconds), lambda: None)
    before = memory(gateway)
    name = f"{attack}-{addresses}"
    enemy = start(name, sys.executable, f"{here}/attacks.py", attack, str(port), str(addresses))
    enemies.append(enemy)
    time.sleep(3)
    seen = [before]
    beside, failures = honest.measure(lasting(seconds), lambda: seen.append(memory(gateway)))
    # A million is an end; the others go on for ever.
    if attack != "wrong-tokens":
        enemy.send_signal(signal.SIGTERM)
    enemy.wait(900)
    enemies.remove(enemy)
    time.sleep(3)
    seen.append(memory(gateway))
    cells = [title, *(f"{part(times, 50):.2f} / {part(times, 99):.2f}" for times in (alone, beside))]
    cells += [f"{part(beside, 99) / part(alone, 99):.1f}", f"{failures} of {len(beside)}"]
    cells += [before, f"{max(seen) - before:+}", f"{seen[-1] - before:+}"]
    print("|", " | ".join(map(str, cells)), "|", flush=True)
    done = ", ".join(f"{what} {count}" for what, count in json.loads(said(name)).items())
    print(f"{title}: {done}", file=sys.stderr, flush=True)


def main():
    open(f"{folder}/conf", "w").close()
    own = ["--config", f"{folder}/conf", "--database", f"{folder}/mesh.db", "--socket", f"{folder}/socket"]
    device = ["--device", "simulated:seed=7,nodes=100"]
    gateway = start("gateway", program, "serve", *own, *device, "--listen", "127.0.0.1:0")
    try:
        port = int(until("the gateway", lambda: re.search(r"http://127\.0\.0\.1:(\d+)", said("gateway")))[1])
        create = [program, "token", "create", "honest", "--socket", f"{folder}/socket"]
        token = subprocess.run(create, check=True, capture_output=True, text=True).stdout.split()[-1]
        honest = Honest(port, token)
        honest.measure(lasting(seconds), lambda: None)
        print("| attack | honest client alone, p50 / p99 ms | beside it | ratio of p99 | not answered ", end="")
        print("| resident kB before | most | after |\n|---|--:|--:|--:|--:|--:|--:|--:|")
        for title, attack, addresses in ATTACKS:
            row(title, attack, addresses, honest, gateway, port)
            if gateway.poll() is not None:
                sys.exit(f"hostile: the gateway has died with status {gateway.returncode} of: {title}")
        print("\nThe honest client is to keep its p99 within a factor of 2, the gateway its memory within 8,192 kB.")
    finally:
        for enemy in enemies:
            enemy.kill()
        gateway.terminate()
        if gateway.wait(30) != 0:
            sys.exit(f"hostile: the gateway ended with status {gateway.returncode}")


# SIGTERM as well as Ctrl-C: nothing is left running.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
main()
