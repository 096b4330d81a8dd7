"""How long after its last byte a text can be read over the API, while the line is full at 115200 baud."""

import os
import subprocess
import threading
import time

from cable import Pace, attached, split
from rows import middle
from servers import say


def measure(bench, table):
    texts = 50 if bench.quick else 300
    say(f"Measuring: {texts} texts on a full line")
    with attached(bench.path("visibility.db"), bench) as (cable, _, client):
        times = play(cable, client, streams(bench, texts))
    disk = fsync_times(bench.path("fsync"))
    table.part("from the last byte of a text to its row in an answer, on a line that is full at 115200 baud")
    for name, share, budget in (("median", 0.5, None), ("p99", 0.99, "at most 2 ms beyond the disk")):
        ours, theirs = middle(times, share), middle(disk, share)
        table.row(name, "ms", ours, theirs, "4 kB and fdatasync on this disk", budget, ours - theirs <= 2)


def streams(bench, texts):
    """A text and what lies between it and the next: a fifth of a second of telemetry and positions."""

    def frames(kind, count):
        command = [bench.bench, "stream", "Tests/Recordings", kind, "100", str(count)]
        return split(subprocess.run(command, check=True, capture_output=True).stdout)

    # The number of a packet says nothing about its kind: texts get numbers of their own.
    return frames("repeated", texts * 40 + 400)[400:], frames("text", texts)


def play(cable, client, streams):
    """The milliseconds of each text."""
    filler, texts = streams
    pace, times, place = Pace(), [], 0
    for text in texts:
        sent = 0
        while sent < 2_300 and place < len(filler):
            pace.wait(len(filler[place]))
            cable.put(filler[place])
            sent += len(filler[place])
            place += 1
        pace.wait(len(text))
        # Meanwhile the line goes on being full.
        more = threading.Thread(target=fill_on, args=(cable, filler[place : place + 4]))
        before = newest(client)
        began = time.perf_counter()
        cable.put(text)
        more.start()
        while newest(client) == before:
            if time.perf_counter() - began > 10:
                raise SystemExit("bench: a text has not come in ten seconds")
        times.append((time.perf_counter() - began) * 1000)
        more.join()
        place += 4
    return times


def fill_on(cable, frames):
    pace = Pace()
    for frame in frames:
        pace.wait(len(frame))
        cable.put(frame)


def newest(client):
    return client.ask("/api/v1/messages?limit=1")


def fsync_times(path):
    """Milliseconds in which this disk takes 4 kB for good, with pauses like the texts'."""
    times, file = [], os.open(path, os.O_CREAT | os.O_WRONLY)
    for index in range(100):
        time.sleep(0.02)
        began = time.perf_counter()
        os.pwrite(file, os.urandom(4096), index * 4096)
        os.fdatasync(file)
        times.append((time.perf_counter() - began) * 1000)
    os.close(file)
    return times
