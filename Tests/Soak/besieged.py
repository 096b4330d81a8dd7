"""A client with a token beside strangers who want the gateway for themselves: besieged.py PROGRAM FOLDER [--smoke]

For each attack, in plain HTTP and over TLS, somebody else asks for /api/health and for the nodes on new connections. Status 1
unless every ask is answered, the slowest of fifty in 2 s (5 s over TLS), with less than 128 MB resident; ten seconds after
the attack new connections are answered, and after two minutes memory is within 16 MB of before. With --smoke fewer asks, and no
bounds but that all are answered and the gateway lives.

An attack counts only when it takes place: asks begin once the gateway holds the connections that the attack is to hold, or
has answered as many as it does not let stay, and all of that is counted and printed. Status 1, too, when one does not.

The last attack is one client with a token that only reads. It mutes and unmutes a conversation on one connection, while each sync of
the disk takes two seconds (Tests/CFaultyDisk, built with cc).

The attackers have several addresses of this machine, and segments of Ethernet's size: those of the loopback let the kernel
take whole answers, so that an attack with unread answers would show nothing.
"""

import http.client
import itertools
import json
import multiprocessing
import os
import re
import socket
import ssl
import subprocess
import sys
import time

from process import sample

program, folder, is_smoke = sys.argv[1], sys.argv[2], "--smoke" in sys.argv[3:]
ASKS = 10 if is_smoke else 50
FEW = 6
DOCUMENT = b"GET /api/v1/docs/openapi.yaml HTTP/1.1\r\nHost: gateway\r\n\r\n"
BODY = b"POST /api/v1/messages HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000000\r\n\r\n" + b"a" * 999_000
MUTES = "mutes while each sync takes 2 s"
# For each attack: what is sent, whether the answers are read, connections and addresses; how many connections the gateway
# holds at least; and how many requests it is sent at least, before the asks begin and until they are over. It has 256 places, of
# which the sixteenth part is for others; strangers with bodies are not let stay.
ATTACKS = {
    "the document again and again": ((DOCUMENT, True, 60, 1), 60, 60, 60),
    "answers that nobody reads": ((DOCUMENT, False, 315, 5), 200, 200, 0),
    "unfinished bodies": ((BODY, False, 256, 4), 0, 256, 64),
    MUTES: ((), 1, 2, 3),
}


def connect(port, address, is_tls, segment=None):
    client = socket.socket()
    client.settimeout(5)
    if segment:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.bind((address, 0))
    client.connect(("127.0.0.1", port))
    if not is_tls:
        return client
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(client)


def attack(port, is_tls, sent, request, reads, count, addresses):
    """Until it is ended. Connections that the gateway has closed are replaced. `sent` counts requests that were begun."""
    held = []
    origins = itertools.cycle(f"127.0.1.{1 + number}" for number in range(addresses))
    while True:
        for _ in range(count - len(held)):
            try:
                client = connect(port, next(origins), is_tls, None if reads else 1460)
                client.setblocking(False)
                held.append([client, request])
            except OSError:
                break
        for entry in list(held):
            client, rest = entry
            try:
                # A record of TLS at a time: of a longer piece nobody knows how much has gone.
                while rest:
                    sent_now = client.send(rest[:16_384])
                    sent.value += len(rest) == len(request)
                    entry[1] = rest = rest[sent_now:]
                if reads:
                    data = client.recv(1 << 20)
                    if not data:
                        raise ConnectionResetError
                    # The beginning of an answer: the next one is asked for already.
                    if data.startswith(b"HTTP/1.1 ") and not entry[1]:
                        entry[1] = request
                elif client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO) & 0xff != 1:
                    raise ConnectionResetError
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
            except OSError:
                client.close()
                held.remove(entry)
        time.sleep(0.001 if reads else 0.05)


def mute(port, is_tls, sent, token):
    """Until it is ended. `sent` counts requests that were begun."""
    connection = http.client.HTTPConnection("127.0.0.1")
    connection.sock = connect(port, "127.0.1.1", is_tls)
    connection.sock.settimeout(60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for number in itertools.count():
        sent.value += 1
        body = json.dumps({"muted": number % 2 == 0})
        connection.request("POST", "/api/v1/conversations/channel:0/mute", body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"besieged: a mute was answered {answer.status}")


class Client:
    def __init__(self, port, is_tls, token):
        self.port, self.is_tls, self.token = port, is_tls, token

    def ask(self, path):
        """Seconds to the end of the answer; None: there was none."""
        began = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1")
            connection.sock = connect(self.port, "127.0.9.9", self.is_tls)
            connection.sock.settimeout(15)
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            answer.read()
            connection.close()
        except (OSError, http.client.HTTPException):
            return None
        return time.monotonic() - began if answer.status == 200 else None

    def asks(self, count, first=0):
        numbers = range(first, first + count)
        times = [self.ask("/api/v1/nodes" if number % 2 else "/api/health") for number in numbers]
        return [each for each in times if each is not None], times.count(None)


class Gateway:
    def __init__(self, name, is_tls, faulty_disk):
        self.folder = f"{folder}/{name}"
        os.makedirs(self.folder)
        open(f"{self.folder}/conf", "w").close()
        options = ["--config", f"{self.folder}/conf", "--database", f"{self.folder}/mesh.db"]
        options += ["--socket", f"{self.folder}/socket", "--device", "simulated:seed=7,nodes=100"]
        if is_tls:
            certificate, key = f"{self.folder}/certificate.pem", f"{self.folder}/key.pem"
            make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            make += ["-subj", "/CN=gateway", "-days", "30", "-keyout", key, "-out", certificate]
            subprocess.run(make, check=True, capture_output=True)
            with open(f"{self.folder}/conf", "w") as settings:
                settings.write(f"tls-certificate = {certificate}\ntls-key = {key}\n")
        with open(f"{self.folder}/out", "w") as output, open(f"{self.folder}/log", "w") as log:
            command = [program, "serve", *options, "--listen", "127.0.0.1:0"]
            self.fault = f"{self.folder}/fault"
            disk = {"LD_PRELOAD": faulty_disk, "FAULTYDISK_DATABASE": f"{self.folder}/mesh.db"}
            disk["FAULTYDISK_CONTROL"] = self.fault
            self.process = subprocess.Popen(
                command, stdout=output, stderr=log, stdin=subprocess.DEVNULL, env=os.environ | disk
            )
        self.port = int(self.found(r"127\.0\.0\.1:(\d+)"))
        self.client = Client(self.port, is_tls, self.token("honest"))

    def token(self, name, *options):
        create = [program, "token", "create", name, *options, "--socket", f"{self.folder}/socket"]
        return subprocess.run(create, check=True, capture_output=True, text=True).stdout.split()[-1]

    def slow_disk(self):
        with open(self.fault + ".new", "w") as fault:
            fault.write("sync -2000 1\n")
        os.rename(self.fault + ".new", self.fault)

    def heal_disk(self):
        if os.path.exists(self.fault):
            os.remove(self.fault)

    def found(self, pattern):
        for _ in range(300):
            with open(f"{self.folder}/out") as output:
                if match := re.search(pattern, output.read()):
                    return match[1]
            time.sleep(0.1)
        sys.exit(f"besieged: the gateway has not begun to listen; see {self.folder}/log")

    def sample(self, what):
        return sample(self.process.pid, f"{self.folder}/mesh.db")[what]

    def memory(self):
        return self.sample("resident memory, kB") / 1024


def until(holds):
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)


def besiege(gateway, title, is_tls, without, faults):
    """`without`: descriptors that the gateway has when nobody is there, give or take a few."""

    def connections():
        return gateway.sample("descriptors") - without

    def expect(is_so, what):
        if not is_so:
            faults.append(f"{title}{' over TLS' if is_tls else ''}: {what}")

    arguments, holds, before, meanwhile = ATTACKS[title]
    until(lambda: connections() < FEW)
    sent = multiprocessing.Value("l", 0, lock=False)
    target = attack
    if title == MUTES:
        target, arguments = mute, (gateway.token("reader", "--scope", "read"),)
        gateway.slow_disk()
    enemy = multiprocessing.Process(target=target, args=(gateway.port, is_tls, sent, *arguments))
    enemy.start()
    try:
        until(lambda: connections() > holds - FEW and sent.value >= before)
        if not is_smoke:
            time.sleep(5)
        held, began = connections(), sent.value
        times, missed, most = [], 0, 0
        end = time.monotonic() + 60
        while (asked := len(times) + missed) < ASKS or sent.value < began + meanwhile and time.monotonic() < end:
            answered, failed = gateway.client.asks(1, asked)
            times, missed = times + answered, missed + failed
            most = max(most, connections())
        memory = gateway.memory()
        expect(title != MUTES or enemy.is_alive(), "the mutes came to an end")
    finally:
        enemy.kill()
        enemy.join()
        gateway.heal_disk()
    slowest = max(times, default=float("inf"))
    cells = [title, "TLS" if is_tls else "plain", held, most, sent.value, sent.value - began]
    print("|", " | ".join(map(str, cells)), f"| {slowest:.2f} | {missed} of {asked} | {memory:.0f} |", flush=True)
    expect(held > holds - FEW and most > holds - FEW, f"only {held} and at most {most} connections were held")
    expect(began >= before, f"only {began} requests were sent before")
    expect(sent.value >= began + meanwhile, f"only {sent.value - began} requests were sent meanwhile")
    expect(missed == 0, f"{missed} asks were not answered")
    if is_smoke:
        return
    expect(slowest <= (5 if is_tls else 2), f"the slowest answer took {slowest:.2f} s")
    expect(memory < 128, f"{memory:.0f} MB were resident")
    time.sleep(10)
    expect(gateway.client.asks(5)[1] == 0, "ten seconds later not all was well")


def main():
    faults = []
    faulty_disk, source = f"{folder}/faultydisk.so", f"{os.path.dirname(__file__)}/../CFaultyDisk/faultydisk.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", faulty_disk, source, "-ldl"], check=True)
    print("| attack | | connections held before | most meanwhile | requests | of them meanwhile ", end="")
    print("| slowest answer beside it, s | not answered | resident MB |\n|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for is_tls in (False, True):
        gateway = Gateway("tls" if is_tls else "plain", is_tls, faulty_disk)
        try:
            gateway.client.asks(20)
            before, without = gateway.memory(), gateway.sample("descriptors")
            for title in ATTACKS:
                besiege(gateway, title, is_tls, without, faults)
            if not is_smoke:
                time.sleep(120)
                after = gateway.memory()
                print(f"{after - before:+.0f} MB two minutes later")
                if after - before > 16:
                    faults.append(f"{after - before:.0f} MB were kept")
        finally:
            gateway.process.terminate()
            if gateway.process.wait(30) != 0:
                faults.append(f"the gateway ended with status {gateway.process.returncode}")
    for fault in faults:
        print(f"besieged: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
