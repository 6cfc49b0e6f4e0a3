#!/bin/sh
# Manual pages and the desktop entry, as a reader sees them: test_manual.sh ATTNSCOPE PAGES DESKTOP
# prints TAP. PAGES is the folder of the pages.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
pages=$2
desktop=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
commands=$("$attnscope" help | sed -n 's/^  attnscope \([a-z]*\) .*/\1/p')

explain() {
    cat "$scratch/out"
}

# A line of text that holds blanks and punctuation only as one of them.
as_words() {
    tr -s ' \n' ' ' | sed "s/[‐­]//g"
}

# shows PAGE TEXT: somebody who reads the page finds the text.
shows() {
    LC_ALL=C.UTF-8 MANWIDTH=200 man -l "$1" 2>"$scratch/out" | as_words >>"$scratch/out"
    grep -qF -- "$2" "$scratch/out"
}

without_warnings() {
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$1" 2>"$scratch/out" >/dev/null
    [ ! -s "$scratch/out" ]
}

lint() {
    mandoc -Tlint -W warning "$1" >"$scratch/out" 2>&1
}

# Each option that the help of a command explains is one that shells complete.
completes_what_it_explains() {
    "$attnscope" help --format words -- "$1" - | sort -u >"$scratch/offered"
    "$attnscope" help "$1" | sed -n 's/^ *\(--[a-z-]*\).*/\1/p' | sort -u >"$scratch/explained"
    comm -13 "$scratch/offered" "$scratch/explained" >"$scratch/out"
    [ -s "$scratch/offered" ] && [ ! -s "$scratch/out" ]
}

summary_of() {
    "$attnscope" help "$1" | sed -n "/^$/{n;p;q;}"
}

for command in $commands; do
    check "$command: what its help explains is completed" completes_what_it_explains "$command"
done
if command -v man >/dev/null && [ "$(printf '.TH A 1\n' | man -l - 2>&1 | wc -l)" -gt 0 ]; then
    for command in $commands; do
        check "$command: its page says what it does" shows "$pages/attnscope-$command.1" "$(summary_of "$command")"
    done
    check "the options of a page" shows "$pages/attnscope-print.1" '--tensor T only this tensor'
    check "the environment" shows "$pages/attnscope.1" 'ATTNSCOPE_LESSONS the folder of lectures'
    check "the format of scenarios" shows "$pages/attnscope-scenario.5" \
        "$("$attnscope" help scenario | as_words | cut -c 1-60)"
    check "a page in Korean" shows "$pages/ko/attnscope-print.1" '--tensor T 이 텐서만'
    check "the environment in Korean" shows "$pages/ko/attnscope.1" 'ATTNSCOPE_LESSONS 강의, 연습문제'
    for page in "$pages"/*.[15] "$pages"/ko/*.[15]; do
        check "${page#"$pages"/}: man has nothing to complain about" without_warnings "$page"
    done
else
    echo "# man is not installed: what its pages look like is not tried"
fi
if command -v mandoc >/dev/null; then
    for page in "$pages"/*.[15] "$pages"/ko/*.[15]; do
        check "${page#"$pages"/}: nor has mandoc" lint "$page"
    done
fi
if command -v desktop-file-validate >/dev/null; then
    check "the desktop's entry is valid" desktop-file-validate "$desktop"
fi
echo "1..$checks"
