#!/bin/sh
# Your own lecture, from its first page to the errors in it: test_own_lecture.sh ATTNSCOPE LESSONS prints TAP.
# A lecture may only name files next to it and built-in scenarios.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(realpath "$1")
lessons=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME="$scratch/state" HOME="$scratch" LC_ALL=C.UTF-8
mkdir "$scratch/at" && cd "$scratch/at" || exit 1

explain() {
    cat "$scratch/out" "$scratch/err"
}

says() {
    grep -qF -- "$1" "$scratch/out" "$scratch/err"
}

check "a lecture begins" try 0 init lecture mine --lang en
check "in Korean alone, too" try 0 init lecture "./na ui" --lang ko
check "it has no English" test ! -e "na ui/lecture.md"
check "nor has its scenario" grep -qxF '  words: [나는, 학교에, 간다]' "na ui/my-sentence.yaml"
for folder in ./mine "./na ui"; do
    check "$folder holds" try 0 lecture check "$folder" --size 80x24
    check "in a large terminal, too" try 0 lecture check "$folder" --size 200x55
    check "it becomes a page" try 0 walk "$folder" --html page.html
    check "with its numbers" grep -q '[^0-9]0\.1[0-9]' page.html
    check "it becomes a worksheet" try 0 walk "$folder" --worksheet sheet.html
    check "it is gone through at a save" try 0 watch "$folder"
done
check "the Korean sentence is in it" says 학교에
check "its usage" try 0 help walk
check "fits into a terminal" test "$(awk 'NR < 4 && length($0) > 80' "$scratch/out" | wc -l)" = 0
# Width and height stand in bytes 16 to 23 of a PNG. Whoever shows it full screen loses a few pixels at most.
is_wide() {
    # shellcheck disable=SC2046
    set -- "$2" "$3" $(od -A n -t u1 -j 16 -N 8 "$1")
    width=$(($5 * 256 + $6)) height=$(($9 * 256 + ${10}))
    difference=$((width * $2 * 100 / (height * $1) - 100))
    [ "$difference" -ge -2 ] && [ "$difference" -le 2 ] && [ "$height" -ge 1000 ]
}

check "each page becomes a picture" try 0 walk ./mine --slides slides
check "one for each" test "$(find slides -name '*.png' | sort | tr '\n' ' ')" = "slides/01.png slides/02.png slides/03.png "
check "as wide as a projector" is_wide slides/03.png 16 9
check "or as an old one" try 0 walk ./mine --slides old --size 72x24
check "which is 4:3" is_wide old/01.png 4 3
# Three pages, and the notes of each.
check "all pages become one file" try 0 walk ./mine --slides deck.pdf
check "of six pages" test "$(grep -ao '/Type /Page[^s]' deck.pdf | wc -l)" = 6
check "and nothing else is left" test "$(find . -maxdepth 1 -name '*deck*' | wc -l)" = 1
check "a folder that cannot be made is told" try 1 walk ./mine --slides no/where
check "by its name" says "no/where"
check "a name finds it, too" try 0 walk mine
check "and the name of its file" try 0 walk mine/lecture.md
# Ten columns for the name of a phase; a Korean syllable takes two of them, and three bytes.
sed 's/^@\[0,0,2,0\]/&\norigin/' "na ui/lecture.ko.md" >"na ui/origin.ko.md"
check "its numbers have an origin" try 0 walk "na ui/origin.ko.md" --lang ko
check "below each other: six columns and four" grep -q '│ 최댓값    -\{0,1\}[0-9]' "$scratch/out"
check "five and five" grep -q '│ 뺀 값     -\{0,1\}[0-9]' "$scratch/out"
check "three and seven" grep -q '│ exp       e' "$scratch/out"
check "two and eight" grep -q '│ 몫        -\{0,1\}[0-9]' "$scratch/out"
check "it is listed" try 0 list lectures
check "with its line" says "./mine                   This line says"
check "beside those that are known" says "01-idea"
cp mine/lecture.md before
check "a beginning overwrites nothing" try 1 init lecture mine
check "that is said" says "mine/lecture.md already exists"
check "and it is as it was" cmp -s before mine/lecture.md
check "what is no lecture is told" try 2 walk ./nothing
check "with what to do" says "attnscope init lecture ./nothing"

# A file of one's own goes before a known one of that name.
sed 's/^about:.*/about: beside/' "$lessons/scenarios/causal.yaml" >mine/causal.yaml
sed 's/scenario my-sentence/scenario causal/; s/^text .*//' before >mine/lecture.md
try 0 watch ./mine
check "a scenario beside the lecture counts first" says "beside"
rm mine/causal.yaml

names() {
    sed "s|^scenario .*|scenario $1|" before >mine/lecture.md
    try 1 lecture check mine
}

cp "$lessons/scenarios/causal.yaml" elsewhere.yaml
mkfifo mine/pipe.yaml
ln -s /dev/zero mine/zero.yaml
for name in elsewhere.yaml ../elsewhere ../../etc/passwd /etc/passwd .hidden 'my sentence' '%s%n' pipe zero lecture.md; do
    check "no lecture leads to $name" names "$name"
    check "the line is named" says "mine/lecture.md:8:10:"
done
sed 's/^goto softmax/goto sofmax/' before >mine/lecture.md
check "a wrong command is told at a save" try 1 watch ./mine
check "with file, line and column" says "./mine/lecture.md:9:1:"
sed 's/has a sentence of its own/has `=q[0,`/' before >mine/lecture.md
check "a reference that is none is told" try 1 lecture check mine
check "where it stands" says "mine/lecture.md:43:16:"
sed 's/weights\[0,0,1,0\]`/weights[9,0,1,0]`/' before >mine/lecture.md
check "one that leads nowhere, too" try 1 lecture check mine
check "where it stands" says "mine/lecture.md:15:75:"
printf '# A\n\n<script>alert(1)</script>\n' >one.md
check "markup is no lecture" try 1 walk one.md
check "and its line is told" says "one.md:3:1: a lecture can have headings, paragraphs, lists and blocks, but no HTML"

# Files have names in any language, and a lecture beside us none of a folder.
sed 's/scenario my-sentence/scenario 내 문장/; s/^숫자는 직접 쓰지 않습니다\./`=내 문장: scale`/' "na ui/lecture.ko.md" >"내 강의.md"
check "a scenario that is missing is told" try 1 lecture check "내 강의.md"
check "by its name" says "내 문장"
cp "na ui/my-sentence.yaml" "내 문장.yaml"
check "a file of any name is found" try 0 lecture check "내 강의.md"
check "a folder without a lecture is told" try 1 lecture check mine/nothing
check "with what to do" says "attnscope init lecture mine/nothing"
# Attention maps of a model, one head of two queries and two keys: .npy is a line of Python and the numbers.
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2), }"
    printf '\000\000\200\077\000\000\000\000\000\000\000\077\000\000\000\077' # 1, 0, 0.5, 0.5
} >지도.npy
printf '# A\n\nb\n\n## C {#c}\n\n```attnscope\nscenario 지도.npy\ntext "나는 간다"\ntensor maps\n```\n\n`=maps[0,0,1,0]`\n' >maps.md
check "a lecture can have maps" try 0 walk maps.md
check "with their words" says 간다
check "and their numbers" says 0.5000
# Thirty rows do not fit into 24.
{
    printf '# A\n\nb\n\n## C {#c}\n\n```attnscope\nscenario causal\npicture table\n```\n\n```\n'
    seq -f 'row %g' 30
    printf '```\n'
} >table.md
check "a table that a slide cuts is told" try 1 lecture check table.md --size 80x24
check "with its page" says "table.md:5: table is not on a screen of 80x24"
check "a larger slide has it" try 0 lecture check table.md --size 120x40
echo "1..$checks"
