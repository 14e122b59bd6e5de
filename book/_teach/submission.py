"""What runs a submission, inside `walls`. It knows no expected value.

It runs the cells, then answers the judge line by line: what a name holds, what a function returns. A line is JSON, and
the judge takes nothing from it but data. `write` and `read` are the two ends of it, for both sides.
"""

import base64
import json
import math
import os
import sys
import types
from numbers import Number

import numpy as np
import sympy as sp
import torch
import walls
from time_limit import TimedOut, limited

from posenc.checks import Verdict, describe, is_blank
from posenc.doors import Scheme

LARGEST = 1_000_000  # numbers in one answer
DTYPES = {str(kind): kind for kind in vars(torch).values() if isinstance(kind, torch.dtype) and "int4" not in str(kind)}
DOORS = ("input", "query_key", "scores")


def write(value, hold):
    """A value as plain data. hold: keeps a function or class, and returns its number."""
    if value is ... or value is None or isinstance(value, (bool, str)):
        return {"dots": None} if value is ... else str(value)[:10_000] if isinstance(value, str) else value
    if type(value) is float or (type(value) is int and value.bit_length() < 4000):
        return value
    if isinstance(value, (list, tuple, range, set, frozenset)) and len(value) <= LARGEST:
        kind = "set" if isinstance(value, (set, frozenset)) else "tuple" if isinstance(value, tuple) else "list"
        return {kind: [write(part, hold) for part in value]}
    if type(value) is dict and len(value) <= LARGEST:
        return {"dict": [[write(key, hold), write(part, hold)] for key, part in value.items()]}
    if isinstance(value, torch.Tensor) and value.numel() <= LARGEST and str(value.dtype) in DTYPES:
        flat = value.detach().resolve_conj().resolve_neg().to_dense().cpu().reshape(-1).contiguous()
        data = base64.b64encode(flat.view(torch.uint8).numpy().tobytes()).decode()
        return {"tensor": [str(value.dtype), list(value.shape), data]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufcb" and value.size <= LARGEST:
        return write(torch.from_numpy(np.array(value, order="C")), hold)
    if isinstance(value, (np.generic, sp.MatrixBase)):
        return write(value.tolist(), hold)
    if isinstance(value, sp.Basic) and value.is_number:
        value = int(value) if value.is_Integer else complex(value.evalf(20))
        return write(value if isinstance(value, int) or value.imag else value.real, hold)
    if isinstance(value, Number):
        return {"complex": [complex(value).real, complex(value).imag]}
    if isinstance(value, type) and issubclass(value, Scheme):
        own = {door: getattr(value, door) for door in DOORS if getattr(value, door) is not getattr(Scheme, door)}
        return {"scheme": [hold(value), {door: is_blank(method) for door, method in own.items()}]}
    if callable(value) and not isinstance(value, Verdict):
        return {"function": [hold(value), is_blank(value), str(getattr(value, "__module__", ""))[:100]]}
    return {"strange": type(value).__name__[:100]}


def read(data, call):
    """A value from plain data. call(number, door, arguments) is what its functions do."""
    if not isinstance(data, dict):
        return data
    ((kind, rest),) = data.items()
    if kind in ("list", "tuple", "set"):
        return {"list": list, "tuple": tuple, "set": frozenset}[kind](read(part, call) for part in rest)
    if kind == "dict":
        return {read(key, call): read(part, call) for key, part in rest}
    if kind == "complex":
        return complex(*rest)
    if kind == "tensor":
        dtype, shape, flat = DTYPES[rest[0]], [int(n) for n in rest[1]], base64.b64decode(rest[2])
        if not flat or math.prod(shape) > LARGEST:
            return torch.empty([min(n, LARGEST) for n in shape], dtype=dtype, device=None if not flat else "meta")
        return torch.frombuffer(bytearray(flat), dtype=dtype).reshape(shape)
    if kind == "scheme":
        methods = {door: _function(call, rest[0], door, blank) for door, blank in rest[1].items() if door in DOORS}
        return type("Theirs", (Scheme,), methods)
    if kind == "function":
        return _function(call, rest[0], "", rest[1], str(rest[2]))
    return ... if kind == "dots" else Strange()


class Strange:
    """Stands for a value that is no answer to anything."""


def _function(call, number, door, blank, module=""):
    def function(*arguments):
        return call(number, door, arguments[1:] if door else arguments)

    def dots(*arguments): ...

    (dots if blank else function).__module__ = module
    return dots if blank else function


class Silent(types.ModuleType):
    """In place of a chapter's checkers: a cell that calls one goes on, and learns nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **keywords: None


def serve(incoming, outgoing):
    """Run the cells, tell how each went, then answer until the judge hangs up."""
    held = []

    def send(*message):
        outgoing.write(json.dumps(message).encode() + b"\n")
        outgoing.flush()

    def receive():
        return json.loads(incoming.readline() or sys.exit())

    def hold(thing):
        held.append(thing)
        return len(held) - 1

    def remote(number, door, arguments):
        send("back", number, [write(argument, hold) for argument in arguments])
        how, what = receive()
        if how == "raised":
            raise RuntimeError(what)
        return read(what, remote)

    def answer(number, door, arguments):
        thing = getattr(held[number](), door) if door else held[number]
        return write(thing(*(read(argument, remote) for argument in arguments)), hold)

    def tried(function):
        try:
            return ["is", limited(function, walls.SECONDS)]
        except TimedOut:
            return ["late", f"it did not come to an end in {walls.SECONDS:g} seconds"]
        except BaseException as problem:
            return ["raised", type(problem).__name__[:100], describe(problem).partition(": ")[2], describe(problem)]

    chapter, given, imports, cells, skip = receive()
    sys.modules[f"posenc.checks.{chapter}"] = module = Silent(chapter)
    vars(module).update({name: read(value, remote) for name, value in given.items()})
    space = {"__name__": "__main__"}
    exec(imports, space)
    walls.confine()
    for number, source in enumerate(cells):
        send("begins", number)
        how = tried(lambda source=source: exec(compile(source, "cell", "exec"), space)) if number not in skip else [0]
        send("ran", number, "" if how[0] in ("is", 0) else how[-1])
    while True:
        request, *rest = receive()
        if request == "get":
            send(*tried(lambda name=rest[0]: write(space.get(name, ...), hold)))
        else:
            send(*tried(lambda rest=rest: answer(*rest)))


if __name__ == "__main__":
    wires = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    for descriptor in range(3):  # what a cell prints goes nowhere
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    serve(*wires)
