#!/bin/sh
# The commands that the README's table shows do what they should: test_readme.sh SOURCE PROGRAM
# prints TAP. The stepper is left out, which needs a terminal.
set -eu
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck disable=SC2016 # the README's own backquotes
sed -n '/^| `attnscope trace/d; s/^| `\(attnscope [^`]*\)`.*/\1/p' "$1/README.md" >"$scratch/commands"
cd "$scratch"
XDG_STATE_HOME=$scratch/state
export XDG_STATE_HOME

attnscope() {
    "$program" "$@"
}

runs() {
    eval "$1" >said 2>&1
}

explain() {
    cat said
}

while read -r command; do
    check "$command" runs "$command"
done <commands
if [ $checks = 0 ]; then
    echo "Bail out! The README shows no command."
fi
echo "1..$checks"
