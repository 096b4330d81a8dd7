"""The gateway with everything at once for so many minutes: soak.py PROGRAM MINUTES FOLDER [--share]. deploy/soak says what.

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

import compared
from process import sample, slope

BAUD = 115200
# Not stalls, in which the line is idle; nor handshakes that fail by themselves: the next unplug would come before they end.
FAULTS = [
    "debug-text-between-frames",
    "debug-text-inside-frames",
    "truncated-frames",
    "duplicate-frames",
    "reboots",
    "full-queue",
    "reordered-statuses",
    # Once, after two minutes; and each favourite that the load marks.
    "live-number-change",
    "full-favorites",
]
program, minutes, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
shares = sys.argv[4:] == ["--share"]
# Behind an unplug, a restart or a frame that broke off the radio tells things again, or nobody knows whether it has told
# them; and statuses that let all packets pass never come here, so that texts go out again. Where every single frame of each
# program is counted there is nothing of that, and the largest mesh.
unplug, nodes = (0, 1000) if shares else (10, 60)
faults = FAULTS[:1] if shares else FAULTS
here = os.path.dirname(os.path.abspath(__file__))
running = {}
failures = []


def say(sentence):
    print(f"{time.strftime('%H:%M:%S')} {sentence}", file=sys.stderr, flush=True)


def start(name, *command):
    with open(f"{folder}/{name}.out", "w") as output, open(f"{folder}/{name}.log", "w") as log:
        running[name] = subprocess.Popen(command, stdout=output, stderr=log, stdin=subprocess.DEVNULL)


def said(name, stream="out"):
    with open(f"{folder}/{name}.{stream}") as output:
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


def until(what, found, minutes=1):
    for _ in range(600 * minutes):
        value = found()
        if value:
            return value
        time.sleep(0.1)
    sys.exit(f"soak: {what} did not come in {minutes} min; see {folder}/*.log")


def begin():
    # 2.8.1 proves acknowledgements, and repeats texts under new ids.
    options = [f"--nodes={nodes}", "--chatter=6000", "--firmware=2.8.1", *(f"--misbehave={fault}" for fault in faults)]
    start("radio", program, "simulate", "--pty", f"{folder}/radio", *options)
    until("the radio", lambda: os.path.exists(f"{folder}/radio"))
    ends, ledgers = [f"{folder}/radio", f"{folder}/port"], [f"{folder}/handed", f"{folder}/sent"]
    start("line", sys.executable, f"{here}/line.py", *ends, str(BAUD), str(unplug), *ledgers)
    until("the line", lambda: os.path.lexists(f"{folder}/port"))
    own = ["--config", f"{folder}/conf", "--database", f"{folder}/mesh.db", "--socket", f"{folder}/socket"]
    share = ["--share", "127.0.0.1:0"] if shares else []
    start("gateway", program, "serve", *own, "--device", f"{folder}/port", "--listen", "127.0.0.1:0", *share)
    url = until("the gateway", lambda: re.search(r"http://127\.0\.0\.1:\d+", said("gateway")))[0]
    if shares:
        port = until("the shared port", lambda: re.search(r"sharing the radio on 127\.0\.0\.1:(\d+)", said("gateway", "log")))[1]
        start("programs", sys.executable, f"{here}/sharers.py", port, str(minutes), folder)
        # A thousand nodes take their time on this line, and are told twice.
        until("their handshakes", lambda: os.path.exists(f"{folder}/ready"), minutes=4)
    create = [program, "token", "create", "soak", "--scope", "admin", "--socket", f"{folder}/socket"]
    token = subprocess.run(create, check=True, capture_output=True, text=True).stdout.split()[-1]
    start("load", sys.executable, f"{here}/load.py", url, token, f"{folder}/socket", folder, *([] if shares else ["--direct"]))


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


def turned_away():
    """Connections that the gateway did not serve: there are eight programs, and eight places."""
    command = [program, "status", "--json", "--socket", f"{folder}/socket"]
    status = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    return status["sources"][0]["shares"][0]["refused"]["connections"]


def main():
    open(f"{folder}/conf", "w").close()
    begin()
    say(f"running for {minutes:g} minutes")
    samples = watch()
    figures, refused = {}, turned_away() if shares and running["gateway"].poll() is None else 0
    # First the line, so that what it has handed over can be written down.
    for name in ("line", "programs", "load", "gateway", "radio"):
        if name in running and running[name].poll() is None:
            figures[name] = stop(name)
            time.sleep(1)
    table(samples)
    found = {name: json.loads(figures.get(name) or "{}") for name in ("line", "load", "programs")}
    for name, values in found.items():
        if name == "programs" and not shares:
            continue
        print(f"| {name} | |\n|---|--:|")
        for what, value in sorted(values.items()):
            print(f"| {what} | {value} |")
        print()
    failures.extend(compared.with_api(folder))
    if shares:
        failures.extend(compared.with_programs(folder, found["programs"], refused))


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
