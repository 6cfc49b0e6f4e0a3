# Small models under the names and with the config.json of published ones, and what PyTorch 1.13 makes of them:
# families.py FOLDER writes a folder each, with expected.safetensors: x and the output of the attention of
# layer 1, and the end of both layers for ids [3, 1, 4, 1, 5]. The layers are written down here as the models'
# papers and published code have them.
import json, math, os, struct, sys
import torch
import torch.nn.functional as F

D, H, V, P, INSIDE, L = 8, 2, 6, 8, 6, 5
IDS = torch.tensor([[3, 1, 4, 1, 5]])


def write(path, tensors):
    header, blobs, at = {}, [], 0
    for name, tensor in tensors.items():
        blob = tensor.detach().float().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def draw(*shape):
    return torch.randn(*shape) * 0.4


def linear(t, name, out, inside, bias=True):
    t[name + ".weight"] = draw(out, inside)
    if bias:
        t[name + ".bias"] = draw(out)


def norm(t, name, bias=True, mean=1.0):
    t[name + ".weight"] = mean + draw(D)
    if bias:
        t[name + ".bias"] = draw(D)


def apply(t, name, x):
    return F.linear(x, t[name + ".weight"], t.get(name + ".bias"))


def layer_norm(t, name, x, epsilon):
    return F.layer_norm(x, (D,), t[name + ".weight"], t[name + ".bias"], epsilon)


def rms_norm(t, name, x, epsilon, one=0.0):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon) * (one + t[name + ".weight"])


def split(x, heads):
    return x.view(*x.shape[:2], heads, -1).transpose(1, 2)


def causal(window=None):
    i = torch.arange(L)
    hidden = i[None] > i[:, None]
    return hidden | (i[:, None] - i[None] >= window) if window else hidden


def attend(q, k, v, hidden=None, divisor=None, extra=None):
    scores = q @ k.transpose(-1, -2)
    scores = scores if extra is None else scores + extra
    scores = scores / (math.sqrt(q.shape[-1]) if divisor is None else divisor)
    scores = scores if hidden is None else scores.masked_fill(hidden, -math.inf)
    out = torch.softmax(scores, -1) @ v
    return out.transpose(1, 2).reshape(1, L, -1)


def frequencies(base, width):
    return 1.0 / base ** (torch.arange(0, width, 2).float() / width)


def turn_halves(x, f):
    a = torch.outer(torch.arange(L).float(), f)
    a, width = torch.cat([a, a], -1), 2 * len(f)
    y, rest = x[..., :width], x[..., width:]
    other = torch.cat([-y[..., width // 2:], y[..., :width // 2]], -1)
    return torch.cat([y * a.cos() + other * a.sin(), rest], -1)


def turn_neighbours(x, f):
    a = torch.outer(torch.arange(L).float(), f).repeat_interleave(2, -1)
    y, rest = x[..., :2 * len(f)], x[..., 2 * len(f):]
    other = torch.stack([-y[..., 1::2], y[..., ::2]], -1).flatten(-2)
    return torch.cat([y * a.cos() + other * a.sin(), rest], -1)


def llama3(f, factor, low, high, original):
    length = 2 * math.pi / f
    smooth = (original / length - low) / (high - low)
    between = (1 - smooth) * f / factor + smooth * f
    out = torch.where(length > original / low, f / factor, between)
    return torch.where(length < original / high, f, out)


def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


# --- BERT and what has become of it


class Bert:
    def __init__(self, stem, places=0, hidden=None, distances=0, turned=False):
        self.stem, self.places, self.hidden = stem, places, hidden
        self.distances, self.turned = distances, turned

    def weights(self):
        t, s = {}, self.stem
        for name, rows in (("word", V), ("position", P), ("token_type", 2)):
            t[f"{s}embeddings.{name}_embeddings.weight"] = draw(rows, D)
        norm(t, s + "embeddings.LayerNorm")
        for layer in range(2):
            p = f"{s}encoder.layer.{layer}."
            for name in ("query", "key", "value"):
                linear(t, f"{p}attention.self.{name}", D, D)
            if self.distances:
                t[p + "attention.self.distance_embedding.weight"] = draw(2 * P - 1, D // H)
            if self.turned:
                t[p + "attention.self.rotary_embeddings.inv_freq"] = frequencies(10000.0, D // H)
            linear(t, p + "attention.output.dense", D, D)
            norm(t, p + "attention.output.LayerNorm")
            linear(t, p + "intermediate.dense", INSIDE, D)
            linear(t, p + "output.dense", D, INSIDE)
            norm(t, p + "output.LayerNorm")
        return t

    def attention(self, t, layer, x):
        p, extra = f"{self.stem}encoder.layer.{layer}.attention.", None
        q, k, v = [split(apply(t, p + "self." + name, x), H) for name in ("query", "key", "value")]
        if self.turned:
            q, k = [turn_halves(y, frequencies(10000.0, D // H)) for y in (q, k)]
        if self.distances:
            i = torch.arange(L)
            rows = t[p + "self.distance_embedding.weight"][i[:, None] - i[None] + P - 1]
            extra = torch.einsum("bhld,lrd->bhlr", q, rows)
            if self.distances == 2:
                extra = extra + torch.einsum("bhrd,lrd->bhlr", k, rows)
        return apply(t, p + "output.dense", attend(q, k, v, self.hidden, extra=extra))

    def whole(self, t):
        if self.distances or self.turned:
            return None
        e = self.stem + "embeddings."
        x = t[e + "word_embeddings.weight"][IDS] + t[e + "token_type_embeddings.weight"][0]
        x = x + t[e + "position_embeddings.weight"][self.places:self.places + L]
        x = layer_norm(t, e + "LayerNorm", x, 1e-12)
        for layer in range(2):
            p = f"{self.stem}encoder.layer.{layer}."
            x = layer_norm(t, p + "attention.output.LayerNorm", x + self.attention(t, layer, x), 1e-12)
            inside = F.gelu(apply(t, p + "intermediate.dense", x))
            x = layer_norm(t, p + "output.LayerNorm", x + apply(t, p + "output.dense", inside), 1e-12)
        return x


# --- norms before attention and feed-forward


class Before:
    stem, places, tokens, learned = "transformer.", 0, "wte", "wpe"
    layers, own, norms, inside, final = "h.", "attn.", ("ln_1", "ln_2"), ("mlp.c_fc", "mlp.c_proj"), "ln_f"
    names, biased, act = ("q_proj", "k_proj", "v_proj", "out_proj"), True, staticmethod(gelu_tanh)

    def weights(self):
        t, s = {f"{self.stem}{self.tokens}.weight": draw(V, D)}, self.stem
        if self.learned:
            t[f"{s}{self.learned}.weight"] = draw(P, D)
        for layer in range(2):
            p = f"{s}{self.layers}{layer}."
            for name in self.names:
                linear(t, p + self.own + name, D, D, self.biased or (name == "out_proj" and self.learned))
            for name in self.norms:
                norm(t, p + name)
            linear(t, p + self.inside[0], INSIDE, D)
            linear(t, p + self.inside[1], D, INSIDE)
        norm(t, s + self.final)
        return t

    def scores(self, layer, q, k, v):
        return attend(q, k, v, causal())

    def attention(self, t, layer, x):
        p = f"{self.stem}{self.layers}{layer}.{self.own}"
        q, k, v = [split(apply(t, p + name, x), H) for name in self.names[:3]]
        return apply(t, p + self.names[3], self.scores(layer, q, k, v))

    def whole(self, t):
        x = t[f"{self.stem}{self.tokens}.weight"][IDS]
        if self.learned:
            x = x + t[f"{self.stem}{self.learned}.weight"][self.places:self.places + L]
        for layer in range(2):
            p = f"{self.stem}{self.layers}{layer}."
            normed = layer_norm(t, p + self.norms[0], x, 1e-5)
            found = self.attention(t, layer, normed)
            if len(self.norms) == 2:
                x, found = x + found, 0.0
                normed = layer_norm(t, p + self.norms[1], x, 1e-5)
            inside = self.act(apply(t, p + self.inside[0], normed))
            x = found + apply(t, p + self.inside[1], inside) + x
        return layer_norm(t, self.stem + self.final, x, 1e-5)


class GptNeo(Before):
    own, biased = "attn.attention.", False

    def scores(self, layer, q, k, v):
        return attend(q, k, v, causal(2 if layer % 2 else None), 1.0)


class GptJ(Before):
    learned, biased, norms, inside = None, False, ("ln_1",), ("mlp.fc_in", "mlp.fc_out")

    def scores(self, layer, q, k, v):
        return attend(turn_neighbours(q, frequencies(10000.0, 2)), turn_neighbours(k, frequencies(10000.0, 2)), v,
                      causal())


class ClipText(Before):
    stem, tokens, learned = "text_model.", "embeddings.token_embedding", "embeddings.position_embedding"
    layers, own, norms = "encoder.layers.", "self_attn.", ("layer_norm1", "layer_norm2")
    inside, final, act = ("mlp.fc1", "mlp.fc2"), "final_layer_norm", staticmethod(quick_gelu)


class Opt(Before):
    stem, tokens, learned, places = "model.decoder.", "embed_tokens", "embed_positions", 2
    layers, own, norms = "layers.", "self_attn.", ("self_attn_layer_norm", "final_layer_norm")
    inside, final, act = ("fc1", "fc2"), "final_layer_norm", staticmethod(F.relu)


class Gpt2(Before):
    """Conv1D: weights are turned around, and q, k and v lie together."""

    def weights(self):
        t = {"transformer.wte.weight": draw(V, D), "transformer.wpe.weight": draw(P, D)}
        for layer in range(2):
            p = f"transformer.h.{layer}."
            norm(t, p + "ln_1")
            norm(t, p + "ln_2")
            for name, inside, out in (("attn.c_attn", D, 3 * D), ("attn.c_proj", D, D), ("mlp.c_fc", D, INSIDE),
                                      ("mlp.c_proj", INSIDE, D)):
                t[f"{p}{name}.weight"], t[f"{p}{name}.bias"] = draw(inside, out), draw(out)
            t[p + "attn.bias"] = torch.tril(torch.ones(P, P)).view(1, 1, P, P)
        norm(t, "transformer.ln_f")
        return t

    def attention(self, t, layer, x):
        p = f"transformer.h.{layer}.attn."
        q, k, v = [split(y, H) for y in (x @ t[p + "c_attn.weight"] + t[p + "c_attn.bias"]).split(D, -1)]
        out = attend(q, k, v, causal(), math.sqrt(D // H) * (layer + 1))
        return out @ t[p + "c_proj.weight"] + t[p + "c_proj.bias"]

    def whole(self, t):
        turned = {name: y.t() if y.dim() == 2 and ".mlp." in name else y for name, y in t.items()}
        return Before.whole(self, turned)


# --- LLaMA and what has become of it


class Llama:
    def __init__(self, f, width=D // H, window=None, one=0.0, act=F.silu, root=1.0, kv=1):
        self.f, self.width, self.window, self.one = f, width, window, one
        self.act, self.root, self.kv = act, root, kv

    def weights(self):
        t = {"model.embed_tokens.weight": draw(V, D)}
        for layer in range(2):
            p = f"model.layers.{layer}."
            for name, heads in (("q", H), ("k", self.kv), ("v", self.kv)):
                linear(t, f"{p}self_attn.{name}_proj", heads * self.width, D, False)
            linear(t, p + "self_attn.o_proj", D, H * self.width, False)
            norm(t, p + "input_layernorm", False, 1.0 - self.one)
            norm(t, p + "post_attention_layernorm", False, 1.0 - self.one)
            linear(t, p + "mlp.gate_proj", INSIDE, D, False)
            linear(t, p + "mlp.up_proj", INSIDE, D, False)
            linear(t, p + "mlp.down_proj", D, INSIDE, False)
        norm(t, "model.norm", False, 1.0 - self.one)
        return t

    def attention(self, t, layer, x):
        p = f"model.layers.{layer}."
        normed = rms_norm(t, p + "input_layernorm", x, 1e-6, self.one)
        q, k, v = [split(apply(t, f"{p}self_attn.{name}_proj", normed), heads)
                   for name, heads in (("q", H), ("k", self.kv), ("v", self.kv))]
        q, k = turn_halves(q, self.f), turn_halves(k, self.f)
        k, v = [y.repeat_interleave(H // self.kv, 1) for y in (k, v)]
        return x + apply(t, p + "self_attn.o_proj", attend(q, k, v, causal(self.window)))

    def whole(self, t):
        x = t["model.embed_tokens.weight"][IDS] * self.root
        for layer in range(2):
            p = f"model.layers.{layer}."
            x = self.attention(t, layer, x)
            n = rms_norm(t, p + "post_attention_layernorm", x, 1e-6, self.one)
            x = x + apply(t, p + "mlp.down_proj", self.act(apply(t, p + "mlp.gate_proj", n)) *
                          apply(t, p + "mlp.up_proj", n))
        return rms_norm(t, "model.norm", x, 1e-6, self.one)


BERT = dict(num_attention_heads=H, hidden_size=D, layer_norm_eps=1e-12, hidden_act="gelu")
LLAMA = dict(num_attention_heads=H, num_key_value_heads=1, hidden_size=D, rms_norm_eps=1e-6)
SCALING = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
               original_max_position_embeddings=24)
FAMILIES = {
    "roberta": (Bert("roberta.", 1), dict(model_type="roberta", pad_token_id=0, **BERT)),
    "xlm-roberta": (Bert("roberta.", 3), dict(model_type="xlm-roberta", pad_token_id=2, **BERT)),
    "bert-decoder": (Bert("bert.", hidden=causal()), dict(model_type="bert", is_decoder=True, **BERT)),
    "bert-key": (Bert("bert.", distances=1), dict(model_type="bert", position_embedding_type="relative_key", **BERT)),
    "bert-query": (Bert("bert.", distances=2),
                   dict(model_type="bert", position_embedding_type="relative_key_query", **BERT)),
    "esm": (Bert("esm.", turned=True), dict(model_type="esm", position_embedding_type="rotary", **BERT)),
    "gpt2-by-layer": (Gpt2(), dict(model_type="gpt2", n_head=H, n_embd=D, scale_attn_by_inverse_layer_idx=True,
                                   reorder_and_upcast_attn=True, activation_function="gelu_new")),
    "gpt-neo": (GptNeo(), dict(model_type="gpt_neo", num_heads=H, hidden_size=D, window_size=2,
                               attention_types=[[["global", "local"], 1]], activation_function="gelu_new")),
    "gpt-j": (GptJ(), dict(model_type="gptj", n_head=H, n_embd=D, rotary_dim=2, activation_function="gelu_new")),
    "clip": (ClipText(), dict(model_type="clip", text_config=dict(model_type="clip_text_model", hidden_size=D,
                                                                  num_attention_heads=H, hidden_act="quick_gelu"))),
    "opt": (Opt(), dict(model_type="opt", num_attention_heads=H, hidden_size=D, do_layer_norm_before=True,
                        activation_function="relu")),
    "llama-parameters": (Llama(frequencies(300.0, 4)),
                         dict(model_type="llama", rope_parameters=dict(rope_theta=300.0, rope_type="default"), **LLAMA)),
    "llama-part": (Llama(frequencies(10000.0, 2)), dict(model_type="llama", partial_rotary_factor=0.5, **LLAMA)),
    "llama-linear": (Llama(frequencies(500.0, 4) / 4),
                     dict(model_type="llama", rope_theta=500.0, rope_scaling=dict(type="linear", factor=4.0), **LLAMA)),
    "llama-3": (Llama(llama3(frequencies(100.0, 4), 8.0, 1.0, 4.0, 24)),
                dict(model_type="llama", rope_theta=100.0, rope_scaling=SCALING, **LLAMA)),
    "mistral": (Llama(frequencies(10000.0, 4), window=3),
                dict(model_type="mistral", rope_theta=10000.0, sliding_window=3, **LLAMA)),
    "gemma": (Llama(frequencies(10000.0, 6), width=6, one=1.0, act=gelu_tanh, root=math.sqrt(D)),
              dict(model_type="gemma", head_dim=6, hidden_activation="gelu_pytorch_tanh", **LLAMA)),
}

for number, (name, (model, config)) in enumerate(FAMILIES.items()):
    torch.manual_seed(number)
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    weights, x = model.weights(), torch.randn(1, L, D)
    expected = {"x": x, "output": model.attention(weights, 1, x)}
    if model.whole(weights) is not None:
        expected["whole"] = model.whole(weights)
    write(os.path.join(folder, "model.safetensors"), weights)
    write(os.path.join(folder, "expected.safetensors"), expected)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)
        file.write("\n")
