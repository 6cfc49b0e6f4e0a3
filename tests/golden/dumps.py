"""Dumps of attention as notebooks write it, for `attnscope verify`: tests/golden/dumps/*.npz.
usage: dumps.py   (needs torch; makes the folder's files anew)

Each has its own way to write attention, or one mistake; tests/notebook/test_chain_dumps.c says what verify tells of it.
"""
import math
import os

import numpy
import torch

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dumps")
BATCH, LENGTH, HEADS, D_K = 2, 5, 2, 4
WIDTH = HEADS * D_K
LATER = torch.ones(LENGTH, LENGTH).triu(1).bool()
SEES_NEXT = torch.ones(LENGTH, LENGTH).triu(2).bool()  # off by one


def save(name, tensors, half=False):
    arrays = {key: value.detach().numpy() for key, value in tensors.items()}
    if half:
        arrays = {key: array.astype(numpy.float16) for key, array in arrays.items()}
    numpy.savez(os.path.join(FOLDER, name + ".npz"), **arrays)


def layer(seed, hides, gains=None, fill=-math.inf, half=False):
    """One layer of attention; `hides` is True where a key is hidden, `gains` are those of a norm of q and k."""
    torch.manual_seed(seed)
    kept = (lambda numbers: numbers.half().float()) if half else lambda numbers: numbers
    weights = {name: kept(torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH)) for name in ("a", "b", "c", "d")}
    x = kept(torch.randn(BATCH, LENGTH, WIDTH))
    q, k, v = (
        kept(x @ weights[name].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for name in ("a", "b", "c")
    )
    if gains:
        even = lambda numbers: numbers / (numbers.square().mean(-1, keepdim=True) + 1e-6).sqrt()
        q, k = even(q) * gains["alpha"], even(k) * gains["beta"]
    scores = kept(kept(q @ k.transpose(-2, -1)) / math.sqrt(D_K))
    shares = kept(torch.softmax(scores.masked_fill(hides, fill), -1))
    context = kept(kept(shares @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
    made = {"x": x, **{name + ".weight": weight for name, weight in weights.items()}, **(gains or {})}
    return {**made, "shares": shares, "context": context, "output": kept(context @ weights["d"].T)}


def library(seed, hides, is_mean=False):
    """nn.MultiheadAttention with a key and a value of its own, and zeros, behind the text's."""
    torch.manual_seed(seed)
    module = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, add_bias_kv=True, add_zero_attn=True).eval()
    x = torch.randn(BATCH, LENGTH, WIDTH)
    output, weights = module(x, x, x, attn_mask=hides, average_attn_weights=is_mean)
    return {**module.state_dict(), "x": x, "attn_weights": weights, "output": output}


def block(seed, first=True, left_out=(), axis=-1, gain=True, added="x", fed_added="r", activate=torch.relu, v_of="h",
          shift=True, power=0.5, second="norm2", is_normed=True):
    """A whole block, normed first or behind the residual sums; `left_out` is not dumped. The norm divides by this power of
    the variance."""
    torch.manual_seed(seed)
    size = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH)}
    size.update(wide=(2 * WIDTH, WIDTH), narrow=(WIDTH, 2 * WIDTH))
    made = {name + ".weight": torch.randn(of) / math.sqrt(of[1]) for name, of in size.items()}
    for name in ("norm1", "norm2"):
        made.update({name + ".weight": torch.rand(WIDTH) + 0.5, name + ".bias": torch.randn(WIDTH) / 5})

    def norm(numbers, name, over=-1, gain=True, shift=True, power=0.5):
        even = numbers - numbers.mean(over, keepdim=True)
        even = even / (even.square().mean(over, keepdim=True) + 1e-5) ** power
        return even * (made[name + ".weight"] if gain else 1.0) + (made[name + ".bias"] if shift else 0.0)

    x = torch.randn(BATCH, LENGTH, WIDTH)
    h = norm(x, "norm1", axis, gain, shift, power) if first and is_normed else x
    heads = lambda name, of: (of @ made[name + ".weight"].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
    q, k, v = heads("q", h), heads("k", h), heads("v", x if v_of == "x" else h)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(D_K)).masked_fill(LATER, -math.inf)
    shares = torch.softmax(scores, -1)
    o = (shares @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH) @ made["o.weight"].T
    r = o + {"x": x, "h": h, "": 0.0}[added]
    y = r if first else norm(r, "norm1", axis, gain)
    m = norm(r, second) if first else y
    fed = activate(m @ made["wide.weight"].T) @ made["narrow.weight"].T
    last = fed + {"r": y, "x": x, "": 0.0}[fed_added]
    kept = {"x": x, "h": h, "qs": q, "ks": k, "vs": v, "shares": shares, "o": o, "r": r, "y": y, "m": m, "fed": fed}
    kept.update(last=last if first else norm(last, "norm2"), **made)
    equal = ("y",) if first else ("h", "m", "r")
    return {name: kept[name] for name in kept if name not in left_out + equal}


def shared_with_itself_hidden(seed):
    """One weight for q and k, k of length 1 (Reformer): a token sees itself only where it sees nothing else."""
    torch.manual_seed(seed)
    made = {name + ".weight": torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH) for name in ("to_qk", "to_v", "to_out")}
    x = torch.randn(BATCH, LENGTH, WIDTH)
    heads = lambda name: (x @ made[name + ".weight"].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
    q, v = heads("to_qk"), heads("to_v")
    k = torch.nn.functional.normalize(q, dim=-1)
    dots = (q @ k.transpose(-2, -1) / math.sqrt(D_K)).masked_fill(torch.eye(LENGTH).bool(), -5e4)
    attn = torch.softmax(dots, -1)
    out = (attn @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH) @ made["to_out.weight"].T
    return {**made, "x": x, "q": q, "k": k, "dots": dots, "attn": attn, "out": out}


def annotated(seed, inverted):
    """The Annotated Transformer: mask (B, 1, L), 0 where a token is a pad, and -1e9."""
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])[:, None]
    hides = (mask if inverted else 1 - mask).bool()[:, None]
    return {**layer(seed, hides, fill=-1e9), "src_mask": mask}


def attend(q, k, v, hides, softmax=lambda scores: torch.softmax(scores, -1)):
    """Of heads (B, H, L, d): the weights and what they mix, merged."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(D_K)
    shares = softmax(scores if hides is None else scores.masked_fill(hides, -math.inf))
    return shares, (shares @ v).transpose(1, 2).reshape(BATCH, -1, HEADS * v.shape[-1])


def inside(seed, order):
    """A joined weight with q, k and v inside the heads, as GPT-NeoX and BLOOM have it, and a bias."""
    torch.manual_seed(seed)
    joined, out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
    x = torch.randn(BATCH, LENGTH, WIDTH)
    shape = {"h3d": (HEADS, 3, D_K), "hd3": (HEADS, D_K, 3), "d3h": (D_K, 3, HEADS)}[order]
    axes = [order.index(axis) + 2 for axis in "3hd"]
    q, k, v = joined(x).view(BATCH, LENGTH, *shape).permute(axes[0], 0, axes[1], 1, axes[2])
    shares, context = attend(q, k, v, LATER)
    made = {"joined." + name: part for name, part in joined.named_parameters()}
    made.update({"dense." + name: part for name, part in out.named_parameters()})
    return {**made, "x": x, "shares": shares, "output": out(context)}


def headed(seed, out_of):
    """Weights (D, H, d) with biases (H, d), all under numbers for names; `out_of`: which of k and v is mixed."""
    torch.manual_seed(seed)
    x, back = torch.randn(BATCH, LENGTH, 7), torch.randn(HEADS, D_K, 7) / math.sqrt(WIDTH)
    weights, biases = torch.randn(3, 7, HEADS, D_K) / math.sqrt(7), torch.randn(3, HEADS, D_K)
    q, k, v = (torch.einsum("blc,chd->bhld", x, w) + b[:, None] for w, b in zip(weights, biases))
    shares, _ = attend(q, k, v, None)
    output = torch.einsum("bhij,bhjd,hdo->bio", shares, v if out_of == "v" else k, back)
    parts = [part for pair in zip(weights, biases) for part in pair]
    return {"t%d" % i: part for i, part in enumerate([x, *parts, shares, back, output])}


def list_of_heads(seed, hides, heads, bias=False, in_turn=False):
    """Every head has layers of its own; only weights of attention and the output are kept. Of heads that are stacked on a
    last axis and flattened, what they make and what is joined, too."""
    torch.manual_seed(seed)
    x, made, contexts = torch.randn(BATCH, LENGTH, WIDTH), {}, []
    for head in range(heads):
        layers = {name: torch.nn.Linear(WIDTH, 2, bias=bias) for name in ("query", "key", "value")}
        for name, layer_ in layers.items():
            made.update({"heads.%d.%s.%s" % (head, name, of): part for of, part in layer_.named_parameters()})
        q, k, v = (layer_(x) for layer_ in layers.values())
        shares = torch.softmax((q @ k.transpose(-2, -1) / math.sqrt(2)).masked_fill(hides, -math.inf), -1)
        made["heads.%d.wei" % head] = shares
        contexts.append(shares @ v)
    out = torch.nn.Linear(2 * heads, WIDTH)
    made.update({"proj." + name: part for name, part in out.named_parameters()})
    if in_turn:
        made.update({"heads.%d.out" % head: context for head, context in enumerate(contexts)})
        made["joined"] = torch.stack(contexts, -1).flatten(-2)
    return {**made, "x": x, "out": out(made["joined"] if in_turn else torch.cat(contexts, -1))}


def not_hidden(seed, shares_of):
    """The weights are made in another way; no mask is kept."""
    made = layer(seed, torch.zeros(LENGTH, LENGTH, dtype=bool))
    q, k = (
        (made["x"] @ made[name].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for name in ("a.weight", "b.weight")
    )
    made["shares"] = shares_of(q @ k.transpose(-2, -1) / math.sqrt(D_K))
    v = (made["x"] @ made["c.weight"].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
    made["context"] = (made["shares"] @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
    return {**made, "output": made["context"] @ made["d.weight"].T}


def lengths(seed, hides):
    """In the manner of Dive into Deep Learning: the lengths of texts in place of a mask."""
    return {**layer(seed, hides, fill=-1e6), "valid_lens": torch.tensor([5, 3])}


def dropped(seed, has_context):
    """Dropout takes some of the weights after they were kept."""
    made = layer(seed, LATER)
    v = (made["x"] @ made["c.weight"].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
    kept = torch.nn.functional.dropout(made["shares"], 0.2)
    made["context"] = (kept @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
    made["output"] = made["context"] @ made["d.weight"].T
    return made if has_context else {name: part for name, part in made.items() if name != "context"}


def kdim(seed, swapped=False):
    """nn.MultiheadAttention with kdim and vdim: weights apart, and one joined bias."""
    torch.manual_seed(seed)
    module = torch.nn.MultiheadAttention(WIDTH, HEADS, kdim=7, vdim=7, batch_first=True).eval()
    torch.nn.init.normal_(module.in_proj_bias)
    x, memory, made = torch.randn(BATCH, LENGTH, WIDTH), torch.randn(BATCH, 6, 7), dict(module.state_dict())
    made = {name: part.clone() for name, part in made.items()}
    if swapped:
        module.k_proj_weight, module.v_proj_weight = module.v_proj_weight, module.k_proj_weight
    output, weights = module(x, memory, memory, average_attn_weights=False)
    return {**made, "x": x, "memory": memory, "output": output, "weights": weights}


def groups(seed):
    """A joined weight of four heads in two groups: two queries, a key and a value of each."""
    torch.manual_seed(seed)
    joined, out, x = torch.nn.Linear(8, 16), torch.nn.Linear(8, 8, bias=False), torch.randn(BATCH, LENGTH, 8)
    parts = joined(x).view(BATCH, LENGTH, 2, 4, 2)
    q = parts[..., :2, :].reshape(BATCH, LENGTH, 4, 2).transpose(1, 2)
    k, v = (parts[..., n, :].transpose(1, 2).repeat_interleave(2, 1) for n in (2, 3))
    shares = torch.softmax((q @ k.transpose(-2, -1) / math.sqrt(2)).masked_fill(LATER, -math.inf), -1)
    context = (shares @ v).transpose(1, 2).reshape(BATCH, LENGTH, 8)
    made = {"wqkv." + name: part for name, part in joined.named_parameters()}
    return {**made, "wo.weight": out.weight, "x": x, "shares": shares, "output": out(context)}


def shared_keys(seed):
    """A joined weight of four heads that share one key and one value; the key is mixed."""
    torch.manual_seed(seed)
    joined, out, x = torch.nn.Linear(8, 12), torch.nn.Linear(8, 8, bias=False), torch.randn(BATCH, LENGTH, 8)
    q, k, _ = joined(x).split((8, 2, 2), -1)
    q = q.view(BATCH, LENGTH, 4, 2).transpose(1, 2)
    shares = torch.softmax((q @ k[:, None].transpose(-2, -1) / math.sqrt(2)).masked_fill(LATER, -math.inf), -1)
    context = (shares @ k[:, None]).transpose(1, 2).reshape(BATCH, LENGTH, 8)
    made = {"wqkv." + name: part for name, part in joined.named_parameters()}
    return {**made, "wo.weight": out.weight, "x": x, "shares": shares, "output": out(context)}


def in_turn(seed):
    """Heads of one text, merged in turn; what they mix is kept, too."""
    made = layer(seed, LATER)
    v = (made["x"] @ made["c.weight"].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
    heads = made["shares"] @ v
    context = heads.permute(0, 2, 3, 1).reshape(BATCH, LENGTH, WIDTH)
    made.update({"context": context, "output": context @ made["d.weight"].T, "mixed": heads})
    return made


def unscaled_alibi(seed):
    """Scores without their scale, and a bias by distance."""
    made = layer(seed, LATER)
    q, k, v = (
        (made["x"] @ made[name].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
        for name in ("a.weight", "b.weight", "c.weight")
    )
    far = (torch.arange(LENGTH) - torch.arange(LENGTH)[:, None]).abs()
    alibi = -torch.tensor([0.25, 0.0625])[:, None, None] * far
    made["shares"] = torch.softmax((q @ k.transpose(-2, -1) + alibi).masked_fill(LATER, -math.inf), -1)
    made["context"] = (made["shares"] @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
    return {**made, "alibi": alibi[None], "output": made["context"] @ made["d.weight"].T}


def kept_heads(seed):
    """Only heads, and what the keys mix in place of the values."""
    torch.manual_seed(seed)
    q, k, v = (torch.randn(BATCH, HEADS, LENGTH, D_K) for _ in range(3))
    shares, _ = attend(q, k, v, None)
    return {"q": q, "k": k, "v": v, "shares": shares, "out": shares @ k}


def one_head(seed):
    """One head without a projection, beside the weight of another layer."""
    torch.manual_seed(seed)
    x, weights = torch.randn(BATCH, LENGTH, WIDTH), torch.randn(3, WIDTH, WIDTH) / math.sqrt(WIDTH)
    q, k, v = (x @ weight for weight in weights)
    shares = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(WIDTH), -1)
    made = {"w_query": weights[0], "w_key": weights[1], "w_value": weights[2], "shares": shares, "output": shares @ v}
    return {"x": x, **made, "mlp.fc.weight": torch.randn(4 * WIDTH, WIDTH)}


def projected(seed, softmax=lambda scores: torch.softmax(scores, -1), turned=False, names="QKVO", used="QKVO", forgets="", biases=None, plain=()):
    """Each step under a name of its own; weights "lin_Q" and biases "lin_Q_b", of which some may be another's or left out;
    of `plain`, 1 to 3, the input itself is taken."""
    torch.manual_seed(seed)
    made = {"lin_" + name: torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH) for name in names}
    made.update({"lin_" + name + "_b": torch.randn(WIDTH) for name in names})
    own = dict(zip(names, biases or names))
    apply = lambda x, name: x @ made["lin_" + name] + (0 if name in forgets else made["lin_" + own[name] + "_b"])
    x = torch.randn(BATCH, LENGTH, WIDTH)
    t1, t2, t3 = (x if i + 1 in plain else apply(x, used[i]) for i in range(3))
    q, k, v = (rows.view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for rows in (t1, t2, t3))
    t4 = q @ k.transpose(-2, -1) / math.sqrt(D_K)
    t5 = softmax(t4)
    t6 = ((t5.transpose(-2, -1) if turned else t5) @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
    return {**made, "x": x, "t1": t1, "t2": t2, "t3": t3, "t4": t4, "t5": t5, "t6": t6, "t7": apply(t6, used[3])}


def cached(seed, new=2, swapped=False, hides_past=False, is_behind=True, change=lambda heads: heads):
    """Tokens after a cache, of which the last keys and values are their own, or the first ones. q and k are changed."""
    torch.manual_seed(seed)
    layers = {name: torch.nn.Linear(WIDTH, WIDTH, bias=False) for name in ("wq", "wk", "wv", "wo")}
    x, before = torch.randn(BATCH, new, WIDTH), torch.randn(2, BATCH, HEADS, LENGTH, D_K)
    q, k, v = (layers[name](x).view(BATCH, new, HEADS, D_K).transpose(1, 2) for name in ("wq", "wk", "wv"))
    q, k = change(q), change(k)
    pairs = list(zip(before, (v, k) if swapped else (k, v)))
    k, v = (torch.cat((old, own) if is_behind else (own, old), 2) for old, own in pairs)
    later = torch.ones(new, LENGTH + new).triu(1 + LENGTH).bool()
    shares, context = attend(q, k, v, later.flip(0) if hides_past else later)
    made = {name + ".weight": module.weight for name, module in layers.items()}
    return {**made, "x": x, "K": k, "V": v, "a": shares, "y": layers["wo"](context)}


def changed(seed, change=lambda heads: heads, split=None, softmax=lambda scores: torch.softmax(scores, -1), is_mean=False):
    """q and k are split in a way of their own and then changed, by their places or by a norm."""
    torch.manual_seed(seed)
    layers = {name: torch.nn.Linear(WIDTH, WIDTH, bias=False) for name in ("wq", "wk", "wv", "wo")}
    x = torch.randn(BATCH, LENGTH, WIDTH)
    usual = lambda rows: rows.view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
    q, k = (change((split or usual)(layers[name](x))) for name in ("wq", "wk"))
    shares, context = attend(q, k, usual(layers["wv"](x)), None if is_mean else LATER, softmax)
    made = {name + ".weight": module.weight for name, module in layers.items()}
    return {**made, "x": x, "w": shares.mean(1) if is_mean else shares, "y": layers["wo"](context)}


def made_even(numbers, gain, eps=1e-5):
    return numbers / (numbers.square().mean(-1, keepdim=True) + eps).sqrt() * gain


def of_two(seed, change_q, change_k, size=1.0, is_kept=True, cached=0):
    """q and k are changed in two ways, and dumped after it; gains of norms are named, not always used; of the `cached`
    first tokens, there is no q."""
    torch.manual_seed(seed)
    layers = {name: torch.nn.Linear(WIDTH, WIDTH, bias=False) for name in ("wq", "wk", "wv", "wo")}
    gains = {name + "_norm.weight": torch.rand(D_K) + 0.5 for name in "qk"}
    x = torch.randn(BATCH, LENGTH, WIDTH) * size
    q, k, v = (layers[name](x).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for name in ("wq", "wk", "wv"))
    q, k = change_q(q, gains)[:, :, cached:], change_k(k, gains)
    shares, context = attend(q, k, v, LATER[cached:])
    made = {name + ".weight": module.weight for name, module in layers.items()}
    made.update({"x_new": x[:, cached:]} if cached else {})
    made.update({"q_made": q, "k_made": k} if is_kept else {})
    return {**made, **gains, "x": x, "w": shares, "y": layers["wo"](context)}


def by_view(rows):
    return rows.reshape(BATCH, HEADS, LENGTH, D_K)


def rotate(heads, by_head=False, direction=1.0, sign=-1.0, start=0):
    """RoPE of both halves; wrong by the head's number, backwards, or with a plus for the minus."""
    half = D_K // 2
    places = torch.arange(HEADS)[:, None, None] if by_head else torch.arange(start, start + heads.shape[-2])[:, None]
    angles = direction * places * 10000.0 ** (-torch.arange(half) / half)
    a, b = heads[..., :half], heads[..., half:]
    return torch.cat((a * angles.cos() + sign * b * angles.sin(), b * angles.cos() + a * angles.sin()), -1)


def even(heads):
    return heads / heads.square().mean(-1, keepdim=True).sqrt()


class Head(torch.nn.Module):
    """One head of a list, as lectures on small GPTs write it."""

    def __init__(self, scale):
        super().__init__()
        self.key, self.query, self.value = (torch.nn.Linear(WIDTH, D_K, bias=False) for _ in range(3))
        self.register_buffer("tril", torch.tril(torch.ones(LENGTH, LENGTH)))
        self.scale = scale

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(-2, -1) * self.scale
        return torch.softmax(scores.masked_fill(self.tril == 0, -math.inf), -1) @ self.value(x)


class Listed(torch.nn.Module):
    def __init__(self, scale=D_K**-0.5, is_stacked=False):
        super().__init__()
        self.is_stacked = is_stacked
        self.heads = torch.nn.ModuleList([Head(scale) for _ in range(HEADS)])
        self.proj = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        heads = [head(x) for head in self.heads]
        return self.proj(torch.stack(heads, -1).flatten(2) if self.is_stacked else torch.cat(heads, -1))


class Joined(torch.nn.Module):
    """One weight for q, k and v, and causal heads, of which no map is kept; `hides` is what hides keys in fact."""

    def __init__(self, scale=D_K**-0.5, axis=-1, is_view=False, is_split_by_view=False, order=(0, 1, 2), hides=LATER):
        super().__init__()
        self.c_attn, self.c_proj = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.register_buffer("bias", torch.tril(torch.ones(2 * LENGTH, 2 * LENGTH))[None, None])
        self.scale, self.axis, self.is_view, self.order, self.hides = scale, axis, is_view, order, hides
        self.is_split_by_view = is_split_by_view

    def split(self, rows):
        if self.is_split_by_view:
            return rows.reshape(BATCH, HEADS, -1, D_K)
        return rows.view(BATCH, -1, HEADS, D_K).transpose(1, 2)

    def forward(self, x):
        parts = [self.split(part) for part in self.c_attn(x).split(WIDTH, -1)]
        q, k, v = (parts[i] for i in self.order)
        scores = (q @ k.transpose(-2, -1) * self.scale).masked_fill(self.hides[: x.shape[1], : x.shape[1]], -math.inf)
        context = torch.softmax(scores, self.axis) @ v
        context = context if self.is_view else context.transpose(1, 2)
        return self.c_proj(context.reshape(x.shape))


class Block(torch.nn.Module):
    """A block that normalises first; its two sums have no module, so no hook keeps the first of them."""

    def __init__(self, adds_normed=False):
        super().__init__()
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        for norm in (self.ln_1, self.ln_2):
            torch.nn.init.normal_(norm.weight)
            torch.nn.init.normal_(norm.bias)
        self.attn, self.fc, self.proj = Joined(), torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)
        self.adds_normed = adds_normed

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        normed = self.ln_2(x)
        return (normed if self.adds_normed else x) + self.proj(torch.nn.functional.gelu(self.fc(normed)))


def featured(seed):
    """One head on features that a layer has widened: no feed-forward block, though 8 become 16 and 8 again."""
    torch.manual_seed(seed)
    wide, q, k, v = (torch.nn.Linear(*sizes) for sizes in ((WIDTH, 2 * WIDTH), *[(2 * WIDTH, WIDTH)] * 3))
    features = torch.randn(BATCH, LENGTH, WIDTH)
    x = wide(features)
    made = {"features": features, "x": x, "q": q(x), "k": k(x), "v": v(x)}
    for name, module in (("embed", wide), ("w_q", q), ("w_k", k), ("w_v", v)):
        made.update({f"{name}.{key}": part for key, part in module.named_parameters()})
    shares = torch.softmax(made["q"] @ made["k"].transpose(-2, -1) / math.sqrt(WIDTH), -1)
    return {**made, "weights": shares, "output": shares @ made["v"]}


def projected_twice(seed):
    made = projected(seed)
    return {**made, "t7": made["t7"] @ made["lin_O"] + made["lin_O_b"]}


def thinned(seed, times):
    """Weights whole, and as dropout leaves them, with a quarter of them 0."""
    made = projected(seed)
    dropped = made["t5"] * (torch.rand(made["t5"].shape) > 0.25) * times
    v = made["t3"].view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
    context = (dropped @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
    return {**made, "t5_dropped": dropped, "t6": context, "t7": context @ made["lin_O"] + made["lin_O_b"]}


def joined_q_twice(seed):
    """A joined weight, of which q's part makes k, too."""
    torch.manual_seed(seed)
    x, joined, out = torch.randn(BATCH, LENGTH, WIDTH), torch.randn(3 * WIDTH, WIDTH) / 3, torch.randn(WIDTH, WIDTH)
    q, k, v = ((x @ joined[i * WIDTH : (i + 1) * WIDTH].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for i in (0, 0, 2))
    shares, context = attend(q, k, v, LATER)
    return {"x": x, "c_attn.weight": joined, "q": q, "k": k, "v": v, "shares": shares, "c_proj.weight": out, "y": context @ out.T}


def joined(seed):
    """A joined weight in its author's own order, under GPT-2's name for it; what it makes tells the order."""
    torch.manual_seed(seed)
    c_attn, c_proj, x = torch.randn(WIDTH, 3 * WIDTH) / 3, torch.randn(WIDTH, WIDTH) / 3, torch.randn(BATCH, LENGTH, WIDTH)
    vkq = x @ c_attn
    v, k, q = (part.view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for part in vkq.split(WIDTH, -1))
    shares, context = attend(q, k, v, LATER)
    return {"x": x, "c_attn": c_attn, "c_proj": c_proj, "vkq": vkq, "att": shares, "out": context @ c_proj}


def gate_other(seed):
    """A gated layer behind an attention, which activates up_proj in place of gate_proj."""
    made = layer(seed, LATER)
    gate, up, down = (torch.randn(2 * WIDTH, WIDTH) / 3 for _ in range(3))
    h = made["x"] + made["output"]
    fed = (h @ gate.T) * torch.nn.functional.silu(h @ up.T) @ down
    return {**made, "h": h, "gate_proj.weight": gate, "up_proj.weight": up, "down_proj.weight": down.T, "fed": h + fed}


def stack(seed, activations, fill=-math.inf):
    """Layers of one stack, each with an activation; hidden keys get the score `fill`."""
    torch.manual_seed(seed)
    x = torch.randn(BATCH, LENGTH, WIDTH)
    kept = {"x": x}
    for i, activation in enumerate(activations):
        w = {name: torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH) for name in ("q", "k", "v", "o")}
        up, down = torch.randn(2 * WIDTH, WIDTH) / 3, torch.randn(WIDTH, 2 * WIDTH) / 3
        q, k, v = ((x @ w[name].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for name in "qkv")
        scores = (q @ k.transpose(-2, -1) / math.sqrt(D_K)).masked_fill(LATER, fill)
        shares = torch.softmax(scores, -1)
        context = (shares @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
        out = context @ w["o"].T
        mid = x + out
        hidden = mid @ up.T
        active = activation(hidden)
        x = mid + active @ down.T
        kept.update({f"h.{i}.{name}.weight": weight for name, weight in w.items()})
        kept.update({f"h.{i}.up.weight": up, f"h.{i}.down.weight": down, f"h.{i}.scores": scores, f"h.{i}.out": out})
        kept.update({f"h.{i}.shares": shares, f"h.{i}.context": context})
        kept.update({f"h.{i}.mid": mid, f"h.{i}.hidden": hidden, f"h.{i}.active": active, f"h.{i}.sum": x})
    return kept


def hooked(seed, make, length=LENGTH):
    """What the recipe of `attnscope help verify` keeps."""
    torch.manual_seed(seed)
    module, x = make(), torch.randn(BATCH, length, WIDTH)
    made = dict(module.state_dict())

    def keep(name):
        def hook(module, inputs, output):
            parts = output if isinstance(output, tuple) else (output,)
            made.update({name + (f".{i}" if i else ""): part for i, part in enumerate(parts)})

        return hook

    for name, part in module.named_modules():
        part.register_forward_hook(keep(name or "output"))
    module(x)
    return {key: value for key, value in {**made, "x": x}.items() if torch.is_tensor(value)}


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    pads = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])[:, None, None]
    torch.manual_seed(9)
    with torch.no_grad():
        gains = {"alpha": torch.rand(D_K) + 0.5, "beta": torch.rand(D_K) + 0.5}
        save("gain", layer(1, LATER, gains))
        save("half", layer(2, LATER, fill=-1e4, half=True), half=True)
        save("pads", layer(3, LATER | pads))
        save("pads_off_by_one", layer(4, SEES_NEXT | pads, fill=-1e9))
        save("bias_kv", library(5, LATER))
        save("bias_kv_off_by_one", library(6, SEES_NEXT))
        save("bias_kv_mean", library(10, LATER, is_mean=True))
        save("annotated", annotated(7, False))
        save("annotated_inverted", annotated(8, True))
        for number, order in enumerate(("h3d", "hd3", "d3h")):
            save("inside_" + order, inside(11 + number, order))
        save("headed", headed(14, "v"))
        save("headed_k_for_v", headed(15, "k"))
        save("list", list_of_heads(16, LATER, 2, bias=True))
        save("list_of_nine", list_of_heads(17, LATER, 9))
        save("list_inverted", list_of_heads(18, ~LATER, 2))  # the last token sees nothing: NaN
        twice = layer(19, LATER)
        save("twice", {**twice, "dropped": twice["shares"]})
        save("pads_zeroed", not_hidden(20, lambda scores: torch.softmax(scores.masked_fill(pads, 0.0), -1)))
        save("pads_added", not_hidden(21, lambda scores: torch.softmax(scores + (~pads).float(), -1)))
        save("diagonal_after", not_hidden(22, lambda scores: torch.softmax(scores, -1).tril(-1)))
        save("kept_heads", kept_heads(23))
        save("one_head", one_head(24))
        save("kdim", kdim(31))
        save("kdim_swapped", kdim(32, swapped=True))
        save("groups", groups(33))
        save("in_turn", in_turn(34))
        save("shared_keys", shared_keys(36))
        save("mask_unused", {**layer(37, torch.zeros_like(pads)), "extended": -1e4 * pads.float()})
        save("unscaled_alibi", unscaled_alibi(35))
        save("lengths", lengths(25, pads))
        save("lengths_inverted", lengths(26, ~pads))
        save("lengths_unused", lengths(27, torch.zeros_like(pads)))
        save("dropped", dropped(28, True))
        save("dropped_output", dropped(29, False))
        save("whole_hidden", layer(30, ~pads, fill=-1e9))  # of one text every token, and no mask is kept
        save("cache", cached(40))
        save("cache_swapped", cached(41, new=1, swapped=True))
        save("cache_mask_inverted", cached(42, hides_past=True))
        save("over_sequences", projected(45, softmax=lambda scores: torch.softmax(scores, 0)))
        save("weights_turned", projected(46, turned=True))
        save("k_v_swapped", projected(47, used="QVKO"))
        save("twice_k", projected(48, used="KKVO"))
        save("bias_forgotten", projected(49, forgets="Q"))
        context = projected(50)
        for name, as_what in (("numbered_context", "out2"), ("lone_output", "output")):
            save(name, {**{key: context[key] for key in context if key not in ("t6", "t7")}, as_what: context["t6"]})
        save("view_turned", changed(51, rotate, by_view))
        save("view_even", changed(52, even, by_view))
        twice = lambda scores: torch.softmax(torch.softmax(scores, -1), -1)
        save("mean_of_twice", changed(53, softmax=twice, is_mean=True))
        added = lambda scores: torch.softmax(scores - 10000.0 * (~pads).float(), -1)  # of all keys of the first text
        save("pads_added_inverted", {**not_hidden(54, added), "attention_mask": (~pads[:, 0, 0]).long()})
        save("pads_of_queries", {**layer(55, pads.transpose(-1, -2), fill=-1e9), "pad_mask": pads[:, 0, 0]})
        small = projected(56, softmax=lambda scores: torch.softmax(scores.masked_fill(LATER, -10.0), -1))
        save("mask_small", {**small, "masked": small["t4"].masked_fill(LATER, -10.0)})
        save("pad_mask_of_tokens", {**layer(57, pads, fill=-1e9), "pad_mask": (~pads[:, 0, 0]).float()})
        turned = lambda heads, _: rotate(heads)
        save("turned_back", of_two(58, lambda heads, _: rotate(heads, direction=-1.0), turned, is_kept=False))
        unsigned = lambda heads, _: rotate(heads, sign=1.0)
        save("turned_unsigned", of_two(59, unsigned, unsigned))
        by_head = lambda heads, _: rotate(heads, by_head=True)
        save("turned_by_head", of_two(60, by_head, by_head))
        of_q = lambda heads, gains: made_even(heads, gains["q_norm.weight"])
        of_k = lambda heads, gains: made_even(heads, gains["k_norm.weight"])
        save("even_of_small", of_two(61, of_q, of_k, size=0.05))  # eps shows
        save("gain_missing", of_two(62, lambda heads, _: made_even(heads, 1.0), of_k))
        save("gains_exchanged", of_two(63, of_k, of_q))
        save("norm_missing", of_two(64, of_q, lambda heads, _: heads))
        save("bias_other", projected(65, biases="QQVO"))
        save("value_not_made", projected(66, plain=(3,)))
        save("output_by_v", projected(67, used="QKVV"))
        far = (torch.arange(LENGTH)[:, None] - torch.arange(LENGTH)).float() * torch.tensor([0.5, 0.25])[:, None, None]
        save("far_alibi", {**projected(68, softmax=lambda scores: torch.softmax(scores + far, -1)), "far": far})
        save("mask_named_only", {**(made := projected(69)), "masked": made["t4"]})
        ones_of_q = lambda heads, gains: made_even(heads, gains["q_norm.weight"].fill_(1.0))
        ones_of_k = lambda heads, gains: made_even(heads, gains["k_norm.weight"].fill_(1.0))
        save("gains_of_one", of_two(70, ones_of_q, ones_of_k))
        save("one_cached", of_two(71, turned, turned, cached=1))
        save("hooked_list", hooked(72, Listed))
        save("hooked_list_scale", hooked(73, lambda: Listed(WIDTH**-0.5)))
        save("hooked_list_stacked", hooked(79, lambda: Listed(is_stacked=True)))
        save("hooked_joined", hooked(74, Joined))
        save("hooked_joined_scale", hooked(75, lambda: Joined(scale=1.0)))
        save("hooked_joined_axis", hooked(76, lambda: Joined(axis=-2)))
        save("hooked_joined_view", hooked(77, lambda: Joined(is_view=True)))
        encoder = lambda: torch.nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, dropout=0.0, batch_first=True)
        save("hooked_encoder", hooked(78, encoder))
        save("hooked_joined_split", hooked(80, lambda: Joined(is_split_by_view=True)))
        save("hooked_joined_k_for_v", hooked(81, lambda: Joined(order=(0, 1, 1))))
        save("hooked_joined_swapped", hooked(82, lambda: Joined(order=(1, 0, 2))))
        save("hooked_joined_late", hooked(83, lambda: Joined(hides=SEES_NEXT)))
        save("hooked_joined_open", hooked(84, lambda: Joined(hides=torch.zeros_like(LATER))))
        save("hooked_joined_one", hooked(85, Joined, length=1))
        save("block", block(72))
        save("block_unnormed", block(73, left_out=("h", "m")))
        save("block_normed_last", block(74, first=False, activate=torch.nn.functional.gelu))
        save("block_over_tokens", block(75, axis=-2))
        save("block_no_gain", block(76, gain=False))
        save("block_no_residual", block(77, added=""))
        save("block_not_activated", block(80, activate=lambda numbers: numbers))
        save("block_v_unnormed", block(81, v_of="x"))
        near = -far
        alibi = projected(82)
        save("alibi_unused", {**alibi, "near": near})
        powers = torch.tensor([2.0**-8, 2.0**-4])[:, None, None] * near / torch.tensor([0.5, 0.25])[:, None, None]
        save("alibi_reversed", projected(83, softmax=lambda scores: torch.softmax(scores + powers, -1)))
        of_queries = pads.transpose(-1, -2)  # (B, 1, L, 1)
        save("mask_of_queries", {**layer(84, of_queries, fill=-1e4), "extended": -1e4 * of_queries.float()})
        save("pads_first", layer(85, torch.tensor([[False] * 5, [True, True, False, False, False]])[:, None, None]))
        save("hooked_block", hooked(86, Block))
        save("hooked_block_normed", hooked(87, lambda: Block(adds_normed=True)))
        save("featured", featured(88))
        save("block_first_normed", block(89, added="h", left_out=("m",)))
        alone = block(90, fed_added="")
        save("block_fed_alone", alone)
        save("block_fed_not_added", {("hidden_out" if name == "last" else name): alone[name] for name in alone})
        save("block_unkept_not_activated", block(91, left_out=("h", "m"), activate=lambda numbers: numbers))
        behind = ("r", "m", "fed", "last", "norm2.weight", "norm2.bias", "wide.weight", "narrow.weight")
        save("block_one_norm_over_tokens", block(92, axis=-2, left_out=behind))
        save("shared_with_itself_hidden", shared_with_itself_hidden(93))
        save("block_not_normed", block(94, left_out=("h",), is_normed=False))
        save("block_no_shift", block(95, shift=False))
        save("block_gain_of_first", block(96, second="norm1"))
        save("block_squared", block(97, power=1.0))
        save("block_sum_lost", block(98, fed_added="x"))
        save("cache_turned", cached(99, change=lambda heads: rotate(heads, start=LENGTH)))
        save("cache_behind", cached(100, is_behind=False))
        twice_powers = 2 * near / torch.tensor([16.0, 256.0])[:, None, None] * torch.tensor([2.0, 4.0])[:, None, None]
        save("alibi_doubled", projected(101, softmax=lambda scores: torch.softmax(scores + twice_powers, -1)))
        save("t5_unused", {**projected(102), "position_bias": torch.randn(1, HEADS, LENGTH, LENGTH)})
        made = projected(103)
        exps = (made["t4"] - made["t4"].amax(-1, keepdim=True)).exp()
        save("exps", {**made, "e": exps})
        save("projected_twice", projected_twice(104))
        save("weights_dropped", thinned(105, 1 / 0.75))
        save("weights_dropped_alone", thinned(106, 1.0))
        save("list_in_turn", list_of_heads(107, LATER, HEADS, in_turn=True))
        save("joined_q_twice", joined_q_twice(108))
        save("gate_other", gate_other(109))
        made = projected(110)
        save("compared", {**made, "at_half": torch.softmax(2 * made["t4"], -1)})
        save("joined_vkq", joined(111))
        made = projected(112, softmax=lambda scores: torch.softmax(5 * torch.tanh(scores / 5) + LATER * -1e30, -1))
        capped = 5 * torch.tanh(made["t4"] / 5)
        save("capped_hidden", {**made, "capped": capped, "hidden": capped + LATER * -1e30})
        made = of_two(113, turned, turned)
        split = lambda name: (made["x"] @ made[name].T).view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
        save("before_turned", {**made, "q_before": split("wq.weight"), "k_before": split("wk.weight")})
        torch.manual_seed(114)
        module, texts = torch.nn.MultiheadAttention(WIDTH, HEADS, kdim=6, vdim=10, batch_first=True).eval(), {"query": WIDTH, "key": 6, "value": 10}
        made = {name: torch.randn(BATCH, LENGTH, width) for name, width in texts.items()}
        output, weights = module(**made, average_attn_weights=False)
        save("kdim_vdim", {**module.state_dict(), **made, "weights": weights, "output": output})
        made = projected(115)
        save("compared_axis", {**made, "over_queries": torch.softmax(made["t4"], -2)})
        noise = 1e-7 * torch.randn(BATCH, LENGTH, WIDTH)
        save("compared_ways", {**made, "t7_again": made["t7"] + noise, "apart": (made["t7"] + noise - made["t7"]).abs()})
        trained = torch.nn.functional.dropout(made["t5"], 0.5)
        values = made["t3"].view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)
        merged = (trained @ values).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
        save("trained_and_not", {**made, "trained": trained, "merged": merged, "y": merged @ made["lin_O"] + made["lin_O_b"]})
        scale = torch.tensor(0.3)
        x, q, k, v = (made[name] for name in ("x", "t1", "t2", "t3"))
        shares, context = attend(*(rows.view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for rows in (2 * scale.exp() * q, k, v)), None)
        given = {name: made[name] for name in made if name.startswith("lin_")}
        save("log_scale", {**given, "x": x, "q": q, "k": k, "v": v, "log_scale": scale, "shares": shares, "context": context})
        save("stack", stack(115, (torch.relu, torch.relu)))
        save("stack_apart", stack(116, (torch.relu, torch.relu, torch.nn.functional.gelu)))
        save("mask_high", stack(117, (torch.relu,), fill=1e9))
        parts = ("q.weight", "k.weight", "v.weight", "o.weight", "shares", "context", "out")
        made = stack(118, (torch.relu,))
        one = {"x": made["x"], **{"cross." + part.replace("o.", "to_out."): made["h.0." + part] for part in parts}}
        save("input_projected", {**one, "cross.out": one["x"] @ one["cross.to_out.weight"].T})
        save("cross_of_one", {**one, "memory": torch.randn(BATCH, LENGTH + 2, WIDTH)})
        x, w_key, w_value = (torch.randn(*shape) for shape in ((BATCH, LENGTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH)))
        w_query = w_key * torch.linspace(-0.5, 1.5, WIDTH)
        keys, queries, values = x @ w_key, x @ w_query, x @ w_value
        shares, context = attend(*(rows.view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2) for rows in (queries, keys, values)), None)
        save("symmetric", {"x": x, "w_key": w_key, "w_query": w_query, "w_value": w_value, "keys": keys, "querys": queries,
                           "values": values, "shares": shares, "context": context})
