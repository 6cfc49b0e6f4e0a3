#!/bin/sh
# A model goes on with a text: test_write.sh ATTNSCOPE MODELS prints TAP.
#
# Work by hand, for `memory` (D = 48, 17 words, two layers): a token projects q, k, v and the output, 4 * 48 * 48
# = 9216 multiply-adds a layer; scores and mixing take 2 * 48 for each key; the readout 17 * 48 = 816. The second
# token written stands behind 7 others: 2 * (9216 + 2 * 48 * 8) + 816 = 20784, and for all 8 tokens 166272.
# The small GPT-2 with the embedding as its readout gives these probabilities in PyTorch. What comes next are PyTorch's ids (golden/sampling.json: milk, full stop, Joon;
# goes_on: tea, full stop, Mina, tea, full stop, Mina, tea, full stop).
set -u
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$(realpath "$1")
models=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_places
cd "$scratch" || exit 1
prompt='Mina tea. Joon milk. Suji cake. Hana rice. Joon'

explain() {
    head -n 20 "$scratch/out" "$scratch/err"
}

says() {
    grep -q -e "$1" "$scratch/out"
}

refuses() {
    code=$1
    shift
    "$attnscope" write "$@" >out 2>err
    [ $? = "$code" ]
}

writes() {
    "$attnscope" write "$@" >out 2>err
}

# draws: the text of a seed, which depends on nothing else.
draws() {
    writes "$prompt" --temperature 6 --seed "$1" --tokens 6 && grep '^Mina' out >"$2"
}

differs() {
    ! cmp -s "$1" "$2"
}

check "it writes what PyTorch's logits choose" writes "$prompt" --tokens 3
check "and shows the text" says '^Mina tea . Joon milk . Suji cake . Hana rice . Joon milk . Joon$'
check "all logits have the bits of a run without a cache" says '17 of 17 logits'
check "it writes in a pipe" writes 'Mina tea. Joon milk. Mina' --tokens 8
check "the work is the one by hand" says '1 *7 *20784 *166272$'
check "behind the answer it says again what it has read" says '^Mina tea . Joon milk . Mina tea . Mina tea . Mina tea .$'
check "English words need no other language" writes 'Mina tea. Joon milk. Mina' --lang ko --tokens 1
check "nor do Korean ones" writes '미나 차. 준 우유. 미나' --lang en --tokens 1
check "the Korean model writes Korean" writes '미나 차. 준 우유. 미나' --lang ko --tokens 1
check "the same word" says '^미나 차 . 준 우유 . 미나 차$'
check "another model goes on with what it heard" writes 'a b c d a b' induction --tokens 4
check "letter by letter" says '^a b c d a b c d a b$'
check "a seed gives a text" draws 1 first
check "and gives it again" draws 1 again
check "bit by bit" cmp -s first again
check "another seed" draws 2 other
check "gives another" differs first other
check "temperature 0 is greedy" writes "$prompt" --temperature 0 --seed 3 --tokens 3
check "whatever the seed" says 'Joon milk . Joon$'
check "one word is left of top-k 1" writes "$prompt" --top-k 1 --tokens 3
check "the likeliest" says 'Joon milk . Joon$'
check "a GPT-2 writes" writes 'lower new low' "$models/gpt2" --tokens 4
check "its first token as in PyTorch" says '^er  *0.204'
check "and its fourth" says '^n  *0.570'
# Thirteen layers under GPT-2's names, of width 1.
deep_gpt2() {
    header='{' at=0
    for layer in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
        header="$header\"h.$layer.attn.c_attn.weight\":{\"dtype\":\"F32\",\"shape\":[1,3],\"data_offsets\":[$at,$((at + 12))]},"
        header="$header\"h.$layer.attn.c_proj.weight\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[$((at + 12)),$((at + 16))]},"
        at=$((at + 16))
    done
    header="${header%,}}"
    length=${#header}
    printf "\\$(printf %o $((length % 256)))\\$(printf %o $((length / 256)))\\0\\0\\0\\0\\0\\0%s" "$header"
    head -c "$at" /dev/zero
}
deep_gpt2 >deep.safetensors
check "a model of more layers than run is refused" refuses 2 --ids '3 1' deep.safetensors
check "rather than cut off" grep -qF 'deep.safetensors has 13 layers, but at most 12 run at once' err
check "token ids stand in place of a text" writes --ids '3 1, 2' "$models/gpt2" --tokens 2
check "and nothing else" refuses 2 --ids '3 x' "$models/gpt2"
check "a temperature below 0 is refused" refuses 2 "$prompt" --temperature -1
check "a scenario without a readout is refused" refuses 1 'She is' sentence
check "with what it lacks" grep -qF 'sentence cannot write: it needs one text of words or ids, a causal mask, and a readout' err
check "a word that the model does not know is refused" refuses 1 'hello'
check "no text is refused" refuses 2

# The numbers of the page; the shares, with their rounding, add up to the logit.
tells_answer() {
    "$attnscope" print memory --answer --format json >out 2>err && python3 - out <<'END_OF_PYTHON'
import json, sys
told = json.load(open(sys.argv[1]))
assert told["answer"]["word"] == "milk" and told["answer"]["rank"] == 1
shares = [row["share"] for row in told["shares"]]
assert len(shares) == 4 and abs(sum(shares) - told["answer"]["logit"]) < 1e-6
assert told["without"][0]["zero"]["rank"] > 1 and told["looks"][0]["head"] == "1.0"
assert told["composition"][0]["k"] > 2 * told["composition"][1]["k"]
assert [row["head"] for row in told["path"]] == ["1.0", "0.0"]
END_OF_PYTHON
}
check "who made the answer is told as JSON" tells_answer
echo "1..$checks"
