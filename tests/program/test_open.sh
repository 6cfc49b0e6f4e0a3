#!/bin/sh
# Weights files of other programs: test_open.sh ATTNSCOPE LAYOUTS prints TAP.
set -eu
# shellcheck source=tests/helpers/tap.sh
. "$(dirname "$0")/../helpers/tap.sh"
attnscope=$1
layouts=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" XDG_STATE_HOME="$scratch/state" LC_ALL=C.UTF-8

explain() {
    cat "$scratch/out" "$scratch/err"
}

# said TEXT, failed TEXT: a line of what the program said holds the text. unsaid TEXT: none does.
said() {
    grep -qF -- "$1" "$scratch/out"
}
unsaid() {
    ! said "$1"
}
failed() {
    grep -qF -- "$1" "$scratch/err"
}

cp "$layouts/hf_gpt2.pt" "$layouts/hf_bert_f16.safetensors" "$scratch"
model=$scratch/hf_gpt2.pt

check 'a file says what it is' try 0 open "$model"
check 'by the names it has' said 'hf_gpt2.pt: weight names of GPT-2 (Conv1D: transposed and fused); 1 attention layer, 5 tensors'
check 'and lists its layers' said '--layer 0   h.0.  (causal)'

check 'a layer without a number of heads is refused' try 1 open "$model" --layer 0
check 'in a sentence' failed 'Use open --heads N, or --set model.heads=N with other commands'
check 'a layer that is not there is refused' try 1 open "$model" --layer 7 --heads 3
check 'in a sentence too' failed 'has attention layers 0 to 0, 1 in all; there is no layer 7'
check 'heads are a number' try 2 open "$model" --layer 0 --heads three
check 'and said to be one' failed "--heads must be a whole number from 1, not 'three'"

check 'without a terminal a layer is printed' try 0 open "$model" --layer 0 --heads 3
check 'from where its weight is turned around' said '1/24  turn in_proj'
check 'to its output' said 'output_projection'
check 'other commands take a file of weights too' \
    try 0 print "$scratch/hf_bert_f16.safetensors#0" --set model.heads=3
check 'and say how its numbers were stored' \
    said 'attention.self.query.weight (float16, widened to float32)'

printf '{"model_type": "gpt2", "n_head": 3, "n_embd": 13}' >"$scratch/config.json"
check 'a list holds config.json to the weights' try 1 open "$model"
check 'by their width' failed "a width of 13, but the weights' is 12"
printf '{"model_type": "gpt2", "n_head": 3, "n_embd": 12}' >"$scratch/config.json"
check 'and has nothing against the right one' try 0 open "$model"
printf '{"n_head": 3}' >"$scratch/config.json"
check 'config.json knows the heads' try 0 open "$model" --save "$scratch/my.yaml"
check 'and a scenario is written' grep -qx '  heads: 3' "$scratch/my.yaml"
check 'that names the file' grep -qx '  file: "hf_gpt2.pt"' "$scratch/my.yaml"
check 'and its layout' grep -qx '  layout: gpt2' "$scratch/my.yaml"
check 'it runs' try 0 print "$scratch/my.yaml" --tensor output
cp "$scratch/out" "$scratch/saved"
check 'as the file itself does' try 0 print "$model" --tensor output
check 'to the same numbers' cmp -s "$scratch/out" "$scratch/saved"
check 'saved in Korean' try 0 open "$model" --save "$scratch/korean.yaml" --lang ko
check 'the command that opens it is Korean, where the locale is not' \
    grep -qF "attnscope --lang ko trace $scratch/korean.yaml" "$scratch/out"
check 'no file is overwritten' try 1 open "$model" --save "$scratch/my.yaml"
check 'what is exported' try 0 export "$scratch/my.yaml" "$scratch/out.safetensors"
check 'says what it is' grep -aqF '"manual_seed":"0"' "$scratch/out.safetensors"
mkdir "$scratch/else"
mkdir "$scratch/llama"
cp "$layouts/llama.npz" "$scratch/llama"
llama=$scratch/llama/llama.npz
check "LLaMA's names alone are not enough" try 1 open "$llama" --layer 0 --heads 4
check 'and why' failed 'no config.json next to the file gives the model (model_type)'
for family in deepseek_v3 hunyuan_v1_dense minimax; do
    printf '{"model_type": "%s", "num_attention_heads": 4}' "$family" >"$scratch/llama/config.json"
    check "$family is another thing" try 1 open "$llama" --layer 0
    check "which is said of $family" failed "config.json says this is $family"
done
printf '{"model_type": "llama", "num_attention_heads": 4, "rope_scaling": {"type": "yarn", "factor": 8}}' >"$scratch/llama/config.json"
check 'scaled positions are refused' try 1 open "$llama" --layer 0
check 'by name' failed 'rope_scaling'
check 'which the person may leave out' try 0 open "$llama" --layer 0 --as llama
check 'but not without a word' said 'note: run as llama, ignoring settings that would change its numbers: rope_scaling:'
printf '{"model_type": "mistral", "num_attention_heads": 4, "rope_theta": 500.0, "rms_norm_eps": 1e-05, "sliding_window": 3}' \
    >"$scratch/llama/config.json"
# What changes numbers and is not computed is named: fields of config.json that are known, and those that sound so.
for field in '"attention_multiplier": 0.5' '"clip_qkv": 8' '"use_qk_norm": true' '"attention_sink_scale": 2' \
    '"pruned_heads": {"0": [1]}' '"no_rope_layers": [1]'; do
    printf '{"model_type": "llama", "num_attention_heads": 4, %s}' "$field" >"$scratch/llama/config.json"
    name=${field#?}
    check "a field that is not heeded: $field" try 1 print "$llama" --tensor output
    check 'is named' failed "${name%%\"*}: "
done
for field in '"attention_dropout": 0.1' '"clip_qkv": null' '"use_qk_norm": false' '"attention_bias": true' \
    '"rope_scaling": {"type": "dynamic", "factor": 2}'; do
    printf '{"model_type": "llama", "num_attention_heads": 4, %s}' "$field" >"$scratch/llama/config.json"
    check "a field that changes no number here: $field" try 0 print "$llama" --tensor output
done
printf 'not JSON' >"$scratch/llama/config.json"
check 'what is no JSON' try 1 print "$llama"
check 'is told of at its place' failed 'config.json:1:3: this is not JSON'
printf '{"text_config": {"model_type": "llama", "num_attention_heads": 4, "rope_theta": 500.0}}' >"$scratch/llama/config.json"
check 'of several parts that of the layer counts' try 0 open "$llama" --save "$scratch/llama/part.yaml"
check 'with its numbers' grep -qx '  rope: 500' "$scratch/llama/part.yaml"
printf '{"model_type": "gpt2", "n_head": 4}' >"$scratch/llama/config.json"
check 'a model whose weights have other names' try 1 print "$llama"
check 'is told of too' failed 'but its layers have the names of LLaMA'
check '--as names a model' try 1 open "$llama" --layer 0 --as nothing
check 'that there is' failed "unknown model 'nothing'"
printf '{"model_type": "mistral", "num_attention_heads": 4, "rope_theta": 500.0, "rms_norm_eps": 1e-05, "sliding_window": 3}' \
    >"$scratch/llama/config.json"
check 'config.json says the rest' try 0 open "$llama" --save "$scratch/llama/my.yaml"
for line in '  kv_heads: 2' '  rms_norm: true' '  norm_epsilon: 1e-05' '  residual: true' '  mask: causal' \
    '  rope: 500' '  window: 3'; do
    check "which is written:$line" grep -qx -- "$line" "$scratch/llama/my.yaml"
done
check 'and runs' try 0 print "$scratch/llama/my.yaml" --tensor output_residual
check 'a scenario elsewhere' try 0 open "$model" --save "$scratch/else/my.yaml"
check 'under a name with a space' try 0 open "$model" --save "$scratch/else/my own.yaml"
check 'which the command that opens it has in quotes' said "attnscope trace '$scratch/else/my own.yaml'"
check 'finds the file' try 0 print "$scratch/else/my.yaml" --tensor output

models=$layouts/../models
check 'whole layers are opened' try 0 open "$models/gpt2/model.npz" --layers 2 --ids '3, 17 0'
check 'from the embedding on' said 'learned_position'
check 'to the end of the last' said 'layer1.ff_output ='
check 'for the tokens that were given' said 'input_ids            (B, L) = (1, 3)'
check 'an id below 0' try 1 print "$models/gpt2/model.npz#0" --set weights.layers=1 --set 'input.ids=[[3, -1]]'
check 'is not padding, where a model has none' failed 'token id -1 is outside the vocabulary of 24'
check 'what their heads look at is listed' try 0 open "$models/gpt2/model.npz" --layers 2 --answer
check 'on tokens that come again' said 'what came after the token the last time'
# Every head of all layers, with its two scores. A whole model has an answer: shares add up to it.
lists_heads() {
    "$attnscope" open "$models/gpt2/model.npz" --layers 3 --answer --format json >"$scratch/heads.json" &&
        python3 - "$scratch/heads.json" <<'END_OF_PYTHON'
import json, sys
told = json.load(open(sys.argv[1]))
heads = sorted(row["head"] for row in told["looks"])
assert heads == [f"{layer}.{head}" for layer in range(3) for head in range(len(heads) // 3)], heads
assert all(0 <= row[score] <= 1 for row in told["looks"] for score in ("before", "after"))
assert [row["after"] for row in told["looks"]] == sorted((row["after"] for row in told["looks"]), reverse=True)
assert abs(sum(row["share"] for row in told["shares"]) - told["answer"]["logit"]) < 1e-5, told["answer"]
assert told["answer"]["place"] == 11 and len(told["without"]) == len(heads) and len(told["path"]) == 2
END_OF_PYTHON
}
check 'and as JSON' lists_heads
unsaid_of_two() { try 0 open "$models/gpt2/model.npz" --layers 2 --answer && ! said 'answer "'; }
check 'the first layers alone have none' unsaid_of_two
check 'which is a form of the answer alone' try 2 open "$models/gpt2/model.npz" --layers 2 --format json
check 'of whole layers alone' try 2 open "$models/gpt2/model.npz" --answer
check 'they are saved as well' try 0 open "$models/bert/model.npz" --layers 2 --ids 4 --save "$scratch/bert.yaml"
for line in '  ids: [[4]]' '  layers: 2' '  post_norm: true' '  feed_forward: 48' '  norm_epsilon: 1e-12'; do
    check "with what they are:$line" grep -Fqx -- "$line" "$scratch/bert.yaml"
done
check 'and run' try 0 print "$scratch/bert.yaml" --tensor layer1.output_normed
# Thirteen layers, of which those after the second are copies of it.
mkdir "$scratch/tall"
sed 's/"num_hidden_layers": 2/"num_hidden_layers": 13/' "$models/bert/config.json" >"$scratch/tall/config.json"
python3 - "$models/bert/model.npz" "$scratch/tall/model.npz" <<'END_OF_PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as given, zipfile.ZipFile(sys.argv[2], "w") as made:
    for name in given.namelist():
        made.writestr(name, given.read(name))
        for number in range(2, 13) if ".layer.1." in name else ():
            made.writestr(name.replace(".layer.1.", f".layer.{number}."), given.read(name))
END_OF_PYTHON
check 'more layers than there are' try 1 open "$models/bert/model.npz" --layers 3
check 'are refused, with those that there are' failed \
    'the file has attention layers 0 to 1, 2 in all: from layer 0 on, layers is at most 2, not 3'
check 'and so are more than run at once' try 1 open "$scratch/tall/model.npz" --layers 13
check 'with how many that is' failed 'at most 12 layers run at once, not 13; layer selects the first one'
check 'as many do as GPT-2 has' try 0 open "$scratch/tall/model.npz" --layers 12 --layer 1 --ids '3 17'
check 'to the end of the twelfth' said '11.output_normed ='
check "one's own sentence goes in" try 0 open "$models/bert" --layers 2 --text 'She gave him books.'
check 'as the tokenizer beside it cuts it' said '8 tokens: [CLS]=2 she=9 gave=10 him=11 book=13 ##s=14 .=15 [SEP]=3'
check 'in pairs of bytes as well' try 0 open "$models/gpt2" --text 'low 안'
check 'which are shown as text' said '3 tokens: low=8 ·=5 안=21'
check 'a saved scenario keeps both' try 0 open "$models/gpt2" --text 'low lower' --save "$scratch/own.yaml"
check 'and is opened with them' try 0 print "$scratch/own.yaml" --stage embed
check 'also with another sentence' try 0 print "$scratch/own.yaml" --text 'new' --tensor input_ids
check 'whose tokens are its own' said '[[11,'
check 'a token that no bytes make' try 1 open "$models/gpt2" --text 'z'
check 'is named' failed "lacks the token 'z'"
check 'text and ids' try 2 open "$models/gpt2" --text low --ids 3
check 'a folder without weights' try 1 open "$models" --text low
check 'is told of' failed 'has no weights file with a usual name'
mkdir "$scratch/bare"
cp "$models/gpt2/model.npz" "$models/gpt2/config.json" "$scratch/bare"
check 'no tokenizer beside the file' try 1 open "$scratch/bare" --text low
check 'says what it would be' failed 'no vocab.txt (BERT) and no merges.txt'
check 'ids are numbers' try 2 open "$models/gpt2/model.npz" --layers 1 --ids 'the cat'
check 'and said to be' failed "--ids needs --layers and a list of token ids"
check 'and go with whole layers' try 2 open "$models/gpt2/model.npz" --layer 1 --ids 3
check 'what stands around attention is not known of all' \
    try 1 open "$layouts/llms_from_scratch.npz" --heads 2 --layers 1
check 'which is said' failed 'are unknown; remove layers'
check 'the small LLaMA of the lectures is this one' \
    cmp -s "$models/llama/model.npz" "$layouts/../../../lessons/scenarios/small-llama.npz"
check 'a LLaMA goes through its gate' try 0 open "$models/llama" --layers 2 --ids '3 17 0'
check 'to the norm behind its last layer' said 'final_normed ='
check 'of fewer layers' try 0 open "$models/llama" --layers 1 --ids '3 17 0'
check 'the end is that of the last of them' said 'ff_output ='
check 'and no norm' unsaid 'final_normed ='
check 'so it is with GPT-2' try 0 open "$models/gpt2/model.npz" --layers 1 --layer 2 --ids 3
check 'whose last layer has one too' said 'layer_norm final'
check 'a LLaMA is saved' try 0 open "$models/llama" --layers 2 --ids 4 --save "$scratch/whole-llama.yaml"
for line in '  d_k: 4' '  kv_heads: 2' '  rms_norm: true' '  feed_forward: 20' '  gated: true' '  rope: 500' \
    '  norm_epsilon: 1e-05'; do
    check "as what it is:$line" grep -Fqx -- "$line" "$scratch/whole-llama.yaml"
done
check 'and run' try 0 print "$scratch/whole-llama.yaml" --tensor final_normed
mkdir "$scratch/normless"
cp "$models/llama/config.json" "$scratch/normless"
python3 - "$models/llama/model.npz" "$scratch/normless/model.npz" <<'END_OF_PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as given, zipfile.ZipFile(sys.argv[2], "w") as made:
    for name in given.namelist():
        if name != "model.norm.weight.npy":
            made.writestr(name, given.read(name))
        if name == "model.embed_tokens.weight.npy":
            made.writestr("lm_head.weight.npy", given.read(name))
END_OF_PYTHON
check 'without the norm before its readout' try 1 open "$scratch/normless" --layers 2 --ids '3 17 0' --answer
check 'it is not run' failed "has no tensor named 'model.norm.weight'"
check 'nor without an answer' try 1 open "$scratch/normless" --layers 2 --ids '3 17 0'
check 'for the same reason' failed "has no tensor named 'model.norm.weight'"
check 'layers before the norm are' try 0 open "$scratch/normless" --layers 1 --ids '3 17 0'
mkdir "$scratch/relu"
cp "$models/gpt2/model.npz" "$scratch/relu"
printf '{"n_head": 4, "activation_function": "laplace"}' >"$scratch/relu/config.json"
check 'a model with another function' try 1 open "$scratch/relu/model.npz" --layers 1
check 'is another model' failed "config.json has 'laplace' in the feed-forward, not gelu_new"
printf '{"n_head": 4, "activation_function": "relu"}' >"$scratch/relu/config.json"
check 'one that is known is heeded' try 0 open "$scratch/relu/model.npz" --layers 1
check 'by a stage' said 'relu(x)'
# Tensors of the layer that have no place in it.
python3 - "$scratch" <<'END_OF_PYTHON'
import json, os, struct, sys
def write(name, shapes):
    header, at = {}, 0
    for key, shape in shapes.items():
        size = 4
        for length in shape:
            size *= length
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    os.makedirs(os.path.join(sys.argv[1], name))
    with open(os.path.join(sys.argv[1], name, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes(at))
whole = {"in_proj_weight": [12, 4], "in_proj_bias": [12], "out_proj.weight": [4, 4], "out_proj.bias": [4]}
write("bias_kv", {**whole, "bias_k": [1, 1, 4], "bias_v": [1, 1, 4]})
kdim = {"q_proj_weight": [4, 4], "k_proj_weight": [4, 6], "v_proj_weight": [4, 6], "out_proj.weight": [4, 4]}
write("kdim", kdim)
write("vdim", {**kdim, "v_proj_weight": [4, 5]})
block = {"blocks.0.attn." + name: shape for name, shape in
         {"qkv.weight": [12, 4], "proj.weight": [4, 4]}.items()}
write("swin", {**block, "blocks.0.attn.relative_position_bias_table": [9, 2]})
write("normed", {**block, "blocks.0.attn.q_norm.weight": [2]})
write("spare", {**block, "blocks.0.attn.num_batches_tracked": [], "blocks.0.attn.causal_mask": [5, 5]})
pairs = {"layers.0.%s.%s" % (which, name): shape for which in ("self_attn", "multihead_attn") for name, shape in whole.items()}
write("decoder", pairs)
write("odd", {"layers.0.multihead_attn.%s" % name: shape for name, shape in whole.items()})
vit = {"encoder.layer.%d.attention.%s" % (i, name): [4, 4] for i in range(2) for name in
       ("attention.query.weight", "attention.key.weight", "attention.value.weight", "output.dense.weight")}
write("two_kinds", {**vit, "decoder.h.0.attn.c_attn.weight": [4, 12], "decoder.h.0.attn.c_proj.weight": [4, 4]})
END_OF_PYTHON
check 'layers of two kinds' try 0 open "$scratch/two_kinds"
check 'are listed' said 'weight names of GPT-2 (Conv1D: transposed and fused); 3 attention layers, 10 tensors'
check 'with the name of the second kind' said '--layer 2   encoder.layer.1.attention.  ViT'
check 'which is opened' try 0 open "$scratch/two_kinds" --heads 2 --layer 2 --save "$scratch/second.yaml"
check 'by its number in its kind' grep -qx '  layer: 1' "$scratch/second.yaml"
check 'as what it is' try 0 print "$scratch/second.yaml" --tensor output
check 'a key that is appended is used' try 0 open "$scratch/bias_kv" --heads 2 --layer 0
check 'and shown' said 'append_bias k'
for folder in swin:relative_position_bias_table normed:q_norm.weight; do
    check "a tensor that is not computed with: $folder" try 1 open "$scratch/${folder%:*}" --heads 2 --layer 0
    check 'is named' failed "the tensor "
    check 'by its name' failed "${folder#*:}"
done
check 'keys of another width' try 0 open "$scratch/kdim"
check 'are those of cross-attention' said '  (cross-attention)'
check 'and come from elsewhere' try 0 open "$scratch/kdim" --heads 2 --layer 0
check 'beside queries' said 'x_query '
check 'values of a third width are refused' try 1 open "$scratch/vdim" --heads 2 --layer 0
check 'with both widths' failed 'keys are made from 6 numbers per token and values from 5'
check 'buffers change nothing' try 0 open "$scratch/spare" --heads 2 --layer 0
check 'cross-attention is listed as that' try 0 open "$scratch/decoder"
check 'beside the other' said '  (cross-attention)'
check 'and has queries of its own' try 0 open "$scratch/decoder" --heads 2 --layer 0
check 'as an input' said 'x_query '
check 'a name alone makes no cross-attention' try 0 open "$scratch/odd" --heads 2 --layer 0
check 'but one input' unsaid 'x_query '

cat >"$scratch/fewer.yaml" <<'END_OF_YAML'
input: {vectors: {randn: [1, 5, 4]}, query_vectors: {randn: [1, 2, 4]}}
model: {d_model: 4}
weights: {manual_seed: 1, draw: [x, x_query, q_proj, k_proj, v_proj, out_proj]}
attention: {mask: causal}
END_OF_YAML
check 'one stage alone' try 0 print "$scratch/fewer.yaml" --stage mask
check 'is not without what was assumed' failed 'query i is assumed to be at key i'
check 'what is no layer is refused' try 1 open "$layouts/io.safetensors"
check 'with what is in it' failed 'no known attention layer in its 10 tensors'
check 'what is not there is refused' try 1 open "$scratch/nowhere.pt"
check 'as other files are' failed 'cannot open'
echo "1..$checks"
