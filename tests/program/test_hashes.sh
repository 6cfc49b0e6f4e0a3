#!/bin/sh
# The sha256 of every tensor of every scenario is the committed one, whatever compiled it.
#
#   test_hashes.sh ATTNSCOPE LIST         compares with LIST; says what differs
#   test_hashes.sh ATTNSCOPE LIST write   writes LIST anew, after a change that is meant to move bits
#   test_hashes.sh ATTNSCOPE LIST small   leaves the large scenarios out (for slow ways of computing)
#
# LIST holds lines "scenario tensor sha256"; behind those of a scenario, unless it is a large one,
# its gradients.
set -eu
attnscope=$1
list=$2
found=$(mktemp)
trap 'rm -f "$found" "$found".*' EXIT

"$attnscope" list scenarios | cut -d ' ' -f 1 >"$found.all"
if [ "${3:-}" = small ]; then
    grep -v -e '-large$' "$found.all" >"$found.names"
    grep -v -e '^[^ ]*-large ' "$list" >"$found.list"
else
    cp "$found.all" "$found.names"
    cp "$list" "$found.list"
fi
hashes() {
    sed -n -e 's/^ *"name": "\(.*\)",$/\1/p' -e 's/^ *"sha256": "\(.*\)".*$/\1/p' "$found.json" |
        paste -d ' ' - - | sed "s/^/$1 /"
}
while read -r scenario; do
    "$attnscope" print "$scenario" --format json >"$found.json"
    hashes "$scenario" >>"$found"
    case $scenario in *-large) continue ;; esac # too long
    "$attnscope" print "$scenario" --backward --format json >"$found.json"
    hashes "$scenario" | grep -e '^[^ ]* loss ' -e '^[^ ]* grad\.' >>"$found"
done <"$found.names"

if [ "${3:-}" = write ]; then
    cp "$found" "$list"
    exit 0
fi
[ -s "$found" ] || { echo "no scenario was printed"; exit 1; }
diff "$found.list" "$found"
