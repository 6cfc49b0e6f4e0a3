#!/bin/sh
# attnscope bench works, and reports what is wrong with a peer: test_bench.sh ATTNSCOPE prints TAP. No
# times are checked.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

explain() {
    cat "$scratch/out" "$scratch/err"
}

says() {
    grep -q -- "$1" "$scratch/out" "$scratch/err"
}

peer='while read -r word name rest; do
    case $word in
    open) echo "$name $rest" >"'$scratch'/asked" && echo ready ;;
    run) echo 0.5 ;;
    esac
done'

unset ATTNSCOPE_ISA
check "a workload is measured beside a peer" try 0 bench A --short --json --peer "$peer"
check "the peer's own times are shown" says '"median": 0.5'
check "the peer is told the sizes" grep -qx 'A 1 3 8 4 none 1' "$scratch/asked"
check "and by which factor, with its spread" says '"peer_ratio_spread"'
check "a peer that does not start is a failure" try 1 bench A --short --peer false
check "and is said" says "the peer did not answer 'open A 1 3 8 4 none 1'"
check "a peer that talks nonsense is a failure" try 1 bench A --short --peer 'echo hello; cat >/dev/null'
check "and is said" says "the peer answered 'hello'"
check "a scenario is measured by its name" try 0 bench causal --short --json
check "with its multiply-adds a second" says '"flops"'
check "a name that is nothing is a failure" try 1 bench casual --short
check "and is said" says "unknown scenario 'casual'"
check "without a table" cmp -s /dev/null "$scratch/out"
check "stages are measured beside their bounds" try 0 bench four-heads --short --json --stages --svg "$scratch/roof.svg"
check "with the share that they reach" says '"of_bound"'
check "and drawn" grep -q '<circle class="stage"' "$scratch/roof.svg"
check "a picture that cannot be written is a failure" try 1 bench four-heads --short --svg "$scratch/nowhere/roof.svg"
check "and is said" says 'nowhere/roof.svg'
check "the table of stages names the limit of each" try 0 bench four-heads --short --stages
check "in words" says '^    softmax .*'
check "starting and stepping are measured" try 0 bench start step --short --json
check "up to the first frame of the stepper" says 'start to first frame'
check "and from a key to its frame" says 'from a key to its frame'
check "so is the window, up to where a number came from" try 0 bench window
[ ! -r /proc/self/statm ] || check "with what its process holds" says 'memory of its process'
check "a training is measured, on two threads" try 0 bench train --short --json --threads 2
check "as it was asked" says '"threads": 2'
check "beside what the kernel does alone" says '"of_tile"'
check "a class is graded" try 0 bench grade --short --lang en
check "cold, and again" says '^a class of 2, 2 exercises each: .* s, .* ms for each exercise; from the journal: .* s$'
check "for programs too" try 0 bench grade --short --json
check "with both times" says '"again_seconds"'
check "0 threads are refused" try 2 print causal --threads 0
check "and it is said how many there may be" says '--threads must be a whole number from 1 to'
for count in 4.0 4e0 0x4 +4 ' 4'; do
    check "nor are '$count'" try 2 print causal --threads "$count"
    check "which is named" says "not '$count'"
done
check "7 threads are accepted on any machine" try 0 print causal --threads 7

check "a trace that memory has no room for is refused" try 1 print self-attention --set 'input.vectors={randn: [1, 500000, 24]}' --set model.d_model=24 --set model.heads=4
check "with its size, and with what can be done" says 'need 12.0 TB, but this machine has .*(--spill FOLDER)'
check "files keep a trace where a folder is named" try 0 print causal --spill "$scratch"
check "a folder that is not there is said" try 1 print causal --spill "$scratch/nowhere"
check "by its name" says "nowhere: No such file or directory"
check "a size worth knowing is said before it is taken" try 0 print self-attention --stage score --set 'input.vectors={randn: [1, 2400, 24]}' --set model.d_model=24 --set model.heads=4
check "in words" says 'self-attention: keeping every tensor takes 27.\.. MB'

ATTNSCOPE_ISA=abacus
export ATTNSCOPE_ISA
check "an instruction set that is not there is refused" try 2 print causal
check "and those that are there are named" says "ATTNSCOPE_ISA is 'abacus', but this machine and this build support: .*plain"
echo "1..$checks"
