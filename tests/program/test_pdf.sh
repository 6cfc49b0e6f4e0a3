#!/bin/sh
# Pictures as PDF, read by poppler: test_pdf.sh ATTNSCOPE prints TAP.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
skip_without pdftotext # pdfinfo, pdffonts and pdfimages come with it
attnscope=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME="$scratch/state" XDG_CACHE_HOME="$scratch/cache" HOME="$scratch" LC_ALL=C.UTF-8
export ATTNSCOPE_LANG=en
cd "$scratch" || exit 1

explain() {
    cat out err | head -n 5
}

# The words of a page, one a line, as somebody would find or copy them.
words() {
    pdftotext "$1" - | tr ' ' '\n'
}

says() {
    words "$1" | grep -qxF -- "$2"
}

about() {
    pdfinfo "$1" | grep -q "^$2: *$3"
}

# Each font of the page lies in the file, and knows which letters its shapes are.
has_fonts() {
    [ "$(pdffonts "$1" | sed 1,2d | wc -l)" -gt 0 ] &&
        [ -z "$(pdffonts "$1" | sed 1,2d | awk '$(NF - 4) != "yes" || $(NF - 2) != "yes"')" ]
}

check "a picture is a page" try 0 heatmap causal --head 0 --size 800x600 --pdf one.pdf
check "one" about one.pdf Pages 1
check "as large as the picture, 96 pixels an inch" about one.pdf "Page size" "600 x 450 pts"
check "called what it shows" about one.pdf Title attn_weights
check "and told for who cannot see it" about one.pdf Subject "attn_weights of causal .*6 rows, 6 columns"
check "its letters are text" says one.pdf queries
check "its numbers, too" says one.pdf 1.0000
check "with their fonts in the file" has_fonts one.pdf
check "it has no date" [ -z "$(pdfinfo one.pdf | grep Date)" ]
sleep 1
check "the same again" try 0 heatmap causal --head 0 --size 800x600 --pdf two.pdf
check "is the same to the byte" cmp one.pdf two.pdf
check "Korean" try 0 heatmap causal --mistake mask-off-by-one --lang ko --pdf korean.pdf
check "is text, too" says korean.pdf 차이
check "with fonts" has_fonts korean.pdf
check "words of a sentence are" try 0 heatmap --text "She 안녕 him" --pdf sentence.pdf
check "as they were given" says sentence.pdf 안녕
check "a title is the file's" try 0 heatmap causal --title "Heads of (one) layer" --pdf title.pdf
check "with what means something to PDF" about title.pdf Title "Heads of (one) layer"
check "lines" try 0 heatmap sentence --mode lines --head 0 --dark --pdf lines.pdf
check "have their words" says lines.pdf Jungkook
check "many cells" try 0 heatmap causal-large --head 0 --pdf large.pdf
check "are an image" [ "$(pdfimages -list large.pdf | grep -c ' 128 *128 ')" != 0 ]
# 48 x 48 cells without gaps, 1 and 0.9 in turns: viridis at 1 is fde725 and at 0.9 bddf26 or so. Whoever lets
# the paper shine through between two of them adds blue, of which neither has more than a sixth.
one='\000\000\200\077' less='\146\146\146\077'
row=
other=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
    row="$row$one$less"
    other="$other$less$one"
done
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 48, 48), }"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
        printf "$row$other"
    done
} >cells.npy

# The bytes of 200 x 150 points in the middle of the map, red, green and blue in a line.
points_of() {
    pdftoppm -r 150 -x 470 -y 350 -W 200 -H 150 "$1" points && od -An -v -tu1 -w3 -j15 points-1.ppm
}

check "cells without gaps" try 0 heatmap --maps cells.npy --scale unit --size 801x603 --pdf cells.pdf
points_of cells.pdf >points
check "have their two colours" [ "$(awk '$1 == 253 { a++ } $1 > 180 && $1 < 200 { b++ } END { print (a > 10000 && b > 10000) }' points)" = 1 ]
check "and no seam between them" [ "$(awk '$3 > 45' points | wc -l)" = 0 ]
check "the file's ending says what is written" try 0 heatmap causal --head 0 --size 800x600 --png three.pdf
check "whatever the option" cmp one.pdf three.pdf
check "with another option, too" try 0 heatmap causal --pdf four.png
check "which makes pixels" [ "$(head -c 4 four.png | tail -c 3)" = PNG ]
check "another ending is misuse" try 2 heatmap causal --pdf five.ps
check "and all forms are told" grep -qF "five.ps: a picture can be saved as .png, .svg, .pdf, not as .ps" err
check "nothing is left" [ ! -e five.ps ]
check "a screen is pixels" try 2 trace causal --png screen.pdf
check "which is said" grep -qF "screen.pdf: a screen is saved as .png, not as .pdf" err
with_paper() {
    (
        ATTNSCOPE_PAPER=$1
        export ATTNSCOPE_PAPER
        shift
        try "$@"
    )
}
check "another program may write it" with_paper "$(dirname "$attnscope")/attnscope-paper" 0 heatmap causal --head 0 --size 800x600 --pdf six.pdf
check "and the page is the same" cmp one.pdf six.pdf
check "what is none cannot" with_paper "$scratch/nothing" 1 heatmap causal --pdf seven.pdf
check "and is named" grep -qF "ATTNSCOPE_PAPER names $scratch/nothing" err
check "a folder that is not there is refused" try 1 heatmap causal --pdf nowhere/one.pdf
check "with its name" grep -q "nowhere/one.pdf: No such file" err
check "what takes nothing more is told" try 1 heatmap causal --pdf /dev/full
check "and named" grep -q "/dev/full: No space left" err
check "a stream takes it" try 0 heatmap causal --head 0 --size 800x600 --pdf /dev/stdout
check "whole" cmp one.pdf out
cp one.pdf old.pdf
(
    ulimit -f 8
    trap '' XFSZ
    try 1 heatmap causal --pdf old.pdf
) && code=0 || code=1
check "a disk without room is an error" [ "$code" = 0 ]
check "and leaves what was there" cmp one.pdf old.pdf
check "and nothing beside it" [ "$(find . -name '*.tmp*' -o -name '.old*' | wc -l)" = 0 ]
echo "1..$checks"
