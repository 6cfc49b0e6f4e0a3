"""Sentences for a person stand in tables: sentences.py SOURCE LEFT prints TAP.

A text of two words or more in a .c file of src that is not within WORDS(...) is a sentence outside of a
table, or it is of a kind that is none. LEFT lists these kinds, each with a reason, and the files that have
some, with their number: a file that has more fails. Where one has fewer, that is said.

Formulas, lines of PyTorch, citations and what a command line looks like are the same in every language.
Programs that run while this one is built write C, and are read by its compiler alone.
"""
import pathlib
import re
import sys

SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:]? +(?:%\w+ )?[a-z]{2,}|[a-z]{3,} %|%\w+ [a-z]{3,}")
SAME_EVERYWHERE = re.compile(r"\.(formula|where|torch|source|options|arguments|words|formats)\s*=[\s\\\w]*$")


BUILD_TOOLS = {"embed_text.c", "list_code.c"}


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
    return 0 if path.name in BUILD_TOOLS else sum(1 for at, text in literals(source)
               if SENTENCE.search(text) and not is_in_table(source, at)
               and not SAME_EVERYWHERE.search(source[:at]))


def read_list(text):
    """How many each file has; a line that stands below no kind is a problem."""
    listed, problems, kind = {}, [], None
    for line in text.splitlines():
        if line.startswith("["):
            kind = line
            if not line.partition("] ")[2]:
                problems.append(f"{line} has no reason")
        elif line and line[0] != "#":
            number, name = line.split()
            listed[name] = int(number)
            if kind is None:
                problems.append(f"{name} stands below no kind")
    return listed, problems


def rows_said_plainly(root):
    """Rows of tables that words_settle completes (a command's language, a Korean particle), printed without it."""
    commands = re.findall(r"APP_COMMAND\((\w+)\)", (root / "src/app/app_commands.def").read_text())
    settled = re.compile(r"attnscope (?:" + "|".join(commands) + r")\b|\{[^{}/\s]+/[^{}/\s]+\}")
    rows = [name for table in (root / "src").rglob("*.def")
            for name, row in re.findall(r"^WORD\((\w+),(.*?)\)$", table.read_text(encoding="utf-8"), re.M | re.S)
            if settled.search(re.sub(r'"\s*"', "", row))]
    assert {"TRAIN_LEFT", "PROMPT_COMPUTED"} <= set(rows) and len(rows) > 300, rows
    plainly = re.compile(r"\b(?:f|sn)?(?:printf|puts)\((?:[^;()]|\([^()]*\))*?\bTELL\((" + "|".join(rows) + r")\)")
    return [f"{path.relative_to(root)}: {name} needs words_print or words_format"
            for path in sorted((root / "src").rglob("*.c"))
            for name in plainly.findall(path.read_text(encoding="utf-8"))]


def words_in_formulas(root):
    """Two words side by side: a formula is the same in every language; a REMARK has words."""
    found = [(path, text) for path in sorted((root / "src").rglob("*.c"))
             for text in re.findall(r'\.formula = "([^"]*)"', path.read_text(encoding="utf-8"))]
    assert len(found) > 120, len(found)
    return [f"{path.relative_to(root)}: {text}" for path, text in found
            if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", text)]


def main():
    root, left = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    listed, problems = read_list(left.read_text())
    found = {str(path.relative_to(root)): count(path) for path in sorted((root / "src").rglob("*.c"))}
    notes = []
    for name in sorted(found | listed):
        number, known = found.get(name, 0), listed.get(name, 0)
        if number > known:
            problems.append(f"{name}: {number} sentences outside of a table, {known} are of a known kind")
        elif number < known:
            notes.append(f"{name}: {number} are left, not {known}: lower its number in {left.name}")
    print(f"{'not ok' if problems else 'ok'} 1 - no sentence for a person stands outside of a table")
    for line in problems + notes:
        print(f"#   {line}")
    plainly = rows_said_plainly(root)
    print(f"{'not ok' if plainly else 'ok'} 2 - what is printed has its particles and the language of its commands")
    for line in plainly:
        print(f"#   {line}")
    spoken = words_in_formulas(root)
    print(f"{'not ok' if spoken else 'ok'} 3 - a formula has symbols and names, no words")
    for line in spoken:
        print(f"#   {line}")
    print("1..3")


main()
