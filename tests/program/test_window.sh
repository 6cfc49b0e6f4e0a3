#!/bin/sh
# A real window under Xvfb, with real keys and a real pointer: test_window.sh ATTNSCOPE prints TAP.
# What the window shows is asked for with its own key v: the numbers of its maps as CSV.
set -eu
attnscope=$(realpath "$1")
# shellcheck source=tests/helpers/steps.sh
. "$(dirname "$0")/../helpers/steps.sh"
skip_without Xvfb xdotool xprop
scratch=$(mktemp -d)
screen=
shown=
trap 'for process in $shown $screen; do kill "$process" 2>/dev/null || true; done; rm -rf "$scratch"' EXIT
cd "$scratch"

# Without -noreset the server begins anew whenever its last client leaves, as xdotool does, and refuses
# who comes meanwhile.
start_screen() {
    rm -f number
    Xvfb -noreset -displayfd 3 -screen 0 1400x1050x24 -nolisten tcp 3>number 2>/dev/null &
    screen=$!
    until_it test -s number
    DISPLAY=:$(cat number)
    export DISPLAY
    unset WAYLAND_DISPLAY SDL_VIDEODRIVER
}

window_is_there() {
    xdotool search --onlyvisible --name ' - attnscope$' >window && test -s window
}

# Nothing manages windows here: keys go where the focus was put. SDL may put another window in the place of
# its first one, so it is looked for each time.
has_focus() {
    window_is_there && xdotool windowfocus "$(head -n 1 window)" &&
        [ "$(xdotool getwindowfocus)" = "$(head -n 1 window)" ]
}

open_window() {
    "$attnscope" heatmap "$@" 2>errors &
    shown=$!
    xdotool mousemove 5 5
    until_it has_focus
}

keys() {
    for key in "$@"; do
        xdotool key "$key"
    done
}

a_csv_is_there() {
    for file in ./*.csv; do
        [ -s "$file" ] || return 1
    done
}

# The numbers that the window shows now, in the file `numbers`: what was pressed before has been done then.
numbers() {
    rm -f ./*.csv
    keys v
    until_it a_csv_is_there
    mv ./*.csv numbers
}

heads() {
    tail -n +2 numbers | cut -d, -f1 | sort -u | tr '\n' ' '
}

# Waits until the numbers that are shown have these heads.
shows_heads() {
    for _ in $(seq 20); do
        numbers
        [ "$(heads)" != "$1" ] || return 0
        sleep 0.3
    done
    echo "# heads are $(heads)"
    return 1
}

saved_picture() {
    rm -f ./*.png
    keys p
    until_it test -s "$1" && [ "$(head -c 4 "$1" | tail -c 3)" = PNG ]
}

same_numbers() {
    "$attnscope" heatmap "$@" --csv wanted 2>>errors && cmp -s wanted numbers
}

start_screen
open_window four-heads
check "a window opens" [ -s window ]
check "it shows all heads" shows_heads "0 1 2 3 "
# Of the columns head, query, word, keys: the head of the first of the largest numbers.
largest=$(tail -n +2 numbers | awk -F, '{ for (i = 4; i <= NF; i++) if ($i > most) { most = $i; head = $1 } }
    END { print head }')
keys Return
check "the largest weight is chosen: Return shows its head" shows_heads "$largest "
check "with the numbers of the tensor" same_numbers four-heads --head "$largest"
keys bracketright bracketright
check "] goes to the next head" shows_heads "$(((largest + 2) % 4)) "
keys Tab
check "Tab goes on to the next tensor" shows_heads "$(((largest + 2) % 4)) " # context_heads has heads, too
keys Shift+Tab
while [ "$(heads)" != "2 " ]; do # where later tests begin
    keys bracketright
    numbers
done
keys g a
check "a shows the mean" shows_heads "mean "
check "p saves a picture" saved_picture four-heads-attn_weights.png
cp four-heads-attn_weights.png first.picture
keys d p
check "p again saves another picture" until_it test -s four-heads-attn_weights-2.png
check "and leaves the first as it was" cmp -s first.picture four-heads-attn_weights.png
keys d ctrl+equal less p
check "Ctrl and = make letters larger and nothing else" \
    until_it cmp -s first.picture four-heads-attn_weights-3.png
keys a l x bracketright x
check "x puts one head beside the other" shows_heads "2 3 "
keys Hangul_Hieuh
check "so does g, which shows them all again, while the keyboard writes Hangul" shows_heads "0 1 2 3 "
# The grid has two maps a row; the lower right one is head 3.
eval "$(xdotool getwindowgeometry --shell "$(head -n 1 window)")"
xdotool mousemove $((X + WIDTH * 62 / 100)) $((Y + HEIGHT * 60 / 100)) click 1
check "a click opens the head under the pointer" shows_heads "3 "
xdotool windowsize --sync "$(head -n 1 window)" 300 200 || true
xdotool windowsize --sync "$(head -n 1 window)" 900 700 || true
check "it can be resized" shows_heads "3 "
keys question question plus plus minus 0 m s d l l r c Escape space space period comma greater less F11 F11
check "no key breaks it" kill -0 "$shown"
keys q
check "q closes it, and the program ends well" ended

# Two pictures of a window that has just opened: one with the pointer beside it, one over its middle.
picture_at() {
    "$attnscope" heatmap four-heads 2>errors &
    shown=$!
    xdotool mousemove "$1" "$2"
    until_it has_focus
    saved_picture four-heads-attn_weights.png
    mv four-heads-attn_weights.png "$3"
    keys q
    ended
}
xdotool mousemove 700 500
picture_at 700 500 over.picture
picture_at 5 5 beside.picture
check "a window that opens under the pointer keeps the largest weight chosen" \
    cmp -s over.picture beside.picture

# The screen is 1400 pixels wide: twice 1280 is more than it has.
width_of_window() {
    eval "$(xdotool getwindowgeometry --shell "$(head -n 1 window)")"
    [ "$WIDTH" = "$1" ]
}
open_window four-heads
check "an ordinary display has an ordinary window" width_of_window 1280
keys q
ended
export ATTNSCOPE_SCALE=2
open_window four-heads
unset ATTNSCOPE_SCALE
check "a dense display has a larger one, as far as there is room" width_of_window 1400
keys q
ended
xprop -root -f RESOURCE_MANAGER 8s -set RESOURCE_MANAGER 'Xft.dpi: 102'
open_window four-heads
check "so has a desktop that wants larger letters" width_of_window 1360 # 1280 * 102 / 96
keys q
ended
xprop -root -remove RESOURCE_MANAGER

cat >crashes <<END
#!/bin/sh
[ "\$4" = x11 ] && exec '$(dirname "$attnscope")/attnscope-window' "\$@"
kill -SEGV \$\$
END
chmod +x crashes
export ATTNSCOPE_WINDOW="$scratch/crashes" WAYLAND_DISPLAY=nowhere
open_window four-heads
check "a crash under Wayland is followed by a window under X11" shows_heads "0 1 2 3 "
keys q
check "which closes as any other" ended
unset WAYLAND_DISPLAY
check "without Wayland a crash ends the program" [ "$("$attnscope" heatmap four-heads 2>errors || echo "$?")" = 1 ]
check "and is called what it is" grep -q "by signal 11 .*--png" errors
unset ATTNSCOPE_WINDOW

open_window padded-batch
kill "$screen"
wait "$screen" 2>/dev/null || true
screen=
# In this shell: while it reads from another one it reaps nobody, and the process would seem to be there.
end=badly
! ended >/dev/null 2>&1 || end=well
check "when the display dies, the program ends" [ "$end" = badly ]
check "and says what to do" grep -q -- --png errors

unset DISPLAY
check "without a display it is refused" [ "$("$attnscope" heatmap padded-batch 2>errors || echo "$?")" = 1 ]
check "and says what else there is" grep -q "no display.*--png" errors
"$attnscope" heatmap four-heads --head 1,3 --mode lines --csv numbers
check "two heads can be asked for" [ "$(heads)" = "1 3 " ]
check "a head that is not there is misuse" \
    [ "$("$attnscope" heatmap four-heads --head 1,9 --png here.png 2>errors || echo "$?")" = 2 ]
check "and is named" grep -q "so head 9 does not" errors
refused() {
    wanted=$1
    shift
    [ "$("$attnscope" heatmap four-heads "$@" --png here.png 2>errors || echo "$?")" = 2 ] &&
        grep -q -- "$wanted" errors && [ ! -e here.png ]
}
check "a cell that is not there is refused" \
    refused "--at 0,0,99: attn_weights has 4 heads" --at 0,0,99
check "the mean has no head" refused "--mean averages all heads" --mean --head 1
check "letters of no size are refused" refused "from 0.5 to 4, not 'big'" --letters big
check "so are heads from high to low" refused "such as 1,3 or 0-2, not '2-1'" --head 2-1
check "a colour map that is not there: all are named" \
    refused "choose viridis, cividis, magma or diverging" --map jet
check "a picture needs no display" "$attnscope" heatmap padded-batch --png here.png
font=$(fc-match -f '%{file}' 'DejaVu Sans')
printf '<fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>' \
    "$(dirname "$font")" "$scratch/fonts" >fonts.conf
check "a letter that no font has is no box" env FONTCONFIG_FILE="$scratch/fonts.conf" \
    "$attnscope" heatmap sentence --text "She 안녕 him" --png korean.png 2>errors
check "but is named, with what to install" grep -q "letter U+.*Korean font" errors
FONTCONFIG_FILE=$scratch/fonts.conf "$attnscope" heatmap sentence --text "She smiled 🙂" \
    --png smile.png 2>errors
check "a face is not Korean" grep -q "letter U+1F642.*install a font that has it" errors
# Whoever asks for a Korean face is sent to one without Korean here: only so is it seen who asks.
korean=$(fc-match -f '%{file}' ':charset=ac00')
{
    printf '<fontconfig><dir>%s</dir><dir>%s</dir><cachedir>%s</cachedir>' "$(dirname "$font")" \
        "$(dirname "$korean")" "$scratch/fonts"
    printf '<match target="pattern"><test name="lang"><string>ko</string></test>'
    printf '<edit name="charset" mode="delete_all"/><edit name="family" mode="assign" binding="strong">'
    printf '<string>DejaVu Sans</string></edit></match></fontconfig>'
} >fonts.conf
FONTCONFIG_FILE=$scratch/fonts.conf "$attnscope" heatmap sentence --text "She 안녕 him" \
    --png korean.png 2>errors
check "Hangul is asked of a Korean face" grep -q "letter U+C548.*Korean font" errors
printf '<fontconfig><cachedir>%s</cachedir></fontconfig>' "$scratch/fonts" >fonts.conf
check "without any font a picture is refused" [ "$(FONTCONFIG_FILE=$scratch/fonts.conf \
    "$attnscope" heatmap sentence --png none.png 2>errors || echo "$?")" = 1 ]
check "with what to install" grep -q "install" errors
check "a picture that cannot be written is refused" \
    [ "$("$attnscope" heatmap padded-batch --png /nowhere/here.png 2>errors || echo "$?")" = 1 ]
check "and says why" grep -q "cannot write /nowhere/here.png: No such file" errors
echo "1..$checks"
