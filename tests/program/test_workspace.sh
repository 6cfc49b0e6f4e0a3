#!/bin/sh
# A learner's path through the commands, with their output: test_workspace.sh ATTNSCOPE LESSONS prints TAP.
# Folder names have spaces and Korean letters.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
lessons=$2/exercises
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
work="$scratch/my work 연습장"
XDG_STATE_HOME="$scratch/state"
XDG_CACHE_HOME="$scratch/cache"
export XDG_STATE_HOME XDG_CACHE_HOME

explain() {
    cat "$scratch/out" "$scratch/err"
}

# The same for an exercise in the workspace.
do_it() {
    wanted=$1
    shift
    try "$wanted" "$@" --dir "$work"
}

says() {
    grep -q -- "$1" "$scratch/out" "$scratch/err"
}

lists() {
    do_it 0 list exercises && grep -q "$1" "$scratch/out"
}

same() {
    cmp -s "$1" "$2"
}

write() {
    cat >"$work/exercises/$1.c"
}

solve() {
    cp "$lessons"/[0-9][0-9]-"$1"/solution.c "$work/exercises/$1.c"
}

# --- the way

check "a workspace is made" try 0 init "$work" --lang en
check "and again, without a change" try 0 init "$work" --lang en
check "what it says" says 'is complete'
check "the exercises are listed" lists 'score *0/10 *not begun'
check "from inside, no folder needs to be named" sh -c 'cd "$1/exercises" && "$2" next >"$3"' sh \
    "$work" "$attnscope" "$scratch/out"
check "which shows the first task" says "Exercise 1 of $(grep -c . "$(dirname "$0")/../../lessons/exercises/exercises.txt"): pad"
check "a stub is not checked" do_it 1 check score
check "and is said to be one" says 'has not changed yet'
check "no solution before" do_it 1 solution score
check "but the way to it" says 'attnscope hint score'
solve score
check "a solution passes" do_it 0 check score
check "and counts" lists '✓  8  score *10/10 *passed'
check "the solution is shown now" do_it 0 solution score
echo '// one more line' >>"$work/exercises/score.c"
check "changed, it is no longer done" lists 'score *0/10 *changed after passing'
check "JSON is for programs" do_it 0 check score --json
check "and holds the verdict" says '"verdict"'

write scale <<'END'
#include "attnscope.h"
void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_scaled, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) / d_k;
}
END
cp "$work/exercises/score.c" "$scratch/score.c"
sed 's/\*tensor_at4(scores, b, h, i, j) = sum;/if (i != j) &/' "$lessons/08-score/solution.c" \
    >"$work/exercises/score.c"
check "numbers that are never set" do_it 1 check score
check "are called so" says 'of them were never set'
check "without a word about adding, which nobody does there" sh -c '! grep -qF "+=" "$0"' "$scratch/out"
cp "$scratch/score.c" "$work/exercises/score.c"
check "scores divided by d_k" do_it 1 check scale
check "is a mistake with a name" says 'divided by d_k instead of its square root'
check "and can be had again" says '--seed 1'

for level in 1 2 3; do
    do_it 0 hint scale
    check "hint $level" says "hint $level of 3"
done
do_it 0 hint scale
check "then the lecture" says 'attnscope walk .*#'
do_it 0 hint scale 1
check "and the first again" says 'hint 1 of 3'

cp "$work/exercises/scale.c" "$scratch/mine"
check "a reset" do_it 0 reset scale
check "keeps what was there" same "$work/exercises/scale.c.1" "$scratch/mine"
check "and says where" says 'scale.c.1'
check "an unknown name" do_it 2 check scroe
check "is guessed" says "did you mean 'score'"

# --- what stands in the way

echo 'void scale(' | write scale
check "what does not compile" do_it 1 check scale
check "is said in the compiler's words" says 'error:'
check "and in plain ones" says 'In other words'

write scale <<'END'
#include "attnscope.h"
void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    (void)d_k, (void)scores_scaled;
    for (volatile int turn = 0; scores;)
        turn = 0;
}
END
check "an endless loop ends" do_it 1 check scale
solve scale
check "and the next check is as ever" do_it 0 check scale

{
    printf '#ifndef GIVEN\n#error the option was not given\n#endif\n'
    cat "$lessons"/[0-9][0-9]-concat/solution.c
} >"$work/exercises/concat.c"
check "an option that a file needs" do_it 1 check concat
check "is missed" says 'was not given'
with_an_option() {
    (CC='cc -O1  -DGIVEN=1' && export CC && do_it 0 check concat)
}
check "CC may hold it" with_an_option

(PATH=$scratch CC=no-such-compiler && export PATH CC && do_it 1 check scale)
check "without a compiler" says 'there is no C compiler'
check "nothing is lost" lists 'scale *10/10 *passed'

mkdir "$scratch/tools"
for tool in cc gcc as ld addr2line; do
    place=$(command -v $tool) && ln -s "$place" "$scratch/tools/$tool"
done
write scale <<'END'
#include "attnscope.h"
void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    (void)scores, (void)d_k, (void)scores_scaled;
}
END
(PATH=$scratch/tools && export PATH && do_it 1 debug scale)
check "without gdb" says 'gdb is not installed'
check "watch without a terminal" do_it 1 watch scale
check "names check" says 'attnscope check'

solve scale
(XDG_STATE_HOME=/dev/null/state && do_it 0 check scale)
check "where nothing can be kept, it is judged all the same" says 'not saved'
do_it 0 check scale
cp "$scratch/state/attnscope/progress" "$scratch/before"
cp "$work/exercises/scale.c" "$scratch/mine"
check "a full disk" sh -c 'trap "" XFSZ; ulimit -f 0; "$1" check scale --dir "$2" | cat >/dev/null
    "$1" reset scale --dir "$2" 2>&1 | cat | grep -q "cannot write"' sh "$attnscope" "$work"
check "loses no progress" same "$scratch/state/attnscope/progress" "$scratch/before"
check "and no code" same "$work/exercises/scale.c" "$scratch/mine"
if [ -c /dev/full ]; then
    "$attnscope" list exercises --dir "$work" >/dev/full 2>"$scratch/err" && code=0 || code=$?
    : >"$scratch/out"
    check "output to a full disk is said" [ "$code" = 1 ]
fi
check "a folder that cannot be made" try 1 init /dev/null/work
check "is said" says 'cannot make the folder'
mkdir "$scratch/other" && echo mine >"$scratch/other/README.md"
check "somebody's folder" try 1 init "$scratch/other"
check "was left alone" says 'README.md already exists'
check "no workspace" try 1 check score --dir "$scratch/other"
check "and how to make one" says 'attnscope init'
check "a folder with a space" try 0 init "$scratch/my own" --lang en
check "is a word of the command that begins" says "  cd '$scratch/my own'\$"
check "one that is no workspace" try 1 check score --dir "$scratch/my own/exercises"
check "is one of the command that makes it one" says "attnscope init '$scratch/my own/exercises'"

solve score
solve weighted-sum
"$attnscope" check score --dir "$work" >/dev/null &
"$attnscope" check weighted-sum --dir "$work" >/dev/null &
wait
check "two at once" lists 'score *10/10 *passed'
check "and both are kept" lists 'weighted-sum *10/10 *passed'
check "no probe and no temporary file stays" sh -c '! ls -A "$1/exercises" | grep -q "^[.]\|new$"' sh "$work"
echo "1..$checks"
