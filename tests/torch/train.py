"""How long a training takes beside PyTorch: train.py ATTNSCOPE, on a machine that does nothing else.

PyTorch trains a layer of the shipped model's sizes with its recipe: batches of as many texts, Adam with weights
that decay, a rate that falls to 0; the cost of the overlap is attnscope's alone. Its texts are drawn words, and
it is asked for the word itself, the one before and the text's last one; what they say changes no time, but that
the loss falls shows that something is learned. Then causal-large, forward and backward, where PyTorch keeps the
tensors of the forward pass, and attnscope those of both.
Several rounds in turn; the median step of each program, and its shortest, in which a shared machine disturbed it
least. Which library PyTorch's products come from is told beside them. Nothing is held to them.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from peer_torch import Walk, limit_threads

try:
    torch = limit_threads(2)
except ImportError:
    print("1..0 # SKIP PyTorch is not here: pip install torch installs it")
    sys.exit(0)

ROUNDS, STEPS, RUNS = 3, 300, 5
WHOLE, BATCH, LENGTH, WORDS, WIDTH, HEADS, QUESTIONS = 2000, 32, 18, 41, 48, 3, 3
BACKWARD = """input:
  vectors: {randn: [16, 128, 512]}
model:
  d_model: 512
  heads: 8
weights:
  manual_seed: 42
  draw: [q_proj, k_proj, v_proj, out_proj, x]
attention:
  mask: causal
backward: true
"""


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, WIDTH)
        torch.nn.init.normal_(self.embedding.weight, std=0.3)
        self.q, self.k, self.v, self.out = (
            torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4)
        )
        self.readout = torch.nn.Linear(WIDTH, QUESTIONS * WORDS, bias=False)
        place = torch.arange(LENGTH)[:, None]
        angle = place / 10000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
        self.position = torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)

    def forward(self, ids, padding):
        x = self.embedding(ids) + self.position
        q, k, v = (
            layer(x).view(BATCH, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        weights = torch.softmax(scores.masked_fill(padding[:, None, None, :], -math.inf), dim=-1)
        rows = (weights @ v).transpose(1, 2).flatten(2)
        return self.readout(self.out(rows)).view(BATCH, LENGTH, QUESTIONS, WORDS)


def texts():
    """Ids, which of them are padding, and what is asked."""
    ids = torch.randint(1, WORDS, (BATCH, LENGTH))
    lengths = torch.randint(4, LENGTH + 1, (BATCH, 1))
    padding = torch.arange(LENGTH)[None, :] >= lengths
    before = torch.cat([torch.zeros(BATCH, 1, dtype=torch.int64), ids[:, :-1]], dim=1)
    last = ids.gather(1, lengths - 1).expand(BATCH, LENGTH)
    targets = torch.stack([ids, before, last], dim=2).masked_fill(padding[:, :, None], -1)
    return ids.masked_fill(padding, 0), padding, targets


class Trained:
    """A training that goes on from one round to the next."""

    def __init__(self):
        torch.manual_seed(0)
        self.layer, self.losses = Layer(), []
        self.adam = torch.optim.AdamW(
            self.layer.parameters(), lr=0.01, betas=(0.9, 0.98), weight_decay=0.3
        )
        self.rate = torch.optim.lr_scheduler.LambdaLR(self.adam, lambda step: 1 - step / WHOLE)

    def step(self):
        ids, padding, targets = texts()
        self.adam.zero_grad()
        logits = self.layer(ids, padding)
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 2), targets.flatten(), ignore_index=-1
        )
        loss.backward()
        self.adam.step()
        self.rate.step()
        self.losses.append(loss.item())


class Large:
    """causal-large, forward and backward."""

    def __init__(self):
        self.walk = Walk(torch, 16, 128, 512, 8, "causal")
        self.walk.x.requires_grad_(True)

    def step(self):
        for tensor in [self.walk.x] + [p for l in self.walk.layers.values() for p in l.parameters()]:
            tensor.grad = None
        (self.walk.run().square().sum() / 2).backward()


def timed(what, count, threads):
    limit_threads(threads)
    seconds = []
    for _ in range(count):
        start = time.perf_counter()
        what.step()
        seconds.append(time.perf_counter() - start)
    return seconds


def attnscope(threads, path):
    """Median and least seconds of a step of the training and of the large scenario, by attnscope itself."""
    command = [sys.argv[1], "bench", "train", path, "--json", "--threads", str(threads)]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    step = next(row for row in told["others"] if row.get("threads") == threads)
    return [(row["median"], row["least"]) for row in (step, told["workloads"][0]["seconds"])]


def products_by():
    """The library that PyTorch's products of matrices come from: ratios are several times apart between them."""
    with open("/proc/self/maps") as maps:
        paths = {os.path.realpath(line.split()[-1]) for line in maps if "/" in line}
    names = {os.path.basename(path) for path in paths}
    found = sorted(name for name in names if re.match(r"lib(open)?blas|libmkl_rt|libmkl_core|libblis", name))
    return ", ".join(found) or "a library of its own"


def report(name, threads, ours, theirs):
    mine = (statistics.median(median for median, _ in ours), min(least for _, least in ours))
    other = (statistics.median(theirs), min(theirs))
    for what, own, peer in zip(("median", "least"), mine, other):
        print(
            "%-12s threads %d, %-6s  attnscope %8.3f ms  PyTorch %8.3f ms  ratio %.2f"
            % (name, threads, what, 1e3 * own, 1e3 * peer, peer / own)
        )


def main():
    trained, large = Trained(), Large()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.yaml")
        with open(path, "w") as file:
            file.write(BACKWARD)
        for threads in (1, 2):
            ours, theirs = ([], []), ([], [])
            for _ in range(ROUNDS):
                for list_, seconds in zip(ours, attnscope(threads, path)):
                    list_.append(seconds)
                theirs[0].extend(timed(trained, STEPS, threads))
                theirs[1].extend(timed(large, RUNS, threads))
            report("train", threads, ours[0], theirs[0])
            report("causal-large", threads, ours[1], theirs[1])
    print("PyTorch %s, its products by %s" % (torch.__version__, products_by()))
    print("PyTorch's loss went from %.2f to %.2f" % (trained.losses[0], trained.losses[-1]))


if __name__ == "__main__":
    main()
