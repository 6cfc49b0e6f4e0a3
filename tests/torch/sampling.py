"""What a model writes next, by PyTorch: sampling.py > tests/golden/sampling.json.

draws: torch.multinomial after torch.manual_seed, token after token, over weights that every machine has the
same bits of. shaped: temperature, top-k and top-p as texts are generated with them. memory: the two layers that
the program ships, over the text of the scenario `memory` and what they write behind it, with a cache of keys
and values and without one.
"""
import json, os, struct, sys
import torch

HERE = os.path.dirname(os.path.abspath(__file__))


def weights(size):
    return torch.tensor([(w * 7919 + 13) % 97 + 1 for w in range(size)], dtype=torch.float32)


def draws():
    cases = []
    for size in (1, 2, 7, 17, 100, 1000, 5003):
        for seed in (0, 4, 4294967295):
            torch.manual_seed(seed)
            ids = [int(torch.multinomial(weights(size), 1)) for _ in range(6)]
            torch.manual_seed(seed)
            noise = torch.empty(size).exponential_(1)
            bits = [f"{x:08x}" for x in noise.view(torch.int32)[:2].tolist()]
            cases.append({"size": size, "seed": seed, "ids": ids, "noise": bits})
    return cases


def shaped():
    logits = torch.tensor([((w * 37 + 11) % 23) / 4 - 3 for w in range(17)])
    logits[5] = logits[9]  # a tie
    cases = []
    for temperature, top_k, top_p in ((1, 0, 0), (0.5, 0, 0), (2, 3, 0), (1, 4, 0.9), (0.7, 0, 0.5),
                                      (1, 17, 0.99), (1, 1, 1), (1, 0, 1e-6)):
        x = logits / temperature
        if top_k:
            x = x.masked_fill(x < x.topk(top_k).values[-1], -float("inf"))
        p = x.softmax(-1)
        if top_p:
            order = sorted(range(17), key=lambda w: (-p[w].item(), w))
            above = 0.0
            kept = torch.zeros(17)
            for w in order:
                kept[w] = 1.0 if above < top_p else 0.0
                above += p[w].item()
            p = p * kept / (p * kept).sum()
        cases.append({"temperature": temperature, "top_k": top_k, "top_p": top_p,
                      "probabilities": [round(v, 8) for v in p.tolist()]})
    return {"logits": logits.tolist(), "cases": cases}


def nucleus():
    """How many of 5003 words are kept, and the least likely of them: by TopPLogitsWarper of transformers 4.26
    (from the least likely on), and by torch.cumsum from the likeliest on. Both must say the same."""
    p = torch.tensor([1.0]) / torch.tensor([1.0 + w * 7919 % 5003 for w in range(5003)])
    p = p / torch.tensor(9.095109)
    cases = []
    for top_p in (0.3, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
        ordered, words = p.sort(descending=True, stable=True)
        kept = torch.cat((torch.zeros(1), ordered.cumsum(-1)[:-1])) < top_p
        rising = p.log().sort().values.softmax(-1).cumsum(-1)
        assert int((rising > 1 - top_p).sum()) == int(kept.sum())
        cases.append({"top_p": top_p, "kept": int(kept.sum()), "last": int(words[kept][-1])})
    return cases


def tensors(path):
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    head = json.loads(data[8:8 + length])
    return {name: torch.frombuffer(bytearray(data[8 + length + at["data_offsets"][0]:
                                                  8 + length + at["data_offsets"][1]]),
                                   dtype=torch.float32).reshape(at["shape"])
            for name, at in head.items() if name != "__metadata__"}


def rotate(x, first):  # neighbours are pairs
    width = x.shape[-1]
    place = torch.arange(first, first + x.shape[0], dtype=torch.float32)[:, None]
    angle = place * (1 / 10000 ** (torch.arange(0, width, 2) / width))
    even, odd = x[:, ::2], x[:, 1::2]
    turned = torch.stack([even * angle.cos() - odd * angle.sin(), odd * angle.cos() + even * angle.sin()], -1)
    return turned.flatten(1)


def logits(w, ids, cache):
    first = cache[0][0].shape[0] if cache else 0
    x = w["embedding.weight"][ids]
    kept = []
    for layer in range(2):
        q, k, v = (x @ w[f"layers.{layer}.{n}_proj.weight"].T for n in "qkv")
        q, k = rotate(q, first), rotate(k, first)
        if cache:
            k, v = torch.cat([cache[len(kept)][0], k]), torch.cat([cache[len(kept)][1], v])
        kept.append((k, v))
        hidden = torch.ones(len(ids), len(k)).triu(1 + len(k) - len(ids)).bool()
        scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(hidden, -float("inf"))
        x = x + scores.softmax(-1) @ v @ w[f"layers.{layer}.out_proj.weight"].T
    return x[-1] @ w["readout.weight"][0].T, kept


BEGINNING = [0, 8, 16, 1, 9, 16, 2, 15, 16, 4, 11, 16, 1]  # the text of the scenario


def memory():
    w = tensors(os.path.join(HERE, "../../lessons/scenarios/trained-memory-seed-0.safetensors"))
    ids = list(BEGINNING)
    out, cache = [], None
    for step in range(6):
        whole, _ = logits(w, ids, None)
        new, cache = logits(w, ids if cache is None else ids[-1:], cache)
        assert torch.allclose(whole, new, atol=1e-4)
        ids.append(int(whole.argmax()))
        out.append({"next": ids[-1], "logits": [round(v, 5) for v in whole.tolist()]})
    return out


def goes_on():
    """What follows "Mina tea . Joon milk . Mina", the likeliest word each time."""
    w = tensors(os.path.join(HERE, "../../lessons/scenarios/trained-memory-seed-0.safetensors"))
    ids = [0, 8, 16, 1, 9, 16, 0]
    for _ in range(8):
        ids.append(int(logits(w, ids, None)[0].argmax()))
    return ids[7:]


def drawn():
    """What follows the text of `memory` when each token is drawn, at temperature 4, after one manual_seed(4)."""
    w = tensors(os.path.join(HERE, "../../lessons/scenarios/trained-memory-seed-0.safetensors"))
    ids = list(BEGINNING)
    torch.manual_seed(4)
    for _ in range(6):
        ids.append(int(torch.multinomial((logits(w, ids, None)[0] / 4).softmax(-1), 1)))
    return ids[len(BEGINNING):]


if __name__ == "__main__":
    json.dump({"draws": draws(), "shaped": shaped(), "nucleus": nucleus(), "memory": memory(),
               "drawn": drawn(), "goes_on": goes_on()}, sys.stdout, separators=(",", ":"))
    print()
