"""Files of settings go between the official package `meshtastic` and `mesh-gateway radio config export` and `import`.

    settings-files.py PROGRAM FIRMWARE

PROGRAM is mesh-gateway, FIRMWARE 2.7 or 2.8. The Python that runs this must have the package. A simulated radio is set up, its
settings are written to a file, the radio is reset, and the file is put back; each time one of the two programs writes and one
reads. What the official one exports before and after is compared. What fails is printed, and the exit code is 1 then.
"""

import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, FIRMWARE = sys.argv[1:3]
ENVIRONMENT = dict(os.environ, HTTPS_PROXY="http://127.0.0.1:9", HTTP_PROXY="http://127.0.0.1:9", PYTHONUNBUFFERED="1")
faults = []

SET_UP = """
owner: Hütte "Süd"
ownerShort: HS
canned_messages: Ja|Nein, danke
ringtone: 't:d=4,o=5,b=100:c'
location: {lat: 47.2692, lon: -11.4041, alt: 574}
config:
  bluetooth: {enabled: false, fixedPin: 654321}
  position: {fixedPosition: true, positionBroadcastSmartEnabled: false}
  lora: {hopLimit: 5, ignoreIncoming: [305419896, 7], overrideFrequency: 869.525, sx126xRxBoostedGain: false}
  network: {wifiPsk: another-password, ipv4Config: {ip: 335653056}}
  power: {powermonEnables: '5'}
  display: {use12hClock: true}
  security: {adminKey: ['base64:q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=']}
moduleConfig:
  mqtt: {root: msh/test, password: secret2, encryptionEnabled: false, mapReportSettings: {publishIntervalSecs: 60}}
  statusmessage: {nodeStatus: away}
  remoteHardware: {enabled: true, availablePins: [{gpioPin: 4, name: Door, type: DIGITAL_READ}, {gpioPin: 5}]}
"""

KEY_PAIR = {"config.security.privateKey", "config.security.publicKey"}
PINS = {f"module_config.remoteHardware.availablePins.{place}" for place in ("0.gpioPin", "0.name", "0.type", "1.gpioPin")}


class Radio:
    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            [PROGRAM, "simulate", "--tcp", "0", "--firmware", FIRMWARE, "--chatter", "0"], stdout=subprocess.PIPE,
            text=True)
        self.port = int(re.search(r":(\d+);", self.process.stdout.readline()).group(1))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.process.stdout.close()

    def run(self, words):
        process = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT,
            text=True, timeout=300)
        return process.returncode, process.stdout

    def patiently(self, words):
        """Until it ends well: the radio may be restarting."""
        end = time.monotonic() + 120
        while True:
            code, output = self.run(words)
            if code == 0:
                return output
            if time.monotonic() > end:
                faults.append(f"{FIRMWARE}: {' '.join(words)}: exit code {code}\n{output[-1500:]}")
                return output
            time.sleep(1)

    def official(self, *words):
        return self.patiently([sys.executable, "-m", "meshtastic", "--host", f"127.0.0.1:{self.port}", *words])

    def our_words(self, *words):
        return [PROGRAM, "radio", "config", *words, "--device", f"tcp:127.0.0.1:{self.port}", "--database",
                f"{self.folder}/mesh.db", "--socket", f"{self.folder}/mesh.sock"]

    def ours(self, *words):
        return self.patiently(self.our_words(*words))

    def path(self, name):
        return f"{self.folder}/{name}"

    def exported(self, name):
        import yaml

        self.official("--export-config", self.path(name))
        with open(self.path(name), encoding="utf-8") as file:
            return flat(yaml.safe_load(file))

    def restarts(self):
        output = self.patiently(
            [PROGRAM, "radio", "info", "--json", "--device", f"tcp:127.0.0.1:{self.port}", "--database",
             f"{self.folder}/mesh.db", "--socket", f"{self.folder}/mesh.sock"])
        found = re.search(r'"rebootCount": ?(\d+)', output)
        return int(found.group(1)) if found else -1

    def await_restart(self, count):
        end = time.monotonic() + 20
        while self.restarts() <= count and time.monotonic() < end:
            time.sleep(1)


def flat(value, path=""):
    """Every value by its path."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    else:
        return {path[1:]: value}
    result = {}
    for key, inner in parts:
        result.update(flat(inner, f"{path}.{key}"))
    return result


def put_back(write, read, lost):
    """A radio is set up, its settings are written and it is reset; then they are read again.

    `lost` are the paths that may, and must, differ.
    """
    with tempfile.TemporaryDirectory() as folder:
        radio = Radio(folder)
        with open(radio.path("set-up.yaml"), "w", encoding="utf-8") as file:
            file.write(SET_UP)
        count = radio.restarts()
        shown = radio.ours("import", radio.path("set-up.yaml"), "--yes")
        for word in ("canned_messages", "location", "bluetooth.fixed_pin", "The radio restarts"):
            if word not in shown:
                faults.append(f"{FIRMWARE}: {word} is not in\n{shown}")
        radio.await_restart(count)
        if radio.restarts() != count + 1:
            faults.append(f"{FIRMWARE}: one edit has cost {radio.restarts() - count} restarts")
        before = radio.exported("before.yaml")
        write(radio)
        count = radio.restarts()
        radio.official("--factory-reset-device")
        radio.await_restart(count)
        reset = radio.exported("reset.yaml")
        if reset.get("owner") == before["owner"] or "location.lat" in reset or "config.lora.region" in reset:
            faults.append(f"{FIRMWARE}: the radio was not reset: {reset}")
        count = radio.restarts()
        read(radio)
        radio.await_restart(count)
        after = radio.exported("after.yaml")
        differing = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        if differing != lost:
            rows = [f"  {path}: {before.get(path)!r}, {after.get(path)!r}" for path in sorted(differing ^ lost)]
            faults.append("\n".join([f"{FIRMWARE}: {write.__name__}, {read.__name__}: not as it was:", *rows]))
        radio.end()


def we_write(radio):
    radio.ours("export", radio.path("file.yaml"), "--with-secrets", "--force")
    if os.stat(radio.path("file.yaml")).st_mode & 0o777 != 0o600:
        faults.append("the file with secrets is not its owner's alone")


def they_write(radio):
    radio.official("--export-config", radio.path("file.yaml"))


def we_read(radio):
    # At once: a second time would find the region set, and the key pair made.
    code, output = radio.run(radio.our_words("import", radio.path("file.yaml"), "--yes"))
    if code != 0 or not output.endswith("Done.\n"):
        faults.append(f"{FIRMWARE}: not done:\n{output}")


def they_read(radio):
    # A first region gives the radio its key pair, and with 2.8 another number: the package would go on talking to the old one.
    count = radio.restarts()
    radio.official("--set", "lora.region", "EU_868")
    radio.await_restart(count)
    output = radio.official("--configure", radio.path("file.yaml"))
    if "Writing modified configuration" not in output:
        faults.append(f"{FIRMWARE}: not written:\n{output}")


ways = [
    (we_write, we_read, KEY_PAIR | PINS),
    # Their export has what ours cannot hold, and ours reads it.
    (they_write, we_read, KEY_PAIR),
    (we_write, they_read, KEY_PAIR | PINS),
]
# Most of the time is spent waiting for radios that restart.
with concurrent.futures.ThreadPoolExecutor(len(ways)) as pool:
    for _ in pool.map(lambda way: put_back(*way), ways):
        pass
print("\n".join(faults))
sys.exit(1 if faults else 0)
