#!/usr/bin/env python3
"""Makes a database like MeshMonitor's, and writes down what its API would answer about it.

    make-database.py --version 3|4 [--own NUMBER] [--telemetry PACKETS] FILE EXPECTED

EXPECTED becomes a JSON object: `sources` has the rows of each source by the contract's keys (with version 3 under
`default`), `kinds` how many rows of a kind there are and how many cannot be taken. Everything that a program of many
versions can leave in a table is there as well: numbers as text, node numbers below zero, seconds for milliseconds.
"""

import argparse
import json
import random
import sqlite3
import struct
import time

import tables

BROADCAST = 0xFFFFFFFF
HILL = "7f3c1f0e-6b1d-4d0c-9a57-0d9d3c1b2a44"
VALLEY = "0b7c41de-52aa-4c77-8f10-3a9d5c6e7f81"
BROKER = "3d0e2a11-1111-4222-8333-444455556666"
KEY = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="
DAY = 86_400_000


def node_id(number):
    return "!%08x" % number


def widened(value):
    """As a radio's 32 bits become 64 in a database."""
    return struct.unpack("f", struct.pack("f", value))[0]


def signed(number):
    """As a program that takes 32 bits for signed."""
    return number - 2**32 if number >= 2**31 else number


class Mesh:
    """Rows for the tables, and beside each what the API says of it."""

    def __init__(self, database, version, own, packets):
        self.database, self.version, self.own = database, version, own
        self.packets = packets
        self.columns = {}
        self.random = random.Random(version)
        self.now = int(time.time()) * 1000
        self.start = self.now - 20 * DAY
        self.sources = [HILL, VALLEY] if version == 4 else ["default"]
        self.expected = {
            source: {"nodes": [], "messages": [], "telemetry": {}, "positions": {}, "traceroutes": [], "channels": [],
                     "neighbors": []}
            for source in self.sources
        }
        self.kinds = {}
        self.names = {}
        self.numbers = {}

    def insert(self, table, row, source=None):
        row = dict(row)
        if source and self.version == 4:
            row["source_id" if table == "waypoints" else "sourceId"] = source
        if table not in self.columns:
            self.columns[table] = {line[1] for line in self.database.execute(f"PRAGMA table_info({table})")}
        row = {key: value for key, value in row.items() if key in self.columns[table]}
        self.database.execute(
            f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))

    def count(self, kind, taken=1, left_out=0):
        counts = self.kinds.setdefault(kind, {"found": 0, "taken": 0, "leftOut": 0})
        counts["found"] += taken + left_out
        counts["taken"] += taken
        counts["leftOut"] += left_out

    # What everybody has.

    def settings(self):
        rows = {"language": "en", "maxNodeAgeHours": "24"}
        if self.version == 3:
            rows["localNodeNum"] = str(self.own)
        else:
            rows[f"localNodeNum_{HILL}"] = str(self.own)
            rows[f"localNodeNum_{VALLEY}"] = "305419896"
            for number, (uuid, name, kind) in enumerate(
                [(HILL, "Hill", "meshtastic_tcp"), (VALLEY, "Valley", "meshtastic_tcp"),
                 (BROKER, "Broker", "mqtt_broker")]):
                self.insert("sources", {
                    "id": uuid, "name": name, "type": kind, "config": "{}", "enabled": 1,
                    "createdAt": self.start + number, "updatedAt": self.start})
        for key, value in rows.items():
            self.insert("settings", {"key": key, "value": value, "createdAt": self.start, "updatedAt": self.start})
        self.insert("users", {"username": "admin", "password_hash": "x"})
        self.insert("api_tokens", {"user_id": 1, "token_hash": "$2b$12$"})
        self.insert("packet_log", {"packet_id": 1, "timestamp": self.now, "from_node": 77, "portnum": 1, "encrypted": 0})
        self.insert("a_table_of_tomorrow", {"text": "new"})

    def nodes(self, source):
        numbers = [self.own if source != VALLEY else 305419896]
        numbers += [self.random.randrange(0x10000000, 0xFFFFFFF0) for _ in range(40)]
        self.numbers[source] = numbers
        for place, number in enumerate(numbers):
            created, heard = self.start + place * 1000, self.now // 1000 - place * 60
            row = {
                "nodeNum": number, "nodeId": node_id(number), "longName": f"Node ⛰ {place}", "shortName": f"N{place:02}",
                "hwModel": 43, "role": place % 12, "hopsAway": place % 4, "lastMessageHops": place % 4,
                "viaMqtt": place % 2, "macaddr": "de:ad:be:ef:12:%02x" % place, "latitude": 46.2 + place / 1000,
                "longitude": -6.1 - place / 1000, "altitude": 812.0, "positionTimestamp": created + 500,
                "positionChannel": 0, "positionPrecisionBits": 32, "batteryLevel": 87, "voltage": widened(4.05),
                "channelUtilization": widened(6.3), "airUtilTx": widened(1.2), "lastHeard": heard, "snr": 5.25,
                "rssi": -97, "firmwareVersion": "2.7.26", "channel": 0, "isFavorite": int(place % 7 == 0),
                "isIgnored": int(place % 11 == 5), "rebootCount": 3, "publicKey": KEY if place == 1 else None,
                "hasPKC": int(place == 1), "createdAt": created, "updatedAt": created + 100_000,
                "transportMechanism": 1, "transportLastRf": heard,
            }
            shown = {key: row[key] for key in (
                "nodeNum", "nodeId", "longName", "shortName", "hwModel", "role", "hopsAway", "lastMessageHops",
                "macaddr", "latitude", "longitude", "altitude", "positionTimestamp", "batteryLevel", "voltage",
                "channelUtilization", "airUtilTx", "lastHeard", "snr", "rssi", "firmwareVersion", "channel",
                "publicKey", "createdAt", "updatedAt")}
            for flag in ("viaMqtt", "isFavorite", "isIgnored"):
                shown[flag] = bool(row[flag])
            shown["hasPKC"] = place == 1
            if place == 2:  # Numbers as text, and what is measured in 32 bits below zero.
                row.update(nodeNum=str(number) if self.version == 4 else signed(number), batteryLevel="87", snr="5.25")
            if place == 3:  # Milliseconds for seconds, and a name that was made up.
                row.update(lastHeard=heard * 1000, longName=f"Node {node_id(number)}", shortName=node_id(number)[-4:])
                shown.update(longName=row["longName"], shortName=row["shortName"])
            if place == 4:  # Out of range.
                row.update(latitude=146.2, snr=-1280.0, hopsAway=99, rssi="loud")
                shown.update(latitude=None, longitude=None, altitude=None, positionTimestamp=None, snr=None,
                             hopsAway=None, rssi=None)
            self.insert("nodes", row, source)
            self.expected[source]["nodes"].append(shown)
            self.count("nodes")
        self.insert("nodes", {
            "nodeNum": BROADCAST, "nodeId": "!ffffffff", "longName": "Broadcast", "createdAt": self.start,
            "updatedAt": self.start}, source)
        self.count("nodes", 0, 1)
        ignored = 0x0BADF00D
        self.insert("ignored_nodes", {
            "nodeNum": ignored, "nodeId": node_id(ignored), "longName": "Nuisance", "shortName": "NUI",
            "ignoredAt": self.start}, source)
        self.expected[source]["nodes"].append({
            "nodeNum": ignored, "nodeId": node_id(ignored), "longName": "Nuisance", "isIgnored": True})
        self.count("ignored nodes")

    # What was said.

    def message_id(self, source, sender, packet):
        return f"{source}_{sender}_{packet}" if self.version == 4 else f"{sender}_{packet}"

    def messages(self, source):
        own, *others = self.numbers[source]
        for place in range(120):
            sent = self.start + place * 60_000
            is_own, is_direct = place % 5 == 0, place % 3 == 0
            sender = own if is_own else others[place % 40]
            to = (others[1] if is_own else own) if is_direct else BROADCAST
            packet = self.random.randrange(1, 2**32)
            row = {
                "id": self.message_id(source, sender, packet), "fromNodeNum": sender, "toNodeNum": to,
                "fromNodeId": node_id(sender),
                "toNodeId": node_id(to) if to != BROADCAST or not is_own else "broadcast",
                "text": f"Grüße {place} 👋", "channel": -1 if is_direct else place % 2, "portnum": 1,
                "requestId": packet if is_own else None, "timestamp": sent, "rxTime": sent - sent % 1000,
                "hopStart": None if is_own else 3, "hopLimit": None if is_own else 2,
                "relayNode": None if is_own else 18, "replyId": None, "emoji": None,
                "viaMqtt": None if is_own else place % 2, "rxSnr": None if is_own else 5.25,
                "rxRssi": None if is_own else -97.0, "deliveryState": None, "wantAck": 1 if is_own else None,
                "ackFromNode": None, "createdAt": sent, "decrypted_by": None if is_own else "node",
            }
            if is_own:
                row["deliveryState"] = ("confirmed" if is_direct else "delivered", "failed", "pending")[place // 5 % 3]
                if row["deliveryState"] == "confirmed":
                    row["ackFromNode"] = to
                if row["deliveryState"] == "failed":
                    row["routingErrorCode"] = 5
            if place == 7:
                row.update(replyId=4_000_000_001, emoji=1, text="👍")
            shown = {key: row[key] for key in (
                "id", "fromNodeNum", "toNodeNum", "fromNodeId", "toNodeId", "text", "channel", "portnum", "requestId",
                "timestamp", "rxTime", "hopStart", "hopLimit", "relayNode", "replyId", "emoji", "rxSnr", "rxRssi",
                "deliveryState", "ackFromNode", "createdAt")}
            shown["viaMqtt"] = None if is_own else bool(row["viaMqtt"])
            if self.version == 3:
                # The source is part of the id since version 4; clients go by its end.
                shown["id"] = "_" + shown["id"]
            if place == 8:  # Below zero, text, and seconds.
                row.update(fromNodeNum=signed(sender), toNodeNum=str(to), timestamp=sent // 1000, createdAt=sent)
                shown.update(timestamp=sent)
            self.insert("messages", row, source)
            self.expected[source]["messages"].append(shown)
            self.count("messages")
        nasty = dict(row, replyId=None, requestId=None, deliveryState=None)
        for place, change in enumerate([
                {"portnum": 70, "text": "route"}, {"text": ""}, {"timestamp": 12, "createdAt": 12},
                {"fromNodeNum": 2**40, "fromNodeId": "nobody"}, {"channel": 55, "toNodeNum": BROADCAST}]):
            self.insert("messages", dict(nasty, id=self.message_id(source, own, 900 + place), **change), source)
            self.count("messages", 0, 1)

    # What was measured.

    def telemetry_row(self, source, number, name, value, at, packet, **more):
        self.insert("telemetry", {
            "nodeId": node_id(number), "nodeNum": number, "telemetryType": name, "timestamp": at, "value": value,
            "createdAt": at, "packetId": packet, "packetTimestamp": at - at % 1000, "channel": 0, **more}, source)

    def telemetry(self, source):
        kinds = [
            {"batteryLevel": 87, "voltage": widened(4.05), "channelUtilization": widened(6.3),
             "airUtilTx": widened(1.2), "uptimeSeconds": 345600},
            {"temperature": widened(21.3), "humidity": 40, "pressure": widened(1013.2)},
            {"numPacketsTx": 5, "numPacketsRx": 7, "uptimeSeconds": 345600, "airUtilTx": widened(1.2)},
            {"latitude": 46.2041, "longitude": -6.1429, "altitude": 810, "ground_speed": 4, "ground_track": 92,
             "sats_in_view": 9},
            {"paxcounterWifi": 12, "paxcounterBle": 3, "paxcounterUptime": 99},
        ]
        for place in range(self.packets):
            number = self.numbers[source][place % 20]
            at = self.start + place * 20_000
            # Older versions did not keep the packet's id.
            packet = None if self.version == 3 and place % 2 else self.random.randrange(1, 2**32)
            values = kinds[place % len(kinds)]
            for name, value in values.items():
                self.telemetry_row(source, number, name, value, at, packet)
                series = self.expected[source]["telemetry"].setdefault(node_id(number), [])
                series.append({"telemetryType": name, "timestamp": at, "value": value, "packetId": packet})
                self.count("positions" if name in kinds[3] else "telemetry")
            if place % len(kinds) == 3:
                self.expected[source]["positions"].setdefault(node_id(number), []).append({
                    "timestamp": at, "latitude": 46.2041, "longitude": -6.1429, "altitude": 810, "groundSpeed": 4,
                    "groundTrack": 92, "packetId": packet})
        number, at = self.numbers[source][3], self.start
        for name, value in [("linkQuality", 8), ("messageHops", 2), ("\x1b[31mred", 1), ("voltage", "a lot"),
                            ("voltage", None)]:
            self.telemetry_row(source, number, name, value, at, 5)
            self.count("telemetry", 0, 1)
        self.telemetry_row(source, number, "altitude", 5, at, 6)
        self.count("positions", 0, 1)

    # What the mesh is like.

    def routes(self, source):
        own, *others = self.numbers[source]
        for place in range(30):
            at = self.start + place * 600_000
            row = {
                "fromNodeNum": own, "toNodeNum": others[place % 5], "fromNodeId": node_id(own),
                "toNodeId": node_id(others[place % 5]), "route": json.dumps([others[9], BROADCAST]),
                "routeBack": json.dumps([others[9]]), "snrTowards": "[24,-13,5]", "snrBack": "[-8,-128]",
                "routePositions": None, "timestamp": at, "createdAt": at, "packetId": 1000 + place,
            }
            if place % 6 == 5:
                row.update(route=None, routeBack=None, snrTowards=None, snrBack=None)
            self.insert("traceroutes", row, source)
            shown = {key: row[key] for key in (
                "fromNodeNum", "toNodeNum", "fromNodeId", "toNodeId", "snrTowards", "snrBack", "timestamp")}
            for key in ("route", "routeBack"):
                shown[key] = row[key] and row[key].replace(" ", "")
            self.expected[source]["traceroutes"].append(shown)
            self.count("traceroutes")
        self.insert("traceroutes", dict(row, route="over the hill", timestamp=self.now), source)
        self.count("traceroutes", 0, 1)

    def neighbors(self, source):
        _, *others = self.numbers[source]
        for place in range(10):
            for heard in range(3):
                row = {
                    "nodeNum": others[place], "neighborNodeNum": others[place + 1 + heard], "snr": 6.25 - heard,
                    "lastRxTime": self.start // 1000, "timestamp": self.start + place, "createdAt": self.start + place}
                self.insert("neighbor_info", row, source)
                self.expected[source]["neighbors"].append(
                    {key: row[key] for key in ("nodeNum", "neighborNodeNum", "snr", "lastRxTime", "timestamp")})
                self.count("neighbors")
        # An older report of the last one.
        self.insert("neighbor_info", dict(row, timestamp=self.start - DAY), source)
        self.count("neighbors", 0, 1)

    def channels(self, source):
        for index, (name, psk, role) in enumerate([("", "AQ==", 1), ("Hikers", "1PG7OiApB1nwvP+rz05pAQ==", 2),
                                                   ("", None, 0)]):
            self.insert("channels", {
                "id": index, "name": name, "psk": psk, "role": role, "uplinkEnabled": index, "downlinkEnabled": 0,
                "positionPrecision": 13, "createdAt": self.start, "updatedAt": self.start}, source)
            self.expected[source]["channels"].append({
                "id": index, "role": role, "psk": psk, "positionPrecision": 13, "uplinkEnabled": bool(index)})
            self.count("channels")
        self.insert("channels", {
            "id": 7, "name": "Broken", "psk": "not base64!", "role": 2, "createdAt": 1, "updatedAt": 1}, source)
        self.count("channels", 0, 1)

    def make(self):
        self.settings()
        for source in self.sources:
            self.nodes(source)
            self.messages(source)
            self.telemetry(source)
            self.routes(source)
            self.neighbors(source)
            self.channels(source)
        self.insert("channel_database", {
            "id": 3, "name": "Climbers", "psk": "cHFyc3R1dnd4eXp7fH1+fw==", "psk_length": 16, "created_at": self.start,
            "updated_at": self.start})
        self.count("channel database")
        if self.version == 4:
            self.telemetry_row(BROKER, 77, "voltage", 4, self.start, 9)
            self.telemetry_row("gone", 77, "voltage", 4, self.start, 9)
            self.count("telemetry", 0, 2)
            for number, expire in enumerate([0, self.now // 1000 - 60]):
                self.insert("waypoints", {
                    "waypoint_id": 50 + number, "owner_node_num": self.own, "latitude": 46.5, "longitude": 6.5,
                    "expire_at": expire, "name": "Hut", "icon_codepoint": 128_205, "first_seen_at": self.start,
                    "last_updated_at": self.start}, HILL)
                self.count("waypoints", int(number == 0), int(number == 1))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--version", type=int, choices=(3, 4), required=True)
    arguments.add_argument("--own", type=int, default=1127301256, help="node number of the radio")
    arguments.add_argument("--telemetry", type=int, default=150, help="packets with values, of each radio")
    arguments.add_argument("file")
    arguments.add_argument("expected")
    options = arguments.parse_args()
    database = sqlite3.connect(options.file)
    database.execute("PRAGMA journal_mode = WAL")
    database.executescript(tables.FOUR if options.version == 4 else tables.THREE)
    mesh = Mesh(database, options.version, options.own, options.telemetry)
    mesh.make()
    database.commit()
    database.close()
    with open(options.expected, "w", encoding="utf-8") as file:
        json.dump({"sources": mesh.expected, "kinds": mesh.kinds}, file, ensure_ascii=False)


main()
