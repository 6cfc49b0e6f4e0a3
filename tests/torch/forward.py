"""300 random scenarios and every form of a whole layer against PyTorch: forward.py ATTNSCOPE prints TAP.

Each scenario is a small file with a seed, sizes, masks, scales, positions and what newer layers have, drawn at
random. PyTorch draws the same weights after manual_seed, in float32, and computes the same attention. The
weights must be equal bit for bit, attention weights and output within 4e-6 of the largest element.

nn.MultiheadAttention: 200 of them, with biases or without, with keys that are appended (add_bias_kv,
add_zero_attn), keys of another width (kdim), cross-attention and masks of every kind. Their state_dict goes
through a .pt file. With what autograd says where gradients are asked for.

Whole layers: attention with feed-forward, with every choice of a norm (none, before, behind; layer norm or RMS
norm), residual, gate and cross-attention. Their weights go through a .npz file.
"""
import itertools
import math
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
except ImportError:
    print("1..0 # SKIP PyTorch is not here: pip install torch installs it")
    sys.exit(0)

from gradients import read

SCENARIOS, MODULES, WITHIN, VOCABULARY = 300, 200, 4e-6, 9


def draw(chance):
    """A scenario as a dictionary."""
    groups, share = chance.randint(1, 3), chance.choice([1, 1, 1, 2])
    width = chance.randint(1, 5)
    rope = chance.choice([None, None, 10000, 100])
    wanted = {
        "heads": groups * share,
        "groups": groups,
        "d_k": 2 * width if rope else width,
        "rope": rope,
        "neighbours": chance.choice([True, False]),
        "source": chance.choice(["ids", "ids", "vectors", "cross"]),
        "batch": chance.randint(1, 3),
        "length": chance.randint(1, 8),
        "queries": chance.randint(1, 6),
        "position": chance.choice(["none", "sinusoidal"]),
        "norm": chance.choice([None, None, "layer_norm", "rms_norm"]),
        "bias": chance.choice([True, False]),
        "out": chance.choice([True, False]),
        "scale": chance.choice(["sqrt_d_k", "sqrt_d_model", "d_k", "sqrt_heads", "none", "3.5"]),
        "softcap": chance.choice([None, None, 2.0]),
        "alibi": chance.choice([False, False, True]),
        "window": chance.choice([None, None, 2]),
        "masks": chance.choice([[], ["causal"], ["key_padding"], ["causal", "key_padding"]]),
        "seed": chance.randint(0, 10**6),
    }
    wanted["d_model"] = wanted["heads"] * wanted["d_k"]
    if wanted["d_model"] == 1:
        wanted["norm"] = None  # of a single number PyTorch's norm is what rounding leaves, not 0
    wanted["is_cross"] = wanted["source"] == "cross"
    if wanted["source"] == "ids":
        lengths = [chance.randint(1, wanted["length"]) for _ in range(wanted["batch"])]
        wanted["ids"] = [[chance.randrange(VOCABULARY) for _ in range(n)] for n in lengths]
    else:
        wanted["masks"] = [mask for mask in wanted["masks"] if mask == "causal"]
    if wanted["is_cross"]:
        masks = chance.choice([[], ["causal"]])
        wanted.update(masks=masks, rope=None, alibi=False, window=None, norm=None)
    wanted["align"] = chance.choice([None, "top_left", "bottom_right"]) if masks_causally(wanted) else None
    wanted["mask_file"] = draw_mask(chance, wanted) if chance.random() < 0.4 else None
    return wanted


def masks_causally(wanted):
    return "causal" in wanted["masks"]


def sizes(wanted):
    """How many sequences, queries and keys."""
    if wanted["source"] == "ids":
        longest = max(len(ids) for ids in wanted["ids"])
        return len(wanted["ids"]), longest, longest
    return wanted["batch"], wanted["queries" if wanted["is_cross"] else "length"], wanted["length"]


def draw_mask(chance, wanted):
    """Flags or numbers, of any shape that a mask can have; the first key is forbidden to nobody."""
    batch, queries, keys = sizes(wanted)
    heads = wanted["heads"]
    shape = chance.choice(
        [(queries, keys), (batch * heads, queries, keys), (batch, 1, queries, keys), (1, heads, 1, keys)]
    )
    kind = chance.choice(["flags", "numbers", "forbids"])
    values = {"flags": [True, False], "numbers": [0.0, -1.5, 2.25, -math.inf], "forbids": [0.0, -math.inf]}

    def of(shape):
        if shape:
            return [of(shape[1:]) for _ in range(shape[0])]
        return chance.choice(values[kind])

    mask = of(shape)

    def open_first(rows):
        if isinstance(rows[0], list):
            for row in rows:
                open_first(row)
        else:
            rows[0] = False if kind == "flags" else 0.0

    open_first(mask)
    return mask


def yaml_of(value):
    if isinstance(value, list):
        return "[" + ", ".join(yaml_of(item) for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return "-.inf" if value == -math.inf else repr(value)


def yes(wanted, key):
    return str(wanted[key]).lower()


def text_of(wanted):
    """The scenario file."""
    lines = ["input:"]
    drawn = ["q_proj", "k_proj", "v_proj"] + (["out_proj"] if wanted["out"] else [])
    if wanted["source"] == "ids":
        lines.append("  ids: %s" % wanted["ids"])
        drawn.insert(0, "embedding")
    else:
        lines.append("  vectors: {randn: [%(batch)d, %(length)d, %(d_model)d]}" % wanted)
        drawn.append("x")
    if wanted["is_cross"]:
        lines.append("  query_vectors: {randn: [%(batch)d, %(queries)d, %(d_model)d]}" % wanted)
        drawn.append("x_query")
    lines += ["model:", "  d_model: %(d_model)d" % wanted, "  heads: %(heads)d" % wanted]
    lines += ["  kv_heads: %(groups)d" % wanted, "  qkv_bias: " + yes(wanted, "bias")]
    lines += ["  out_bias: " + yes(wanted, "bias")] if wanted["out"] else ["  out_proj: false"]
    if wanted["source"] == "ids":
        lines += ["  vocabulary: %d" % VOCABULARY, "  position: %(position)s" % wanted]
    lines += ["  %(norm)s: true" % wanted] if wanted["norm"] else []
    lines += ["weights:", "  manual_seed: %(seed)d" % wanted, "  draw: [%s]" % ", ".join(drawn)]
    lines += ["attention:", "  scale: %(scale)s" % wanted]
    lines += ["  mask: [%s]" % ", ".join(wanted["masks"])] if wanted["masks"] else []
    lines += ["  causal_align: %(align)s" % wanted] if wanted["align"] else []
    lines += ["  mask_file: " + yaml_of(wanted["mask_file"])] if wanted["mask_file"] else []
    for key in ("softcap", "window", "rope"):
        lines += ["  %s: %s" % (key, wanted[key])] if wanted[key] else []
    lines += ["  rope_neighbours: true"] if wanted["rope"] and wanted["neighbours"] else []
    lines += ["  alibi: true"] if wanted["alibi"] else []
    return "\n".join(lines) + "\n"


def drawn_by_torch(wanted):
    """The modules and inputs, drawn in the file's order."""
    width, groups = wanted["d_model"], wanted["groups"] * wanted["d_k"]
    torch.manual_seed(wanted["seed"])
    found = {}
    if wanted["source"] == "ids":
        found["embedding"] = torch.nn.Embedding(VOCABULARY, width)
    for name, rows in (("q_proj", width), ("k_proj", groups), ("v_proj", groups)):
        found[name] = torch.nn.Linear(width, rows, bias=wanted["bias"])
    if wanted["out"]:
        found["out_proj"] = torch.nn.Linear(width, width, bias=wanted["bias"])
    if wanted["source"] != "ids":
        found["x"] = torch.randn(wanted["batch"], wanted["length"], width)
    if wanted["is_cross"]:
        found["x_query"] = torch.randn(wanted["batch"], wanted["queries"], width)
    return found


def positions(length, width):
    """Vaswani et al. 2017, section 3.5."""
    place = torch.arange(length, dtype=torch.float64)[:, None]
    column = torch.arange(width)
    angle = place / 10000.0 ** ((column // 2 * 2).double() / width)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


def turned(rows, wanted):
    """Rotary positions, of pairs side by side or half a head apart."""
    d_k, length = rows.shape[-1], rows.shape[-2]
    frequency = (1.0 / wanted["rope"] ** (torch.arange(0, d_k, 2).double() / d_k)).float()
    angle = torch.outer(torch.arange(length).float(), frequency).double()
    cosine, sine = angle.cos().float(), angle.sin().float()
    if wanted["neighbours"]:
        first, second = rows[..., 0::2], rows[..., 1::2]
    else:
        first, second = rows[..., : d_k // 2], rows[..., d_k // 2 :]
    pair = (first * cosine - second * sine, second * cosine + first * sine)
    if wanted["neighbours"]:
        return torch.stack(pair, dim=-1).flatten(-2)
    return torch.cat(pair, dim=-1)


def slopes(heads):
    """ALiBi's, as its paper's code has them."""

    def of_power(count):
        return [2.0 ** (-8.0 * (h + 1) / count) for h in range(count)]

    power = 2 ** int(math.log2(heads))
    return torch.tensor(of_power(power) + of_power(2 * power)[0::2][: heads - power])


def masked(wanted, queries, keys):
    """True where a key is forbidden; it broadcasts to the scores."""
    i, j = torch.arange(queries)[:, None], torch.arange(keys)[None, :]
    mask = torch.zeros(1, 1, queries, keys, dtype=torch.bool)
    if masks_causally(wanted):
        mask = mask | (j > i + (keys - queries if wanted["align"] == "bottom_right" else 0))
    if wanted["window"]:
        mask = mask | ((i - j).abs() >= wanted["window"])
    if "key_padding" in wanted["masks"]:
        lengths = torch.tensor([len(ids) for ids in wanted["ids"]])
        mask = mask | (j[None, None] >= lengths[:, None, None, None])
    return mask


def with_mask(scores, values):
    mask = torch.tensor(values)
    if mask.dim() == 3:
        mask = mask.view(scores.shape)
    return scores.masked_fill(mask, -math.inf) if mask.dtype == torch.bool else scores + mask


def normed(wanted, x):
    if wanted["norm"] == "layer_norm":
        return torch.nn.functional.layer_norm(x, x.shape[-1:])
    if wanted["norm"] == "rms_norm":
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
    return x


def input_of(wanted, found):
    if wanted["source"] != "ids":
        return found["x"]
    longest = max(len(ids) for ids in wanted["ids"])
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in wanted["ids"]])
    x = found["embedding"](ids)
    return x + positions(longest, wanted["d_model"]) if wanted["position"] == "sinusoidal" else x


def attention(wanted, found):
    """Multi-head attention in float32: its weights and its output."""
    x = normed(wanted, input_of(wanted, found))
    heads, d_k = wanted["heads"], wanted["d_k"]

    def parts(name, rows):
        made = found[name](rows)
        return made.view(made.shape[0], made.shape[1], -1, d_k).transpose(1, 2)

    q, k, v = parts("q_proj", found.get("x_query", x)), parts("k_proj", x), parts("v_proj", x)
    if wanted["rope"]:
        q, k = turned(q, wanted), turned(k, wanted)
    k, v = (rows.repeat_interleave(heads // wanted["groups"], dim=1) for rows in (k, v))
    divisors = {
        "sqrt_d_k": math.sqrt(d_k),
        "sqrt_d_model": math.sqrt(wanted["d_model"]),
        "d_k": d_k,
        "sqrt_heads": math.sqrt(heads),
        "none": 1.0,
        "3.5": 3.5,
    }
    scores = torch.matmul(q, k.transpose(-2, -1)) / divisors[wanted["scale"]]
    if wanted["softcap"]:
        scores = wanted["softcap"] * torch.tanh(scores / wanted["softcap"])
    if wanted["alibi"]:
        apart = torch.arange(scores.shape[-2])[:, None] - torch.arange(scores.shape[-1])[None, :]
        scores = scores - slopes(heads)[:, None, None] * apart.abs()
    if wanted["mask_file"]:
        scores = with_mask(scores, wanted["mask_file"])
    scores = scores.masked_fill(masked(wanted, scores.shape[-2], scores.shape[-1]), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    rows = torch.matmul(weights, v).transpose(1, 2).contiguous().flatten(2)
    return weights, found["out_proj"](rows) if wanted["out"] else rows


def apart(right, ours):
    """How far two tensors are apart, as a part of the largest element; NaN has its place."""
    ours = ours.reshape(right.shape)
    if not torch.equal(right.isnan(), ours.isnan()):
        return math.inf
    right, ours = right.nan_to_num().double(), ours.nan_to_num().double()
    return (right - ours).abs().max().item() / (right.abs().max().item() or 1.0)


def compare(wanted, tensors):
    """What is wrong; "" where nothing is. And the largest difference."""
    found = drawn_by_torch(wanted)
    for name, made in found.items():
        pairs = {name: made} if torch.is_tensor(made) else {
            "%s.%s" % (name, part): value for part, value in made.named_parameters()
        }
        for full, value in pairs.items():
            if not torch.equal(value.detach().double(), tensors[full]):
                return full + " has other bits", math.inf
    with torch.no_grad():
        weights, output = attention(wanted, found)
    last = "output" if wanted["out"] else "context_concat"
    last = last if last in tensors else "context"
    worst = max(apart(weights, tensors["attn_weights"]), apart(output, tensors[last]))
    return "" if worst <= WITHIN else "it differs by %.1e" % worst, worst


# --- nn.MultiheadAttention


def draw_module(chance):
    """One as a dictionary. Of cross-attention queries come from elsewhere."""
    heads, d_k = chance.randint(1, 4), chance.randint(1, 4)
    cross, length = chance.choice([False, False, True]), chance.randint(1, 6)
    wanted = {
        "heads": heads,
        "width": heads * d_k,
        "batch": chance.randint(1, 3),
        "keys": length,
        "queries": chance.randint(1, 5) if cross else length,
        "cross": cross,
        "kdim": chance.choice([None, heads * d_k + 3, 1]) if cross else None,
        "bias": chance.choice([True, False]),
        "add_bias_kv": chance.choice([True, True, False]),
        "add_zero_attn": chance.choice([True, False]),
        "mask": chance.choice([None, None, "causal", "flags", "numbers", "forbids", "heads"]),
        "padding": chance.choice([False, False, True]),
        "backward": chance.choice([True, False]),
        "batch_first": chance.choice([True, False]),
        "seed": chance.randint(0, 10**6),
    }
    wanted["appended"] = wanted["add_bias_kv"] + wanted["add_zero_attn"]
    return wanted


def module_mask(wanted):
    """attn_mask as PyTorch takes it, and as attention.mask_file has it; None: there is none."""
    shape = (wanted["queries"], wanted["keys"])
    if wanted["mask"] == "causal":
        return torch.ones(shape).triu(1).bool()
    if wanted["mask"] == "flags":
        mask = torch.rand(shape) < 0.5
        return mask if wanted["appended"] else mask & (torch.arange(shape[1]) > 0)
    if wanted["mask"] == "heads":
        return torch.randn(wanted["batch"] * wanted["heads"], *shape)
    values = [0.0, -math.inf] if wanted["mask"] == "forbids" else [0.0, -1.5, 2.25, -math.inf]
    mask = torch.tensor(values)[torch.randint(len(values), shape)]
    if not wanted["appended"]:
        mask[:, 0] = 0.0
    return mask


def module_of(wanted):
    """The module and what goes in, drawn by PyTorch, batch first."""
    torch.manual_seed(wanted["seed"])
    found = {"x": torch.randn(wanted["batch"], wanted["keys"], wanted["kdim"] or wanted["width"])}
    if wanted["cross"]:
        found["x_query"] = torch.randn(wanted["batch"], wanted["queries"], wanted["width"])
    options = {name: wanted[name] for name in ("bias", "add_bias_kv", "add_zero_attn", "batch_first")}
    module = torch.nn.MultiheadAttention(
        wanted["width"], wanted["heads"], kdim=wanted["kdim"], vdim=wanted["kdim"], **options
    )
    for weight in module.parameters():
        torch.nn.init.normal_(weight, std=0.7)
    if wanted["padding"]:
        lengths = torch.randint(0 if wanted["appended"] else 1, wanted["keys"] + 1, (wanted["batch"],))
        found["padding"] = torch.arange(wanted["keys"]) >= lengths[:, None]
        if wanted["mask"] and not wanted["appended"]:
            found["padding"][:, 0] = False
    if wanted["mask"]:
        found["mask"] = module_mask(wanted)
    return module, found


def module_text(wanted):
    masks = ["causal"] * (wanted["mask"] == "causal") + ["key_padding"] * wanted["padding"]
    lines = ["input:", "  vectors: {file: x.npy}"]
    lines += ["  query_vectors: {file: x_query.npy}"] if wanted["cross"] else []
    lines += ["model:", "  d_model: %(width)d" % wanted, "  heads: %(heads)d" % wanted]
    lines += ["  kdim: %(kdim)d" % wanted] if wanted["kdim"] else []
    lines += ["  add_zero_attn: true"] if wanted["add_zero_attn"] else []
    layout = "multihead_attention" + ("_kdim" if wanted["kdim"] not in (None, wanted["width"]) else "")
    lines.append("weights: {file: w.pt, layout: %s}" % layout)
    lines += ["attention:"] if wanted["mask"] or wanted["padding"] else []
    lines += ["  mask: [%s]" % ", ".join(masks)] if masks else []
    lines += ["  mask_file: {file: mask.npy}"] if wanted["mask"] not in (None, "causal") else []
    lines += ["  key_padding_mask: {file: padding.npy}"] if wanted["padding"] else []
    lines += ["backward: true"] if wanted["backward"] else []
    return "\n".join(lines) + "\n"


def run_module(wanted, module, found, dtype):
    """Its output and weights; and the gradients of half the sum of squares of the output, by name."""
    module = module.to(dtype)
    names = [name for name in ("x", "x_query") if name in found]
    leaves = {name: found[name].detach().clone().to(dtype).requires_grad_(True) for name in names}
    query = leaves.get("x_query", leaves["x"])
    rows = [query, leaves["x"], leaves["x"]]
    rows = rows if wanted["batch_first"] else [each.transpose(0, 1) for each in rows]
    mask = found.get("mask")
    output, weights = module(
        *rows,
        key_padding_mask=found.get("padding"),
        attn_mask=mask.to(dtype) if mask is not None and mask.dtype != torch.bool else mask,
        average_attn_weights=False,
    )
    output = output if wanted["batch_first"] else output.transpose(0, 1)
    module.zero_grad()
    (output.square().sum() / 2).backward()
    grads = {name: leaf.grad for name, leaf in leaves.items()}
    parts = [leaf.grad for name, leaf in module.named_parameters() if name == "in_proj_weight"]
    parts = parts[0].chunk(3) if parts else [getattr(module, "%s_proj_weight" % name).grad for name in "qkv"]
    grads.update(zip(["q_proj.weight", "k_proj.weight", "v_proj.weight"], parts))
    for name in ("bias_k", "bias_v"):
        if wanted["add_bias_kv"]:
            grads[name] = getattr(module, name).grad
    return output.detach(), weights.detach(), {name: grad.double() for name, grad in grads.items()}


def compare_module(wanted, module, found, tensors):
    output, weights, rough = run_module(wanted, module, found, torch.float32)
    worst = max(apart(output, tensors["output"]), apart(weights, tensors["attn_weights"]))
    if worst > WITHIN or tuple(tensors["attn_weights"].shape) != tuple(weights.shape):
        return "it differs by %.1e" % worst, worst
    _, _, exact = run_module(wanted, module, found, torch.float64)
    module.to(torch.float32)
    grads = exact.items() if wanted["backward"] else ()
    for name, grad in grads:
        ours = tensors.get("grad." + name)
        if ours is None:
            return "there is no grad." + name, math.inf
        largest = max(other.nan_to_num().abs().max().item() for other in exact.values())
        off = (grad - ours).abs().max().item()
        if not off <= max(WITHIN * largest, 4 * (grad - rough[name]).abs().max().item()):
            return "grad.%s differs by %.1e" % (name, off), off
    return "", worst


def run_modules(tried, folder, chance):
    for _ in range(MODULES):
        wanted = draw_module(chance)
        module, found = module_of(wanted)
        torch.save(module.state_dict(), os.path.join(folder, "w.pt"))
        for name, value in found.items():
            numpy.save(os.path.join(folder, name + ".npy"), value.numpy())
        tried.run(module_text(wanted), lambda tensors: compare_module(wanted, module, found, tensors))


# --- whole layers

NORMS = [None, ("layer_norm", False), ("layer_norm", True), ("rms_norm", False), ("rms_norm", True)]
WIDTH, HIDDEN, HEADS = 6, 10, 2


def layers():
    """Every combination, as dictionaries."""
    for norm, residual, feed, cross in itertools.product(
        NORMS, (False, True), (None, "gelu", "tanh", "gated"), (False, True)
    ):
        yield {"norm": norm, "residual": residual, "feed": feed, "cross": cross}


def layer_weights(wanted):
    """Under the names of scenario files, drawn by PyTorch."""
    torch.manual_seed(len(repr(wanted)))
    found = {"x": torch.randn(2, 5, WIDTH)}
    if wanted["cross"]:
        found["x_query"] = torch.randn(2, 3, WIDTH)
    linear = [(name, WIDTH, WIDTH) for name in ("q_proj", "k_proj", "v_proj", "out_proj")]
    if wanted["feed"]:
        linear += [("expand", WIDTH, HIDDEN), ("contract", HIDDEN, WIDTH)]
    if wanted["feed"] == "gated":
        linear.append(("gate", WIDTH, HIDDEN))
    for name, before, behind in linear:
        found[name + ".weight"] = torch.randn(behind, before) / before**0.5
        if wanted["feed"] != "gated" or name.endswith("_proj"):
            found[name + ".bias"] = torch.randn(behind)
    for name in ("norm", "norm_2") if wanted["feed"] else ("norm",):
        if wanted["norm"]:
            found[name + ".weight"] = torch.rand(WIDTH) + 0.5
        if wanted["norm"] and wanted["norm"][0] == "layer_norm":
            found[name + ".bias"] = torch.randn(WIDTH)
    return found


def layer_text(wanted):
    lines = ["input:", "  vectors: {file: w.npz, name: x}"]
    lines += ["  query_vectors: {file: w.npz, name: x_query}"] if wanted["cross"] else []
    lines += ["model:", "  d_model: %d" % WIDTH, "  heads: %d" % HEADS]
    if wanted["norm"]:
        lines.append("  %s: true" % wanted["norm"][0])
        lines += ["  post_norm: true"] if wanted["norm"][1] else []
    lines += ["  residual: true"] if wanted["residual"] else []
    lines += ["  feed_forward: %d" % HIDDEN] if wanted["feed"] else []
    lines += {"tanh": ["  gelu_tanh: true"], "gated": ["  gated: true"]}.get(wanted["feed"], [])
    return "\n".join(lines + ["weights: {file: w.npz}"]) + "\n"


def layer_norm_of(wanted, found, name, x):
    weight = found[name + ".weight"]
    if wanted["norm"][0] == "layer_norm":
        return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, found[name + ".bias"])
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight


def around(wanted, found, name, x, part):
    """x through a part of a layer, with the norm and the residual that go around it."""
    before = wanted["norm"] is not None and not wanted["norm"][1]
    behind = wanted["norm"] is not None and wanted["norm"][1]
    made = part(layer_norm_of(wanted, found, name, x) if before else x)
    made = made + x if wanted["residual"] else made
    return layer_norm_of(wanted, found, name, made) if behind else made


def layer(wanted, found):
    """The output of a whole layer."""

    def linear(name, x):
        return torch.nn.functional.linear(x, found[name + ".weight"], found.get(name + ".bias"))

    def heads(rows):
        return rows.view(rows.shape[0], rows.shape[1], HEADS, -1).transpose(1, 2)

    def attend(x):
        memory = found["x"] if wanted["cross"] else x
        q, k, v = heads(linear("q_proj", x)), heads(linear("k_proj", memory)), heads(linear("v_proj", memory))
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
        return linear("out_proj", (weights @ v).transpose(1, 2).flatten(2))

    def feed(x):
        hidden = linear("expand", x)
        if wanted["feed"] == "gated":
            return linear("contract", torch.nn.functional.silu(linear("gate", x)) * hidden)
        form = "tanh" if wanted["feed"] == "tanh" else "none"
        return linear("contract", torch.nn.functional.gelu(hidden, approximate=form))

    output = around(wanted, found, "norm", found.get("x_query", found["x"]), attend)
    return around(wanted, found, "norm_2", output, feed) if wanted["feed"] else output


def compare_layer(wanted, found, tensors):
    """Like compare: the last tensor of the names that an output has."""
    names = ("output_normed", "ff_output", "ff_contracted", "x_attended", "output_residual", "output")
    last = next(name for name in names if name in tensors)
    with torch.no_grad():
        worst = apart(layer(wanted, found), tensors[last])
    return "" if worst <= WITHIN else "%s differs by %.1e" % (last, worst), worst


# --- running them


class Tried:
    """Scenarios that ran, as TAP."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "s.yaml")
        self.out = os.path.join(folder, "s.safetensors")
        self.count = self.failed = 0

    def run(self, text, right):
        """Holds what the program exports to right(tensors): what is wrong, and by how much."""
        with open(self.path, "w") as file:
            file.write(text)
        if os.path.exists(self.out):
            os.remove(self.out)
        command = [sys.argv[1], "export", self.path, self.out]
        ended = subprocess.run(command, capture_output=True, text=True)
        wrong, worst = ended.stderr.strip() or "it failed", math.inf
        if ended.returncode == 0:
            wrong, worst = right(read(self.out))
        self.count += 1
        self.failed += wrong != ""
        print("%sok %d - %s" % ("not " if wrong else "", self.count, wrong or "%.1e" % worst))
        if wrong:
            print("# " + text.replace("\n", "\n# "))


def main():
    chance, whole = random.Random(1706), list(layers())
    print("1..%d" % (SCENARIOS + MODULES + len(whole)))
    with tempfile.TemporaryDirectory() as folder:
        tried = Tried(folder)
        for _ in range(SCENARIOS):
            wanted = draw(chance)
            tried.run(text_of(wanted), lambda tensors: compare(wanted, tensors))
        run_modules(tried, folder, chance)
        for wanted in whole:
            found = layer_weights(wanted)
            numpy.savez(os.path.join(folder, "w.npz"), **{name: t.numpy() for name, t in found.items()})
            tried.run(layer_text(wanted), lambda tensors: compare_layer(wanted, found, tensors))
    return tried.failed > 0


if __name__ == "__main__":
    sys.exit(main())
