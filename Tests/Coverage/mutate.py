"""Finds what can be changed in a Swift file, and writes a file that has all these changes in it, each behind a number.

The body of a function becomes a switch over the number: a case for each change of it, and the body as it was by default.
So one build has all mutants, and one run of the tests has one of them. Nothing is parsed but tokens, brackets and the
keywords before a body, as `swift format` lays them out.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<string>"""(?:\\.|(?!""").)*"""|"(?:\\.|[^"\\\n])*")'
    r"|(?P<number>(?<![\w.$])(?:0x[0-9A-Fa-f_]+|[0-9][0-9_]*)(?![\w.]))"
    r"|(?P<word>[#@$]?[A-Za-z_]\w*|`\w+`)"
    r"|(?P<operator>(?<=\s)(?:<=|>=|==|!=|&&|\|\||<|>)(?=\s))"
    r"|(?P<bracket>[{}()\[\]])"
    r"|(?P<other>\S)",
    re.DOTALL,
)
FLIPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "true": "false",
    "false": "true",
}  # fmt: skip
TYPES = {"struct", "class", "enum", "extension", "actor"}
FUNCTIONS = {"func", "init", "deinit", "subscript"}
# A call or an assignment that fills its line.
STATEMENT = re.compile(
    r"(?:(?:try|_ =) )*[A-Za-z_$][\w.$!?]*(?:\[[^\]]*\])?(?:\(.*\)[!?]?(?: \{.*\})?| \{.*\}| [-+|&^*]?= .+)$"
)
NO_STATEMENT = re.compile(
    r"(?:let|var|case|default|guard|if|else|for|while|switch|func|return|throw|init|static|private|do|defer|catch)\b"
)
ENDS_OPEN = re.compile(r"(?:[,(=\[]|&&|\|\||[-+?]| :|\bin)$")
GOES_ON = re.compile(r"(?:\.|&&|\|\||[-+?:)\]},]|else\b|==|where\b)")


@dataclass
class Mutant:
    file: str
    line: int
    what: str
    text: str
    start: int
    end: int
    new: str
    number: int = 0
    # Where it stands in the file that has them all, and where the whole body with it: first and last line.
    written: tuple = (0, 0)
    body: tuple = (0, 0)

    @property
    def key(self):
        return f"{self.file}: {self.text}: {self.what}"


@dataclass
class Region:
    """A body, without its braces; or the value that a constant or a property starts with."""

    start: int
    end: int
    isBody: bool


def tokens(text):
    return [match for match in TOKEN.finditer(text) if match.lastgroup not in ("comment", "string")]


def closing(found, index):
    """The token that closes the bracket at this one."""
    depth = 0
    for place in range(index, len(found)):
        depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(found[place].group(), 0)
        if depth == 0:
            return place
    raise ValueError("a bracket is not closed")


def regions(text):
    """Bodies of functions and computed properties, outermost ones only, and values of stored properties."""
    found, result, index = tokens(text), [], 0
    while index < len(found):
        word = found[index].group()
        if word in FUNCTIONS and found[index - 1].group() != ".":
            place, line = index + 1, None
            while found[place].group() != "{":
                place = closing(found, place) + 1 if found[place].group() in "([" else place + 1
            end = closing(found, place)
            result.append(Region(found[place].end(), found[end].start(), True))
            index = end + 1
        elif word in ("var", "let"):
            start = found[index].start()
            end = text.index("\n", start)
            on_line = [place for place in range(index, len(found)) if found[place].start() < end]
            # Its first word that is no type: a value or a body.
            opener = next((place for place in on_line if found[place].group() in ("=", "{")), None)
            if opener is None:
                index = on_line[-1] + 1
            elif found[opener].group() == "=":
                last = on_line[-1]
                balance = sum({"{": 1, "(": 1, "[": 1}.get(found[p].group(), 0) for p in on_line[:]) - sum(
                    {"}": 1, ")": 1, "]": 1}.get(found[p].group(), 0) for p in on_line
                )
                if balance == 0:
                    result.append(Region(found[opener].end() + 1, found[last].end(), False))
                    index = last + 1
                else:
                    # Over several lines: a table, say. It is left as it is.
                    place = next(p for p in on_line if p > opener and found[p].group() in "{([")
                    while place < len(found) and found[place].start() < end:
                        place = closing(found, place) + 1 if found[place].group() in "{([" else place + 1
                    index = place
            else:
                end = closing(found, opener)
                inside = found[opener + 1].group()
                if inside not in ("get", "set", "willSet", "didSet", "mutating"):
                    result.append(Region(found[opener].end(), found[end].start(), True))
                index = end + 1
        else:
            index += 1
    return result


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def mutants(name, text):
    """Everything that can be changed in a file, in its order."""
    result = []

    def add(start, end, new, what):
        line = line_of(text, start)
        result.append(Mutant(name, line, what, text.split("\n")[line - 1].strip(), start, end, new))

    for region in regions(text):
        found = [match for match in tokens(text) if region.start <= match.start() < region.end]
        for index, match in enumerate(found):
            word = match.group()
            if word in FLIPPED and match.lastgroup in ("operator", "word"):
                add(match.start(), match.end(), FLIPPED[word], f"{word} became {FLIPPED[word]}")
            elif match.lastgroup == "number":
                value = int(word.replace("_", ""), 0)
                # A nanosecond more or less is nobody's business: what is long lasts twice as long.
                new = value * 2 if value >= 1000 else value + 1
                add(match.start(), match.end(), str(new), f"{word} became {new}")
            elif word in ("guard", "if", "while") and region.isBody and (word != "while" or text[match.start() - 2] != "}"):
                for start, end in conditions(text, found, index):
                    clause = text[start:end]
                    add(start, end, f"!({clause})", f"{' '.join(clause.split())} was negated")
        if region.isBody:
            for start, end in statements(text, region):
                add(start, end, "do {}", f"{text[start:end]} was dropped")
    return sorted(result, key=lambda mutant: mutant.start)


def conditions(text, found, index):
    """The clauses of a guard, if or while that are plain conditions."""
    place, start, result = index + 1, found[index].end(), []
    stop = "else" if found[index].group() == "guard" else "{"
    while True:
        word = found[place].group()
        if word == stop or word == ",":
            clause = text[start : found[place].start()]
            start += len(clause) - len(clause.lstrip())
            # What is one comparison is flipped already.
            isFlipped = re.search(r" (?:==|!=|<|>|<=|>=) ", clause) and not re.search(r" (?:&&|\|\||in) ", clause)
            if clause.strip() and not isFlipped and not re.match(r"\s*(?:let|var|case)\b", clause) and "//" not in clause:
                result.append((start, start + len(clause.strip())))
            if word == stop:
                return result
            start = found[place].end()
        if word in ("(", "[") or (word == "{" and stop == "else"):
            depth = 0
            while True:
                depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(found[place].group(), 0)
                if depth == 0:
                    break
                place += 1
        place += 1


def statements(text, region):
    """The lines of a body that are a whole statement."""
    blank = TOKEN.sub(lambda m: " " * len(m.group()) if m.lastgroup in ("comment", "string") else m.group(), text)
    offset, previous = region.start, "{"
    lines = blank[region.start : region.end].split("\n")
    for index, line in enumerate(lines):
        code = line.strip()
        following = next((later.strip() for later in lines[index + 1 :] if later.strip()), "")
        whole = text[offset : offset + len(line)].rstrip()
        start = offset + len(line) - len(line.lstrip())
        if match := re.match(r"(?:case .*|default): ", code):
            # Its only statement, on its own line.
            start, code = start + match.end(), code[match.end() :]
        if (
            STATEMENT.match(code)
            and not NO_STATEMENT.match(code)
            and all(code.count(a) == code.count(b) for a, b in ("()", "[]", "{}"))
            and not ENDS_OPEN.search(previous)
            and not (GOES_ON.match(following) and not following.startswith("}"))
            and len(lines) > 1
        ):
            result_end = start + len(code)
            yield start, result_end
        if line.strip():
            previous = line.strip()
        offset += len(line) + 1


def schema(text, chosen):
    """The file with all chosen mutants in it. Each is told in which lines of it it stands."""
    output, position = [], 0
    lines = 1

    def write(piece):
        nonlocal lines
        output.append(piece)
        lines += piece.count("\n")

    for region in regions(text):
        of_region = [mutant for mutant in chosen if region.start <= mutant.start < region.end]
        if not of_region:
            continue
        write(text[position : region.start])
        opened = lines
        original = text[region.start : region.end]
        changed = [
            original[: m.start - region.start] + m.new + original[m.end - region.start :] for m in of_region
        ]
        if region.isBody:
            write("\nswitch activeMutant {\n")
            for mutant, body in zip(of_region, changed):
                first = lines
                write(f"case {mutant.number}:\n{body}\n")
                mutant.written = (first, lines - 1)
            write(f"default:\n{original}\n}}\n")
        else:
            for mutant, value in zip(of_region, changed):
                first = lines
                write(f"activeMutant == {mutant.number} ? ({value}) :\n")
                mutant.written = (first, lines - 1)
            write(original)
        for mutant in of_region:
            mutant.body = (opened, lines)
        position = region.end
    write(text[position:])
    return "".join(output)
