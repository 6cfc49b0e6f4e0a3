#!/bin/sh
# Kills a grading at random moments: test_killed.sh ATTNSCOPE LESSONS prints TAP.
#
# A kill may cost the exercises that are being checked, one per running submission, and nothing else: finished
# work is in the journal. A script replaces the judge and notes each start, in its own tree.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
built=$(dirname "$1")
lessons=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
journal=$scratch/journal
handed=$scratch/handed
kills=2
[ -z "${ATTNSCOPE_LONG:-}" ] || kills=20
lost=0

explain() {
    echo "seed $seed; $(started) judged, $(kept) of them kept; here $lost were lost"
    head -20 "$scratch/out" "$scratch/err"
}

# --- the program, with a judge that is counted

tree=$scratch/tree
mkdir "$tree"
cp "$1" "$tree/attnscope"
attnscope=$tree/attnscope
for part in attnscope-keeper attnscope-unpack lessons source; do
    ln -s "$(realpath "$built/$part")" "$tree/$part"
done
cat >"$tree/attnscope-judge" <<END_OF_JUDGE
#!/bin/sh
echo >>"$scratch/judged"
exec "$(realpath "$built")/attnscope-judge" "\$@"
END_OF_JUDGE
chmod +x "$tree/attnscope-judge"

# --- a class: right, wrong, of no compiler's liking, one that leaves, and some of it in archives

right() {
    cat "$lessons/exercises/$1/solution.c" && echo "// $name"
}

for name in anna bert cora dora emil fred; do
    mkdir -p "$handed/$name/exercises"
    right 08-score >"$handed/$name/exercises/score.c"
    right 09-scale >"$handed/$name/exercises/scale.c"
    right 05-project >"$handed/$name/exercises/project.c"
    right 11-softmax >"$handed/$name/exercises/softmax.c"
done
sed -i 's/sqrtf//' "$handed/bert/exercises/scale.c"
sed -i 's/for/fro/' "$handed/cora/exercises/softmax.c"
sed -i 's/^}/exit(0);}/; 1i #include <stdlib.h>' "$handed/dora/exercises/score.c"
tar czf "$handed/cora_12345_attention.tar.gz" -C "$handed/cora" exercises
python3 -m zipfile -c "$handed/dora.zip" "$handed/dora/exercises"
rm -r "$handed/cora" "$handed/dora"
exercises=24

# --- killed

: >"$journal"
: >"$scratch/judged"
seed=$(date +%s)
echo "# seed $seed"

whole() {
    grep -a '^{"key":"[^"]*","what":{.*}$' "$journal" || true
}

# started, kept: how many were begun to be judged, and how many of them have their line. cora's softmax
# has one of which no judge hears.
started() {
    wc -l <"$scratch/judged"
}
kept() {
    whole | grep -acv '"end":"not-compiled"' || true
}

# at_work: somebody of this grading still is.
at_work() {
    [ -n "$(find /proc -maxdepth 2 -name exe -lname "$tree/attnscope" 2>/dev/null)" ]
}

# killed_after STARTS SECONDS JOBS WHOM: so long after so many more were begun, which is as random on a
# slow machine as on a fast one; the program alone, or all of its processes (a group of their own).
killed_after() {
    cp "$journal" "$scratch/before"
    lost=$(($(started) - $(kept)))
    until=$(($(started) + $1))
    setsid "$attnscope" grade "$handed" --journal "$journal" -j "$3" >"$scratch/out" 2>"$scratch/err" &
    process=$!
    while [ "$(started)" -lt "$until" ] && kill -0 "$process" 2>/dev/null; do
        sleep 0.02
    done
    sleep "$2"
    kill -s KILL -- "$4$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
    while at_work; do
        sleep 0.05
    done
    lost=$(($(started) - $(kept) - lost))
    [ "$lost" -le "$3" ] && cmp -s -n "$(wc -c <"$scratch/before")" "$scratch/before" "$journal"
}

python3 -c 'import random, sys
random.seed(int(sys.argv[1]))
for i in range(int(sys.argv[2])):
    print(random.randrange(1, 5), f"{random.uniform(0, 0.08):.3f}", random.choice("112"), "-" * random.randrange(2))' \
    "$seed" "$kills" >"$scratch/moments"
while read -r starts seconds jobs whom; do
    check "killed $seconds s after $starts were begun, $jobs at a time${whom:+, all of its processes}" \
        killed_after "$starts" "$seconds" "$jobs" "$whom"
done <"$scratch/moments"

check 'the rest is judged' try 0 grade "$handed" --journal "$journal"
cp "$scratch/out" "$scratch/table"
check 'each exercise of each has its line' \
    [ "$(whole | grep -ao '^{"key":"[^"]*"' | sort -u | wc -l)" = "$exercises" ]
count=$(started)
try 0 grade "$handed" --journal "$journal" || true
check 'nothing is judged any more' [ "$(started)" = "$count" ]
check 'the results are those of a grading that nobody stopped' sh -c '
    "$0" grade "$1" --journal none -j 1 | cmp -s - "$2"' "$attnscope" "$handed" "$scratch/table"
echo "1..$checks"
