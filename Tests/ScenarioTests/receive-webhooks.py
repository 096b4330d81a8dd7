"""Receives webhooks on a free port of 127.0.0.1, whose number it prints, and prints what each is: its verified JSON on a line.

The secret is read from standard input. Checked with the library of Standard Webhooks. What it does not take is answered 401.
"""

import http.server
import json
import sys

from standardwebhooks import Webhook

webhook = Webhook(sys.stdin.readline().strip())


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            told = webhook.verify(body, dict(self.headers))
        except Exception as problem:
            print(f"refused: {problem}", flush=True)
            self.send_response(401)
        else:
            print("verified " + json.dumps({"id": self.headers["webhook-id"], **told}), flush=True)
            self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
print(f"port {server.server_port}", flush=True)
server.serve_forever()
