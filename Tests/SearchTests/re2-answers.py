#!/usr/bin/env python3
"""Patterns of the table in deploy/RULES.md and texts, drawn from a seed, with what RE2 finds: re2-answers.py SEED COUNT

A line each: pattern, then for each of its texts the text and the answer, with tabs between. Patterns and texts are in
hexadecimal. An answer is "-" or START,END in characters, with ,NAME=TEXT of each group that took part. A pattern that RE2
refuses stands alone.

RE2 contradicts itself where something lazy is repeated, if only because the first of two ways is empty: it finds all of "acccc"
by (?:|ac+)*, and nothing by ((?:|ac+)+)?, which is the same. Perl, Python and we find nothing. So each pattern is written both
ways, and a text for which RE2 has two answers is left out.
"""

import random
import re
import sys

try:
    import re2
except ImportError:
    sys.exit(3)

# How often something is repeated, until it is known how that is written; lazily with ? behind.
STAR, OPEN = "\x01", "\x02"
# Before what is repeated so.
MARK = "\x00"

LETTERS = "aabbcABCkKsSzZ019_ .-\nßÄäøØжЖΣσς助Kſé"
ESCAPES = [r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\pL", r"\PL", r"\p{Lu}", r"\p{Ll}", r"\pN", r"\p{^L}", r"\n", r"\t", r"\.",
           r"\-", r"\x41", r"\x{16c}", r"\\", r"\["]
PLACES = ["^", "$", r"\b", r"\B", r"\A", r"\z"]
CLASSES = ["[:alpha:]", "[:digit:]", "[:^space:]", "[:upper:]", "[:punct:]", "[:word:]", "[:^lower:]"]
REPEATS = [STAR, "+", "?", "{2}", "{0}", "{1,3}", "{0,2}", "{2,}", OPEN, "{1}"]
# Refused by both.
BROKEN = ["(", ")", "[a", "*", "a**", r"\1", "(?=a)", "(?!a)", "(?<=a)", "[z-a]", "a{2,1}", "a{1001}", "\\",
          "[[:nothing:]]", r"\p{Nothing}", "(?z)", r"\xg", "(?P<>a)", "a{2}{3}", "(?i", r"[a-\d]", r"\q"]


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0

    def one(self, choices):
        return self.random.choice(choices)

    def scalar(self):
        letter = self.one(LETTERS)
        return "\\" + letter if letter in ".-" else letter

    def item(self):
        kind = self.random.random()
        if kind < 0.2:
            return self.one(ESCAPES)
        if kind < 0.3:
            return self.one(CLASSES)
        if kind < 0.6:
            low, high = sorted([self.one("abckszABCKSZ019äжσ"), self.one("abckszABCKSZ019äжσ")])
            return f"{low}-{high}"
        return self.scalar()

    def atom(self, depth):
        kind = self.random.random()
        if depth > 0 and kind < 0.3:
            return self.group(depth)
        if kind < 0.4:
            return "."
        if kind < 0.5:
            return self.one(ESCAPES)
        if kind < 0.62:
            items = "".join(self.item() for _ in range(self.random.randint(1, 3)))
            return "[" + self.one(["", "", "^"]) + items + "]"
        return self.scalar()

    def group(self, depth):
        inside = self.choice(depth - 1)
        kind = self.random.random()
        if kind < 0.3 and self.names < 5:
            self.names += 1
            return self.one(["(?P<n%d>", "(?<n%d>"]) % self.names + inside + ")"
        return self.one(["(", "(?:", "(?-i:", "(?i:", "(?s:", "(?m-i:"]) + inside + ")"

    def part(self, depth):
        kind = self.random.random()
        if kind < 0.08:
            return self.one(PLACES)
        if kind < 0.1:
            return self.one(["(?i)", "(?-i)", "(?s)", "(?m)"])
        atom = self.atom(depth)
        if self.random.random() < 0.35:
            repeat = self.one(REPEATS)
            atom = (MARK if repeat in (STAR, OPEN) else "") + atom + repeat + self.one(["", "", "?"])
        return atom

    def sequence(self, depth):
        return "".join(self.part(depth) for _ in range(self.random.randint(0 if depth < 3 else 1, 4)))

    def choice(self, depth):
        return "|".join(self.sequence(depth) for _ in range(self.one([1, 1, 1, 2, 3])))

    def pattern(self):
        self.names = 0
        return self.choice(3)

    def text(self, pattern):
        # Where RE2 finds no edge of a word, it may be inside of a character.
        letters = [letter for letter in LETTERS if letter.isascii()] if "\\B" in pattern else LETTERS
        return "".join(self.one(letters) for _ in range(self.random.randint(0, 12)))


def plainly(pattern):
    return pattern.replace(MARK, "").replace(STAR, "*").replace(OPEN, "{0,}")


def otherwise(pattern):
    """The same with (X+)? for X*."""
    return re.sub(f"[{STAR}{OPEN}](\\??)", r"+\1)?\1", pattern).replace(MARK, "(")


def answer(compiled, text):
    found = compiled.search(text)
    if not found:
        return "-"
    groups = sorted((name, value) for name, value in found.groupdict().items() if value is not None)
    return ",".join([f"{found.start()},{found.end()}"] + [f"{name}={hexadecimal(value)}" for name, value in groups])


def hexadecimal(text):
    return text.encode().hex()


def main():
    draw = Draw(int(sys.argv[1]))
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    for number in range(int(sys.argv[2])):
        pattern = BROKEN[number] if number < len(BROKEN) else draw.pattern()
        fields = [hexadecimal(plainly(pattern))]
        try:
            compiled = [re2.compile(written(pattern), options) for written in (plainly, otherwise)]
        except re2.error:
            compiled = []
        for _ in range(5 if compiled else 0):
            text = draw.text(pattern)
            answers = [answer(one, text) for one in compiled]
            if answers[0] == answers[1]:
                fields += [hexadecimal(text), answers[0]]
        print("\t".join(fields))


main()
