#!/usr/bin/env python3
"""Finds the programs, libraries and files of the system that the tests and the scripts use.

    used-tools.py TREE                lists what has no row in deploy/prerequisites and is not in every Debian
    used-tools.py TREE --plain        lists what the plain suite uses, as deploy/prerequisites names it
    used-tools.py TREE --everywhere   lists what every Debian has, the same way

A tool is found where its name is handed to a process or to LD_PRELOAD: in the Swift of the tests, in Python, and where a
command stands in a shell script. What Swift tests use needs a row of the groups that `deploy/test` asks for; what only a
script uses needs a row of any group.
"""

import pathlib
import re
import sys

# What these run, they run in a Debian of their own.
INSIDE = ("Tests/CleanRoot/Scenarios/", "Tests/Guest/inside")

# Groups that deploy/test asks for before it runs the plain suite.
PLAIN = {"build", "test"}

# Of packages that are essential, or that debootstrap's smallest Debian has: bash, coreutils, debianutils, diffutils,
# dpkg, findutils, grep, gzip, hostname, libc-bin, login, mawk, perl-base, sed, tar, util-linux, bsdutils, apt.
EVERYWHERE = set("""
    apt-cache apt-config apt-get awk basename bash cat chgrp chmod chown chroot cmp comm cp cut date dd df diff dirname dpkg dpkg-deb
    du echo env expr false find flock getconf getent grep groupadd gzip head hostname id install join kill ldd ln ls lscpu md5sum
    mkdir mkfifo mktemp mount mv nohup nproc nsenter od paste perl printf readlink realpath rm rmdir script sed seq setpriv
    setsid sh sha256sum sleep sort split stat stty sync tail tar taskset tee test timeout touch tr true truncate tty umount
    uname uniq unshare useradd wc xargs yes
""".split())

# The shell's own.
SHELL = set("""
    alias bg break builtin case cd command compgen complete continue coproc declare dirs disown do done echo elif else esac eval exec
    exit export false fi for function getopts hash help if in jobs let local mapfile popd printf pushd pwd read readonly
    return select set shift shopt source test then time times trap true type typeset ulimit umask unalias unset until wait
    while
""".split())

# The Swift toolchain's.
TOOLCHAIN = {"swift", "swiftc", "clang", "clang++", "llvm-cov", "llvm-profdata", "ld.lld"}

# A path wherever a process gets one; a bare word where only a program may stand.
SWIFT_PATH = re.compile(
    r'(?:executable:[^"\n]{0,40}|URL\((?:filePath|fileURLWithPath):\s*|\b(?:run|output)\(|\bprogram\s*=\s*|posix_spawnp?\([^"\n]{0,40}'
    r'|^\s*\[|wrapper:\s*\[)"(/(?:usr/)?s?bin/[A-Za-z0-9_.+-]+)"', re.MULTILINE)
SWIFT_WORD = re.compile(r'(?:executable:\s*|executable:[^"\n]{0,40}\?[^"\n]*:\s*|output\(of:\s*\[\s*)"([a-z][a-z0-9_.+-]*)"')
# A test that is left out where there is none: any group may have the row.
SWIFT_OPTIONAL = re.compile(r'\binstalled\("([a-z][a-z0-9_.+-]*)"')
SWIFT_BY_ENV = re.compile(r'"/usr/bin/env".{0,200}?\[\s*"([a-z][a-z0-9_.+-]*)"', re.DOTALL)
SWIFT_PRELOAD = re.compile(r'"LD_PRELOAD":\s*"([^"/\\]+)"')
PYTHON_PROGRAM = re.compile(
    r'(?:subprocess\.\w+|Popen|check_output|which)\(\s*\[?\s*"([a-z][a-z0-9_.+-]*|/(?:usr/)?s?bin/[a-z0-9_.+-]+)"')
# Where a command may stand: at the start, behind what separates commands, or behind a word that takes one.
SHELL_COMMAND = re.compile(
    r'(?:^|[;&|(`]|\$\(|\b(?:if|then|elif|else|do|while|until|exec)\s|!\s)\s*(?:[A-Za-z_]\w*=[^\s(]*\s+)*'
    r'(/(?:usr/)?s?bin/[a-z0-9_.+-]+|[a-z][a-z0-9_.+-]*)(?=$|[\s;)|&])', re.MULTILINE)
SHELL_FUNCTION = re.compile(r'^\s*(?:function\s+)?([a-z_][a-z0-9_]*)\s*\(\)', re.MULTILINE)
# kind  what  packages
ROW = re.compile(r'^\s*"(\w+)\s+(\w+):(\S+)\s+[^"]+"$', re.MULTILINE)


def swift(text):
    """What the tests cannot do without, and what they can."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    programs = SWIFT_PATH.findall(text) + SWIFT_WORD.findall(text) + SWIFT_BY_ENV.findall(text)
    needed = {f"command:{name}" for name in programs} | {f"preload:{name}" for name in SWIFT_PRELOAD.findall(text)}
    return needed, {f"command:{name}" for name in SWIFT_OPTIONAL.findall(text)} - needed


def python(text):
    return {f"command:{name}" for name in PYTHON_PROGRAM.findall(text)}


def shell(text, functions):
    text = re.sub(r"<<-?\s*(['\"]?)(\w+)\1.*?^\s*\2$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = unquoted(text.replace("\\\n", " "))
    # What a script looks for itself, it has a sentence of its own for.
    looked_for = set(re.findall(r"\bcommand -v ([a-z][a-z0-9_.+-]*)", text))
    return {f"command:{name}" for name in set(SHELL_COMMAND.findall(text)) - SHELL - functions - looked_for}


def unquoted(text):
    """The script without comments, arithmetic and quoted texts; of the latter the commands in them stay."""
    kept, inside, at = [], [], 0
    while at < len(text):
        here, quoted = text[at], bool(inside) and inside[-1] == '"'
        if here == "\\":
            at += 1
        elif here == '"':
            inside.pop() if quoted else inside.append('"')
            kept.append("" if quoted else "_")
        elif text.startswith("$((", at) or not quoted and text.startswith("((", at):
            at = text.find("))", at) + 1
        elif text.startswith("$(", at):
            inside.append("(")
            kept.append("$(")
            at += 1
        elif quoted:
            pass
        elif here == "'":
            at = text.find("'", at + 1)
            kept.append("_")
        elif here == "#" and (at == 0 or text[at - 1].isspace()):
            at = text.find("\n", at) - 1
        else:
            if here == "(":
                inside.append("(")
            elif here == ")" and inside:
                inside.pop()
            elif here == ")":
                # What stands before it is a pattern of a case.
                del kept[max((place for place, one in enumerate(kept) if one == "\n"), default=0) + 1:]
                here = ";"
            kept.append(here)
        at += 1
    return "".join(kept)


def is_shell(path, text):
    return re.match(r"#!.*\b(ba)?sh\b", text) is not None or "# shellcheck shell=" in text[:2000]


def uses(tree):
    """What is used, with the first file that does: of the Swift tests, and of scripts."""
    plain, scripts, functions = {}, {}, set()
    files = [path for folder in ("Tests", "deploy", "Proto") for path in sorted((tree / folder).rglob("*"))
             if path.is_file() and path.suffix in {"", ".swift", ".py"}]
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in files}
    shells = {path: text for path, text in texts.items() if path.suffix == "" and is_shell(path, text)}
    for text in shells.values():
        functions.update(SHELL_FUNCTION.findall(text))
    for path, text in texts.items():
        if str(path.relative_to(tree)).startswith(INSIDE):
            continue
        if path.suffix == ".swift":
            found, optional = swift(text)
            into = plain
            for name in optional:
                scripts.setdefault(name, path.relative_to(tree))
        elif path.suffix == ".py" or text.startswith("#!/usr/bin/env python"):
            found, into = python(text), scripts
        elif path in shells:
            found, into = shell(text, functions), scripts
        else:
            continue
        for name in found:
            into.setdefault(name, path.relative_to(tree))
    return plain, scripts


def rows(tree):
    """What deploy/prerequisites looks for, by group."""
    found = {}
    for group, kind, name in ROW.findall((tree / "deploy/prerequisites").read_text(encoding="utf-8")):
        found.setdefault(group, set()).add(f"{kind}:{name}")
    return found


def is_among(name, row):
    """A program may be named by its path or by its name."""
    kind, _, word = name.partition(":")
    return name in row or kind == "command" and f"command:{word.rsplit('/', 1)[-1]}" in row or any(
        kind == "command" and one.endswith(f"/{word}") for one in row)


def is_everywhere(name):
    kind, _, word = name.partition(":")
    return kind == "command" and word.rsplit("/", 1)[-1] in EVERYWHERE | TOOLCHAIN | {"mesh-gateway"}


def main():
    tree, mode = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    plain, scripts = uses(tree)
    if mode == "--everywhere":
        print(*sorted(f"command:{name}" for name in EVERYWHERE), sep="\n")
        return
    if mode == "--plain":
        print(*sorted(name for name in plain if not is_everywhere(name)), sep="\n")
        return
    groups = rows(tree)
    asked = set().union(*(groups.get(group, set()) for group in PLAIN))
    anywhere = set().union(*groups.values())
    lacking = [(name, path) for name, path in plain.items() if not is_everywhere(name) and not is_among(name, asked)]
    lacking += [(name, path) for name, path in scripts.items() if not is_everywhere(name) and not is_among(name, anywhere)]
    for name, path in sorted(lacking):
        print(f"{name} is used by {path}, and has no row in deploy/prerequisites")


main()
