"""Reads frames with the official Python package `meshtastic` and writes them again, to see what becomes of fields that it does
not know.

    read-by-package.py FILE    FILE is a recording (Tests/Recordings)

Prints a JSON object for each FromRadio that came whole: `frame` as it came and `again` as the package writes it, payloads of
packets included, in hexadecimal digits; and `unknown`, of what it has no definition: MESSAGE.NUMBER, or ENUM=NUMBER. Exit 1:
something is no message. Exit 3: the package is not there.
"""
import json
import sys

try:
    from google.protobuf.descriptor import FieldDescriptor
    from google.protobuf.message import DecodeError
    from google.protobuf.unknown_fields import UnknownFieldSet
    from meshtastic.protobuf import admin_pb2, mesh_pb2, portnums_pb2, storeforward_pb2, telemetry_pb2
except ImportError as error:
    print(f"{sys.executable} cannot import the package meshtastic ({error}); deploy/test installs it")
    sys.exit(3)

PAYLOADS = {
    "POSITION_APP": mesh_pb2.Position, "NODEINFO_APP": mesh_pb2.User, "NEIGHBORINFO_APP": mesh_pb2.NeighborInfo,
    "ADMIN_APP": admin_pb2.AdminMessage, "TRACEROUTE_APP": mesh_pb2.RouteDiscovery, "TELEMETRY_APP": telemetry_pb2.Telemetry,
    "ROUTING_APP": mesh_pb2.Routing, "STORE_FORWARD_APP": storeforward_pb2.StoreAndForward, "WAYPOINT_APP": mesh_pb2.Waypoint,
}
PORTS = portnums_pb2.PortNum.DESCRIPTOR.values_by_number


def received(path):
    """The bytes that came, read by read, until something breaks off."""
    line = b""
    with open(path, encoding="utf-8") as file:
        for entry in map(json.loads, file):
            if entry["dir"] == "rx":
                line += bytes.fromhex(entry["hex"])
    return line


def frames(line):
    at = 0
    while (at := line.find(b"\x94\xc3", at)) >= 0 and at + 4 <= len(line):
        size = int.from_bytes(line[at + 2:at + 4], "big")
        if at + 4 + size > len(line):
            return
        yield line[at + 4:at + 4 + size]
        at += 4 + size


def unknown(message):
    name = message.DESCRIPTOR.full_name.removeprefix("meshtastic.protobuf.")
    for field in UnknownFieldSet(message):
        yield f"{name}.{field.field_number}"
    for field, value in message.ListFields():
        # Of what is repeated; versions of the runtime say in different words which fields are.
        values = value if hasattr(value, "__len__") and not isinstance(value, (str, bytes)) else [value]
        for one in values:
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                yield from unknown(one)
            elif field.type == FieldDescriptor.TYPE_ENUM and one not in field.enum_type.values_by_number:
                yield f"{field.enum_type.name}={one}"


def read(frame):
    message = mesh_pb2.FromRadio.FromString(frame)
    found = list(unknown(message))
    data = message.packet.decoded if message.HasField("packet") and message.packet.HasField("decoded") else None
    kind = PAYLOADS.get(PORTS[data.portnum].name) if data and data.portnum in PORTS else None
    if kind:
        payload = kind.FromString(data.payload)
        found += unknown(payload)
        data.payload = payload.SerializeToString()
    return {"frame": frame.hex(), "again": message.SerializeToString().hex(), "unknown": found}


try:
    for one in frames(received(sys.argv[1])):
        print(json.dumps(read(one)))
except DecodeError as error:
    sys.exit(f"no message: {error}")
