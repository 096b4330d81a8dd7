"""What a driver of the official package at a shared port needs: the command line, the gateway's REST API, and patience."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

ENVIRONMENT = dict(os.environ, HTTPS_PROXY="http://127.0.0.1:9", PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8")


def patience():
    """Seconds, longer than anything takes. What else the machine does takes its share of that time."""
    return 120 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


class AtThePort:
    """The programs at a shared PORT of a gateway whose REST API is at URL. What fails is collected in `faults`."""

    def __init__(self, port, url, token):
        self.url, self.token, self.faults = url, token, []
        self.command = [sys.executable, "-m", "meshtastic", "--host", f"127.0.0.1:{port}"]

    def check(self, is_so, what):
        if not is_so:
            self.faults.append(what)

    def eventually(self, what, is_so):
        end = time.monotonic() + patience()
        while time.monotonic() < end:
            if is_so():
                return
            time.sleep(0.2)
        self.faults.append(f"waited in vain: {what}")

    def start(self, *words):
        return subprocess.Popen(
            [*self.command, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=ENVIRONMENT, text=True)

    def cli(self, *words):
        """Exit code and output; None as the code when it had to be ended."""
        process = self.start(*words)
        try:
            output, _ = process.communicate(timeout=patience())
            return process.returncode, output
        except subprocess.TimeoutExpired:
            process.kill()
            return None, process.communicate()[0]

    def expect(self, words, code, pattern):
        got, output = self.cli(*words)
        is_so = got == code and re.search(pattern, output)
        self.check(is_so, f"{' '.join(words)}: {got}; not {pattern!r} in\n{output[-1500:]}")
        # The one traceback that the package has against any fast radio is that of a heartbeat after the end.
        self.check("Traceback" not in output or "sendHeartbeat" in output, f"{' '.join(words)}: {output[-1500:]}")

    def api(self, path, body=None):
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        if body:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=patience()) as answer:
            return json.load(answer)["data"]


class Listen:
    """`--listen`, which runs until it is ended and prints what the mesh and the others say."""

    def __init__(self, here):
        self.here, self.output = here, []
        self.process = here.start("--listen")
        self.reader = threading.Thread(target=lambda: self.output.extend(self.process.stdout))
        self.reader.start()

    def hears(self):
        """Checks that it prints what is said now."""
        self.output.clear()
        said = 0

        def has_heard():
            # It does not say when it has begun to listen.
            nonlocal said
            if said % 15 == 0:
                self.here.api("/api/v1/messages", {"text": f"for who listens {said}", "channel": 0, "queue": True})
            said += 1
            return any("for who listens" in line for line in self.output)

        self.here.eventually("--listen prints a text", has_heard)
        self.here.check(self.process.poll() is None, "--listen has ended by itself")

    def end(self):
        # SIGTERM may be blocked here, by the program that has started this one.
        self.process.kill()
        self.process.wait()
        self.reader.join()
