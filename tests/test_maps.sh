#!/bin/sh
# Attention maps of another model: test_maps.sh ATTNSCOPE prints TAP.
#
# Two layers of two heads over two words. Attention rollout by hand (Abnar and Zuidema 2020):
#
#   layer 0  heads 1 0 / .5 .5   and 1 0 / 0 1     mean 1 0 / .25 .75   plus 1, halved: 1 0 / .125 .875
#   layer 1  heads 1 0 / .25 .75 and 1 0 / .75 .25 mean 1 0 / .5 .5     plus 1, halved: 1 0 / .25 .75
#   rollout  row 1 = .25 * (1 0) + .75 * (.125 .875) = .34375 .65625
set -eu
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
attnscope=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8
cd "$scratch"

explain() {
    cat "$scratch/out" "$scratch/err"
}

failed() {
    grep -qF -- "$1" "$scratch/err"
}

# holds FILE LINE: the table has that line.
holds() {
    grep -qxF -- "$2" "$1"
}

one='\000\000\200\077' nought='\000\000\000\000' half='\000\000\000\077'
quarter='\000\000\200\076' three_quarters='\000\000\100\077'

# npy SHAPE NUMBERS: a file of NumPy's, version 1, whose header takes 128 bytes.
npy() {
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': ($1), }"
    printf "$2"
}

first=$one$nought$half$half$one$nought$nought$one
second=$one$nought$quarter$three_quarters$one$nought$three_quarters$quarter
npy '2, 2, 2, 2' "$first$second" >maps.npy
npy '2, 2, 2' "$first" >layer.npy
npy '1, 2, 2' "$one$one$half$half" >odd.npy
npy '4,' "$one$nought$half$half" >vector.npy

check 'maps of a file are drawn' try 0 heatmap --maps maps.npy --layer 1 --words 'so it' --csv heads.csv
check 'head 1 of layer 1, as it is given' holds heads.csv '1,1,it,0.75,0.25'
check 'their rollout, too' try 0 heatmap --maps maps.npy --tensor rollout --layer 1 --csv rollout.csv
check 'as it comes out by hand' holds rollout.csv '0,1,1,0.34375,0.65625'
check 'and what it is made of' try 0 heatmap --maps maps.npy --tensor map_residual --csv residual.csv
check 'with the identity added and halved' holds residual.csv '0,1,1,0.125,0.875'
check 'one layer alone' try 0 heatmap --maps layer.npy --csv layer.csv
check 'has its heads' holds layer.csv '0,1,1,0.5,0.5'
check 'rows that do not sum to 1 are shown' try 0 heatmap --maps odd.npy --csv odd.csv
check 'and told, as a note' failed 'note: odd.npy: rows that do not sum to 1: 1 of 2; farthest from it is layer 0, head 0, query 0, which sums to 2'
# Head 1 has a row of NaN and one that sums to 2; head 0 is 1 0 and .5 .5, whose mean entropy is half a bit,
# as much as its first query, which sees one key, and its second, which sees two, can have.
nan='\000\000\300\177'
npy '2, 2, 2' "$one$nought$half$half$nan$nought$one$one" >some.npy
check 'rows of one head' try 0 heatmap --maps some.npy --svg some.svg
check 'leave the other its entropy' [ "$(grep -c 'entropy 0.50 of 0.50 bits<' some.svg)" = 1 ]
check 'are counted there' grep -q '>rows not summing to 1: 2<' some.svg
check 'the row itself has no entropy' try 0 heatmap --maps some.npy --at 1,1,0 --svg some.svg
check 'as its weights are no shares' [ "$(grep -c '>row entropy<' some.svg)" = 0 ]
check 'a right row has one' try 0 heatmap --maps some.npy --at 0,1,0 --svg some.svg
check 'beside it' [ "$(grep -c '>row entropy<' some.svg)" = 1 ]
check 'a vector is no map' try 1 heatmap --maps vector.npy --csv no.csv
check 'and what a map is, is told' failed '(4,): attention maps are (heads, queries, keys)'
check 'nothing is left' [ ! -e no.csv ]
sed 's/<f4/<i4/' layer.npy >whole.npy
check 'whole numbers are no weights' try 1 heatmap --maps whole.npy --csv no.csv
check 'and are called so, of 32 bits as of 64' failed 'whole.npy has whole numbers, but weights are fractions'
check 'words have to be as many as keys' try 1 heatmap --maps maps.npy --words 'so it is' --csv no.csv
check 'both numbers are told' failed '3 words, but the maps have 2 keys'
check 'a layer that is not there is misuse' try 2 heatmap --maps maps.npy --layer 2 --csv no.csv
check 'and is named' failed 'counted from 0, of 2 in all; there is no layer 2'
check 'a scenario beside maps is refused' try 1 heatmap causal --maps maps.npy --csv no.csv
check 'words without maps are refused' try 1 heatmap causal --words 'a b' --csv no.csv
echo "1..$checks"
