"""The whole command line of the official package `meshtastic`, against `mesh-gateway simulate`.

    commands.py PROGRAM FIRMWARE [--shared] [WORD]

PROGRAM is mesh-gateway, FIRMWARE 2.7 or 2.8; with WORD only the rows whose commands hold it are run. With --shared a
gateway that shares the radio with the right admin (`mesh-gateway serve --share`) is between the command and the radio. The
Python that runs this must have the package. Each row has a radio of its own, with a quiet mesh; each of its commands must
end by itself, with the exit code and the words of its row. What fails is printed, and the exit code is 1 then.
"""

import concurrent.futures
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time


def patience():
    """Seconds, longer than anything takes: a node that is switched off is given up after 22 s. What else the machine does
    takes its share of that time."""
    return 120 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


SHARED = "--shared" in sys.argv
CLI = [sys.executable, "-m", "meshtastic"]
# The command asks for its newest version when it shows the radio; nothing leaves this machine.
ENVIRONMENT = dict(os.environ, HTTPS_PROXY="http://127.0.0.1:9", HTTP_PROXY="http://127.0.0.1:9", PYTHONUNBUFFERED="1")

# Options that need other hardware, never end by themselves, or are no business of a radio on TCP.
LEFT_OUT = {
    "--help", "--version", "--support", "--port", "--serial", "--host", "--tcp", "--ble", "--ble-scan",
    "--listen", "--reply", "--noproto", "--tunnel", "--subnet", "--gpio-watch", "--test", "--no-time",
    "--ota-update", "--slog", "--power-riden", "--power-ppk2-meter", "--power-ppk2-supply", "--power-sim",
    "--power-voltage", "--power-stress", "--power-wait",
}


def rows(nodes, folder):
    """Lists of (words, exit code, what the output must hold)."""
    anna, hut, off = nodes["Anna am Berg"], nodes["Hütte Nord ⛰️"], nodes["Bernd, ausgeschaltet"]
    old, sensor, plain = nodes["Old T-Beam"], nodes["sensor"], nodes["no sensor"]
    exported, binary = f"{folder}/exported.yaml", f"{folder}/exported.cfg"
    link = "https://meshtastic.org/e/#CgMSAQESCAgBOANAA0gB"

    def one(line, code, words, **names):
        return [(line.split(), code, words)]

    def all_of(*commands):
        return list(commands)

    table = [
        # What is shown.
        one("--info", 0, "Simulated radio"),
        one("--nodes", 0, "Anna am Berg"),
        one("--nodes --show-fields user.id,user.longName", 0, "Anna am Berg"),
        one("--get lora", 0, "Completed getting preferences"),
        one("--get lora.region --no-nodes", 0, "lora.region"),
        one("--get nonsense", 0, "do not have attribute|does not have"),
        one("--device-metadata", 0, "firmware_version: 2."),
        one("--pos-fields", 0, "ALTITUDE"),
        one("--qr", 0, "https://meshtastic.org/e/#"),
        one("--qr-all", 0, "Complete URL"),
        one(f"--contact-qr {anna}", 0, "Contact URL"),
        one(f"--contact-qr {anna} --contact-verified --contact-ignore", 0, "Contact URL"),
        one("--export-config", 0, "canned_messages: Hi"),
        all_of(
            (["--export-config", exported], 0, "Exported configuration"),
            (["--configure", exported], 0, "Writing modified configuration"),
        ),
        all_of(
            (["--export-config", binary, "--export-format", "binary"], 0, "Exported profile"),
            (["--configure", binary], 0, "Writing modified configuration"),
        ),
        # Settings.
        all_of(
            (["--set", "lora.hop_limit", "5"], 0, "Writing lora configuration"),
            (["--get", "lora.hop_limit"], 0, "lora.hop_limit: 5"),
        ),
        one("--set power.ls_secs 301 --set telemetry.device_update_interval 900", 0, "configuration transaction"),
        # The package does not listen for acknowledgements of what it orders its own radio, whatever that says.
        one("--set lora.hop_limit 5 --ack --timeout 5", 1, "Timed out waiting for an acknowledgment"),
        all_of((["--begin-edit"], 0, ""), (["--commit-edit"], 0, "")),
        all_of(
            (["--set-canned-message", "one|two"], 0, "Setting canned plugin message"),
            (["--get-canned-message"], 0, r"one\|two"),
        ),
        all_of(
            (["--set-ringtone", "tune:d=4,o=5,b=100:c"], 0, "Setting ringtone"),
            (["--get-ringtone"], 0, "tune:d=4"),
        ),
        *[
            one(f"--ch-{preset}", 0, "Connected")
            for preset in (
                "vlongslow", "longslow", "longmod", "longfast", "longturbo", "medslow", "medfast", "shortslow",
                "shortfast", "shortturbo",
            )
        ],
        one("--ch-longfast --ch-index 1", 1, "non-primary"),
        # The radio restarts seven seconds later, and somebody waits for a word about a node that is switched off.
        all_of(
            (["--set-owner", "New name", "--set-owner-short", "NEW"], 0, "Setting device owner"),
            (["--dest", off, "--sendtext", "hello", "--ack"], 0, "Received a(n? implicit ACK|n ACK| NAK)"),
        ),
        all_of((["--set-owner", "Other name"], 0, "Setting device owner"), (["--info"], 0, "Other name")),
        one("--set-is-unmessageable true", 0, "is_unmessageable"),
        all_of((["--set-ham", "OE7XYZ"], 0, "Setting Ham ID"), (["--info"], 0, "OE7XYZ")),
        all_of(
            (["--setlat", "47.1", "--setlon", "11.3", "--setalt", "640"], 0, "enabling fixed position"),
            (["--export-config"], 0, "lat: 47.1"),
            (["--remove-position"], 0, "Removing fixed position"),
            (["--get", "position.fixed_position"], 0, "fixed_position: False"),
        ),
        one("--pos-fields ALTITUDE HEADING", 0, "Setting position fields to 257"),
        # Channels.
        one(f"--ch-set-url {link}", 0, "Connected"),
        one("--ch-add-url https://meshtastic.org/e/?add=true#CgoSAQEaBVBhdGgxEggIATgDQANIAQ", 0, "Connected"),
        all_of(
            (["--ch-add", "Ridge"], 0, "Writing modified channels"),
            (["--info"], 0, "Ridge"),
            (["--ch-index", "1", "--ch-del"], 0, "Deleting channel 1"),
        ),
        one("--ch-add Ridge --ch-index 3", 1, "incompatible"),
        one("--ch-del", 1, "Need to specify"),
        one("--ch-index 1 --ch-set name Path", 0, "Writing modified channels"),
        one("--ch-index 1 --ch-set psk random --channel-fetch-attempts 2", 0, "Writing modified channels"),
        all_of(
            (["--ch-index", "2", "--ch-disable"], 0, "Writing modified channels"),
            (["--ch-index", "2", "--ch-enable"], 0, "Writing modified channels"),
        ),
        # Texts.
        one("--sendtext hello", 0, "Sending text message"),
        one("--sendtext hello --ack", 0, "implicit ACK"),
        one("--sendtext hello --ch-index 1 --private --ack", 0, "implicit ACK"),
        one("--sendtext hello --ch-index 6", 1, "not a valid channel"),
        one(f"--sendtext hello --dest {anna} --ack", 0, "Received an ACK"),
        one(f"--sendtext hello --dest {off} --ack", 0, "MAX_RETRANSMIT"),
        one(f"--sendtext hello --dest {old} --ack", 0, "PKI_SEND_FAIL_PUBLIC_KEY"),
        one("--sendtext hello --dest !0badcafe --ack", 0, "PKI_SEND_FAIL_PUBLIC_KEY"),
        one("--sendtext hello --wait-to-disconnect 1", 0, "Waiting 1 seconds"),
        # Questions. The package may end before it has printed the answer; without one it ends with 1.
        one(f"--traceroute {anna}", 0, "Route traced towards destination"),
        one(f"--traceroute {hut}", 0, "Route traced back to us"),
        one(f"--request-telemetry --dest {plain}", 0, "Sending device_metrics"),
        one(f"--request-telemetry device --dest {plain}", 0, "Sending device_metrics"),
        one(f"--request-telemetry local_stats --dest {plain}", 0, "Sending local_stats"),
        one(f"--request-telemetry environment --dest {sensor}", 0, "Sending environment_metrics"),
        # After these words the package waits on for the answer.
        one(f"--request-telemetry power --dest {plain} --timeout 20", 1, "No response from node"),
        one("--request-telemetry", 1, "Must use a destination"),
        one(f"--request-position --dest {anna}", 0, "Sending position request"),
        # Orders.
        one("--reboot", 0, ""), one("--reboot-ota", 0, ""), one("--enter-dfu", 0, ""), one("--shutdown", 0, ""),
        one("--factory-reset", 0, ""), one("--factory-reset-device", 0, ""), one("--reset-nodedb", 0, ""),
        all_of(
            (["--set-favorite-node", anna], 0, ""), (["--remove-favorite-node", anna], 0, ""),
            (["--set-ignored-node", anna], 0, ""), (["--remove-ignored-node", anna], 0, ""),
            (["--remove-node", anna], 0, ""),
        ),
        one("--add-contact CONTACT", 0, ""),
        one("--set-time --seriallog none", 0, ""),
        # To somebody else, who does not obey.
        one(f"--dest {anna} --set-owner Other", 0, "ADMIN_PUBLIC_KEY_UNAUTHORIZED|NAK"),
        one("--gpio-rd 0x10", 1, "Must use a destination"),
        one(f"--gpio-wrb 4 1 --dest {anna}", 1, "gpio"),
        one("--debug --debuglib --get lora --timeout 120 --commit-edit", 0, "Completed"),
    ]
    return table


# What nobody does to a shared radio: the command ends as it does on a radio, which is none the wiser.
NEVER_SHARED = {"--set-ham"}


class Radio:
    """One `mesh-gateway simulate`, and if it is shared, one `mesh-gateway serve` before it."""

    def __init__(self, program, firmware):
        self.process = subprocess.Popen(
            [program, "simulate", "--tcp", "0", "--firmware", firmware, "--chatter", "0"], stdout=subprocess.PIPE,
            text=True)
        self.port = int(re.search(r":(\d+);", self.process.stdout.readline()).group(1))
        self.gateway = self.folder = None
        if SHARED:
            self.share(program)

    def share(self, program):
        self.folder = tempfile.TemporaryDirectory()
        path = self.folder.name
        self.gateway = subprocess.Popen(
            [program, "serve", "--device", f"tcp:127.0.0.1:{self.port}", "--listen", "127.0.0.1:0", "--share",
             "127.0.0.1:0/admin", "--database", f"{path}/mesh.db", "--socket", f"{path}/mesh.sock"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        shared, is_live = None, False
        while not (shared and is_live):
            line = self.gateway.stderr.readline()
            if not line:
                raise SystemExit("the gateway has ended")
            found = re.search(r"sharing the radio on 127.0.0.1:(\d+)", line)
            shared = int(found.group(1)) if found else shared
            is_live = is_live or "radio link live" in line
        self.port = shared
        threading.Thread(target=self.gateway.stderr.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in filter(None, [self.gateway, self.process]):
            process.send_signal(signal.SIGTERM)
            process.wait(patience())
        self.process.stdout.close()
        if self.folder:
            self.folder.cleanup()

    def run(self, words):
        """Exit code and output; None as the code when it had to be ended."""
        command = CLI + ["--host", f"127.0.0.1:{self.port}"] + words
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT,
            text=True)
        try:
            output, _ = process.communicate(timeout=patience())
            return process.returncode, output
        except subprocess.TimeoutExpired:
            process.kill()
            return None, process.communicate()[0]


def cast(program, firmware):
    """The ids of the nodes by their names."""
    with Radio(program, firmware) as radio:
        _, output = radio.run(["--nodes", "--show-fields", "user.id,user.longName"])
    lines = re.findall(r"(![0-9a-f]{8}) +│ (.*?) +│", output)
    nodes = {name: number for number, name in lines}
    # Who has a weather sensor: SimulatedNode.hasWeatherSensor. Only those that answer, and have a key.
    willing = ["Anna am Berg", "Hütte Nord ⛰️", "Summit Router", "Store & Forward"]
    has_sensor = {name: int(nodes[name][1:], 16) % 3 == 0 for name in willing}
    nodes["sensor"] = next((nodes[name] for name in willing if has_sensor[name]), None)
    nodes["no sensor"] = next(nodes[name] for name in willing if not has_sensor[name])
    return nodes


def play(program, firmware, row):
    """What was wrong with a row, as lines."""
    faults = []
    with Radio(program, firmware) as radio:
        for place, (words, code, expected) in enumerate(row):
            if "CONTACT" in words:
                _, output = radio.run(["--contact-qr", words_of_contact(radio)])
                words = [re.search(r"Contact URL: (\S+)", output).group(1) if w == "CONTACT" else w for w in words]
            got, output = radio.run(words)
            # On a busy machine the restart that an earlier command of the row has ordered may cut this one's handshake, or
            # the package may not wait for it long enough.
            end = time.monotonic() + patience()
            while got == 1 and code != 1 and (place > 0 or "Timed out" in output) and time.monotonic() < end:
                time.sleep(2)
                got, output = radio.run(words)
            if got != code or not re.search(expected, output):
                ended = "did not end" if got is None else f"exit code {got}"
                tail = "\n".join("    " + line for line in output.splitlines()[-12:])
                faults.append(f"{firmware}: {' '.join(words)}: {ended}; expected {code} and {expected!r}\n{tail}")
    return faults


def words_of_contact(radio):
    _, output = radio.run(["--nodes", "--show-fields", "user.id,user.longName"])
    return re.search(r"(![0-9a-f]{8}) +│ Anna am Berg", output).group(1)


def untested(table):
    """Options that the package has and no row uses."""
    output = subprocess.run(CLI + ["--help"], capture_output=True, text=True, env=ENVIRONMENT).stdout
    lines = re.findall(r"^  (-.*)$", output.split("\nHelp:")[1], re.MULTILINE)
    used = {word for row in table for words, _, _ in row for word in words}
    missing = []
    for line in lines:
        names = set(re.findall(r"--[a-z0-9-]+", line.split("  ")[0]))
        if names and not names & (used | LEFT_OUT):
            missing.append(line.split("  ")[0])
    return missing


def main():
    if importlib.util.find_spec("meshtastic") is None:
        print(f"{sys.executable} does not have the package meshtastic; deploy/test installs it")
        sys.exit(3)
    program, firmware = sys.argv[1:3]
    words = [word for word in sys.argv[3:] if word != "--shared"]
    nodes = cast(program, firmware)
    with tempfile.TemporaryDirectory() as folder:
        table = rows(nodes, folder)
        faults = [f"no row for {name}" for name in untested(table)]
        if SHARED:
            table = [row for row in table if not any(NEVER_SHARED & set(typed) for typed, _, _ in row)]
        if words:
            table = [row for row in table if any(words[0] in typed for typed, _, _ in row)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda row: play(program, firmware, row), table):
                faults += found
    print("\n".join(faults))
    print(f"{firmware}: {sum(map(len, table))} commands, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
