#!/bin/sh
# bootstrap.sh among package managers that only pretend: test_bootstrap.sh SOURCE prints TAP.
#
# The pretended system finds every tool and library but those named in the file `absent`; a
# successful installation makes all of them appear. Every call of a package manager or of sudo is
# written to `calls`, as is every `meson setup`.
# shellcheck disable=SC2016 # the fakes expand their own variables
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder="$scratch/폴더 with space"

# fake NAME LINE...: a program of the pretended system.
fake() {
    name=$1
    shift
    printf '%s\n' "#!$(command -v sh)" "$@" >"$scratch/bin/$name"
    chmod +x "$scratch/bin/$name"
}

# fresh USER-ID MANAGER...: a system where only libyaml and jansson are missing, and no build folder.
fresh() {
    rm -rf "${scratch:?}"/*
    mkdir "$scratch/bin" "$folder"
    cp "$source/bootstrap.sh" "$folder"
    for tool in cat chmod cp cut dirname env grep mkdir mktemp rm sed sh tr; do
        ln -s "$(command -v $tool)" "$scratch/bin/$tool"
    done
    printf '%s\n' yaml-0.1 jansson >"$scratch/absent"
    : >"$scratch/calls"
    fake id "echo $1"
    fake cc
    fake fc-list 'echo font'
    fake test '[ "$@" ]'
    fake pkg-config 'while read -r name; do [ "$name" != "$2" ] || exit 1; done <"$SCRATCH/absent"'
    fake ninja 'printf "%s\n" "#!$(command -v sh)" "echo attnscope \$*" >build/attnscope && chmod +x build/attnscope'
    fake meson 'case $1 in' \
        'setup) echo "meson $*" >>"$SCRATCH/calls"; mkdir -p "$2/meson-private"; : >"$2/build.ninja" ;;' \
        'test) mkdir -p "$3/meson-logs"; cp "$SCRATCH/results" "$3/meson-logs/testlog.json" ;;' \
        'esac'
    shift
    for manager in "$@"; do
        fake "$manager" 'echo "${0##*/} $*" >>"$SCRATCH/calls"' ': >"$SCRATCH/absent"'
    done
}

# Runs bootstrap.sh in the pretended system; leaves `status`, `said` and `calls`.
bootstrap() {
    status=0
    (cd / && env -i PATH="$scratch/bin" SCRATCH="$scratch" SUDO_USER="${sudo_user:-}" CC="${compiler:-}" \
        sh "$folder/bootstrap.sh" "$@") \
        </dev/null >"$scratch/out" 2>"$scratch/err" || status=$?
    said=$(cat "$scratch/out" "$scratch/err")
    calls=$(cat "$scratch/calls")
}

explain() {
    printf '%s\n' "status $status" "$said" "$calls"
}

has() {
    printf '%s\n' "$1" | grep -qF -- "$2"
}

fresh 0 apt-get
: >"$scratch/absent"
bootstrap
check "when nothing is missing, the walk is printed" has "$said" "attnscope print padded-batch"
check "when nothing is missing, no package manager is asked" [ "$calls" = "meson setup build" ]
bootstrap
check "the second time nothing is set up" [ "$calls" = "meson setup build" ]
echo "/elsewhere " >"$folder/build/bootstrap.stamp"
: >"$folder/build/meson-private/old"
bootstrap
check "a build folder made for another place is made anew" [ ! -e "$folder/build/meson-private/old" ]
check "and then works" has "$said" "attnscope print padded-batch"
: >"$folder/build/meson-private/old"
compiler='cc -m64'
bootstrap
compiler=
check "so is one for another compiler, whose name may hold options" [ ! -e "$folder/build/meson-private/old" ]

fresh 0 apt-get
bootstrap
check "apt-get's lists are renewed before it installs" has "$calls" "update"
check "apt-get installs what is missing and nothing else" \
    has "$calls" "install -y --no-install-recommends libyaml-dev libjansson-dev"
check "what will be installed is said" has "$said" "installing with apt-get: libyaml-dev libjansson-dev"
check "after installing it builds and walks" has "$said" "attnscope print padded-batch"

fresh 0 dnf
bootstrap
check "dnf installs Fedora's packages" has "$calls" "dnf install -y libyaml-devel jansson-devel"

fresh 0 pacman
bootstrap
check "pacman installs Arch's packages" has "$calls" "pacman -S --needed --noconfirm libyaml jansson"

fresh 1000 brew
fake brew 'echo "brew $*" >>"$SCRATCH/calls"' '[ "$1" = --prefix ] || : >"$SCRATCH/absent"'
bootstrap
check "brew installs without root" has "$calls" "brew install libyaml jansson"

fresh 1000 dnf
fake sudo 'echo "sudo $*" >>"$SCRATCH/calls"' 'exec "$@"'
bootstrap
check "who is not root installs through sudo" has "$calls" "sudo dnf install -y libyaml-devel jansson-devel"

fresh 0 apt-get
fake sudo 'echo "sudo $*" >>"$SCRATCH/calls"' 'shift 2' 'unset SUDO_USER' 'exec "$@"'
sudo_user=learner
bootstrap
sudo_user=
check "under sudo the build is the person's own" has "$calls" "sudo -u learner env CI= sh bootstrap.sh"

fresh 1000 apt-get
bootstrap
check "without root and sudo it stops" [ "$status" = 1 ]
check "without root and sudo it says what to run" \
    has "$said" "Ask an administrator to run: apt-get install libyaml-dev libjansson-dev"
check "without root and sudo nothing is installed" [ -z "$calls" ]

fresh 0
bootstrap
check "without a package manager it stops" [ "$status" = 1 ]
check "without a package manager it says what is missing" has "$said" "missing: yaml-0.1 jansson"
check "by the names of its makers, and what for" has "$said" "libyaml: reads scenarios"
check "and nothing that is there" [ "$(printf '%s\n' "$said" | grep -c '^bootstrap:   ')" = 2 ]

fresh 0 apt-get
fake apt-get 'echo "no route to host"' 'exit 100'
bootstrap
check "when apt-get fails it stops" [ "$status" = 1 ]
check "when apt-get fails its reason is shown" has "$said" "no route to host"
check "when apt-get fails it is said in a sentence" has "$said" "apt-get could not install libyaml-dev"

fresh 0 apt-get
fake apt-get
bootstrap
check "when a package brings nothing it stops" [ "$status" = 1 ]
check "when a package brings nothing it says what is still missing" has "$said" "still not found: yaml-0.1 jansson"

fresh 0 apt-get
: >"$scratch/absent"
fake ninja 'exit 1'
bootstrap
check "when the build fails it stops" [ "$status" = 1 ]
check "when the build fails it is said in a sentence" has "$said" "the build in build/ failed"

# results WORD...: what the pretended meson test will have to say.
results() {
    for word in "$@"; do
        printf '{"name": "a", "stdout": "\\"result\\": \\"FAIL\\"", "result": "%s"}\n' "$word"
    done >"$scratch/results"
}

fresh 0 apt-get
results OK OK
bootstrap test
check "passed tests are counted" [ "$(tail -n 1 "$scratch/out")" = "2 passed, 0 failed" ]
check "passed tests are a success" [ "$status" = 0 ]
results OK FAIL TIMEOUT SKIP ERROR
bootstrap test
check "failed tests are counted" [ "$(tail -n 1 "$scratch/out")" = "1 passed, 3 failed, 1 skipped" ]
check "failed tests are a failure" [ "$status" = 1 ]
printf '{"name": "attnscope / window", "stdout": "1..0 # SKIP Xvfb is not here\\n", "result": "SKIP", "env": {}}\n' \
    >>"$scratch/results"
bootstrap test
check "a skipped test is told with its reason" has "$said" "skipped: attnscope / window: Xvfb is not here"
printf '{"name": "attnscope / room", "stdout": "not ok 1 - a\\n# four of them\\nnot ok 2 - is \\"large\\"\\nthe screen is\\nq quit\\nok 3\\n1..3\\n", "result": "FAIL", "env": {}}\n' \
    >>"$scratch/results"
bootstrap test
check "a failed test is told by its name" has "$said" "failed: attnscope / room"
check "and by what it remarks" has "$said" 'bootstrap:   # four of them'
check "and by what of it failed" has "$said" 'bootstrap:   not ok 2 - is \"large\"'
check "and by all that it says of that" has "$said" "bootstrap:   | q quit"
check "nothing else is told" [ "$(printf '%s\n' "$said" | grep -c '^bootstrap:   ')" = 5 ]
results
bootstrap test
check "no test at all is a failure" [ "$status" = 1 ]

fresh 0 apt-get
fake meson 'case $1 in' \
    'setup) mkdir -p "$2/meson-private"; : >"$2/build.ninja" ;;' \
    'test) echo "meson $* ${ATTNSCOPE_LONG:+long}" >>"$SCRATCH/calls"; mkdir -p "$3/meson-logs"; cp "$SCRATCH/results" "$3/meson-logs/testlog.json" ;;' \
    'esac'
results OK
bootstrap test rest
check "the rest of nothing is refused" [ "$status" = 1 ]
check "and what comes before it is said" has "$said" "run sh bootstrap.sh test first"
printf '{"name": "attnscope:fresh / %s", "stdout": "1..0", "result": "%s"}\n' window SKIP room OK pdf SKIP >"$scratch/results"
bootstrap test
: >"$scratch/calls"
bootstrap test rest
check "the rest are the tests that were skipped" has "$calls" "--no-rebuild window pdf"
check "and the slow ones" has "$calls" "--no-rebuild --suite slow"
: >"$scratch/calls"
bootstrap test
check "which come with no others" has "$calls" "--no-rebuild --no-suite slow"
bootstrap test long
check "in the long form tests take every case" has "$calls" " long"
bootstrap test fresh
check "a fresh machine is tried by tests of its own" has "$calls" "--suite fresh"

fresh 0 apt-get
bootstrap tests
check "an unknown word is refused" [ "$status" = 2 ]
echo "1..$checks"
