#!/bin/sh
# What `meson install` makes, moved as a whole to another folder: test_install.sh MESON BUILD SOURCE
# prints TAP. Where the system lets anybody have mounts of their own, the source and the build folder
# are out of sight meanwhile.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
meson=$1
build=$2
source=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset ATTNSCOPE_LESSONS ATTNSCOPE_WORKERS ATTNSCOPE_KEEPER ATTNSCOPE_WINDOW ATTNSCOPE_PAPER DESTDIR
export XDG_CACHE_HOME="$scratch/cache" XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8

explain() {
    cat "$scratch/out" "$scratch/err"
}

# One folder a line: names may have blanks.
line='
'
hidden="$build$line$source"
if ! unshare -rm mount -t tmpfs tmpfs "$build" 2>/dev/null; then
    echo "# source and build folder stay in sight: this system gives nobody mounts of their own"
    hidden=
fi

# apart COMMAND...: where the hidden folders are empty.
apart() {
    if [ -z "$hidden" ]; then
        "$@"
    else
        # shellcheck disable=SC2016 # the inner shell's
        unshare -rm sh -c 'printf "%s\n" "$0" | while read -r folder; do mount -t tmpfs tmpfs "$folder"; done
            exec "$@"' "$hidden" "$@"
    fi
}

# try CODE ARGUMENTS...: as in tap.sh, apart. It runs in the folder `from`.
from=/
try() {
    wanted=$1
    shift
    (cd "$from" && apart "$attnscope" "$@") >"$scratch/out" 2>"$scratch/err" && code=0 || code=$?
    [ "$code" = "$wanted" ]
}

# With which code is the business of other tests.
fails() {
    ! try 0 "$@"
}

says() {
    grep -qF -- "$1" "$scratch/out" "$scratch/err"
}

installs() {
    "$meson" install -C "$build" --no-rebuild --destdir "$scratch/staged" >"$scratch/out" 2>"$scratch/err"
}

# The folder that an installed program's NAME lies in, as seen from the tree.
folder_of() {
    found=$(find "$tree" -name "$1" | head -n 1)
    dirname "$found"
}

# The source may lie at /attnscope, and /attnscope is a part of share/attnscope: a path is what does not go
# on with letters of a name before it, and names something that is in the folder.
no_path_within() {
    folder=$(printf '%s' "$1" | sed 's/[][\.*^$(){}+?|]/\\&/g')
    inside=$(ls -A "$1" | sed 's/[][\.*^$(){}+?|]/\\&/g' | paste -s -d '|')
    ! find "$tree" -type f -exec env LC_ALL=C grep -alE "(^|[^A-Za-z0-9._/-])$folder/($inside)" {} + >"$scratch/out"
}

has_lessons() {
    diff -r -x exercises -x meson.build "$source/lessons" "$lessons" >"$scratch/out" 2>"$scratch/err"
}

is_there() {
    [ -s "$tree/$1" ]
}

# --- moved

check "it is installed into a folder of its own" installs
program=$(find "$scratch/staged" -path '*/bin/attnscope')
mkdir -p "$scratch/other place/한글" "$scratch/links"
tree="$scratch/other place/한글/tree"
mv "$(dirname "$(dirname "$program")")" "$tree"
rm -rf "$scratch/staged"
attnscope=$tree/bin/attnscope
lessons=$tree/share/attnscope/lessons

for file in share/man/man1/attnscope.1 share/man/ko/man1/attnscope.1 share/man/man1/attnscope-walk.1 share/man/man5/attnscope-scenario.5 \
    share/bash-completion/completions/attnscope share/zsh/site-functions/_attnscope \
    share/fish/vendor_completions.d/attnscope.fish share/applications/attnscope.desktop \
    share/icons/hicolor/scalable/apps/attnscope.svg; do
    check "$file is there" is_there "$file"
done
check "it tells its version" try 0 --version
check "the state of its source" says "commit   "
check "its kernels" says "kernels  "
check "moved, it prints" try 0 print padded-batch
check "every stage" says "output_projection"
check "it has its lectures" try 0 list lectures
check "and all else of the source that is no exercise" has_lessons
echo quit >"$scratch/script"
check "and walks through one" try 0 walk 01-idea --script "$scratch/script"
check "its pictures are drawn" try 0 heatmap sentence --png "$scratch/map.png"
check "and its pages" try 0 heatmap sentence --pdf "$scratch/map.pdf"
check "it exports" try 0 export causal "$scratch/causal.npz"
check "a workspace is made" try 0 init "$scratch/work" --lang en
check "a stub is no solution" try 1 check scale --dir "$scratch/work"
cp "$source/lessons/exercises/09-scale/solution.c" "$scratch/work/exercises/scale.c"
check "a solution passes" try 0 check scale --dir "$scratch/work"
check "with all its points" says "10"
mkdir -p "$scratch/class"
cp -R "$scratch/work" "$scratch/class/somebody"
check "a class is graded" try 0 grade "$scratch/class" scale

# --- by other names

ln -s "../other place/한글/tree/bin/attnscope" "$scratch/links/scope"
attnscope=$scratch/links/scope
check "a link to the program will do" try 0 print causal --stage softmax
ln -s "$tree" "$scratch/links/tree"
attnscope=$scratch/links/tree/bin/attnscope
check "so will one to the tree" try 0 print causal --stage softmax
attnscope=attnscope
check "and a name that the shell looks up" env PATH="$scratch/links/tree/bin:$PATH" sh -c \
    'attnscope print causal --stage softmax >/dev/null'
if [ -n "$hidden" ]; then
    hidden="$hidden$line/proc"
    from=$scratch
    attnscope=links/scope
    check "nor does the system have to tell where a program lies" try 0 print causal --stage softmax
    from=/
    hidden=${hidden%"$line"*}
fi
attnscope=$tree/bin/attnscope

# --- what is used is this tree's, and nothing else

sed 's/^about:.*/about: a sentence that only this tree has/' "$lessons/scenarios/causal.yaml" >"$scratch/changed"
cp "$scratch/changed" "$lessons/scenarios/causal.yaml"
check "the scenarios are read" try 0 list scenarios
check "in the tree" says "a sentence that only this tree has"
libraries=$(folder_of libworker-scale.a)
mv "$libraries" "$scratch/libraries"
echo '// changed' >>"$scratch/work/exercises/scale.c"
check "without the tree's libraries nothing is checked" fails check scale --dir "$scratch/work"
check "and their folder is named" says "$libraries"
mv "$scratch/libraries" "$libraries"
programs=$(folder_of attnscope-judge)
mv "$programs" "$scratch/programs"
check "without the tree's programs no picture is drawn" try 1 heatmap sentence --png "$scratch/none.png"
check "and the folder is named" says "$programs"
mv "$scratch/programs" "$programs"
mv "$lessons" "$scratch/lessons"
check "without lessons nothing is listed" try 1 list lectures
check "and the place is named" says "$lessons"
mv "$scratch/lessons" "$lessons"
mkdir "$scratch/alone"
cp "$attnscope" "$scratch/alone/attnscope"
attnscope=$scratch/alone/attnscope
check "a program without its tree" try 1 print causal
check "says so" says "without its files"

# --- where it was built

check "no file of the tree names the build folder" no_path_within "$build"
check "nor the source" no_path_within "$source"
echo "1..$checks"
