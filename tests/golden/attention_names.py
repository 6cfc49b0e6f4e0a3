# Writes names/: one layer of attention under the names of many models, with a config.json, an input x and
# what PyTorch makes of it (`expected`). (torch 1.13; the models' own code, written out)
import json, math, os
import torch
import torch.nn.functional as F
from safetensors_file import write

torch.manual_seed(3)
D, H, L = 8, 2, 5
random = lambda *shape: torch.randn(*shape) * 0.4
heads = lambda t, h: t.view(1, L, h, -1).transpose(1, 2)


def half(x, width):  # GPT-NeoX: pairs half of the turned part apart
    y = x[..., :width]
    angle = torch.outer(torch.arange(L).float(), 1 / (1e4 ** (torch.arange(0, width, 2).float() / width)))
    angle = torch.cat([angle, angle], -1)
    turned = torch.cat([-y[..., width // 2:], y[..., :width // 2]], -1)
    return torch.cat([y * angle.cos() + turned * angle.sin(), x[..., width:]], -1)


def side(x, width):  # Meta's LLaMA: pairs side by side, as complex numbers
    angle = torch.outer(torch.arange(L).float(), 1 / (1e4 ** (torch.arange(0, width, 2).float() / width)))
    turned = torch.view_as_complex(x.reshape(1, -1, L, width // 2, 2).contiguous()) * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).flatten(3)


def attention(q, k, v, causal, scale=True, bias=0.0, turn=None):
    q, k = (turn(q), turn(k)) if turn else (q, k)
    k, v = [t.repeat_interleave(H // t.shape[1], 1) for t in (k, v)]
    scores = q @ k.transpose(-1, -2) / (math.sqrt(q.shape[-1]) if scale else 1.0) + bias
    if causal:
        scores = scores.masked_fill(torch.ones(L, L).triu(1).bool(), -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


def buckets(causal, count=32, far=128):  # T5Attention._relative_position_bucket
    place = torch.arange(L)[None] - torch.arange(L)[:, None]
    out = torch.zeros_like(place)
    if causal:
        place = -torch.min(place, torch.zeros_like(place))
    else:
        count //= 2
        out, place = (place > 0) * count, place.abs()
    near = count // 2
    large = near + (torch.log(place.float() / near) / math.log(far / near) * (count - near)).long()
    return out + torch.where(place < near, place, large.clamp(max=count - 1))


def keep(name, weights, expected, **config):
    folder = f"names/{name}"
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/model.safetensors", {**weights, "x": x, "expected": expected})
    if config:
        path = "params.json" if name == "meta_llama" else "config.json"
        with open(f"{folder}/{path}", "w") as out:
            json.dump(config, out)


def apart(name, prefix, ends, causal, config, bias=True, norm=None, **how):
    t = {f"{prefix}{end}.weight": random(D, D) for end in ends}
    if bias:
        t.update({f"{prefix}{end}.bias": random(D) for end in ends})
    y = x
    if norm:
        t[norm] = 1 + random(D)
        y = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * t[norm]
    q, k, v = [heads(F.linear(y, t[f"{prefix}{e}.weight"], t.get(f"{prefix}{e}.bias")), H) for e in ends[:3]]
    out = F.linear(attention(q, k, v, causal, **how), t[f"{prefix}{ends[3]}.weight"], t.get(f"{prefix}{ends[3]}.bias"))
    keep(name, t, out + x if norm else out, **config)


def fused(name, prefix, ends, groups, config, by_head=False, **how):
    rows = D + 2 * groups * D // H
    t = {f"{prefix}{ends[0]}.weight": random(rows, D), f"{prefix}{ends[0]}.bias": random(rows),
         f"{prefix}{ends[1]}.weight": random(D, D), f"{prefix}{ends[1]}.bias": random(D)}
    made = F.linear(x, t[f"{prefix}{ends[0]}.weight"], t[f"{prefix}{ends[0]}.bias"])
    if by_head:
        q, k, v = [made.view(1, L, H, 3, -1)[..., i, :].transpose(1, 2) for i in range(3)]
    else:
        q, k, v = made.split([D, (rows - D) // 2, (rows - D) // 2], -1)
        q, k, v = heads(q, H), heads(k, groups), heads(v, groups)
    keep(name, t, F.linear(attention(q, k, v, True, **how), t[f"{prefix}{ends[1]}.weight"], t[f"{prefix}{ends[1]}.bias"]), **config)


x = torch.randn(1, L, D)
a = {"num_attention_heads": H}
apart("distilbert", "distilbert.transformer.layer.0.attention.", ["q_lin", "k_lin", "v_lin", "out_lin"], False, {"model_type": "distilbert", "n_heads": H})
apart("albert", "albert.encoder.albert_layer_groups.0.albert_layers.0.attention.", ["query", "key", "value", "dense"], False, {"model_type": "albert", **a})
apart("annotated", "decoder.layers.0.self_attn.linears.", list("0123"), True, {})
apart("meta_llama", "layers.0.attention.", ["wq", "wk", "wv", "wo"], True, {"dim": D, "n_layers": 1, "n_heads": H, "norm_eps": 1e-6}, bias=False, norm="layers.0.attention_norm.weight", turn=lambda t: side(t, D // H))
apart("phi", "model.layers.0.self_attn.", ["q_proj", "k_proj", "v_proj", "dense"], True, {"model_type": "phi", "partial_rotary_factor": 0.5, **a}, turn=lambda t: half(t, 2))
apart("internlm", "model.layers.0.self_attn.", ["q_proj", "k_proj", "v_proj", "o_proj"], True, {"model_type": "internlm", "rms_norm_eps": 1e-6, **a}, norm="model.layers.0.input_layernorm.weight", turn=lambda t: half(t, D // H))
fused("nanogpt", "transformer.h.0.attn.", ["c_attn", "c_proj"], H, {})
fused("qwen", "transformer.h.0.attn.", ["c_attn", "c_proj"], H, {"model_type": "qwen", "no_bias": True, **a}, turn=lambda t: half(t, D // H))
fused("gpt_bigcode", "transformer.h.0.attn.", ["c_attn", "c_proj"], 1, {"model_type": "gpt_bigcode", "multi_query": True, "n_head": H})
fused("gpt_neox", "gpt_neox.layers.0.attention.", ["query_key_value", "dense"], H, {"model_type": "gpt_neox", "rotary_pct": 0.5, **a}, by_head=True, turn=lambda t: half(t, 2))
slopes = torch.tensor([2.0 ** (-8 * (h + 1) / H) for h in range(H)])
fused("bloom", "h.0.self_attention.", ["query_key_value", "dense"], H, {"model_type": "bloom", "n_head": H}, by_head=True, bias=slopes[:, None, None] * torch.arange(L).float())
fused("falcon", "transformer.h.0.self_attention.", ["query_key_value", "dense"], 1, {"model_type": "falcon", "multi_query": True, "alibi": False, **a}, turn=lambda t: half(t, D // H))
fused("phi3", "model.layers.0.self_attn.", ["qkv_proj", "o_proj"], H, {"model_type": "phi3", **a}, turn=lambda t: half(t, D // H))
for stack, causal in (("encoder", False), ("decoder", True)):
    prefix, ends = f"{stack}.block.1.layer.0.SelfAttention.", list("qkvo")
    t = {f"{prefix}{end}.weight": random(D, D) for end in ends}
    first = f"{stack}.block.0.layer.0.SelfAttention."
    t.update({f"{first}{end}.weight": random(D, D) for end in ends})
    t[f"{first}relative_attention_bias.weight"] = random(32, H)
    bias = t[f"{first}relative_attention_bias.weight"][buckets(causal)].permute(2, 0, 1)
    q, k, v = [heads(F.linear(x, t[f"{prefix}{e}.weight"]), H) for e in "qkv"]
    keep(f"t5_{stack}", t, F.linear(attention(q, k, v, causal, scale=False, bias=bias), t[f"{prefix}o.weight"]), model_type="t5", num_heads=H)


# --- models after LLaMA: norms of queries and keys, caps, windows, angles of longer texts

def rms(y, weight, one=0.0, epsilon=1e-6):
    return y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + epsilon) * (one + weight)


def turned(y, frequencies, neighbours=False, growth=1.0):  # rotate_half, or Cohere's and GLM's
    width = 2 * len(frequencies)
    angle = torch.outer(torch.arange(y.shape[2]).float(), frequencies)
    if neighbours:
        angle = angle.repeat_interleave(2, -1)
        other = torch.stack([-y[..., 1:width:2], y[..., :width:2]], -1).flatten(-2)
    else:
        angle = torch.cat([angle, angle], -1)
        other = torch.cat([-y[..., width // 2:width], y[..., :width // 2]], -1)
    return torch.cat([(y[..., :width] * angle.cos() + other * angle.sin()) * growth, y[..., width:]], -1)


def powers(base, width):
    return 1 / base ** (torch.arange(0, width, 2).float() / width)


def yarn(base, width, factor, original, fast=32.0, slow=1.0):  # modeling_rope_utils.py, _compute_yarn_parameters
    place = lambda turns: width * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
    low, high = max(math.floor(place(fast)), 0), min(math.ceil(place(slow)), width - 1)
    ramp = ((torch.arange(width // 2).float() - low) / (high - low + (0.001 if high == low else 0))).clamp(0, 1)
    f = powers(base, width)
    return f / factor * ramp + f * (1 - ramp)


def dynamic(base, width, factor, trained, length):  # the same file, _compute_dynamic_ntk_parameters
    length = max(length, trained)
    return powers(base * (factor * length / trained - (factor - 1)) ** (width / (width - 2)), width)


def attend(q, k, v, scale, cap=None, window=None, bias=0.0):
    share, n = q.shape[1] // k.shape[1], q.shape[2]
    k, v = [t.repeat_interleave(share, 1) for t in (k, v)]
    scores = q @ k.transpose(-1, -2) * scale
    scores = cap * torch.tanh(scores / cap) if cap else scores
    far = torch.arange(n)[:, None] - torch.arange(n)[None]
    hidden = (far < 0) | (far >= window) if window else far < 0
    return ((scores + bias).masked_fill(hidden, -math.inf).softmax(-1) @ v).transpose(1, 2).flatten(2)


def modern(name, config, layer=0, h=2, g=1, d_k=4, bias=False, norm=None, one=0.0, turn=None, scale=None, block=False, **how):
    p = f"model.layers.{layer}."
    t = {}
    for number in range(layer + 1):
        for end, rows in (("q", h), ("k", g), ("v", g)):
            t[f"model.layers.{number}.self_attn.{end}_proj.weight"] = random(rows * d_k, D)
            if bias:
                t[f"model.layers.{number}.self_attn.{end}_proj.bias"] = random(rows * d_k)
        t[f"model.layers.{number}.self_attn.o_proj.weight"] = random(D, h * d_k)
        for end, rows in (("q", h), ("k", g)):
            if norm:
                t[f"model.layers.{number}.self_attn.{end}_norm.weight"] = random(d_k * (rows if norm == "all" else 1)) + 1 - one
        t[f"model.layers.{number}.input_layernorm.weight"] = 1 + random(D)
    y = rms(x, t[p + "input_layernorm.weight"]) if block else x
    made = []
    for end in "qkv":
        z = F.linear(y, t[f"{p}self_attn.{end}_proj.weight"], t.get(f"{p}self_attn.{end}_proj.bias"))
        if norm == "all" and end != "v":
            z = rms(z, t[f"{p}self_attn.{end}_norm.weight"])
        z = z.view(1, z.shape[1], -1, d_k).transpose(1, 2)
        if norm == "head" and end != "v":
            z = rms(z, t[f"{p}self_attn.{end}_norm.weight"], one)
        made.append(turn(z) if turn and end != "v" else z)
    out = F.linear(attend(*made, scale or d_k ** -0.5, **how), t[p + "self_attn.o_proj.weight"])
    keep(name, t, out + x if block else out, **{"num_attention_heads": h, "num_key_value_heads": g, "rms_norm_eps": 1e-6, **config})


plain = lambda base=1e4, width=4, **how: lambda y: turned(y, powers(base, width), **how)
modern("qwen3", {"model_type": "qwen3", "rope_theta": 1e6, "head_dim": 6, "use_sliding_window": False, "layer_types": ["full_attention"], "attention_bias": False}, d_k=6, norm="head", turn=plain(1e6, 6), block=True)
modern("olmo2", {"model_type": "olmo2", "rope_theta": 5e5, "clip_qkv": None}, norm="all", turn=plain(5e5))
gemma2 = {"model_type": "gemma2", "head_dim": 6, "attn_logit_softcapping": 0.5, "final_logit_softcapping": 30.0, "query_pre_attn_scalar": 9, "sliding_window": 2}
modern("gemma2", gemma2, layer=1, d_k=6, turn=plain(width=6), scale=1 / 3, cap=0.5)
modern("gemma2_window", gemma2, d_k=6, turn=plain(width=6), scale=1 / 3, cap=0.5, window=2)
gemma3 = {"model_type": "gemma3_text", "head_dim": 6, "query_pre_attn_scalar": 9, "sliding_window": 3, "sliding_window_pattern": 2, "rope_theta": 1e6, "rope_local_base_freq": 100.0, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "attn_logit_softcapping": None}
modern("gemma3", gemma3, layer=1, d_k=6, norm="head", one=1.0, turn=lambda y: turned(y, powers(1e6, 6) / 8), scale=1 / 3)
modern("gemma3_window", gemma3, d_k=6, norm="head", one=1.0, turn=plain(100.0, 6), scale=1 / 3, window=3)
modern("stablelm", {"model_type": "stablelm", "partial_rotary_factor": 0.5, "layer_norm_eps": 1e-5, "qk_layernorm": False, "use_parallel_residual": False, "rope_theta": 1e4}, bias=True, turn=plain(width=2))
modern("granite", {"model_type": "granite", "attention_multiplier": 0.25, "residual_multiplier": 0.22, "embedding_multiplier": 12.0, "logits_scaling": 8.0, "rope_theta": 1e4}, turn=plain(), scale=0.25)
modern("glm", {"model_type": "glm", "partial_rotary_factor": 0.5, "head_dim": 4}, turn=plain(width=2, neighbours=True))
modern("cohere", {"model_type": "cohere", "use_qk_norm": False, "logit_scale": 0.06}, turn=plain(neighbours=True))
cohere2 = {"model_type": "cohere2", "sliding_window": 2, "sliding_window_pattern": 2, "rope_theta": 5e4, "head_dim": 4}
modern("cohere2", cohere2, layer=1)
modern("cohere2_window", cohere2, turn=plain(5e4, neighbours=True), window=2)
modern("smollm3", {"model_type": "smollm3", "no_rope_layers": [1, 0], "no_rope_layer_interval": 2}, layer=1, block=True)
growth = 0.1 * math.log(4.0) + 1
modern("yarn", {"model_type": "qwen2", "rope_theta": 100.0, "max_position_embeddings": 512, "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}}, d_k=8, turn=lambda y: turned(y, yarn(100.0, 8, 4.0, 64), growth=growth), block=True)
modern("dynamic", {"model_type": "llama", "max_position_embeddings": 3, "rope_scaling": {"type": "dynamic", "factor": 2.0}}, turn=lambda y: turned(y, dynamic(1e4, 4, 2.0, 3, L)), block=True)
modern("dynamic_short", {"model_type": "llama", "max_position_embeddings": 5, "rope_scaling": {"type": "dynamic", "factor": 2.0}}, turn=plain(), block=True)


# Four heads of queries for two of keys: of each of these its two of queries, its own, and that of v.
def by_group(name, prefix, h, g, config, turn):
    d_k, t = D // h, {f"{prefix}attention.wqkv.weight": random((h + 2 * g) * D // h, D), f"{prefix}attention.wo.weight": random(D, D), f"{prefix}attention_norm.weight": 1 + random(D)}
    made = F.linear(rms(x, t[f"{prefix}attention_norm.weight"]), t[f"{prefix}attention.wqkv.weight"])
    made = made.view(1, L, g, h // g + 2, d_k)
    q = made[..., :h // g, :].flatten(2, 3).transpose(1, 2)
    k, v = made[..., -2, :].transpose(1, 2), made[..., -1, :].transpose(1, 2)
    keep(name, t, x + F.linear(attend(turn(q), turn(k), v, d_k ** -0.5), t[f"{prefix}attention.wo.weight"]), **config)


by_group("internlm2", "model.layers.0.", 4, 2, {"model_type": "internlm2", "num_attention_heads": 4, "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "bias": False}, plain(1e6, 2))
t = {"transformer.blocks.0.attn.Wqkv.weight": random(3 * D, D), "transformer.blocks.0.attn.out_proj.weight": random(D, D), "transformer.blocks.0.norm_1.weight": 1 + random(D)}
q, k, v = [heads(y, H) for y in F.linear(x, t["transformer.blocks.0.attn.Wqkv.weight"]).split(D, -1)]
bias = slopes[:, None, None] * torch.arange(1 - L, 1).float()
keep("mpt", t, F.linear(attend(q, k, v, (D // H) ** -0.5, bias=bias), t["transformer.blocks.0.attn.out_proj.weight"]), model_type="mpt", n_heads=H, attn_config={"alibi": True, "alibi_bias_max": 8, "attn_impl": "torch", "clip_qkv": None, "qk_ln": False, "softmax_scale": None, "attn_pdrop": 0.0})
fused("phi3_grouped", "model.layers.0.self_attn.", ["qkv_proj", "o_proj"], 1, {"model_type": "phi3", "num_key_value_heads": 1, "rope_theta": 1e4, "sliding_window": None, **a}, turn=lambda t: half(t, D // H))
t = {"transformer.h.0.attn.c_attn.weight": random(3 * D, D), "transformer.h.0.attn.c_proj.weight": random(D, D), "transformer.h.0.ln_1.weight": 1 + random(D)}
q, k, v = [heads(y, H) for y in F.linear(x, t["transformer.h.0.attn.c_attn.weight"]).split(D, -1)]
keep("nanogpt_bare", t, F.linear(attention(q, k, v, True), t["transformer.h.0.attn.c_proj.weight"]))
stack = "decoder.block.0.layer.0."
t = {f"{stack}SelfAttention.{end}.weight": random(D, D) for end in "qkvo"}
t.update({f"{stack}SelfAttention.relative_attention_bias.weight": random(32, H), f"{stack}layer_norm.weight": 1 + random(D), "decoder.block.0.layer.1.DenseReluDense.wi_0.weight": random(6, D), "decoder.block.0.layer.1.DenseReluDense.wi_1.weight": random(6, D)})
q, k, v = [heads(F.linear(x, t[f"{stack}SelfAttention.{e}.weight"]), H) for e in "qkv"]
bias = t[f"{stack}SelfAttention.relative_attention_bias.weight"][buckets(True)].permute(2, 0, 1)
keep("mt5", t, F.linear(attention(q, k, v, True, scale=False, bias=bias), t[f"{stack}SelfAttention.o.weight"]), model_type="mt5", num_heads=H, d_kv=4, feed_forward_proj="gated-gelu", is_gated_act=True, dense_act_fn="gelu_new", relative_attention_num_buckets=32)
