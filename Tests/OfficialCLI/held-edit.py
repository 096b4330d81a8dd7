"""Begins an edit of the settings at a shared port with the official package `meshtastic`, and commits it when its input ends.

    held-edit.py PORT
"""

import sys

import meshtastic.tcp_interface

if __name__ == "__main__":
    library = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(sys.argv[1]))
    library.localNode.beginSettingsTransaction()
    print("begun", flush=True)
    sys.stdin.read()
    library.localNode.commitSettingsTransaction()
    library.close()
