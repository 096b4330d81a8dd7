"""Makes and compares databases of mesh-gateway, by SQLite as Python has it.

    databases.py fill FILE ROWS          adds so many rows of telemetry, and a message for every ten
    databases.py copy FROM TO            a copy of one state, made by sqlite3_backup
    databases.py within PART WHOLE       every row that is only ever added is in WHOLE as it is in PART
    databases.py state FILE              the parts of one transaction are all there, or none
    databases.py sealed FILE             the last line of a backup is the SHA-256 of the rest
"""

import hashlib
import sqlite3
import sys

# Rows that nobody changes, and what of a message nobody changes.
ADDED = {
    "packets": "*",
    "telemetry": "*",
    "positions": "*",
    "messages": "id, source, from_node, to_node, packet_id, occurrence, text, created_at",
}


def opened(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def fill(path, rows):
    database = sqlite3.connect(path)
    rows = int(rows)
    (first,) = database.execute("SELECT ifnull(max(id), 0) + 1 FROM messages").fetchone()
    now = 1795262400000
    with database:
        database.executemany(
            "INSERT INTO telemetry (node, at, packet_id, channel, rx_snr, hop_start, hop_limit, kind, time, metrics)"
            " VALUES (?, ?, ?, 0, ?, 3, 2, 1, ?, ?)",
            (
                (1 << 32 | 1000 + i % 50, now + i, 1 + i, i % 40 / 4, now // 1000, '{"batteryLevel":%d,"voltage":%s}' % (i % 101, i / 7))
                for i in range(rows)
            ),
        )
        database.executemany(
            "INSERT INTO messages (source, from_node, packet_id, occurrence, to_node, channel, text, port, is_own,"
            " timestamp, is_tapback, via_store_forward, pki_encrypted, spoof_suspected, created_at, updated_at)"
            " VALUES (1, ?, ?, 0, 4294967295, 0, ?, 1, 0, ?, 0, 0, 0, 0, ?, ?)",
            ((1000 + i % 50, first + i, f"text {i}", now + i, now + i, now + i) for i in range(rows // 10)),
        )


def copy(path, target):
    with sqlite3.connect(target) as other:
        opened(path).backup(other)


def within(part, whole):
    database = opened(part)
    database.execute("ATTACH ? AS whole", (f"file:{whole}?mode=ro",))
    total = 0
    for table, columns in ADDED.items():
        total += database.execute(f"SELECT count(*) FROM main.{table}").fetchone()[0]
        missing = database.execute(
            f"SELECT {columns} FROM main.{table} EXCEPT SELECT {columns} FROM whole.{table} LIMIT 3"
        ).fetchall()
        assert not missing, f"{table}: {missing}"
    return total


def state(path):
    database = opened(path)
    (found,) = database.execute("PRAGMA integrity_check").fetchone()
    assert found == "ok", found
    lonely = database.execute(
        "SELECT packet_id FROM messages WHERE is_own AND delivery IN (0, 1, 2) AND packet_id NOT IN"
        " (SELECT packet_id FROM outbox) AND id NOT IN (SELECT message FROM attempts)"
    ).fetchall()
    assert not lonely, f"messages that nobody will send: {lonely}"
    orphans = database.execute(
        "SELECT packet_id FROM outbox WHERE kind = 'text' AND packet_id NOT IN"
        " (SELECT packet_id FROM messages UNION SELECT packet_id FROM attempts)"
    ).fetchall()
    assert not orphans, f"sendings without a message: {orphans}"
    counted = database.execute("SELECT source, nodes FROM node_counts WHERE nodes > 0 ORDER BY 1").fetchall()
    there = database.execute("SELECT node >> 32, count(*) FROM nodes GROUP BY 1 ORDER BY 1").fetchall()
    assert counted == there, f"{counted} nodes are counted, {there} are there"
    return database.execute("SELECT count(*) FROM messages").fetchone()[0]


def sealed(path):
    with open(path, "rb") as file:
        content = file.read()
    line = content[-94:].decode()
    assert line == f"mesh-gateway backup, SHA-256 {hashlib.sha256(content[:-94]).hexdigest()}\n", line
    return len(content)


print({"fill": fill, "copy": copy, "within": within, "state": state, "sealed": sealed}[sys.argv[1]](*sys.argv[2:]))
