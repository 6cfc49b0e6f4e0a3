"""Dumps of attention as notebooks write it, for `attnscope verify`: tests/golden/dumps/*.npz.
usage: dumps.py   (needs torch; makes the folder's files anew)

Each has its own way to write attention, or one mistake; tests/mistakes/test_chain.c says what verify tells of it.
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


def annotated(seed, inverted):
    """The Annotated Transformer: mask (B, 1, L), 0 where a token is a pad, and -1e9."""
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])[:, None]
    hides = (mask if inverted else 1 - mask).bool()[:, None]
    return {**layer(seed, hides, fill=-1e9), "src_mask": mask}


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
