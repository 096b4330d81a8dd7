"""Makes of Sources/WebPage what Sources/CWebPage embeds. Run by deploy/page, which has the packages for it.

A document is an HTML file; the style sheets and scripts that it names stand in it as one element each, without comments and
indentation. All scripts of a document are one module, in their order, and so the linter sees them: it finds names that no file has, and
functions that no file uses. With globals declared for each file (oxlint takes them from its configuration only) it would not.
"""

import base64
import gzip
import hashlib
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import cssbeautifier
import jsbeautifier
import rcssmin
import rjsmin
from jsbeautifier.javascript.options import BeautifierOptions
from jsbeautifier.javascript.tokenizer import Tokenizer

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = ROOT / "Sources/WebPage"
EMBEDDED = ROOT / "Sources/CWebPage"
DOCUMENTS = ("page", "documentation")
LINE = 120
TAB = 4
STYLES = re.compile(r'(?:<link rel="stylesheet" href="([^"]+)">\n)+')
SCRIPTS = re.compile(r'(?:<script src="([^"]+)"></script>\n)+')
NAMES = re.compile(r'(?:href|src)="([^"]+)"')
# A line may be longer when it is one string, perhaps with its name.
ONE_STRING = re.compile(r"""\s*(?:[\w"-]+: )?(?:"[^"]*"|`[^`]*`)[,;)]*$""")


class Document:
    """One HTML file with what it names."""

    def __init__(self, name):
        self.name = name
        text = (SOURCES / f"{name}.html").read_text()
        styles, scripts = STYLES.search(text), SCRIPTS.search(text)
        self.styles = [SOURCES / file for file in NAMES.findall(styles[0])]
        self.scripts = [SOURCES / file for file in NAMES.findall(scripts[0])]
        self.style = rcssmin.cssmin("\n".join(file.read_text() for file in self.styles))
        script = "\n".join(file.read_text() for file in self.scripts)
        self.script = rjsmin.jsmin(script)
        self.spoilt = [text for text, left in itertools.zip_longest(tokens(script), tokens(self.script)) if text != left][:1]
        for part, end in ((self.style, "</style"), (self.script, "</script")):
            assert end not in part.lower(), f"{name}: {end} would end its element"
        text = re.sub(r"<!-- .*? -->\n", "", text)
        text = STYLES.sub(lambda _: f"<style>{self.style}</style>\n", text)
        self.plain = SCRIPTS.sub(lambda _: f'<script type="module">{self.script}</script>\n', text).encode()

    def files(self):
        """What is embedded, by its name. The same sources give the same bytes, with the same zlib."""
        packed = bytearray(gzip.compress(self.plain, 9, mtime=0))
        packed[9] = 255  # of no operating system
        return {f"{self.name}.html": self.plain, f"{self.name}.html.gz": bytes(packed)}

    def digests(self):
        """As a policy names the two: their SHA-256."""
        for part, text in (("style", self.style), ("script", self.script)):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            yield f'#define {self.name}_{part}_digest "sha256-{digest}"\n'

    def complaints(self):
        """What the linter says of all scripts in a row, with the files' own lines."""
        # A template literal within another is such a text.
        yield from (f"{self.name}: rjsmin does not read this as it is meant: {text}" for text in self.spoilt)
        lines = [(file, number) for file in self.scripts for number in range(1, len(file.read_text().splitlines()) + 1)]
        with tempfile.TemporaryDirectory() as folder:
            module = pathlib.Path(folder) / f"{self.name}.js"
            module.write_text("".join(file.read_text() for file in self.scripts))
            # It stands beside the Python that runs this.
            words = [pathlib.Path(sys.executable).parent / "oxlint", "--config", SOURCES / "oxlint.json", "--format", "json", module]
            answer = subprocess.run(words, capture_output=True, text=True, check=False)
        try:
            found = json.loads(answer.stdout)["diagnostics"]
        except ValueError:
            yield f"oxlint: {answer.stdout}{answer.stderr}"
            return
        for one in found:
            file, number = lines[one["labels"][0]["span"]["line"] - 1]
            yield f"{place(file)}:{number}: {one['message']} ({one['code']})"


def tokens(script):
    """The words of a script, without blanks and comments."""
    return [token.text for token in Tokenizer(script, BeautifierOptions()).tokenize() if token.text]


def place(file):
    return file.relative_to(ROOT)


def formatted(file):
    """The text as the formatter has it."""
    if file.suffix == ".css":
        options = cssbeautifier.default_options()
        options.space_around_combinator = options.newline_between_rules = options.selector_separator_newline = True
        beautify = cssbeautifier.beautify
    else:
        options = jsbeautifier.default_options()
        options.brace_style = "collapse,preserve-inline"
        options.operator_position = "preserve-newline"
        options.space_after_anon_function = True
        beautify = jsbeautifier.beautify
    options.indent_with_tabs = options.end_with_newline = True
    options.max_preserve_newlines = 2
    text = file.read_text()
    # Now and then it needs a second look at its own work.
    for _ in range(5):
        text, before = beautify(text, options), text
        if text == before:
            break
    return text


def long_lines(file):
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if len(line.expandtabs(TAB)) > LINE and not ONE_STRING.match(line):
            yield f"{place(file)}:{number}: it is longer than {LINE} characters"


def embedded(documents):
    files = {}
    for document in documents:
        files |= document.files()
    digests = "".join(line for document in documents for line in document.digests())
    return files | {"digests.h": ("// Made by deploy/page of Sources/WebPage.\n\n" + digests).encode()}


def is_same(name, content, file):
    """Whether the file has this in it, whatever zlib packed it."""
    if not file.exists():
        return False
    there = file.read_bytes()
    return gzip.decompress(there) == gzip.decompress(content) if name.endswith(".gz") else there == content


def main(words):
    sources = sorted([*SOURCES.glob("*.js"), *SOURCES.glob("*.css")])
    checks = words == ["--check"]
    found = []
    for file in sources:
        text = formatted(file)
        if text != file.read_text():
            found.append(f"{place(file)}: it is not formatted; deploy/page formats it")
            if not words:
                file.write_text(text)
    if not checks:
        found = []
    documents = [Document(name) for name in DOCUMENTS]
    named = {file for document in documents for file in document.styles + document.scripts}
    found += [f"{place(file)}: no document names it" for file in sources if file not in named]
    found += [line for file in sources for line in long_lines(file)]
    found += [line for document in documents for line in document.complaints()]
    target = pathlib.Path(words[1]) if words[:1] == ["--into"] else EMBEDDED
    for name, content in embedded(documents).items():
        if is_same(name, content, target / name):
            continue
        if checks:
            found.append(f"{place(EMBEDDED / name)}: it is not made of the sources as they are; deploy/page makes it")
        else:
            (target / name).write_bytes(content)
    for line in dict.fromkeys(found):
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
