#!/bin/sh
# Attention maps of another model: test_maps.sh ATTNSCOPE FOLDER prints TAP. The files of FOLDER are from
# tests/torch/maps.py, which says what is in them.
#
# Two layers of two heads over two words. Attention rollout by hand (Abnar and Zuidema 2020):
#
#   layer 0  heads 1 0 / .5 .5   and 1 0 / 0 1     mean 1 0 / .25 .75   plus 1, halved: 1 0 / .125 .875
#   layer 1  heads 1 0 / .25 .75 and 1 0 / .75 .25 mean 1 0 / .5 .5     plus 1, halved: 1 0 / .25 .75
#   rollout  row 1 = .25 * (1 0) + .75 * (.125 .875) = .34375 .65625
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
golden=$(cd "$2" && pwd)
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
check 'and told, as a note' failed 'note: odd.npy: rows that do not sum to 1: 1 of 2; the worst is layer 0, head 0, query 0, which sums to 2'
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
check 'and what a map is, is told' failed '(4,): attention maps are (queries, keys), (heads, queries, keys)'
check 'nothing is left' [ ! -e no.csv ]
sed 's/<f4/<i4/' layer.npy >whole.npy
check 'whole numbers are no weights' try 1 heatmap --maps whole.npy --csv no.csv
check 'and are called so, of 32 bits as of 64' failed 'whole.npy has whole numbers, but weights are fractions'
check 'words have to be as many as keys' try 1 heatmap --maps maps.npy --words 'so it is' --csv no.csv
check 'both numbers are told' failed '3 words, but the maps have 2 keys'
check 'a layer that is not there is misuse' try 2 heatmap --maps maps.npy --layer 2 --csv no.csv
check 'and is named' failed 'counted from 0, 2 in all, so layer 2 does not exist'
check 'a scenario beside maps is refused' try 1 heatmap causal --maps maps.npy --csv no.csv
check 'words without maps are refused' try 1 heatmap causal --words 'a b' --csv no.csv

# What the axes are.
npy '2, 2' "$one$nought$half$half" >one.npy
check 'two axes are one head' try 0 heatmap --maps one.npy --csv one.csv
check 'with its numbers' holds one.csv '0,1,1,0.5,0.5'
check 'and nothing is assumed' [ ! -s err ]
check 'three are heads' try 0 heatmap --maps layer.npy --csv heads.csv
check 'which is told' failed 'is (2, 2, 2), read as H,Q,K; if its first axis is the batch, add --axes B,Q,K'
check 'of a batch the first is shown' try 0 heatmap --maps layer.npy --axes B,Q,K --csv batch.csv
check 'alone' [ "$(wc -l <batch.csv)" = 3 ]
check 'and how many there are' failed 'the batch has 2 sequences; showing sequence 0. --batch N selects another'
check '--batch says so, too' try 0 heatmap --maps maps.npy --batch 1 --csv batch.csv
check 'and which' holds batch.csv '0,1,1,0.25,0.75'
check 'with nothing left to be told' [ ! -s err ]
check 'layers without heads' try 0 heatmap --maps layer.npy --axes 'layers, query, key' --layer 1 --csv layers.csv
check 'are layers' holds layers.csv '0,1,1,0,1'
check 'keys before queries are turned' try 0 heatmap --maps layer.npy --axes H,K,Q --csv turned.csv
check 'to be rows' holds turned.csv '0,0,0,1,0.5'
for odd in B,Q H,Q,Q H,Q,X ''; do
    check "axes '$odd' are refused" try 1 heatmap --maps layer.npy --axes "$odd" --csv no.csv
    check 'with those that there are' failed '--axes must name each axis once, including Q and K'
done
check 'as many axes as there are' try 1 heatmap --maps layer.npy --axes Q,K --csv no.csv
check 'both numbers are told' failed 'names 2 axes, but layer.npy: layer.npy is (2, 2, 2), which has 3'
check 'a sequence that is not there' try 1 heatmap --maps layer.npy --batch 2 --csv no.csv
check 'is named' failed 'no sequence 2: layer.npy: layer.npy is (2, 2, 2), read as B,Q,K'
npy '2, 2' "$one$half$nought$half" >turned.npy
check 'columns that sum to 1' try 0 heatmap --maps turned.npy --csv turned.csv
check 'are told' failed 'the columns do: if the rows are keys, use --axes with K before Q'
npy '2, 2' "$one$nought$nought$nought" >padded.npy
check 'rows of zeros' try 0 heatmap --maps padded.npy --csv padded.csv
check 'are padding' failed 'all of them are zeros, like queries that are padding'
npy '2, 2' "$one\\000\\000\\200\\277$half$half" >scores.npy # 1 -1
check 'negative numbers' try 0 heatmap --maps scores.npy --csv scores.csv
check 'are scores' failed 'there are negative numbers, so these are scores'

# Several sets. Layer 1 of the second sequence: query 0 gives half to key (0 + 1 + 1) mod 3.
sets=$golden/sets.pt
check 'of several sets none is chosen' try 1 heatmap --maps "$sets" --csv no.csv
check 'and all are listed' failed '#NAME: cross_attentions (2 of (2, 1, 2, 3)), decoder_attentions (2 of (2, 1, 2, 2)), encoder_attentions (2 of (2, 1, 3, 3))'
check 'one by its name' try 0 heatmap --maps "$sets#cross_attentions" --batch 1 --layer 1 --csv cross.csv
check 'has tokens of both sides' grep -qx 'head,query,word,·He,<0a>,ok' cross.csv
check 'in its order of layers and sequences' holds cross.csv '0,0,·Il,0.25,0.25,0.5'
check 'the target alone' try 0 heatmap --maps "$sets#decoder_attentions" --csv decoder.csv
check 'has its own' grep -qx 'head,query,word,·Il,·va' decoder.csv
check 'one layer' try 0 heatmap --maps "$sets#encoder_attentions.1" --csv encoder.csv
check 'is that, as a batch' holds encoder.csv '0,0,·He,0.25,0.5,0.25'
check 'a misspelled set' try 1 heatmap --maps "$sets#encoder_attention" --csv no.csv
check 'is none of those' failed "has no maps named 'encoder_attention'; it has cross_attentions"
check 'words of its own' try 0 heatmap --maps "$sets#cross_attentions" --words 'a b c' --query-words 'x y' --csv words.csv
check 'are keys' grep -qx 'head,query,word,a,b,c' words.csv
check 'and queries' grep -q '^0,1,y,' words.csv
check 'too few for the queries' try 1 heatmap --maps "$sets#cross_attentions" --query-words x --csv no.csv
check 'are counted' failed '--query-words has 1 words, but the maps have 2 queries'
check 'those of queries in the place of keys' try 1 heatmap --maps "$sets#cross_attentions" --words 'x y' --csv no.csv
check 'are sent to their own' failed '--words has 2 words, but the maps have 3 keys: give one per key; use --query-words for the 2 queries'

check 'what a model returns' try 0 heatmap --maps "$golden/output.pt" --batch 1 --layer 1 --csv output.csv
check 'has its maps' holds output.csv '0,0,0,0.25,0.25,0.5'

# Tokens beside the maps.
for kind in unicode big bytes object; do
    check "tokens as $kind" try 0 heatmap --maps "$golden/words_$kind.npz" --csv words.csv
    check 'are shown as read' holds words.csv '0,1,·it,0.5,0.5'
    check 'the only maps are chosen' failed 'showing attn, the only maps whose rows sum to 1; #NAME selects others: hidden (2, 2, 4)'
done
check 'tokens of each sequence' try 0 heatmap --maps "$golden/words_batch.npz" --batch 1 --csv words.csv
check 'are those that are shown' holds words.csv '0,0,c,0.25,0.75'
check 'tokens of another length' try 0 heatmap --maps "$golden/words_odd.npz" --csv words.csv
check 'are not used, which is told' failed 'tokens in the file has 3 words, but the maps have 2 keys: ignored'
isolate=$(printf '\342\201\250') # U+2068: what follows has a direction of its own
# Values of the metadata of .safetensors are texts: JSON, or words with blanks between.
python3 - <<'END_OF_PYTHON'
import json, struct
for name, tokens, batch in (("list", '["so", "it"]', 1), ("lists", '[["a", "b"], ["so", "it"]]', 2), ("text", "so it", 1),
                            ("torn", '["so", "it"', 1), ("object", '{"so": 1}', 1), ("short", '[[], ["so", "it"]]', 2)):
    header = {"__metadata__": {"format": "pt", "tokens": tokens},
              "maps": {"dtype": "F32", "shape": [batch, 1, 2, 2], "data_offsets": [0, 16 * batch]}}
    text = json.dumps(header).encode()
    with open(f"words_{name}.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + struct.pack("<4f", 0.5, 0.5, 0.25, 0.75) * batch)
END_OF_PYTHON
for kind in list lists text; do
    check "tokens in metadata, a $kind" try 0 heatmap --maps "words_$kind.safetensors" --axes B,H,Q,K \
        --batch "$([ $kind = lists ] && echo 1 || echo 0)" --csv words.csv
    check 'are shown' holds words.csv '0,1,it,0.25,0.75'
done
for kind in torn object short; do
    check "a list that is none of words: $kind" try 0 heatmap --maps "words_$kind.safetensors" --axes B,H,Q,K --csv words.csv
    check 'is passed over' grep -qx 'head,query,word,0,1' words.csv
done
check 'that of another sequence without a word' sh -c '! grep -q "ignored" "$0"' "$scratch/err"
check 'words from right to left' try 0 heatmap --maps one.npy --words 'שלום ab' --svg words.svg
check 'find their direction in a browser' grep -qF ">${isolate}שלום" words.svg
check 'and others need none' grep -qF '>ab</text>' words.svg
cp "$golden/words_unicode.npz" 'we#ird.npz'
check 'a mark in the name of a file' try 0 heatmap --maps 'we#ird.npz#attn' --csv words.csv
check 'queries of their own where all are as many' try 0 heatmap --maps one.npy --words 'a b' --query-words 'c d' --csv words.csv
check 'are rows' holds words.csv '0,1,d,0.5,0.5'
echo "1..$checks"
