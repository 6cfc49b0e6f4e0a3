#!/bin/sh
# attnscope doctor: what it accepts, reports and fixes: test_doctor.sh ATTNSCOPE prints TAP.
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
XDG_STATE_HOME="$scratch/state"
XDG_CACHE_HOME="$scratch/cache"
TMPDIR="$scratch/temporaries"
LC_ALL=C.UTF-8
export XDG_STATE_HOME XDG_CACHE_HOME TMPDIR LC_ALL
unset DISPLAY WAYLAND_DISPLAY
kept="$XDG_STATE_HOME/attnscope"
workers="$XDG_CACHE_HOME/attnscope/workers"
mkdir -p "$TMPDIR" "$kept" "$workers" "$scratch/here"
cd "$scratch/here" || exit 1

explain() {
    cat "$scratch/out" "$scratch/err"
}

# says WORDS: on one line of what the program said.
says() {
    grep -qF -- "$1" "$scratch/out"
}

says_not() {
    ! says "$1"
}

# followed_by WORDS ADVICE: a line with the words is followed by one with the advice.
followed_by() {
    grep -F -A 1 -- "$1" "$scratch/out" | grep -qF -- "$2"
}

is_empty() {
    [ -z "$(ls -A "$1")" ]
}

gone() {
    [ ! -e "$1" ]
}

# The number of a process that is no more.
ended() {
    sh -c 'echo $$'
}

# --- a machine that has what is needed
check "it ends well where what is needed is there" try 0 doctor
for title in 'Lessons and programs' 'Room on disks' Kernels Terminal Window 'Pictures and fonts' Compiler Sandbox \
    'Built programs' Progress 'Typed lines' Leftovers; do
    check "it has looked: $title" grep -qx "$title" "$scratch/out"
done
check "a function known to be right was run" says 'a correct function passes in the sandbox: '
check "what the trial made is gone" is_empty "$TMPDIR"
check "it is in no cache" is_empty "$workers"
check "without a display there is another way" followed_by 'no display' '--png FILE'
try_terminal() {
    (export TERM=nonsense && try 0 doctor terminal)
}
check "an unknown terminal is no end" try_terminal
check "it is named, with what to do" followed_by "TERM is 'nonsense'" 'TERM=xterm-256color'

# --- in other words
check "in Korean" try 0 doctor --lang ko terminal leftovers
check "titles are Korean" grep -qx '터미널' "$scratch/out"
check "and so are findings" says '남은 것이 없습니다'
try_korean_terminal() {
    (export TERM=nonsense && try 0 doctor --lang ko terminal)
}
check "a terminal that nobody knows, in Korean" try_korean_terminal
check "the command that helps is Korean, where the locale is not" says 'attnscope --lang ko print'
check "for programs" try 0 doctor --format json leftovers kernels terminal display history
check "it is said to be usable" says '"usable": true'
check "each check is there that was asked for" [ "$(grep -c '"check": ' "$scratch/out")" = 5 ]
check "what could be better has a state of its own" says '"state": "lacking"'
check "another form is refused" try 2 doctor --format xml
check "and so is another check" try 2 doctor progress lungs
check "which is named" grep -q "places, .*fence, .*, not 'lungs'" "$scratch/err"

# --- something needed is missing
try_without_compiler() {
    # shellcheck disable=SC2123 # so that nothing is found
    (PATH=$scratch/nothing CC='' && export PATH CC && try 1 doctor compiler fence)
}

try_without_window() {
    (ATTNSCOPE_WINDOW=$scratch/nothing && export ATTNSCOPE_WINDOW && try 1 doctor fonts --format json)
}

check "without a compiler it ends with 1" try_without_compiler
check "which is said" says 'there is no C compiler'
check "nothing was run, which is said too" says 'so nothing was run in the sandbox'
check "without the program that draws it ends with 1" try_without_window
check "which programs are told" says '"usable": false'

# --- room on disks

# alone COMMAND...: in a namespace of its own, whose mounts nobody else sees.
alone() {
    unshare -rm sh -c "$@"
}
mkdir "$scratch/disk"
cat >"$scratch/on-full-disk" <<END
#!/bin/sh
# A small disk is mounted, and filled; the variables that are named lead to it.
exec unshare -rm sh -c 'mount -t tmpfs -o size=64k none "$scratch/disk" || exit
    head -c 65536 /dev/zero >"$scratch/disk/all" 2>/dev/null
    export "\$FULL=$scratch/disk"
    exec "$attnscope" "\$@"' sh "\$@"
END
cat >"$scratch/on-read-disk" <<END
#!/bin/sh
# What is on the disk is only read.
exec unshare -rm sh -c 'mount -t tmpfs -o ro none "$scratch/disk" || exit
    export XDG_CACHE_HOME="$scratch/disk" XDG_STATE_HOME="$scratch/disk"
    exec "$attnscope" "\$@"' sh "\$@"
END
chmod +x "$scratch/on-full-disk" "$scratch/on-read-disk"
on_disk() {
    (attnscope=$scratch/on-$1-disk && shift && try "$@")
}
full_disk() {
    FULL=$1
    export FULL
    shift
    on_disk full "$@"
}
check "there is room" try 0 doctor room
check "where temporaries are, programs, and what is noted" [ "$(grep -c ' has room for a file of ' "$scratch/out")" = 3 ]
if alone "mount -t tmpfs -o size=64k none '$scratch/disk'" 2>/dev/null; then
    check "a full disk for temporaries ends with 1" full_disk TMPDIR 1 doctor room
    check "which is said, with what to do" followed_by "$scratch/disk: no space for a file of 8.4 MB: No space left" TMPDIR
    check "one for built programs, too" full_disk XDG_CACHE_HOME 1 doctor room
    check "with what to do about it" followed_by 'no space for a file of 8.4 MB' XDG_CACHE_HOME
    check "one for what is noted is no end" full_disk XDG_STATE_HOME 0 doctor room
    check "which is told" followed_by 'no space for a file of ' XDG_STATE_HOME
    check "a disk that is only read ends with 1" on_disk read 1 doctor cache progress
    check "and is called so" says 'attnscope/workers for built programs: Read-only file system'
else
    echo '# skipped: full disks and those that are only read; this machine lets nobody mount (unshare)'
fi

# --- progress and typed lines
printf 'attnscope\tprogress\t1\nseen\t01\ta\nbroken\nseen\t01\tz\000z\nnew-word\t01\tb\n' >"$kept/progress"
printf '\thistory\t9\n\tpinned\nnext\n\033[31m\n' >"$kept/history"
cp "$kept/progress" "$scratch/before"
check "broken lines are no end" try 0 doctor progress history
check "they are counted, with what to do" followed_by 'broken lines: 2' '--mend'
check "those of newer versions are none" says 'lines from a newer version (kept): 1'
check "a newer history is told" says 'history was written by a newer attnscope: version 9'
check "nothing was changed" cmp -s "$kept/progress" "$scratch/before"
check "it mends" try 0 doctor progress history --mend
check "which it says" says "broken lines, set aside in $kept/progress.broken: 2"
printf 'broken\nseen\t01\tz\000z\n' >"$scratch/wanted"
check "they lie beside it" cmp -s "$kept/progress.broken" "$scratch/wanted"
printf 'attnscope\tprogress\t1\nseen\t01\ta\nnew-word\t01\tb\n' >"$scratch/wanted"
check "the others are where they were" cmp -s "$kept/progress" "$scratch/wanted"
echo once more >>"$kept/progress"
check "what breaks later" try 0 doctor progress history --mend
printf 'broken\nseen\t01\tz\000z\nonce more\n' >"$scratch/wanted"
check "is set aside behind them" cmp -s "$kept/progress.broken" "$scratch/wanted"
check "then all is read" try 0 doctor progress history
check "and nothing is broken" says_not 'broken'
rm "$kept/progress"
mkfifo "$kept/progress"
check "a pipe in its place is no end, and is not waited for" try 0 doctor progress history --mend
check "it is told, with what to do" followed_by 'progress is not a regular file' 'XDG_STATE_HOME'
rm "$kept/progress"

# --- built programs
cp "$attnscope" "$workers/whole-plain"
head -c 3000 "$attnscope" >"$workers/cut-plain"
head -c 3000 /dev/zero >"$workers/zeros-sanitized"
check "damaged programs are no end" try 0 doctor cache
check "they are counted, with what to do" followed_by 'damaged: 2' '--mend'
check "they are removed when asked to" try 0 doctor cache --mend
check "all of them" [ "$(ls "$workers")" = whole-plain ]

# --- leftovers
left=".attnscope-$(ended)-0"
touch "$TMPDIR/$left.new" "$scratch/here/$left.new" "$scratch/here/$left.newer"
mkdir -p "$workers/$left.dir/deeper"
touch "$workers/$left.dir/deeper/file"
check "leftovers are no end" try 0 doctor leftovers
check "they are told, with what to do" followed_by "$TMPDIR: leftovers of killed programs: 1" '--mend'
check "each where it lies" says "$workers: leftovers of killed programs: 1"
check "they are removed when asked to" try 0 doctor leftovers --mend
for path in "$TMPDIR/$left.new" "$scratch/here/$left.new" "$workers/$left.dir"; do
    check "gone: ${path##*/}" gone "$path"
done
check "what only looks like one stays" [ -e "$scratch/here/$left.newer" ]

# --- the trial is nobody's work, also where the environment has no room for another place
cat >"$scratch/full.c" <<'END'
#include <errno.h>
int setenv(const char *name, const char *value, int replaces);
int setenv(const char *name, const char *value, int replaces)
{
    (void)name, (void)value, (void)replaces;
    errno = ENOMEM;
    return -1;
}
END
if cc -shared -fPIC -o "$scratch/full.so" "$scratch/full.c" 2>/dev/null &&
    LD_PRELOAD="$scratch/full.so" "$attnscope" --version >/dev/null 2>&1; then
    rm -rf "$kept"
    printf '#!/bin/sh\nLD_PRELOAD="%s" exec "%s" "$@"\n' "$scratch/full.so" "$attnscope" >"$scratch/without-room"
    chmod +x "$scratch/without-room"
    attnscope=$scratch/without-room
    check "without room for its places there is no trial" try 1 doctor compiler fence --lang en
    check "which is said" says 'Cannot allocate memory'
    check "and nothing is noted as passed" gone "$kept/progress"
else
    echo '# skipped: no room in the environment; nothing can be loaded before a program with sanitizers'
fi
echo "1..$checks"
