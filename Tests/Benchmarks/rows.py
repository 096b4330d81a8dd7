"""The one table that everything ends in: a row for each figure, with what it is measured against in the same run."""


class Table:
    def __init__(self):
        self.lines = []

    def part(self, name):
        self.lines.append(f"| **{name}** | | | | |")

    def row(self, what, unit, ours, theirs=None, reference="", budget=None, met=None):
        """A figure and the reference's, whose quotient is the ratio. `budget` says what is to be reached in words, and
        `met` whether it is."""
        ratio = f"{ours / theirs:.2f}" if theirs else ""
        beside = f"{figure(theirs, unit)}: {reference}" if theirs is not None else reference
        judged = "" if budget is None else f"{budget}: {'met' if met else '**missed**'}"
        cells = (what, figure(ours, unit), beside, ratio, judged)
        self.lines.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")

    def markdown(self):
        head = ["| what | gateway | reference | ratio | budget |", "|---|--:|--:|--:|---|"]
        return "\n".join(head + self.lines)


def figure(value, unit):
    return f"{number(value)} {unit}".rstrip()


def number(value):
    """Three digits, or all before the point."""
    if value == 0:
        return "0"
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 0.1 else f"{value:.3f}"


def middle(values, share=0.5):
    """The median, or another share of the sorted values."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
