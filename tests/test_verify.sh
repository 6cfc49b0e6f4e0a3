#!/bin/sh
# attnscope verify as a person uses it, with a dump alone: test_verify.sh ATTNSCOPE prints TAP.
set -eu
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
attnscope=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8

explain() {
    head -20 "$scratch/out" "$scratch/err"
}

# The dump is the program's own, so that nothing but its name is tried here.
same() {
    try 0 export causal "$1" && try 0 verify "$1" && grep -q '^same: ' "$scratch/out"
}

check 'a dump brings its own inputs and weights' same "$scratch/dump.npz"
check 'its name may hold what YAML quotes with' same "$scratch/it's \"mine\": {a} #1.npz"

# Gradients, beside a scenario that has no backward pass: it is said that nothing was compared with them.
left_over() {
    try 0 export causal "$scratch/gradients.npz" --backward &&
        try 0 verify "$scratch/gradients.npz" causal &&
        grep -q 'compared with nothing: --map' "$scratch/out"
}
check 'what stands for nothing of the scenario is counted' left_over

# Inputs, weights and output alone: whether there were heads is not known, which is said.
cat >"$scratch/alone.py" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as whole, zipfile.ZipFile(sys.argv[2], "w") as part:
    for name in whole.namelist():
        if name.startswith(("x.", "q_proj", "k_proj", "v_proj", "out_proj", "output")):
            part.writestr(name, whole.read(name))
END
one_head() {
    code=$1
    shift
    try "$code" verify "$scratch/alone.npz" "$@"
}
try 0 export causal "$scratch/causal.npz"
python3 "$scratch/alone.py" "$scratch/causal.npz" "$scratch/alone.npz"
check 'a dump without scores and weights is taken for one head' one_head 1
check 'which is said' grep -q 'one head and no mask are taken' "$scratch/err"
check 'heads and mask may be told' \
    one_head 0 --set model.heads=2 --set 'attention={mask: causal, mask_before_scale: true}'
check 'then nothing is said' test ! -s "$scratch/err"
echo "1..$checks"
