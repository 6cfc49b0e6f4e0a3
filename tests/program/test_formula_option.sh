#!/bin/sh
# A step computed by another formula: test_formula_option.sh ATTNSCOPE LESSONS prints TAP. Queries and keys are
# x itself, so scores are x x^T = [[4, 0], [0, 16]], and divided by d_k = 2 they are [[2, 0], [0, 8]].
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(realpath "$1")
lessons=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
cd "$scratch" || exit 1
cat >own.yaml <<'END'
input: {vectors: [[[2, 0], [0, 4]]]}
model: {d_model: 2, heads: 1, qkv_bias: false, out_proj: false}
weights: {values: {q_proj.weight: [[1, 0], [0, 1]], k_proj.weight: [[1, 0], [0, 1]], v_proj.weight: [[1, 0], [0, 1]]}}
END
divided='scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k'

explain() {
    head -n 5 "$scratch/out" "$scratch/err"
}

# holds FILE TENSOR NUMBERS: the table of the tensor, whose first three columns tell the place.
holds() {
    "$attnscope" heatmap --maps "$1#$2" --csv table.csv >out 2>err &&
        [ "$(grep -v '^#' table.csv | sed 1d | cut -d, -f4- | tr ',\n' '  ')" = "$3" ]
}

same_numbers() {
    [ "$(sed -n '/^grad.x =/,$p' "$1")" = "$(sed -n '/^grad.x =/,$p' "$2")" ] && grep -q '^grad.x =' "$1"
}

# halves FILE FILE TENSOR: every number of the first is half of that of the second, and one is not 0.
halves() {
    for file in "$1" "$2"; do
        "$attnscope" heatmap --maps "$file#$3" --csv table.csv >out 2>err || return 1
        grep -v '^#' table.csv | sed 1d | cut -d, -f4- | tr ',' '\n' >"$file.numbers"
    done
    paste "$1.numbers" "$2.numbers" |
        awk '{ if (2 * $1 - $2 > 1e-6 || $2 - 2 * $1 > 1e-6) bad = 1; if ($2 != 0) some = 1 } END { exit bad || !some }'
}

tells_none() {
    ! grep -qaF 'scores[b,h,i,j]' "$1"
}

tells_no_option() {
    ! grep -qF 'formulas.' "$1"
}

tells_no_weights() {
    ! grep -q attn_weights "$1"
}

for kind in npz safetensors; do
    check "$kind: an edited step is written" try 0 export own.yaml "edited.$kind" --formula "$divided"
    check "$kind: and told" grep -qF "$divided" out
    check "$kind: what it reads stays" holds "edited.$kind" scores '4 0 0 16 '
    check "$kind: its numbers are the formula's" holds "edited.$kind" scores_scaled '2 0 0 8 '
    check "$kind: the file tells the formula" grep -qaF "$divided" "edited.$kind"
    check "$kind: two formulas" try 0 export own.yaml "two.$kind" --formula "$divided" \
        --formula 'attn_weights[b,h,i,j] = scores_scaled[b,h,j,i] + 1'
    check "$kind: the second reads what the first made" holds "two.$kind" attn_weights '3 1 1 9 '
    check "$kind: without a formula the file tells none" try 0 export own.yaml "plain.$kind"
    check "$kind: none is in it" tells_none "plain.$kind"
    check "$kind: sizes that differ are refused" try 1 export own.yaml "bad.$kind" \
        --formula 'scores[b,h,i,j] = sum_d q[b,i,d]'
    check "$kind: and nothing is written" [ ! -e "bad.$kind" ]
done

# Queries that come later are not computed yet; keys that came before are.
check "what is computed later is not read" try 1 export own.yaml later.npz \
    --formula 'scores_scaled[b,h,i,j] = scores_scaled[b,h,j,i] + 1'
check "its place is told" grep -qF '1:26: this element of scores_scaled is not computed yet' err
check "nor is it with all its axes at once" try 1 export own.yaml later.npz \
    --formula 'scores_scaled[...] = 2 * scores_scaled[...]'
check "nor is its place left untold" grep -qF '1:26: this element of scores_scaled is not computed yet' err
check "a running sum is computed" try 0 export own.yaml sum.npz \
    --formula 'scores_scaled[b,h,i,j] = j > 0 ? scores_scaled[b,h,i,j-1] + scores[b,h,i,j] : scores[b,h,i,j]'
# scores is [[4, 0], [0, 16]]; along the keys [4, 4 + 0] and [0, 0 + 16].
check "it reads what came before" holds sum.npz scores_scaled '4 4 0 16 '

# A scenario may keep the formula itself; its place is told where it fits no step.
with_formula() {
    cp own.yaml "$1"
    echo "formulas: {$2}" >>"$1"
}
with_formula kept.yaml "scores_scaled: \"$divided\""
check "a scenario keeps a formula" try 0 export kept.yaml kept.npz
check "its numbers are the formula's" holds kept.npz scores_scaled '2 0 0 8 '
check "the file tells it" grep -qaF "$divided" kept.npz
check "--formula goes before it" try 0 export kept.yaml other.npz --formula 'scores_scaled[b,h,i,j] = scores[b,h,i,j]'
check "so it does" holds other.npz scores_scaled '4 0 0 16 '
with_formula size.yaml 'scores: "scores[b,h,i,j] = sum_d q[b,i,d]"'
with_formula key.yaml "scores: \"$divided\""
with_formula none.yaml 'score: "score[b] = 1"'
with_formula open.yaml 'scores: "scores[b,h,i,j] = (1"'
for case in 'size 1:25' 'key scores_scaled' 'none score' 'open 1:21'; do
    # shellcheck disable=SC2086 # words
    set -- $case
    check "$1: refused" try 1 print "$1.yaml"
    check "$1: with its place" grep -q "$1.yaml:4:[0-9]*: .*$2" err
done
# scores is [[4, 0], [0, 16]], and half of it beside.
check "two formulas are compared" try 0 print own.yaml --compare "formula $divided"
check "where they differ" grep -qF 'first difference: scores_scaled[0,0,0,0] is 2.828' out
check "the page of formulas" try 0 print own.yaml --formulas --formula "$divided"
check "has the edited one" grep -qF "$divided;" out
check "and as JSON" try 0 print own.yaml --formulas --format json --formula "$divided"
check "too" grep -qF "\"$divided\"" out
check "float64 beside a formula" try 0 print kept.yaml --exact --tensor scores_scaled
check "is the formula's" grep -qE '\[0,0,1,1\] +8 +8 +0' out

# What is typed into the stepper is saved as such a scenario.
cat >typed <<END
formula $divided
formula attn_weights[b,h,i,j] = scores_scaled[b,h,j,i] + 1
undo
save-scenario saved.yaml
END
check "typed" try 0 trace own.yaml --script typed
check "and saved" grep -qF 'formulas:' saved.yaml
check "the saved one runs" try 0 export saved.yaml saved.npz
check "with the same numbers" holds saved.npz scores_scaled '2 0 0 8 '
check "without what was undone" tells_no_weights saved.yaml

# The list of edits and the picture name the formula as it was typed.
cat >typed <<END
formula $divided
goto scale
changes
screen
END
check "an edit" try 0 trace own.yaml --script typed --size 120x30
check "is shown as a formula" grep -qE "^.* 1  scores_scaled\[b,h,i,j\]" out
check "not as an option" tells_no_option out

# A mistake, functions of one's own and an edited formula are not mixed.
check "a mistake in the same step" try 1 print causal --mistake scale-missing --formula "$divided"
check "is refused" grep -qF 'is computed by a mistake here' err

# Dividing by d_k would leave the gradient of the division by sqrt(d_k) beside it, unless that is edited too.
own_gradient='scores_scaled[b,h,i,j] = scores[b,h,i,j] / scale'
gradient_divided='grad.scores[b,h,i,j] = grad.scores_scaled[b,h,i,j] / d_k'
for command in 'print gradient' 'export gradient g.npz' 'print causal --set backward=true' \
    'print causal --backward'; do
    # shellcheck disable=SC2086 # words
    check "$command: no gradients of another formula" try 1 $command --formula "$divided"
    check "$command: nothing is shown" [ ! -s out ]
done
check "the formula as it is has its gradients" try 0 print gradient --formula "$own_gradient" --tensor grad.x
cp out typed_back
check "the same ones" try 0 print gradient --tensor grad.x
check "as without it" same_numbers typed_back out
# x is [[2, 0], [0, 4]], q = k = v = x; the half square's gradient is the output. By 1/2 the gradient of
# scores is half that of scores_scaled.
sed 's/out_proj: false/&/; $a backward: true' own.yaml >back.yaml
check "a gradient's formula is edited" try 0 export back.yaml half.npz \
    --formula 'grad.scores[b,h,i,j] = grad.scores_scaled[b,h,i,j] / 2'
check "and another" try 0 export back.yaml one.npz --formula 'grad.scores[b,h,i,j] = grad.scores_scaled[b,h,i,j]'
check "it is half of the other" halves half.npz one.npz grad.scores
check "what comes later follows" halves half.npz one.npz grad.q
check "both formulas edited" try 0 print gradient --formula "$divided" --formula "$gradient_divided"
check "a name of two gradients" try 1 print gradient --formula 'grad_scores[b,h,i,j] = 0'
check "tells both" grep -qF 'grad.scores_scaled, grad.scores' err
check "a role is a name" try 0 export own.yaml role.npz --formula 'weights[b,h,i,j] = scores[b,h,j,i] + 1'
# scores is [[4, 0], [0, 16]] / sqrt(2) = [[2.828427, 0], [0, 11.313708]]
check "of the tensor that plays it" holds role.npz attn_weights '3.828427 1 1 12.313708 '
check "a sentence tells how" try 1 print gradient --formula "$divided"
check "which" grep -qF -- '--set backward=false' err
check "what it tells works" try 0 print "$lessons/scenarios/gradient.yaml" --set backward=false \
    --formula "$divided"
no_gradients() {
    ! grep -q 'grad[._]' out
}
check "without gradients" no_gradients
check "without a formula there are gradients" try 0 print gradient --tensor grad.x

# An option cannot be another option's value.
no_value() {
    try 2 print own.yaml --compare --formula "$divided" && grep -q -e '--compare needs a value' err
}
check "a comparison without what to compare with" no_value
echo "1..$checks"
