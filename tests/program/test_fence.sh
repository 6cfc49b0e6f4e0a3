#!/bin/sh
# The sandbox without Landlock: test_fence.sh ATTNSCOPE SOURCE NO_LANDLOCK prints TAP.
#
# Without Landlock an assembler can read any file of its user (.incbin). Code that names the directive is refused,
# code that hides it earns no points, every result format reports the gap, and --require-fence runs nothing.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
source=$2
without=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8
"$without" "$attnscope" --version >/dev/null || {
    echo "1..0 # SKIP system calls cannot be hidden here"
    exit 0
}

explain() {
    head -40 "$scratch/out" "$scratch/err"
}

for name in incbin incbin_hidden; do
    mkdir -p "$scratch/handed/$name"
    sed "s#@SOURCE@#$source#g" "$(dirname "$0")/../attacks/handed-in/$name.c" >"$scratch/handed/$name/scale.c"
done
mkdir -p "$scratch/handed/right" "$scratch/alone/right"
cp "$source/lessons/exercises/09-scale/solution.c" "$scratch/handed/right/scale.c"
cp "$scratch/handed/right/scale.c" "$scratch/alone/right"

# grades CODE ARGUMENT...: without Landlock it ends so.
grades() {
    wanted=$1
    shift
    code=0
    "$without" "$attnscope" grade "$@" --lang en >"$scratch/out" 2>"$scratch/err" || code=$?
    [ "$code" = "$wanted" ]
}

row() {
    [ "$(awk -v name="$1" '$1 == name && NF == 3 { print $2, $3 }' "$scratch/out")" = "$2" ]
}

told() {
    cat "$scratch/out" "$scratch/err" | tr '\n' ' ' | grep -qF -- "$1"
}

"$without" "$attnscope" doctor --lang en >"$scratch/out" 2>&1 || :
check 'doctor says what is missing' grep -q 'this kernel has no Landlock' "$scratch/out"
check 'a class is graded' grades 0 "$scratch/handed" scale
check 'what is right has its points' row right '10 10/10'
check 'a file that the assembler reads earns none' row incbin 'C 0/10'
check 'and is named' told 'makes the assembler read'
check 'nor does one whose word is hidden' row incbin_hidden '0 0/10'
check 'the table tells of the gap' told 'has gaps on this machine: it is only limits'

# Every row of the table of forms. Some are for a single submission.
tells() {
    grades 0 "$scratch/handed" scale --format "$1" || grades 0 "$scratch/alone" scale --format "$1"
    if [ "$1" = json ] || [ "$1" = gradescope ]; then
        told '"fence_whole": false'
    elif [ "$1" = junit ]; then
        told 'name="fence-whole" value="false"'
    else
        told 'has gaps on this machine: it is only limits'
    fi
}
for form in $(sed -n 's/^GRADING_FORMAT(\([a-z]*\),.*/\1/p' "$source/src/grading/grading_formats.def"); do
    check "$form: tells of the gap" tells "$form"
done

nothing_runs() {
    grades 1 "$@" && told 'no code was run: --require-fence needs the whole sandbox'
}
check 'whoever grades can require it' nothing_runs "$scratch/handed" scale --require-fence
echo 'fence: whole' >"$scratch/handed/course.yaml"
check 'a course can' nothing_runs "$scratch/handed" scale
echo "1..$checks"
