#!/bin/sh
# Compares every kind of drawing line by line with reviewed pictures: test_pictures.sh ATTNSCOPE FOLDER
# prints TAP. With a final `write` it redraws them; review them again.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(realpath "$1")
folder=$(realpath "$2")
wish=${3:-compare}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME="$scratch/state" XDG_CACHE_HOME="$scratch/cache" HOME="$scratch" LC_ALL=C.UTF-8
export ATTNSCOPE_LANG=en

explain() {
    diff "$folder/$name.svg" "$scratch/$name.svg" | head -n 6
}

draw() {
    name=$1
    shift
    "$attnscope" heatmap "$@" --size 800x600 --svg "$scratch/$name.svg"
    [ "$wish" = write ] && cp "$scratch/$name.svg" "$folder"
    check "$name" cmp -s "$folder/$name.svg" "$scratch/$name.svg"
}

# Two layers of two heads over two words, as NumPy writes them.
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2, 2), }"
    one='\000\000\200\077' nought='\000\000\000\000' half='\000\000\000\077'
    printf "$one$nought$half$half$one$nought$nought$one$one$nought$half$half$half$half$nought$one"
} >"$scratch/maps.npy"
cd "$scratch" || exit 1

draw grid causal
draw head causal --head 1 --at 1,4,4
draw values sentence-causal --head 1 --scale unit
draw lines sentence --head 1 --mode lines --at 1,2,3
draw all-lines four-heads --mode all-lines
draw mean four-heads --mean --dark
draw padding decoder-batch --batch 1 --head 0
draw nan empty-sentence --batch 1 --head 0
draw scores causal --tensor scores_masked --head 0
draw origin causal --tensor scores --origin 1,3,2
draw softmax causal --origin 1,3,2
draw mistake causal --mistake mask-off-by-one --head 0
draw compare four-heads --compare attention.scale=none
draw layers --maps maps.npy --layer 1 --words 'so it'
draw rollout --maps maps.npy --tensor rollout --layer 1
draw korean causal --mistake mask-off-by-one --head 0 --lang ko
echo "1..$checks"
