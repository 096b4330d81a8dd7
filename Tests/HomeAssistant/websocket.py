"""A client of a WebSocket (RFC 6455) that says and hears JSON. No more than Home Assistant's needs."""

import base64
import json
import os
import socket


class WebSocket:
    def __init__(self, port, path):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.reader = self.stream.makefile("rb")
        self.last = 0
        self.waiting = []
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        status = self.reader.readline()
        assert b" 101 " in status, status
        while self.reader.readline().strip():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Also what another thread waits for in `receive` ends."""
        self.frame(8, (1000).to_bytes(2, "big"))
        self.stream.shutdown(socket.SHUT_RDWR)
        self.stream.close()

    def frame(self, opcode, payload):
        """A client masks what it sends; with zeros it stays as it is."""
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else (
            b"\xfe" + size.to_bytes(2, "big") if size < 65_536 else b"\xff" + size.to_bytes(8, "big"))
        self.stream.sendall(bytes([0x80 | opcode]) + length + bytes(4) + payload)

    def send(self, message):
        self.frame(1, json.dumps(message).encode())

    def receive(self):
        """The next message; pings are answered."""
        message = b""
        while True:
            head = self.reader.read(2)
            assert len(head) == 2, "the WebSocket was closed"
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(self.reader.read(2 if size == 126 else 8), "big")
            payload = self.reader.read(size)
            opcode = head[0] & 0x0F
            if opcode == 9:
                self.frame(10, payload)
            elif opcode == 8:
                raise AssertionError(f"the WebSocket was closed: {payload[2:]!r}")
            elif opcode in (0, 1):
                message += payload
                if head[0] & 0x80:
                    return json.loads(message)

    def command(self, kind, **words):
        """Sends a command; the result of it. What else comes meanwhile is kept for `event`."""
        self.last += 1
        number = self.last
        self.send({"id": number, "type": kind, **words})
        while True:
            answer = self.receive()
            if answer.get("id") == number and answer["type"] == "result":
                assert answer["success"], f"{kind}: {answer['error']}"
                return answer["result"]
            self.waiting.append(answer)

    def event(self):
        """The next message of a subscription."""
        return self.waiting.pop(0) if self.waiting else self.receive()
