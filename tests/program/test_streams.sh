#!/bin/sh
# Full or closed output streams, and a small stack, for every command: test_streams.sh ATTNSCOPE LESSONS
# APP_COMMANDS prints TAP. A failed write is reported with exit code 1; streams that are not needed may be
# closed.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(realpath "$1")
lessons=$(realpath "$2")
commands=$(sed -n 's/^APP_COMMAND(\(.*\))$/\1/p' "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME="$scratch/state" XDG_CACHE_HOME="$scratch/cache" HOME="$scratch" LC_ALL=C.UTF-8
cd "$scratch" || exit 1
ln -s "$lessons" lessons # its own path may have a blank
{
    "$attnscope" init work --lang en
    cp "$lessons/exercises/08-score/solution.c" work/exercises/score.c
    "$attnscope" check score --dir work
    "$attnscope" export causal numbers.npz
    mkdir -p handed/ada
    cp work/exercises/score.c handed/ada
    printf 'next\nscreen\n' >script
    printf '%s\n' 'goto softmax' 'set x[0,0,0]=3' 'set attention.scale=sqrt_d_k' 'set attention.mask=none' \
        undo undo undo redo redo 'compare mistake scale-missing' 'compare-swap' screen >edits
    "$attnscope" export causal numbers.npz
} >out 2>err

explain() {
    head -n 5 err
}

# What each command is asked. `debug` and `watch` need a terminal, and say so.
words_of() {
    case $1 in
    train) echo train --steps 2 ;;
    train-compare) echo train --steps 2 --threads 1 --compare heads~1 ;;
    train-scenario) echo train heads --set model.heads=2 --steps 2 --threads 1 ;;
    walk) echo walk 01-idea ;;
    trace) echo trace causal --script script ;;
    trace-edits) echo trace causal --script edits ;;
    print) echo print causal ;;
    print-exact) echo print causal --exact ;;
    print-json) echo print causal --format json ;;
    heatmap) echo heatmap causal --csv /dev/stdout ;;
    write) echo write Mina --tokens 2 ;;
    export) echo export causal fresh.npz ;;
    export-compare) echo export causal fresh.npz --compare mistake~scale-missing ;;
    bench) echo bench A --short --json ;;
    lecture) echo lecture check lessons/01-idea ;;
    init) echo init fresh --lang en ;;
    list) echo list ;;
    glossary) echo glossary softmax ;;
    help) echo help print ;;
    doctor) echo doctor ;;
    verify) echo verify numbers.npz causal ;;
    seed) echo seed scaled-dot-product --tensor attn_weights '[0.5,0.25]' ;; # a search takes a minute
    grade) echo grade handed score ;;
    grade-json) echo grade handed score --format json ;;
    step) echo step score --dir work --script script ;;
    open) echo open numbers.npz ;;
    hint) echo hint score 1 --dir work ;;
    *) echo "$1" score --dir work ;;
    esac
}

# Runs it; ~ is a blank inside of a word.
asked() {
    words=$(words_of "$1")
    set --
    for word in $words; do
        set -- "$@" "$(echo "$word" | tr '~' ' ')"
    done
    "$attnscope" "$@"
}

told() {
    [ "$code" = 1 ] && grep -q 'attnscope: .*[a-z]' err
}

full() {
    rm -rf fresh fresh.npz
    asked "$1" >/dev/full 2>err </dev/null && code=0 || code=$?
    told
}

closed() {
    rm -rf fresh fresh.npz
    asked "$1" >&- 2>err </dev/null && code=0 || code=$?
    told
}

# Without input, and without a place for sentences, everything is as usual.
as_usual() {
    rm -rf fresh fresh.npz
    asked "$1" >wanted 2>/dev/null </dev/null && usual=0 || usual=$?
    rm -rf fresh fresh.npz
    asked "$1" >out 2>&- <&- && code=0 || code=$?
    [ "$code" = "$usual" ] && { [ "$1" = bench ] || [ "$1" = reset ] || cmp -s wanted out; }
}

# Large things lie elsewhere: musl gives a thread 128 kB, a container may give little more.
small_stack() {
    # shellcheck disable=SC3045 # every shell that is used here has it
    (ulimit -s 256 && asked "$1" >out 2>err </dev/null) && code=0 || code=$?
    [ "$code" = "$usual" ] && { [ "$1" = bench ] || [ "$1" = init ] || [ "$1" = reset ] || cmp -s wanted out; }
}

# Commands, and forms of them that print in another way.
for command in $commands print-exact print-json trace-edits export-compare train-compare train-scenario grade-json; do
    case $command in
    debug | watch | export* | reset) ;;
    *)
        check "$command tells that its output was not taken" full "$command"
        check "$command tells that there is no output" closed "$command"
        ;;
    esac
    check "$command works without input and error output" as_usual "$command"
    check "$command works with a stack of 256 kB" small_stack "$command"
done
echo "1..$checks"
