"""Writes tests/golden/maps: python3 maps.py FOLDER, with PyTorch and NumPy.

sets.pt: three sets of maps as a model that translates returns them, two layers of (B, H, Lq, Lk), with
tokens as SentencePiece spells them. In layer n and sequence b query q gives half to key (q + n + b) mod Lk
and shares the rest.
output.pt: the same maps of the encoder as an object that a model returns.
words_*.npz: (2, 2, 2) beside tokens as NumPy keeps texts, and something that is no map.
"""
import collections
import sys
import types
import numpy as np
import torch


def maps(layer, queries, keys):
    out = torch.full((2, 1, queries, keys), 0.5 / (keys - 1))
    for b in range(2):
        for q in range(queries):
            out[b, 0, q, (q + layer + b) % keys] = 0.5
    return out


def model_output():
    """A class of dicts as transformers', which pickles what it holds twice: as arguments and as items."""
    class BaseModelOutput(collections.OrderedDict):
        def __reduce__(self):
            function, _, *rest = super().__reduce__()
            return (function, tuple(self.values()), *rest)

    module = types.ModuleType("transformers.modeling_outputs")
    sys.modules["transformers"] = types.ModuleType("transformers")
    sys.modules[module.__name__] = module
    BaseModelOutput.__module__ = module.__name__
    BaseModelOutput.__qualname__ = "BaseModelOutput"
    module.BaseModelOutput = BaseModelOutput
    return BaseModelOutput()


folder = sys.argv[1]
output = model_output()
output["last_hidden_state"] = torch.ones(2, 3, 4)
output["attentions"] = tuple(maps(layer, 3, 3) for layer in range(2))
torch.save(output, folder + "/output.pt")
torch.save({
    "loss": torch.tensor(0.0),
    "encoder_attentions": tuple(maps(layer, 3, 3) for layer in range(2)),
    "decoder_attentions": tuple(maps(layer, 2, 2) for layer in range(2)),
    "cross_attentions": tuple(maps(layer, 2, 3) for layer in range(2)),
    "encoder_tokens": ["\u2581He", "<0x0A>", "ok"],
    "decoder_tokens": ["\u2581Il", "\u2581va"],
}, folder + "/sets.pt")

attn = np.array([[[1, 0], [0.5, 0.5]], [[0.25, 0.75], [0.75, 0.25]]], "<f4")
tokens = ["\u0120so", "\u0120it"]
kinds = {
    "unicode": np.array(tokens),
    "big": np.array(tokens, ">U3"),
    "bytes": np.array([t.encode() for t in tokens]),
    "object": np.array(tokens + tokens, object)[:2],
    "batch": np.array([["a", "b"], ["c", "d"]]),
    "odd": np.array(["a", "b", "c"]),
}
for kind, words in kinds.items():
    np.savez(f"{folder}/words_{kind}.npz", attn=attn, hidden=np.ones((2, 2, 4), "<f4"), tokens=words)
