"""What PyTorch code with a known mistake dumps, told by `attnscope verify`; and right code, written in other
ways: verify.py ATTNSCOPE prints TAP.

Each mistake is made in PyTorch, with three seeds, and dumped under a notebook's own names. verify must name it.
Of 100 right variants it must say that they are the same.
"""
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
except ImportError:
    print("1..0 # SKIP PyTorch is not here: pip install torch numpy installs it")
    sys.exit(0)

BATCH, LENGTH, HEADS, D_K, VOCABULARY = 2, 5, 2, 4, 9
WIDTH = HEADS * D_K
LENGTHS = (5, 3)
SEEDS = (1, 2, 3)
RIGHT_VARIANTS = 100

CAUSAL = """input:
  vectors: {randn: [2, 5, 8]}
model: {d_model: 8, heads: 2}
weights:
  manual_seed: %d
  draw: [q_proj, k_proj, v_proj, out_proj, x]
attention: {mask: causal}
"""
PADDED = """input:
  ids: [[1, 2, 3, 4, 5], [6, 7, 8]]
model: {vocabulary: 9, d_model: 8, heads: 2, position: sinusoidal}
weights:
  manual_seed: %d
  draw: [embedding, q_proj, k_proj, v_proj, out_proj]
attention: {mask: key_padding}
"""


class Notebook:
    """Multi-head attention as a notebook writes it; each step may be replaced, by its name."""

    def __init__(self, seed, padded, **replaced):
        self.padded, self.replaced, self.dump = padded, replaced, {}
        torch.manual_seed(seed)
        if padded:
            self.embedding = torch.nn.Embedding(VOCABULARY, WIDTH)
        layers = [torch.nn.Linear(WIDTH, WIDTH) for _ in range(4)]
        self.w_q, self.w_k, self.w_v, self.w_o = layers
        if not padded:
            self.input = torch.randn(BATCH, LENGTH, WIDTH)

    def step(self, name, *values):
        made = self.replaced.get(name, getattr(Notebook, name))(self, *values)
        self.dump["my_" + name] = made
        return made

    def ids(self):
        return torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 0, 0]])

    def positions(self):
        place = torch.arange(LENGTH)[:, None].double()
        column = torch.arange(WIDTH)
        angle = place / 10000.0 ** ((column // 2 * 2).double() / WIDTH)
        return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()

    def x(self):
        if not self.padded:
            return self.input
        return self.embedding(self.step("ids")) + self.step("positions")

    def q(self, x):
        return self.w_q(x)

    def k(self, x):
        return self.w_k(x)

    def v(self, x):
        return self.w_v(x)

    def heads(self, rows):
        return rows.view(BATCH, LENGTH, HEADS, D_K).transpose(1, 2)

    def scores(self, q, k):
        return q @ k.transpose(-2, -1)

    def scaled(self, scores):
        return scores / math.sqrt(D_K)

    def mask(self):
        if self.padded:
            lengths = torch.tensor(LENGTHS)
            return (torch.arange(LENGTH)[None] >= lengths[:, None])[:, None, None]
        return torch.ones(LENGTH, LENGTH).triu(1).bool()

    def masked(self, scaled):
        return scaled.masked_fill(self.step("mask"), -math.inf)

    def weights(self, masked):
        return torch.softmax(masked, dim=-1)

    def context(self, weights, v):
        return weights @ v

    def merged(self, context):
        return context.transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)

    def output(self, merged):
        return self.w_o(merged)

    def run(self):
        with torch.no_grad():
            x = self.step("x")
            q, k, v = (self.step(name, x) for name in "qkv")
            q, k, v = (self.replaced.get("heads", Notebook.heads)(self, rows) for rows in (q, k, v))
            self.dump.update(q_split=q, k_split=k, v_split=v)
            masked = self.step("masked", self.step("scaled", self.step("scores", q, k)))
            context = self.step("context", self.step("weights", masked), v)
            self.step("output", self.step("merged", context))
        for name, layer in zip(("q_proj", "k_proj", "v_proj", "out_proj"), (self.w_q, self.w_k, self.w_v, self.w_o)):
            self.dump[name + ".weight"], self.dump[name + ".bias"] = layer.weight, layer.bias
        if self.padded:
            self.dump["embedding.weight"] = self.embedding.weight
        return {name: made.detach().numpy() for name, made in self.dump.items()}


def unbiased(layer):
    return lambda self, rows: torch.nn.functional.linear(rows, getattr(self, layer).weight)


def twice(layer):
    return lambda self, rows: getattr(self, layer)(rows) + getattr(self, layer).bias


def turned(layer):
    return lambda self, rows: rows @ getattr(self, layer).weight + getattr(self, layer).bias


def all_layers(make):
    return {"q": make("w_q"), "k": make("w_k"), "v": make("w_v"), "output": make("w_o")}


def off_by_one(self):
    return torch.ones(LENGTH, LENGTH).triu(2).bool()


def after_softmax(self, masked):
    return torch.softmax(masked, dim=-1).masked_fill(Notebook.mask(self), 0.0)


def not_normalised(self, masked):
    return (masked - masked.max(dim=-1, keepdim=True).values).exp()


def shifted_positions(self):
    return torch.cat((Notebook.positions(self)[1:], self_end()))


def self_end():
    column = torch.arange(WIDTH)
    angle = LENGTH / 10000.0 ** ((column // 2 * 2).double() / WIDTH)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()[None]


def swapped_positions(self):
    right = Notebook.positions(self).view(LENGTH, WIDTH // 2, 2)
    return right.flip(-1).reshape(LENGTH, WIDTH)


def padding(least):
    """A padding mask whose sequences are longer by `least`."""

    def mask(self):
        lengths = torch.tensor(LENGTHS) + least
        return (torch.arange(LENGTH)[None] >= lengths[:, None])[:, None, None]

    return mask


# The name, whether of the padded batch, and what stands in the place of the right step.
MISTAKES = [
    ("weight-not-transposed", False, all_layers(turned)),
    ("w-q-for-all", False, {"k": Notebook.q, "v": Notebook.q}),
    ("bias-forgotten", False, all_layers(unbiased)),
    ("bias-twice", False, all_layers(twice)),
    ("heads-interleaved", False,
     {"heads": lambda self, rows: rows.view(BATCH, LENGTH, D_K, HEADS).permute(0, 3, 1, 2)}),
    ("split-by-view-alone", False,
     {"heads": lambda self, rows: rows.reshape(BATCH, HEADS, LENGTH, D_K)}),
    ("scores-transposed", False, {"scores": lambda self, q, k: k @ q.transpose(-2, -1)}),
    ("k-not-transposed", False,
     {"scores": lambda self, q, k: q @ k.contiguous().view(BATCH, HEADS, D_K, LENGTH)}),
    ("k-v-swapped", False, {"k": Notebook.v, "v": Notebook.k}),
    ("embedding-transposed", True,
     {"x": lambda self: torch.nn.functional.embedding(
         self.step("ids"), self.embedding.weight.view(WIDTH, VOCABULARY).T.contiguous())
      + self.step("positions")}),
    ("scale-missing", False, {"scaled": lambda self, scores: scores}),
    ("scale-multiplied", False, {"scaled": lambda self, scores: scores * math.sqrt(D_K)}),
    ("scale-by-d-k", False, {"scaled": lambda self, scores: scores / D_K}),
    ("scale-by-d-model", False, {"scaled": lambda self, scores: scores / math.sqrt(WIDTH)}),
    ("scale-by-sqrt-heads", False, {"scaled": lambda self, scores: scores / math.sqrt(HEADS)}),
    ("mask-missing", False, {"masked": lambda self, scaled: scaled}),
    ("mask-inverted", False, {"mask": lambda self: ~Notebook.mask(self)}),
    ("mask-off-by-one", False, {"mask": off_by_one}),
    ("mask-diagonal", False, {"mask": lambda self: torch.ones(LENGTH, LENGTH).triu(0).bool()}),
    ("mask-query-axis", True, {"mask": lambda self: Notebook.mask(self).transpose(-2, -1)}),
    ("mask-zero", False,
     {"masked": lambda self, scaled: scaled.masked_fill(Notebook.mask(self), 0.0)}),
    ("mask-after-softmax", False, {"masked": lambda self, scaled: scaled, "weights": after_softmax}),
    ("softmax-over-queries", False, {"weights": lambda self, masked: torch.softmax(masked, dim=-2)}),
    ("softmax-over-heads", False, {"weights": lambda self, masked: torch.softmax(masked, dim=1)}),
    ("softmax-not-normalised", False, {"weights": not_normalised}),
    ("merge-without-transpose", False,
     {"merged": lambda self, context: context.reshape(BATCH, LENGTH, WIDTH)}),
    ("concat-interleaved", False,
     {"merged": lambda self, context: context.permute(0, 2, 3, 1).reshape(BATCH, LENGTH, WIDTH)}),
    ("position-off-by-one", True, {"positions": shifted_positions}),
    ("position-sine-cosine-swapped", True, {"positions": swapped_positions}),
    ("pads-not-masked", True, {"masked": lambda self, scaled: scaled}),
    ("padding-inverted", True, {"mask": lambda self: ~Notebook.mask(self)}),
    ("padding-off-by-one", True, {"mask": padding(1)}),
    ("pad-left", True, {"ids": lambda self: torch.tensor([[1, 2, 3, 4, 5], [0, 0, 6, 7, 8]])}),
]

# Other ways to write what is right.
RIGHT = [
    {},
    {"scaled": lambda self, scores: scores * D_K**-0.5},
    {"scores": lambda self, q, k: torch.einsum("bhid,bhjd->bhij", q, k)},
    {"heads": lambda self, rows: rows.reshape(BATCH, LENGTH, HEADS, D_K).permute(0, 2, 1, 3)},
    {"heads": lambda self, rows: torch.stack(rows.chunk(HEADS, dim=-1), dim=1)},
    {"masked": lambda self, scaled: scaled + torch.zeros_like(scaled).masked_fill(
        Notebook.mask(self), -math.inf)},
    {"weights": lambda self, masked: masked.exp() / masked.exp().sum(-1, keepdim=True)},
    {"context": lambda self, weights, v: torch.einsum("bhij,bhjd->bhid", weights, v)},
    {"merged": lambda self, context: torch.cat(context.unbind(1), dim=-1)},
    {"output": lambda self, merged: merged @ self.w_o.weight.T + self.w_o.bias},
]


def verify(attnscope, folder, notebook, text):
    dump, path = os.path.join(folder, "mine.npz"), os.path.join(folder, "s.yaml")
    numpy.savez(dump, **notebook.run())
    with open(path, "w") as file:
        file.write(text)
    ended = subprocess.run(
        [attnscope, "verify", dump, path, "--lang", "en"], capture_output=True, text=True
    )
    return ended.stdout + ended.stderr


def titles(attnscope):
    """What each mistake is called."""
    listed = subprocess.run([attnscope, "list", "mistakes", "--lang", "en"], capture_output=True, text=True)
    return dict(line.split(None, 1) for line in listed.stdout.splitlines())


def main():
    number = failed = 0
    title = titles(sys.argv[1])
    print("1..%d" % (len(MISTAKES) + 1))
    with tempfile.TemporaryDirectory() as folder:
        for name, padded, replaced in MISTAKES:
            number += 1
            said = ""
            for seed in SEEDS:
                text = (PADDED if padded else CAUSAL) % seed
                said = verify(sys.argv[1], folder, Notebook(seed, padded, **replaced), text)
                if title[name] not in said:
                    break
            good = title[name] in said
            failed += not good
            print("%sok %d - %s" % ("" if good else "not ", number, name))
            if not good:
                print("# " + said.strip().replace("\n", "\n# "))
        wrong = []
        for variant in range(RIGHT_VARIANTS):
            padded, seed = variant % 2 == 1, variant + 10
            replaced = RIGHT[variant // 2 % len(RIGHT)]
            text = (PADDED if padded else CAUSAL) % seed
            said = verify(sys.argv[1], folder, Notebook(seed, padded, **replaced), text)
            if "\nsame: " not in said:
                wrong.append("variant %d, seed %d\n%s" % (variant, seed, said.strip()))
        failed += wrong != []
        number += 1
        print("%sok %d - %d right variants are the same" % ("not " if wrong else "", number, RIGHT_VARIANTS))
        for said in wrong[:3]:
            print("# " + said.replace("\n", "\n# "))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
