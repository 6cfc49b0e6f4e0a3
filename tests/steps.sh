# shellcheck shell=sh
# What tests of windows share, to be sourced: a line of TAP for each check, and waiting. `checks` counts;
# what the program said on stderr is in the file `errors`.
checks=0

# check SENTENCE COMMAND...: it holds when the command succeeds.
check() {
    checks=$((checks + 1))
    sentence=$1
    shift
    if "$@"; then
        echo "ok $checks - $sentence"
    else
        echo "not ok $checks - $sentence"
        sed 's/^/#   /' errors 2>/dev/null || true
    fi
}

# Waits, at most ten seconds, until a command succeeds.
until_it() {
    for _ in $(seq 100); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    return 1
}

# Waits until the program of process `shown` has ended; its status.
ended() {
    status=0
    until_it test ! -d "/proc/$shown" || return 1
    wait "$shown" || status=$?
    shown=
    return "$status"
}
