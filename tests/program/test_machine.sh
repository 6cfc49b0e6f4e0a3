#!/bin/sh
# A failure of this machine is reported as such, and costs nobody points: test_machine.sh ATTNSCOPE LESSONS
# prints TAP.
#
# Checks a right solution while something is missing: file descriptors, the keeper, the compiler, a living
# judge, its record. Every result says "not checked" after two attempts, and earlier passes remain.
# shellcheck disable=SC2016 # what a script is to expand itself
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
here=$(cd "$(dirname "$1")" && pwd)
attnscope=$here/attnscope
lessons=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8

# has TEXT: what was said last holds the text.
has() {
    cat "$scratch/out" "$scratch/err" | tr '\n' ' ' | tr -s ' ' | grep -qF -- "$1"
}

has_not() {
    ! has "$1"
}

explain() {
    head -20 "$scratch/out" "$scratch/err"
}

handed=$scratch/handed
mkdir -p "$handed/right"
cp "$lessons/exercises/08-score/solution.c" "$handed/right/score.c"
"$attnscope" init "$scratch/work" --lang en >/dev/null
cp "$lessons/exercises/08-score/solution.c" "$scratch/work/exercises/score.c"
check 'a right solution has its points' try 0 grade "$handed" score --journal none
check 'and passes' try 0 check score --dir "$scratch/work"
cp "$scratch/state/attnscope/progress" "$scratch/passed"

# A gcc whose programs the quick linker cannot link is noted, so that only the first submission is compiled twice.
notes() {
    find "$scratch/cache" -name '*.link-fails' | wc -l
}
mkdir "$scratch/linker" "$scratch/handed/too"
sed 's/^/ /' "$handed/right/score.c" >"$handed/too/score.c"
check 'no linker is noted as failing' test "$(notes)" = 0
for linker in ld.gold ld.bfd; do
    printf '#!/bin/sh\nexit 1\n' >"$scratch/linker/$linker"
    chmod +x "$scratch/linker/$linker"
done
usual_path=$PATH
PATH=$scratch/linker:$PATH
if "${CC:-cc}" --version | grep -q 'Free Software Foundation'; then
    check 'where the quick linker fails, the usual one links' try 0 grade "$handed" score --journal none
    check 'with the same points' has 'too 10 10/10'
    check 'and both programs of an exercise are noted' test "$(notes)" = 2
    find "$scratch/cache" -name '*.link-fails' -exec touch -t 200001010000 {} +
    sed 's/^/  /' "$handed/right/score.c" >"$handed/too/score.c"
    check 'a day later it is tried again' try 0 grade "$handed" score --journal none
    check 'and noted again' test "$(find "$scratch/cache" -name '*.link-fails' -mtime -1 | wc -l)" = 2
fi
PATH=$usual_path
rm -r "$handed/too"

# not_judged: a submission and an exercise of one's own are not judged, and nothing is noted.
not_judged() {
    try 1 grade "$handed" score --journal none --lang en &&
        has 'right ? 0/0' && has 'right score: not checked, after two attempts: ' &&
        has 'this machine could not check 1 exercise' &&
        try 3 check score --dir "$scratch/work" &&
        has 'score: could not be checked' && has 'does not change your points' &&
        cmp -s "$scratch/passed" "$scratch/state/attnscope/progress"
}

# not_stepped WHAT: nor is the function stepped through; it is this machine that lacks that.
echo screen >"$scratch/script"
not_stepped() {
    try 3 step score --dir "$scratch/work" --script "$scratch/script" --lang en && has "$1"
}

# --- no file descriptors

# limited LIMITS: from now on the program runs within them. Only it: a shell of few descriptors fails
# by itself.
installed=$attnscope
limited() {
    printf '#!/bin/sh\nulimit %s\nexec "%s" "$@"\n' "$1" "$installed" >"$scratch/limited"
    chmod +x "$scratch/limited"
    attnscope=$scratch/limited
}

for count in 8 12 14 20 22; do
    [ $count = 14 ] || takes $count 10 || continue
    limited "-n $count"
    check "$count file descriptors" not_judged
    check 'are named as what is lacking' has 'too many files are open'
    check 'and no loop is' has_not 'loop'
    check 'nor is it stepped through' not_stepped 'too many files are open'
done
limited '-n 14'
check 'in Korean' try 1 grade "$handed" score --journal none --lang ko
check 'too' has '열린 파일이 너무 많아서'
check 'JSON' try 1 grade "$handed" score --journal none --format json
check 'has a state for it' python3 - "$scratch/out" <<'END'
import json, sys
entry = json.load(open(sys.argv[1]))[0]
assert (entry["points"], entry["max"], entry["not_judged"]) == (0, 0, 1), entry
exercise = entry["exercises"][0]
assert exercise["end"] == "not-judged" and exercise["why"] and not exercise["passed"]
assert exercise["verdict"]["judged"] is False
assert {test["end"] for test in exercise["verdict"]["tests"]} == {"not run"}
END
check 'JUnit' try 1 grade "$handed" score --journal none --format junit
check 'calls it an error, and no failure' python3 - "$scratch/out" <<'END'
import sys, xml.etree.ElementTree as xml
suite = xml.parse(sys.argv[1]).getroot().find("testsuite")
assert suite.get("failures") == "0" and suite.get("errors") == suite.get("tests") == "4"
for case in suite.findall("testcase"):
    assert case.find("error").get("type") == "not-judged" and case.find("error").get("message")
END
check 'what has passed is still listed so' try 0 list exercises --dir "$scratch/work" --lang en
check 'with its points' has 'score 10/10 passed'

limited '-n 12'
check 'a picture for which there are no file descriptors' try 1 heatmap causal --png "$scratch/heads.png" --lang en
check 'says so' has 'Too many open files'

# --- files that may not grow

limited '-f 8'
check 'files of at most 4 kB' not_judged
check 'are named as what is lacking' has 'File too large (a limit of this shell, ulimit -f, or of the disk)'
check 'so is a picture' try 1 heatmap causal --png "$scratch/heads.png" --lang en
check 'for the same reason' has 'ulimit -f'
judged_in_a_pipe() {
    printf '#!/bin/sh\n(ulimit -f 0; exec "%s" "$@") 2>&1 | cat\n' "$installed" >"$scratch/limited"
    try 0 check score --dir "$scratch/work" --lang en
}
check 'files that may not even begin' judged_in_a_pipe
check 'are named too' has 'ulimit -f'

attnscope=$installed

# --- little memory, few processes, a full disk

# without_programs COMMAND...: what was built before is gone.
without_programs() {
    rm -rf "$scratch/cache"
    "$@"
}

# within COMMAND...: it is judged as it should be, or not judged: nothing else. What has no memory itself
# says so, and speaks of nobody.
within() {
    "$@" "$attnscope" grade "$handed" score --journal none --lang en >"$scratch/out" 2>"$scratch/err" && code=0 ||
        code=$?
    [ "$code" = 0 ] && has 'right 10 10/10' && return
    [ "$code" = 1 ] || return
    if grep -q '^attnscope: out of memory' "$scratch/err"; then ! has right && return; fi
    has 'right ? 0/0' && has 'not checked, after two attempts: '
}

# try_in BYTES WORDS...: it fails within so much memory.
try_in() {
    bytes=$1
    shift
    ! prlimit --as="$bytes" "$attnscope" "$@" >"$scratch/out" 2>"$scratch/err"
}

# Below what the system needs to load it, the program can say nothing: every zeroed byte counts there. 4 MB of them are
# an empty trace of 12 layers (trace.c), 1 MB the formulas of mistakes.
small_image() {
    size "$attnscope" >"$scratch/out" 2>"$scratch/err" && awk 'NR == 2 { exit !($3 < 9000000) }' "$scratch/out"
}

# on_stack KB WORDS...: it works with so much of it.
on_stack() {
    kilobytes=$1
    shift
    (ulimit -s "$kilobytes" && exec "$attnscope" "$@") >"$scratch/out" 2>"$scratch/err" </dev/null
}

# beside_any_environment: the program begins on 256 kB of stack, whatever the size of what lies above it.
beside_any_environment() {
    grown=
    for length in $(seq 400); do
        grown=$grown$(printf '%040d' "$length")
        takes "$length" 9 || continue
        (ulimit -s 256 && GROWN=$grown exec setarch -R "$attnscope" --version) >"$scratch/out" 2>"$scratch/err" || {
            echo "# with $length times 40 bytes"
            return 1
        }
    done
}

# What a sanitizer needs cannot be had within a limit of addresses; the function is judged without.
# Below what its libraries take, which differs between releases, the program does not begin.
least=8000000
until prlimit --as=$least "$attnscope" --version >/dev/null 2>&1 || [ $least -ge 60000000 ]; do
    least=$((least + 1000000))
done
if command -v prlimit >/dev/null && [ $least -lt 60000000 ]; then
    # At 46 to 52 MB some compilers compile a short program, but not what they are to check it for.
    for bytes in $least 30000000 46000000 48000000 50000000 51500000 60000000 400000000; do
        [ $bytes = 400000000 ] || takes $bytes 10000000 || continue
        check "$bytes bytes of memory" without_programs within prlimit --as="$bytes"
    done
    check 'of which the last are enough' has 'right 10 10/10'
    check 'a picture for which there is none' try_in $least heatmap causal --png "$scratch/heads.png" --lang en
    check 'says so' has 'memory'
    check 'what only some commands need is not there before they do' small_image
    check 'a walk on 256 kB of stack' on_stack 256 walk 01-idea --html "$scratch/walk.html"
    check 'a stack of 256 kB beside any environment' beside_any_environment
else
    echo '# skipped: little memory; there is no prlimit here (util-linux), or the program needs more'
fi

# --- a small stack

# refused_stack WORDS...: it ends with 1, and by no signal.
refused_stack() {
    on_stack "$@" && return 1
    [ $? = 1 ]
}

check 'a walk on 128 kB is refused' refused_stack 128 walk 01-idea --html "$scratch/walk.html" --lang en
check 'with the limit that it needs' has 'the stack is limited to 128 kB'
check 'so is everything else' refused_stack 64 help
check 'in the language asked for' refused_stack 64 help --lang ko
check 'which has the words' has '스택이 64 kB까지만 됩니다'

# Root may have as many processes as there are.
as_other() {
    setpriv --reuid=54321 --regid=54321 --clear-groups "$@"
}
mkdir -m 777 "$scratch/theirs"
chmod 755 "$scratch"
if [ "$(id -u)" = 0 ] && as_other test -r "$lessons/exercises/exercises.txt" 2>/dev/null; then
    # With the programs built before: gcc waits half a minute for a process that it may not start.
    XDG_CACHE_HOME=$scratch/theirs/cache
    check 'somebody else grades' within as_other
    check 'and gives the points' has 'right 10 10/10'
    for processes in 1 2 3 4 6; do
        takes $processes 3 || continue
        check "$processes processes" within as_other prlimit --nproc="$processes"
    done
    XDG_CACHE_HOME=$scratch/cache
else
    echo '# skipped: few processes; it takes root, setpriv, and a tree that others may read'
fi

# full FOLDER COMMAND...: a small disk is mounted there, which nobody else sees.
full() {
    mkdir -p "$1"
    unshare -rm sh -c 'mount -t tmpfs -o size=64k none "$1" && shift &&
        { head -c 65536 /dev/zero >"$1/all" || true; } 2>/dev/null; shift; exec "$@"' sh "$1" "$@"
}
if full "$scratch/disk" true 2>/dev/null; then
    check 'a full disk for what is for a moment' \
        without_programs within full "$scratch/disk" env TMPDIR="$scratch/disk"
    check 'is not judged on' has 'No space left on device'
    check 'a full disk for the programs' \
        without_programs within full "$scratch/disk" env XDG_CACHE_HOME="$scratch/disk"
    check 'is not judged on either' has 'not checked'
else
    echo '# skipped: a full disk; nothing may be mounted here'
fi
try 0 check score --dir "$scratch/work" || true

# --- no programs, and a judge that does not do its work

export ATTNSCOPE_KEEPER="$scratch/nowhere"
check 'no keeper' not_judged
check 'which is named' has "ATTNSCOPE_KEEPER names $scratch/nowhere, which is not a program"
check 'step says so too' not_stepped "ATTNSCOPE_KEEPER names $scratch/nowhere, which is not a program"
unset ATTNSCOPE_KEEPER

export CC="$scratch/nowhere/cc"
usual=$PATH
rm -r "$XDG_CACHE_HOME"
mkdir "$scratch/tools"
for tool in cat cmp grep head sed tr; do
    ln -s "$(command -v "$tool")" "$scratch/tools/$tool"
done
# shellcheck disable=SC2123 # it is what is meant
PATH=$scratch/tools
check 'no compiler' not_judged
check 'which is named' has 'there is no C compiler'
check 'step says so too' not_stepped 'there is no C compiler'
PATH=$usual
unset CC

# In a folder of its own the program takes the judge that lies there.
cp "$attnscope" "$here/attnscope-keeper" "$scratch/tools"
attnscope=$scratch/tools/attnscope
ln -s "$lessons/.." "$scratch/tools/source"
export ATTNSCOPE_WORKERS="$here/lessons/exercises"

# judge_is COMMANDS: the judge is this script, which finds the real one as $judge.
judge_is() {
    rm -f "$scratch/tools/attnscope-judge"
    printf '#!/bin/sh\njudge="%s/attnscope-judge"\n%s\n' "$here" "$1" >"$scratch/tools/attnscope-judge"
    chmod +x "$scratch/tools/attnscope-judge"
}

judge_is 'exec "$judge" "$@"'
check 'the judge of a copy judges' try 0 grade "$handed" score --journal none
judge_is 'kill -KILL $$'
check 'a judge that is killed' not_judged
check 'is told' has 'attnscope-judge crashed on this machine: Killed'
judge_is 'exit 0'
check 'a judge that leaves no record' not_judged
for bytes in 0 1 300 1000; do
    takes $bytes 3 || continue
    judge_is '"$judge" "$@"
        while [ "$1" != --out ]; do shift; done
        head -c '"$bytes"' "$2" >"$2.cut"; mv "$2.cut" "$2"'
    check "a record of which $bytes bytes are there" not_judged
done
judge_is '"$judge" "$@"
    while [ "$1" != --out ]; do shift; done
    echo "{\"schema\": 1, \"exercise\": \"score\", \"tests\": []}" >"$2"'
check 'a record without tests' not_judged
judge_is 'ATTNSCOPE_KEEPER=/nowhere exec "$judge" "$@"'
check 'a judge that can start nothing' not_judged

# --- it was bad only once

judge_is 'mark='"$scratch"'/tried; [ -e "$mark" ] && exec "$judge" "$@"; : >"$mark"; exit 1'
check 'what could not be judged once is tried again' try 0 grade "$handed" score --journal none
check 'and has its points' has 'right 10 10/10'
attnscope=$installed
check 'at the end all is as it was' try 0 check score --dir "$scratch/work"
echo "1..$checks"
