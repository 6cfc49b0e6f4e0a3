#!/bin/sh
# Builds attnscope on a fresh system and starts it.
#
#   sh bootstrap.sh        installs what is missing, builds into build/, and opens the course, at lecture 01
#                          or where somebody stopped; where there is no terminal it prints document
#                          001's padded batch as text
#   sh bootstrap.sh test   installs and builds the same, runs the tests, and closes with the line
#                          "N passed, N failed[, N skipped]"
#   sh bootstrap.sh test long    every test; those that hold one law over many cases take all of them, and
#                                many more calls are made to fail
#   sh bootstrap.sh test fresh   only the tests that a fresh machine can break: tools, fonts, places
#   sh bootstrap.sh test rest    after `test`: what that skipped, and the slow tests, which hand in whole
#                                classes and make calls fail; with CI=true the sanitizers, too
#
# Works as root and through sudo; knows apt-get, dnf, pacman and Homebrew. The package manager is
# asked only when something is missing. With CI=true, `test` also builds with clang, unoptimised, and has
# its sanitizers watch the tests that touch memory (what threads have a part in, by the one for threads),
# and installs clang for it; on Debian also what it takes to build for 64-bit ARM and to run that.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")"

say() {
    printf '%s\n' "bootstrap: $*" >&2
}

fail() {
    say "$@"
    exit 1
}

package_manager() {
    for manager in apt-get dnf pacman brew; do
        ! command -v "$manager" || return 0
    done >/dev/null
    manager=none
}

# What it takes: how to see that it is there; what apt-get, dnf, pacman and brew call it; and for systems
# that have none of these, what its makers call it and what it is for.
needs() {
    tr -s ' ' <<'END'
tool     meson       meson             meson              meson       meson      Meson: sets up the build
tool     ninja       ninja-build       ninja-build        ninja       ninja      Ninja: runs the build
tool     pkg-config  pkg-config        pkgconf-pkg-config pkgconf     pkgconf    pkg-config: finds the libraries
compiler cc          gcc,libc6-dev     gcc,glibc-devel    gcc         gcc        GCC or Clang, with the headers of C: compiles this, and what learners write
library  yaml-0.1    libyaml-dev       libyaml-devel      libyaml     libyaml    libyaml: reads scenarios
library  libzip      libzip-dev        libzip-devel       libzip      libzip     libzip: reads and writes .npz files
library  libarchive  libarchive-dev    libarchive-devel   libarchive  libarchive libarchive: unpacks what learners hand in
library  jansson     libjansson-dev    jansson-devel      jansson     jansson    Jansson: reads and writes JSON
library  nettle      nettle-dev        nettle-devel       nettle      nettle     Nettle: checksums
library  libcmark    libcmark-dev      cmark-devel        cmark       cmark      cmark: reads the lectures
library  libutf8proc libutf8proc-dev   utf8proc-devel     libutf8proc utf8proc   utf8proc: knows letters and how wide they are
library  ncursesw    libncurses-dev    ncurses-devel      ncurses     ncurses    ncurses, with wide letters: draws in the terminal
library  check       check             check-devel        check       check      Check: tests exercises and this program
library  vterm       libvterm-dev      libvterm-devel     libvterm    libvterm   libvterm: the terminal that the tests look at
library  sdl2        libsdl2-dev       SDL2-devel         sdl2        sdl2       SDL 2: opens the window
library  harfbuzz    libharfbuzz-dev   harfbuzz-devel     harfbuzz    harfbuzz   HarfBuzz: joins letters in pictures
library  fribidi     libfribidi-dev    fribidi-devel      fribidi     fribidi    FriBidi: knows which way a script is read
library  freetype2   libfreetype-dev   freetype-devel     freetype2   freetype   FreeType: draws letters in pictures
library  fontconfig  libfontconfig-dev fontconfig-devel   fontconfig  fontconfig fontconfig: finds fonts
library  libpng      libpng-dev        libpng-devel       libpng      libpng     libpng: writes pictures
library  cairo       libcairo2-dev     cairo-devel        cairo       cairo      cairo: writes pictures as PDF
tool     fc-list     fontconfig        fontconfig         fontconfig  fontconfig fc-list, of fontconfig: tells which fonts are here
font     ko          fonts-naver-d2coding,fonts-inter naver-nanum-gothic-fonts ttf-baekmuk font-nanum-gothic a font with Korean letters: draws the words in pictures
END
    # Only Linux has them; there the first is one part of what holds a learner's code.
    if [ "$manager" != brew ]; then
        echo 'library libseccomp libseccomp-dev libseccomp-devel libseccomp - libseccomp: part of what holds the code of learners'
        echo 'library wayland-client libwayland-dev wayland-devel wayland - libwayland: shows the window under Wayland'
    fi
    if [ "${CI:-}" = true ]; then
        tr -s ' ' <<'END'
sanitizers clang   clang,libclang-rt-dev clang,compiler-rt    clang,compiler-rt llvm        Clang with its sanitizers: compiles the tests once more, and watches them
tool       Xvfb    xvfb                  xorg-x11-server-Xvfb xorg-server-xvfb  xorg-server Xvfb, of X.Org: a display for the tests
tool       xdotool xdotool               xdotool              xdotool           xdotool     xdotool: presses keys in the tests
tool       xprop   x11-utils             xprop                xorg-xprop        xprop       xprop, of X.Org: wants larger letters in a test
tool       gcc     gcc                   gcc                  gcc               gcc         GCC: compiles the exercises in a test
tool       zsh     zsh                   zsh                  zsh               zsh         zsh: completes words in a test
tool       fish    fish                  fish                 fish              fish        fish: completes words in a test
tool       pdftotext poppler-utils       poppler-utils        poppler           poppler     poppler: reads pictures as PDF in a test
tool       man     man-db                man-db               man-db            man-db      man: reads the manual pages in a test
tool       mandoc  mandoc                mandoc               mandoc            mandoc      mandoc: reads them too, and is harder to please
tool       desktop-file-validate desktop-file-utils desktop-file-utils desktop-file-utils desktop-file-utils desktop-file-validate: reads the entry in the desktop's menu
END
    fi
    # Wayland is on Linux only, too.
    if [ "${CI:-}" = true ] && [ "$manager" != brew ]; then
        tr -s ' ' <<'END'
tool sway    sway       sway       sway       - sway: a display of Wayland for a test
tool grim    grim       grim       grim       - grim: looks at that display
tool setpriv util-linux util-linux util-linux - setpriv, of util-linux: starts it as nobody
END
    fi
    # For 64-bit ARM, from other machines; elsewhere than on Debian the test is skipped.
    if [ "${CI:-}" = true ] && [ "$manager" = apt-get ] && [ "$(uname -m)" != aarch64 ]; then
        tr -s ' ' <<'END'
cross aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu,libc6-dev-arm64-cross - - - GCC for 64-bit ARM: compiles a test
tool  qemu-aarch64          qemu-user                                   - - - QEMU: runs it
END
    fi
}

# Whether a compiler command builds a program that includes a system header.
compiles() {
    program=$(mktemp) || return 1
    printf '#include <math.h>\nint main(void) { return 0; }\n' | "$@" -x c -o "$program" - && built=0 || built=1
    rm -f "$program"
    return "$built"
}

is_there() {
    case $1 in
    tool) command -v "$2" ;;
    library) pkg-config --exists "$2" ;;
    compiler) eval "compiles ${CC:-$2}" ;; # CC may hold options too
    font) [ -n "$(fc-list ":lang=$2")" ] ;;
    sanitizers) compiles "$2" -fsanitize=address,undefined ;;
    cross) compiles "$2" ;;
    esac >/dev/null 2>&1 </dev/null
}

missing() {
    needs | while read -r kind name packages; do
        is_there "$kind" "$name" || printf '%s\n' "$kind $name $packages"
    done
}

# Field N of each missing thing, on one line: 2 is its name, 3 to 6 are its packages; from 7 on it is words.
missing_field() {
    [ -z "$lacking" ] || printf '%s\n' "$lacking" | cut -d ' ' -f "$1" | tr ',\n' '  '
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@"
}

install_packages() {
    case $manager in
    apt-get)
        apt_get update || say "apt-get update failed (its reason is above); trying without new lists."
        apt_get install -y --no-install-recommends "$@"
        ;;
    dnf) as_root dnf install -y "$@" ;;
    pacman) as_root pacman -S --needed --noconfirm "$@" ;;
    brew) brew install "$@" ;;
    esac </dev/null >&2
}

install_missing() {
    names=$(missing_field 2)
    case $manager in
    apt-get) packages=$(missing_field 3) ;;
    dnf) packages=$(missing_field 4) ;;
    pacman) packages=$(missing_field 5) ;;
    brew) packages=$(missing_field 6) ;;
    none)
        say "missing: ${names}- and neither apt-get, dnf, pacman nor brew is here."
        say "Install these, libraries with their headers, then run this again:"
        printf '%s\n' "$lacking" | cut -d ' ' -f 7- | while read -r words; do say "  $words"; done
        exit 1
        ;;
    esac
    if [ "$manager" != brew ] && [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        fail "missing: ${names}- and this is neither root nor is there sudo. Ask an administrator to run: $manager install $packages"
    fi
    say "missing: $names"
    say "installing with $manager: $packages"
    # shellcheck disable=SC2086 # one word for each package
    install_packages $packages ||
        fail "$manager could not install $packages(its reason is above). Check the network and the package sources, then run this again."
    lacking=$(missing)
    names=$(missing_field 2)
    [ -z "$names" ] || fail "$manager installed its packages, but still not found: $names"
}

# configure FOLDER OPTION...: sets up a build folder, once. One that was set up for another place,
# compiler or with other options, or that no longer works, is made anew.
configure() {
    folder=$1
    shift
    stamp=$folder/bootstrap.stamp
    wanted="$PWD ${CC:-} $*"
    if [ -f "$folder/build.ninja" ] && [ "$(cat "$stamp" 2>/dev/null || echo "$wanted")" = "$wanted" ] &&
        ninja -C "$folder" build.ninja >/dev/null 2>&1; then
        return
    fi
    [ ! -d "$folder/meson-private" ] || rm -rf "$folder" ||
        fail "$folder/ cannot be made anew; is it somebody else's? Remove it, then run this again."
    meson setup "$folder" "$@" >&2 || fail "meson could not set up $folder/ (its reason is above)."
    printf '%s\n' "$wanted" >"$stamp"
}

# build FOLDER [TARGET]: all, or only what a target takes.
build() {
    configure "$1"
    ninja -C "$@" >&2 || fail "the build in $1/ failed (the compiler's reason is above)."
}

passed=0
failed=0
skipped=0

# The tests that were skipped, and why, from the log of a run: meson's own table has no room for that.
skips() {
    sed -n 's/^{"name": "\([^"]*\)".*1\.\.0 # SKIP \([^"\\]*\).*"result": "SKIP".*/skipped: \1: \2/p' "$1" |
        while read -r line; do say "$line"; done
}

# The tests that failed, what of them, and what they say and remark on it, from the same log: among
# hundreds of lines nobody finds them.
failures() {
    lines='s/"stdout": "/&\
/; s/\\n/\
/g'
    grep -v '"result": "\(OK\|EXPECTEDFAIL\|SKIP\)"' "$1" | sed "$lines" |
        sed -n 's/^{"name": "\([^"]*\)".*/failed: \1/; /^failed: /p; s/^# /  &/p; t
            /^not ok/,/^\(ok\|1\.\.\)/ { s/^not ok/  &/p; t
            /^\(ok\|1\.\.\)/! s/^/  | /p; }' | sed 120q |
        while IFS= read -r line; do say "$line"; done
}

# test_folder FOLDER OPTION...: runs the tests of a build folder and adds to the three counts. A test that
# hangs is ended; one that is slow on a slow or busy machine is not.
test_folder() {
    log=$1/meson-logs/testlog.json
    rm -f "$log"
    meson test -C "$@" --timeout-multiplier 3 --print-errorlogs || say "a test in $1/ failed."
    [ -f "$log" ] || fail "no test ran in $1/."
    all=$(grep -c '"result": "' "$log" || true)
    good=$(grep -c '"result": "\(OK\|EXPECTEDFAIL\)"' "$log" || true)
    left=$(grep -c '"result": "SKIP"' "$log" || true)
    passed=$((passed + good))
    skipped=$((skipped + left))
    failed=$((failed + all - good - left))
    skips "$log"
    failures "$log"
}

# The names of the tests of a folder that were skipped when they last ran.
skipped_in() {
    results=$1/meson-logs/testlog.json
    [ -f "$results" ] && sed -n 's/^{"name": "\([^"]*\)".*"result": "SKIP".*/\1/p' "$results" | sed 's/.* //'
}

# run_tests [long|fresh|rest]
run_tests() {
    build build
    case ${1:-all} in
    long)
        export ATTNSCOPE_LONG=1
        test_folder build --no-rebuild
        ;;
    fresh) test_folder build --no-rebuild --suite fresh ;;
    rest)
        names=$(skipped_in build) || fail "nothing was tested in build/: sh bootstrap.sh test comes before this."
        # shellcheck disable=SC2086 # names without blanks
        [ -z "$names" ] || test_folder build --no-rebuild $names
        test_folder build --no-rebuild --suite slow
        ;;
    *) test_folder build --no-rebuild --no-suite slow ;;
    esac
    if [ "${CI:-}" = true ]; then
        export CC=clang
        # -O1 and few debug symbols: sooner built than -O0 with all of them, and its tests take half the time.
        configure build-sanitizers --buildtype=debug -Doptimization=1 -Db_sanitize=address,undefined \
            -Db_lundef=false '-Dc_args=-fno-sanitize-recover=undefined -g1'
        test_folder build-sanitizers --suite memory --suite fuzz
        configure build-threads --buildtype=debug -Doptimization=1 -Db_sanitize=thread -Db_lundef=false -Dc_args=-g1
        test_folder build-threads --suite threads
    fi
    if [ $skipped = 0 ]; then
        echo "$passed passed, $failed failed"
    else
        echo "$passed passed, $failed failed, $skipped skipped"
    fi
    [ $failed = 0 ] && [ $passed != 0 ]
}

walk() {
    build build program
    if [ -t 0 ] && [ -t 1 ]; then
        exec build/attnscope
    fi
    exec build/attnscope print padded-batch
}

case $# in
0) job=walk ;;
*) job=$* ;;
esac
case $job in
walk | test | 'test long' | 'test fresh' | 'test rest') ;;
*)
    say "there are two ways to run this: sh bootstrap.sh, and sh bootstrap.sh test [long|fresh|rest]"
    exit 2
    ;;
esac

package_manager
# Homebrew keeps its ncurses out of the way of the system's.
if [ "$manager" = brew ]; then
    PKG_CONFIG_PATH="$(brew --prefix)/opt/ncurses/lib/pkgconfig:${PKG_CONFIG_PATH:-}"
    export PKG_CONFIG_PATH
fi

lacking=$(missing)
[ -z "$lacking" ] || install_missing

# Under sudo only the packages are root's business: the build folder belongs to the person.
if [ "$(id -u)" = 0 ] && [ "${SUDO_USER:-root}" != root ] && sudo -u "$SUDO_USER" test -w .; then
    exec sudo -u "$SUDO_USER" env CI="${CI:-}" sh bootstrap.sh "$@"
fi

case $job in
walk) walk ;;
test*) run_tests "${2:-}" ;;
esac
