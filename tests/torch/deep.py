"""60 random models of two to four layers against PyTorch: deep.py ATTNSCOPE prints TAP.

Each has an embedding, layers of attention that add to the residual stream, and a readout; heads, widths, biases,
positions, masks and blocks of an online softmax are drawn at random. Held to PyTorch are logits, loss and all
gradients, three times over with the weights that torch.optim.AdamW makes of them, and each part's share of the
logits. Held to itself, by its bits: shares add up to the logit, and a cache changes nothing. Then the model
writes, and takes the token that PyTorch finds likeliest.

Behind them come 30 models of whole layers as LLaMA, GPT-2 and BERT have them, with norms and feed-forward: the
gradients of all their weights, for half the sum of squares of what the last layer makes.
"""
import math
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    import torch.nn.functional as F
except ImportError:
    print("1..0 # SKIP PyTorch is not here: pip install torch installs it")
    sys.exit(0)

from gradients import read

MODELS, WHOLE, WITHIN, WRITTEN = 60, 30, 4e-6, 5  # WITHIN for each layer
PARTS = ("q_proj", "k_proj", "v_proj", "out_proj")


def draw(chance):
    """A model as a dictionary."""
    heads, width = chance.randint(1, 3), 2 * chance.randint(1, 3)
    return {
        "layers": chance.choice([2, 3, 3, 3, 4]),
        "heads": heads,
        "d_k": width,
        "length": chance.randint(2, 9),
        "batch": chance.choice([1, 1, 2, 3]),
        "words": chance.randint(4, 11),
        "rope": chance.choice([None, 10000, 100]),
        "neighbours": chance.choice([True, False]),
        "position": chance.choice(["none", "sinusoidal"]),
        "bias": chance.choice([True, False]),
        "scale": chance.choice(["sqrt_d_k", "sqrt_d_k", "d_k"]),
        "causal": chance.choice([True, True, False]),
        "block": chance.choice([None, None, 2, 3]),
        "seed": chance.randint(0, 10**6),
    }


def text_of(model, ids, answers):
    listed = [[token if token >= 0 else "~" for token in row] for row in answers.tolist()]
    lines = ["input:", "  ids: %s" % ids.tolist(), ("  targets: {next: %s}" % listed).replace("'", "")]
    lines += ["model:", "  vocabulary: %d" % model["words"], "  questions: [next]", "  residual: true"]
    lines += ["  d_model: %d" % (model["heads"] * model["d_k"]), "  heads: %d" % model["heads"]]
    lines += ["  position: %s" % model["position"]]
    lines += ["weights: {file: w.npz, layout: proj, layers: %d}" % model["layers"], "attention:"]
    lines += ["  mask: %s" % ("causal" if model["causal"] else "none"), "  scale: %s" % model["scale"]]
    if model["rope"]:
        lines += ["  rope: %d" % model["rope"], "  rope_neighbours: %s" % str(model["neighbours"]).lower()]
    lines += ["  softmax_block: %d" % model["block"]] if model["block"] else []
    return "\n".join(lines) + "\n"


def weights_of(model):
    torch.manual_seed(model["seed"])
    width = model["heads"] * model["d_k"]
    found = {"embedding.weight": torch.randn(model["words"], width)}
    for n in range(model["layers"]):
        for part in PARTS:
            found["layers.%d.%s.weight" % (n, part)] = torch.randn(width, width) / math.sqrt(width)
            if model["bias"]:
                found["layers.%d.%s.bias" % (n, part)] = torch.randn(width) / 4
    found["readout.weight"] = torch.randn(1, model["words"], width) / math.sqrt(width)
    return found


def turned(model, x):
    if not model["rope"]:
        return x
    width, half = x.shape[-1], x.shape[-1] // 2
    frequency = model["rope"] ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    angle = torch.arange(x.shape[-2], dtype=x.dtype)[:, None] * frequency
    cos, sin = angle.cos(), angle.sin()
    a, b = (x[..., 0::2], x[..., 1::2]) if model["neighbours"] else (x[..., :half], x[..., half:])
    first, second = a * cos - b * sin, b * cos + a * sin
    return torch.stack((first, second), -1).flatten(-2) if model["neighbours"] else torch.cat((first, second), -1)


def positions(length, width, dtype):
    angle = torch.arange(length, dtype=dtype)[:, None] * torch.exp(
        -math.log(10000.0) * torch.arange(0, width, 2, dtype=dtype) / width)
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(-2)


def run(model, weights, ids):
    """The logits [B, L, V], and what each part adds to the stream [P, B, L, D]."""
    heads, width, dtype = model["heads"], model["d_k"], weights["readout.weight"].dtype
    x = weights["embedding.weight"][ids]
    if model["position"] == "sinusoidal":
        x = x + positions(ids.shape[1], heads * width, dtype)
    divisor = width if model["scale"] == "d_k" else math.sqrt(width)
    parts = [x]
    for n in range(model["layers"]):
        def linear(part, rows):
            name = "layers.%d.%s." % (n, part)
            return F.linear(rows, weights[name + "weight"], weights.get(name + "bias"))

        q, k, v = (linear(part, x).unflatten(-1, (heads, width)).transpose(1, 2) for part in PARTS[:3])
        scores = turned(model, q) @ turned(model, k).transpose(-2, -1) / divisor
        if model["causal"]:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
        context = scores.softmax(-1) @ v
        columns = weights["layers.%d.out_proj.weight" % n].unflatten(1, (heads, width))
        parts += [context[:, h] @ columns[:, h].T for h in range(heads)]
        if model["bias"]:
            parts.append(weights["layers.%d.out_proj.bias" % n].expand_as(x))
        x = x + linear("out_proj", context.transpose(1, 2).flatten(-2))
    return F.linear(x, weights["readout.weight"][0]), torch.stack(parts)


def loss_of(model, weights, ids, answers):
    logits = run(model, weights, ids)[0]
    return F.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=-1)


def ours(name):
    """layers.1.q_proj.weight is layer1.q_proj.weight, layers.0.q_proj.weight is q_proj.weight."""
    return name.replace("layers.0.", "").replace("layers.", "layer")


class Program:
    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words):
        ended = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
        if ended.returncode != 0:
            raise ValueError(ended.stderr.strip())
        return ended.stdout

    def export(self, *sets):
        words = [word for pair in sets for word in ("--set", pair)]
        self.call("export", self.path("s.yaml"), self.path("s.safetensors"), *words)
        return read(self.path("s.safetensors"))


def expect(what, have, exact, rough, within, least=0.0):
    """Within that part of the largest number, or six times what float32 costs PyTorch.

    Sums in one stated order round more often than its own, in blocks. The largest difference drawn so far was 4.4
    times PyTorch's; in float64 the same steps (print --exact) agreed with it within 1e-14.
    """
    exact, rough = exact.detach().double(), rough.detach().double()
    if not torch.isfinite(have).all() or have.numel() != exact.numel():
        raise ValueError("%s has another shape, or NaN" % what)
    off = (have.reshape(exact.shape) - exact).abs().max().item()
    may = max(within * max(exact.abs().max().item(), least), 6 * (exact - rough).abs().max().item())
    if off > may:
        raise ValueError("%s differs by %.1e, and may by %.1e" % (what, off, may))


def learn(program, model, weights, ids, answers):
    """Logits, loss and gradients, with three steps of AdamW; the weights behind them."""
    learned = {name: weight.clone().requires_grad_(True) for name, weight in weights.items()}
    within = WITHIN * model["layers"]
    optimizer = torch.optim.AdamW(learned.values(), lr=1e-2, betas=(0.9, 0.98), weight_decay=0.1)
    for _ in range(3):
        numpy.savez(program.path("w.npz"), **{name: weight.detach().numpy() for name, weight in learned.items()})
        found = program.export("backward=true")
        double = {name: weight.detach().double().requires_grad_(True) for name, weight in learned.items()}
        exact, rough = loss_of(model, double, ids, answers), loss_of(model, learned, ids, answers)
        expect("logits", found["logits"], run(model, double, ids)[0], run(model, learned, ids)[0], within)
        expect("loss", found["loss"], exact.reshape(1), rough.reshape(1), within)
        exact.backward()
        optimizer.zero_grad()
        rough.backward()
        # Softmax makes a gradient of queries and keys a difference of sums that may be alike, and is 0 for a bias of
        # keys: what is off is held to a tenth of the largest gradient.
        least = max(weight.grad.abs().max().item() for weight in double.values()) / 10
        for name, weight in learned.items():
            expect("grad." + name, found["grad." + ours(name)], double[name].grad, weight.grad, within, least)
        optimizer.step()
    return {name: weight.detach() for name, weight in learned.items()}


def share(program, model, weights, ids):
    found = program.export("model.parts=true")
    double = {name: weight.double() for name, weight in weights.items()}
    shares = [torch.einsum("pbld,wd->blpw", run(model, some, ids)[1], some["readout.weight"][0])
              for some in (double, weights)]
    expect("part_logits", found["part_logits"], *shares, WITHIN * model["layers"])
    if not torch.equal(found["attributed"], found["logits"]):
        raise ValueError("shares do not add up to the logit's bits")


def write(program, model, weights, ids):
    """A cache changes no bit; the likeliest token is PyTorch's, where the second is not as likely."""
    whole, cached = program.export(), program.export("attention.cached=%d" % (ids.shape[1] - 1))
    if not torch.equal(cached["logits"].flatten(), whole["logits"][:, :, -1].flatten()):
        raise ValueError("the cache changes the last token's logits")
    told = program.call("write", "--ids", ", ".join(map(str, ids[0].tolist())), program.path("s.yaml"),
                        "--tokens", str(WRITTEN))
    text = ids[:1]
    for line in told.splitlines()[2:2 + WRITTEN]:
        token, logits = int(line.split()[0]), run(model, weights, text)[0][0, -1]
        if logits[token] < logits.max() - 1e-4:
            raise ValueError("%d is written where %d is likeliest" % (token, logits.argmax()))
        text = torch.cat((text, torch.tensor([[token]])), 1)
    if "have the same bits" not in told:
        raise ValueError("the text that was written has other bits without the cache")


def try_one(program, model):
    ids = torch.randint(0, model["words"], (model["batch"], model["length"]))
    answers = torch.roll(ids, -1, 1)
    answers[:, -1] = -1
    with open(program.path("s.yaml"), "w") as file:
        file.write(text_of(model, ids, answers))
    weights = learn(program, model, weights_of(model), ids, answers)
    numpy.savez(program.path("w.npz"), **{name: weight.numpy() for name, weight in weights.items()})
    share(program, model, weights, ids)
    if model["causal"] and not model["block"] and model["batch"] == 1:
        write(program, model, weights, ids)


# What whole layers are called in files: our name, theirs, and whether GPT-2 turns the matrix round.
NAMES = {
    "llama": ("model.", "model.layers.%d.", {
        "norm": "input_layernorm", "norm_2": "post_attention_layernorm", "q_proj": "self_attn.q_proj",
        "k_proj": "self_attn.k_proj", "v_proj": "self_attn.v_proj", "out_proj": "self_attn.o_proj",
        "gate": "mlp.gate_proj", "expand": "mlp.up_proj", "contract": "mlp.down_proj"}),
    "gpt2": ("", "h.%d.", {
        "norm": "ln_1", "norm_2": "ln_2", "out_proj": "attn.c_proj", "expand": "mlp.c_fc", "contract": "mlp.c_proj"}),
    "bert": ("", "encoder.layer.%d.", {
        "norm": "attention.output.LayerNorm", "norm_2": "output.LayerNorm", "q_proj": "attention.self.query",
        "k_proj": "attention.self.key", "v_proj": "attention.self.value", "out_proj": "attention.output.dense",
        "expand": "intermediate.dense", "contract": "output.dense"}),
}
AROUND = {
    "llama": {"embedding": "embed_tokens", "final_norm": "norm"},
    "gpt2": {"embedding": "wte", "position": "wpe", "final_norm": "ln_f"},
    "bert": {"embedding": "embeddings.word_embeddings", "position": "embeddings.position_embeddings",
             "embedding_norm": "embeddings.LayerNorm"},
}


def draw_whole(chance):
    heads, width = chance.randint(1, 3), 2 * chance.randint(2, 4)
    kind = chance.choice(list(NAMES))
    fewer = [groups for groups in range(1, heads + 1) if heads % groups == 0]
    return {
        "kind": kind, "layers": chance.randint(2, 4), "heads": heads, "d_k": width, "words": chance.randint(4, 11),
        "groups": chance.choice(fewer) if kind == "llama" else heads, "length": chance.randint(2, 7),
        "batch": chance.choice([1, 1, 2]), "inside": chance.randint(3, 12), "causal": kind != "bert",
        "seed": chance.randint(0, 10**6),
    }


def whole_weights(model):
    """By our names."""
    torch.manual_seed(model["seed"])
    width, shared, has_bias = model["heads"] * model["d_k"], model["groups"] * model["d_k"], model["kind"] != "llama"
    found = {"embedding.weight": torch.randn(model["words"], width)}

    def add(name, *shape):
        is_norm = len(shape) == 1
        found[name + ".weight"] = 1 + torch.randn(*shape) / 4 if is_norm else torch.randn(*shape) / shape[1] ** 0.5
        if has_bias:
            found[name + ".bias"] = torch.randn(shape[0]) / 4

    if "position" in AROUND[model["kind"]]:
        found["position.weight"] = torch.randn(model["length"] + 1, width)
    add("embedding_norm" if model["kind"] == "bert" else "final_norm", width)
    for n in range(model["layers"]):
        sizes = {"norm": [width], "norm_2": [width], "q_proj": [width, width], "k_proj": [shared, width],
                 "v_proj": [shared, width], "out_proj": [width, width], "expand": [model["inside"], width],
                 "contract": [width, model["inside"]]}
        sizes.update({"gate": [model["inside"], width]} if model["kind"] == "llama" else {})
        for part, shape in sizes.items():
            add(ours("layers.%d.%s" % (n, part)), *shape)
    return found


def whole_file(model, weights):
    """By the names of their files."""
    before, layer, parts = NAMES[model["kind"]]
    found = {before + theirs + name[len(own):]: weight for own, theirs in AROUND[model["kind"]].items()
             for name, weight in weights.items() if name.split(".")[0] == own}
    for n in range(model["layers"]):
        own = ours("layers.%d." % n)
        for part, theirs in parts.items():
            for kind in (".weight", ".bias"):
                if own + part + kind in weights:
                    found[layer % n + theirs + kind] = weights[own + part + kind]
        if model["kind"] == "gpt2":
            for kind in (".weight", ".bias"):
                found[layer % n + "attn.c_attn" + kind] = torch.cat([weights[own + part + kind] for part in PARTS[:3]])
            for part in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"):
                found[layer % n + part + ".weight"] = found[layer % n + part + ".weight"].T.contiguous()
    if model["kind"] == "bert":
        found["embeddings.token_type_embeddings.weight"] = torch.zeros(2, model["heads"] * model["d_k"])
    return {name: weight.numpy() for name, weight in found.items()}


def whole_text(model, ids):
    norm, bend = {"llama": ("rms_norm", "gated"), "gpt2": ("layer_norm", "gelu_tanh"),
                  "bert": ("layer_norm", "post_norm")}[model["kind"]]
    lines = ["input: {ids: %s}" % ids.tolist(), "model:", "  vocabulary: %d" % model["words"]]
    lines += ["  d_model: %d" % (model["heads"] * model["d_k"]), "  heads: %d" % model["heads"]]
    lines += ["  kv_heads: %d" % model["groups"]] if model["kind"] == "llama" else ["  position: learned"]
    lines += ["  residual: true", "  feed_forward: %d" % model["inside"], "  %s: true" % norm, "  %s: true" % bend]
    lines += ["weights: {file: w.npz, layout: %s, layers: %d}" % (model["kind"], model["layers"])]
    lines += ["attention:", "  mask: %s" % ("causal" if model["causal"] else "none")]
    lines += ["  rope: 10000"] if model["kind"] == "llama" else []
    return "\n".join(lines) + "\nbackward: true\n"


def run_whole(model, weights, ids):
    heads, width, kind = model["heads"], model["d_k"], model["kind"]

    def linear(name, rows):
        return F.linear(rows, weights[name + ".weight"], weights.get(name + ".bias"))

    def norm(name, x):
        weight = weights[name + ".weight"]
        if kind == "llama":
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight
        return F.layer_norm(x, x.shape[-1:], weight, weights[name + ".bias"])

    def attend(own, x):
        q, k, v = (linear(own + part, x).unflatten(-1, (-1, width)).transpose(1, 2) for part in PARTS[:3])
        if kind == "llama":
            q, k = (turned({"rope": 10000, "neighbours": False}, rows) for rows in (q, k))
            k, v = (rows.repeat_interleave(heads // model["groups"], 1) for rows in (k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(width)
        if model["causal"]:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
        return linear(own + "out_proj", (scores.softmax(-1) @ v).transpose(1, 2).flatten(-2))

    def feed(own, x):
        inside = linear(own + "expand", x)
        if kind == "llama":
            return linear(own + "contract", F.silu(linear(own + "gate", x)) * inside)
        return linear(own + "contract", F.gelu(inside, approximate="tanh" if kind == "gpt2" else "none"))

    x = weights["embedding.weight"][ids]
    x = x + weights["position.weight"][: ids.shape[1]] if kind != "llama" else x
    x = norm("embedding_norm", x) if kind == "bert" else x
    for n in range(model["layers"]):
        own = ours("layers.%d." % n)
        if kind == "bert":
            x = norm(own + "norm", x + attend(own, x))
            x = norm(own + "norm_2", x + feed(own, x))
        else:
            x = x + attend(own, norm(own + "norm", x))
            x = x + feed(own, norm(own + "norm_2", x))
    return x if kind == "bert" else norm("final_norm", x)


def try_whole(program, model):
    ids = torch.randint(0, model["words"], (model["batch"], model["length"]))
    drawn = whole_weights(model)
    numpy.savez(program.path("w.npz"), **whole_file(model, drawn))
    with open(program.path("s.yaml"), "w") as file:
        file.write(whole_text(model, ids))
    found, grads = program.export(), []
    for dtype in (torch.float64, torch.float32):
        leaves = {name: weight.to(dtype).requires_grad_(True) for name, weight in drawn.items()}
        (run_whole(model, leaves, ids).square().sum() / 2).backward()
        grads.append({name: leaf.grad for name, leaf in leaves.items()})
    exact, rough = grads
    least = max(grad.abs().max().item() for grad in exact.values()) / 10  # as in learn
    for name in drawn:
        expect("grad." + name, found["grad." + name], exact[name], rough[name], WITHIN * model["layers"], least)


def main():
    chance, failed = random.Random(35), 0
    print("1..%d" % (MODELS + WHOLE))
    with tempfile.TemporaryDirectory() as folder:
        program = Program(folder)
        for number in range(1, MODELS + WHOLE + 1):
            is_whole = number > MODELS
            model = draw_whole(chance) if is_whole else draw(chance)
            try:
                (try_whole if is_whole else try_one)(program, model)
                wrong = ""
            except ValueError as error:
                wrong = str(error)
            failed += wrong != ""
            print("%sok %d - %s" % ("not " if wrong else "", number, wrong or "%d layers" % model["layers"]))
            if wrong:
                print("# %s" % model)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
