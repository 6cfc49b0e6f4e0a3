#!/bin/sh
# Runs as root in the empty Debian of tests/release/package.sh, in a clone of the commit: packaged.sh prints TAP, and
# ends with "N passed, N failed".
#
# Makes three copies of the root. Installs the package in the first, and runs the two stages of
# assets/packaging/Containerfile in the others, which builds the package again.
set -u
# shellcheck source=tests/helpers/tap.sh
. tests/helpers/tap.sh
# shellcheck source=tests/release/roots.sh
. tests/release/roots.sh

# --- the package

keep_empty
build_package
lintian "$package" >"$scratch/lintian" 2>&1
check "lintian finds no error" sh -c '! grep "^E:" "$1" >"$2"' sh "$scratch/lintian" "$scratch/out"
sed 's/^/# lintian: /' "$scratch/lintian"

# --- installed

clean=$scratch/clean
new_root "$clean"
cp "$package" "$clean/tmp/attnscope.deb"
check "it is installed with what it needs" in_root "$clean" root apt-get install -y --no-install-recommends \
    /tmp/attnscope.deb gcc libc6-dev fonts-dejavu-core
in_root "$clean" root useradd --create-home --home-dir /tmp/learner learner
learner() {
    in_root "$clean" learner "$@"
}
cp lessons/exercises/[0-9][0-9]-scale/solution.c "$clean/tmp/scale.c"
cp lessons/exercises/[0-9][0-9]-scale/exercise.c "$clean/tmp/stub.c"
check "it tells which state of the source it is" learner attnscope --version
check "as git does" says "commit   $(git describe --always --dirty --abbrev=12 --exclude='*')"
check "it prints" learner attnscope print padded-batch
check "every stage" says output_projection
check "a picture is drawn" learner attnscope heatmap sentence --png /tmp/learner/map.png
check "a workspace is made" learner attnscope init /tmp/learner/work
check "a stub is no solution" learner sh -c '! attnscope check scale --dir /tmp/learner/work'
learner cp /tmp/scale.c /tmp/learner/work/exercises/scale.c
check "a solution passes" learner attnscope check scale --dir /tmp/learner/work
check "a class is graded" learner attnscope grade /tmp/learner scale
if in_root "$clean" root attnscope help && says ' doctor '; then
    check "the doctor finds nothing wrong" learner attnscope doctor
fi
umount "$clean/proc"
check "it finds its own where nobody tells it the way" learner attnscope print causal --stage softmax
mount -t proc proc "$clean/proc"
check "it has manual pages" test -s "$clean/usr/share/man/man1/attnscope-walk.1.gz"
check "it can be removed" in_root "$clean" root apt-get purge -y attnscope
check "and leaves nothing" sh -c '! find "$1/usr" "$1/etc" -name "*attnscope*" | grep .' sh "$clean"

# --- the container

containerfile assets/packaging/Containerfile "$PWD" "$scratch/stage"
mkdir -p "$root$folder/somebody"
cp lessons/exercises/[0-9][0-9]-scale/solution.c "$root$folder/somebody/scale.c"
check "the container has two stages" [ "$stage" = 2 ]
# shellcheck disable=SC2086 # the file's own words
check "as its user, in its folder, it grades" in_root "$root" "$user" env $variables sh -c "cd $folder && $words"
check "a class" says somebody
check "and gives points" says 10
check "both builds of the package are equal" cmp "$package" "$scratch/stage-1/packages/$(basename "$package")"

count_all
