"""An option for `posenc.rotary`: a kernel in C, for float32 and bfloat16 vectors, in one pass over memory.

`enable()` builds it, in about a second, where there are a C compiler and Linux; from then on `rotate` and
`Rotary` use it for vectors on the CPU, forward and backward. Nothing else changes, and nothing needs it.
"""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

NAMES = {torch.float32: "rotate_float32", torch.bfloat16: "rotate_bfloat16"}

_library: Any = None


def enable(compiler: str = "cc") -> None:
    """Build the kernel with `compiler`, and let `rotate` use it. Raises RuntimeError where that fails."""
    global _library
    path = shutil.which(compiler)
    if path is None:
        raise RuntimeError(f"compiler must be a C compiler, got {compiler!r}: install gcc, or go on without")
    source = Path(__file__).with_name("fused.c")
    with tempfile.TemporaryDirectory() as folder:
        parts = [str(Path(folder, name)) for name in ("fused.o", "fused.so")]
        # The threads are those of torch: linking OpenMP here would bring a second pool of them.
        flags = ["-O3", "-march=native", "-fopenmp", "-fPIC", "-c", str(source), "-o", parts[0]]
        for command in [path, *flags], [path, "-shared", parts[0], "-o", parts[1]]:
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"compiler {compiler!r} failed, so go on without it: {done.stderr}")
        try:
            _library = ctypes.CDLL(parts[1])
        except OSError as problem:
            raise RuntimeError(f"the kernel cannot be loaded, so go on without it: {problem}") from problem


def disable() -> None:
    """Go back to the operations of torch."""
    global _library
    _library = None


def serves(x: Tensor) -> bool:
    """Is the kernel there, and made for vectors such as x?"""
    return _library is not None and x.dtype in NAMES and x.device.type == "cpu"


def _rotate(x: Tensor, turns: Tensor, interleaved: bool) -> Tensor:
    """Turn x (…, time, width) by complex64 turns of as many dimensions that broadcast, last but one too."""
    x = x if x.stride(-1) == 1 else x.contiguous()
    out = torch.empty_like(x)
    angles = torch.view_as_real(turns.resolve_conj().contiguous()).flatten(-2)
    angles = angles.expand(*x.shape[:-1], -1)
    from_x, from_angles, to = (_four(part) for part in (x, angles, out))
    tables = [(ctypes.c_int64 * 4)(*numbers) for numbers in (
        to.shape, from_x.stride(), to.stride(), from_angles.stride()
    )]  # fmt: skip
    getattr(_library, NAMES[x.dtype])(
        *(ctypes.c_void_p(part.data_ptr()) for part in (from_x, to, from_angles)),
        *tables,
        ctypes.c_int64(angles.shape[-1]),
        int(interleaved),
        torch.get_num_threads(),
    )
    return out


def _shaped(x: Tensor, turns: Tensor, interleaved: bool) -> Tensor:
    """The result on the meta device, and for fake tensors."""
    return torch.empty_like(x)


def _four(x: Tensor) -> Tensor:
    """x with four dimensions."""
    return x[(None,) * (4 - x.dim())] if x.dim() < 4 else x.flatten(0, x.dim() - 4)


# An operator that torch knows: fake tensors and tracers see it as one.
_operators = torch.library.Library("posenc", "DEF")
_operators.define("rotate(Tensor x, Tensor turns, bool interleaved) -> Tensor")
_operators.impl("rotate", _rotate, "CPU")
_operators.impl("rotate", _shaped, "Meta")
