"""What the official Python package takes to read a stream: official_library.py FILE. Prints like the `bench` commands.

It does all that it does for a program that has a radio, but for the handshake: frames, protobuf to dictionaries, its list
of nodes, and a publication for each packet, to which nobody listens. It stores nothing.
"""

import logging
import sys
import time

from meshtastic.stream_interface import StreamInterface


class RecordedInterface(StreamInterface):
    def __init__(self, path):
        self.file = open(path, "rb")
        self.frames = 0
        super().__init__(noProto=True, connectNow=False)
        self.noProto = False
        self._startConfig()
        self.stream = self.file

    def _handleFromRadio(self, fromRadioBytes):
        self.frames += 1
        super()._handleFromRadio(fromRadioBytes)

    def _readBytes(self, length):
        data = self.file.read(length)
        if not data:
            self._wantExit = True
        return data

    def _writeBytes(self, b):
        pass

    def close(self):
        pass


logging.disable(logging.CRITICAL)
interface = RecordedInterface(sys.argv[1])
began = time.process_time()
interface._StreamInterface__reader()
spent = time.process_time() - began
print("frame_us", spent / interface.frames * 1e6)
print("frames", interface.frames)
