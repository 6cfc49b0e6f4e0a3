"""A test that lacks a tool is skipped, and says what installs the tool: test_skips.py SOURCE BUILD prints TAP.

Each of these tests is run once without each of its tools.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
# The tests that can skip, and the tools that each takes.
TAKES = {
    'arm': ['aarch64-linux-gnu-gcc', 'qemu-aarch64'],
    'exercises_solutions_clang': ['clang'],
    'exercises_solutions_gcc': ['gcc'],
    'pdf': ['pdftotext'],
    'stepper_window': ['Xvfb', 'xdotool'],
    'train_window': ['Xvfb', 'xdotool'],
    'wayland': ['sway', 'grim', 'setpriv'],
    'window': ['Xvfb', 'xdotool', 'xprop'],
}
SKIPS = re.compile(r'\A1\.\.0 # SKIP .*CI=true sh bootstrap\.sh test installs it$', re.M)
tests = {test['name']: test for test in json.loads((BUILD / 'meson-info/intro-tests.json').read_text())}
bootstrap = (SOURCE / 'bootstrap.sh').read_text()
checks = 0


def check(sentence, holds, said=''):
    global checks
    checks += 1
    print(f'{"" if holds else "not "}ok {checks} - {sentence}', flush=True)
    if not holds:
        print('#   ' + said.replace('\n', '\n#   '))


def every_program(folder):
    """Links to what is on the path, so that one of them can be taken away."""
    for place in os.environ['PATH'].split(':'):
        for program in Path(place).glob('*'):
            if not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)


def said_without(name, tool, tools):
    """What a test prints when `tool` is not among the programs of the folder `tools`."""
    program = (tools / tool).readlink() if (tools / tool).is_symlink() else None
    (tools / tool).unlink(missing_ok=True)
    environment = {**os.environ, **tests[name]['env'], 'PATH': str(tools)}
    done = subprocess.run(
        tests[name]['cmd'], cwd=tests[name]['workdir'] or BUILD, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
    )
    if program:
        (tools / tool).symlink_to(program)
    return done.stdout + (f'ended with {done.returncode}' if done.returncode else '')


with tempfile.TemporaryDirectory() as folder:
    every_program(Path(folder))
    for name, lacking in TAKES.items():
        for tool in lacking:
            said = said_without(name, tool, Path(folder))
            check(f'without {tool} the test {name} is skipped, and says what brings it', SKIPS.match(said), said)
            known = re.search(rf'^(tool|cross|sanitizers) +{re.escape(tool)} ', bootstrap, re.M)
            check('as it does', known, f'bootstrap.sh knows no {tool}')

# Whoever can skip stands in a row, and skips in the common words.
own_words = set()
for path in sorted((SOURCE / 'tests').rglob('test_*')):
    if not path.is_file() or path.suffix not in ('.sh', '.c', '.py'):
        continue
    text = path.read_text()
    if re.search(r'^ *skip_without |skips_without\(', text, re.M):
        stem = path.stem.removeprefix('test_')
        check(f'{path.name} stands among them', any(name.split('_')[0] == stem or name.startswith(stem) for name in TAKES))
    if re.search(r'\bSKIP\b|exit 77', text):
        own_words.add(path.name)
# test_fence.sh asks for a kernel that filters system calls, which nothing installs.
others = own_words - {'test_bootstrap.sh', 'test_fence.sh', 'test_skips.py'}
check('no other test says on its own that it is skipped', not others, ' '.join(sorted(others)))
print(f'1..{checks}')
