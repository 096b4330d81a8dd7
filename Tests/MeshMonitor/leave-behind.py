#!/usr/bin/env python3
"""Leaves a database as a program does that runs, or that was killed.

    leave-behind.py open|log|journal FILE

open: holds it open with a change that is not finished, says so, and goes on until a signal ends it.
log: a finished change is in the log beside the file, which nobody has moved into it.
journal: half a change is in the file, and what was there before in the journal beside it.
"""

import os
import signal
import sqlite3
import sys


def main():
    state, path = sys.argv[1:]
    database = sqlite3.connect(path, isolation_level=None)
    if state == "journal":
        # A cache of a few pages, so that the change is in the file before its end.
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA cache_size = 5")
    database.execute("BEGIN IMMEDIATE")
    if state == "log":
        database.execute("UPDATE nodes SET longName = 'Renamed in the log' WHERE shortName = 'N01'")
        database.execute("COMMIT")
        os._exit(0)
    database.execute("UPDATE messages SET text = 'half a change'")
    if state == "journal":
        os._exit(0)
    print("open", flush=True)
    signal.pause()


main()
