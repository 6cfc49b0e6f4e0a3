#!/bin/sh
# PrairieLearn runs this in the grading container, with all files of the job in /grade.
set -eu
place=${GRADE:-/grade}
work=$(mktemp -d)
export LC_ALL=C.UTF-8 HOME="$work" XDG_CACHE_HOME="$work/cache"
mkdir -p "$place/results" "$work/class"
cp -r "$place/student" "$work/class/submission"
attnscope grade "$work/class" --course "$place/tests/course.yaml" --journal none \
    --format prairielearn >"$place/results/unfinished" || true
mv "$place/results/unfinished" "$place/results/results.json"
