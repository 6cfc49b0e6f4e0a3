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
cp -r "$tests/golden/models/gpt2" gpt2
printf 'next\nnext\nscreen\n' >script.txt
"$attnscope" export causal numbers.npz
"$attnscope" export causal numbers.safetensors

# Archives, as a class hands them in.
mkdir packed
tar -czf packed/ada.tar.gz -C handed/ada score.c
python3 - handed/bob/score.c packed <<'PYTHON'
import sys
import tarfile
import zipfile

source, folder = sys.argv[1:]
with zipfile.ZipFile(folder + "/bob.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.write(source, "score.c")
    archive.writestr("notes.txt", "said beside it")
with tarfile.open(folder + "/cho.tar.xz", "w:xz") as archive:
    archive.add(source, "attention/score.c")
PYTHON
"$attnscope" grade packed score --journal none

# A search for a seed that has come near its end: a whole one takes minutes.
cp "$tests/documents/002_q.txt" printed.txt
mkfifo said
"$attnscope" seed scaled-dot-product printed.txt --threads 1 2>said &
search=$!
while read -r line; do
    case $line in *"trying all"*) kill -TERM "$search" ;; esac
done <said
wait "$search" || true
rm said
for search in state/attnscope/seed-*; do
    printf 'next %s\nfound 3761981812\n' $((4294967296 - 131072)) >"$search"
done
