"""The architecture, held by the compiler and by reading: test_floors.py SOURCE BUILD prints TAP.

src/meson.build lists the floors, bottom first. A floor's own compile command (taken from BUILD) says which
headers its files can include. A floor may have folders of its own.
"""
import contextlib
import graphlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
os.chdir(SOURCE)
LONG = bool(os.environ.get('ATTNSCOPE_LONG'))

FLOORS = re.findall(r"^subdir\('(.*)'\)", Path('src/meson.build').read_text(), re.M)
FILES = {str(path): path.read_text() for path in sorted(Path('src').rglob('*.[ch]'))}
TESTS = {
    str(path): path.read_text()
    for path in sorted(Path('tests').glob('*/*.[ch]'))
    if path.parent.name not in ('attacks', 'avx512', 'mistaken', 'worker')  # what somebody hands in
}
SCRIPTS = {str(path): path.read_text() for path in sorted(Path('tests').glob('*/test_*.*')) if path.suffix != '.c'}
INCLUDE = re.compile(r'^ *# *include *["<]([^">]+)[">]', re.M)
checks = 0


def check(sentence, offenders):
    """A line of TAP: it holds when there are no offenders, which are named otherwise."""
    global checks
    checks += 1
    offenders = sorted(set(offenders))
    print(f'{"not " if offenders else ""}ok {checks} - {sentence}', flush=True)
    for offender in offenders:
        print('#   ' + offender.replace('\n', '\n#   '))


def floor_of(path):
    return path.split('/')[1]


def outside(pattern, floors):
    """The files whose text matches, in other floors."""
    return [path for path, text in FILES.items() if re.search(pattern, text, re.M) and floor_of(path) not in floors]


def includes_outside(header, *floors):
    """The files that include a library's header (a pattern), in other floors."""
    return outside(rf'^ *# *include *[<"]{header}[>"]', floors)


# --- what the compiler sees

COMMANDS = {}  # of a file: the ways in which it is compiled
for entry in json.loads((BUILD / 'compile_commands.json').read_text()):
    compiled = os.path.relpath(os.path.join(entry['directory'], entry['file']), SOURCE)
    if 'fuzz-replay.p' not in entry['output']:
        COMMANDS.setdefault(compiled, []).append(entry['command'])


def folders(command):
    """Where a compile command looks for headers, as folders of SOURCE."""
    return {os.path.relpath(BUILD / word[2:], SOURCE) for word in shlex.split(command) if word.startswith('-I')}


def reachable(floor):
    """The headers that files of a floor can include."""
    ways = {frozenset(folders(way)) for path in FILES if floor_of(path) == floor for way in COMMANDS.get(path, ())}
    seen = {folder for way in ways for folder in way}
    return {path for path in FILES if path.endswith('.h') and os.path.dirname(path) in seen}


REACHABLE = {floor: reachable(floor) for floor in FLOORS}


def includes_that_go_up():
    for number, floor in enumerate(FLOORS):
        for header in REACHABLE[floor]:
            if floor_of(header) not in FLOORS[: number + 1]:
                yield f'{floor} can include {header}'


def own_command(floor):
    """A command of the floor's library or program that finds what any library of the floor finds."""
    own = re.compile(rf'(^src/{floor}/lib(?!core|kernel|worker_learner)[a-z_]*\.a|^attnscope)\.p/')
    keep, found = ['false', floor], {}
    for path in FILES:
        for way in COMMANDS.get(path, ()) if floor_of(path) == floor else ():
            words = shlex.split(way)
            if own.search(words[words.index('-o') + 1]) or own.search(words[words.index('-MF') + 1]):
                keep = words[: words.index('-MD')] if '-MD' in words else words[: words.index('-o')]
                found.update(dict.fromkeys(word for word in keep if word.startswith('-I')))
    return [word for word in keep if word != 'ccache'] + list(found)


def headers_that_need_others():
    """One header in five, or all: beginning it is what a compiler takes its time for."""
    headers = [path for path in FILES if path.endswith('.h') and floor_of(path) in FLOORS]
    ways = {floor: own_command(floor) for floor in FLOORS}
    running = []
    for header in headers if LONG else headers[::5]:
        # One of another machine's instructions is empty here.
        text = f'#include "{os.path.basename(header)}"\nextern int something;\n'
        words = ways[floor_of(header)] + ['-Werror', '-fdiagnostics-color=never', '-fsyntax-only', '-x', 'c', '-']
        process = subprocess.Popen(words, cwd=BUILD, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with contextlib.suppress(BrokenPipeError):  # a command that ends at once is judged by how it ends
            process.stdin.write(text)
            process.stdin.close()
        running.append((header, process))
        if len(running) == 4:
            yield from judged(running.pop(0))
    for one in running:
        yield from judged(one)


def judged(one):
    header, process = one
    said = process.stderr.read()
    if process.wait() != 0:
        yield f'{header} does not compile on its own\n{said}'


def not_compiled():
    """Of the floors that are built everywhere: a file whose line in a list was forgotten would be missed by nobody."""
    for path in FILES:
        if path.endswith('.c') and floor_of(path) in ('stages', 'mistakes', 'session', 'tui', 'grading'):
            if path not in COMMANDS:
                yield f'{path} is in no list'


# --- what the linker sees

def symbols(*paths):
    """What objects define and what they use, as (object, letter, name)."""
    said = subprocess.run(['nm', '-P', '-A', *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in said.stdout.splitlines():
        words = line.split()
        if len(words) >= 3:
            yield words[0].rstrip(':'), words[2], words[1]


def foreign_to_core():
    """What core, with every floor that it holds, asks of the system that a page or a notebook has not."""
    foreign = re.compile(r'_?(fork|vfork|posix_spawn|exec[lv][a-z]*|system|popen|initscr|newterm|SDL_[A-Za-z]*)')
    return [name for _, letter, name in symbols(BUILD / 'src/session/libcore.a') if letter == 'U' and foreign.fullmatch(name)]


# What may be asked back, for it is in the nature of the thing. Help tells of the list of commands, and is one; a
# stage names its faster twin, which falls back on the stage.
MAY_BE_ASKED = re.compile(r'_?(app_command|app_find|app_print_help|fast_[a-z_]*)')


# Libraries that hold what others of their folder hold already.
COPIES = ('libcore.a', 'libstages_exact.a', 'libworker_learner.a')


def circle(uses):
    """A circle in who uses whom, as a line; empty where there is none."""
    try:
        graphlib.TopologicalSorter(uses).prepare()
        return []
    except graphlib.CycleError as error:
        return [' -> '.join(error.args[1])]


def circles():
    """Files that cannot be without each other: the lower one takes what it needs, or a function to call, and
    does not reach back."""
    for floor in FLOORS:
        objects = [path for path in (BUILD / 'src' / floor).glob('lib*.a') if path.name not in COPIES]
        if floor == 'app':  # the program has no library
            objects += (BUILD / 'attnscope.p').glob('src_app_*.o')
        seen = list(symbols(*objects))
        made = {name: file for file, letter, name in seen if 'A' <= letter <= 'Z' and letter != 'U'}
        uses = {}
        for file, letter, name in seen:
            user, maker = os.path.basename(file), os.path.basename(made.get(name, file))
            if letter == 'U' and maker != user and not MAY_BE_ASKED.fullmatch(name):
                uses.setdefault(user, set()).add(maker)
        yield from circle(uses)


def circles_of_headers():
    return circle({os.path.basename(path): INCLUDE.findall(text) for path, text in FILES.items() if path.endswith('.h')})


# --- what a reader sees

def long_files():
    for path, text in {**FILES, **TESTS, **SCRIPTS}.items():
        if (lines := text.count('\n')) > 1000:
            yield f'{path}: {lines} lines'


def long_functions():
    """A function's body lies between a "{" and a "}" that open their lines."""
    for path, text in {**FILES, **TESTS}.items():
        start = 0
        for number, line in enumerate(text.split('\n'), 1):
            if line.startswith('{'):
                start = number
            elif line.startswith('}') and start:
                if number - start >= 60:
                    yield f'{path}:{start}: {number - start + 1} lines'
                start = 0


def many_parameters():
    """A function's head begins its line and ends before the "{" of its body, with no empty line between; commas inside
    a parameter's own parentheses are not counted."""
    head = re.compile(r'^[A-Za-z_][^;{}#\n]*\((?:(?!\n\n)[^;{}#])*\)\n\{', re.M)
    for path, text in FILES.items():
        for found in head.finditer(text):
            parameters = found.group().split('(', 1)[1]
            while (flat := re.sub(r'\([^()]*\)', '', parameters)) != parameters:
                parameters = flat
            if (count := parameters.count(',') + 1) > 6:
                line = text.count('\n', 0, found.start()) + 1
                yield f'{path}:{line}: {count} parameters'


def strays():
    """The outputs of a trial are easily committed. Without git there is nothing to ask."""
    belongs = r'\.clang-format|\.editorconfig|\.gitignore|LICENSE|README\.md|bootstrap\.sh|meson(_options)?\.(build|txt)'
    try:
        said = subprocess.run(['git', 'ls-files', '--', ':(glob)*'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except FileNotFoundError:
        return []
    return [name for name in said.stdout.splitlines() if not re.fullmatch(belongs, name)]


def notes():
    others = {str(path): path.read_text() for path in Path('src').rglob('*') if path.suffix in ('.def', '.md', '.build')}
    for path, text in {**FILES, **TESTS, **SCRIPTS, **others}.items():
        for number, line in enumerate(text.split('\n'), 1):
            if re.search('[T]ODO|[F]IXME', line):
                yield f'{path}:{number}: {line}'


CURSES = r'(ncursesw?/)?n?curses\.h'
CANVAS = r'(SDL[a-z_0-9]*|wayland-.*|fontconfig/.*|png|cairo.*|ft2build|hb(-[a-z]*)?|fribidi)\.h'

check('every folder of src is a floor that src/meson.build lists', (path for path in FILES if floor_of(path) not in FLOORS))
check('headers are included by bare name', outside(r'# *include *"\.\./', ()))
check('curses is known to tui alone', includes_outside(CURSES, 'tui'))
check('curses is included in one file', includes_outside(CURSES)[1:])
check('zip, YAML and digests are known to store alone', includes_outside(r'(zip|yaml|nettle/.*)\.h', 'store'))
check('archives are known to grading alone', outside(r'# *include *<archive(_entry)?\.h>', ('grading',)))
check(
    'JSON is known to store, scenarios, judge, grading and app alone',
    includes_outside(r'jansson\.h', 'store', 'scenarios', 'judge', 'grading', 'app'),
)
check('Check is known to judge alone', includes_outside(r'check\.h', 'judge'))
check(
    'SDL, Wayland, fonts, PNG and cairo are known to the programs of window alone',
    (path for path in includes_outside(CANVAS) if not re.match(r'src/window/(canvas|paper)', path)),
)
check('seccomp is known to sandbox alone', includes_outside(r'seccomp\.h', 'sandbox'))
check('regular expressions are known to scenarios alone', includes_outside(r'oniguruma\.h', 'scenarios'))
check('Unicode tables are known to base alone', includes_outside(r'utf8proc\.h', 'base'))
check('core starts no process, and knows neither curses nor SDL', foreign_to_core())
check('a floor cannot include a header of a higher floor', includes_that_go_up())
check(
    'a floor can include its own headers',
    (path for path in FILES if path.endswith('.h') and floor_of(path) in FLOORS and path not in REACHABLE[floor_of(path)]),
)
check('no file reaches back to one that is made of it', circles())
check('no header includes one that includes it', circles_of_headers())
check('every header compiles on its own', headers_that_need_others())
check('every file is compiled', not_compiled())
check('no file is longer than 1,000 lines', long_files())
check('no function is longer than 60 lines', long_functions())
check('no function has more than six parameters', many_parameters())
check('what is committed in the root belongs there', strays())
check('no note is left for later', notes())
print(f'1..{checks}')
