#!/bin/sh
# attnscope verify as a person uses it, with a dump alone: test_verify.sh ATTNSCOPE prints TAP.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
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
        grep -q 'not compared: use --map' "$scratch/out"
}
check 'what stands for nothing of the scenario is counted' left_over

# Inputs, weights and output alone: heads and mask are those that give the output.
cat >"$scratch/alone.py" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as whole, zipfile.ZipFile(sys.argv[2], "w") as part:
    for name in whole.namelist():
        if name.startswith(tuple(sys.argv[3].split(","))):
            part.writestr(name, whole.read(name))
END
alone() {
    names=$1 code=$2
    shift 2
    python3 "$scratch/alone.py" "$scratch/causal.npz" "$scratch/alone.npz" "$names" &&
        try "$code" verify "$scratch/alone.npz" "$@"
}
layers=x.,q_proj,k_proj,v_proj,out_proj
try 0 export causal "$scratch/causal.npz"
check 'the output alone tells heads and mask' alone "$layers,output" 0
check 'they are said' grep -q '2 heads of 4' "$scratch/out"
check 'they may be told' alone "$layers,output" 0 --set model.heads=2 --set attention.mask=causal
check 'where nothing was compared, nothing is the same' alone "$layers" 1
check 'which is said' grep -q 'not found' "$scratch/err"
check 'other fields are those of a scenario' alone "$layers,output" 2 --set model.d_out=3
check 'a map needs a scenario' alone "$layers,output" 2 --map x=x

# A layer as wide as GPT-2's small model, with 32 tokens: 12 heads of 64.
wide() {
    ids=$(seq -s , 0 31)
    cat >"$scratch/wide.yaml" <<END
input: {ids: [[$ids]]}
model: {vocabulary: 32, d_model: 768, heads: 12, qkv_bias: true}
attention: {mask: causal}
weights:
  manual_seed: 1
  draw: [embedding, q_proj, k_proj, v_proj, out_proj]
END
    try 0 export "$scratch/wide.yaml" "$scratch/causal.npz" &&
        alone "$layers,attn_weights,output" 0 && grep -q '12 heads of 64' "$scratch/out"
}
check 'so is a layer of real size' wide
echo "1..$checks"
