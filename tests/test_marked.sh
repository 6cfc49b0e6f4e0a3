#!/bin/sh
# Every word comes from a table: test_marked.sh ATTNSCOPE prints TAP.
#
# With ATTNSCOPE_LANG=marked the program puts what comes from its tables between brackets. What is left
# outside of them is no sentence: names of stages and tensors, formulas, PyTorch's lines, words of
# commands, keys, and the few words below.
set -eu
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
attnscope=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME="$scratch/state" XDG_CACHE_HOME="$scratch/cache" LC_ALL=C.UTF-8
unset LANGUAGE

# What no language changes: names of types, numbers, keys and of what the program is.
allowed='attnscope float32 int64 bool NaN nan inf PyTorch Vaswani section Press Radford Devlin
Esc Tab Space Enter Home End PgUp PgDn PageUp PageDown Up Down Left Right Bksp Backspace Delete dtype exp src
stages code Attention document yaml'

# What a scenario brings with it, as its JSON has it.
names_of() {
    "$attnscope" print "$1" --format json
    printf '%s\n' "$allowed"
}

# The words of standard input outside of brackets. In a screen ($1) every line and every panel begins
# anew, for a panel may cut a closing bracket off; where one was left open, the next line may go on.
# Names that were cut, and the letters that stand for tokens in memory (AAAA), are no words.
words_outside() {
    sed 's/[A-Za-z_.]*…//g; s/\([A-Z]\)\1\1*//g' | awk -v screen="$1" '
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
echo "1..$checks"
