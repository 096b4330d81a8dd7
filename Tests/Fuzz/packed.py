#!/usr/bin/env python3
"""A corpus is one file, Tests/Fuzz/Corpus/TARGET: of each input its length, two bytes with the higher one first, and then
its bytes. libFuzzer reads and writes folders with a file for each input:

    packed.py unpack FILE FOLDER    makes FOLDER of FILE; an input's file is named by its SHA-1, as libFuzzer names it
    packed.py pack FOLDER FILE      makes FILE of FOLDER, in the order of the SHA-1: the same inputs make the same file
"""

import hashlib
import sys
from pathlib import Path


def inputs(packed):
    place = 0
    while place < len(packed):
        start = place + 2
        place = start + int.from_bytes(packed[place:start], "big")
        if place > len(packed):
            sys.exit(f"error: the last input of {sys.argv[2]} is cut off; take the file from git again")
        yield packed[start:place]


def name(content):
    return hashlib.sha1(content).hexdigest()


def unpack(file, folder):
    folder.mkdir(parents=True)
    for content in inputs(file.read_bytes()):
        (folder / name(content)).write_bytes(content)


def pack(folder, file):
    contents = {path.read_bytes() for path in folder.iterdir()}
    longest = max(map(len, contents), default=0)
    if longest > 0xFFFF:
        sys.exit(f"error: an input in {folder} has {longest} bytes, and its length is to fit into two")
    file.write_bytes(b"".join(len(content).to_bytes(2, "big") + content for content in sorted(contents, key=name)))


match sys.argv[1:]:
    case ["unpack", file, folder]:
        unpack(Path(file), Path(folder))
    case ["pack", folder, file]:
        pack(Path(folder), Path(file))
    case _:
        sys.exit(__doc__)
