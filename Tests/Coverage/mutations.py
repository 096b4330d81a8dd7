"""Changes the code in one place after the other and looks whether a test fails: deploy/mutations says what.

    mutations.py FOLDER [--seed N] [--count N] [--lines PATTERN] [AREA...]

All mutants are built at once (mutate.py) in a copy of this package below FOLDER; each is then one run of the tests that
are about its area, with its number in the environment.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import mutate
from areas import AREAS

# The tests about each area, quick ones first; a mutant that the first do not notice is given to the next.
TESTS = {
    "framing": [
        r"^MeshProtocolTests\.(AnUnfinished|EveryByte|NoiseIs|RecordingsAreFramed|TheTestVectors|WhatIsRead)",
        r"^MeshProtocolTests\.",
    ],
    "token": [
        r"^RestAPITests\.(ARevoked|[aA]Token|EmacsAsks|LocalPaths|ScopesAre|StrangersLearn|TheLastUse|TokensHave|WrongTokens)",
        r"^StoreTests\.([aA]Token|[eE]achToken)",
        r"^RestAPITests\.(AGetWrites|EveryRouteObeys|MalformedJSON|TooMany|TheTransport)",
    ],
    "delivery": [
        r"^GatewayTests\.(A(Deleted|Dropped|Forgotten|KeyError|Message|Node|PacketID|Refused|Request|Text))",
        r"^GatewayTests\.(An?(Accepted|Acknow|Answer|Server)|Delivery|aPacketID|aText|O|Patience|Several|TheOutbox|WhatWa|Who)",
        r"^StoreTests\.([aA]Delivery|[aA]MessageIsStored|[tT]heOutbox|[aA]nAttempt)",
        r"^SimulationTests\.",
    ],
}
TARGETS = sorted({name for tests in TESTS.values() for test in tests for name in re.findall(r"\w+Tests", test)})
# What takes long is done less often.
SHORTER = {"MESH_GATEWAY_TEST_POWER_CUTS": "100", "MESH_GATEWAY_TEST_SEEDS": "1...20"}
MUTANT = "MESH_GATEWAY_MUTANT"
NUMBER = f'''import Glibc

/// Which of the changes in this room is in force; 0: none.
let activeMutant = getenv("{MUTANT}").flatMap {{ Int32(String(cString: $0)) }} ?? 0
'''


def say(sentence):
    print(sentence, file=sys.stderr, flush=True)


def write(path, content):
    """Leaves alone what is as it should be, so that it is not compiled again."""
    if os.path.exists(path):
        with open(path, "rb") as old:
            if old.read() == content:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as new:
        new.write(content)


def copy(folder, mutated):
    """The package with these files in place of its own, and with no tests but those that are run here."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True
    )
    names = {name for name in listing.stdout.decode().split("\0") if os.path.isfile(name)}
    for name in names - mutated.keys() - {"Package.swift"}:
        target = os.path.join(folder, name)
        with open(name, "rb") as source:
            write(target, source.read())
        shutil.copymode(name, target)
    for name, text in mutated.items():
        write(os.path.join(folder, name), text.encode())
    with open("Package.swift", encoding="utf-8") as source:
        manifest = source.read().replace(", .treatAllWarnings(as: .error)", "")
    kept = json.dumps(TARGETS)
    manifest += (
        "\npackage.products = []\n"
        f"package.targets.removeAll {{ $0.type == .executable || $0.type == .test && !{kept}.contains($0.name) }}\n"
        'package.targets.removeAll { ["ServedProgram", "FuzzTargets"].contains($0.name) }\n'
    )
    write(os.path.join(folder, "Package.swift"), manifest.encode())
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".build"]
        for path in (os.path.join(root, file) for file in files):
            if os.path.relpath(path, folder) not in names | mutated.keys():
                os.remove(path)


def build(folder, texts, chosen):
    """Builds the copy with all mutants that compile; they are what is returned. What did not is remembered."""
    memory = os.path.join(os.path.dirname(folder), "uncompilable.json")
    known = set(json.load(open(memory))) if os.path.exists(memory) else set()
    chosen = [mutant for mutant in chosen if mutant.key not in known]
    rooms = {"/".join(name.split("/")[:2]) for name in texts}
    while True:
        mutated = {f"{room}/ActiveMutant.swift": NUMBER for room in rooms}
        for name, text in texts.items():
            mutated[name] = mutate.schema(text, [mutant for mutant in chosen if mutant.file == name])
        copy(folder, mutated)
        command = ["swift", "build", "--build-tests", "-debug-info-format", "none", "--package-path", folder]
        output = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if output.returncode == 0:
            return chosen
        errors = re.findall(rf"^{re.escape(folder)}/(\S+?\.swift):(\d+):\d+: error: (.*)$", output.stdout, re.MULTILINE)
        places = [(file, int(line)) for file, line, _ in errors]
        broken = [m for m in chosen if any(m.file == file and m.written[0] <= line <= m.written[1] for file, line in places)]
        if not broken:
            # A body that was one value has become statements, which have to return it.
            broken = [
                m
                for m in chosen
                if m.what.endswith("dropped")
                and any(m.file == file and m.body[0] <= line <= m.body[1] for file, line in places)
            ]
        if not broken:
            say(output.stdout[-4000:] + output.stderr[-2000:])
            sys.exit("mutations: the copy does not build")
        say(f"{len(broken)} mutants do not compile")
        known |= {mutant.key for mutant in broken}
        write(memory, json.dumps(sorted(known)).encode())
        chosen = [mutant for mutant in chosen if mutant not in broken]


class Tests:
    """The built tests. One run of them is a session of processes of its own, of which nothing is left afterwards."""

    def __init__(self, folder):
        self.folder = folder
        shown = subprocess.run(
            ["swift", "build", "--package-path", folder, "--show-bin-path"], check=True, capture_output=True, text=True
        )
        self.program = os.path.join(shown.stdout.strip(), "mesh-gatewayPackageTests.xctest")

    def run(self, tests, number, seconds):
        """None when all tests passed, else what told: the first test that failed, a crash, or that it took too long."""
        scratch = tempfile.mkdtemp(prefix="mutant.")
        environment = os.environ | SHORTER | {
            MUTANT: str(number), "NO_COLOR": "1", "TMPDIR": scratch, "SWIFT_BACKTRACE": "enable=no",
            "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": str(os.cpu_count()),
        }  # fmt: skip
        process = subprocess.Popen(
            [self.program, "--testing-library", "swift-testing", "--filter", tests], cwd=self.folder,
            env=environment, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace",
            # A mutant that never ends may take all memory first.
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)),
        )  # fmt: skip
        late = threading.Event()

        def end():
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(seconds, end)
        timer.start()
        failure, passed = None, False
        try:
            for line in process.stdout:
                passed = passed or bool(re.search(r"Test run with [1-9]\d* tests? .*passed", line))
                if line.startswith("✘"):
                    failure = line.strip()
                    break
        finally:
            timer.cancel()
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.stdout.close()
            status = process.wait()
            shutil.rmtree(scratch, ignore_errors=True)
        if failure:
            return failure
        if late.is_set():
            return f"more than {seconds:.0f} s"
        return None if passed else f"ended with status {status}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("areas", nargs="*", default=list(AREAS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--lines", default="")
    options = parser.parse_intermixed_args()
    # The tests that run are ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    texts, candidates = {}, []
    for area in AREAS:
        for name in AREAS[area]:
            with open(name, encoding="utf-8") as source:
                texts[name] = source.read()
            candidates += mutate.mutants(name, texts[name])
    chosen = {}
    # All of them are built, so that they have the same numbers whichever are run.
    for area in AREAS:
        of_area = [m for m in candidates if m.file in AREAS[area]]
        random.Random(options.seed).shuffle(of_area)
        # Some will not compile.
        chosen[area] = of_area[: options.count + options.count // 4]
    for number, mutant in enumerate((m for area in AREAS for m in chosen[area]), 1):
        mutant.number = number
    say(f"Building {sum(map(len, chosen.values()))} mutants")
    folder = os.path.abspath(options.folder)
    built = {mutant.number for mutant in build(folder, texts, [m for area in AREAS for m in chosen[area]])}
    tests = Tests(folder)
    rows, survivors = [], []
    for area in options.areas:
        limits = {}
        for some in TESTS[area]:
            began = time.monotonic()
            if failure := tests.run(some, 0, 600):
                sys.exit(f"mutations: {some} fails without a change: {failure}")
            limits[some] = 3 * (time.monotonic() - began) + 5
            say(f"{some}: {time.monotonic() - began:.1f} s without a change")
        mutants = [mutant for mutant in chosen[area] if mutant.number in built][: options.count]
        mutants = [mutant for mutant in mutants if re.search(options.lines, f"{mutant.file}:{mutant.line}:")]
        killed = 0
        for mutant in sorted(mutants, key=lambda mutant: (mutant.file, mutant.start)):
            failure, began = None, time.monotonic()
            for some in TESTS[area]:
                failure = failure or tests.run(some, mutant.number, limits[some])
            killed += failure is not None
            if failure is None:
                survivors.append(mutant)
            say(f"{mutant.file}:{mutant.line}: {mutant.what}: {failure or 'SURVIVED'} ({time.monotonic() - began:.0f} s)")
        rows.append((area, len(mutants), killed))
    print("| area | mutants | killed | % |\n|---|--:|--:|--:|")
    for area, count, killed in rows:
        print(f"| {area} | {count} | {killed} | {100 * killed // max(count, 1)} |")
    if survivors:
        print("\nNoticed by no test:\n")
    for mutant in survivors:
        print(f"{mutant.file}:{mutant.line}: {mutant.what}\n    {mutant.text}")


main()
