#!/bin/sh
# Runs the commands of the README like somebody who has just cloned this tree: newcomer.sh [whole]
#
# Runs the tests that depend on the machine (tests/meson.build: fresh), or with `whole` all tests. Prints the
# time and the result of each command; the last line is "N passed, N failed[, N skipped]", with the tests and
# one count per promise about a command. Installs what is missing, so run it on a fresh machine, as in
# tests/release/fresh.sh.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

# holds SENTENCE COMMAND...
holds() {
    sentence=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "newcomer: it holds that $sentence"
    else
        failed=$((failed + 1))
        echo "newcomer: IT DOES NOT HOLD that $sentence"
    fi
}

# The size in MB of what is installed, without this tree.
installed() {
    du -sxm --exclude=/home --exclude=/root --exclude=/tmp --exclude=/var/cache --exclude=/var/lib/apt / 2>/dev/null |
        cut -f 1
}

seconds() {
    date +%s
}

# give COMMAND: one of the README's, in a plain shell; what it says is shown and kept.
give() {
    echo "newcomer: $1"
    begun=$(seconds)
    { env -u CI sh -c "$1" </dev/null 2>&1 && echo 0 >"$log.status" || echo "$?" >"$log.status"; } | tee "$log"
    status=$(cat "$log.status")
    rm -f "$log.status"
    echo "newcomer: $1: status $status after $(($(seconds) - begun)) seconds"
}

sed -n 's/ *#.*//; /^sh bootstrap/p' README.md >"$log"
walk=$(sed -n 1p "$log")
test=$(sed -n 2p "$log")
[ "${1:-}" = whole ] || test="$test fresh"
before=$(installed)
give "$walk"
holds "the first command ends well" [ "$status" = 0 ]
holds "it prints document 001's batch" grep -q 'padded-batch' "$log"
echo "newcomer: downloaded $(du -cm /var/cache/apt/archives/*.deb | tail -n 1 | cut -f 1) MB of packages," \
    "installed $(($(installed) - before)) MB, built $(du -sm build | cut -f 1) MB"

give "$test"
holds "the second command ends well" [ "$status" = 0 ]
last=$(tail -n 1 "$log")
tests_passed=$(expr "$last" : '\([0-9]*\) passed') || tests_passed=0
tests_failed=$(expr "$last" : '.* \([0-9]*\) failed') || tests_failed=0
tests_skipped=$(expr "$last" : '.* \([0-9]*\) skipped') || tests_skipped=0
holds "it closes with its counts" [ "$tests_passed" != 0 ]
echo "$((passed + tests_passed)) passed, $((failed + tests_failed)) failed, $tests_skipped skipped"
[ "$((failed + tests_failed))" = 0 ]
