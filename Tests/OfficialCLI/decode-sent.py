#!/usr/bin/env python3
"""Shows what a host wrote to a radio, decoded by the official Python package `meshtastic`.

decode-sent.py FILE    FILE has the bytes as they went over the line

Prints a line for each packet: its fields as NAME=VALUE in the order of their numbers, those of `decoded` as data.NAME,
those of the payload as payload.NAME. Fields that are not there are not shown. An id is shown as *, and a time near now.
Exit 1: something is no frame or no message, or two packets have one id. Exit 3: the package is not there.
"""
import sys
import time

try:
    from google.protobuf.descriptor import FieldDescriptor
    from google.protobuf.unknown_fields import UnknownFieldSet
    from meshtastic.protobuf import admin_pb2, mesh_pb2, portnums_pb2, telemetry_pb2
except ImportError as error:
    print(f"{sys.executable} cannot import the package meshtastic ({error}); deploy/test installs it")
    sys.exit(3)

PAYLOADS = {
    "POSITION_APP": mesh_pb2.Position, "NODEINFO_APP": mesh_pb2.User, "NEIGHBORINFO_APP": mesh_pb2.NeighborInfo,
    "ADMIN_APP": admin_pb2.AdminMessage, "TRACEROUTE_APP": mesh_pb2.RouteDiscovery,
    "TELEMETRY_APP": telemetry_pb2.Telemetry,
}


def frames(line):
    """The messages on a line; 0xC3 between them wakes a radio up."""
    at = 0
    while at < len(line):
        if line[at] == 0xC3:
            at += 1
            continue
        if line[at:at + 2] != b"\x94\xc3":
            sys.exit(f"no frame at byte {at}")
        size = int.from_bytes(line[at + 2:at + 4], "big")
        if at + 4 + size > len(line):
            return
        yield line[at + 4:at + 4 + size]
        at += 4 + size


def fields(message, prefix=""):
    if len(UnknownFieldSet(message)) > 0:
        sys.exit(f"a field of {message.DESCRIPTOR.name} that it does not have: {message}")
    for field, value in message.ListFields():
        name = prefix + field.name
        if name == "decoded":
            yield from fields(value, "data.")
        elif name == "data.payload":
            kind = PAYLOADS.get(portnums_pb2.PortNum.Name(message.portnum))
            yield from fields(kind.FromString(value), "payload.") if kind else [(name, value.decode())]
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            yield name, "{" + " ".join(f"{key}={shown}" for key, shown in fields(value)) + "}"
        elif field.type == FieldDescriptor.TYPE_BYTES:
            yield name, value.hex()
        elif field.type == FieldDescriptor.TYPE_ENUM:
            yield name, field.enum_type.values_by_number[value].name
        elif name == "id" or field.name == "time" and abs(value - time.time()) < 3600:
            yield name, "*"
        else:
            yield name, value


def main():
    seen = set()
    with open(sys.argv[1], "rb") as file:
        line = file.read()
    for frame in frames(line):
        packet = mesh_pb2.ToRadio.FromString(frame)
        if packet.WhichOneof("payload_variant") != "packet":
            continue
        if packet.packet.id in seen:
            sys.exit(f"the id {packet.packet.id} a second time")
        seen.add(packet.packet.id)
        print(" ".join(f"{name}={value}" for name, value in fields(packet.packet)))


main()
