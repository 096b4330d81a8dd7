"""What the line handed over beside what the gateway has shown: a table on standard output; returns what is wrong."""

import collections

TEXT = "1"
# Texts that may still wait for their turn at the end.
WAITING = 12


def rows(folder, name):
    with open(f"{folder}/{name}") as file:
        return [tuple(line.split()) for line in file]


def pairs(folder, name, kind=None):
    return {row[:2] for row in rows(folder, name) if kind is None or row[2] == kind}


def posted(folder):
    return [row[0].rsplit("_", 1)[1] for row in rows(folder, "posted")]


def with_api(folder):
    """What the line handed over and the API has never shown."""
    texts, handed = pairs(folder, "handed", TEXT), pairs(folder, "handed")
    messages, packets = pairs(folder, "stored", "message"), pairs(folder, "stored", "packet")
    accepted = set(posted(folder))
    missing = {
        "texts of the mesh": (texts, texts - messages),
        "packets of the mesh": (handed, handed - packets - messages),
        "texts accepted from a client": (accepted, accepted - {number for _, number in messages}),
    }
    print("| handed over | | lost |\n|---|--:|--:|")
    failures = []
    for what, (all_of_them, gone) in missing.items():
        print(f"| {what} | {len(all_of_them)} | {len(gone)} |")
        if gone:
            failures.append(f"lost, {what}: {sorted(gone)[:5]}")
    print()
    return failures


class Told:
    """What was to be told of one kind, and is missing or came more than once."""

    def __init__(self):
        self.expected, self.lost, self.again = 0, [], []

    def compare(self, expected, found):
        self.expected += len(expected)
        self.lost += [one for one in expected if found[one] == 0]
        self.again += [one for one in expected if found[one] > 1]


def with_programs(folder, figures, turned_away):
    """What programs on the shared radio were not told, or twice; and of their texts, what has not gone out once."""
    handed = rows(folder, "handed")
    places = {row[:2]: place for place, row in reversed(list(enumerate(handed)))}
    shared, sent = [row[0] for row in rows(folder, "shared")], rows(folder, "sent")
    own = {row[:2] for row in sent if row[2] == TEXT}
    table = collections.defaultdict(Told)
    for name in ("heard-0", "heard-1", "heard-2", "heard-3", "heard-4", "heard-sender"):
        heard = rows(folder, name)
        found = collections.Counter(row[:2] for row in heard)
        # It is told everything from its first packet on.
        first = next((places[row[:2]] for row in heard if row[:2] in places), 0)
        later = handed[first:]
        table["texts of the mesh, told to six programs"].compare([row[:2] for row in later if row[2] == TEXT], found)
        table["packets of the mesh, told to six programs"].compare([row[:2] for row in later], found)
        others = [one for one in own if name != "heard-sender" or one[1] not in shared]
        table["texts of clients and programs, told to the others"].compare(others, found)
        itself = "texts that a program was told of itself"
        figures[itself] = figures.get(itself, 0) + sum(found[one] for one in own if one not in others)
    gone_out = collections.Counter(row[1] for row in sent if row[2] == TEXT)
    table["texts of a program, gone out"].compare(shared, gone_out)
    table["texts of a client of the API, gone out"].compare(posted(folder)[:-WAITING], gone_out)
    messages = collections.Counter(number for _, number in pairs(folder, "stored", "message"))
    table["texts of a program, in the API"].compare(shared, messages)
    print("| shared radio | | lost | twice |\n|---|--:|--:|--:|")
    failures = []
    for what, told in table.items():
        print(f"| {what} | {told.expected} | {len(told.lost)} | {len(told.again)} |")
        if told.lost or told.again or not told.expected:
            failures.append(f"{what}: lost {told.lost[:5]}, twice {told.again[:5]}, of {told.expected}")
    print()
    figures["connections turned away"] = turned_away
    fine = {"handshakes", "slowest handshake of one that comes again, ms"}
    fine.add("connections of one that never reads, ended by the gateway")
    failures += [f"{what}: {number}" for what, number in figures.items() if number and what not in fine]
    failures += [f"no {what}" for what in fine if not figures.get(what)]
    with open(f"{folder}/gateway.log") as log:
        failures += [line.strip() for line in log if "faster than they could be passed on" in line]
    return failures
