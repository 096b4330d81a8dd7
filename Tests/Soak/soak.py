"""The gateway with everything at once for so many minutes: soak.py PROGRAM MINUTES FOLDER. deploy/soak says what.

Starts and stops every process, samples the gateway's every five seconds, and compares at the end what was handed over
on the line with what the gateway has shown. Status 1 when something was lost or a process has ended by itself.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

from process import sample, slope

BAUD, UNPLUG = 115200, 10
# Not stalls, in which the line is idle; nor handshakes that fail by themselves: the next unplug would come before they end.
FAULTS = [
    "debug-text-between-frames",
    "debug-text-inside-frames",
    "truncated-frames",
    "duplicate-frames",
    "reboots",
    "full-queue",
    "reordered-statuses",
]
program, minutes, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
here = os.path.dirname(os.path.abspath(__file__))
running = {}
failures = []


def say(sentence):
    print(f"{time.strftime('%H:%M:%S')} {sentence}", file=sys.stderr, flush=True)


def start(name, *command):
    with open(f"{folder}/{name}.out", "w") as output, open(f"{folder}/{name}.log", "w") as log:
        running[name] = subprocess.Popen(command, stdout=output, stderr=log, stdin=subprocess.DEVNULL)


def said(name):
    with open(f"{folder}/{name}.out") as output:
        return output.read()


def stop(name):
    """Ends it in good order; what it has said at the end."""
    process = running.pop(name)
    process.send_signal(signal.SIGTERM)
    try:
        status = process.wait(90)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    if status != 0:
        failures.append(f"{name} ended with status {status}; see {folder}/{name}.log")
    return said(name)


def until(what, found):
    for _ in range(600):
        value = found()
        if value:
            return value
        time.sleep(0.1)
    sys.exit(f"soak: {what} did not come in a minute; see {folder}/*.log")


def begin():
    faults = [f"--misbehave={fault}" for fault in FAULTS]
    start("radio", program, "simulate", "--pty", f"{folder}/radio", "--nodes", "60", "--chatter", "6000", *faults)
    until("the radio", lambda: os.path.exists(f"{folder}/radio"))
    ends = [f"{folder}/radio", f"{folder}/port"]
    start("line", sys.executable, f"{here}/line.py", *ends, str(BAUD), str(UNPLUG), f"{folder}/handed")
    until("the line", lambda: os.path.lexists(f"{folder}/port"))
    own = ["--config", f"{folder}/conf", "--database", f"{folder}/mesh.db", "--socket", f"{folder}/socket"]
    start("gateway", program, "serve", *own, "--device", f"{folder}/port", "--listen", "127.0.0.1:0")
    url = until("the gateway", lambda: re.search(r"http://127\.0\.0\.1:\d+", said("gateway")))[0]
    create = [program, "token", "create", "soak", "--scope", "admin", "--socket", f"{folder}/socket"]
    token = subprocess.run(create, check=True, capture_output=True, text=True).stdout.split()[-1]
    start("load", sys.executable, f"{here}/load.py", url, token, f"{folder}/socket", folder)


def watch():
    """The samples, each with its time in hours."""
    samples, began = [], time.monotonic()
    with open(f"{folder}/samples", "w", buffering=1) as file:
        while time.monotonic() - began < minutes * 60:
            time.sleep(5)
            for name, process in running.items():
                if process.poll() is not None:
                    failures.append(f"{name} has ended by itself with status {process.returncode}; see {folder}/{name}.log")
                    return samples
            samples.append(((time.monotonic() - began) / 3600, sample(running["gateway"].pid, f"{folder}/mesh.db")))
            print(json.dumps(samples[-1]), file=file)
            if len(samples) % 60 == 0:
                say(f"{len(samples) // 12} minutes: {samples[-1][1]}")
    return samples


def table(samples):
    """After the warm-up: five minutes, of a short run a sixth. What only fills up slowly is flat in the last half."""
    warm = min(5, minutes / 6) / 60
    settled = [(hours, values) for hours, values in samples if hours >= warm]
    if not settled:
        return
    print(f"| the gateway's process | after {warm * 60:.3g} min | after {minutes:g} min | drift | in the last half |")
    print("|---|--:|--:|--:|--:|")
    for name in settled[0][1]:
        spans = (settled, samples[len(samples) // 2 :])
        drifts = [drift([(hours, values[name]) for hours, values in span]) for span in spans]
        print(f"| {name} | {settled[0][1][name]} | {settled[-1][1][name]} | {drifts[0]:+.0f} | {drifts[1]:+.0f} |")
    print("\nDrift is the slope by least squares, times the time. Of resident memory half an hour is to have 64 kB at most.\n")


def drift(points):
    return slope(points) * (points[-1][0] - points[0][0])


def pairs(name, kind=None):
    with open(f"{folder}/{name}") as file:
        rows = [line.split() for line in file]
    return {(row[0], row[1]) for row in rows if kind is None or row[2] == kind}


def lost():
    """What the line handed over and the gateway has never shown."""
    texts, handed = pairs("handed", "1"), pairs("handed")
    messages, packets = pairs("stored", "message"), pairs("stored", "packet")
    with open(f"{folder}/posted") as file:
        posted = {line.strip().rsplit("_", 1)[1] for line in file}
    missing = {
        "texts of the mesh": (texts, texts - messages),
        "packets of the mesh": (handed, handed - packets - messages),
        "texts accepted from a client": (posted, posted - {number for _, number in messages}),
    }
    print("| handed over | | lost |\n|---|--:|--:|")
    for what, (all_of_them, gone) in missing.items():
        print(f"| {what} | {len(all_of_them)} | {len(gone)} |")
        if gone:
            failures.append(f"lost, {what}: {sorted(gone)[:5]}")
    print()


def main():
    open(f"{folder}/conf", "w").close()
    begin()
    say(f"running for {minutes:g} minutes")
    samples = watch()
    figures = {}
    # First the line, so that what it has handed over can be written down.
    for name in ("line", "load", "gateway", "radio"):
        if running[name].poll() is None:
            figures[name] = stop(name)
    table(samples)
    for name in ("line", "load"):
        print(f"| {name} | |\n|---|--:|")
        for what, value in sorted(json.loads(figures.get(name) or "{}").items()):
            print(f"| {what} | {value} |")
        print()
    lost()


# SIGTERM as well as Ctrl-C: nothing is left running.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
try:
    main()
finally:
    for process in running.values():
        if process.poll() is None:
            process.kill()
for failure in failures:
    print(f"soak: {failure}", file=sys.stderr)
sys.exit(1 if failures else 0)
