"""A process as /proc shows it, and the line through what was seen of it."""

import os


def sample(pid, database):
    """Resident memory, its own part of it, descriptors, threads, and the size of the database with its log."""
    with open(f"/proc/{pid}/status") as status:
        values = dict(line.split(":", 1) for line in status)
    return {
        "resident memory, kB": int(values["VmRSS"].split()[0]),
        "of it its own, kB": int(values["RssAnon"].split()[0]),
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": int(values["Threads"]),
        "database, kB": sum(map(size, (database, database + "-wal"))) // 1024,
    }


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def slope(points):
    """By least squares, of (x, y)."""
    count = len(points)
    if count < 2:
        return 0.0
    middle_x, middle_y = (sum(values) / count for values in zip(*points))
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0
