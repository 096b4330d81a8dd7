"""Reads and changes archives of mesh-gateway, with nothing but Python's own tar, JSON and SHA-256.

    archives.py check FILE DATABASE      the manifest is right, and the rows are those of the database
    archives.py change FROM TO HOW       writes another one: newer, unknown, line, huge, digest, missing or manifest;
                                         unmade: from before who made a token was kept
"""

import hashlib
import io
import json
import sqlite3
import sys
import tarfile

# File, table, and some keys with their columns.
COMPARED = {
    "messages": ("messages", {"row": "id", "packetId": "packet_id", "text": "text", "rxSnr": "rx_snr", "createdAt": "created_at"}),
    "nodes": ("nodes", {"nodeNum": "number", "longName": "long_name", "latitude": "latitude", "lastHeard": "last_heard"}),
    "telemetry": ("telemetry", {"row": "id", "nodeNum": "node & 4294967295", "timestamp": "at", "rxSnr": "rx_snr"}),
    "packets": ("packets", {"id": "id", "fromNodeNum": "from_node", "rxTime": "rx_time", "hopStart": "hop_start"}),
}


def read(path):
    with tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def write(path, files):
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def check(path, database):
    files = read(path)
    assert list(files)[-1] == "manifest.json", list(files)
    manifest = json.loads(files.pop("manifest.json"))
    assert [file["name"] for file in manifest["files"]] == list(files)
    total = 0
    for file in manifest["files"]:
        content = files[file["name"]]
        assert file["bytes"] == len(content) and file["sha256"] == hashlib.sha256(content).hexdigest(), file
        assert file["rows"] == content.count(b"\n"), file
        total += file["rows"]
    rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    for name, (table, keys) in COMPARED.items():
        lines = [json.loads(line) for line in files[name + ".jsonl"].splitlines()]
        found = [tuple(line[key] for key in keys) for line in lines]
        expected = rows.execute(f"SELECT {', '.join(keys.values())} FROM {table} ORDER BY 1").fetchall()
        assert sorted(found, key=lambda row: row[0]) == expected, name
        if name == "telemetry":
            metrics = [json.loads(text) for (text,) in rows.execute("SELECT metrics FROM telemetry ORDER BY id")]
            assert [line["metrics"] for line in lines] == metrics
    return total


def change(path, target, how):
    files = read(path)
    manifest = json.loads(files.pop("manifest.json"))

    def put(name, content):
        files[name] = content
        for file in manifest["files"]:
            if file["name"] == name:
                file.update(rows=content.count(b"\n"), bytes=len(content), sha256=hashlib.sha256(content).hexdigest())

    if how == "newer":
        manifest["format"] = 2
    elif how == "unknown":
        first, rest = files["nodes.jsonl"].split(b"\n", 1)
        put("nodes.jsonl", first[:-1] + b',"shoeSize":{"long\\"Name":44}}\n' + rest)
        manifest["files"].append({"name": "songs.jsonl", "rows": 0, "bytes": 0, "sha256": hashlib.sha256().hexdigest()})
        files["songs.jsonl"] = b""
    elif how == "line":
        lines = files["messages.jsonl"].splitlines(True)
        put("messages.jsonl", b"".join(lines[:1] + [b'{"row": "first", "text": 1}\n'] + lines[1:]))
    elif how == "huge":
        first, rest = files["messages.jsonl"].split(b"\n", 1)
        line = json.loads(first)
        line["createdAt"] = 2**63 - 1
        put("messages.jsonl", json.dumps(line).encode() + b"\n" + rest)
    elif how == "unmade":
        tokens = [json.loads(line) for line in files["tokens.jsonl"].splitlines()]
        assert any(token.pop("madeBy") for token in tokens)
        put("tokens.jsonl", b"".join(json.dumps(token).encode() + b"\n" for token in tokens))
    elif how == "digest":
        files["messages.jsonl"] = files["messages.jsonl"].replace(b'"text":"h', b'"text":"H')
    elif how == "missing":
        del files["nodes.jsonl"]
    if how != "manifest":
        files["manifest.json"] = json.dumps(manifest).encode()
    write(target, files)
    return 0


print({"check": check, "change": change}[sys.argv[1]](*sys.argv[2:]))
