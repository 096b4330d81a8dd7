"""How long after its last byte a text can be read over the API, while the line is full at 115200 baud."""

import os
import subprocess
import tempfile
import threading
import time

from cable import Pace, attached, split
from rows import middle
from servers import say


def measure(bench, table):
    """On the disk, where the slowest hundredth are those of the disk's own stalls; and where a sync costs nothing, so that
    what is left is the gateway's."""
    table.part("from the last byte of a text to its row in an answer, on a line that is full at 115200 baud")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        rows(bench, table, bench.work, "this disk")
        rows(bench, table, memory, "a file system in memory", "at most 2 ms beyond the sync")


def rows(bench, table, folder, place, budget=None):
    texts = 50 if bench.quick else 300
    say(f"Measuring: {texts} texts on a full line, {place}")
    with attached(os.path.join(folder, "visibility.db"), bench) as (cable, _, client):
        times, disk = play(cable, client, streams(bench, texts), os.path.join(folder, "fsync"))
    for name, share, judged in (("median", 0.5, None), ("p99", 0.99, budget)):
        ours, theirs = middle(times, share), middle(disk, share)
        table.row(f"{place}, {name}", "ms", ours, theirs, "4 kB and fdatasync", judged, ours - theirs <= 2)


def streams(bench, texts):
    """A text and what lies between it and the next: a fifth of a second of telemetry and positions."""

    def frames(kind, count):
        command = [bench.bench, "stream", "Tests/Recordings", kind, "100", str(count)]
        return split(subprocess.run(command, check=True, capture_output=True).stdout)

    # The number of a packet says nothing about its kind: texts get numbers of their own.
    return frames("repeated", texts * 40 + 400)[400:], frames("text", texts)


def play(cable, client, streams, path):
    """The milliseconds of each text, and those in which this disk takes 4 kB for good, right after each of them: a disk that
    others use as well is not the same a minute later."""
    filler, texts = streams
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    pace, times, disk, place = Pace(), [], [], 0
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
        disk.append(fsync_time(file, len(disk)))
        place += 4
    os.close(file)
    return times, disk


def fill_on(cable, frames):
    pace = Pace()
    for frame in frames:
        pace.wait(len(frame))
        cable.put(frame)


def newest(client):
    return client.ask("/api/v1/messages?limit=1")


def fsync_time(file, place):
    began = time.perf_counter()
    os.pwrite(file, os.urandom(4096), place * 4096)
    os.fdatasync(file)
    return (time.perf_counter() - began) * 1000
