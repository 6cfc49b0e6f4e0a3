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
