#!/bin/sh
# A real window under Wayland: test_wayland.sh ATTNSCOPE SAME_PICTURE prints TAP. The compositor is sway
# without a screen and without a graphics card; what it shows is compared with --png pixel by pixel. Its
# pictures are lower than 300 pixels, where a window has no line of keys that a saved picture has not. No
# key is pressed: SDL 2.26 can crash over the keyboards that programs bring with them.
set -eu
attnscope=$(realpath "$1")
same_picture=$(realpath "$2")
# shellcheck source=tests/helpers/steps.sh
. "$(dirname "$0")/../helpers/steps.sh"
skip_without sway grim setpriv
scratch=$(mktemp -d)
compositor=
shown=
trap 'for process in $shown $compositor; do kill "$process" 2>/dev/null || true; done; rm -rf "$scratch"' EXIT
cd "$scratch"

# sway refuses to be root, who lends it to nobody; attnscope itself is run by whoever runs the test.
as_nobody=
[ "$(id -u)" != 0 ] || as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'

# Everything of Wayland is in a folder of its own, so that no other session is touched.
start_compositor() {
    mkdir -m 700 wayland
    [ -z "$as_nobody" ] || chown 65534:65534 wayland
    export XDG_RUNTIME_DIR="$scratch/wayland"
    cat >config <<END
xwayland disable
default_border none
output * mode --custom 460x290
exec echo "export WAYLAND_DISPLAY=\$WAYLAND_DISPLAY SWAYSOCK=\$SWAYSOCK" >'$scratch/wayland/names'
END
    chmod 755 .
    # shellcheck disable=SC2086 # a command of several words, or of none
    $as_nobody env HOME="$scratch/wayland" WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 \
        WLR_RENDERER=pixman sway --config "$scratch/config" 2>compositor-errors &
    compositor=$!
    until_it test -s wayland/names
    # shellcheck source=/dev/null
    . ./wayland/names
}

open_window() {
    "$attnscope" heatmap four-heads --at 1,0,0 "$@" 2>errors &
    shown=$!
}

# Whether the compositor shows what the options of a picture ask for.
is_shown() {
    grim seen.png && "$same_picture" seen.png wanted.png
}

shows() {
    "$attnscope" heatmap four-heads --at 1,0,0 --png wanted.png "$@" && { until_it is_shown || is_shown; }
}

# SDL would open OpenGL for any window there.
nothing_large() {
    child=$(pgrep -P "$shown" -f attnscope-window) && ! grep -E 'lib(EGL|GLX?|LLVM|vulkan|gallium)[-.]' "/proc/$child/maps"
}

fails() {
    status=0
    ended || status=$?
    [ "$status" = 1 ]
}

unset DISPLAY WAYLAND_DISPLAY SWAYSOCK SDL_VIDEODRIVER
# shellcheck disable=SC2086
$as_nobody true 2>/dev/null ||
    skip "sway refuses to be root, and setpriv cannot make it another user here: run this as an ordinary user"
start_compositor
check "the compositor starts" [ -n "${WAYLAND_DISPLAY:-}" ]
open_window
check "every pixel of the window is that of the picture" shows --size 460x290
swaymsg -q -- output '*' mode --custom 440x250
check "it is drawn anew when its size changes" shows --size 440x250
check "without OpenGL, or Vulkan, in its memory" nothing_large
swaymsg -q kill
check "closed, it ends well" ended
swaymsg -q -- output '*' mode --custom 460x290 scale 2
export ATTNSCOPE_SCALE=1
open_window
check "where a point is four pixels, every pixel is painted" shows --size 460x290
swaymsg -q -- output '*' mode --custom 440x250
check "and when there are fewer" shows --size 440x250
swaymsg -q kill
check "that ends well, too" ended
unset ATTNSCOPE_SCALE
swaymsg -q -- output '*' scale 1
open_window --dark --head 1
check "so is that of one head, light on dark" shows --size 440x250 --dark --head 1
swaymsg -q exit 2>/dev/null || true
check "when the compositor ends, the program ends and fails" fails
check "and says what to do" grep -q -- --png errors
wait "$compositor" || true
compositor=
check "without it a window is refused" [ "$("$attnscope" heatmap four-heads 2>errors || echo "$?")" = 1 ]
check "in a sentence" grep -q "the display cannot be used.*--png" errors
echo "1..$checks"
