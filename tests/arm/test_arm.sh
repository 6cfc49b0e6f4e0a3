#!/bin/sh
# The lower floors built for 64-bit ARM give the same bits: test_arm.sh SOURCE prints TAP.
set -eu
for tool in aarch64-linux-gnu-gcc qemu-aarch64 meson; do
    if ! command -v "$tool" >/dev/null; then
        echo "1..0 # SKIP $tool is not there (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user)"
        exit 0
    fi
done
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

echo "1..2"
if meson setup "$build" "$1" -Dforeign=false --cross-file "$1/tests/arm/aarch64.ini" >"$build.log" 2>&1 &&
    meson compile -C "$build" >>"$build.log" 2>&1; then
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
