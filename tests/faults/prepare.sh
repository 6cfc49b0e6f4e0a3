#!/bin/sh
# Makes in the folder it is started in what the sweep's commands work on: prepare.sh ATTNSCOPE TESTS
# LESSONS. A workspace with an exercise that has passed, submissions, a script and a lecture.
set -eu
attnscope=$1
tests=$2
lessons=$3
export HOME="$PWD" XDG_STATE_HOME="$PWD/state" XDG_CACHE_HOME="$PWD/cache" TMPDIR="$PWD/tmp" LC_ALL=C.UTF-8
mkdir -p tmp handed/ada handed/bob
"$attnscope" init work --lang en
cp "$lessons/exercises/08-score/solution.c" work/exercises/score.c
cp "$lessons/exercises/11-softmax/solution.c" work/exercises/softmax.c
cp "$lessons/exercises/08-score/solution.c" handed/ada/score.c
sed 's/tensor_at4(scores, b, h, i, j)/tensor_at4(scores, b, h, j, i)/' \
    "$lessons/exercises/08-score/solution.c" >handed/bob/score.c
"$attnscope" check score --dir work
"$attnscope" grade handed score
cp -r "$tests/lectures/01-small" lecture
printf 'next\nnext\nscreen\n' >script.txt
"$attnscope" export causal numbers.npz
"$attnscope" export causal numbers.safetensors
