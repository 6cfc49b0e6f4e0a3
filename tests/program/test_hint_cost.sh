#!/bin/sh
# What a hint costs: test_hint_cost.sh ATTNSCOPE LESSONS prints TAP.
#
# A learner asks for hints in a workspace, hands it in, and a course takes 10 percent for each.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
lessons=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
handed=$scratch/handed
mkdir "$handed"

explain() {
    head -c 3000 "$scratch/out" "$scratch/err"
}

# hints LINES: what anna's file says, the sentence about it apart.
hints() {
    [ "$(grep -v '^#' "$handed/anna/exercises/hints.txt" 2>/dev/null | tr '\n' ,)" = "$1" ]
}

hint() {
    "$attnscope" hint "$@" --dir "$handed/anna" >"$scratch/out" 2>"$scratch/err"
}

check 'a workspace' try 0 init "$handed/anna" --lang en
check 'has no hints at first' [ ! -e "$handed/anna/exercises/hints.txt" ]
check 'one is asked for' hint scale
hint scale
check 'then the next, and one of another exercise' hint score
check 'each exercise has its highest' hints 'score 1,scale 2,'
hint scale 1
check 'an earlier one that is shown again changes nothing' hints 'score 1,scale 2,'

# Where the function computes another formula, a hint tells the step of it, then how it differs, then the place.
try 0 init "$scratch/gus" --lang en
sed 's/k, b, h, j, d/k, b, h, j, 0/' "$lessons/exercises/08-score/solution.c" >"$scratch/gus/exercises/score.c"
tells() {
    "$attnscope" hint score "$1" --dir "$scratch/gus" --lang "$2" >"$scratch/out" 2>"$scratch/err" &&
        grep -q "$3" "$scratch/out"
}
check 'the first hint names the step of another formula' tells 1 en 'It differs in the step score'
check 'the second how it differs' tells 2 en 'differs like this: an index is always 0'
check 'also in Korean' tells 2 ko '인덱스가 늘 0'
check 'and the third the place' tells 3 en 'yours: .* k\[b,h,j,0\]'
for exercise in 08-score 09-scale 11-softmax; do
    cp "$lessons/exercises/$exercise/solution.c" "$handed/anna/exercises/${exercise#*-}.c"
done
printf 'exercises: [score, scale, softmax]\nhint_cost: 10\n' >"$handed/course.yaml"

# The same handed in otherwise: as an archive, flat, and with a file that is none, or says too much.
tar czf "$handed/bert.tar.gz" -C "$handed/anna" exercises
mkdir "$handed/cora"
cp "$handed/anna/exercises/"*.[ct]* "$handed/cora"
for name in dora emil fred; do
    cp -r "$handed/cora" "$handed/$name"
    rm "$handed/$name/hints.txt"
done
mkfifo "$handed/dora/hints.txt"
ln -s ../cora/hints.txt "$handed/emil/hints.txt"
printf '\000\nscale 9\nscale -1\nnothing 3\nscore\n\033[31m 2\n' >"$handed/fred/hints.txt"

# points NAME POINTS: score, scale and softmax have 10 each; a hint takes 10 percent of its exercise's.
points() {
    [ "$(awk -v name="$1" '$1 == name && !sum { print $NF; sum = 1 }' "$scratch/out")" = "$2/30" ]
}

check 'a course takes something for each' try 0 grade "$handed" --lang en
check 'one of score, two of scale: 9 + 8 + 10' points anna 27
check 'in an archive too' points bert 27
check 'and where the files lie alone' points cora 27
check 'a pipe is no list of hints' points dora 30
check 'nor is a link to somebody else' points emil 30
check 'the fourth and what lies beyond is a place in a lecture: 10 + 7 + 10' points fred 27
check 'which hints they were is told' grep -qF 'anna  hints that cost points' "$scratch/out"
check 'with their cost' grep -qF 'score 1, scale 2 (10 %)' "$scratch/out"
check 'and that anybody can change them' grep -qF 'which the student can edit' "$scratch/out"
check 'one without the file is told' grep -qF 'dora  it has no hints.txt' "$scratch/out"
mkdir "$scratch/without"
cp -r "$handed/course.yaml" "$handed/dora" "$handed/emil" "$scratch/without"
check 'where nobody has the file' try 0 grade "$scratch/without" --lang en
check 'that is said once' \
    sh -c '[ "$(grep -c hints.txt "$0")" = 1 ] && grep -q "^No submission has a hints.txt" "$0"' "$scratch/out"
check 'in Korean' try 0 grade "$handed" --lang ko
check 'too' grep -qF '점수를 깎는 힌트' "$scratch/out"
check 'the platforms are told' try 0 grade "$handed" --format json
check 'as well' grep -qF 'score 1, scale 2 (10 %)' "$scratch/out"
rm "$handed/course.yaml"
check 'a course that says nothing' try 0 grade "$handed" --lang en
check 'takes nothing' sh -c '! grep -q hints.txt "$0" && grep -q "30/" "$0"' "$scratch/out"
echo "1..$checks"
