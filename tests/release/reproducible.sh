#!/bin/sh
# Two builds of this source, in different folders and at different times, install the same bytes: reproducible.sh
# prints TAP, and ends with "N passed, N failed". One build folder is inside the source, the other outside.
# Compiles everything twice.
set -u
CDPATH='' cd -- "$(dirname -- "$0")/../.." || exit 1
# shellcheck source=tests/helpers/tap.sh
. tests/helpers/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
: >"$scratch/failed" # a line for each check that does not hold
export CCACHE_DISABLE=1 # what it kept would be equal without being made again

explain() {
    tail -n 20 "$scratch/out"
    echo failed >>"$scratch/failed"
}

# copy FOLDER: the source, with what is not committed yet.
copy() {
    mkdir -p "$1"
    tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$1"
}

# install SOURCE BUILD TREE
install() {
    {
        meson setup "$2" "$1" -Dtests=false &&
            ninja -C "$2" &&
            meson install -C "$2" --no-rebuild --destdir "$3"
    } >"$scratch/out" 2>&1
}

equal() {
    diff -r "$1" "$2" >"$scratch/out"
}

no_file_names() {
    ! grep -rlaF -- "$scratch" "$scratch/first" "$scratch/second" >"$scratch/out"
}

copy "$scratch/one"
check "it is built inside of its source" install "$scratch/one" "$scratch/one/build" "$scratch/first"
copy "$scratch/somewhere/else/entirely"
find "$scratch/somewhere" -exec touch -t 200001010000 {} +
export TZ=Asia/Seoul LC_ALL=C
check "and elsewhere, of older files, in another time zone" install "$scratch/somewhere/else/entirely" "$scratch/there" "$scratch/second"
check "all that is installed is equal" equal "$scratch/first" "$scratch/second"
check "no file names a folder of the build" no_file_names
failed=$(wc -l <"$scratch/failed")
echo "1..$checks"
echo "$((checks - failed)) passed, $failed failed"
[ "$failed" = 0 ]
