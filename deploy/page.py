"""Makes of Sources/WebPage what Sources/CWebPage embeds. Run by deploy/page, which has the packages for it.

A document is an HTML file; the style sheets and scripts that it names stand in it as one element each, without comments and
indentation. All scripts of a document are one, in their order, and so the linter sees them: it finds names that no file has, and
functions that no file uses. With globals declared for each file (oxlint takes them from its configuration only) it would not.

annexes.json names what the page fetches when it is needed: scripts, styles and texts of a few views as one script each. It runs
beside the document's own and sees its names, so that these are classic scripts.

sw.js is the service worker, which runs by itself, without a page.
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
ANNEXES = json.loads((SOURCES / "annexes.json").read_text())
TEXTS = SOURCES / "texts.js"
LINE = 120
TAB = 4
STYLES = re.compile(r'(?:<link rel="stylesheet" href="([^"]+)">\n)+')
SCRIPTS = re.compile(r'(?:<script src="([^"]+)"></script>\n)+')
NAMES = re.compile(r'(?:href|src)="([^"]+)"')
# A line may be longer when it is one string, perhaps with its name.
ONE_STRING = re.compile(r"""\s*(?:[\w"-]+: )?(?:"[^"]*"|`[^`]*`)[,;)]*$""")


class Annex:
    """One script that the page fetches: texts, scripts and styles of some of its views."""

    def __init__(self, name, parts):
        self.name = name
        self.styles = [SOURCES / file for file in parts["styles"]]
        self.scripts = [SOURCES / file for file in parts["scripts"]]
        self.texts = "\n".join(texts_of(parts["texts"]))
        self.script, self.spoilt = minified(self.scripts)
        style = json.dumps(rcssmin.cssmin("\n".join(file.read_text() for file in self.styles)), ensure_ascii=False)
        texts = rjsmin.jsmin(f"Object.assign(texts,{{\n{self.texts}\n}});")
        self.plain = f'"use strict";{texts}{self.script}\nannexes.take("{name}",{style});\n'.encode()
        self.digest = digest_of(self.plain)

    def files(self):
        return {f"annex-{self.name}.js": self.plain, f"annex-{self.name}.js.gz": packed(self.plain)}

    def arrays(self):
        for name, file in ((self.name, f"annex-{self.name}.js"), (f"{self.name}_gz", f"annex-{self.name}.js.gz")):
            yield f'static const unsigned char annex_{name}[] = {{\n#embed "{file}"\n}};\n'

    def row(self):
        """The address has no letter that means something in one."""
        letters = re.sub(r"\W", "", self.digest.removeprefix("sha256-"))
        address = f"/annex/{self.name}.{letters}.js"
        return f'    {{"{address}", "{self.digest}", FILE_OF(annex_{self.name}), FILE_OF(annex_{self.name}_gz)}},\n'


class Worker:
    """A script that the browser runs beside the page, and without one."""

    def __init__(self, name):
        self.name = name
        self.annexes, self.styles, self.scripts = [], [], [SOURCES / f"{name}.js"]
        self.script, self.spoilt = minified(self.scripts)
        self.plain = f'"use strict";{self.script}\n'.encode()

    def files(self):
        return {f"{self.name}.js": self.plain, f"{self.name}.js.gz": packed(self.plain)}

    def digests(self):
        return ()

    def complaints(self):
        yield from (misread(self.name, text) for text in self.spoilt)
        yield from (text for _, text in linted(self.name, self.scripts))


class Document:
    """One HTML file with what it names."""

    def __init__(self, name, annexes=()):
        self.name, self.annexes = name, annexes
        text = (SOURCES / f"{name}.html").read_text()
        styles, scripts = STYLES.search(text), SCRIPTS.search(text)
        self.styles = [SOURCES / file for file in NAMES.findall(styles[0])]
        self.scripts = [SOURCES / file for file in NAMES.findall(scripts[0])]
        self.style = rcssmin.cssmin("\n".join(file.read_text() for file in self.styles))
        self.script, self.spoilt = minified(self.scripts)
        kind = ' type="module"'
        if annexes:
            kind, self.script = "", f'"use strict";{self.known_digests()}\n{self.script}'
        for part, end in ((self.style, "</style"), (self.script, "</script")):
            assert end not in part.lower(), f"{name}: {end} would end its element"
        text = re.sub(r"<!-- .*? -->\n", "", text)
        text = STYLES.sub(lambda _: f"<style>{self.style}</style>\n", text)
        self.plain = SCRIPTS.sub(lambda _: f"<script{kind}>{self.script}</script>\n", text).encode()

    def known_digests(self):
        digests = ",".join(f'{annex.name}:"{annex.digest}"' for annex in self.annexes)
        return f"const annexDigests={{{digests}}};"

    def files(self):
        """What is embedded, by its name. The same sources give the same bytes, with the same zlib."""
        return {f"{self.name}.html": self.plain, f"{self.name}.html.gz": packed(self.plain)}

    def digests(self):
        """As a policy names the two: their SHA-256."""
        for part, text in (("style", self.style), ("script", self.script)):
            yield f'#define {self.name}_{part}_digest "{digest_of(text.encode())}"\n'

    def complaints(self):
        """What the linter says of all scripts in a row, with the files' own lines."""
        for part in (self, *self.annexes):
            yield from (misread(part.name, text) for text in part.spoilt)
        late = [file for annex in self.annexes for file in annex.scripts]
        yield from (text for _, text in self.lint(self.scripts + late))
        # What comes later cannot be called by its name.
        for files in ([self.scripts] + [self.scripts + annex.scripts for annex in self.annexes] if self.annexes else []):
            yield from (text for code, text in self.lint(files) if "no-undef" in code)
        kept = texts_of(sum((parts["texts"] for parts in ANNEXES.values()), []), others=True)
        for file in self.scripts if self.annexes else []:
            named = set(re.findall(r'\bt\("(\w+)"', file.read_text()))
            for key in sorted(named - {line.split(":")[0].strip() for line in kept}):
                yield f'{place(file)}: t("{key}") is a text of an annex, or of nobody'

    def lint(self, files):
        return linted(self.name, files, self.known_digests() if self.annexes else "")


def linted(name, files, first=""):
    """Code and sentence of each finding in these scripts in a row, behind `first`."""
    lines = [(file, number) for file in files for number in range(1, len(file.read_text().splitlines()) + 1)]
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / f"{name}.js"
        module.write_text(first + "".join(file.read_text() for file in files))
        # It stands beside the Python that runs this.
        words = [pathlib.Path(sys.executable).parent / "oxlint", "--config", SOURCES / "oxlint.json", "--format", "json", module]
        answer = subprocess.run(words, capture_output=True, text=True, check=False)
    try:
        found = json.loads(answer.stdout)["diagnostics"]
    except ValueError:
        yield "oxlint", f"oxlint: {answer.stdout}{answer.stderr}"
        return
    for one in found:
        file, number = lines[one["labels"][0]["span"]["line"] - 1]
        # What cannot be read at all, such as a name that two scripts have, has none.
        code = one.get("code", "syntax")
        yield code, f"{place(file)}:{number}: {one['message']} ({code})"


def misread(name, text):
    """A template literal within another is such a text."""
    return f"{name}: rjsmin does not read this as it is meant: {text}"


def minified(files):
    """The scripts as one, without the texts of annexes; and the first word that is not what it was."""
    late = sum((parts["texts"] for parts in ANNEXES.values()), [])
    texts = "const texts = {\n" + "\n".join(texts_of(late, others=True)) + "\n};\n"
    script = "\n".join(texts if file == TEXTS else file.read_text() for file in files)
    small = rjsmin.jsmin(script)
    return small, [text for text, left in itertools.zip_longest(tokens(script), tokens(small)) if text != left][:1]


def texts_of(parts, others=False):
    """The lines of these parts of the texts, or of all others. A part begins with a comment, which is its name."""
    _, *pieces = re.split(r"^\t// (.+)\n", TEXTS.read_text(), flags=re.MULTILINE)
    found = dict(zip(pieces[::2], pieces[1::2]))
    assert found.keys() >= set(parts), f"{place(TEXTS)}: there is no part {sorted(set(parts) - found.keys())}"
    return [line for name, text in found.items() if (name in parts) != others for line in text.splitlines() if line.startswith("\t")]


def packed(content):
    small = bytearray(gzip.compress(content, 9, mtime=0))
    small[9] = 255  # of no operating system
    return bytes(small)


def digest_of(content):
    return "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()


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
        for part in (document, *document.annexes):
            files |= part.files()
    digests = "".join(line for document in documents for line in document.digests())
    annexes = [annex for document in documents for annex in document.annexes]
    arrays = "".join(array for annex in annexes for array in annex.arrays())
    rows = "".join(annex.row() for annex in annexes)
    table = f"{arrays}\nstatic const struct web_page_annex annexes[] = {{\n{rows}}};\n"
    title = "// Made by deploy/page of Sources/WebPage.\n\n"
    return files | {"digests.h": (title + digests).encode(), "annexes.h": (title + table).encode()}


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
    annexes = [Annex(name, parts) for name, parts in ANNEXES.items()]
    documents = [Document(name, annexes if name == "page" else []) for name in DOCUMENTS] + [Worker("sw")]
    named = {file for part in (*documents, *annexes) for file in part.styles + part.scripts}
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
