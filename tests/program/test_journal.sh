#!/bin/sh
# The journal of grading: test_journal.sh ATTNSCOPE LESSONS prints TAP.
#
# Unchanged submissions are not graded again, changed ones are, and a killed run resumes where it was.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
lessons=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
journal=$scratch/journal
handed=$scratch/handed

explain() {
    head -20 "$scratch/out" "$scratch/err"
    cut -c 1-120 "$journal"
}

for name in anna bert; do
    mkdir -p "$handed/$name"
    for exercise in 08-score 09-scale; do
        cp "$lessons/exercises/$exercise/solution.c" "$handed/$name/${exercise#*-}.c"
    done
    echo "// $name" >>"$handed/$name/scale.c"
done
sed -i 's/#include "attnscope.h"/&\n#include "mine.h"/' "$handed/anna/score.c"
echo 'enum { MINE = 1 };' >"$handed/anna/mine.h"
cat >"$handed/bert/softmax.c" <<'END'
#include "attnscope.h"
void softmax(const Tensor *scores, Tensor *weights) { nonsense
END

# lines COUNT: the journal has so many whole lines.
lines() {
    [ "$(wc -l <"$journal")" = "$1" ]
}

# graded COUNT [ARGUMENTS...]: grades, and then the journal has so many lines.
graded() {
    count=$1
    shift
    try 0 grade "$handed" --journal "$journal" "$@" && lines "$count"
}

check 'each judged exercise is a line' graded 5
cp "$scratch/out" "$scratch/table"
check 'nothing is judged twice' graded 5
check 'and the table is the same' cmp -s "$scratch/out" "$scratch/table"
check 'another format judges nothing' graded 5 --format json
cp "$scratch/out" "$scratch/json"
check 'nor one exercise alone' graded 5 score
check 'one at a time finds the same' graded 5 -j 1 --format json
check 'byte for byte' cmp -s "$scratch/out" "$scratch/json"
mv "$handed" "$scratch/elsewhere"
handed=$scratch/elsewhere
check 'where the folder lies does not matter' graded 5 --format json
check 'to the results either' cmp -s "$scratch/out" "$scratch/json"
check 'no result names the folder' sh -c '! grep -qF "$0" "$1"' "$scratch" "$journal"

echo '// better' >>"$handed/bert/scale.c"
check 'a corrected file is judged anew' graded 6
echo 'enum { MINE_TOO = 2 };' >>"$handed/anna/mine.h"
check 'so is one whose header has changed' graded 7
check 'other numbers are another result' graded 12 --seed 5
cp "$handed/bert/scale.c" "$handed/anna/scale.c"
check 'what somebody else has handed in too is known' graded 12

printf '{"key":"torn' >>"$journal"
check 'a torn line is passed over' graded 12
rm "$handed/bert/softmax.c"
cp "$lessons/exercises/11-softmax/solution.c" "$handed/bert/softmax.c"
check 'and stands alone: the torn one is ended first' graded 14
check 'what stood behind it is found' graded 14
: >"$scratch/empty"
check 'no journal is kept where none is wanted' try 0 grade "$handed" score --journal none
check 'none' [ ! -e none ]
# shown ARGUMENTS...: what a grading with these shows of its progress, in a terminal.
shown() {
    python3 - "$attnscope" grade "$handed" --lang en "$@" >"$scratch/shown" <<'END'
import os, subprocess, sys
ours, theirs = os.openpty()
program = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
said = b""
try:
    while piece := os.read(ours, 4096):
        said += piece
except OSError:
    pass
print([part.split(b",")[0].decode() for part in said.split(b"\r\x1b[K")], program.wait())
END
    grep -qF "['', '0 of 2 submissions', '1 of 2 submissions', '2 of 2 submissions', ''] 0" "$scratch/shown"
}
check 'submissions are judged beside one another all the same, and counted' shown --journal none
check 'as with a journal' shown --journal "$scratch/another"
mkfifo "$scratch/pipe"
check 'a pipe is no journal' try 1 grade "$handed" score --journal "$scratch/pipe"
printf '#!/bin/sh\necho precious\n' >"$scratch/script"
cp "$scratch/script" "$scratch/before"
check 'nor is a file with anything else in it' try 1 grade "$handed" score --journal "$scratch/script" --lang en
check 'which is said' grep -qF 'script is not an attnscope journal and was not changed' "$scratch/err"
check 'and true' cmp -s "$scratch/script" "$scratch/before"
printf '{"ke' >"$scratch/cut"
check 'one that was torn in its first line is' try 0 grade "$handed" score --journal "$scratch/cut"
check 'one that cannot be made is told' try 1 grade "$handed" score --journal "$scratch/nowhere/journal"
check 'without --journal it lies in the cache' try 0 grade "$handed" score
check 'as a file of its own' sh -c '[ "$(ls "$0" | wc -l)" = 1 ]' "$XDG_CACHE_HOME/attnscope/grades"

# --- killed

journal=$scratch/killed
handed=$scratch/many
for name in a b c d; do
    mkdir -p "$handed/$name"
    for exercise in 08-score 09-scale 11-softmax; do
        { cat "$lessons/exercises/$exercise/solution.c" && echo "// $name"; } \
            >"$handed/$name/${exercise#*-}.c"
    done
done

# killed_at COUNT: a grading is killed as soon as the journal has so many lines; it may be done before.
killed_at() {
    "$attnscope" grade "$handed" --journal "$journal" -j 2 >"$scratch/out" 2>"$scratch/err" &
    process=$!
    touch "$journal"
    until [ "$(wc -l <"$journal")" -ge "$1" ] || ! kill -0 "$process" 2>/dev/null; do
        sleep 0.02
    done
    kill -KILL "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
}

for count in 1 3 4 6 9 11; do
    takes "$count" 6 || continue
    last=$count
    killed_at "$count"
    check "killed at line $count" [ "$(wc -l <"$journal")" -ge "$count" ]
done
check 'the rest is judged' try 0 grade "$handed" --journal "$journal"
check 'each of the twelve is there' sh -c '[ "$(cut -d, -f1 "$0" | sort -u | wc -l)" = 12 ]' "$journal"
# What a killed grading had begun is ended beside the next one, which may judge it too. A journal that
# nobody reads would have the last one's twelve lines behind those waited for.
check 'what was judged before is not judged again' [ "$(wc -l <"$journal")" -lt $((last + 12)) ]
all=$(cat "$(dirname "$0")"/../../lessons/exercises/*/exercise.yaml | awk '/^points:/ { sum += $2 } END { print sum }')
check 'and all have their points' sh -c '[ "$(grep -c " 30/$1" "$0")" = 4 ]' "$scratch/out" "$all"
# A disk that is full: one page holds no line of the journal that is whole.
mkdir "$scratch/small"
if mount -t tmpfs -o size=4k tmpfs "$scratch/small" 2>/dev/null; then
    head -c 4096 /dev/zero >"$scratch/small/filled"
    check 'a full disk is a fault of the machine' try 1 grade "$handed" --journal "$scratch/small/journal" --lang en
    check 'where all is judged nevertheless' grep -q '30/' "$scratch/out"
    check 'and it is said that it is not kept' \
        grep -qxF 'attnscope: cannot write the journal: No space left on device' "$scratch/err"
    umount "$scratch/small"
else
    echo '# skipped: a full disk; nothing can be mounted here'
fi
echo "1..$checks"
