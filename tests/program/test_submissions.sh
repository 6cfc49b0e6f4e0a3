#!/bin/sh
# A folder of submissions: test_submissions.sh ATTNSCOPE LESSONS BARE_KEEPER prints TAP.
#
# One learner hands in solutions, one a transposed result, one what no compiler takes, one ends the
# program, one is empty, one has nothing but a file of another name, and one no workspace but its file alone.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
lessons=$2
bare=$3 # a keeper without seccomp
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8
file=/dev/null # the last one that was looked into

# has FILE TEXT: a line of it holds the text.
has() {
    file=$1
    grep -qF -- "$2" "$file"
}

# row FILE NAME CELLS: the row of that submission, blanks apart.
row() {
    file=$1
    [ "$(awk -v name="$2" '$1 == name && $2 !~ /:$/ { $1 = ""; print }' "$file")" = " $3" ]
}

explain() {
    head -40 "$file"
}

handed=$scratch/handed
right=$lessons/exercises/08-score/solution.c
for name in broken left right strange wrong; do
    mkdir -p "$handed/$name/exercises"
done
mkdir "$handed/flat"
cp "$right" "$handed/flat/score.c"
cp "$right" "$handed/right/exercises/score.c"
cp "$lessons/exercises/11-softmax/solution.c" "$handed/right/exercises/softmax.c"
sed 's/void score/void attempt/' "$right" >"$handed/strange/exercises/attempt.c"
sed 's/tensor_at4(scores, b, h, i, j)/tensor_at4(scores, b, h, j, i)/' "$right" \
    >"$handed/wrong/exercises/score.c"
check 'the slip of this test is in the file' has "$handed/wrong/exercises/score.c" 'b, h, j, i)'
mkdir "$handed/none"
: >"$handed/none/score.c"
echo 'int score( {' >"$handed/broken/exercises/score.c"
printf '#include "attnscope.h"\n#include <stdlib.h>\n%s\n%s\n' \
    'void score(const Tensor *q, const Tensor *k, Tensor *scores)' \
    '{ (void)q, (void)k, (void)scores; exit(0); }' >"$handed/left/exercises/score.c"

"$attnscope" grade "$handed" --lang en >"$scratch/table" && code=0 || code=$?
check 'of one nothing could be checked' [ "$code" = 1 ]
none='~ ~ ~ ~ ~ ~ ~'
# What the exercises after scale and causal-mask have, and all points there are: from their own rows.
exercises=$(dirname "$0")/../../lessons/exercises
rest=$(sed '1,10d; s/.*/~/' "$exercises/exercises.txt" | tr '\n' ' ')
all=$(cat "$exercises"/*/exercise.yaml | awk '/^points:/ { sum += $2 } END { print sum }')
check 'the points of one that is right' \
    row "$scratch/table" right "$none 10 ~ ~ 10 ${rest#~ }20/$all"
check 'of one without a workspace' row "$scratch/table" flat "$none 10 ~ ~ ${rest}10/$all"
check 'of one that is wrong' row "$scratch/table" wrong "$none 0 ~ ~ ${rest}0/$all"
check 'what does not compile has its mark' \
    row "$scratch/table" broken "$none C ~ ~ ${rest}0/$all"
check 'and what ended early' row "$scratch/table" left "$none ! ~ ~ ${rest}0/$all"
check 'a known mistake is named' has "$scratch/table" 'wrong  score: scores-transposed'
check 'the compiler is quoted, without our folders' \
    has "$scratch/table" 'broken  score: does not compile: exercises/score.c:1:12: error'
check 'a file without its function is told by that, not by how the linker ends' \
    has "$scratch/table" 'none  score: score.c does not define score, the function of this exercise'
check 'a file of another name is seen' \
    has "$scratch/table" 'strange  attempt.c does not have the name of an exercise'
check 'nothing is noted as progress of whoever grades' [ ! -e "$scratch/state" ]

"$attnscope" grade "$handed" score --format json >"$scratch/json" || : # of one nothing was found
check 'JSON has everybody, and all that was found' python3 - "$scratch/json" <<'END'
import json, sys
found = {entry["submission"]: entry for entry in json.load(open(sys.argv[1]))}
assert list(found) == ["broken", "flat", "left", "none", "right", "strange", "wrong"], list(found)
assert (found["right"]["points"], found["right"]["max"]) == (10, 10)
assert found["broken"]["exercises"][0]["end"] == "not-compiled"
assert found["wrong"]["exercises"][0]["verdict"]["tests"][0]["mistakes"][0] == "scores-transposed"
assert found["strange"]["other_files"] == ["attempt.c"]
END
"$attnscope" grade "$handed" score --format junit >"$scratch/junit" || : # of one nothing was found
check 'JUnit is XML whose counts are those of its cases' python3 - "$scratch/junit" <<'END'
import sys, xml.etree.ElementTree as xml
suites = {suite.get("name"): suite for suite in xml.parse(sys.argv[1]).getroot()}
for name, suite in suites.items():
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.get("tests")), name
    for word in ("failure", "error", "skipped"):
        told = int(suite.get({"failure": "failures", "error": "errors"}.get(word, word)))
        assert told == sum(case.find(word) is not None for case in cases), (name, word)
told = lambda name: [suites[name].get(key) for key in ("tests", "failures", "errors", "skipped")]
assert told("right.score") == ["4", "0", "0", "0"]
assert told("wrong.score") == ["4", "4", "0", "0"]
assert told("left.score") == ["4", "0", "4", "0"]
assert told("broken.score") == ["1", "0", "1", "0"]
assert told("strange.score") == ["1", "0", "1", "0"]
END

# What one hands in floods nobody's table: neither by its files nor by its name.
flood=$scratch/flood
long=$(printf 'n%.0s' $(seq 200))-last
mkdir -p "$flood/$long" "$flood/short"
cp "$right" "$flood/short/score.c"
for stray in $(seq 100 299); do
    : >"$flood/$long/stray$stray.c"
done
"$attnscope" grade "$flood" score --lang en >"$scratch/table" || : # of one nothing was found
file=$scratch/table
check 'of two hundred files of other names three are told' [ "$(grep -c 'does not have the name of an exercise' "$file")" = 3 ]
check 'and how many more there are' has "$scratch/table" '  and 197 more like it'
check 'no line is as wide as the name' sh -c '[ "$(wc -L <"$0")" -le 140 ]' "$file"
check 'a long name has its end' has "$scratch/table" 'nnn…nnnnnnnnnnn-last  ?  0/0'
"$attnscope" grade "$flood" score --format json >"$scratch/flood.json" || : # of one nothing was found
check 'JSON has all of them, and the whole name' python3 - "$scratch/flood.json" "$long" <<'END'
import json, sys
found = {entry["submission"]: entry for entry in json.load(open(sys.argv[1]))}
assert found[sys.argv[2]]["other_files"] == [f"stray{number}.c" for number in range(100, 300)]
END

# Names that are clear are taken, and told; of others it is asked what was meant.
names=$scratch/names
scale=$lessons/exercises/09-scale/solution.c
# named PERSON FILE [EXERCISE]: that person hands in a right file of this name.
named() {
    mkdir -p "$names/$1"
    cp "$lessons/exercises/${3:-09-scale}/solution.c" "$names/$1/$2"
}
named copy 'scale (1).c'
named hyphen scale-1.c
named underscore scale_1.c
named capital Scale.c
named function causal_mask.c 10-causal-mask
named text scale.c.txt
named letter scal.c
named near scal.c
sed -i 's/void scale/void other/' "$names/near/scal.c"
named two 'scale (1).c'
named two 'scale (2).c'
named windows 'scale - Copy.c'
named korean 'scale - 복사본.c'
named before '복사본 scale.c'
named final scale_final.c
named shouted SCALE.C
named plus scale.cpp
named person 20231234_홍길동_scale.c
named test scale_test.c
named both scale_softmax.c
sed -i 's/void scale/void other/' "$names/test/scale_test.c" "$names/both/scale_softmax.c"
named begun 'scale (1).c'
cp "$lessons/exercises/09-scale/exercise.c" "$names/begun/scale.c"
named later 'scale kim.c'
named later 'scale lee.c'
touch -d '2026-01-01 10:00' "$names/later/scale kim.c"
touch -d '2026-01-01 11:00' "$names/later/scale lee.c"
mkdir "$names/together" "$names/apple"
{ cat "$scale" && grep -v '#include' "$lessons/exercises/10-causal-mask/solution.c"; } >"$names/together/homework.c"
cp "$scale" "$names/apple/._scale.c"
for form in UTF-16LE UTF-16BE; do
    mkdir "$names/$form" "$names/$form-bare"
    iconv -f UTF-8 -t "$form" "$scale" >"$names/$form-bare/scale.c"
done
{ printf '\377\376' && cat "$names/UTF-16LE-bare/scale.c"; } >"$names/UTF-16LE/scale.c"
{ printf '\376\377' && cat "$names/UTF-16BE-bare/scale.c"; } >"$names/UTF-16BE/scale.c"
mkdir "$names/korean_text" "$names/returns"
{ echo '// 점수를 나눕니다' && cat "$scale"; } | iconv -f UTF-8 -t CP949 >"$names/korean_text/scale.c"
sed 's/$/\r/' "$scale" >"$names/returns/scale.c"
mkdir "$names/folder"
named folder/scale.c scale.c
named own scale.c
echo 'int scale(' >"$names/own/scale (1).c"
named dotted/.mine scale.c
named apart/09-scale scale.c
named apart/10-mask causal-mask.c 10-causal-mask
named weeks/week3/scale scale.c
named weeks/a/b/c/d causal_mask.c 10-causal-mask
named beneath scale.c
named beneath/more causal-mask.c 10-causal-mask
named called/09-scale scale.c
named called/10-causal-mask main.c 10-causal-mask
named nameless/one main.c
named nameless/two main.c 10-causal-mask
named stale/09-scale scale.c
named stale/backup scale.c
touch -d '2026-01-01 10:00' "$names/stale/09-scale/scale.c"
touch -d '2026-01-01 11:00' "$names/stale/backup/scale.c"
named stubs/done scale.c
mkdir -p "$names/stubs/exercises" "$names/zips" "$names/packed"
cp "$lessons/exercises/09-scale/exercise.c" "$names/stubs/exercises/scale.c"
cp "$lessons/exercises/10-causal-mask/exercise.c" "$names/stubs/exercises/causal-mask.c"
named own_headers/09 scale.c
named own_headers/10 causal-mask.c 10-causal-mask
echo 'typedef float Own;' >"$names/own_headers/09/own.h"
echo 'typedef double Own;' >"$names/own_headers/10/own.h"
sed -i '1i #include "own.h"' "$names/own_headers/09/scale.c" "$names/own_headers/10/causal-mask.c"
(cd "$names/apart/09-scale" && python3 -m zipfile -c ../../zips/scale.zip scale.c)
(cd "$names/apart/10-mask" && python3 -m zipfile -c ../../zips/mask.zip causal-mask.c)
(cd "$names/weeks" && python3 -m zipfile -c ../weeks_packed.zip week3 a)
(cd "$names/text" && python3 -m zipfile -c ../text_zipped.zip scale.c.txt)
cp "$scale" "$names/kim_12345_Scale.c"
echo 'exercises: [{name: scale, points: 10}, {name: causal-mask, points: 10}]' >"$scratch/names.yaml"
"$attnscope" grade "$names" --lang en --course "$scratch/names.yaml" >"$scratch/table" 2>&1 || : # of one nothing was found
file=$scratch/table
# both NAME CELLS: the row of the two exercises.
both() {
    [ "$(awk -v name="$1" '$1 == name && NF == 4 { print $2, $3, $4 }' "$scratch/table")" = "$2" ]
}
# taken NAME FILE
taken() {
    both "$1" "10 ~ 10/20" &&
        has "$scratch/table" "$1  $2 was checked, because no file has exactly the exercise's name"
}
check "a browser's copy is taken" taken copy 'scale (1).c'
check 'one with a hyphen' taken hyphen scale-1.c
check 'one with an underscore' taken underscore scale_1.c
check 'another case' taken capital Scale.c
check "the function's own name" both function '~ 10 10/20'
check 'which is told' has "$scratch/table" 'function  causal_mask.c was checked'
check 'a single file in another case' both kim_12345 '10 ~ 10/20'
check 'a file of its own name goes first' both own '10 ~ 10/20'
check 'beside which a copy is not' has "$scratch/table" 'own  scale (1).c was not checked: another file of this exercise was'
check 'of two copies the later one is' both two '10 ~ 10/20'
check 'and why is told' has "$scratch/table" \
    'two  scale (2).c was checked instead of scale (1).c: by its name it is the later one'
check 'a name with one ending too many' taken text scale.c.txt
check 'also in an archive' taken text_zipped scale.c.txt
check 'a copy of Windows' taken windows 'scale - Copy.c'
check 'in Korean' taken korean 'scale - 복사본.c'
check 'its word before the name' taken before '복사본 scale.c'
check 'a final version' taken final scale_final.c
check 'capitals, with which C++ ends too' taken shouted SCALE.C
check 'the ending of C++' taken plus scale.cpp
check 'the name of a person' taken person 20231234_홍길동_scale.c
check 'a test is no exercise' both test '? ? 0/0'
check 'nor is what names two' both both '? ? 0/0'
check 'a copy beside the stub' both begun '10 ~ 10/20'
check 'is told' has "$scratch/table" 'begun  scale (1).c was checked instead of scale.c, which is unchanged'
check 'of two of one version the one that was changed last' has "$scratch/table" \
    'later  scale lee.c was checked instead of scale kim.c: it is newer'
check 'a folder of an exercise, with its file' both folder '10 ~ 10/20'
check 'two exercises in one file of any name' both together '10 10 20/20'
check 'which is told once' [ "$(grep -c '^together  homework.c' "$scratch/table")" = 1 ]
check 'what macOS hides is nobody'"'s work" both apple '? ? 0/0'
for form in UTF-16LE UTF-16BE korean_text returns; do
    check "$form: is read" both "$form" '10 ~ 10/20'
done
for form in UTF-16LE UTF-16BE; do
    check "$form: without its mark it is told" has "$scratch/table" \
        "$form-bare  scale: scale.c is UTF-16 or UTF-32 without a byte order mark (BOM)"
done
check 'a misspelled one that defines the function' taken letter scal.c
check 'one that does not is asked about' has "$scratch/table" \
    'near  no exercise has this file name; did you mean scal.c -> scale.c?'
for name in apart weeks beneath called nameless zips weeks_packed own_headers; do
    check "$name: exercises lie in folders of their own" both "$name" '10 10 20/20'
done
for name in apart beneath zips own_headers; do
    check "$name: of which there is nothing to tell" sh -c '! grep -q "^$1  [^ ]" "$0"' "$scratch/table" "$name"
done
check 'a file that its folder names is told' has "$scratch/table" 'called  10-causal-mask/main.c was checked'
check 'of one exercise in two folders the file that was changed last' has "$scratch/table" \
    'stale  backup/scale.c was checked instead of 09-scale/scale.c: it is newer'
check 'counts once' both stale '10 ~ 10/20'
check 'a stub gives way to a file elsewhere' both stubs '10 ~ 10/20'
check 'a folder that nobody sees' has "$scratch/table" 'dotted  .mine starts with a dot and was skipped'

# What `init` makes is not an odd thing that somebody handed in; a README.md without a mark beside it is.
"$attnscope" init "$scratch/own" --lang en >"$scratch/made"
"$attnscope" grade "$scratch/own" score --lang en >"$scratch/table" 2>&1
check 'the README.md of a workspace is its own' sh -c '! grep -qF README.md "$0"' "$scratch/table"
rm "$scratch/own/.attnscope"
"$attnscope" grade "$scratch/own" score --lang en >"$scratch/table" 2>&1
check 'any other was passed over' has "$scratch/table" 'README.md was skipped'

# refused WORDS...: asked wrongly; one line about it.
refused() {
    code=0
    "$attnscope" grade "$@" >"$scratch/out" 2>"$scratch/errors" || code=$?
    [ "$code" -gt 0 ] && [ ! -s "$scratch/out" ] && [ "$(wc -l <"$scratch/errors")" = 1 ]
}
check 'a folder that is not there' refused "$scratch/nowhere"
check 'a folder without any in it' refused "$handed/right/exercises"
check 'an exercise that is not there' refused "$handed" nonsense
check 'a form that is not there' refused "$handed" --format xml

# gaps FORMAT TEXT: where a part of the fence is missing, the results say so.
gaps() {
    ATTNSCOPE_KEEPER=$bare "$attnscope" grade "$handed" score --lang en --format "$1" >"$scratch/gaps" || :
    has "$scratch/gaps" "$2"
}
check 'a table says that the fence has gaps' gaps text 'has gaps on this machine: it is only limits'
check 'JSON says it of each submission' gaps json '"fence_whole": false'
check 'JUnit says it of each suite' gaps junit 'name="fence-whole" value="false"'
check 'a course can require the whole fence' env ATTNSCOPE_KEEPER="$bare" sh -c \
    '! "$0" grade "$1" score --require-fence >"$2" 2>&1 && grep -qF "needs the whole sandbox" "$2"' \
    "$attnscope" "$handed" "$scratch/gaps"
echo "1..$checks"
