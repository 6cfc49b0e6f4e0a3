#!/bin/sh
# The messages about late submissions: test_late.sh ATTNSCOPE LESSONS prints TAP.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
export TZ=UTC
handed=$scratch/handed

explain() {
    head -40 "$scratch/out" "$scratch/err"
}

# hand_in NAME TIME: a right exercise.
hand_in() {
    mkdir -p "$handed/$1"
    cp "$solution" "$handed/$1/score.c"
    touch -t "$2" "$handed/$1"
}

# course LATE: with this line about what comes late.
course() {
    printf 'exercises: [score]\ndeadline: 2026-12-01 12:00\n%s\n' "$1" >"$scratch/course.yaml"
}

# graded LANGUAGE [FORMAT]
graded() {
    "$attnscope" grade "$handed" --course "$scratch/course.yaml" --lang "$1" --format "${2:-text}" \
        >"$scratch/out" 2>"$scratch/err"
}

# told LINE: as a whole.
told() {
    grep -qxF -- "$1" "$scratch/out"
}

solution=$2/exercises/08-score/solution.c
hand_in in_time 202612011200
hand_in minutes 202612011210
hand_in second 202612021600
hand_in last 202612041200
hand_in over 202612041201
hand_in far 202612050000

course 'late: {days: 3, cost: 10}'
check 'days that are allowed' graded en
check 'what came in time is not mentioned' sh -c '! grep -q "^in_time  [a-z]" "$0"' "$scratch/out"
check 'and has all' grep -qx 'in_time  *10  10/10' "$scratch/out"
check 'ten minutes are a day that has begun' \
    told 'minutes  0.1 days late, day 1 of the 3 allowed: 90 % of its points count'
check 'and cost one' grep -qx 'minutes  *9  9/10' "$scratch/out"
check 'days that are left are to be seen' \
    told 'second  1.2 days late, day 2 of the 3 allowed: 80 % of its points count'
check 'the last moment' \
    told 'last  3.0 days late, day 3 of the 3 allowed: 70 % of its points count'
check 'a minute after it never looks like it' \
    told 'over  3.1 days late, later than allowed (3): 0 points'
check 'and has none' grep -qx 'over  *0  0/10' "$scratch/out"
check 'half a day more' told 'far  3.5 days late, later than allowed (3): 0 points'
check 'in Korean' graded ko
check 'days that are left' told 'second  마감보다 1.2일 늦게 제출했습니다(2일째, 최대 3일). 점수의 80 %를 인정합니다'
check 'over them' told 'far  마감보다 3.5일 늦게 제출했습니다. 늦어도 되는 날(3일)이 지나 0점입니다'
for form in json junit tap moodle canvas; do
    check "as $form" graded en "$form"
    [ "$form" = canvas ] || check 'it is told, too' grep -qF '1.2 days late, day 2 of the 3' "$scratch/out"
done
course 'late: {days: 1, cost: 0}'
check 'a day that costs nothing' graded en
check 'has all of its points' \
    told 'minutes  0.1 days late, day 1 of the 1 allowed: 100 % of its points count'
course ''
check 'nothing late is allowed' graded en
check 'which is said' told 'minutes  0.1 days late, and no late days are allowed: 0 points'
check 'also in Korean' graded ko
check 'of that' told 'minutes  마감보다 0.1일 늦게 제출했습니다. 늦은 제출은 인정하지 않아 0점입니다'
echo "1..$checks"
