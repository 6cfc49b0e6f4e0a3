#!/bin/sh
# Builds attnscope on a fresh system and starts it.
#
#   sh bootstrap.sh        installs missing packages, builds into build/, and opens the course at the
#                          last page seen; without a terminal it prints document 001's padded batch
#   sh bootstrap.sh test   installs and builds, runs the tests, and ends with the line
#                          "N passed, N failed[, N skipped]"
#   sh bootstrap.sh test long    runs every test on all of its cases, with more injected faults
#   sh bootstrap.sh test fresh   runs only the tests that depend on the machine: tools, fonts, paths
#   sh bootstrap.sh test rest    after `test`: runs the skipped and the slow tests (whole classes,
#                                injected faults); with CI=true the sanitizers, too
#
# Works as root and through sudo, with apt-get, dnf, pacman and Homebrew. Calls the package manager only
# if something is missing. With CI=true, `test` also installs clang, builds without optimisation, and runs
# the memory tests under the address sanitizer and the thread tests under the thread sanitizer. On
# Debian it also installs a cross compiler and an emulator for 64-bit ARM.
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

# The dependencies: how to detect each one; its package for apt-get, dnf, pacman and brew; and its own name
# and purpose, for other systems.
needs() {
    tr -s ' ' <<'END'
tool     meson       meson             meson              meson       meson      Meson: sets up the build
tool     ninja       ninja-build       ninja-build        ninja       ninja      Ninja: runs the build
tool     pkg-config  pkg-config        pkgconf-pkg-config pkgconf     pkgconf    pkg-config: finds the libraries
compiler cc          gcc,libc6-dev     gcc,glibc-devel    gcc         gcc        GCC or Clang, with the C headers: compiles attnscope and the exercises
library  yaml-0.1    libyaml-dev       libyaml-devel      libyaml     libyaml    libyaml: reads scenarios
library  libzip      libzip-dev        libzip-devel       libzip      libzip     libzip: reads and writes .npz files
library  libarchive  libarchive-dev    libarchive-devel   libarchive  libarchive libarchive: unpacks submissions
library  jansson     libjansson-dev    jansson-devel      jansson     jansson    Jansson: reads and writes JSON
library  nettle      nettle-dev        nettle-devel       nettle      nettle     Nettle: checksums
library  libcmark    libcmark-dev      cmark-devel        cmark       cmark      cmark: reads the lectures
library  oniguruma   libonig-dev       oniguruma-devel    oniguruma   oniguruma  Oniguruma: regular expressions of tokenizers
library  libutf8proc libutf8proc-dev   utf8proc-devel     libutf8proc utf8proc   utf8proc: classifies characters and their width
library  ncursesw    libncurses-dev    ncurses-devel      ncurses     ncurses    ncurses, with wide letters: draws in the terminal
library  check       check             check-devel        check       check      Check: tests exercises and this program
library  vterm       libvterm-dev      libvterm-devel     libvterm    libvterm   libvterm: the terminal of the tests
library  sdl2        libsdl2-dev       SDL2-devel         sdl2        sdl2       SDL 2: opens the window
library  harfbuzz    libharfbuzz-dev   harfbuzz-devel     harfbuzz    harfbuzz   HarfBuzz: shapes text in pictures
library  fribidi     libfribidi-dev    fribidi-devel      fribidi     fribidi    FriBidi: handles right-to-left text
library  freetype2   libfreetype-dev   freetype-devel     freetype2   freetype   FreeType: draws letters in pictures
library  fontconfig  libfontconfig-dev fontconfig-devel   fontconfig  fontconfig fontconfig: finds fonts
library  libpng      libpng-dev        libpng-devel       libpng      libpng     libpng: writes pictures
library  cairo       libcairo2-dev     cairo-devel        cairo       cairo      cairo: writes pictures as PDF
tool     fc-list     fontconfig        fontconfig         fontconfig  fontconfig fc-list, of fontconfig: lists the fonts
font     ko          fonts-naver-d2coding,fonts-inter naver-nanum-gothic-fonts ttf-baekmuk font-nanum-gothic a font with Korean letters: draws the words in pictures
END
    # Linux only.
    if [ "$manager" != brew ]; then
        echo 'library libseccomp libseccomp-dev libseccomp-devel libseccomp - libseccomp: part of the sandbox for exercises'
        echo 'library wayland-client libwayland-dev wayland-devel wayland - libwayland: shows the window under Wayland'
    fi
    if [ "${CI:-}" = true ]; then
        tr -s ' ' <<'END'
sanitizers clang   clang,libclang-rt-dev clang,compiler-rt    clang,compiler-rt llvm        Clang with its sanitizers: runs the tests again
tool       Xvfb    xvfb                  xorg-x11-server-Xvfb xorg-server-xvfb  xorg-server Xvfb, of X.Org: a display for the tests
tool       xdotool xdotool               xdotool              xdotool           xdotool     xdotool: presses keys in the tests
tool       xprop   x11-utils             xprop                xorg-xprop        xprop       xprop, of X.Org: sets the text size in a test
tool       gcc     gcc                   gcc                  gcc               gcc         GCC: compiles the exercises in a test
tool       zsh     zsh                   zsh                  zsh               zsh         zsh: tests completion
tool       fish    fish                  fish                 fish              fish        fish: tests completion
tool       pdftotext poppler-utils       poppler-utils        poppler           poppler     poppler: reads PDF pictures in a test
tool       man     man-db                man-db               man-db            man-db      man: reads the manual pages in a test
tool       mandoc  mandoc                mandoc               mandoc            mandoc      mandoc: checks them more strictly
tool       desktop-file-validate desktop-file-utils desktop-file-utils desktop-file-utils desktop-file-utils desktop-file-validate: checks the desktop entry
END
    fi
    # Wayland: Linux only.
    if [ "${CI:-}" = true ] && [ "$manager" != brew ]; then
        tr -s ' ' <<'END'
tool sway    sway       sway       sway       - sway: a Wayland display for a test
tool grim    grim       grim       grim       - grim: takes screenshots of it
tool setpriv util-linux util-linux util-linux - setpriv, of util-linux: starts it as user nobody
END
    fi
    # Cross tools for 64-bit ARM; only Debian runs this test.
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
    compiler) eval "compiles ${CC:-$2}" ;; # CC may include options
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

# Field N of each missing dependency, on one line: 2 is the name, 3 to 6 the packages, 7 the purpose.
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
        apt_get update || say "apt-get update failed (its reason is above); trying without an update."
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
        say "missing: ${names}- and found no apt-get, dnf, pacman or brew."
        say "Install these, libraries with their headers, then run this again:"
        printf '%s\n' "$lacking" | cut -d ' ' -f 7- | while read -r words; do say "  $words"; done
        exit 1
        ;;
    esac
    if [ "$manager" != brew ] && [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        fail "missing: ${names}- and installing needs root or sudo. Ask an administrator to run: $manager install $packages"
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

# configure FOLDER OPTION...: sets up a build folder. Recreates it if the path, the compiler or the options
# have changed, or if it no longer works.
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
        fail "cannot recreate $folder/; does it belong to another user? Remove it, then run this again."
    meson setup "$folder" "$@" >&2 || fail "meson could not set up $folder/ (its reason is above)."
    printf '%s\n' "$wanted" >"$stamp"
}

# build FOLDER [TARGET]: builds everything, or one target.
build() {
    configure "$1"
    ninja -C "$@" >&2 || fail "the build in $1/ failed (the compiler's reason is above)."
}

passed=0
failed=0
skipped=0

# Lists the skipped tests with their reasons from a log, because meson's table leaves the reasons out.
skips() {
    sed -n 's/^{"name": "\([^"]*\)".*1\.\.0 # SKIP \([^"\\]*\).*"result": "SKIP".*/skipped: \1: \2/p' "$1" |
        while read -r line; do say "$line"; done
}

# Lists the failed tests with their failed checks and output from a log, so that they are easy to find.
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

# test_folder FOLDER OPTION...: runs the tests of a build folder and adds to the three counts. The long
# timeout kills a test that hangs, but not one that is slow on a busy machine.
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

# Prints the names of the tests that the last run skipped.
skipped_in() {
    results=$1/meson-logs/testlog.json
    [ -f "$results" ] && sed -n 's/^{"name": "\([^"]*\)".*"result": "SKIP".*/\1/p' "$results" | sed 's/.* //'
}

# run_tests [long|fresh|rest]
run_tests() {
    # What a fresh machine can break takes a part of the tests' programs, which meson builds.
    if [ "${1:-all}" = fresh ]; then
        configure build
    else
        build build
    fi
    case ${1:-all} in
    long)
        export ATTNSCOPE_LONG=1
        test_folder build --no-rebuild
        ;;
    fresh) test_folder build --suite fresh ;;
    rest)
        names=$(skipped_in build) || fail "no tests ran in build/ yet: run sh bootstrap.sh test first."
        # shellcheck disable=SC2086 # names without blanks
        [ -z "$names" ] || test_folder build --no-rebuild $names
        test_folder build --no-rebuild --suite slow
        ;;
    *) test_folder build --no-rebuild --no-suite slow ;;
    esac
    if [ "${CI:-}" = true ]; then
        export CC=clang
        # -O1 with few debug symbols builds faster than -O0 with all of them, and its tests take half the time.
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
    say "usage: sh bootstrap.sh, or sh bootstrap.sh test [long|fresh|rest]"
    exit 2
    ;;
esac

package_manager
# Homebrew does not link its ncurses, because macOS has its own.
if [ "$manager" = brew ]; then
    PKG_CONFIG_PATH="$(brew --prefix)/opt/ncurses/lib/pkgconfig:${PKG_CONFIG_PATH:-}"
    export PKG_CONFIG_PATH
fi

lacking=$(missing)
[ -z "$lacking" ] || install_missing

# Under sudo, only the packages need root; the build folder belongs to the user.
if [ "$(id -u)" = 0 ] && [ "${SUDO_USER:-root}" != root ] && sudo -u "$SUDO_USER" test -w .; then
    exec sudo -u "$SUDO_USER" env CI="${CI:-}" sh bootstrap.sh "$@"
fi

case $job in
walk) walk ;;
test*) run_tests "${2:-}" ;;
esac
