#!/bin/sh
# A test that lacks a tool is a skip for meson and not an error, and says what installs the tool:
# test_skips.sh SOURCE BUILD prints TAP. Each of these tests is run once without each of its tools.
set -eu
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
source=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$build/meson-logs/without.txt" "$build/meson-logs/without.json"' EXIT

# The tests that can skip, and the tools that each takes.
cat >"$scratch/rows" <<END
arm aarch64-linux-gnu-gcc qemu-aarch64
exercises_solutions_clang clang
exercises_solutions_gcc gcc
pdf pdftotext
stepper_window Xvfb xdotool
train_window Xvfb xdotool
wayland sway grim setpriv
window Xvfb xdotool xprop
END

explain() {
    cat "$scratch/out"
}

# without TOOL COMMAND...: in the folder `tools` is every program on the path, but for a while not that one.
tools=$scratch/tools
mkdir "$tools"
echo "$PATH" | tr : '\n' | while read -r folder; do
    find "$folder/" -maxdepth 1 ! -type d -exec ln -s -t "$tools" {} + 2>/dev/null || true
done
without() {
    hidden=$1
    shift
    mv "$tools/$hidden" "$scratch/hidden" 2>/dev/null || true # not here anyway
    PATH=$tools "$@" && outcome=0 || outcome=$?
    [ ! -L "$scratch/hidden" ] || mv "$scratch/hidden" "$tools/$hidden"
    return "$outcome"
}

# skips TEST TOOL: meson's opinion of the test without the tool; `out` is what the test printed.
skips() {
    log=$build/meson-logs/without.json
    rm -f "$log"
    without "$2" meson test -C "$build" --no-rebuild --logbase without "$1" >"$scratch/out" 2>&1 &&
        cp "$log" "$scratch/out" && grep -q '"result": "SKIP"' "$log"
}

known() {
    grep -qE "^(tool|cross|sanitizers) +$1 " "$source/bootstrap.sh"
}

while read -r name row; do
    for tool in $row; do
        check "without $tool the test $name is skipped" skips "$name" "$tool"
        check "and says what brings it" grep -q "1..0 # SKIP .*CI=true sh bootstrap.sh test installs it" "$scratch/out"
        check "as it does" known "$tool"
    done
done <"$scratch/rows"

# Whoever can skip stands in a row, and skips in the common words.
has_row() {
    grep -q "^$1[_ ]" "$scratch/rows"
}
: >"$scratch/out"
for file in $(cd "$source/tests" && grep -rlE '^ *skip_without |skips_without\(' --include='test_*'); do
    name=$(basename "$file")
    name=${name#test_}
    check "$file stands among them" has_row "${name%.*}"
done
# test_fence.sh asks for a kernel that filters system calls, which nothing installs.
check "no other test says on its own that it is skipped" \
    [ "$(cd "$source/tests" && grep -rlE 'SKIP|exit 77' --include='test_*' | sort | tr '\n' ' ')" = \
        'test_bootstrap.sh test_fence.sh test_skips.sh ' ]
echo "1..$checks"
