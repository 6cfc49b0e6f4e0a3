#!/bin/sh
# Scenarios are named one at a time, by name or by their document's number: test_names.sh ATTNSCOPE
# prints TAP.
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
    grep -qF -- "$1" "$scratch/out" "$scratch/err"
}

for command in trace print heatmap; do
    check "$command refuses a second name" try 2 "$command" causal softmax
    check "$command says which" says "only one scenario at a time: got 'causal' and 'softmax'"
    check "$command refuses a sentence without quotes" try 2 "$command" --text She gave him the book
    check "$command shows the quotes" says 'put the sentence in quotes: --text "She gave ..."'
    check "$command without a scenario is wrong usage" try 2 "$command"
    check "and says so" says 'which scenario?'
done
# refuses SENTENCE ARGUMENTS...: wrong usage, with this sentence.
refuses() {
    told=$1
    shift
    check "refused: $*" try 2 "$@"
    check "with: $told" says "$told"
}
refuses 'use one of them' print causal --tensor q --compare attention.scale=none
refuses 'use one of them' print memory --answer --formulas
refuses '--stage does not work with' print causal --stage softmax --tensor q
refuses '--stage does not work with' print memory --stage softmax --answer
refuses '--exact does not work with' print memory --exact --answer
refuses 'leave out --stage' print causal --stage softmax --format json
refuses 'use one of them' walk 01 --html "$scratch/a.html" --slides "$scratch/a"
refuses 'without --present and --script' walk 01 --html "$scratch/a.html" --present
refuses 'should end in .html; a browser prints it as .pdf' walk 01 --worksheet "$scratch/a.pdf"
refuses '--seed needs --worksheet' walk 01 --html "$scratch/a.html" --seed 2
refuses '--minutes needs --notes' walk 01 --minutes 5
refuses "unknown lecture 'nothing'; attnscope list lectures lists them" walk nothing
refuses "did you mean '05-causal'?" walk 05-casual
refuses "01-idea has no page 'nothing'; its pages are 1 to 22" walk '01#nothing'
check 'and nothing is written' test ! -e "$scratch/a.html" -a ! -e "$scratch/a.pdf"
check "a document with one scenario is a name" try 0 print 000 --tensor attn_weights
cp "$scratch/out" "$scratch/number"
check "it names that scenario" try 0 print self-attention --tensor attn_weights
check "both are the same" cmp -s "$scratch/out" "$scratch/number"
check "a document with several is none" try 1 print 002
check "and they are named" says "four-heads, four-heads-corrected, scaled-dot-product, scaled-dot-product-printed"
check "a cell that is none is refused" try 2 heatmap causal --origin 1,2
check "it is named as it was typed: --origin" says "--origin must be HEAD,ROW,COLUMN"
check "so is one beyond the tensor" try 2 heatmap causal --origin 9,9,9
check "that is --origin, too" says "--origin 9,9,9"
check "and --at where that was typed" try 2 heatmap causal --at 1,2
check "it is named as it was typed: --at" says "--at must be HEAD,ROW,COLUMN"
echo "1..$checks"
