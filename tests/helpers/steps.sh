# shellcheck shell=sh
# What tests of windows share, to be sourced: checks, and waiting. What the program said on stderr is
# in the file `errors`.
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"

explain() {
    cat errors 2>/dev/null || true
}

# Waits until a command succeeds. A minute and more is not a measure of anything: on a machine that has much
# else to do, a hang ends all the same.
until_it() {
    for _ in $(seq 1000); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    return 1
}

is_gone() {
    ! kill -0 "$shown"
}

# Waits until the program of process `shown` has ended; its status.
ended() {
    status=0
    until_it is_gone || return 1
    wait "$shown" || status=$?
    shown=
    return "$status"
}
