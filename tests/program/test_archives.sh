#!/bin/sh
# Submissions as archives, nested folders and with the names of learning platforms: test_archives.sh
# ATTNSCOPE LESSONS prints TAP.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"
own_places
export TMPDIR="$scratch/tmp"
handed=$scratch/handed

explain() {
    head -60 "$scratch/out" "$scratch/err"
}

python3 "$(dirname "$0")/../attacks/archives.py" "$2/exercises/09-scale/solution.c" "$handed"
mkdir "$scratch/foreign"
cp "$handed/korean.zip" "$handed/korean_seven.7z" "$handed/cp949.zip" "$scratch/foreign"
if command -v zstd >/dev/null; then
    zstd -q "$handed/tar.tar" -o "$handed/tar_zst.tar.zst"
else
    cp "$handed/tar.tar" "$handed/tar_zst.tar"
fi
check 'not all could be judged' try 1 grade "$handed" scale --lang en

# row NAME CELLS
row() {
    [ "$(awk -v name="$1" '$1 == name && NF == 3 { print $2, $3 }' "$scratch/out")" = "$2" ]
}

told() {
    grep -qF -- "$1" "$scratch/out"
}

for name in zip tar tar_gz tar_xz tar_zst tgz tbz tbz2 txz rar seven nested deep; do
    check "$name: is found" row "$name" '10 10/10'
done
for name in korean umlaut korean_seven korean_tar cp949 cp437 decomposed long_name emoji backslashes; do
    check "$name: is found" row "$name" '10 10/10'
done
check 'a file of such a name is told by it' told 'cp949_copy  scale - 복사본.c was checked'
check 'a name with a backslash that leads out' told 'backslash_out  ../scale.c points outside the archive'
check 'a name of no charset is told' told 'nameless  the name of file 1 in the archive cannot be read'
check 'and has no quiet 0' row nameless '? 0/0'
check 'the last version counts' row kim_12345_679_attention-1 '10 10/10'
check 'the one before does not' row kim_12345_678_attention ''
check 'and is named' told 'kim_12345_678_attention is from the same person and does not count'
check 'single files of one person are one submission' row choi_5551 '10 10/10'
check 'beside which anything else is told' told 'choi_5551  choi_5551_779_report.pdf was skipped'
check 'an archive that nobody can read here is a row' row nora_61232 '? 0/0'
check 'with its reason' told 'nora_61232  nora_61232_attention.alz is an archive of an unsupported type: submit a .zip'
check 'whatever it is called' row omar '? 0/0'
check 'so is anything else from a person' row paul_61233 '? 0/0'
check 'with what it is' told 'paul_61233  paul_61233_report.pdf was skipped'
check 'a file larger than any exercise stays where it is' told 'bomb  scale: scale.c is larger than 1 MiB'
check 'what is no C and too large is told' told 'film  film0.mp4 was not unpacked: it is too large'
check 'three times' told 'film  and 2 more like it'
check 'beside what is right' row film '10 10/10'
check 'a path of 5000 letters is told by its ends' told 'path/path/path/scale.c was not unpacked: its path is too long'
check 'a path that leads out' told 'outside  ../scale.c points outside the archive'
check 'an absolute one' told 'outside  /tmp/scale.c points outside the archive'
check 'a name of two lines' told 'broken_line  exercises/new\x0aline.c was not unpacked: its path is too long or contains a line break'
check 'a link' told 'link  scale: scale.c was not unpacked: it is a link or not a regular file'
check 'a link of a tar' told 'tar_link  scale: scale.c was not unpacked: it is a link or not a regular file'
check 'a device' told 'device  scale: scale.c was not unpacked: it is a link or not a regular file'
check 'a pipe' told 'pipe  scale: scale.c was not unpacked: it is a link or not a regular file'
for name in bomb link tar_link device pipe locked; do
    check "$name: was handed in, as it would have been without an archive" row "$name" 'C 0/10'
done
check 'that is all that is told of it' [ "$(grep -c '^link  [^ ]' "$scratch/out")" = 1 ]
check 'a second one of that name' told 'twice  scale.c is in the archive twice'
check 'of which the first is taken' row twice '10 10/10'
check 'a damaged archive' told 'damaged  its archive could not be read to the end'
check 'of which nobody knows what else was in it' sh -c '! grep -q "^damaged  nothing" "$0"' "$scratch/out"
check 'no archive at all' told 'nonsense  its archive could not be read to the end'
check 'too many files' told 'many  its archive could not be read to the end: it holds far more than'
check 'archives in archives' told 'russian  inner.zip is an archive in an archive'
check 'a password' told 'locked  scale: scale.c is password-protected'
check 'nothing that anybody asked for' told 'empty  none of its files has the name of an exercise'
check 'two workspaces: the other is named' told 'second  other also holds exercises'
check 'seventy of them: three are' told 'scattered  work03 also holds exercises'
check 'one more with the reason' told 'scattered  work00/scale.c was checked instead of work01/scale.c: both are equally old'
check 'and no fifth' sh -c '! grep -q "work05" "$0"' "$scratch/out"
check 'but how many more' told 'scattered  so do 65 more of its folders'
check 'what the compiler says names the file' told 'exercises/scale.c:1'
check 'and not where all of it lies' sh -c '! grep -qF "$1" "$0"' "$scratch/out" "$handed"
check 'names that steer are shown as escapes' told 'turned\u202eround'
check 'and steer nothing' sh -c '! grep -q "$(printf "\033\\|\342\200\256")" "$0"' "$scratch/out"
check 'what belongs to nobody is told' grep -qF 'notes.txt was skipped' "$scratch/err"
check 'nothing was written elsewhere' sh -c '! cmp -s "$0" /tmp/scale.c' "$2/exercises/09-scale/solution.c"
check 'nothing is left of what was unpacked' sh -c '[ -z "$(ls -A "$0")" ]' "$TMPDIR"
# What an archive asks for is its own affair: nobody else waits for it, and the machine is not to blame.
# A program with a sanitizer takes terabytes of addresses, and does not start with so few.
if (ulimit -v 2000000 && "$attnscope" --version) >/dev/null 2>&1; then
    check 'an archive that asks for 3 GB of memory' \
        told 'greedy  its archive could not be read to the end: unpacking it takes far more memory than C files need'
    check 'has no points' row greedy '? 0/0'
fi
in_locale() (
    export LC_ALL=C
    try 0 grade "$scratch/foreign" scale --lang en --journal none
)
check 'names of any script in the locale C' in_locale
for name in korean korean_seven cp949; do
    check "$name: is found there too" row "$name" '10 10/10'
done
check 'a class' try 1 grade "$handed" scale --lang en
check 'for machines too' try 1 grade "$handed" scale --lang en --format json
check 'no path is longer than anybody reads' \
    python3 -c 'import sys; assert max(map(len, open(sys.argv[1], "rb"))) < 4000' "$scratch/out"
check 'a class in one archive' try 0 grade "$scratch/class.zip" scale --lang en
check 'holds its archives' row zip '10 10/10'
check 'what it holds besides and is too large is told' \
    grep -qxF 'attnscope: kim/lecture.mp4 was not unpacked: it is too large' "$scratch/err"
check 'as are paths that lead out' [ "$(grep -c 'points outside the archive' "$scratch/err")" = 20 ]
check 'and how many more' grep -qxF 'attnscope: and 10 more like it' "$scratch/err"
# In a folder of its own the program takes the unpacker that lies there.
here=$(cd "$(dirname "$attnscope")" && pwd)
mkdir "$scratch/tools"
cp "$attnscope" "$here/attnscope-keeper" "$here/attnscope-judge" "$scratch/tools"
ln -s "$2/.." "$scratch/tools/source"
cp "$handed/zip.zip" "$scratch/slow"

# unpacker COMMANDS: the unpacker is this script, which finds the real one as $unpack.
unpacker() {
    printf '#!/bin/sh\nunpack="%s/attnscope-unpack"\n%s\n' "$here" "$1" >"$scratch/tools/attnscope-unpack"
    chmod +x "$scratch/tools/attnscope-unpack"
}

installed=$attnscope
attnscope=$scratch/tools/attnscope
export ATTNSCOPE_WORKERS="$here/lessons/exercises"
# shellcheck disable=SC2016 # what a script is to expand itself
unpacker 'ulimit -S -t 1; exec "$unpack" "$@"'
check 'an archive that is not unpacked in its time stops nobody' \
    try 1 grade "$scratch/slow" scale --lang en --journal none
check 'is told' told 'endless  its archive could not be read to the end: unpacking takes longer than 20 s'
check 'and the other one is judged' row zip '10 10/10'
# shellcheck disable=SC2016
unpacker 'kill -KILL $$'
check 'what a machine without memory ends' try 1 grade "$scratch/slow" scale --lang en --journal none
check 'is no fault of an archive' grep -qF 'Cannot allocate memory' "$scratch/err"
# Of two archives the first waits for the second to be begun; a third counts no longer, and nobody looks into it.
mkdir "$scratch/beside"
for name in first second nora_12345_1_new nora_12345_2_newer; do
    cp "$handed/zip.zip" "$scratch/beside/$name.zip"
done
touch -t 202001010000 "$scratch/beside/nora_12345_1_new.zip"
unpacker 'begun='"$scratch"'/begun; mkdir -p "$begun"; file=${1##*/}; : >"$begun/$file"
case $file in first.zip)
    for try in 0 1 2 3 4 5 6 7 8 9; do
        [ -e "$begun/second.zip" ] || sleep 1
    done
    [ -e "$begun/second.zip" ] || exit 2 ;;
esac
exec "$unpack" "$@"'
check 'archives are unpacked beside each other' try 0 grade "$scratch/beside" scale --lang en --journal none -j 2
check 'and judged' row first '10 10/10'
check 'what does not count is not unpacked' [ ! -e "$scratch/begun/nora_12345_1_new.zip" ]
check 'the newest is' [ -e "$scratch/begun/nora_12345_2_newer.zip" ]
check 'nothing is left of them' sh -c '[ -z "$(ls -A "$0")" ]' "$TMPDIR"
attnscope=$installed
unset ATTNSCOPE_WORKERS
check 'in Korean' try 1 grade "$handed" scale --lang ko
check 'too' told '압축 파일을 끝까지 읽지 못했습니다'

# Files that their owner has closed, all of one person's; whoever may read everything reads them all the same.
closed=$scratch/closed
mkdir -p "$closed/class/kim" "$closed/cache"
for folder in "$2"/exercises/[0-9]*; do
    name=${folder##*/}
    cp "$folder/solution.c" "$closed/class/kim/${name#*-}.c"
    cp "$folder/solution.c" "$closed/class/park_12345_${name#*-}.c"
done
chmod 000 "$closed"/class/*.c "$closed"/class/kim/*.c
many=$(find "$closed/class/kim" -name '*.c' | wc -l)
ordinary=
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$scratch"
    chown -R 65534:65534 "$closed"
    ordinary='setpriv --reuid=65534 --regid=65534 --clear-groups'
fi

# grade_closed LANGUAGE: those files, as somebody who may not read them.
grade_closed() {
    # shellcheck disable=SC2086 # words of a command
    $ordinary env HOME="$closed" XDG_CACHE_HOME="$closed/cache" TMPDIR="$closed" "$attnscope" \
        grade "$closed/class" --journal none --lang "$1" >"$scratch/out" 2>"$scratch/err"
}

# shellcheck disable=SC2086
if $ordinary test -x "$attnscope" -a -r "$2/exercises/exercises.txt" 2>/dev/null; then
    check 'closed files stop nobody' grade_closed en
    for name in kim park_12345; do
        check "$name: closed files are one line, which says how many" \
            told "$name  $many files cannot be read: change their mode"
        check "$name: and no other" [ "$(grep -c "^$name  [^~C0-9 ]\|^$name  [0-9]* files" "$scratch/out")" = 1 ]
        check "$name: each was handed in" \
            [ "$(awk -v name="$name" '$1 == name && $2 == "C"' "$scratch/out" | tr -cd C | wc -c)" = "$many" ]
    done
    check 'closed files in Korean' grade_closed ko
    check 'are one line, too' told "kim  파일 $many개를 읽을 수 없습니다. 권한을 바꾸세요"
else
    echo '# skipped: nobody here may be refused a file'
fi
echo "1..$checks"
