"""Writes what PyTorch makes of a small model of two layers or more, for tests/train/test_two_layers.c.

usage: python3 tests/torch/layers.py tests/golden/training/two_layers.npz 2
       python3 tests/torch/layers.py tests/golden/training/three_layers.npz 3

Embedding; layers of causal attention with rotary positions (neighbours), each adding to the residual
stream; readout. In the file are the weights as they begin, the ids and answers, the residual stream and
the attention weights, logits, loss, every gradient, and the weights after three steps of AdamW.
"""

import math
import sys

import numpy as np
import torch
import torch.nn.functional as F

V, L, D, H, B = 7, 6, 8, 2, 2
LAYERS = int(sys.argv[2])
WIDTH = D // H
PARTS = ('q_proj', 'k_proj', 'v_proj', 'out_proj')


def turned(x):
    frequency = 10000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
    angle = torch.arange(x.shape[-2])[:, None] * frequency
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * angle.cos() - second * angle.sin(),
                        second * angle.cos() + first * angle.sin()), -1).flatten(-2)


def attend(x, weights, n, kept):
    q, k, v = (F.linear(x, weights[f'layers.{n}.{p}.weight']).view(B, L, H, WIDTH).transpose(1, 2)
               for p in PARTS[:3])
    scores = turned(q) @ turned(k).transpose(-2, -1) / math.sqrt(WIDTH)
    hidden = torch.triu(torch.ones(L, L, dtype=torch.bool), 1)
    kept[f'attn_weights.{n}'] = attention = scores.masked_fill(hidden, -math.inf).softmax(-1)
    context = (attention @ v).transpose(1, 2).reshape(B, L, D)
    return F.linear(context, weights[f'layers.{n}.out_proj.weight'])


def run(weights, ids, answers, kept):
    kept['residual.0'] = x = weights['embedding.weight'][ids]
    for n in range(LAYERS):
        kept[f'residual.{n + 1}'] = x = x + attend(x, weights, n, kept)
    kept['logits'] = logits = F.linear(x, weights['readout.weight'][0])
    return F.cross_entropy(logits.reshape(-1, V), answers.reshape(-1), ignore_index=-1)


torch.manual_seed(35)
weights = {'embedding.weight': torch.randn(V, D) * 0.5}
for n in range(LAYERS):
    weights.update({f'layers.{n}.{p}.weight': torch.randn(D, D) / math.sqrt(D) for p in PARTS})
weights['readout.weight'] = torch.randn(1, V, D) / math.sqrt(D)
out = {name: weight.clone() for name, weight in weights.items()}
weights = {name: weight.requires_grad_(True) for name, weight in weights.items()}
out['ids'] = ids = torch.tensor([[3, 4, 0, 5, 0, 0], [0, 6, 0, 5, 6, 4]])
answers = torch.roll(ids, -1, 1)
answers[:, -1] = answers[1, 0] = -1
out['answers'] = answers
optimizer = torch.optim.AdamW(weights.values(), lr=1e-2, betas=(0.9, 0.98), eps=1e-8,
                              weight_decay=0.1)
for step in (1, 2, 3):
    kept = {}
    optimizer.zero_grad()
    loss = run(weights, ids, answers, kept)
    loss.backward()
    out[f'loss.{step}'] = loss.reshape(1)
    if step == 1:
        out.update(kept)
        out.update({f'{name}.grad': weight.grad.clone() for name, weight in weights.items()})
    optimizer.step()
out.update({f'{name}.after': weight for name, weight in weights.items()})
np.savez_compressed(sys.argv[1], **{name: value.detach().numpy() for name, value in out.items()})
