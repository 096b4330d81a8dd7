#!/usr/bin/env python3
"""Compares Inventory.tsv with the descriptors of the official Python package `meshtastic`.

compare-descriptors.py          exit 0: they agree, but for what Differences.tsv lists; 1: they do not, with the lines
compare-descriptors.py --list   prints all differences, in the form of that list
Exit 3: the package is not there.
"""
import pathlib
import sys

try:
    from google.protobuf.descriptor import FieldDescriptor
    from meshtastic.protobuf import (
        admin_pb2, apponly_pb2, atak_pb2, channel_pb2, config_pb2, connection_status_pb2, device_ui_pb2, mesh_pb2,
        module_config_pb2, mqtt_pb2, paxcount_pb2, portnums_pb2, remote_hardware_pb2, storeforward_pb2,
        telemetry_pb2, xmodem_pb2)
except ImportError as error:
    print(f"{sys.executable} cannot import the package meshtastic ({error}); deploy/test installs it")
    sys.exit(3)

FILES = [
    admin_pb2, apponly_pb2, channel_pb2, config_pb2, connection_status_pb2, device_ui_pb2, mesh_pb2,
    module_config_pb2, mqtt_pb2, paxcount_pb2, portnums_pb2, remote_hardware_pb2, storeforward_pb2, telemetry_pb2,
    xmodem_pb2]
# The rest of this file is the TAK application's own.
ATAK = ["Team", "MemberRole"]


def name(descriptor):
    return descriptor.full_name.removeprefix("meshtastic.").removeprefix("protobuf.")


def type_of(field):
    if field.message_type:
        return "message " + name(field.message_type)
    if field.enum_type:
        return "enum " + name(field.enum_type)
    types = {getattr(FieldDescriptor, key): key for key in dir(FieldDescriptor) if key.startswith("TYPE_")}
    return types[field.type].removeprefix("TYPE_").lower()


def presence_of(field):
    # protobuf 6 has the property, and from 7 on no label.
    if field.is_repeated if hasattr(field, "is_repeated") else field.label == FieldDescriptor.LABEL_REPEATED:
        return "repeated"
    oneof = field.containing_oneof
    if oneof is None:
        return "implicit"
    # proto3 `optional` is a oneof of one, named after the field.
    return "optional" if oneof.name == "_" + field.name else "oneof=" + oneof.name


def facts_of_enum(enum):
    yield f"enum\t{name(enum)}"
    for value in enum.values:
        yield f"value\t{name(enum)}\t{value.number}\t{value.name}"


def facts_of_message(message):
    yield f"message\t{name(message)}"
    for field in message.fields:
        yield f"field\t{name(message)}\t{field.number}\t{field.name}\t{type_of(field)}\t{presence_of(field)}"
    for enum in message.enum_types:
        yield from facts_of_enum(enum)
    for nested in message.nested_types:
        yield from facts_of_message(nested)


def official():
    for file in FILES:
        for enum in file.DESCRIPTOR.enum_types_by_name.values():
            yield from facts_of_enum(enum)
        for message in file.DESCRIPTOR.message_types_by_name.values():
            yield from facts_of_message(message)
    for enum in ATAK:
        yield from facts_of_enum(atak_pb2.DESCRIPTOR.enum_types_by_name[enum])


def lines(file):
    text = (pathlib.Path(__file__).parent / file).read_text(encoding="utf-8")
    return {line for line in text.splitlines() if line and not line.startswith("#")}


ours, theirs = lines("Inventory.tsv"), set(official())
differences = {f"here\t{fact}" for fact in ours - theirs} | {f"there\t{fact}" for fact in theirs - ours}
if "--list" in sys.argv:
    print("\n".join(sorted(differences, key=lambda line: (line.split("\t")[2], line.split("\t")[1:]))))
    sys.exit(0)
unexpected = sorted(differences - lines("Differences.tsv"))
print("\n".join(unexpected))
sys.exit(1 if unexpected else 0)
