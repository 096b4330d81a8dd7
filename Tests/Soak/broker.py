"""What a broker costs: broker.py PROGRAM MINUTES FOLDER runs a gateway with 60 simulated nodes, first without a broker, then with
one over TLS that shows all of them, then with texts, direct ones and commands, then with a conversation there, for so many
minutes each. Prints memory, wake-ups of
all threads, and messages and bytes an hour. See deploy/soak.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time

from process import sample

program, minutes, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
# Until all is published and what is wanted once is done.
SETTLING = 60


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run(*command, environment=None):
    subprocess.run(command, check=True, capture_output=True, env=environment)


def certificates():
    """An authority, and the broker's own."""
    authority, key, signed = (f"{folder}/{name}" for name in ("ca.pem", "ca.key", "server.csr"))
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    run("openssl", "req", "-x509", *curve, "-subj", "/CN=authority", "-days", "2", "-keyout", key, "-out", authority)
    run("openssl", "req", *curve, "-subj", "/CN=server", "-keyout", f"{folder}/server.key", "-out", signed)
    with open(f"{folder}/server.ext", "w") as file:
        file.write("subjectAltName=IP:127.0.0.1")
    run("openssl", "x509", "-req", "-in", signed, "-CA", authority, "-CAkey", key, "-CAcreateserial", "-days", "2",
        "-extfile", f"{folder}/server.ext", "-out", f"{folder}/server.pem")


def mosquitto(port):
    lines = [f"listener {port} 127.0.0.1", "allow_anonymous true", f"cafile {folder}/ca.pem",
             f"certfile {folder}/server.pem", f"keyfile {folder}/server.key"]
    lines += ["user root"] * (os.geteuid() == 0)
    with open(f"{folder}/mosquitto.conf", "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(f"{folder}/mosquitto.log", "w") as log:
        return subprocess.Popen(["/usr/sbin/mosquitto", "-c", f"{folder}/mosquitto.conf"], stdout=log, stderr=log)


def wakes(pid):
    """How often threads have waited, in all."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as status:
            total += sum(int(line.split()[1]) for line in status if line.startswith("voluntary"))
    return total


def own_memory_of_connections(pid):
    """What each process of a connection to the broker has for itself, in kB (RssAnon; nobody but root may ask for more)."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/status") as file:
                status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        except OSError:
            continue
        if status.get("PPid") == str(pid) and status["Name"] == "mqtt house":
            found.append(int(status["RssAnon"].split()[0]))
    return found


def measure(name, broker_port, talks=False, speaks=False):
    home = f"{folder}/{name}"
    os.makedirs(f"{home}/brokers.d")
    open(f"{home}/mesh-gateway.conf", "w").close()
    if broker_port:
        with open(f"{home}/brokers.d/house.conf", "w") as file:
            file.write(f"url = mqtts://127.0.0.1:{broker_port}\nca = {folder}/ca.pem\nhome-assistant = all\n")
            if speaks:
                file.write("home-assistant-texts = 0\nhome-assistant-direct = yes\nhome-assistant-commands = yes\n")
    environment = {**os.environ, "MESH_GATEWAY_CONFIG": f"{home}/mesh-gateway.conf", "XDG_RUNTIME_DIR": home,
                   "XDG_STATE_HOME": home, "HOME": home}
    words = ["serve", "--device", "simulated:nodes=60", "--listen", f"127.0.0.1:{free_port()}"]
    with open(f"{home}/log", "w") as log:
        gateway = subprocess.Popen([program, *words], stdout=log, stderr=log, env=environment)

    def broker():
        page = subprocess.run([program, "mqtt", "--json"], check=True, capture_output=True, env=environment).stdout
        return (json.loads(page)["brokers"] or [{"published": 0, "publishedBytes": 0, "state": "none"}])[0]

    try:
        time.sleep(SETTLING)
        if talks:
            run(program, "conversation", "add", "club", "--broker", "house", "--filter", "club/#", environment=environment)
            time.sleep(SETTLING)
        before, woken = broker(), wakes(gateway.pid)
        time.sleep(minutes * 60)
        woken = wakes(gateway.pid) - woken
        after = broker()
        memory = sample(gateway.pid, f"{home}/mesh-gateway/simulated.db")
        connections = own_memory_of_connections(gateway.pid)
    finally:
        gateway.send_signal(signal.SIGTERM)
        gateway.wait(30)
    if broker_port and after["state"] != "live":
        sys.exit(f"broker: it is {after['state']}; see {home}/log")
    hours = minutes / 60
    return [memory["resident memory, kB"], memory["of it its own, kB"], len(connections), sum(connections), memory["threads"],
            woken / (minutes * 60),
            (after["published"] - before["published"]) / hours,
            (after["publishedBytes"] - before["publishedBytes"]) / hours / 1000]


def main():
    certificates()
    port = free_port()
    server = mosquitto(port)
    try:
        columns = [measure("without", None), measure("with", port),
                   measure("speaking", port, speaks=True), measure("talking", port, talks=True)]
    finally:
        server.terminate()
        server.wait(30)
    print("| with 60 simulated nodes | without a broker | one over TLS | hears and speaks | has a conversation |\n|---|--:|--:|--:|--:|")
    names = ["resident memory, kB", "of it its own, kB", "processes of connections", "their own memory, kB", "threads",
             "wake-ups /s", "messages an hour", "kB an hour"]
    for name, *values in zip(names, *columns):
        digits = 2 if "/s" in name else 0
        print(f"| {name} | {' | '.join(f'{value:,.{digits}f}' for value in values)} |")


main()
