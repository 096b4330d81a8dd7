"""Protocol buffers, as far as a test of the mesh needs them: messages are written and read by the numbers of their fields."""

import struct


class Fixed(int):
    """A number of four bytes, as node numbers, ids and times are."""


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def message(fields):
    """From a dictionary of field numbers: int, Fixed, float, str, bytes, or a dictionary for a message."""
    out = b""
    for number, value in fields.items():
        if isinstance(value, dict):
            value = message(value)
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, Fixed):
            out += varint(number << 3 | 5) + struct.pack("<I", value & 0xFFFFFFFF)
        elif isinstance(value, float):
            out += varint(number << 3 | 5) + struct.pack("<f", value)
        elif isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def fields(data):
    """The last value of each field: an int, or bytes."""
    found, at = {}, 0

    def read_varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while at < len(data):
        tag = read_varint()
        kind = tag & 7
        if kind == 0:
            found[tag >> 3] = read_varint()
            continue
        size = read_varint() if kind == 2 else {1: 8, 5: 4}[kind]
        value = data[at:at + size]
        found[tag >> 3] = value if kind == 2 else int.from_bytes(value, "little")
        at += size
    return found
