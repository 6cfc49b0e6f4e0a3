#!/bin/sh
# A learner's functions as stages: test_mine.sh ATTNSCOPE LESSONS prints TAP.
#
# The learner's code is the solutions of the exercises, and one that leaves out the last product of every score.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
lessons=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
file=/dev/null # the last one that was looked into

# has FILE TEXT: a line of it holds the text.
has() {
    file=$1
    grep -qF -- "$2" "$file"
}

# The program fails; what it says is in the file `bad`.
refused() {
    file=$scratch/bad
    ! "$attnscope" "$@" >"$file" 2>&1
}

# ends CODE WORDS...: the program ends so; what it says besides screens is in the file `errors`.
ends() {
    wanted=$1 code=0
    shift
    file=$scratch/errors
    "$attnscope" "$@" >"$scratch/out" 2>"$file" || code=$?
    [ "$code" = "$wanted" ]
}

explain() {
    head -30 "$file"
}

work="$scratch/my 일"
"$attnscope" init "$work" >/dev/null
check 'a workspace in which nothing is written is refused' refused print padded-batch --mine "$work"
check 'in a sentence' has "$scratch/bad" 'no function to run in'

for folder in "$lessons"/exercises/[0-9]*; do
    name=${folder##*/}
    cp "$folder/solution.c" "$work/exercises/${name#*-}.c"
done
"$attnscope" print padded-batch --stage embed >"$scratch/right"
"$attnscope" print padded-batch --stage embed --mine "$work" >"$scratch/mine" 2>"$scratch/errors"
check 'where nothing is added up, right functions give the very same text' \
    cmp -s "$scratch/right" "$scratch/mine"
check 'it is said which stages they are' has "$scratch/errors" 'running your functions as pad, '

# A formula is edited where none of the functions runs: here only scale is the learner's.
part=$scratch/part
"$attnscope" init "$part" >/dev/null
cp "$lessons/exercises/09-scale/solution.c" "$part/exercises/scale.c"
edit='attn_weights[b,h,i,j] = 2 * scores_scaled[b,h,i,j]'
"$attnscope" print causal --formula "$edit" --tensor attn_weights >"$scratch/right"
"$attnscope" print causal --formula "$edit" --tensor attn_weights --mine "$part" >"$scratch/mine" 2>/dev/null
check 'a formula can be edited beside a learner'"'"'s function' cmp -s "$scratch/right" "$scratch/mine"
check 'but not the formula of that function' \
    refused print causal --mine "$part" --formula 'scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k'
check 'in a sentence' has "$scratch/bad" 'your function computes scale here'

sed 's/d < q->shape\[3\]/d + 1 < q->shape[3]/' "$lessons/exercises/08-score/solution.c" \
    >"$work/exercises/score.c"
check 'the slip of this test is in the file' has "$work/exercises/score.c" 'd + 1 <'
echo screen >"$scratch/keys"
"$attnscope" step score --dir "$work" --script "$scratch/keys" --size 120x30 >"$scratch/step"
check 'step stops at the first number that differs' has "$scratch/step" 'scores[0, 0, 0, 0] = '
check 'with both numbers' has "$scratch/step" ' beside'
check 'and what explains them' has "$scratch/step" 'lacks its last term'
sed 's/k, b, h, j, d/k, b, h, i, d/' "$lessons/exercises/08-score/solution.c" \
    >"$work/exercises/score.c"
"$attnscope" step score --dir "$work" --script "$scratch/keys" --size 160x30 >"$scratch/step"
check 'a slip in the formula is told' has "$scratch/step" 'at the key j'
check 'above the right one' has "$scratch/step" 'sum_d q[b,h,i,d] * k[b,h,i,d]'

# Stages that only some scenarios have: grouped heads, a residual, rotary positions of the exercise's base.
for name in grouped-queries residual; do
    "$attnscope" step "$name" --dir "$work" --script "$scratch/keys" --size 160x30 >"$scratch/step"
    check "$name is stepped through, and the solution is right" \
        has "$scratch/step" "your $name gives exactly the same numbers here"
done
"$attnscope" step rope --dir "$work" --script "$scratch/keys" --size 160x30 >"$scratch/step"
check 'rope turns by the angles of the exercise' has "$scratch/step" 'changed: attention.rope=10000'
sed 's/l, d) + /l, d) - /' "$lessons/exercises/28-residual/solution.c" >"$work/exercises/residual.c"
"$attnscope" step residual --dir "$work" --script "$scratch/keys" --size 160x30 >"$scratch/step"
check 'a residual that is subtracted differs at its first number' \
    has "$scratch/step" 'output_residual[0, 0, 0] = '
cp "$lessons/exercises/28-residual/solution.c" "$work/exercises/residual.c"
check 'an exercise that is no stage says so' refused step sampling --dir "$work" --script "$scratch/keys"
check 'and where to look' has "$scratch/bad" 'attnscope check sampling'

sed 's/d < q->shape\[3\]/d + 1 < q->shape[3]/' "$lessons/exercises/08-score/solution.c" \
    >"$work/exercises/score.c"
printf 'compare-swap\norigin\nscreen\n' >"$scratch/keys"
"$attnscope" step score --dir "$work" --script "$scratch/keys" --size 120x40 >"$scratch/step"
check 'in front, it is said whose function computed' has "$scratch/step" 'computed by your function'
check 'and that the terms come to another number' has "$scratch/step" 'is stored'

printf 'compare mine %s\nlast\ncompare-as stages\nscreen\n' "$work" >"$scratch/keys"
"$attnscope" trace causal --script "$scratch/keys" --size 120x40 >"$scratch/run"
check 'the stepper compares with a workspace' has "$scratch/run" 'beside: mine'

"$attnscope" heatmap causal --compare "mine $work" --tensor scores --svg "$scratch/mine.svg"
check 'a picture compares with it, too' has "$scratch/mine.svg" 'compared with: mine'
# Two heads of 6 x 6 scores, each of which lacks its last term.
check 'and tells how many numbers differ' has "$scratch/mine.svg" '72 of 72 numbers differ'

echo 'this is no C' >"$work/exercises/score.c"
check 'a function that does not build is refused' refused print causal --mine "$work"
check 'with its place' has "$scratch/bad" 'score.c'
echo screen >"$scratch/keys"
check 'nor is it stepped through' ends 1 step score --dir "$work" --script "$scratch/keys"
sed 's/float sum = 0.*/&\n*(volatile int *)0 = 1;/' "$lessons/exercises/08-score/solution.c" \
    >"$work/exercises/score.c"
crash='your function uses a pointer that is NULL'
check 'step ends with 1 where the function crashes' \
    ends 1 step score --dir "$work" --script "$scratch/keys"
check 'which is told to whoever reads no screens' has "$scratch/errors" "$crash"
check 'the screens are there' has "$scratch/out" "$crash"
check 'so it is with a picture' ends 1 step score --dir "$work" --png "$scratch/screen.png"
check 'which is written' test -s "$scratch/screen.png"
printf 'last\nscreen\n' >"$scratch/keys"
check 'a script of a run of such functions ends so, too' \
    ends 1 trace causal --mine "$work" --script "$scratch/keys"
check 'and says why' has "$scratch/errors" "$crash"
printf 'compare mine %s\nlast\nscreen\n' "$work" >"$scratch/keys"
check 'and so does one with such a run beside it' ends 1 trace causal --script "$scratch/keys"
check 'in the same words' has "$scratch/errors" "$crash"
sed 's/float sum = 0.*/float sum = 0.0f; for (;;) sum += 1.0f;/' \
    "$lessons/exercises/08-score/solution.c" >"$work/exercises/score.c"
check 'a function that never ends is refused' refused print causal --mine "$work"
check 'in a sentence' has "$scratch/bad" 'a loop that never ends'
echo "1..$checks"
