"""Writes what heads do in small models, for tests/session/test_heads.c.

usage: python3 tests/torch/heads.py tests/golden

training/two_layers_heads.npz has one text of six tokens in the model of two_layers.npz: every part's share
of every logit, the logits at each point of the residual stream, the logits with a head's output patched
(zeros, its mean over the text, another text's; at all tokens or at one), and the composition of every pair
of heads beside its mean over pairs that torch.randn draws. Under gpt2, llama and bert it has shares, points and
logits of models/gpt2, models/llama and models/bert, whose norms of the stream (gpt2, llama: the last one; bert:
two in each layer) divide each part by the scale of the whole stream.
"""

import math
import sys

import numpy as np
import torch
import torch.nn.functional as F

L, D, H = 6, 8, 2
WIDTH = D // H
TEXT, OTHER = [3, 4, 0, 5, 0, 0], [0, 6, 0, 5, 6, 4]


def load(path):
    loaded = np.load(f'{sys.argv[1]}/{path}')
    return {name: torch.from_numpy(value) for name, value in loaded.items()}


given = load('training/two_layers.npz')


def weight(layer, part):
    return given[f'layers.{layer}.{part}.weight']


def turned(x):
    frequency = 10000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
    angle = torch.arange(x.shape[-2])[:, None] * frequency
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * angle.cos() - second * angle.sin(),
                        second * angle.cos() + first * angle.sin()), -1).flatten(-2)


def run(ids, patch=None):
    """The logits, the parts [P, L, D], and what each head found {(layer, head): [L, WIDTH]}."""
    x = given['embedding.weight'][ids]
    parts, found = [x], {}
    for layer in (0, 1):
        q, k, v = (F.linear(x, weight(layer, p)).view(L, H, WIDTH).transpose(0, 1)
                   for p in ('q_proj', 'k_proj', 'v_proj'))
        scores = turned(q) @ turned(k).transpose(-2, -1) / math.sqrt(WIDTH)
        hidden = torch.triu(torch.ones(L, L, dtype=torch.bool), 1)
        context = scores.masked_fill(hidden, -math.inf).softmax(-1) @ v
        for h in range(H):
            if patch and patch[0] == (layer, h):
                context[h, patch[2] if len(patch) > 2 else slice(None)] = patch[1]
            found[layer, h] = context[h].clone()
            parts.append(context[h] @ weight(layer, 'out_proj')[:, h * WIDTH:(h + 1) * WIDTH].T)
        x = x + parts[-2] + parts[-1]
    return F.linear(x, given['readout.weight'][0]), torch.stack(parts), found


def matrices(q, k, v, o):
    return q.T @ k, o @ v  # W_QK, W_OV


def composition(earlier, later):
    _, writes = matrices(*earlier)
    scores, values = matrices(*later)
    norm = torch.linalg.norm
    return [norm(writes.T @ scores) / (norm(writes) * norm(scores)),
            norm(scores @ writes) / (norm(writes) * norm(scores)),
            norm(values @ writes) / (norm(writes) * norm(values))]


def head(layer, h):
    rows = slice(h * WIDTH, (h + 1) * WIDTH)
    return (weight(layer, 'q_proj')[rows].double(), weight(layer, 'k_proj')[rows].double(),
            weight(layer, 'v_proj')[rows].double(), weight(layer, 'out_proj')[:, rows].double())


def drawn():
    q, k, v, o = (torch.randn(WIDTH, D) for _ in range(4))
    return q.double(), k.double(), v.double(), o.T.double()


# --- whole layers, with a norm behind the last


def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    hidden = torch.triu(torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool), 1)
    return scores.masked_fill(hidden, -math.inf).softmax(-1) @ v


def gpt2(ids):
    """The parts of the stream, the last of them the bias of the last norm; what the norm does; the logits."""
    w, heads = load('models/gpt2/model.npz'), 4
    width = w['wte.weight'].shape[1]
    norm = lambda x, name: F.layer_norm(x, (width,), w[f'{name}.weight'], w[f'{name}.bias'], 1e-5)
    x = w['wte.weight'][ids] + w['wpe.weight'][:len(ids)]
    parts, n = [x], 0
    while f'h.{n}.ln_1.weight' in w:
        linear = lambda x, name: x @ w[f'h.{n}.{name}.weight'] + w[f'h.{n}.{name}.bias']
        q, k, v = (part.view(len(ids), heads, -1).transpose(0, 1)
                   for part in linear(norm(x, f'h.{n}.ln_1'), 'attn.c_attn').chunk(3, -1))
        rows = w[f'h.{n}.attn.c_proj.weight'].view(heads, -1, width)
        own = list(attend(q, k, v) @ rows) + [w[f'h.{n}.attn.c_proj.bias'].expand(len(ids), -1)]
        x = x + sum(own)
        inside = F.gelu(linear(norm(x, f'h.{n}.ln_2'), 'mlp.c_fc'), approximate='tanh')
        parts += own + [linear(inside, 'mlp.c_proj')]
        x, n = x + parts[-1], n + 1
    deviation = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()
    normed = [(part - part.mean(-1, keepdim=True)) / deviation * w['ln_f.weight'] for part in parts]
    normed.append(w['ln_f.bias'].expand(len(ids), -1))
    return torch.stack(normed), norm(x, 'ln_f'), w['wte.weight']


def llama(ids):
    w, heads, groups, base = load('models/llama/model.npz'), 4, 2, 500.0
    rms = lambda x: torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)

    def rotated(x):
        half = x.shape[-1] // 2
        angle = torch.arange(len(ids))[:, None] * base ** (-torch.arange(half) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat((a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()), -1)

    x = w['model.embed_tokens.weight'][ids]
    parts, n = [x], 0
    while f'model.layers.{n}.input_layernorm.weight' in w:
        get = lambda name: w[f'model.layers.{n}.{name}.weight']
        a = x * rms(x) * get('input_layernorm')
        split = lambda name, count: F.linear(a, get(f'self_attn.{name}_proj')).view(
            len(ids), count, -1).transpose(0, 1)
        q, k, v = split('q', heads), split('k', groups), split('v', groups)
        k, v = (t.repeat_interleave(heads // groups, 0) for t in (rotated(k), v))
        rows = get('self_attn.o_proj').T.reshape(heads, -1, x.shape[-1])
        own = list(attend(rotated(q), k, v) @ rows)
        x = x + sum(own)
        f = x * rms(x) * get('post_attention_layernorm')
        gate = F.silu(F.linear(f, get('mlp.gate_proj')))
        parts += own + [F.linear(gate * F.linear(f, get('mlp.up_proj')), get('mlp.down_proj'))]
        x, n = x + parts[-1], n + 1
    scale = rms(x) * w['model.norm.weight']
    return torch.stack([part * scale for part in parts]), x * scale, w['model.embed_tokens.weight']


def bert(ids):
    """Norms stand behind attention and feed-forward: each divides all parts so far by the stream's deviation."""
    w, heads = load('models/bert/model.npz'), 3
    width, before = w['bert.embeddings.word_embeddings.weight'].shape[1], 'bert.embeddings.'
    norm = lambda x, name: F.layer_norm(x, (width,), w[f'{name}.weight'], w[f'{name}.bias'], 1e-12)
    x = norm(w[before + 'word_embeddings.weight'][ids] + w[before + 'token_type_embeddings.weight'][0] +
             w[before + 'position_embeddings.weight'][:len(ids)], before + 'LayerNorm')
    parts, n = [x], 0

    def through(x, parts, name):
        deviation = (x.var(-1, unbiased=False, keepdim=True) + 1e-12).sqrt()
        normed = [(part - part.mean(-1, keepdim=True)) / deviation * w[f'{name}.weight'] for part in parts]
        return norm(x, name), normed + [w[f'{name}.bias'].expand(len(ids), -1)]

    while f'bert.encoder.layer.{n}.output.dense.weight' in w:
        at = f'bert.encoder.layer.{n}.'
        linear = lambda x, name: F.linear(x, w[f'{at}{name}.weight'], w[f'{at}{name}.bias'])
        q, k, v = (linear(x, f'attention.self.{name}').view(len(ids), heads, -1).transpose(0, 1)
                   for name in ('query', 'key', 'value'))
        found = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v
        rows = w[at + 'attention.output.dense.weight'].T.reshape(heads, -1, width)
        own = list(found @ rows) + [w[at + 'attention.output.dense.bias'].expand(len(ids), -1)]
        x, parts = through(x + sum(own), parts + own, at + 'attention.output.LayerNorm')
        made = linear(F.gelu(linear(x, 'intermediate.dense')), 'output.dense')
        x, parts = through(x + made, parts + [made], at + 'output.LayerNorm')
        n += 1
    return torch.stack(parts), x, w['bert.embeddings.word_embeddings.weight']


logits, parts, found = run(TEXT)
out = {'logits': logits, 'part_logits': torch.einsum('pld,wd->lpw', parts, given['readout.weight'][0])}
out['lens'] = out['part_logits'].cumsum(1)
out['zero.0.1'] = run(TEXT, ((0, 1), 0.0))[0]
out['mean.1.0'] = run(TEXT, ((1, 0), found[1, 0].mean(0)))[0]
out['from.0.0'] = run(TEXT, ((0, 0), run(OTHER)[2][0, 0]))[0]
out['zero.0.0.4'] = run(TEXT, ((0, 0), 0.0, 4))[0]
out['mean.0.1.5'] = run(TEXT, ((0, 1), found[0, 1].mean(0), 5))[0]
out['from.1.0.5'] = run(TEXT, ((1, 0), run(OTHER)[2][1, 0][5], 5))[0]
out['composition'] = torch.tensor([[composition(head(0, a), head(1, b)) for b in range(H)]
                                   for a in range(H)])
torch.manual_seed(0)
pairs = []
for _ in range(10):
    earlier, later = drawn(), drawn()
    pairs.append(composition(earlier, later))
out['composition.random'] = torch.tensor(pairs).mean(0)
for name, model in (('gpt2', gpt2), ('llama', llama), ('bert', bert)):
    parts, normed, readout = model([3, 17, 0, 9])
    out[f'{name}.logits'] = normed @ readout.T
    out[f'{name}.part_logits'] = torch.einsum('pld,wd->lpw', parts, readout)
    out[f'{name}.lens'] = out[f'{name}.part_logits'].cumsum(1)
np.savez_compressed(f'{sys.argv[1]}/training/two_layers_heads.npz', **{name: value.float().numpy() for name, value in out.items()})
