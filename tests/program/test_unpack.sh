#!/bin/sh
# The program that unpacks C files from archives, run alone, so that a sanitizer can watch it without the
# minutes of grading: test_unpack.sh UNPACK SOLUTION prints TAP.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
unpack=$1
solution=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 "$(dirname "$0")/../attacks/archives.py" "$solution" "$scratch/handed"

explain() {
    tr '\0' '\n' <"$scratch/out"
    cat "$scratch/err"
}

# ends ARCHIVE: with 0, or with 1 and one line that says why.
ends() {
    rm -rf "$scratch/files"
    mkdir "$scratch/files"
    "$unpack" "$1" "$scratch/files" >"$scratch/out" 2>"$scratch/err" && code=0 || code=$?
    [ ! -s "$scratch/err" ] && { [ "$code" = 0 ] || { [ "$code" = 1 ] && [ -s "$scratch/out" ]; }; }
}

# holds_solution: a file that came out is the one that was put in.
holds_solution() {
    find "$scratch/files" -name '*.c' -exec cmp -s {} "$solution" \; -print | grep -q .
}

for archive in "$scratch"/handed/*.zip "$scratch"/handed/*.7z "$scratch"/handed/*.t*; do
    check "${archive##*/}: is read, or refused in one line" ends "$archive"
done
for name in zip.zip tar.tar seven.7z korean.zip cp949.zip; do
    ends "$scratch/handed/$name" || true
    check "$name: the file comes out whole" holds_solution
done
ends "$scratch/handed/tar_link.tar" || true
check 'and no link' sh -c '! find "$0" -type l | grep -q .' "$scratch/files"
echo "1..$checks"
