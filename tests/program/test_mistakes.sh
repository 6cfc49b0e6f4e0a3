#!/bin/sh
# The bank of mistakes on the command line: test_mistakes.sh ATTNSCOPE MISTAKES.DEF prints TAP.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
def=$2
said=$(mktemp)
trap 'rm -f "$said"' EXIT

explain() {
    cat "$said"
}

# ask ARGUMENT...: what the program says lies in $said, its exit code in $code.
ask() {
    code=0
    "$attnscope" "$@" >"$said" 2>&1 || code=$?
}

ask list mistakes --lang en
check "the list has a line for each mistake" [ "$(wc -l <"$said")" = "$(grep -c '^ROW(' "$def")" ]
check "a line says what the mistake is" grep -q '^scale-missing  *The scores are not divided' "$said"
ask list mistakes --lang ko
check "the list speaks Korean" grep -q '^scale-missing  *점수를' "$said"

ask print causal --mistake mask-zero --lang en
check "print explains the mistake first" [ "$(head -1 "$said")" = "a mistake: mask-zero" ]
check "and runs the pipeline with it" grep -q 'scores = scores.masked_fill(attn_mask, 0)' "$said"
ask print causal --mistake mask-zero --tensor scores_masked --lang en
# The first token of document 003 sees itself alone: five zeros where -inf should be.
check "masked scores are 0" grep -q '^tensor(.*\(,  0\.0000\)\{5\}\],$' "$said"
ask print scaled-dot-product --mistake merge-without-transpose --lang en
check "it says where no number can differ" grep -q 'no numbers differ here: this scenario has no step that it changes' "$said"
ask print causal --mistake mask-zero --format json
check "JSON names the mistake" grep -q '^ "mistake": "mask-zero"' "$said"

ask print causal --mistake mask-zeros
check "an unknown name is refused" [ $code = 2 ]
check "with the one that was meant" grep -q "did you mean 'mask-zero'" "$said"
ask print causal --mistake mask-zero --compare attention.scale=none
check "two other ways at once are refused" [ $code = 2 ]
ask list mistakes --lang de
check "so is a language that nobody wrote in" [ $code = 2 ]
echo "1..$checks"
