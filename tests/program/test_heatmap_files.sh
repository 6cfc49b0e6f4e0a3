#!/bin/sh
# What `attnscope heatmap` writes besides one picture: test_heatmap_files.sh ATTNSCOPE prints TAP.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME="$scratch/state" XDG_CACHE_HOME="$scratch/cache" HOME="$scratch" LC_ALL=C.UTF-8
export ATTNSCOPE_LANG=en
cd "$scratch" || exit 1

explain() {
    cat out errors | head -n 5
}

heatmap() {
    "$attnscope" heatmap "$@" >out 2>errors
}

refused() {
    wanted=$1
    shift
    [ "$(heatmap "$@" || echo "$?")" = 2 ] && grep -q -- "$wanted" errors
}

check "a mistake is pictured beside the right run" heatmap causal --mistake mask-off-by-one --svg one.svg
check "named in words" grep -q '>compared with: the mistake<' one.svg
check "and what it is" grep -q '>The causal mask is off by one: each query sees the token after it.</text>' one.svg
check "a comparison of the same is the same picture" \
    heatmap causal --compare "mistake mask-off-by-one" --svg two.svg
check "to the byte" cmp one.svg two.svg
check "numbers come in three parts" heatmap causal --compare attention.scale=none --csv three.csv
check "each as long" [ "$(grep -c '^this,' three.csv)" = 12 ] # 2 heads of 6 queries
check "and a line says beside what" grep -qx '# compared: attention.scale=none' three.csv
check "where the weights stay, what differs first is shown" \
    heatmap four-heads --mistake merge-without-transpose --csv merged.csv
check "here the context" grep -q '^this,0,0,"*head 0"*,' merged.csv
# Sequence 0 of decoder-batch has no padding; its padding mask can be wrong in sequence 1 only.
check "the sequence that differs is shown" heatmap decoder-batch --mistake pads-not-masked --svg padded.svg
check "of two the second" grep -q 'sequence 1 of 0' padded.svg
check "unless one is asked for" heatmap decoder-batch --mistake pads-not-masked --batch 0 --svg first.svg
check "where nothing differs" grep -q 'all of these 50 numbers are equal' first.svg # 2 heads of 5 x 5
check "a mistake in a bias alone is a row" \
    heatmap causal --backward --mistake bias-gradient-of-one-sequence --svg bias.svg
check "with its eight numbers" grep -q '8 of 8 numbers differ' bias.svg
# Weights of a person's own file are named; a document's numbers they are not.
"$attnscope" export causal own.npz >out 2>errors
printf '%s\n' 'document: "003"' 'input: {vectors: {randn: [2, 6, 12]}}' \
    'model: {d_in: 12, d_out: 8, heads: 2, qkv_bias: false, out_proj: true}' \
    'weights: {file: own.npz, manual_seed: 3, draw: [x]}' 'attention: {mask: causal}' >own.yaml
check "own weights are drawn" heatmap own.yaml --svg own.svg --csv own.csv
check "and named" grep -q 'weights of own.npz' own.svg
check "in the table, too" grep -qx '# weights: own.npz' own.csv
check "and where a number came from" heatmap own.yaml --origin 1,3,2 --svg origin.svg
check "which names the scenario, too" grep -q '>own.yaml    weights of own.npz<' origin.svg
check "and a screen reader is told it" grep -q '<desc.*came from: 6 terms. The weights come from own.npz' origin.svg
check "of the document is nothing" [ "$(cat own.svg own.csv origin.svg | grep -c 'document')" = 0 ]
check "an origin has the title that is asked for" \
    heatmap causal --origin 1,3,2 --title 'Where it came from' --svg origin.svg
check "and its document" grep -q '>causal (document 003)    untrained weights<' origin.svg
check "below the title" grep -q '<text.*>Where it came from</text>' origin.svg
check "a screen reader is told of what was changed" \
    heatmap causal --set attention.scale=none --origin 1,3,2 --svg origin.svg
check "in the origin of a number, too" grep -q '<desc.*6 terms, changed: attention.scale=none\. The' origin.svg
check "a mistake that cannot show is refused" refused "does not show here" four-heads --mistake mask-missing
check "so is one that is not there" refused "did you mean mask-missing\|mask-missing" four-heads --mistake mask-mising
check "and what is no map" refused "maps with one scale" causal --mistake mask-off-by-one --mode lines
check "and slides without a folder" refused "needs --frames DIR" causal --compare mistakes

check "a slide for each mistake" heatmap causal --compare mistakes --frames slides
check "that can be seen here" [ -s slides/[0-9][0-9]-mask-off-by-one.png ]
told=$(wc -l <out)
check "each of the bank is told" [ "$told" = "$("$attnscope" list mistakes | wc -l)" ]
check "those without a picture with the reason" grep -q '^no picture of pad-left: .*has no step' out
check "as many files as are told" [ "$(find slides -name '*.png' | wc -l)" = "$(grep -c '^slides/' out)" ]
cp -r slides again
heatmap causal --compare mistakes --frames slides
check "the same again is the same to the byte" diff -r slides again

check "numbers are not put into what is called a picture" \
    refused "out.svg: numbers are saved as .csv, not as .svg" causal --csv out.svg
check "nor is a film into a picture of another form" \
    refused "an animated PNG is saved as .png or .apng, not as .gif" causal --apng out.gif
check "and nothing is written" [ ! -e out.svg ]

check "how a head is computed, cell by cell" \
    heatmap causal --head 1 --size 400x300 --frames frames --apng film.png --rate 3
check "is 36 pictures of 6 x 6 cells" [ "$(find frames -name '*.png' | wc -l)" = 36 ]
check "and one more in the film, which begins with all of it" grep -qx "37 pictures in film.png" out
check "with the line that makes a video" grep -q "ffmpeg -framerate 3 -i 'frames/%04d.png'" out
check "the film is animated" grep -qa acTL film.png
check "the last picture is the whole head" heatmap causal --head 1 --at 1,5,5 --size 400x300 --png last.png
check "to the byte" cmp last.png frames/0036.png
cp film.png first.png
heatmap causal --head 1 --size 400x300 --apng film.png --rate 3
check "the same again is the same film" cmp first.png film.png
check "how a number is computed, term by term" \
    heatmap causal --tensor scores --origin 1,3,2 --size 400x300 --frames terms
check "is a picture for each of its 4 products" [ "$(find terms -name '*.png' | wc -l)" = 4 ]
check "the whole of it is one picture" \
    heatmap causal --tensor scores --origin 1,3,2 --size 400x300 --png whole.png
check "that the film does not begin with" [ "$(cmp -s whole.png terms/0001.png; echo $?)" = 1 ]
check "a film of a softmax begins with its first key, whichever key the number is of" \
    heatmap causal --origin 1,5,4 --size 400x300 --frames keys
check "and goes through all 6" [ "$(find keys -name '*.png' | wc -l)" = 6 ]
check "of many cells there are several at once" \
    heatmap padded-batch --size 200x150 --apng many.png
check "and at most 240 pictures" [ "$(sed -n 's/ pictures in many.png//p' out)" -le 240 ]
check "a rate of nothing is refused" refused "--rate must be a whole number from 1 to 60, not .0." \
    causal --frames frames --rate 0
check "what is compared does not move" refused "cannot be animated" causal --compare attention.scale=none --apng x.png
check "an input is not computed" [ "$(heatmap causal --tensor x --frames none || echo "$?")" = 1 ]
: >file
check "a file is no folder" [ "$(heatmap causal --compare mistakes --frames file || echo "$?")" = 1 ]
check "which is said" grep -q "cannot save pictures in file: Not a directory" errors

# Points of text: the title is 20 points high, at 1024x768 one pixel each.
title() {
    sed -n 's/.*font-size="\([0-9]*\)".*>Attention weights<.*/\1/p' letters.svg | head -n 1
}
check "letters larger than usual where there is room" \
    heatmap causal --size 2048x1536 --letters 1.25 --svg letters.svg
check "are so" [ "$(title)" = 50 ]
check "and nothing is told" [ ! -s errors ]
check "letters that have no room" heatmap causal --size 1024x768 --letters 3 --svg letters.svg
check "are as large as numbers leave room for" [ "$(title)" = 28 ]
check "which is told" grep -qx "note: text 3 times as large .* it is 1.4 times as large" errors
echo "1..$checks"
