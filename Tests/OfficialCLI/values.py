"""Prints settings as the official package `meshtastic` has them at a shared port, as JSON: bytes in hexadecimal.

    values.py PORT PATH...
"""

import json
import sys

import meshtastic.tcp_interface


def value(node, path):
    """What the library has of a field, a list as a list."""
    section, _, rest = path.partition(".")
    settings = node.localConfig if hasattr(node.localConfig, section) else node.moduleConfig
    found = getattr(settings, section)
    for name in rest.split("."):
        found = getattr(found, name)
    return found if isinstance(found, (bool, int, float, str)) else list(found)


if __name__ == "__main__":
    library = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(sys.argv[1]))
    print(json.dumps({path: value(library.localNode, path) for path in sys.argv[2:]}, default=bytes.hex))
    library.close()
