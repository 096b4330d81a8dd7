"""What a packet costs from its bytes to the disk, beside a plain C program and the official Python package that read the
same stream."""

import glob
import os
import re
import subprocess

from servers import say

RECORDINGS = "Tests/Recordings"
C = "plain C, protobuf-c and SQLite"
NODES = "1000"
KINDS = {
    "repeated": ("a telemetry, position, neighbour or node packet", 20),
    "text": ("a text, a transaction of its own included", None),
}


def measure(bench, table):
    table.part("processor time of a packet, from its bytes to the disk")
    for kind, (name, most) in KINDS.items():
        say(f"Measuring: {name}")
        count = (10_000 if bench.quick else 50_000) // (5 if kind == "text" else 1)
        stream = bench.path(f"{kind}.stream")
        with open(stream, "wb") as file:
            subprocess.run([bench.bench, "stream", RECORDINGS, kind, NODES, str(count)], check=True, stdout=file)
        ours = bench.tool("frames", RECORDINGS, bench.path(f"{kind}.db"), kind, NODES, count)
        budget = most and f"at most {most} µs"
        met = most and ours["frame_us"] <= most
        table.row(name, "µs", ours["frame_us"], plain_c(stream, kind, bench), C, budget, met)
        table.row(f"{name}, after {3 * count:,} of them", "µs", ours["later_frame_us"])
        python = official_library(stream)
        table.row(f"{name}, frames a second of one processor", "/s", 1e6 / ours["frame_us"], 1e6 / python, "the Python package, storing nothing")
        table.row(f"memory that {count:,} of them added, after {3 * count:,}", "kB", ours["growth_kb"], None, "", "no growth", ours["growth_kb"] < 64)
        table.row(f"{name}, instructions", "", instructions(kind, bench), plain_c_instructions(stream, kind, bench), C)
    patterns(bench, table)
    tokens = bench.tool("tokens", bench.path("tokens.db"))
    table.part("processor time of a token check")
    for name, what in (("good", "known"), ("unknown", "unknown"), ("malformed", "none at all")):
        table.row(what, "µs", tokens[f"token_{name}_us"])


def plain_c(stream, kind, bench):
    with open(stream, "rb") as file:
        command = [bench.path("reference-frames"), bench.path(f"{kind}-reference.db")]
        return float(subprocess.run(command, check=True, stdin=file, capture_output=True, text=True).stdout.split()[1])


def official_library(stream):
    python = ".build/test-python/bin/python"
    command = [python, "Tests/Benchmarks/official_library.py", stream]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[1])


# Instructions

FEW, MANY = 1_000, 5_000
# The gateway plays them for its two figures, and twice between.
ROUNDS = 4


def callgrind(bench, command, stdin=subprocess.DEVNULL):
    """The instructions of each thread of a program, by its number; 1 is the main thread."""
    for old in glob.glob(bench.path("callgrind.out*")):
        os.unlink(old)
    tool = ["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={bench.path('callgrind.out')}"]
    subprocess.run([*tool, *command], check=True, stdin=stdin, capture_output=True)
    counts = {}
    for path in glob.glob(bench.path("callgrind.out*-*")):
        with open(path) as file:
            total = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)
        counts[int(path.rsplit("-", 1)[1])] = int(total[1]) if total else 0
    return counts


def instructions(kind, bench, rules=None):
    """Of one packet, on every thread but the one that plays the radio: what more packets take more."""

    def run(count):
        say(f"Counting the instructions of {count:,} packets")
        database = bench.path(f"instructions-{kind}-{count}-{os.path.basename(rules or '')}.db")
        command = [without_debug_information(bench), "frames", RECORDINGS, database, kind, NODES, str(count)]
        counts = callgrind(bench, command + ([rules] if rules else []))
        return sum(value for thread, value in counts.items() if thread != 1)

    return (run(MANY) - run(FEW)) / (MANY - FEW) / ROUNDS


# Patterns

# Of the kind that people look for; the recordings have none of it, because what fires is another cost.
WORDS = ["gewitter", "hochwasser", "lawine", "sturm", "hagel", "blitz", "feuer", "rettung", "notfall", "bergwacht"]
SHAPES = [r"\\b{}\\b", r"^{}", r"(?P<n>\\d+) ?{}", r"{}(e|en)?.*(heute|jetzt)", r"[a-z]+ {}!+$"]


def rules_with_patterns(bench, count):
    """A folder with one rule for messages, and so many that look for a pattern in them."""
    folder = bench.path(f"rules-{count}")
    os.makedirs(folder, exist_ok=True)
    texts = [shape.format(word) for shape in SHAPES for word in WORDS][:count]
    for number, text in enumerate(texts):
        with open(f"{folder}/pattern-{number}.conf", "w") as file:
            file.write(f'when = message\nmatches = "{text}"\n')
    with open(f"{folder}/word.conf", "w") as file:
        file.write("when = message\nwords = xyzzy\n")
    return folder


def patterns(bench, table):
    """What fifty rules with patterns cost a text, beside one rule with a word."""
    name = "a text that 50 rules with patterns look at"
    few, many = rules_with_patterns(bench, 0), rules_with_patterns(bench, 50)
    with_one, with_all = instructions("text", bench, few), instructions("text", bench, many)
    table.row(f"{name}, instructions", "", with_all, with_one, "one rule with a word", "at most twice as many", with_all <= 2 * with_one)
    kilobytes = [
        bench.tool("frames", RECORDINGS, bench.path(f"memory-{place}.db"), "text", NODES, 1_000, folder)["rss_kb"]
        for place, folder in enumerate([few, many])
    ]
    table.row(f"{name}, memory", "kB", kilobytes[1], kilobytes[0], "one rule with a word", "at most twice as much", kilobytes[1] <= 2 * kilobytes[0])


def without_debug_information(bench):
    """Valgrind cannot read what the Swift compiler writes of it, and ends."""
    path = bench.path("bench")
    subprocess.run(["strip", "--strip-debug", "-o", path, bench.bench], check=True)
    return path


def plain_c_instructions(stream, kind, bench):
    def run(count):
        database = bench.path(f"instructions-{kind}-{count}-reference.db")
        frames = subprocess.run([bench.bench, "stream", RECORDINGS, kind, NODES, str(count)], check=True, capture_output=True).stdout
        with open(bench.path("part.stream"), "wb") as file:
            file.write(frames)
        with open(bench.path("part.stream"), "rb") as file:
            return sum(callgrind(bench, [bench.path("reference-frames"), database], file).values())

    return (run(MANY) - run(FEW)) / (MANY - FEW)
