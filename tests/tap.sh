# shellcheck shell=sh
# What tests in sh share, to be sourced before they change their folder: a line of TAP for each
# check. `checks` counts them. What `explain` prints, which a test may define anew, is shown below a
# check that fails.
checks=0

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

# try CODE ARGUMENTS...: the program `attnscope` ends with that exit code. What it said is in the
# files out and err of the folder `scratch`.
# shellcheck disable=SC2154 # the test sets both
try() {
    wanted=$1
    shift
    "$attnscope" "$@" >"$scratch/out" 2>"$scratch/err" && code=0 || code=$?
    [ "$code" = "$wanted" ]
}
