"""60 random models of two to four layers against PyTorch: deep.py ATTNSCOPE prints TAP.

Each has an embedding, layers of attention that add to the residual stream, and a readout; heads, widths, biases,
positions, masks and blocks of an online softmax are drawn at random. Held to PyTorch are logits, loss and all
gradients, three times over with the weights that torch.optim.AdamW makes of them, and each part's share of the
logits. Held to itself, by its bits: shares add up to the logit, and a cache changes nothing. Then the model
writes, and takes the token that PyTorch finds likeliest.
"""
import math
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    import torch.nn.functional as F
except ImportError:
    print("1..0 # SKIP PyTorch is not here: pip install torch installs it")
    sys.exit(0)

from gradients import read

MODELS, WITHIN, WRITTEN = 60, 4e-6, 5  # WITHIN for each layer
PARTS = ("q_proj", "k_proj", "v_proj", "out_proj")


def draw(chance):
    """A model as a dictionary."""
    heads, width = chance.randint(1, 3), 2 * chance.randint(1, 3)
    return {
        "layers": chance.choice([2, 3, 3, 3, 4]),
        "heads": heads,
        "d_k": width,
        "length": chance.randint(2, 9),
        "batch": chance.choice([1, 1, 2, 3]),
        "words": chance.randint(4, 11),
        "rope": chance.choice([None, 10000, 100]),
        "neighbours": chance.choice([True, False]),
        "position": chance.choice(["none", "sinusoidal"]),
        "bias": chance.choice([True, False]),
        "scale": chance.choice(["sqrt_d_k", "sqrt_d_k", "d_k"]),
        "causal": chance.choice([True, True, False]),
        "block": chance.choice([None, None, 2, 3]),
        "seed": chance.randint(0, 10**6),
    }


def text_of(model, ids, answers):
    listed = [[token if token >= 0 else "~" for token in row] for row in answers.tolist()]
    lines = ["input:", "  ids: %s" % ids.tolist(), ("  targets: {next: %s}" % listed).replace("'", "")]
    lines += ["model:", "  vocabulary: %d" % model["words"], "  questions: [next]", "  residual: true"]
    lines += ["  d_model: %d" % (model["heads"] * model["d_k"]), "  heads: %d" % model["heads"]]
    lines += ["  position: %s" % model["position"]]
    lines += ["weights: {file: w.npz, layout: proj, layers: %d}" % model["layers"], "attention:"]
    lines += ["  mask: %s" % ("causal" if model["causal"] else "none"), "  scale: %s" % model["scale"]]
    if model["rope"]:
        lines += ["  rope: %d" % model["rope"], "  rope_neighbours: %s" % str(model["neighbours"]).lower()]
    lines += ["  softmax_block: %d" % model["block"]] if model["block"] else []
    return "\n".join(lines) + "\n"


def weights_of(model):
    torch.manual_seed(model["seed"])
    width = model["heads"] * model["d_k"]
    found = {"embedding.weight": torch.randn(model["words"], width)}
    for n in range(model["layers"]):
        for part in PARTS:
            found["layers.%d.%s.weight" % (n, part)] = torch.randn(width, width) / math.sqrt(width)
            if model["bias"]:
                found["layers.%d.%s.bias" % (n, part)] = torch.randn(width) / 4
    found["readout.weight"] = torch.randn(1, model["words"], width) / math.sqrt(width)
    return found


def turned(model, x):
    if not model["rope"]:
        return x
    width, half = x.shape[-1], x.shape[-1] // 2
    frequency = model["rope"] ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    angle = torch.arange(x.shape[-2], dtype=x.dtype)[:, None] * frequency
    cos, sin = angle.cos(), angle.sin()
    a, b = (x[..., 0::2], x[..., 1::2]) if model["neighbours"] else (x[..., :half], x[..., half:])
    first, second = a * cos - b * sin, b * cos + a * sin
    return torch.stack((first, second), -1).flatten(-2) if model["neighbours"] else torch.cat((first, second), -1)


def positions(length, width, dtype):
    angle = torch.arange(length, dtype=dtype)[:, None] * torch.exp(
        -math.log(10000.0) * torch.arange(0, width, 2, dtype=dtype) / width)
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(-2)


def run(model, weights, ids):
    """The logits [B, L, V], and what each part adds to the stream [P, B, L, D]."""
    heads, width, dtype = model["heads"], model["d_k"], weights["readout.weight"].dtype
    x = weights["embedding.weight"][ids]
    if model["position"] == "sinusoidal":
        x = x + positions(ids.shape[1], heads * width, dtype)
    divisor = width if model["scale"] == "d_k" else math.sqrt(width)
    parts = [x]
    for n in range(model["layers"]):
        def linear(part, rows):
            name = "layers.%d.%s." % (n, part)
            return F.linear(rows, weights[name + "weight"], weights.get(name + "bias"))

        q, k, v = (linear(part, x).unflatten(-1, (heads, width)).transpose(1, 2) for part in PARTS[:3])
        scores = turned(model, q) @ turned(model, k).transpose(-2, -1) / divisor
        if model["causal"]:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
        context = scores.softmax(-1) @ v
        columns = weights["layers.%d.out_proj.weight" % n].unflatten(1, (heads, width))
        parts += [context[:, h] @ columns[:, h].T for h in range(heads)]
        if model["bias"]:
            parts.append(weights["layers.%d.out_proj.bias" % n].expand_as(x))
        x = x + linear("out_proj", context.transpose(1, 2).flatten(-2))
    return F.linear(x, weights["readout.weight"][0]), torch.stack(parts)


def loss_of(model, weights, ids, answers):
    logits = run(model, weights, ids)[0]
    return F.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=-1)


def ours(name):
    """layers.1.q_proj.weight is layer1.q_proj.weight, layers.0.q_proj.weight is q_proj.weight."""
    return name.replace("layers.0.", "").replace("layers.", "layer")


class Program:
    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words):
        ended = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
        if ended.returncode != 0:
            raise ValueError(ended.stderr.strip())
        return ended.stdout

    def export(self, *sets):
        words = [word for pair in sets for word in ("--set", pair)]
        self.call("export", self.path("s.yaml"), self.path("s.safetensors"), *words)
        return read(self.path("s.safetensors"))


def expect(what, have, exact, rough, within, least=0.0):
    """Within that part of the largest number, or four times what float32 costs PyTorch."""
    exact, rough = exact.detach().double(), rough.detach().double()
    if not torch.isfinite(have).all() or have.numel() != exact.numel():
        raise ValueError("%s has another shape, or NaN" % what)
    off = (have.reshape(exact.shape) - exact).abs().max().item()
    may = max(within * max(exact.abs().max().item(), least), 4 * (exact - rough).abs().max().item())
    if off > may:
        raise ValueError("%s differs by %.1e, and may by %.1e" % (what, off, may))


def learn(program, model, weights, ids, answers):
    """Logits, loss and gradients, with three steps of AdamW; the weights behind them."""
    learned = {name: weight.clone().requires_grad_(True) for name, weight in weights.items()}
    within = WITHIN * model["layers"]
    optimizer = torch.optim.AdamW(learned.values(), lr=1e-2, betas=(0.9, 0.98), weight_decay=0.1)
    for _ in range(3):
        numpy.savez(program.path("w.npz"), **{name: weight.detach().numpy() for name, weight in learned.items()})
        found = program.export("backward=true")
        double = {name: weight.detach().double().requires_grad_(True) for name, weight in learned.items()}
        exact, rough = loss_of(model, double, ids, answers), loss_of(model, learned, ids, answers)
        expect("logits", found["logits"], run(model, double, ids)[0], run(model, learned, ids)[0], within)
        expect("loss", found["loss"], exact.reshape(1), rough.reshape(1), within)
        exact.backward()
        optimizer.zero_grad()
        rough.backward()
        # Softmax makes a gradient of queries and keys a difference of sums that may be alike, and is 0 for a bias of
        # keys: what is off is held to a tenth of the largest gradient.
        least = max(weight.grad.abs().max().item() for weight in double.values()) / 10
        for name, weight in learned.items():
            expect("grad." + name, found["grad." + ours(name)], double[name].grad, weight.grad, within, least)
        optimizer.step()
    return {name: weight.detach() for name, weight in learned.items()}


def share(program, model, weights, ids):
    found = program.export("model.parts=true")
    double = {name: weight.double() for name, weight in weights.items()}
    shares = [torch.einsum("pbld,wd->blpw", run(model, some, ids)[1], some["readout.weight"][0])
              for some in (double, weights)]
    expect("part_logits", found["part_logits"], *shares, WITHIN * model["layers"])
    if not torch.equal(found["attributed"], found["logits"]):
        raise ValueError("shares do not add up to the logit's bits")


def write(program, model, weights, ids):
    """A cache changes no bit; the likeliest token is PyTorch's, where the second is not as likely."""
    whole, cached = program.export(), program.export("attention.cached=%d" % (ids.shape[1] - 1))
    if not torch.equal(cached["logits"].flatten(), whole["logits"][:, :, -1].flatten()):
        raise ValueError("the cache changes the last token's logits")
    told = program.call("write", "--ids", ", ".join(map(str, ids[0].tolist())), program.path("s.yaml"),
                        "--tokens", str(WRITTEN))
    text = ids[:1]
    for line in told.splitlines()[2:2 + WRITTEN]:
        token, logits = int(line.split()[0]), run(model, weights, text)[0][0, -1]
        if logits[token] < logits.max() - 1e-4:
            raise ValueError("%d is written where %d is likeliest" % (token, logits.argmax()))
        text = torch.cat((text, torch.tensor([[token]])), 1)
    if "have the same bits" not in told:
        raise ValueError("the text that was written has other bits without the cache")


def try_one(program, model):
    ids = torch.randint(0, model["words"], (model["batch"], model["length"]))
    answers = torch.roll(ids, -1, 1)
    answers[:, -1] = -1
    with open(program.path("s.yaml"), "w") as file:
        file.write(text_of(model, ids, answers))
    weights = learn(program, model, weights_of(model), ids, answers)
    numpy.savez(program.path("w.npz"), **{name: weight.numpy() for name, weight in weights.items()})
    share(program, model, weights, ids)
    if model["causal"] and not model["block"] and model["batch"] == 1:
        write(program, model, weights, ids)


def main():
    chance, failed = random.Random(35), 0
    print("1..%d" % MODELS)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(folder)
        for number in range(1, MODELS + 1):
            model = draw(chance)
            try:
                try_one(program, model)
                wrong = ""
            except ValueError as error:
                wrong = str(error)
            failed += wrong != ""
            print("%sok %d - %s" % ("not " if wrong else "", number, wrong or "%d layers" % model["layers"]))
            if wrong:
                print("# %s" % model)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
