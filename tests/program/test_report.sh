#!/bin/sh
# The class report: test_report.sh ATTNSCOPE LESSONS prints TAP.
#
# Four people transpose the scores, two add 2 to them, two have the same unexplained numbers, one is right, two
# forgot a semicolon, and one mistyped a word.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
lessons=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
right=$lessons/exercises/08-score/solution.c
page=$scratch/page.html

explain() {
    head -c 4000 "$page"
}

# hand_in NAME EDIT
hand_in() {
    mkdir -p "$scratch/class/$1"
    { echo "// by $1" && sed "$2" "$right"; } >"$scratch/class/$1/score.c"
}

for name in adalbert bobolina cleopha danuta; do
    hand_in "$name" 's/tensor_at4(scores, b, h, i, j)/tensor_at4(scores, b, h, j, i)/'
done
for name in evelina fayette; do
    hand_in "$name" 's/tensor_at4(scores, b, h, i, j) = /&2.0f + /'
done
for name in katinka leopold; do
    hand_in "$name" 's/j) = sum;/j) = 1.0f \/ (1.0f + sum * sum);/'
done
hand_in gustavo 's/x/x/'
hand_in marietta 's/j) = sum;/j) = sum/'
hand_in nepomuk 's/float sum = 0.0f;/float sum = 0.0f/'
hand_in '<i>hal' 's/for/fro/'
cat >"$scratch/look.py" <<'END'
import html.parser, sys
text = open(sys.argv[1], encoding="utf-8").read()
class Page(html.parser.HTMLParser):
    open, groups, seen = [], [], ""
    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link", "img", "iframe"), tag
        if tag not in ("meta", "br"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.seen += data
        if self.open and self.open[-1] == "h3":
            self.groups.append(data.strip())
page = Page()
page.feed(text)
assert not page.open and "http" not in text
names = any(name in page.seen for name in ("adalbert", "bobolina", "evelina", "katinka", "<i>hal"))
assert names == (sys.argv[2] == "names"), names
if sys.argv[2] != "korean":
    assert page.groups[0] == "4/12: scores-transposed", page.groups
    assert page.groups[1] == "2/12: Every number is the right one plus 2.", page.groups
    assert page.groups[2] == "2/12: equal numbers that no mistake explains", page.groups
    assert "For example: scores[" in page.seen and "what comes of q must double too)" in page.seen
    assert page.groups[3].startswith("2/12: does not compile: A semicolon is missing"), page.groups
    assert page.groups[4].startswith("1/12: does not compile: ") and len(page.groups) == 5, page.groups
    assert "score, 2/12: Every number is the right one plus 2." in page.seen
    assert "different inputs (seeds)" not in page.seen
    assert "scores-transposed" in page.seen and "score, 4/12: " in page.seen
    assert "does not compile" in page.seen and "to see it:" in page.seen.lower()
else:
    assert "다음 강의에서 말할 것" in page.seen and "제출물 12개" in page.seen
    assert "2/12: 똑같이 틀렸지만 알려진 실수로 설명되지 않는 숫자" in page.groups
END

check 'a report is written beside the table' \
    try 0 grade "$scratch/class" score --report "$page" --lang en
check 'the table is as always' grep -qF gustavo "$scratch/out"
check 'it counts mistakes and equal numbers, and names nobody' python3 "$scratch/look.py" "$page" nobody
check 'with names' try 0 grade "$scratch/class" score --report "$page" --names --lang en
check 'they stand there, harmless' python3 "$scratch/look.py" "$page" names
check 'in Korean' try 0 grade "$scratch/class" score --report "$page" --lang ko
check 'too' python3 "$scratch/look.py" "$page" korean
check 'on a narrow page its table is narrow, too' grep -qF '@media(max-width:30rem){td,th{padding' "$page"
check 'nothing was judged twice' sh -c '[ "$(cat "$0"/*.jsonl | wc -l)" = 12 ]' "$XDG_CACHE_HOME/attnscope/grades"
# What is told of single submissions stands on the page without their names: files that nobody asked for and
# what came late.
echo x >"$scratch/class/katinka/bobolina.c"
echo x >"$scratch/class/leopold/bobolina.c"
touch -t 202612021200 "$scratch/class/katinka"
touch -t 202612031200 "$scratch/class/leopold"
for name in adalbert bobolina cleopha danuta evelina fayette gustavo marietta nepomuk '<i>hal'; do
    touch -t 202611011200 "$scratch/class/$name"
done
printf 'deadline: 2026-12-01 23:59\nlate: {days: 1, cost: 10}\nexercises: [score]\n' >"$scratch/course.yaml"
check 'with a deadline' try 0 grade "$scratch/class" --report "$page" --lang en --course "$scratch/course.yaml"
check 'how many came late is told' grep -qF '<li>1/12: late, within the allowed days</li>' "$page"
check 'and too late' grep -qF '<li>1/12: later than allowed: 0 points</li>' "$page"
check 'and what was not understood' grep -qF '<li>2/12: … does not have the name of an exercise</li>' "$page"
check 'and no name, not even one of a file' python3 "$scratch/look.py" "$page" nobody
check 'notes in Korean' try 0 grade "$scratch/class" --report "$page" --lang ko --course "$scratch/course.yaml"
check 'are Korean' grep -qF '<li>1/12: 늦었지만 늦어도 되는 날 안에 제출</li>' "$page"
rm "$scratch/class/katinka/bobolina.c" "$scratch/class/leopold/bobolina.c"
echo 'seeds: plum' >"$scratch/course.yaml"
echo 'hint_cost: 5' >"$scratch/hints.yaml"
check 'where everybody has other numbers' try 0 grade "$scratch/class" score --report "$page" --lang en \
    --course "$scratch/course.yaml"
check 'that is said, and what somebody added is found all the same' sh -c '
    grep -q "different inputs (seeds)" "$0" && grep -q "2/12: Every number is the right one plus 2" "$0"' "$page"
for name in odilia pelagia; do
    mkdir -p "$scratch/own/$name"
    sed 's/ = l >= \(.*\);/ = l >= \1 ? 2 : 0;/' "$lessons"/exercises/*-key-padding-mask/solution.c \
        >"$scratch/own/$name/key-padding-mask.c"
    sed 's/\*tensor_at4(scores, b, h, i, j) = sum;/if (i != j) &/' "$right" >"$scratch/own/$name/score.c"
done
check 'a class whose numbers are equal by chance' try 0 grade "$scratch/own" --report "$page" --lang en \
    --pairs "$scratch/alike.html" --course "$scratch/course.yaml"
check 'is told of no equal numbers' sh -c '! grep -q "same wrong numbers\|equal numbers" "$0" "$1"' \
    "$page" "$scratch/alike.html"
check 'which is said' grep -qF 'different inputs (seeds)' "$scratch/alike.html"
check 'what is known of different numbers is told together' grep -qF '2/2: numbers that are never set</h3>' "$page"
check 'hints that nobody wrote down' try 0 grade "$scratch/own" --report "$page" --lang en --course "$scratch/hints.yaml"
check 'are told by the name of their file' grep -qF '<li>2/2: without a hints.txt, so no hints' "$page"

# Nobody sets the diagonal: what lies there is no number of theirs.
mkdir -p "$scratch/unset/milburga"
sed 's/\*tensor_at4(scores, b, h, i, j) = sum;/if (i != j) &/' "$right" >"$scratch/unset/milburga/score.c"
never_set() {
    grep -qF "$1" "$2" && ! grep -q 'e+37' "$2"
}
check 'a number that was never set' try 0 grade "$scratch/unset" score --report "$page" --lang en
check 'is told as that' never_set 'scores[0, 0, 0, 0] was never set; it should be ' "$page"
check 'in Korean' try 0 grade "$scratch/unset" score --report "$page" --lang ko
check 'in words first' grep -qF '1/1: 아무것도 쓰지 않은 숫자</h3>' "$page"
check 'too' never_set 'scores[0, 0, 0, 0]: 아무것도 쓰지 않았습니다. 정답은 ' "$page"
check 'the command on a Korean page is Korean where the locale is not' \
    grep -qF 'attnscope --lang ko init look; attnscope --lang ko step score' "$page"
check 'a table for machines' try 0 grade "$scratch/unset" score --format junit --lang en
check 'says the same' never_set 'scores[0, 0, 0, 0] was never set; it should be ' "$scratch/out"
check 'a place that cannot be written' try 1 grade "$scratch/class" score --report "$scratch/no/page.html"

# --- who is alike

# Nobody else writes a loop so; the second one has other names and other lines, and a NUL byte before all of
# it, which compilers pass over.
hand_in ida 's/^}/    for (ptrdiff_t n = 3; n > 3 \&\& n < 9 || n == 40; n -= 2) { if (n % 7 == 1) break; n += n * n - 4; }\n}/'
hand_in jon 's/^}/for (ptrdiff_t own = 3;\nown > 3 \&\& own < 9 || own == 40;\nown -= 2)\n{ if (own % 7 == 1) break;\nown += own * own - 4; }\n}/'
sed -i '1s/^/\x00/' "$scratch/class/jon/score.c"
cat >"$scratch/alike.py" <<'END'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
pairs = [set(re.findall("<h3>(.*?)</h3>", part)) for part in text.split("<section>")[1:]]
assert sorted(map(sorted, pairs[:2])) == [["evelina", "fayette"], ["katinka", "leopold"]], pairs
assert pairs[2:] == [{"ida", "jon"}], pairs
assert "with the same wrong numbers" in text.split("<section>")[1]
assert "is not proof" in text and "<script" not in text and "own == 40" in text
END
check 'a page shows who is alike' try 0 grade "$scratch/class" score --pairs "$page" --lang en
check 'equal wrong numbers first, then equal code; a known mistake is no sign' \
    python3 "$scratch/alike.py" "$page"

# The same file from four of them is one thing, and not six pairs.
for name in nora olga piet; do
    mkdir "$scratch/class/$name"
    cp "$scratch/class/ida/score.c" "$scratch/class/$name/score.c"
done
cat >"$scratch/equal.py" <<'END'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
parts = text.split("<section>")[1:]
assert len(parts) == 4, len(parts)
group, = [part for part in parts if sys.argv[2] in part]
assert re.search("<p>(.*?)</p>", group)[1] == "ida, nora, olga, piet", group
assert "100 %" not in group and "width=device-width" in text
assert group.count("<details>") == 1 and group.count("<pre>") == 2, group
opened = group[group.index("<details>"):]
assert re.findall("<h3>(.*?)</h3>", opened) == ["ida", "nora"] and "n == 40" in opened
with_jon, = [part for part in parts if "<h3>jon</h3>" in part]
assert re.findall("<h3>(.*?)</h3>", with_jon) == ["ida, nora, olga, piet", "jon"], with_jon
END
check 'equal files of many' try 0 grade "$scratch/class" score --pairs "$page" --lang en
check 'are one group with one comparison' python3 "$scratch/equal.py" "$page" '4 people have the same file'
check 'the same in Korean' try 0 grade "$scratch/class" score --pairs "$page" --lang ko
check 'is one, too' python3 "$scratch/equal.py" "$page" '4명의 파일이 같습니다'

# A column is as wide as the page lets it be: text that is wider scrolls in it, and not the page.
narrow() {
    grep -qF 'grid-template-columns:repeat(2,minmax(0,1fr))' "$page" &&
        grep -qF '@media(max-width:40rem){.pair{grid-template-columns:minmax(0,1fr)}}' "$page" &&
        grep -qF '<meta name="viewport" content="width=device-width">' "$page"
}
check 'on a telephone one stands below the other' narrow
echo "1..$checks"
