#!/bin/sh
# A training in a real window under Xvfb, with real keys and a real pointer: test_train_window.sh ATTNSCOPE
# prints TAP. The saved weights show what happened in the window.
set -eu
attnscope=$(realpath "$1")
# shellcheck source=tests/helpers/steps.sh
. "$(dirname "$0")/../helpers/steps.sh"
skip_without Xvfb xdotool
scratch=$(mktemp -d)
screen=
shown=
trap 'for process in $shown $screen; do kill "$process" 2>/dev/null || true; done; rm -rf "$scratch"' EXIT
cd "$scratch"

rm -f number
Xvfb -noreset -displayfd 3 -screen 0 1400x1050x24 -nolisten tcp 3>number 2>/dev/null &
screen=$!
until_it test -s number
DISPLAY=:$(cat number)
export DISPLAY
unset WAYLAND_DISPLAY SDL_VIDEODRIVER

has_focus() {
    xdotool search --onlyvisible --name ' - attnscope$' >window && test -s window &&
        xdotool windowfocus "$(head -n 1 window)" &&
        [ "$(xdotool getwindowfocus)" = "$(head -n 1 window)" ]
}

open_window() {
    "$attnscope" train --window --threads 1 "$@" >said 2>errors &
    shown=$!
    xdotool mousemove 5 5
    until_it has_focus
}

keys() {
    for key in "$@"; do
        xdotool key "$key"
    done
}

# Whatever was done before the first key: `s` does the rest, one by one, and stops at the last.
six_steps() {
    keys space s s s s s s 0 0 n Return 1 Escape n question question Tab shift+Tab Left Right
    keys q
    ended && grep -q 'weight on the answer' said
}

open_window --steps 6 --out keys.safetensors
check "keys do what they do in a terminal, until q" six_steps
"$attnscope" train --lines --threads 1 --steps 6 --out lines.safetensors >said 2>errors
check "with the weights of a training that nobody watched" cmp -s keys.safetensors lines.safetensors

# A click on the first of the keys below the maps, which pauses, and the pointer over a map.
stops_by_mouse() {
    eval "$(xdotool getwindowgeometry --shell "$(head -n 1 window)")"
    xdotool mousemove $((X + WIDTH / 25)) $((Y + HEIGHT - HEIGHT / 50)) click 1
    xdotool mousemove $((X + WIDTH / 3)) $((Y + HEIGHT / 2))
    keys q
    ended && grep -q 'Stopped after step' said && [ -s mouse.safetensors.part.safetensors ]
}

open_window --steps 100000 --out mouse.safetensors
check "the mouse is heard, and what was done until q is kept" stops_by_mouse

# Both go on and stop together; what they have come to is told as without a window.
two_at_once() {
    keys space s s s 2 question question Tab Right q
    ended && sed -n '/^step 3/,/^$/p' said >seen && grep -q '^the recipe .*loss' seen && grep -q '^heads 1 .*loss' seen
}

open_window --steps 3 --compare 'heads 1'
check "two trainings have one window" two_at_once
open_window --steps 100000
kill "$screen"
wait "$screen" 2>/dev/null || true
screen=
loses_display() {
    ! ended && grep -q 'the window closed unexpectedly' errors
}
check "a display that goes away is told of" loses_display
unset DISPLAY
no_display() {
    ! "$attnscope" train --window >said 2>errors && grep -q 'without --window' errors && ! grep -q -e --png errors
}
check "and so is one that is not there" no_display
echo "1..$checks"
