#!/bin/sh
# Hostile submissions: test_handed_in.sh ATTNSCOPE SOURCE prints TAP.
#
# Grades a class of them together with a right solution, as the current user and, for root, also as an
# ordinary user. No attack earns a point, each is reported, the right solution gets its points, and no process or
# file is left. Tries one attack in twelve, different ones for each user; ATTNSCOPE_LONG tries all.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
source=$2
attacks=$(dirname "$0")/../attacks/handed-in
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8
solution=$source/lessons/exercises/09-scale/solution.c

explain() {
    tail -n 3 "$scratch/judged" 2>/dev/null || :
    head -c 2000 "$scratch/err"
}

# hand_in NAME [EXERCISE]: standard input becomes that submission's file.
hand_in() {
    mkdir -p "$handed/$1/exercises"
    cat >"$handed/$1/exercises/${2:-scale}.c"
}

# A class with attacks in it, in the folder $handed; which ones, is in the file taken.
make_class() {
    mkdir -p "$handed"
    hand_in right <"$solution"
    : >"$scratch/taken"
    number=$first
    while read -r name exercise words; do
        number=$((number + 1))
        takes "$number" 12 || continue
        echo "$name $exercise $words" >>"$scratch/taken"
        sed "s#@SOURCE@#$source#g" "$attacks/$name.c" | hand_in "$name" "$exercise"
    done <"$attacks/attacks.txt"
    sed "s#@SOURCE@#$source#g" "$attacks/hard_coded_seed.c" | hand_in hard_coded_seed
    # It spends all the time there is, so it is in the first class only.
    [ "$first" != 0 ] || hand_in slow_but_right <"$attacks/slow_but_right.c"
    while read -r folder; do
        number=${folder%%-*}
        takes "${number#0}" 12 || continue
        echo "#include <$folder/solution.c>" | hand_in oneline "${folder#*-}"
    done <"$source/lessons/exercises/exercises.txt"
    for name in linked pipe folder large closed nowhere beside; do
        mkdir -p "$handed/$name/exercises"
    done
    ln -s "$solution" "$handed/linked/exercises/scale.c"
    mkfifo "$handed/pipe/exercises/scale.c"
    mkdir "$handed/folder/exercises/scale.c"
    truncate -s 5G "$handed/large/exercises/scale.c"
    hand_in closed <"$solution"
    chmod 000 "$handed/closed/exercises/scale.c"
    ln -s nothing "$handed/nowhere/exercises/scale.c"
    ln -s "$solution" "$handed/beside/exercises/other.h"
    echo '#include "other.h"' >"$handed/beside/exercises/scale.c"
    mkdir "$handed/all_linked"
    ln -s ../right/exercises "$handed/all_linked/exercises"
    ln -s right "$handed/neighbour"
    echo 'no C' | hand_in "$(printf 'red\033[31m')"
    echo 'no C' | hand_in "$(printf 'turned\342\200\256round')"
}

# What a format of results says of a class: judged IS_ROOT.
judged() {
    python3 - "$scratch/out" "$scratch/taken" "$1" "$handed" "$(find "$handed/oneline" -name '*.c' | wc -l)" <<'END_OF_PYTHON'
import json, sys
raw = open(sys.argv[1], encoding="utf-8").read()
found = {entry["submission"]: entry for entry in json.loads(raw)}
told = lambda name: json.dumps(found[name], ensure_ascii=False)
for line in open(sys.argv[2]):
    name, exercise, words = line.rstrip("\n").split(None, 2)
    assert found[name]["points"] == 0, (name, found[name]["points"])
    assert found[name]["not_judged"] == 0, (name, told(name)[:600])
    assert any(word in told(name) for word in words.split("|")), (name, words, told(name)[:1500])
refused = {"linked": "points outside the submission", "pipe": "not a text file", "folder": "is a folder",
           "large": "larger than 1 MiB", "nowhere": "broken link", "beside": "points outside the submission",
           "all_linked": "link", "neighbour": "is a link"}
if sys.argv[3] != "root":
    refused["closed"] = "cannot be read"
for name, words in refused.items():
    assert found[name]["points"] == 0 and found[name]["not_judged"] == 0, (name, told(name)[:600])
    assert words in told(name), (name, told(name)[:600])
assert found["right"]["points"] == 10, told("right")[:600]
assert found["oneline"]["points"] == 0 and found["oneline"]["not_judged"] == 0
assert sum(one["end"] == "not-compiled" for one in found["oneline"]["exercises"]) == int(sys.argv[5])
assert found["hard_coded_seed"]["points"] < 10, told("hard_coded_seed")[:600]
if sys.argv[3] != "ordinary": # it is in the first class only
    slow = told("slow_but_right") # it never gives another answer, and has no loop without an end
    assert found["slow_but_right"]["points"] < 10 and "have used up their time" in slow, slow[:600]
    assert "once it was called before" not in slow and "never ends" not in slow, slow[:600]
assert "red\\x1b[31m" in found and "turned\\u202eround" in found, list(found)
for name, secret in (("line_mark", "sqrtf"), ("line_mark", "solution.c"), ("read_parent_memory", "OPEN")):
    assert name not in found or secret not in told(name), (name, secret)
assert sys.argv[4] not in raw, raw[raw.index(sys.argv[4]) - 200:][:400]
assert "\x1b" not in raw and "\u202e" not in raw
fence = {(entry["fence"], entry["fence_whole"]) for entry in found.values()}
assert len(fence) == 1, fence
END_OF_PYTHON
}

# said COMMAND...: runs it; what it says of an entry is told when it fails.
said() {
    "$@" >"$scratch/judged" 2>&1
}

# nothing_left: no process of the class's programs, and nothing that was built half.
nothing_left() {
    [ "$(find /proc -maxdepth 2 -name exe -lname "$place/*" 2>/dev/null | wc -l)" = 0 ] &&
        [ -z "$(find "$place/cache" -name 'build-*')" ]
}

# try_class WHO COMMAND...: grades a class; the words before attnscope's own make it WHO's.
try_class() {
    who=$1
    shift
    place=$scratch/$who
    handed=$place/class
    mkdir -p "$place/cache"
    make_class
    [ "$who" = root ] || [ "$(id -u)" != 0 ] || chown -R 65534:65534 "$place"
    code=1
    # What a loaded machine could not judge is not a verdict: asked again, it judges that alone.
    for again in 1 2 3; do
        [ "$code" = 1 ] || break
        code=0
        "$@" env HOME="$place" XDG_CACHE_HOME="$place/cache" XDG_STATE_HOME="$place/state" TMPDIR="$place" \
            "$attnscope" grade "$handed" --format json >"$scratch/out" 2>"$scratch/err" || code=$?
        [ "$code" = 0 ] || echo "# $who: not all could be judged, try $again of 3"
    done
    check "$who: all could be judged" [ "$code" = 0 ]
    check "$who: nothing is gained, and everything told" said judged "$who"
    check "$who: nothing is left" nothing_left
}

first=0
if [ "$(id -u)" != 0 ]; then
    try_class user
else
    try_class root
    first=3
    chmod 755 "$scratch"
    ordinary='setpriv --reuid=65534 --regid=65534 --clear-groups'
    # shellcheck disable=SC2086 # words of a command
    if $ordinary test -x "$attnscope" -a -r "$solution" 2>/dev/null; then
        try_class ordinary $ordinary
    else
        echo "# skipped: an ordinary user cannot reach $attnscope, or there is no setpriv"
    fi
fi
echo "1..$checks"
