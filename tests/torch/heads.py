"""Writes what heads do in the model of two_layers.npz, for tests/test_heads.c.

usage: python3 tests/torch/heads.py tests/golden/training/two_layers.npz \\
           tests/golden/training/two_layers_heads.npz

One text of six tokens. In the file are every part's share of every logit, the logits at each point of the
residual stream, the logits with a head's output patched (zeros, its mean over the text, another text's), and
the composition of every pair of heads beside its mean over pairs that torch.randn draws.
"""

import math
import sys

import numpy as np
import torch
import torch.nn.functional as F

L, D, H = 6, 8, 2
WIDTH = D // H
TEXT, OTHER = [3, 4, 0, 5, 0, 0], [0, 6, 0, 5, 6, 4]
given = {name: torch.from_numpy(value) for name, value in np.load(sys.argv[1]).items()}


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
                context[h] = patch[1]
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


logits, parts, found = run(TEXT)
out = {'logits': logits, 'part_logits': torch.einsum('pld,wd->lpw', parts, given['readout.weight'][0])}
out['lens'] = out['part_logits'].cumsum(1)
out['zero.0.1'] = run(TEXT, ((0, 1), 0.0))[0]
out['mean.1.0'] = run(TEXT, ((1, 0), found[1, 0].mean(0)))[0]
out['from.0.0'] = run(TEXT, ((0, 0), run(OTHER)[2][0, 0]))[0]
out['composition'] = torch.tensor([[composition(head(0, a), head(1, b)) for b in range(H)]
                                   for a in range(H)])
torch.manual_seed(0)
pairs = []
for _ in range(10):
    earlier, later = drawn(), drawn()
    pairs.append(composition(earlier, later))
out['composition.random'] = torch.tensor(pairs).mean(0)
np.savez_compressed(sys.argv[2], **{name: value.float().numpy() for name, value in out.items()})
