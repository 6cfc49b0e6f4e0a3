#!/bin/sh
# Runs each target of a build for a fuzzer (FUZZ.md) for some seconds: each.sh BUILD SECONDS. Ends with
# 1, and names the input, where one does not hold.
set -eu
build=$1 seconds=$2
source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
export ATTNSCOPE_LESSONS="${source%/tests/fuzz}/lessons"
export ASAN_OPTIONS=allocator_may_return_null=1:abort_on_error=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

bad=0
for dictionary in "$build"/tests/fuzz/fuzz-*.dict; do
    program=${dictionary%.dict}
    name=${program##*/fuzz-}
    mkdir "$kept/$name"
    set -- # a format without words has an empty dictionary, which libFuzzer refuses
    [ ! -s "$dictionary" ] || set -- -dict="$dictionary"
    if "$program" -max_total_time="$seconds" -max_len=8192 -entropic=0 -rss_limit_mb=2048 -timeout=60 \
        "$@" -artifact_prefix="$build/$name." -print_final_stats=1 \
        "$kept/$name" "$source/corpus/$name" >"$kept/log" 2>&1; then
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$kept/log") inputs"
    else
        tail -n 60 "$kept/log"
        bad=1
    fi
done
exit $bad
