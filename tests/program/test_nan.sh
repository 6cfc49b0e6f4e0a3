#!/bin/sh
# NaN has no sign: test_nan.sh ATTNSCOPE prints TAP. The first row has every key masked, so softmax divides
# 0 by 0, which x86 answers with a NaN whose sign is set; whatever writes numbers says nan for it.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8
cd "$scratch"
cat >s.yaml <<'END'
input: {vectors: [[[1, 2], [3, .nan], [5, 6]]]}
model: {d_model: 2, heads: 1}
attention: {mask_file: [[true, true, true], [false, false, false], [false, true, true]]}
weights: {manual_seed: 1, draw: [q_proj, k_proj, v_proj, out_proj]}
END
explain() {
    grep -i -- '-nan' out | head -5
}

# unsigned WORDS...: the command says nan somewhere, and never -nan.
unsigned() {
    "$attnscope" "$@" >out 2>&1 && cat extra.* >>out 2>/dev/null
    rm -f extra.*
    grep -qi nan out && ! grep -qi -- '-nan' out
}

for words in '' '--exact' '--tensor attn_weights' '--exact --tensor attn_weights' \
    '--exact --tensor output' '--tensor attn_weights --format json' \
    '--exact --tensor attn_weights --format json' '--backward'; do
    # shellcheck disable=SC2086
    check "print $words" unsigned print s.yaml $words
done
check 'trace' unsigned trace s.yaml
check 'heatmap --csv' unsigned heatmap s.yaml --csv extra.csv
check 'heatmap --svg' unsigned heatmap s.yaml --svg extra.svg
check 'heatmap --origin' unsigned heatmap s.yaml --origin 0,0,1 --svg extra.svg
check 'heatmap --compare' unsigned heatmap s.yaml --compare attention.scale=none --csv extra.csv

# Token b reads a and itself: (0, 1) + (-0.5, 0.5). So x has logit 1.5 and y inf times -0.5, but y is inf times 0 in the
# embedding of b. With an infinite b every logit is NaN, and no word is the likeliest.
model() {
    cat <<END
input: {words: [x, y]}
model: {vocabulary_words: [x, y], d_model: 2, heads: 1, questions: [next], qkv_bias: false, out_bias: false,
        residual: true, parts: true}
attention: {mask: causal}
weights: {values: {embedding.weight: [[-1, 0], [0, $1]], q_proj.weight: [[0, 0], [0, 0]],
  k_proj.weight: [[0, 0], [0, 0]], v_proj.weight: [[1, 0], [0, 1]], out_proj.weight: [[1, 0], [0, 1]],
  readout.weight: [[[0, 1], [.inf, 0]]]}}
END
}
model 1 >m.yaml
model .inf >lost.yaml
check 'print --answer' unsigned print m.yaml --answer
check 'with the likeliest' grep -q '^answer "x" at token 1, "y": logit 1.5' out
refused() {
    ! "$attnscope" "$@" >out 2>&1 && grep -q 'NaN' out
}
check 'no word is the answer to NaN' refused print lost.yaml --answer
check 'nor written' refused write 'x y' lost.yaml
echo "1..$checks"
