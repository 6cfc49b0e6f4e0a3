# Writes float32 tensors as .safetensors; the format's page says how.
import json, struct


def write(path, tensors):
    header, place, parts = {}, 0, []
    for name, tensor in tensors.items():
        part = tensor.detach().contiguous().numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [place, place + len(part)]}
        place += len(part)
        parts.append(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
