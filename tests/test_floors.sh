#!/bin/sh
# The architecture, held by the compiler and by grep: test_floors.sh SOURCE BUILD prints TAP.
#
# src/meson.build lists the floors, bottom first. A floor's own compile command (taken from BUILD)
# says which headers its files can include. A floor may have folders of its own.
set -eu
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$1"
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
floors=$(sed -n "s/^subdir('\(.*\)').*/\1/p" src/meson.build)

# The sources of a folder, those of folders in it too: sources FOLDER PATTERN...
sources() {
    folder=$1
    shift
    for pattern in "$@"; do
        find "$folder" -name "$pattern"
    done | sort
}

# no_offender OFFENDERS: true when there are none.
no_offender() {
    offenders=$1
    [ -z "$offenders" ]
}

explain() {
    printf '%s\n' "$offenders"
}

# The folder of src that a file lies in.
floor_of() {
    below=${1#src/}
    echo "${below%%/*}"
}

folders_that_are_no_floors() {
    for file in $(sources src '*.[ch]'); do
        printf '%s\n' "$floors" | grep -qx "$(floor_of "$file")" || echo "$file"
    done
}

# The files of src that match $1 outside the floors $2 ("store|app").
matches_outside() {
    grep -rlE "$1" src | grep -vE "^src/($2)/" || true
}

# The files of src that include a library's header ($1, a pattern) outside the floors $2.
includes_outside() {
    matches_outside "^ *# *include *[<\"]$1[>\"]" "$2"
}

files_with_curses() {
    files=$(includes_outside '(ncursesw?/)?n?curses\.h' none)
    [ "$(printf '%s\n' "$files" | wc -l)" = 1 ] || echo "$files"
}

# How the build compiles the files of floor $1, one line for each way, without output and source.
commands() {
    sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build/compile_commands.json" |
        grep -v "fuzz-replay\.p" | grep "src/$1/[a-z0-9_/]*\.c'*\$" | sed 's/\\\(.\)/\1/g; s/ -MD .*//' | sort -u
}

# Of those, the one for the floor's library or the program; a kernel has its own ways besides.
own_command() {
    commands "$1" | grep -E -e "-I[^ ]*(lib$1\.a|attnscope)\.p " || echo "false $1"
}

# The headers of src that the compile commands on standard input find, as src/FLOOR/NAME.h. -MG
# lets the compiler go on after a header that is not found; it lists that one without a folder.
reachable_headers() {
    for header in $(sources src '*.h'); do
        echo "#include \"${header##*/}\""
    done >"$scratch/all.c"
    while read -r command; do
        (cd "$build" && eval "$command -M -MG -x c '$scratch/all.c'")
    done | grep -o 'src/[a-z0-9_/]*\.h' | sort -u
}

# Once for each floor: NAME.reachable holds what it can include.
for floor in $floors; do
    commands "$floor" | reachable_headers >"$scratch/$floor.reachable"
done

includes_that_go_up() {
    allowed=
    for floor in $floors; do
        allowed="$allowed $floor "
        while read -r header; do
            case $allowed in
            *" $(floor_of "$header") "*) ;;
            *) echo "$floor can include $header" ;;
            esac
        done <"$scratch/$floor.reachable"
    done
}

headers_out_of_reach() {
    for floor in $floors; do
        for header in $(sources "src/$floor" '*.h'); do
            grep -qx "$header" "$scratch/$floor.reachable" ||
                echo "$floor cannot include its own $header"
        done
    done
}

headers_that_need_others() {
    number=0
    for floor in $floors; do
        command=$(own_command "$floor")
        for header in $(sources "src/$floor" '*.h'); do
            number=$((number + 1))
            takes "$number" 5 || continue
            # one of another machine's instructions is empty here
            printf '#include "%s"\nextern int something;\n' "${header##*/}" >"$scratch/one.c"
            (cd "$build" && eval "$command -Werror -fdiagnostics-color=never -fsyntax-only -x c '$scratch/one.c'") 2>&1 ||
                echo "$header does not compile on its own"
        done
    done
}

tests_in_c() {
    printf '%s\n' tests/*.[ch] tests/fuzz/*.[ch] tests/faults/*.[ch]
}

long_files() {
    { sources src '*.[ch]' && tests_in_c && echo tests/*.sh; } | xargs wc -l | awk '$1 > 1000 && $2 != "total" { print $2 ": " $1 " lines" }'
}

# Of the floors that are built everywhere: a file whose line in a list was forgotten would be missed by nobody.
sources_in_lists() {
    sources src/stages '*.c' && sources src/mistakes '*.c' && sources src/session '*.c' &&
        sources src/tui '*.c' && sources src/grading '*.c'
}
not_compiled() {
    sources_in_lists | while read -r file; do
        grep -qF "/$file" "$build/compile_commands.json" || echo "$file is in no list"
    done
}

# The outputs of a trial are easily committed. Without git there is nothing to ask.
strays() {
    git ls-files -- ':(glob)*' 2>/dev/null |
        grep -vxE '\.clang-format|\.editorconfig|\.gitignore|LICENSE|README\.md|bootstrap\.sh|meson(_options)?\.(build|txt)' ||
        true
}

# What core, with every floor that it holds, asks of the system that a page or a notebook has not.
foreign_to_core() {
    nm -u "$build/src/core/libcore.a" 2>"$scratch/nm" |
        grep -oE ' _?(fork|vfork|posix_spawn|exec[lv][a-z]*|system|popen|initscr|newterm|SDL_[A-Za-z]*)$' | sort -u
}

# What may be asked back, for it is in the nature of the thing. A panel asks their list which others stand, and
# how they share a place; help tells of the list of commands, and is one; a stage names its faster twin, which
# falls back on the stage.
may_be_asked='panel_get|panel_of_detail|panel_stands|panels_now|panel_values_share'
may_be_asked="$may_be_asked|app_command|app_find|app_print_help|fast_[a-z_]*"

# What a floor is compiled to: its library, or objects of the program, which has no library.
compiled() {
    if [ "$1" = app ]; then
        printf '%s\n' "$build"/attnscope.p/src_app_*.o
    else
        echo "$build/src/$1/lib$1.a"
    fi
}

# Files that cannot be without each other, their names for each loop: the lower one takes what it needs, or a
# function to call, and does not reach back.
circles() {
    for floor in "$@"; do
        compiled "$floor" | tr '\n' '\0' | xargs -0 nm -P -A >"$scratch/nm"
        awk -v asked="^_?($may_be_asked)\$" '
             { file = $1; sub(/:$/, "", file) }
             $3 ~ /^[A-TV-Z]$/ { made[$2] = file }
             $3 == "U" && $2 !~ asked { user[++count] = file; used[count] = $2 }
             END { for (i = 1; i <= count; i++)
                       if (used[i] in made && made[used[i]] != user[i])
                           print user[i], made[used[i]] }' "$scratch/nm" | tsort 2>&1 >/dev/null | grep . || true
    done
}

# Headers that include each other, likewise.
circles_of_headers() {
    for header in $(sources src '*.h'); do
        sed -n "s|^ *# *include *\"\(.*\)\"|${header##*/} \1|p" "$header"
    done | tsort 2>&1 >/dev/null | grep . || true
}

notes() {
    { sources src '*' && tests_in_c && echo tests/*.sh; } | xargs grep -snE '[T]ODO|[F]IXME' || true
}

# A function's body lies between a "{" and a "}" that open their lines.
long_functions() {
    { sources src '*.[ch]' && tests_in_c; } | xargs awk 'FNR == 1 { start = 0 }
         /^\{/ { start = FNR }
         /^\}/ && start && FNR - start >= 60 { print FILENAME ":" start ": " FNR - start + 1 " lines" }
         /^\}/ { start = 0 }'
}

# A function's head begins its line and ends before the "{" of its body; commas inside a parameter's own
# parentheses are not counted.
many_parameters() {
    sources src '*.[ch]' | xargs awk '
        FNR == 1 || /^$/ || /^[#}]/ || /;$/ { head = ""; next }
        /^\{/ && head != "" {
            depth = commas = 0
            for (i = 1; i <= length(head); i++) {
                c = substr(head, i, 1)
                depth += (c == "(") - (c == ")")
                commas += c == "," && depth == 1
            }
            if (commas >= 6) print FILENAME ":" FNR - 1 ": " commas + 1 " parameters"
            head = ""
        }
        /^[A-Za-z_ ]/ { head = head $0 }'
}

check "every folder of src is a floor that src/meson.build lists" no_offender "$(folders_that_are_no_floors)"
check "headers are included by bare name" no_offender "$(matches_outside '# *include *"\.\./' none)"
check "curses is known to tui alone" no_offender "$(includes_outside '(ncursesw?/)?n?curses\.h' tui)"
check "curses is included in one file" no_offender "$(files_with_curses)"
check "zip, YAML and digests are known to store alone" no_offender "$(includes_outside '(zip|yaml|nettle/.*)\.h' store)"
check "archives are known to class alone" no_offender "$(matches_outside '# *include *<archive(_entry)?\.h>' class)"
check "JSON is known to store, scenarios, verdict, class, grading and app alone" no_offender "$(includes_outside 'jansson\.h' 'store|scenarios|verdict|class|grading|app')"
check "Check is known to grade alone" no_offender "$(includes_outside 'check\.h' grade)"
check "SDL, Wayland, fonts, PNG and cairo are known to canvas alone" no_offender \
    "$(includes_outside '(SDL[a-z_0-9]*|wayland-.*|fontconfig/.*|png|cairo.*|ft2build|hb(-[a-z]*)?|fribidi)\.h' canvas)"
check "seccomp is known to worker alone" no_offender "$(includes_outside 'seccomp\.h' worker)"
check "Unicode tables are known to text alone" no_offender "$(includes_outside 'utf8proc\.h' text)"
check "core starts no process, and knows neither curses nor SDL" no_offender "$(foreign_to_core)"
check "a floor cannot include a header of a higher floor" no_offender "$(includes_that_go_up)"
check "a floor can include its own headers" no_offender "$(headers_out_of_reach)"
# shellcheck disable=SC2086 # words without spaces
check "no file reaches back to one that is made of it" no_offender "$(circles $floors)"
check "no header includes one that includes it" no_offender "$(circles_of_headers)"
check "every header compiles on its own" no_offender "$(headers_that_need_others)"
check "every file is compiled" no_offender "$(not_compiled)"
check "no file is longer than 1,000 lines" no_offender "$(long_files)"
check "no function is longer than 60 lines" no_offender "$(long_functions)"
check "no function has more than six parameters" no_offender "$(many_parameters)"
check "what is committed in the root belongs there" no_offender "$(strays)"
check "no note is left for later" no_offender "$(notes)"
echo "1..$checks"
