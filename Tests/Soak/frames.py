"""What a witness reads of a radio's bytes, written without a look at the gateway's own decoder: frames (94 C3, length,
payload) between debug text, and of the packets in them sender, id and port.

A frame counts when all of its payload is well-formed protobuf. One that is not costs one byte, and the search goes on
behind it: so what follows a frame that broke off is found.
"""

LONGEST = 512


def fields(message):
    """The fields of a message as number: value; None when it is none."""
    found, place = {}, 0
    while place < len(message):
        key, place = varint(message, place)
        if key is None or key >> 3 == 0:
            return None
        kind = key & 7
        if kind == 0:
            value, place = varint(message, place)
            if value is None:
                return None
        else:
            length = {1: 8, 5: 4}.get(kind)
            if kind == 2:
                length, place = varint(message, place)
            if length is None or place + length > len(message):
                return None
            value, place = message[place : place + length], place + length
        found[key >> 3] = value
    return found


def varint(message, place):
    value = 0
    for shift in range(0, 64, 7):
        if place >= len(message):
            break
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    return None, place


def packet(payload):
    """(sender, id, port) of a packet of the mesh that came in the clear; None for everything else in a FromRadio."""
    found, content = clear(payload, 2)
    # The API does not list what a radio and its host say to each other: routing, administration, and packets without a hop
    # start (15) and a transport (21).
    return found if found and found[2] not in (5, 6) and (content.get(15) or content.get(21)) else None


def clear(payload, field):
    """(sender, id, port) and the fields of a packet in the clear, which is field 2 of a FromRadio and 1 of a ToRadio; or
    None."""
    content = fields(payload).get(field)
    content = fields(content) or {} if isinstance(content, bytes) else {}
    sender, number, data = content.get(1), content.get(6), content.get(4)
    # Two fixed words: what a frame that broke off makes of the next one can be well-formed by chance, but has others.
    if not all(isinstance(value, bytes) and len(value) == 4 for value in (sender, number)) or not isinstance(data, bytes):
        return None, content
    port = (fields(data) or {}).get(1)
    return (int.from_bytes(sender, "little"), int.from_bytes(number, "little"), port), content


class Witness:
    """Finds frames in what was handed over on one connection; each with the number of bytes up to its end."""

    def __init__(self):
        self.rest = b""
        self.position = 0

    def read(self, data, is_final=False):
        self.rest += data
        place = 0
        while True:
            start = self.rest.find(b"\x94\xc3", place)
            if start < 0:
                place = max(place, len(self.rest) - 1)
                break
            place = start
            length = int.from_bytes(self.rest[start + 2 : start + 4], "big")
            if length > LONGEST:
                place += 1
            elif len(self.rest) < start + 4 + length or len(self.rest) < start + 4:
                if not is_final:
                    break
                place += 1
            else:
                payload = self.rest[start + 4 : start + 4 + length]
                if fields(payload) is None:
                    place += 1
                else:
                    place += 4 + length
                    yield self.position + place, payload
        self.position += place
        self.rest = self.rest[place:]
