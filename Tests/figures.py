#!/usr/bin/env python3
"""Puts a command's table into the page that shows it: Tests/figures.py COMMAND <TABLE

The page of each command is below; in it the table stands between `<!-- COMMAND -->` and `<!-- end -->`. README.md shows
single figures of these tables, each as `<!-- COMMAND > ROW > COLUMN -->FIGURE<!-- end -->`: they are written as well. A
test holds them together (EveryFigureStandsBetweenItsMarkers).
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = {
    "deploy/bench": "Tests/Benchmarks/README.md",
    "deploy/soak": "Tests/Soak/README.md",
    "deploy/soak --share": "Tests/Soak/README.md",
    "deploy/soak --hostile": "Tests/Soak/README.md",
    "deploy/coverage": "Tests/Coverage/README.md",
    "deploy/mutations": "Tests/Coverage/README.md",
}
FIGURE = re.compile(r"(<!-- ([^>]+?) > ([^>]+?) > ([^>]+?) -->).*?(<!-- end -->)")


def between(command, text):
    found = re.search(rf"(?<=^<!-- {re.escape(command)} -->\n).*?(?=^<!-- end -->$)", text, re.DOTALL | re.MULTILINE)
    return found or sys.exit(f"figures: {PAGES[command]} has no <!-- {command} --> with an <!-- end -->")


def figure(command, row, column):
    """The cell of a row by its first cell, and of a column by its heading."""
    text = (ROOT / PAGES[command]).read_text()
    heads = []
    for line in between(command, text)[0].splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells:
            heads = []
        elif not heads:
            heads = cells
        elif cells[0] == row and column in heads:
            return cells[heads.index(column)]
    return sys.exit(f"figures: {PAGES[command]} has no row \"{row}\" with a column \"{column}\", which README.md shows")


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in PAGES:
        sys.exit(f"{__doc__}\nCommands: {', '.join(PAGES)}")
    command = sys.argv[1]
    page, readme = ROOT / PAGES[command], ROOT / "README.md"
    text, table = page.read_text(), sys.stdin.read().strip("\n") + "\n"
    found = between(command, text)
    page.write_text(text[: found.start()] + table + text[found.end() :])

    def renewed(match):
        return match[1] + figure(match[2], match[3], match[4]) + match[5] if match[2] == command else match[0]

    readme.write_text(FIGURE.sub(renewed, readme.read_text()))


if __name__ == "__main__":
    main()
