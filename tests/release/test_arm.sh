#!/bin/sh
# The lower floors built for 64-bit ARM give the same bits: test_arm.sh SOURCE prints TAP.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
skip_without aarch64-linux-gnu-gcc qemu-aarch64
build=$(mktemp -d)
# -O1 fuses where the compiler is free to; kernels of -O3 take twice as long to build.
optimization=1
[ -z "${ATTNSCOPE_LONG:-}" ] || optimization=3
trap 'rm -rf "$build"' EXIT

echo "1..2"
if meson setup "$build" "$1" -Dforeign=false "-Doptimization=$optimization" --cross-file "$1/tests/release/aarch64.ini" >"$build.log" 2>&1 &&
    meson compile -C "$build" bits >>"$build.log" 2>&1; then
    echo "ok 1 - floors base, tensor, stages and trace are built for 64-bit ARM"
else
    echo "not ok 1 - floors base, tensor, stages and trace are built for 64-bit ARM"
    sed 's/^/#   /' "$build.log"
fi
if qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/tests/bits/bits" "$1/tests/bits/bits.txt" >"$build.log" 2>&1; then
    echo "ok 2 - kernels, generator and small traces have the committed bits there"
else
    echo "not ok 2 - kernels, generator and small traces have the committed bits there"
fi
sed 's/^/#   /' "$build.log"
rm -f "$build.log"
