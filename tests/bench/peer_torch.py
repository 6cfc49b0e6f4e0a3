"""PyTorch as a peer of `attnscope bench`; README.md beside this file has the protocol.

Every intermediate is kept, as attnscope keeps it. With --tuned: inference mode, and outputs
written into memory that is there already.
"""
import ctypes
import os
import sys
import time

TUNED = "--tuned" in sys.argv[1:]


def limit_threads(threads):
    """Both of torch's pools and OpenBLAS; the variables must be set before torch is loaded."""
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
    os.environ.pop("OPENBLAS_CORETYPE", None)
    import torch

    torch.set_num_threads(threads)
    try:
        ctypes.CDLL("libopenblas.so.0").openblas_set_num_threads(threads)
    except (OSError, AttributeError):
        pass  # another BLAS
    return torch


class Walk:
    def __init__(self, torch, batch, length, width, heads, mask):
        self.torch, self.heads, self.mask_kind = torch, heads, mask
        self.out = {}
        torch.manual_seed(0)
        self.layers = {name: torch.nn.Linear(width, width) for name in "qkvo"}
        self.embedding = torch.nn.Embedding(100, width)
        self.ids = torch.randint(1, 100, (batch, length))
        self.padding = torch.arange(length)[None, :] >= torch.randint(1, length + 1, (batch, 1))
        self.causal = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
        self.x = torch.randn(batch, length, width)

    def keep(self, name, function, *args):
        """The result of a function that takes out=; tuned, into the memory of the run before."""
        if TUNED and name in self.out:
            return function(*args, out=self.out[name])
        self.out[name] = function(*args)
        return self.out[name]

    def linear(self, name, x):
        layer = self.layers[name]
        if not TUNED:
            self.out[name] = layer(x)
            return self.out[name]
        flat = x.reshape(-1, x.shape[-1])
        return self.keep(name, self.torch.addmm, layer.bias, flat, layer.weight.t()).view(x.shape)

    def run(self):
        torch = self.torch
        x = self.x
        if self.mask_kind == "padding":
            x = self.out["x"] = self.embedding(self.ids)
        batch, length, width = x.shape
        split = (batch, length, self.heads, width // self.heads)
        q, k, v = (self.linear(name, x).view(split).transpose(1, 2) for name in "qkv")
        scores = self.keep("scores", torch.matmul, q, k.transpose(-2, -1))
        scores = self.keep("scaled", torch.div, scores, float(split[3]) ** 0.5)
        if self.mask_kind != "none":
            forbidden = self.causal if self.mask_kind == "causal" else self.padding[:, None, None, :]
            scores = self.out["masked"] = scores.masked_fill(forbidden, float("-inf"))
        weights = self.out["weights"] = torch.softmax(scores, -1)
        context = self.keep("context", torch.matmul, weights, v)
        concat = self.out["concat"] = context.transpose(1, 2).contiguous().view(x.shape)
        return self.linear("o", concat)


def main():
    walk = context = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "open":
            batch, length, width, heads = map(int, words[2:6])
            torch = limit_threads(int(words[7]))
            context = torch.inference_mode if TUNED else torch.no_grad
            walk = Walk(torch, batch, length, width, heads, words[6])
            with context():
                walk.run()
            print("ready", flush=True)
        else:
            with context():
                start = time.perf_counter()
                walk.run()
                print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
