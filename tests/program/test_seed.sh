#!/bin/sh
# attnscope seed as a person uses it: test_seed.sh ATTNSCOPE TESTS prints TAP.
#
# A whole search takes minutes, so one is interrupted, and gone on with near its end.
# shellcheck disable=SC2016 # what a script is to expand itself
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
printed=$2/documents/002_q.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8

explain() {
    head -20 "$scratch/out" "$scratch/err"
}

# says TEXT: what was said last holds the text.
says() {
    cat "$scratch/out" "$scratch/err" | tr '\n' ' ' | tr -s ' ' | grep -qF -- "$1"
}

# ends CODE ARGUMENT...: attnscope, asked so, ends with the code.
ends() {
    wanted=$1
    shift
    code=0
    "$attnscope" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
    [ "$code" = "$wanted" ]
}

# Interrupts a search as soon as it says that it has begun.
interrupted() {
    mkfifo "$scratch/pipe"
    "$attnscope" seed scaled-dot-product "$printed" >"$scratch/out" 2>"$scratch/pipe" &
    search=$!
    while read -r line; do
        echo "$line"
        case $line in *"trying all"*) kill -TERM "$search" ;; esac
    done <"$scratch/pipe" >"$scratch/err"
    code=0
    wait "$search" || code=$?
    [ "$code" = 1 ] && says "run the same command to resume"
}

state() {
    echo "$scratch"/state/attnscope/seed-*
}

# The last two pieces are left, and the seed was found before.
nearly_done() {
    printf 'next %s\nfound 3761981812\n' $((4294967296 - 131072)) >"$(state)"
    ends 0 seed scaled-dot-product "$printed" && says "manual_seed 3761981812" &&
        says "q 12 of 12 numbers" && says "from 100.0 % on"
}

check "an interrupted search is kept" interrupted
check "the same question goes on there" nearly_done
check "what is done is not kept" [ ! -e "$(state)" ]

none() {
    interrupted_again && printf 'next 4294901760\n' >"$(state)" &&
        ends 1 seed scaled-dot-product "$printed" && says "no manual_seed gives these numbers"
}
interrupted_again() {
    rm -f "$scratch/pipe"
    interrupted
}
check "where no seed makes the numbers, it says so" none

damaged() {
    rm -f "$scratch/pipe"
    interrupted && echo "next 12" >"$(state)" && rm -f "$scratch/pipe" && interrupted &&
        says "from 0.0 % on"
}
check "a damaged state is none" damaged

check "no scenario is a misuse" ends 2 seed
check "a file that is not there" ends 1 seed scaled-dot-product nowhere.txt
check "text without a number" ends 1 seed scaled-dot-product /dev/null
check "numbers that no draw alone decides" ends 1 seed padded-batch --tensor q '[0.5, 0.25, 0.1]'
check "and why" says "the seed of q cannot be searched"
echo "1..$checks"
