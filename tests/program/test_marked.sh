#!/bin/sh
# Every word comes from a table: test_marked.sh ATTNSCOPE SEES DRAWN_WORDS prints TAP.
#
# With ATTNSCOPE_LANG=marked the program puts words from its tables in brackets. The rest must not be sentences:
# only names of stages and tensors, formulas, lines of PyTorch, command words, keys, and the words below.
# shellcheck disable=SC2016 # the scripts of `sat` have a $1 of their own
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(realpath "$1")
sees=$(realpath "$2")
drawn_words=$(realpath "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME="$scratch/state" XDG_CACHE_HOME="$scratch/cache" LC_ALL=C.UTF-8
unset LANGUAGE

# What no language changes: names of types, numbers, keys and of what the program is.
allowed='attnscope float32 int64 bool NaN nan inf PyTorch Vaswani section Press Radford Devlin
Esc Tab Space Enter Home End PgUp PgDn PageUp PageDown Up Down Left Right Bksp Backspace Delete dtype exp src
stages code Attention document yaml'

# What a scenario brings with it, as its JSON has it, without what a table says there.
names_of() {
    ATTNSCOPE_LANG=marked "$attnscope" print "$1" --format json | sed 's/⟦[^⟧]*⟧//g'
    printf '%s\n' "$allowed"
}

# The words of standard input outside of brackets. In a screen ($1) every line and every panel begins
# anew, for a panel may cut a closing bracket off; where one was left open, the next line may go on.
# Names that were cut, and the letters that stand for tokens in memory (AAAA), are not words; nor are the
# letters that mktemp drew.
words_outside() {
    sed "s|$scratch||g; "'s/[A-Za-z_.]*…//g; s/\([A-Z]\)\1\1*//g' | awk -v screen="$1" '
        BEGIN { depth = 0 }
        {
            text = $0
            start = 1
            out = ""
            goes_on = screen && depth > 0
            if (screen) depth = 0
            while (match(text, /⟦|⟧|│/)) {
                sign = substr(text, RSTART, RLENGTH)
                before = substr(text, 1, RSTART - 1)
                text = substr(text, RSTART + RLENGTH)
                if (depth == 0) out = out before
                if (sign == "⟦") depth++
                else if (sign == "│") { print out; out = ""; depth = 0 }
                else if (depth > 0) depth--
                else out = ""
            }
            if (goes_on && $0 !~ /⟦|⟧/) depth = 1
            else if (depth == 0) print out text
            else print out
        }' | grep -oE '[A-Za-z]{3,}' | sort -u
}

# no_word_outside SCREEN NAMES FILE: none but those of the file NAMES.
no_word_outside() {
    grep -oE '[A-Za-z]{3,}' "$2" | sort -u >"$scratch/allowed"
    words_outside "$1" <"$3" | comm -23 - "$scratch/allowed" >"$scratch/left"
    [ ! -s "$scratch/left" ]
}

explain() {
    cat "$scratch/left"
}

# screens SCENARIO KEYS...: the screens after each key.
screens() {
    scenario=$1
    shift
    echo screen >"$scratch/keys"
    for key in "$@"; do
        printf '%s\nscreen\n' "$key" >>"$scratch/keys"
    done
    ATTNSCOPE_LANG=marked "$attnscope" trace "$scenario" --size 200x60 --script "$scratch/keys" |
        grep -v '^===' >"$scratch/screens"
}

# Words of two letters are too short to be looked for in screens.
sources=$(dirname "$0")/../../src/tui
none_counted() {
    ! grep -rnE '^[^/]*"[^"]* of [^"]*"' "$sources" --include='*.c' >"$scratch/left"
}
check "no panel counts this of that by itself" none_counted

for scenario in causal padded-batch-masked four-heads; do
    names_of "$scenario" >"$scratch/names"
    for keys in "key o" "key m" "key s" "key i" "key H" "key z"; do
        screens "$scenario" "goto softmax" "$keys" "key n" "key n"
        check "$scenario: the panels after '$keys' say what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"
    done
done

names_of causal >"$scratch/names"
screens causal "key ?"
sed 's/^ .\{28\}//' "$scratch/screens" >"$scratch/help"
check "the help page says what tables say" no_word_outside 1 "$scratch/names" "$scratch/help"

{ names_of causal && "$attnscope" list mistakes | sed 's/ .*//'; } >"$scratch/names"
screens causal "key W"
check "the bank of mistakes says what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"
ATTNSCOPE_LANG=marked "$attnscope" heatmap causal --svg "$scratch/picture.svg" >"$scratch/out"
sed 's/<[^>]*>/\n/g' "$scratch/picture.svg" >>"$scratch/out"
check "a picture as SVG says what tables say" no_word_outside 1 "$scratch/names" "$scratch/out"
# The letters of a PNG are pixels: what the program that draws was given is kept instead.
cat >"$scratch/painter" <<END
#!/bin/sh
'$(dirname "$attnscope")/attnscope-window' "\$@"
ended=\$?
cat <&4 >'$scratch/memory'
exit \$ended
END
chmod +x "$scratch/painter"
ATTNSCOPE_WINDOW="$scratch/painter" ATTNSCOPE_LANG=marked "$attnscope" heatmap causal --png "$scratch/picture.png" >"$scratch/said"
"$drawn_words" "$scratch/memory" >"$scratch/out"
check "a picture as PNG has words" grep -q '⟦queries⟧' "$scratch/out"
check "a picture as PNG says what tables say" no_word_outside 1 "$scratch/names" "$scratch/out"

printf '%s\n' "$allowed" >"$scratch/names"
ATTNSCOPE_LANG=marked "$attnscope" doctor >"$scratch/out" || true
check "doctor says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"

# A function that is wrong, and one that does not compile; what an exercise asks is said in its own text,
# and the compiler's lines are the compiler's.
"$attnscope" init "$scratch/work" --lang en >"$scratch/out"
cat >"$scratch/work/exercises/scale.c" <<'END'
#include "attnscope.h"

void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    (void)d_k;
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_scaled, b, h, i, j) = *tensor_at4(scores, b, h, i, j);
}
END
checked() {
    ATTNSCOPE_LANG=marked "$attnscope" check scale --dir "$scratch/work" 2>&1 |
        sed 's/^\(  ⟦[A-Za-z]*⟧\).*/\1/; /The compiler says/,/In other words/d' >"$scratch/out"
}
checked
check "the verdict was wrong" grep -q 'known mistake' "$scratch/out"
check "a verdict says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
echo 'int x = ;' >>"$scratch/work/exercises/scale.c"
checked
check "it did not compile" grep -q 'does not compile' "$scratch/out"
check "what the compiler means comes from a table" no_word_outside 0 "$scratch/names" "$scratch/out"

# What is told outside of the stepper. In a page of HTML, tags, styles and code are not words.
told() {
    ATTNSCOPE_LANG=marked "$attnscope" "$@" >"$scratch/out" 2>&1 || true
}

words_of_page() {
    sed 's/<style>.*<\/style>//; /<style>/,/<\/style>/d; s/<code[^>]*>[^<]*<\/code>//g; /<pre/,/<\/pre>/d; s/<[^>]*>/\n/g; s/&[a-z#0-9]*;/ /g' "$1"
}

{ names_of heads && printf '%s\n' scale none Jungkook very handsome singer; } >"$scratch/names"
told train --steps 30 --lines
check "train was told" grep -q 'weight on the answer' "$scratch/out"
check "train says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
told train --steps 30 --compare "scale none"
check "two trainings beside each other say what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
printf '%s\n' "$allowed" bench >"$scratch/names"
told bench A start --short
check "a workload was measured" grep -q '^⟧A ' "$scratch/out"
check "bench says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
told --version
check "the version's lines come from tables" no_word_outside 0 "$scratch/names" "$scratch/out"
{ names_of causal && printf '%s\n' tensor; } >"$scratch/names"
told print causal --stage softmax
check "a step as text says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
told export causal "$scratch/causal.npz" --set attention.scale=none
told verify "$scratch/causal.npz" causal
check "the dump was told to be wrong" grep -q 'differs at' "$scratch/out"
check "verify says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"

# A lecture as a page: its screens have the words of tables and of their scenarios, without the row of steps,
# whose names are cut; around them are its own text, which is not a table's, the words of the page, and the
# scenario's words beside the numbers that can be touched.
screens_of_page() {
    awk '/<pre class="screen on-wide">/ { inside = 1 } inside { print } /<\/pre>/ { inside = 0 }' "$1" |
        grep -v '▸' | sed 's/<[^>]*>//g; s/&[a-z#0-9]*;/ /g'
}

lessons=$(dirname "$0")/../../lessons
for lecture in 01-idea 08-heads-form; do
    told walk "$lecture" --notes --html "$scratch/lecture.html"
    sed -n 's/^scenario \([a-z-]*\)$/\1/p' "$lessons/$lecture/lecture.md" | sort -u >"$scratch/scenarios"
    while read -r scenario; do
        names_of "$scenario"
        cat "$lessons/scenarios/$scenario.yaml"
    done <"$scratch/scenarios" >"$scratch/names"
    echo sqrt >>"$scratch/names"
    screens_of_page "$scratch/lecture.html" >"$scratch/screens"
    check "$lecture: the page has screens" grep -q '⟦columns⟧' "$scratch/screens"
    check "$lecture: its screens say what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"
    { printf '%s\n' "$allowed" && cat "$lessons/$lecture/lecture.md"; } >>"$scratch/names"
    words_of_page "$scratch/lecture.html" >"$scratch/out"
    check "$lecture: the page has words around its text" grep -q '⟦Contents⟧' "$scratch/out"
    check "$lecture: they are said by tables" no_word_outside 0 "$scratch/names" "$scratch/out"
done

# sat COLUMNSxROWS SCRIPT: what a person sees who does what standard input says.
sat() {
    export ATTNSCOPE_PROGRAM="$attnscope"
    ATTNSCOPE_LANG=marked "$sees" "$@" >"$scratch/screens" 2>"$scratch/said" || cat "$scratch/said" >>"$scratch/screens"
}

# A training that is watched: its texts are of its grammar, and its questions have names.
{ names_of heads && printf '%s\n' who before mark Jungkook very handsome perfect singer; } >"$scratch/names"
sat 130x40 '"$1" train --threads 1 --steps 3000; read line' <<'END'
wait looks at, text
type  
wait Paused.
screen
type 1
wait Correct without
screen
type ns
wait in update
screen
type \r
wait new value
screen
type \e
wait in update
screen
type n
wait looks at, text
type ?
wait any key returns
screen
END
check "a training is seen" grep -q '⟦what head 0 looks at' "$scratch/screens"
check "so is its help" grep -q '⟦any key returns' "$scratch/screens"
check "the training on the screen says what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"

# Two of them; the names of what differs are typed by whoever compares.
printf '%s\n' scale none >>"$scratch/names"
sat 130x40 '"$1" train --threads 1 --steps 12 --compare "scale none"; read line' <<'END'
wait Both are done
screen
type ?
wait print the results of both
screen
END
check "two trainings are seen" grep -q '⟦two trainings' "$scratch/screens"
check "two trainings on the screen say what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"

# An exercise that is watched; what it asks and its hints are texts of their own.
exercises=$(dirname "$0")/../../lessons/exercises
{ printf '%s\n' "$allowed" check hint lang marked exercises scale && cat "$exercises"/*-scale/*.md; } >"$scratch/names"
sed -i '$d' "$scratch/work/exercises/scale.c" # what did not compile
sat 100x40 "cd '$scratch/work' && \"\$1\" watch scale; read line" <<'END'
wait waiting for
screen
type h
wait hint 1
screen
type c
wait known mistake
screen
END
sed -i 's/^\( *⟦[A-Za-z]*⟧\).*/\1/' "$scratch/screens"
check "an exercise is watched" grep -q 'known mistake' "$scratch/screens"
check "what is beside its text says what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"

# The course: titles are of lectures, exercises have names. Then the prompt, and a terminal that is too small.
{ printf '%s\n' "$allowed" && "$attnscope" list exercises --format names | tr -- - '\n' && cat "$lessons"/*/lecture.md; } >"$scratch/names"
sat 110x34 '"$1"; read line' <<'END'
wait not begun
screen
type jjjjjjjjjjjjj
wait Look up each
screen
END
check "the course is seen" grep -q '⟦not begun⟧' "$scratch/screens"
check "the course says what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"
{ names_of causal && printf '%s\n' goto nowhere set attention scale; } >"$scratch/names"
sat 110x34 '"$1" trace causal; read line' <<'END'
wait causal
type :goto nowhere\r
wait unknown step
screen
type \e
wait quit
type :set attention.scale
wait :set attention.scale
screen
END
check "the prompt says what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"
sat 20x5 '"$1" trace causal; read line' <<'END'
wait ⟦
screen
END
check "a terminal that is too small says what tables say" no_word_outside 1 "$scratch/names" "$scratch/screens"

echo "int x = ;" >>"$scratch/work/exercises/scale.c"
mkdir "$scratch/class"
cp -r "$scratch/work" "$scratch/class/anna"
cp -r "$scratch/work" "$scratch/class/ben"
sed -i '$d' "$scratch/class/ben/exercises/scale.c" # as it is wrong, and compiles
# Names of exercises, mistakes and tests: a test's sentence is its own, in English and in Korean.
{
    printf '%s\n' "$allowed" anna ben grade
    "$attnscope" list exercises --format names
    "$attnscope" grade "$scratch/class" scale --journal none --format json | grep -oE '"(name|en|where)": "[^"]*"|"scale-.*"'
} | tr -- '-_' '\n\n' >"$scratch/names"
ATTNSCOPE_LANG=marked "$attnscope" grade "$scratch/class" --journal "$scratch/journal" --report "$scratch/class.html" >"$scratch/out"
check "a class's table says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
# The other forms: what people read of them, of all submissions or of one. What was judged is in the journal.
handed=$scratch/class
mark_class() {
    format=$1
    shift
    ATTNSCOPE_LANG=marked "$attnscope" grade "$handed" --journal "$scratch/journal" --format "$format" >"$scratch/whole" 2>"$scratch/said"
    cat "$scratch/said" >>"$scratch/whole"
    "$@" <"$scratch/whole" >"$scratch/out"
}
told_as() {
    mark_class "$@"
    format=$1
    check "a class as $format has sentences" grep -q '⟦' "$scratch/out"
    check "a class as $format says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
}
# The values of XML, without those that a schema prescribes.
attributes() {
    sed -E 's/<\?xml.*//; s/property name="[^"]*"//g' | grep -oE ' [a-z]+="[^"]*"' |
        sed -E 's/^ (encoding|type|classname)="[^"]*"//; s/"true"//; s/^ [a-z]+=//'
}
told_as junit attributes
told_as tap sed 's/^TAP version//; s/not ok [0-9]* - //; s/ok [0-9]* - //; s/ # [A-Z][A-Z]* / /; /severity/d; s/^ *[a-z_]*: //'
# The texts of JSON, without those that are a state.
strings() {
    grep -oE '"[a-z_]+": ?"([^"\]|\\.)*"' |
        grep -vE '^"(status|visibility|output_format|_presentation|filename)"' | sed -E 's/^"[a-z_]*"//; s/\\n/ /g'
}
classroom() {
    sed 's/^result=//' | base64 -d | strings
}
for name in anna ben; do
    handed=$scratch/class/$name
    for form in gradescope autolab prairielearn exercism; do
        told_as "$form" strings
    done
    told_as classroom classroom
done
handed=$scratch/class
told_as moodle sed '1s/^Identifier,"Full name",Grade,"Maximum Grade","Feedback comments"$//'
mark_class canvas sed '1s/^Student,ID,SIS User ID,SIS Login ID,Section,"attention"$//; 2s/"    Points Possible"//'
check "a class as canvas says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
words_of_page "$scratch/class.html" >"$scratch/out"
check "a class's page was written" grep -q 'What the class believes' "$scratch/out"
check "a class's page says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"

printf '%s\n' "$allowed" >"$scratch/names"
ATTNSCOPE_LANG=marked "$attnscope" help | sed 's/^  attnscope [a-z]*//' >"$scratch/out"
check "the list of commands says what tables say" no_word_outside 0 "$scratch/names" "$scratch/out"
for command in $("$attnscope" help | sed -n 's/^  attnscope \([a-z]*\) .*/\1/p'); do
    ATTNSCOPE_LANG=marked "$attnscope" help "$command" | sed '1,/^$/d' >"$scratch/out"
    check "help $command says what a table says" no_word_outside 0 "$scratch/names" "$scratch/out"
done

# refused SENTENCE ARGUMENTS...: what the program says then comes from a table.
printf '%s\n' "$allowed" 'nothing causal scale list print' >"$scratch/names"
refused() {
    sentence=$1
    shift
    ATTNSCOPE_LANG=marked "$attnscope" "$@" 2>"$scratch/out" >/dev/null || true
    check "$sentence" no_word_outside 0 "$scratch/names" "$scratch/out"
}
refused "an unknown command" nothing
refused "an unknown option" print causal --nothing
refused "an unknown mistake" print causal --mistake nothing
refused "an unknown kind" list nothing
refused "no scenario" print
refused "no folder" grade
printf 'a: [1\nb: 2\n' >"$scratch/bad.yaml"
printf 'hello' >"$scratch/bad.npz"
bad="$scratch bad npz png"
printf '%s\n' "$allowed" 'nothing causal scale list print attention set padded batch heatmap trace lines numpy savez' "$bad" |
    tr -c '[:alnum:]' '\n' >"$scratch/names"
refused "a file that is not there" print "$scratch/missing.yaml"
refused "a file that is no YAML" print "$scratch/bad.yaml"
refused "a file that is no archive" verify "$scratch/bad.npz" causal
refused "a field that is not there" print causal --set attention.nothing=1
refused "a value that does not fit" print causal --set attention.scale=nothing
refused "a place that cannot be written" heatmap causal --png "$scratch/nothing/picture.png"
refused "a name that says no form" export causal "$scratch/nothing"
refused "no display" heatmap causal
refused "a display that does not answer" heatmap padded-batch
refused "a lecture that is not there" walk nothing
refused "numbers that nobody printed" seed padded-batch "$scratch/bad.npz"
echo "1..$checks"
