"""A gateway with simulated radios, as the browser meets it."""

import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

PROGRAM = os.environ["MESH_GATEWAY_PROGRAM"]
PATIENCE = 60


def eventually(what, condition, patience=PATIENCE):
    """Waits for a condition, which may also fail with an error until it holds; its value."""
    end = time.monotonic() + patience
    while True:
        try:
            value = condition()
            if value:
                return value
        except (OSError, urllib.error.URLError, KeyError, IndexError):
            pass
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(0.1)


class Radio:
    """`mesh-gateway simulate`, which can be unplugged and plugged in again."""

    def __init__(self, *options):
        self.options = list(options)
        self.port = 0
        self.plug()

    def plug(self):
        self.process = subprocess.Popen(
            [PROGRAM, "simulate", "--tcp", str(self.port), *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        self.port = int(re.search(r"(\d+)\D*$", line).group(1))

    def unplug(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Port:
    """Where a radio is plugged in that runs on, with its settings, when it is pulled out."""

    def __init__(self, radio):
        self.radio, self.port, self.open = radio, 0, []
        self.plug()

    def plug(self):
        server = socket.create_server(("127.0.0.1", self.port))
        self.port, self.open = server.getsockname()[1], [server]
        threading.Thread(target=self.serve, args=(server,), daemon=True).start()

    def serve(self, server):
        with contextlib.suppress(OSError):
            while True:
                host = server.accept()[0]
                self.open.append(host)
                with contextlib.suppress(OSError):
                    radio = socket.create_connection(("127.0.0.1", self.radio.port))
                    self.open.append(radio)
                    for ends in ((host, radio), (radio, host)):
                        threading.Thread(target=self.carry, args=ends, daemon=True).start()

    def carry(self, source, target):
        with contextlib.suppress(OSError):
            while part := source.recv(4096):
                target.sendall(part)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def unplug(self):
        for one in self.open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


class Gateway:
    """`mesh-gateway serve`. Its radios are options of `simulate`, a list for each; `database` is one that exists already,
    `environment` is added to that of the process, and `settings` are lines of its file."""

    running = []

    def __init__(self, *radios, base="", database=None, environment=None, settings=""):
        self.folder = tempfile.TemporaryDirectory()
        Gateway.running.append(self)
        self.radios = [Radio(*options) for options in radios or [["--chatter", "60"]]]
        # Where it looks for them.
        self.ports = self.radios
        self.port, self.base, self.process = 0, base, None
        self.database = database or f"{self.folder.name}/mesh.db"
        self.environment = environment or {}
        with open(f"{self.folder.name}/conf", "w", encoding="utf-8") as file:
            # One that is filled already may be larger than what is kept by default.
            file.write(("database-size = unlimited\n" if database else "") + (f"base-path = {base}\n" if base else "") + settings)
        self.start()
        self.token = self.make_token("test", "admin")
        # The API says "connected" of a radio that is still being configured, too.
        eventually("the radios are live", lambda: self.links() == ["live"] * len(self.radios))

    def start(self):
        devices = [word for port in self.ports for word in ("--device", f"tcp:127.0.0.1:{port.port}")]
        self.log = open(f"{self.folder.name}/log", "a+", encoding="utf-8")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", *self.places(), *devices, "--listen", f"127.0.0.1:{self.port}"],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env={**os.environ, **self.environment})
        # It says where it serves.
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        self.url = f"http://127.0.0.1:{self.port}{self.base}/"

    def places(self):
        home = self.folder.name
        return ["--config", f"{home}/conf", "--database", self.database, "--socket", f"{home}/socket"]

    def command(self, *words):
        return subprocess.run([PROGRAM, *words, *self.places()], check=True, capture_output=True, text=True).stdout.strip()

    def make_token(self, name, *scopes):
        words = ["token", "create", name, *[word for scope in scopes for word in ("--scope", scope)]]

        def made():
            try:
                return self.command(*words).splitlines()[-1]
            except subprocess.CalledProcessError as error:
                # On a busy machine the gateway does not answer in time.
                if error.returncode != 69:
                    raise
                return None

        return eventually("the gateway makes a token", made)

    def links(self):
        """The states of the radios' links. `status` ends with 69 while one is away."""
        said = subprocess.run([PROGRAM, "status", "--json", *self.places()], check=False, capture_output=True, text=True).stdout
        return [source["link"] for source in json.loads(said)["sources"]]

    def sources(self):
        return self.get("/api/v1/sources")["data"]

    def source(self):
        return self.sources()[0]["id"]

    def get(self, path, token=None, body=None, method=None):
        request = urllib.request.Request(
            self.url[:-1] + path, headers={"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode(), method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def node(self, fits):
        """A node that fits; its radio may just be telling of it."""
        return eventually("there is such a node", lambda: [row for row in self.get("/api/v1/nodes?limit=100")["data"] if fits(row)])[0]

    def hold(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process is None:
            return
        self.go_on()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def restart(self):
        self.stop()
        self.start()

    def change(self, *statements):
        """Changes the database, while nobody else has it open, as no client can: each statement with its values."""
        self.stop()
        with contextlib.closing(sqlite3.connect(self.database)) as database, database:
            for statement, *values in statements:
                database.execute(statement, values)
        self.start()

    def close(self):
        Gateway.running.remove(self)
        self.stop()
        for one in {*self.ports, *self.radios}:
            one.unplug()
        self.folder.cleanup()
