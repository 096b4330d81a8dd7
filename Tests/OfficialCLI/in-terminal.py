"""A program with a screen of its own, in a pseudo terminal.

    in-terminal.py SHOWN TEXT PROGRAM [ARGUMENT...]

Waits until SHOWN is on the screen, types TEXT and Enter, and goes on until it is ended; the program ends with it. It prints
"shown" and "typed" when that has happened. SHOWN and TEXT are ASCII.
"""

import ctypes
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios

PR_SET_PDEATHSIG = 1

shown, text, program = sys.argv[1], sys.argv[2], sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    # Without its terminal it would go on for ever, at full speed: it is killed with this process, however that ends.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.environ.update(TERM="xterm-256color", LANG="C.UTF-8")
    os.execv(program[0], program)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))

screen, has_typed = "", False
while True:
    try:
        screen += os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        break
    # Without what moves the cursor and colours.
    plain = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])", "", screen)
    if shown in plain and not has_typed:
        has_typed = True
        print("shown", flush=True)
        os.write(terminal, (text + "\r").encode())
        print("typed", flush=True)
print(screen[-2000:])
sys.exit(1)
