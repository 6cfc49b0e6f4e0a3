# Writes the files of pt/: what torch.save writes of tensors of every kind, of what people keep beside
# weights, and of a whole module. kinds.npz has the same numbers from NumPy. (torch 1.13, numpy 1.24)
import argparse, collections, dataclasses, datetime, functools, os, pathlib
import numpy as np
import torch

torch.manual_seed(0)
os.makedirs("pt", exist_ok=True)
old = {"_use_new_zipfile_serialization": False}


class Unknown:
    def __init__(self):
        self.layers = 3


@dataclasses.dataclass
class Config:
    heads: int = 2


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = torch.nn.MultiheadAttention(4, 2)
        self.register_buffer("mask", torch.ones(3))
        self.kept = torch.zeros(9)  # in no state dict


base = torch.randn(24)
kinds = {
    "turned": base.view(4, 6).t(),
    "part": base[3:9],
    "every_third": base[::3],
    "bf16": torch.randn(3, 4).bfloat16(),
    "f16": torch.randn(3, 4).half(),
    "f64": torch.randn(3, 4).double(),
    "i64": torch.arange(5) - 2,
    "i32": torch.arange(5, dtype=torch.int32) - 2,
    "u8": torch.arange(5, dtype=torch.uint8),
    "bool": torch.tensor([True, False]),
    "parameter": torch.nn.Parameter(torch.randn(2, 2)),
    "gradient": torch.randn(2, requires_grad=True),
    "scalar": torch.tensor(3.0),
}
kinds["tied"] = kinds["parameter"]
others = {"quantized": torch.quantize_per_tensor(torch.randn(4), 0.1, 0, torch.qint8),
          "sparse": torch.eye(2).to_sparse(), "i16": torch.zeros(2, dtype=torch.int16)}
torch.save({**kinds, **others}, "pt/kinds.pt")
torch.save({**kinds, **others}, "pt/kinds_old.pt", **old)
torch.save({**kinds, **others}, "pt/kinds_old_4.pt", pickle_protocol=4, **old)
arrays = {name: tensor.detach() for name, tensor in kinds.items()}
np.savez_compressed("pt/kinds.npz", **{name: (t.float() if t.is_floating_point() else t).numpy()
                            for name, t in arrays.items()})

beside = {
    "state_dict": {"_orig_mod.module.model." + k: v for k, v in Net().attn.state_dict().items()},
    "hyper_parameters": argparse.Namespace(n_head=2, lr=0.1, out=pathlib.PurePosixPath("/x")),
    "model_args": {"n_head": 2, "bias": True, "dropout": 0.0},
    "best": np.float64(3.5), "array": np.arange(3), "when": datetime.date(2026, 1, 1),
    "counts": collections.defaultdict(int, {"a": 1}), "order": collections.OrderedDict(a=1),
    "size": torch.Size([2, 3]), "device": torch.device("cpu"), "dtype": torch.float32,
    "part": functools.partial(print, 1), "config": Config(), "unknown": Unknown(),
    "set": {1}, "complex": 1j, "bytes": b"\x00\x01", "large": 1 << 80, "text": "가중치",
}
for protocol in (2, 4):
    torch.save(beside, f"pt/beside_{protocol}.ckpt", pickle_protocol=protocol)
torch.save({"net": Net(), "epoch": 3}, "pt/whole.pt")
