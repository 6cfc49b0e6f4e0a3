# shellcheck shell=sh
# Shared by tests in sh: `check` prints a line of TAP and counts it in `checks`. After a failed check it shows
# the output of `explain`, which a test may redefine. Source it before you change the folder.
checks=0

# A shim of pyenv looks for half a second for the Python that meson has found already.
python3() {
    command "${ATTNSCOPE_PYTHON:-python3}" "$@"
}

explain() {
    :
}

# check SENTENCE COMMAND...: it holds when the command succeeds.
check() {
    checks=$((checks + 1))
    sentence=$1
    shift
    if "$@"; then
        echo "ok $checks - $sentence"
    else
        echo "not ok $checks - $sentence"
        explain | sed 's/^/#   /'
    fi
}

# takes NUMBER EVERY: whether a test takes this one of many cases of one law: every so many, and all with
# ATTNSCOPE_LONG in the environment (sh bootstrap.sh test long).
takes() {
    [ -n "${ATTNSCOPE_LONG:-}" ] || [ $(($1 % $2)) = 0 ]
}

# skip REASON...: the test ends here, as one that could not be made.
skip() {
    echo "1..0 # SKIP $*"
    exit 0
}

# skip_without TOOL...: skips where one of the tools is not installed. bootstrap.sh knows each of them.
skip_without() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip "$tool is not here: CI=true sh bootstrap.sh test installs it"
    done
}

# own_places: the program keeps what it notes in `scratch`. Only what it compiles from what was handed in
# lies with other tests' programs (tests/meson.build): compiling the same solutions took most of their time.
# shellcheck disable=SC2154 # the test sets it
own_places() {
    export XDG_CACHE_HOME="$scratch/cache" XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8
    [ -n "${ATTNSCOPE_TEST_PROGRAMS:-}" ] || return 0
    mkdir -p -m 700 "$ATTNSCOPE_TEST_PROGRAMS" "$scratch/cache/attnscope"
    ln -s "$ATTNSCOPE_TEST_PROGRAMS" "$scratch/cache/attnscope/workers"
}

# try CODE ARGUMENTS...: the program `attnscope` ends with that exit code. What it said is in the
# files out and err of the folder `scratch`.
# shellcheck disable=SC2154 # the test sets both
try() {
    wanted=$1
    shift
    "$attnscope" "$@" >"$scratch/out" 2>"$scratch/err" && code=0 || code=$?
    [ "$code" = "$wanted" ]
}
