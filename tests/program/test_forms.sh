#!/bin/sh
# The result formats of platforms: test_forms.sh ATTNSCOPE LESSONS prints TAP. forms.py holds what each
# platform documents.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
lessons=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
handed=$scratch/handed
one=$scratch/one

explain() {
    head -c 3000 "$scratch/out" "$scratch/err"
}

# hand_in FOLDER: score is right, scale wrong, softmax does not compile.
hand_in() {
    mkdir -p "$1"
    cp "$lessons/exercises/08-score/solution.c" "$1/score.c"
    sed 's/\/ *scale/* scale/; s/sqrtf/fabsf/' "$lessons/exercises/09-scale/solution.c" >"$1/scale.c"
    echo 'int softmax( {' >"$1/softmax.c"
}

hand_in "$one/Kim Anna_12345_assignsubmission_file_"
hand_in "$handed/Kim Anna_12345_assignsubmission_file_"
hand_in "$handed/choi_LATE_5551_777_attention"
hand_in "$handed/=cmd|' \"x\"!A1, #%s<b>"
hand_in "$handed/quo\"te, comma; 'tick"
hand_in "$handed/$(printf 'line\nok 99 - forged')"
hand_in "$handed/$(printf 'bidi\342\200\256txt')"
cat >"$scratch/course.yaml" <<'END'
name: Spring
exercises: [{name: score, points: 20}, scale, {name: softmax, points: 2.5}, {name: dropout, extra: true}]
END

# form NAME [ARGUMENTS...]: what comes out is what the platform documents.
form() {
    name=$1
    shift
    try 0 grade "$@" --course "$scratch/course.yaml" --format "$name" --lang en &&
        python3 "$(dirname "$0")/forms.py" "$name" "$scratch/out" >>"$scratch/err" 2>&1
}

for name in gradescope classroom autolab prairielearn exercism tap moodle canvas junit; do
    check "$name: one submission" form "$name" "$one"
done
for name in tap moodle canvas junit; do
    check "$name: a class, with hostile names" form "$name" "$handed"
done
# nothing FORMAT: a submission that holds nothing has no points but the reason, and is no quiet 0.
nothing() {
    name=$1
    try 1 grade "$scratch/nothing" scale --format "$name" --lang en --report "$scratch/report.html" || return 1
    case $name in
    text) grep -qx 'park *?  0/0' "$scratch/out" ;;
    moodle) grep -q '"park","park",,0,"' "$scratch/out" ;;
    canvas) grep -q '"park",,,"park",,$' "$scratch/out" ;;
    prairielearn) grep -q '"gradable": false' "$scratch/out" ;;
    gradescope) grep -q '"nothing_found": true' "$scratch/out" ;;
    classroom) sed -n 's/^result=//p' "$scratch/out" | base64 -d >>"$scratch/err" ;;
    tap | junit | exercism) grep -q 'error' "$scratch/out" ;;
    esac && cat "$scratch/out" "$scratch/err" | grep -q 'none of its files has the name of an exercise, such as scale.c'
}
mkdir -p "$scratch/nothing/park"
: >"$scratch/nothing/park/report.pdf"
for name in text json gradescope classroom autolab prairielearn exercism tap moodle canvas junit; do
    check "$name: a submission that holds nothing" nothing "$name"
done
check 'the page about a class' grep -q 'none of its files has the name of an exercise' "$scratch/report.html"

# is_bounded NAME: of names that nobody reads to their end none stands in full.
is_bounded() {
    try 0 grade "$handed" --course "$scratch/course.yaml" --format "$1" --lang en &&
        grep -q 'y…y' "$scratch/out" && ! grep -q 'y\{1000\}' "$scratch/out"
}
long=$(head -c 5000 /dev/zero | tr '\0' y)
mkdir "$handed/long"
printf '#include "%s.h"\n' "$long" >"$handed/long/score.c"
printf '#include "attnscope.h"\nint scale(void)\n{\n    return %s;\n}\n' "$long" >"$handed/long/scale.c"
for name in text json tap moodle junit; do
    check "$name: names of 5000 letters" is_bounded "$name"
done
for name in gradescope classroom autolab prairielearn exercism; do
    check "$name is for one submission" try 1 grade "$handed" --format "$name"
    check 'which is said' grep -qF 'is for one submission' "$scratch/err"
done
check 'in Korean' try 0 grade "$one" score --format gradescope --lang ko
check 'there is Korean' grep -qF '내적' "$scratch/out"
check 'a learner is told of a known mistake what it is, in Korean' \
    try 0 grade "$one" scale --format gradescope --lang ko
check 'behind its name' grep -qF 'scale-by-d-k: 점수를 sqrt(d_k)가 아니라 d_k로 나눴습니다.' "$scratch/out"
echo 'exercises: [score, {name: scale, extra: true}]' >"$scratch/extra.yaml"
check 'a wrong exercise that is extra takes no points' \
    try 0 grade "$one" --course "$scratch/extra.yaml" --format exercism
check 'but Exercism is not told that all passed' \
    sh -c 'head -n 3 "$0" | grep -qF "\"status\": \"fail\""' "$scratch/out"

# status_is STATUS [ARGUMENTS...]: what Classroom's reporter ends the workflow with.
status_is() {
    status=$1
    shift
    try 0 grade "$one" --course "$scratch/extra.yaml" --format classroom "$@" &&
        [ "$(python3 "$(dirname "$0")/forms.py" classroom_status "$scratch/out")" = "$status" ]
}

check 'a wrong exercise that is extra fails the workflow in Classroom' status_is fail
echo 'exercises: [score, {name: dropout, extra: true}]' >"$scratch/extra.yaml"
check 'an extra one that is not begun fails nothing' status_is pass
printf 'deadline: 2020-01-01 00:00\nlate: {days: 3, cost: 10}\nexercises: [score]\n' >"$scratch/extra.yaml"
touch -t 202001021200 "$one"/*/*.c "$one"/*
check 'nor do the points that late days cost' status_is pass
# points_are POINTS COURSE: what Classroom takes of a course.
points_are() {
    echo "$2" >"$scratch/whole.yaml"
    try 0 grade "$one" --course "$scratch/whole.yaml" --format classroom &&
        [ "$(python3 "$(dirname "$0")/forms.py" classroom_points "$scratch/out")" = "$1" ]
}

check 'whole points are handed to Classroom as they are' points_are 7/7 'exercises: [{name: score, points: 7}]'
check 'nothing is said of them' [ ! -s "$scratch/err" ]
check 'a quarter becomes whole' points_are 5/5 'exercises: [{name: score, points: 1.25}]'
check 'which is said' grep -qF '1.25 of 1.25 points are reported as 5 of 5' "$scratch/err"
check 'what no number of times makes whole is told in the same share' \
    points_are 2/2 'exercises: [{name: score, points: 1.41421356}]'
check 'what is wrong in a course has its place' sh -c '
    echo "exercises: [skore]" >"$2" && ! "$0" grade "$1" --course "$2" 2>"$3" && grep -qF "$2:1:13: " "$3"' \
    "$attnscope" "$one" "$scratch/wrong.yaml" "$scratch/err"
echo 'versions: first' >"$scratch/wrong.yaml"
check 'another, told in Korean' try 1 grade "$one" --course "$scratch/wrong.yaml" --lang ko
check 'by what there is to choose' grep -qF 'wrong.yaml:1:11: versions는 best 또는 last입니다' "$scratch/err"
echo 'fence: whole' >"$one/course.yaml"
check 'course.yaml beside the submissions counts' try 0 grade "$one" score

# --- what --init writes

export PATH="$scratch/bin:$PATH"
mkdir "$scratch/bin"
ln -s "$(cd "$(dirname "$attnscope")" && pwd)/attnscope" "$scratch/bin/attnscope"
for folder in "$lessons"/platforms/*; do
    platform=${folder##*/}
    check "$platform: a folder is written" try 0 grade --init "$platform" "$scratch/$platform"
    check 'its course is one' try 0 grade "$one" score --format json \
        --course "$(find "$scratch/$platform" -name course.yaml)"
    check 'nothing is written over' try 1 grade --init "$platform" "$scratch/$platform"
done
check 'a workspace has room in the template for GitHub Classroom' try 0 init "$scratch/classroom"
for script in gradescope/setup.sh gradescope/run_autograder prairielearn/run.sh; do
    check "$script is a script" sh -c 'test -x "$0" && sh -n "$0"' "$scratch/$script"
done
check 'a platform that nobody knows' try 1 grade --init moodle "$scratch/moodle"
told_platforms=$(sed -n 's/.*must be one of \(.*\)not .*/\1/p' "$scratch/err" | tr ' ' '\n' | sort | xargs)
check 'those that are known are told' [ "$told_platforms" = "$(cd "$lessons/platforms" && echo *)" ]
check 'nor does it write' [ ! -e "$scratch/moodle" ]

# ends_with_points FILE FORM: the scripts of a platform, run as it runs them, leave its results.
ends_with_points() {
    grep -qF "$2" "$1"
}
mkdir -p "$scratch/autograder/submission" "$scratch/grade" "$scratch/lab"
cp "$one"/Kim*/score.c "$scratch/autograder/submission"
cp -r "$scratch/gradescope" "$scratch/autograder/source"
check 'gradescope runs its script' \
    env AUTOGRADER="$scratch/autograder" "$scratch/autograder/source/run_autograder"
check 'and finds results' ends_with_points "$scratch/autograder/results/results.json" '"score": 10.0'
cp -r "$scratch/autograder/submission" "$scratch/grade/student"
cp -r "$scratch/prairielearn/tests" "$scratch/grade/tests"
check 'prairielearn runs its script' env GRADE="$scratch/grade" "$scratch/prairielearn/run.sh"
check 'and finds results' ends_with_points "$scratch/grade/results/results.json" '"score": 0.25'
cp "$scratch/autolab/autograde-Makefile" "$scratch/lab"
tar cf "$scratch/lab/autograde.tar" -C "$scratch/autolab" course.yaml
tar cf "$scratch/lab/handin.tar" -C "$scratch/autograder/submission" score.c
if command -v make >/dev/null; then
    check 'autolab runs its Makefile' sh -c 'cd "$0" && make -s -f autograde-Makefile >out' "$scratch/lab"
    check 'and finds scores in the last line' \
        sh -c 'tail -1 "$0" | grep -qF "{\"scores\":{\"score\":10.0"' "$scratch/lab/out"
else
    echo '# skipped: autolab; there is no make here'
fi
echo "1..$checks"
