#!/bin/sh
# What tests/package.sh does as root in an empty Debian, in a clone of what is committed: packaged.sh
# prints TAP, and ends with "N passed, N failed".
#
# Three further roots are copies of the empty one: the package is installed in the first, and the two
# stages of assets/packaging/Containerfile run in the others, where the package is built once more.
set -u
# shellcheck source=tests/tap.sh
. tests/tap.sh
source=$PWD
scratch=$(mktemp -d)
: >"$scratch/failed" # a line for each check that does not hold
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

explain() {
    tail -n 15 "$scratch/out"
    echo failed >>"$scratch/failed"
}

runs() {
    "$@" >"$scratch/out" 2>&1
}

says() {
    grep -qF -- "$1" "$scratch/out"
}

# new_root FOLDER: a copy of this Debian as it is now, with its own devices and processes.
new_root() {
    mkdir -p "$1/root"
    tar -C "$1" -xf "$scratch/empty.tar"
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
}

# in_root FOLDER USER COMMAND...: there, as root or somebody else.
in_root() {
    root=$1
    person=$2
    home=/tmp/$person
    [ "$person" != root ] || home=/root
    shift 2
    runs chroot --userspec="$person" "$root" /usr/bin/env -i PATH="$PATH" HOME="$home" LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

# --- the package

apt-get update >"$scratch/out" 2>&1
tar -C / --one-file-system --exclude=./root --exclude=./tmp/* -cf "$scratch/empty.tar" .
check "what building takes can be installed" runs apt-get install -y --no-install-recommends dpkg-dev git lintian
check "and is named by the package" runs apt-get build-dep -y --no-install-recommends ./assets/packaging
mkdir "$scratch/built"
check "the package is built" runs sh assets/packaging/debian.sh "$scratch/built"
package=$(find "$scratch/built" -name '*.deb')
cp "$scratch/out" "$scratch/build.log"
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
cp lessons/exercises/*-scale/solution.c "$clean/tmp/scale.c"
cp lessons/exercises/*-scale/exercise.c "$clean/tmp/stub.c"
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

# --- the container: each line of its file that does something, as a builder of containers would

root_of() {
    echo "$scratch/stage-$1"
}

# A line of the file: its first word, and the rest.
follow() {
    word=$1
    rest=$2
    root=$(root_of "$stage")
    case $word in
    FROM)
        stage=$((stage + 1))
        user=root
        new_root "$(root_of "$stage")"
        ;;
    COPY)
        from=$source
        case $rest in
        --from=*) from=$(root_of 1)${rest#--from=* } && from=${from%% *} ;;
        esac
        mkdir -p "$root${rest##* }"
        cp -a "$from/." "$root${rest##* }"
        ;;
    RUN) check "RUN $rest" in_root "$root" "$user" sh -c "$rest" ;;
    USER) user=$rest ;;
    ENV) variables=$rest ;;
    WORKDIR) folder=$rest ;;
    ENTRYPOINT | CMD) words="$words $(echo "$rest" | tr -d '[],"')" ;;
    esac
}

stage=0
user=root
words=
variables=
folder=/
grep -v '^ *\(#\|$\)' assets/packaging/Containerfile >"$scratch/lines"
while read -r word rest; do
    follow "$word" "$rest"
done <"$scratch/lines"
root=$(root_of "$stage")
mkdir -p "$root$folder/somebody"
cp lessons/exercises/*-scale/solution.c "$root$folder/somebody/scale.c"
check "the container has two stages" [ "$stage" = 2 ]
# shellcheck disable=SC2086 # the file's own words
check "as its user, in its folder, it grades" in_root "$root" "$user" env $variables sh -c "cd $folder && $words"
check "a class" says somebody
check "and gives points" says 10
check "both builds of the package are equal" cmp "$package" "$(root_of 1)/packages/$(basename "$package")"

failed=$(wc -l <"$scratch/failed")
echo "1..$checks"
echo "$((checks - failed)) passed, $failed failed"
[ "$failed" = 0 ]
