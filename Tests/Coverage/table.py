"""Line coverage as Markdown: table.py LCOV [--every-line], in the checkout. deploy/coverage says what.

LCOV is what `llvm-cov export --format=lcov` writes: a line `SF:` a file, and a line `DA:` a line that can run, with how
often it did.
"""

import os
import sys

from areas import AREAS

GENERATED = "Sources/CMeshtastic/"
path, is_long = sys.argv[1], "--every-line" in sys.argv[2:]


def read(path):
    """How often each line of each file ran; one that is in several programs ran as often as in all of them."""
    files, lines = {}, {}
    with open(path, encoding="utf-8") as export:
        for row in export:
            key, _, value = row.rstrip("\n").partition(":")
            if key == "SF":
                lines = files.setdefault(os.path.relpath(value), {})
            elif key == "DA":
                line, count = value.split(",")[:2]
                lines[int(line)] = lines.get(int(line), 0) + int(count)
    return {name: lines for name, lines in files.items() if name.startswith("Sources/") and not name.startswith(GENERATED)}


def row(name, files):
    lines = sum(len(files[file]) for file in files)
    run = sum(1 for file in files for count in files[file].values() if count)
    # Rounded down: 100 means all of them.
    print(f"| {name} | {lines:,} | {lines - run:,} | {int(1000 * run / lines) / 10 if lines else 100.0:.1f} |")


def heading(name):
    print(f"\n| {name} | lines | not run | % |\n|---|--:|--:|--:|")


def show(file, lines):
    with open(file, encoding="utf-8") as source:
        texts = source.read().split("\n")
    for line in sorted(line for line, count in lines.items() if not count):
        print(f"{file}:{line}: {texts[line - 1].strip()}")


files = read(path)
heading("room")
row("all", files)
for room in sorted({file.split("/")[1] for file in files}, key=str.lower):
    row(room, {file: lines for file, lines in files.items() if file.startswith(f"Sources/{room}/")})
shown = []
for area, names in AREAS.items():
    missing = [name for name in names if name not in files and os.path.exists(name)]
    # A file of declarations alone has no line that runs; one that is gone would count as covered.
    gone = [name for name in names if not os.path.exists(name)]
    if gone:
        sys.exit(f"coverage: {', '.join(gone)} is not there any more; Tests/Coverage/areas.py names it")
    heading(area)
    row("all", {name: files[name] for name in names if name not in missing})
    for name in names:
        row(name.removeprefix("Sources/"), {name: files.get(name, {})})
    shown += names
if is_long:
    shown = sorted(files)
not_run = [name for name in shown if not all(files.get(name, {}).values())]
if not_run:
    print("\nNot run:\n")
for name in not_run:
    show(name, files[name])
