#!/bin/sh
# Runs as root in the empty Debian of tests/release/platforms.sh, in a clone of the commit: platformed.sh [PACKAGE]
# prints TAP, and ends with "N passed, N failed".
#
# The first copy of the root is the teacher's: it builds the package (unless it is given), installs it, and
# writes the folders. Each platform has its own copy, gets only the files that the README of the folder says to
# upload, and runs the scripts like the platform does: its user, its folders, no network. Six submissions go to
# each, and tests/release/platforms.py reads the results.
set -u
# shellcheck source=tests/helpers/tap.sh
. tests/helpers/tap.sh
# shellcheck source=tests/release/roots.sh
. tests/release/roots.sh
package=${1:-}
keep_empty
[ -n "$package" ] || build_package
check "there is what reads results" runs apt-get install -y --no-install-recommends python3-minimal libpython3-stdlib

# --- what six people hand in; their points are those of their tests, by hand

solution() {
    cat lessons/exercises/[0-9][0-9]-"$1"/solution.c
}

# hands_in NAME POINTS...: a new folder, and the points of score, scale, softmax and weighted-sum.
hands_in() {
    handed=$scratch/handed/$1
    mkdir -p "$handed"
    printf 'scale %s\nscore %s\nsoftmax %s\nweighted-sum %s\n' "$3" "$2" "$4" "$5" >"$scratch/handed/$1.points"
    for name in score scale softmax weighted-sum; do
        solution "$name" >"$handed/$name.c"
    done
}

hands_in right 10 10 10 10
hands_in partial 10 10 8 0 # softmax overflows in one test of five; a sum lacks its last term
sed -i 's/ - max)/)/' "$handed/softmax.c"
sed -i 's/j < v->shape\[2\]/j < v->shape[2] - 1/' "$handed/weighted-sum.c"
hands_in wrong 0 0 0 0
sed -i 's/d = 0/d = 1/' "$handed/score.c"
sed -i 's/sqrtf((float)d_k)/(float)d_k/' "$handed/scale.c"
sed -i 's/\/= sum/\/= 1/' "$handed/softmax.c"
sed -i 's/sum +=/sum =/' "$handed/weighted-sum.c"
hands_in broken 0 10 10 10
sed -i 's/{/{ this is no C/' "$handed/score.c"
hands_in missing 10 0 10 0
rm "$handed/scale.c" "$handed/weighted-sum.c"
hands_in hostile 10 0 10 10
rm "$handed/scale.c"
ln -s /etc/passwd "$handed/scale.c"
: >"$handed/$(printf 'result=\n::error::x\342\200\256.c')"
: >"$handed/{\"scores\": {\"score\": 99}}.c"
# shellcheck disable=SC2016 # it is a name
: >"$handed/"'$(touch pwned); `touch pwned`.c'
people="right partial wrong broken missing hostile"

# --- the teacher

teacher=$scratch/teacher
new_root "$teacher"
cp "$package" "$teacher/tmp/attnscope_0.1.0_amd64.deb"
check "the package is installed" in_root "$teacher" root apt-get install -y --no-install-recommends \
    /tmp/attnscope_0.1.0_amd64.deb zip
for folder in lessons/platforms/*; do
    platform=${folder##*/}
    check "$platform: its folder is written" in_root "$teacher" root attnscope grade --init "$platform" "/$platform"
done
check "a workspace is made" in_root "$teacher" root attnscope init /workspace

# apart FOLDER USER COMMAND...: in_root without a network.
apart() {
    runs unshare --net sh -c '
        root=$1 && person=$2 && home=$3 && shift 3
        exec chroot --userspec="$person" "$root" env -i PATH="$PATH" HOME="$home" "$@"' sh "$@"
}

# graded PLATFORM PERSON FILE: the platform takes the results, and everybody has the points of his tests.
graded() {
    check "$1 takes the results of $2" runs sh -c 'python3 tests/release/platforms.py "$1" "$2" >"$3"' sh \
        "$1" "$3" "$scratch/points"
    check "and they are $2's points" runs diff "$scratch/handed/$2.points" "$scratch/points"
    check "nothing was run that is a name" sh -c '! find "$1" -name pwned -not -path "*/proc/*" | grep .' sh "$root"
}

# --- Gradescope: a zip is unpacked in /autograder/source, setup.sh runs once, run_autograder for each

cp "$package" "$teacher/gradescope/attnscope_0.1.0_amd64.deb"
check "autograder.zip is made" in_root "$teacher" root sh -c 'cd /gradescope && zip -q autograder.zip *'
root=$scratch/gradescope
new_root "$root"
in_root "$root" root sh -c 'apt-get update && apt-get install -y --no-install-recommends unzip'
mkdir -p "$root/autograder/source"
cp "$teacher/gradescope/autograder.zip" "$root/autograder"
check "Gradescope unpacks it" in_root "$root" root unzip -q /autograder/autograder.zip -d /autograder/source
check "setup.sh runs" in_root "$root" root /autograder/source/setup.sh
cp "$root/autograder/source/run_autograder" "$root/autograder/run_autograder"
for person in $people; do
    rm -rf "$root/autograder/submission" "$root/autograder/results" "$root/autograder/class"
    mkdir "$root/autograder/results"
    cp -a "$scratch/handed/$person" "$root/autograder/submission"
    check "Gradescope: $person" apart "$root" root /root /autograder/run_autograder
    graded gradescope "$person" "$root/autograder/results/results.json"
done

# --- GitHub Classroom: the workflow's steps are taken from its file

root=$scratch/classroom
new_root "$root"
repository=$root/repository
cp -a "$teacher/workspace" "$repository"
cp -a "$teacher/classroom/." "$repository"
cp "$package" "$repository/.github/attnscope/attnscope_0.1.0_amd64.deb"
# The lines of the steps' `run`, a file for each step.
awk -v out="$scratch/step" '/^ *run: \|/ { match($0, /^ */); deep = RLENGTH; steps++; next }
    deep { match($0, /^ */); if (RLENGTH <= deep) { deep = 0; next } print >(out "-" steps) }' \
    "$repository/.github/workflows/classroom.yml"
check "the workflow has two steps of its own" test -s "$scratch/step-2" -a ! -e "$scratch/step-3"
cp "$scratch"/step-* "$root/tmp"
check "the first installs" in_root "$root" root sh -c 'cd /repository && sh -e /tmp/step-1'
for person in $people; do
    rm -rf "$repository/exercises" "$root/runner"
    mkdir "$root/runner"
    cp -a "$teacher/workspace/exercises" "$repository/exercises"
    rm "$repository/exercises/scale.c" "$repository/exercises/weighted-sum.c"
    cp -a "$scratch/handed/$person/." "$repository/exercises"
    check "Classroom: $person" apart "$root" root /root RUNNER_TEMP=/runner GITHUB_OUTPUT=/runner/output \
        sh -c 'cd /repository && sh -e /tmp/step-2'
    graded classroom "$person" "$root/runner/output"
done

# --- Autolab: a container; its user finds the Makefile, autograde.tar and what was handed in

cp "$package" "$teacher/autolab/attnscope_0.1.0_amd64.deb"
containerfile "$teacher/autolab/Containerfile" "$teacher/autolab" "$scratch/autolab"
check "autograde.tar is made" in_root "$teacher" root sh -c 'cd /autolab && tar cf autograde.tar course.yaml'
root=$scratch/autolab-1
for person in $people; do
    lab=$root/home/autolab/autolab
    rm -rf "$lab"
    mkdir "$lab"
    cp "$teacher/autolab/autograde.tar" "$lab"
    cp "$teacher/autolab/autograde-Makefile" "$lab/Makefile"
    tar cf "$lab/handin.tar" -C "$scratch/handed/$person" .
    chroot "$root" chown -R autolab: /home/autolab
    # shellcheck disable=SC2086 # the file's own words
    check "Autolab: $person" apart "$root" autolab /home/autolab $variables make -C /home/autolab/autolab
    grep -v '^make' "$scratch/out" >"$lab/feedback"
    graded autolab "$person" "$lab/feedback"
done

# --- PrairieLearn: a container; all of the job lies in /grade

cp "$package" "$teacher/prairielearn/attnscope_0.1.0_amd64.deb"
containerfile "$teacher/prairielearn/Containerfile" "$teacher/prairielearn" "$scratch/prairielearn"
root=$scratch/prairielearn-1
for person in $people; do
    rm -rf "$root/grade"
    mkdir "$root/grade"
    cp -a "$teacher/prairielearn/tests" "$root/grade/tests"
    cp -a "$scratch/handed/$person" "$root/grade/student"
    check "PrairieLearn: $person" apart "$root" root /root /run.sh
    graded prairielearn "$person" "$root/grade/results/results.json"
done

count_all
