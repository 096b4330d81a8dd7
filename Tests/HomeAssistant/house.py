"""What is beside Home Assistant: a broker, and a gateway with a simulated radio on a cable. All on the loopback, on free ports,
each ended by its process id."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time

from cable import Cable

PATIENCE = 60


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def eventually(what, condition, patience=PATIENCE):
    """Waits for a condition, which may also fail with an error until it holds; its value."""
    end = time.monotonic() + patience
    while True:
        said = None
        try:
            value = condition()
            if value:
                return value
        except (OSError, KeyError, IndexError, ValueError) as error:
            said = error
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience} s: {what}" + (f" ({said!r})" if said else ""))
        time.sleep(0.1)


class Process:
    """A program that can be ended and started again."""

    process = None
    running = []

    def begin(self, words, output, **more):
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=output, **more)
        Process.running.append(self)

    def stop(self):
        if self.process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(40)
                break
        if self.process.stdout:
            self.process.stdout.close()
        self.process = None
        Process.running.remove(self)

    def restart(self):
        self.stop()
        self.start()

    @classmethod
    def stop_all(cls):
        """The last one first."""
        while cls.running:
            cls.running[-1].stop()


class Broker(Process):
    """Debian's mosquitto, which keeps retained messages over a restart."""

    def __init__(self, folder, logs):
        self.folder, self.log, self.port = folder, logs / "mosquitto.txt", free_port()
        lines = [f"listener {self.port} 127.0.0.1", "allow_anonymous true", "persistence true",
                 f"persistence_location {folder}/", *["user root"] * (os.geteuid() == 0)]
        (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.begin(["/usr/sbin/mosquitto", "-c", str(self.folder / "mosquitto.conf")], log)

        def listens():
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        eventually("mosquitto listens", listens)


class Radio(Process):
    """`mesh-gateway simulate`: what its mesh says by itself is nothing."""

    def __init__(self, program):
        self.begin([program, "simulate", "--tcp", "0", "--silent", "--firmware", "2.8.1"], subprocess.DEVNULL,
                   stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)", self.process.stdout.readline()).group(1))


class Gateway(Process):
    """`mesh-gateway serve` with that radio."""

    def __init__(self, program, folder, logs):
        self.program, self.folder, self.log = program, folder, logs / "gateway.txt"
        self.radio = Radio(program)
        self.cable = Cable(self.radio.port)
        self.environment = {**os.environ, "MESH_GATEWAY_CONFIG": f"{folder}/mesh-gateway.conf", "XDG_RUNTIME_DIR": str(folder),
                            "XDG_STATE_HOME": str(folder), "HOME": str(folder)}
        for name in ("brokers.d", "rules.d"):
            (folder / name).mkdir()
        (folder / "mesh-gateway.conf").write_text(
            f"device = tcp:127.0.0.1:{self.cable.port}\nlisten = 127.0.0.1:0\n", encoding="utf-8")
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.begin([self.program, "serve"], log, stdout=log, env=self.environment)
        self.is_live()

    def is_live(self):
        eventually("the radio is live", lambda: self.ask("status")["sources"][0]["link"] == "live")

    def command(self, *words):
        return subprocess.run(
            [self.program, *words], check=False, capture_output=True, text=True, env=self.environment).stdout

    def ask(self, *words):
        return json.loads(self.command(*words, "--json"))

    def write(self, name, text):
        """A file beside its configuration, or none; then it reads them again."""
        path = self.folder / name
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
        self.process.send_signal(signal.SIGHUP)

    def broker(self):
        return self.ask("mqtt", "status")["brokers"][0]
