#!/bin/sh
# The commands in the README's table work, and packages have the version of the build: test_readme.sh SOURCE
# PROGRAM prints TAP. Leaves out the stepper, which needs a terminal.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$1/tests/golden/layouts/hf_gpt2.safetensors" "$scratch/gpt2.safetensors" # the table opens one
"$program" export causal "$scratch/maps.npz" >"$scratch/told" # likewise
# shellcheck disable=SC2016 # the README's own backquotes
sed -n '/^| `attnscope trace/d; s/^| `\(attnscope [^`]*\)`.*/\1/p' "$1/README.md" >"$scratch/commands"
built=$(sed -n "s/^ *version: '\([^']*\)'.*/(\1)/p; s/^release_date = '\([^']*\)'.*/\1/p" "$1/meson.build" | xargs)
changes=$1/assets/packaging/debian/changelog
packaged=$(sed -n 's/^attnscope \(([^)]*)\).*/\1/p' "$changes" | head -n 1)
# "Sun, 22 Nov 2026 00:00:00 +0000" is 2026-11-22.
packaged="$packaged $(sed -n 's/^ -- .*>  //p' "$changes" | head -n 1 |
    awk '{ printf "%s-%02d-%02d", $4, (index("JanFebMarAprMayJunJulAugSepOctNovDec", $3) + 2) / 3, $2 }')"
own_places
cd "$scratch"

attnscope() {
    "$program" "$@"
}

runs() {
    eval "$1" >said 2>&1
}

explain() {
    cat said
}

while read -r command; do
    check "$command" runs "$command"
done <commands
if [ $checks = 0 ]; then
    echo "Bail out! The README shows no command."
fi
check "the Debian package has the version and the date of the build: $built" [ "$built" = "$packaged" ]
echo "1..$checks"
