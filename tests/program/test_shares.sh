#!/bin/sh
# The time of a submission is shared by its functions: test_shares.sh ATTNSCOPE LESSONS KEEPER prints TAP.
#
# Endless functions use all the time they get: 2.5 s of starts and calls for the first exercise, half of it for
# the next one, and so on (src/grading/course_file.c). The judge must report that time to within 100 ms.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
lessons=$2
keeper=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places

explain() {
    head -40 "$scratch/out" "$scratch/err"
}

mkdir -p "$scratch/endless/w" "$scratch/right/w"
for folder in 08-score 11-softmax 14-concat; do
    sed 's/^    (void).*;$/&\n    for (volatile int again = 1; again;)\n        continue;/' \
        "$lessons/exercises/$folder/exercise.c" >"$scratch/endless/w/${folder#*-}.c"
done
# A program of its own: what another test has compiled would not be compiled here.
{ cat "$lessons/exercises/08-score/solution.c" && echo "// of $scratch"; } >"$scratch/right/w/score.c"

check 'three functions that never end are judged' try 0 grade "$scratch/endless" --format json --journal none
cp "$scratch/out" "$scratch/endless.json"

# spent NUMBER MILLISECONDS: what the exercise of that number, from 0 on, has taken.
spent() {
    python3 - "$scratch/endless.json" "$1" "$2" <<'PYTHON'
import json
import sys

path, number, wanted = sys.argv[1:]
judged = [one for one in json.load(open(path))[0]["exercises"] if one["end"] == "judged"]
spent = judged[int(number)]["verdict"]["spent"]
assert int(wanted) <= spent <= int(wanted) + 100, spent
PYTHON
}
check 'the first takes all of its share' spent 0 2500
check 'the second half as much' spent 1 1250
check 'the third half of that' spent 2 625

# The compiler's 8 seconds stand in what the keeper is called with.
cat >"$scratch/noting" <<END
#!/bin/sh
[ "\$1" != tool ] || echo "\$2" >>'$scratch/noted'
exec '$keeper' "\$@"
END
chmod +x "$scratch/noting"
notes() {
    cat "$scratch/noted" >>"$scratch/err"
    [ "$(grep -cx 8 "$scratch/noted")" = 2 ]
}
ATTNSCOPE_KEEPER=$scratch/noting
export ATTNSCOPE_KEEPER
check 'a right function is judged' try 0 grade "$scratch/right" score --journal none --lang en
check 'the keeper hears it for each of its two programs' notes
echo "1..$checks"
