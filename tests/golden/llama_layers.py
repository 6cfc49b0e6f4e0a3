"""Writes models/llama/model.npz, its config.json and small/o_llama_layers.npz: two layers of a small LLaMA with
numbers drawn by Python, and what becomes of six tokens, as the paper's formulas have it.

    python3 llama_layers.py FOLDER

Plain Python in float64 and nothing else: neither PyTorch nor anything of attnscope. What is written is narrowed to
float32 at the end. Formulas: Touvron et al. 2023 (LLaMA), section 2.2; Zhang, Sennrich 2019 (RMS norm); Su et al.
2021 (rotary positions, pairs half a head apart); Shazeer 2020 (SwiGLU); Ainslie et al. 2023 (grouped queries).
"""
import io
import json
import math
import os
import random
import struct
import sys
import zipfile

WORDS, WIDTH, HEADS, GROUPS, D_K, INSIDE, LAYERS = 24, 12, 4, 2, 4, 20, 2
BASE, EPSILON = 500.0, 1e-5
IDS = [3, 17, 0, 9, 22, 5]


def narrow(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def flat(values):
    return [x for part in values for x in flat(part)] if isinstance(values, list) else [values]


def shape(values):
    return (len(values),) + shape(values[0]) if isinstance(values, list) else ()


def write(path, tensors):
    with zipfile.ZipFile(path, "w") as file:
        for name, values in tensors.items():
            whole = isinstance(flat(values)[0], int)
            about = f"{{'descr': '{'<i8' if whole else '<f4'}', 'fortran_order': False, 'shape': {shape(values)!r}, }}"
            about = about.ljust(117) + "\n" if len(about) < 118 else about
            numbers = flat(values)
            data = io.BytesIO()
            data.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(about)) + about.encode())
            data.write(struct.pack(f"<{len(numbers)}{'q' if whole else 'f'}", *numbers))
            file.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), data.getvalue())


def linear(rows, weight):
    return [[math.fsum(a * b for a, b in zip(row, column)) for column in weight] for row in rows]


def rms_norm(rows, weight):
    out = []
    for row in rows:
        root = math.sqrt(math.fsum(x * x for x in row) / len(row) + EPSILON)
        out.append([x / root * w for x, w in zip(row, weight)])
    return out


def heads_of(rows, count):
    return [[row[h * D_K:(h + 1) * D_K] for row in rows] for h in range(count)]


def rotate(heads):
    half, out = D_K // 2, []
    for head in heads:
        turned = []
        for place, row in enumerate(head):
            angles = [place * BASE ** (-2 * (i % half) / D_K) for i in range(D_K)]
            other = [-row[i + half] for i in range(half)] + [row[i - half] for i in range(half, D_K)]
            turned.append([row[i] * math.cos(angles[i]) + other[i] * math.sin(angles[i]) for i in range(D_K)])
        out.append(turned)
    return out


def softmax(row):
    top = max(row)
    powers = [math.exp(x - top) for x in row]
    return [p / math.fsum(powers) for p in powers]


def attention(q, k, v):
    weights, contexts = [], []
    for h in range(HEADS):
        group = h // (HEADS // GROUPS)
        rows = []
        for i, query in enumerate(q[h]):
            scores = [math.fsum(a * b for a, b in zip(query, key)) / math.sqrt(D_K) for key in k[group][:i + 1]]
            rows.append(softmax(scores) + [0.0] * (len(q[h]) - i - 1))
        weights.append(rows)
        contexts.append([[math.fsum(w * value[d] for w, value in zip(row, v[group])) for d in range(D_K)]
                         for row in rows])
    return weights, contexts


def add(a, b):
    return [[x + y for x, y in zip(p, q)] for p, q in zip(a, b)]


def layer(model, number, x, told):
    weight = {name: model[f"model.layers.{number}.{name}.weight"] for name in NAMES}
    name = (lambda word: f"layer{number}.{word}") if number else (lambda word: word)
    told[name("x_normed")] = normed = rms_norm(x, weight["input_layernorm"])
    q = rotate(heads_of(linear(normed, weight["self_attn.q_proj"]), HEADS))
    k = rotate(heads_of(linear(normed, weight["self_attn.k_proj"]), GROUPS))
    v = heads_of(linear(normed, weight["self_attn.v_proj"]), GROUPS)
    weights, contexts = attention(q, k, v)
    joined = [[n for h in range(HEADS) for n in contexts[h][i]] for i in range(len(x))]
    told[name("q_rotated")], told[name("k_rotated")] = q, k
    told[name("attn_weights")] = weights
    told[name("output")] = output = linear(joined, weight["self_attn.o_proj"])
    told[name("output_residual")] = behind = add(output, x)
    told[name("ff_normed")] = normed = rms_norm(behind, weight["post_attention_layernorm"])
    told[name("ff_gate")] = gate = linear(normed, weight["mlp.gate_proj"])
    told[name("ff_expanded")] = up = linear(normed, weight["mlp.up_proj"])
    told[name("ff_gated")] = gated = [[g / (1 + math.exp(-g)) * u for g, u in zip(p, r)] for p, r in zip(gate, up)]
    told[name("ff_contracted")] = down = linear(gated, weight["mlp.down_proj"])
    told[name("ff_output")] = out = add(down, behind)
    return out


NAMES = {
    "input_layernorm": (WIDTH,),
    "self_attn.q_proj": (HEADS * D_K, WIDTH),
    "self_attn.k_proj": (GROUPS * D_K, WIDTH),
    "self_attn.v_proj": (GROUPS * D_K, WIDTH),
    "self_attn.o_proj": (WIDTH, HEADS * D_K),
    "post_attention_layernorm": (WIDTH,),
    "mlp.gate_proj": (INSIDE, WIDTH),
    "mlp.up_proj": (INSIDE, WIDTH),
    "mlp.down_proj": (WIDTH, INSIDE),
}


def draw(generator, sides):
    if len(sides) == 1:  # a norm's: around 1
        return [narrow(1 + 0.2 * generator.gauss(0, 1)) for _ in range(sides[0])]
    return [[narrow(0.4 * generator.gauss(0, 1)) for _ in range(sides[1])] for _ in range(sides[0])]


def main(folder):
    generator = random.Random(2023)
    model = {"model.embed_tokens.weight": draw(generator, (WORDS, WIDTH))}
    for number in range(LAYERS):
        for name, sides in NAMES.items():
            model[f"model.layers.{number}.{name}.weight"] = draw(generator, sides)
    model["model.norm.weight"] = draw(generator, (WIDTH,))
    x, told = [model["model.embed_tokens.weight"][word] for word in IDS], {}
    for number in range(LAYERS):
        x = layer(model, number, x, told)
    told["final_normed"] = rms_norm(x, model["model.norm.weight"])
    os.makedirs(os.path.join(folder, "models/llama"), exist_ok=True)
    write(os.path.join(folder, "models/llama/model.npz"), model)
    with open(os.path.join(folder, "models/llama/config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_type": "llama", "num_attention_heads": HEADS, "num_key_value_heads": GROUPS,
                   "num_hidden_layers": LAYERS, "rope_theta": BASE, "rms_norm_eps": EPSILON,
                   "hidden_act": "silu", "tie_word_embeddings": True}, file, indent=1)
        file.write("\n")
    golden = {"input_ids": [IDS]}
    golden.update({"f32." + name: [values] for name, values in told.items()})
    write(os.path.join(folder, "small/o_llama_layers.npz"), golden)


main(sys.argv[1])
