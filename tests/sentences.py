"""Sentences for a person stand in tables: sentences.py SOURCE LEFT prints TAP.

A text of two words or more in a .c file of src that is not within WORDS(...) is a sentence outside of a
table. LEFT lists the files that still have some, and how many: a file that has
more than it says fails. Where one has fewer, that is said, so that the list becomes shorter.

Formulas, lines of PyTorch, citations and what a command line looks like are the same in every language.
"""
import pathlib
import re
import sys

SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:]? +(?:%\w+ )?[a-z]{2,}|[a-z]{3,} %|%\w+ [a-z]{3,}")
SAME_EVERYWHERE = re.compile(r"\.(formula|torch|source|options|arguments|words|formats)\s*=\s*$")


def literals(source):
    """Where each text begins, and the text; those that the compiler joins are one."""
    found, at, joins = [], 0, False
    while at < len(source):
        if source.startswith("//", at) or source.startswith("#", at) and source[:at].endswith("\n"):
            end = source.find("\n", at)
            at = len(source) if end < 0 else end
        elif source[at] in "\"'":
            end = at + 1
            while source[end] != source[at]:
                end += 2 if source[end] == "\\" else 1
            if source[at] == '"' and joins:
                found[-1] = (found[-1][0], found[-1][1] + source[at + 1:end])
            elif source[at] == '"':
                found.append((at, source[at + 1:end]))
            joins = source[at] == '"'
            at = end + 1
        else:
            joins = joins and source[at].isspace()
            at += 1
    return found


def is_in_table(source, at):
    start = source.rfind("WORDS(", 0, at)
    between = re.sub(r'"(\\.|[^"\\])*"', "", source[start:at])
    return start >= 0 and between.count("(") > between.count(")")


def count(path):
    source = path.read_text(encoding="utf-8")
    return sum(1 for at, text in literals(source)
               if SENTENCE.search(text) and not is_in_table(source, at)
               and not SAME_EVERYWHERE.search(source[:at]))


def main():
    root, left = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    listed = {name: int(number) for number, name in
              (line.split() for line in left.read_text().splitlines() if line and line[0] != "#")}
    found = {str(path.relative_to(root)): count(path) for path in sorted((root / "src").rglob("*.c"))}
    more = [f"{name}: {number} sentences outside of a table, {listed.get(name, 0)} are known of"
            for name, number in found.items() if number > listed.get(name, 0)]
    fewer = [f"{name}: {found.get(name, 0)} are left, not {number}: lower its number in {left.name}"
             for name, number in listed.items() if found.get(name, 0) < number]
    print(f"{'not ok' if more else 'ok'} 1 - no new sentence stands outside of a table")
    for problem in more + fewer:
        print(f"#   {problem}")
    print("1..1")


main()
