"""The scenarios, one after the other, in one house: judge.py PROGRAM ROOT LOGS [NAME...]"""

import pathlib
import signal
import sys
import tempfile
import time
import traceback

import acting
import examples
import hearing
import seeing
import staying
from cable import TEXT
from home import HomeAssistant
from house import Broker, Gateway, Process, eventually
from listener import Listener

class World:
    """A broker, a gateway and a real Home Assistant, and what is called how."""

    speech = ["home-assistant-texts = 0, Hikers", "home-assistant-direct = yes", "home-assistant-commands = yes"]
    texts_alone = speech[:1]

    def __init__(self, program, root, folder, logs):
        for name in ("house", "home"):
            (folder / name).mkdir()
        self.broker = Broker(folder / "house", logs)
        self.gateway = Gateway(program, folder / "house", logs)
        self.cable = self.gateway.cable
        # People of the simulated mesh: who answers, who is deleted, and who has an odd name.
        self.hiker, self.hut, self.sensor = (self.cable.nodes[place] for place in (1, 2, 17))
        self.home = HomeAssistant(root, folder / "home", logs)
        version = self.home.get("/api/config")["version"]
        print(f"-- Home Assistant {version}", flush=True)
        self.home.add_broker(self.broker.port)
        self.show([self.hiker, self.hut, self.sensor])
        found = eventually("Home Assistant sees the radio", lambda: [
            name.split("_") for name in self.home.devices() if "_radio_" in name])[0]
        # meshgw_GATEWAY_radio_RADIO
        self.base, self.radio = found[1], f"radio_{found[3]}"
        # Lines of its log that are no fault of ours. Before 2026.11 it complained about each device that went.
        self.excused, self.complains_always = [], tuple(map(int, version.split("."))) < (2026, 11)

    def name(self, node):
        return f"{node:08x}"

    def show(self, nodes, speech=speech):
        """Writes the broker's file: what Home Assistant is shown, hears and may do."""
        lines = [f"url = mqtt://127.0.0.1:{self.broker.port}",
                 "home-assistant = " + " ".join(f"!{node:08x}" for node in nodes), *speech]
        self.gateway.write("brokers.d/house.conf", "\n".join(lines) + "\n")

    def hears_again(self):
        """After a restart, which is over when a text that comes now has its event. What came meanwhile nobody hears."""
        self.gateway.is_live()
        eventually("the broker has the gateway", lambda: self.gateway.broker()["state"] == "live", 120)
        with Listener(self.home) as heard:
            entity = f"event.meshgw_{self.radio}_text_0"

            def is_told():
                number = self.cable.hear(self.hiker, TEXT, b"is anybody there?")
                end = time.monotonic() + 2
                while time.monotonic() < end and not heard.events(entity):
                    time.sleep(0.1)
                return number and heard.events(entity)
            eventually("a text is told", is_told, 120)


def main():
    program, root, logs, *wanted = sys.argv[1:]
    logs = pathlib.Path(logs)
    # What it has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("judge: it took too long"))
    passed = failed = 0
    folder = tempfile.TemporaryDirectory(prefix="home-assistant.")
    try:
        world = World(program, root, pathlib.Path(folder.name), logs)
        for scenario in seeing.SCENARIOS + hearing.SCENARIOS + acting.SCENARIOS + examples.SCENARIOS + staying.SCENARIOS:
            name = scenario.__name__.replace("_", " ")
            if wanted and not any(word in name for word in wanted):
                continue
            began = time.monotonic()
            try:
                scenario(world)
            except Exception:
                failed += 1
                print(f"FAIL {name} ({time.monotonic() - began:.0f} s)\n{traceback.format_exc()}", flush=True)
            else:
                passed += 1
                print(f"ok   {name} ({time.monotonic() - began:.0f} s)", flush=True)
    finally:
        Process.stop_all()
        folder.cleanup()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
