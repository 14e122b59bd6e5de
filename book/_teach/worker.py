"""The process in which one submission runs: alone, poor, and without a network where the system allows that.

It knows no expected value. It runs the cells, and then answers the grader's requests: what a name holds, what
a function returns. Messages are plain data, so that nothing a submission makes is unpickled or believed.
"""

import contextlib
import ctypes
import faulthandler
import io
import itertools
import json
import os
import resource
import signal
import struct
import sys
from numbers import Number
from pathlib import Path

import numpy as np
import sympy as sp
import torch

from posenc import doors
from posenc.checks import Verdict, _is_blank, said
from posenc.checks.limit import TimedOut, limited

SECONDS = 5.0  # for a cell, and for a call
OUTPUT = 100_000  # characters that a submission may print
LARGEST = 1_000_000  # numbers in one value
NEWNS, NEWUSER, NEWPID, NEWNET = 0x20000, 0x10000000, 0x20000000, 0x40000000


class TooMuch(BaseException):
    """The submission printed more than it may."""


class Capped(io.TextIOBase):
    """A place for prints that is full after a while."""

    def __init__(self):
        self.left = OUTPUT

    def write(self, text):
        self.left -= len(text)
        if self.left < 0:
            raise TooMuch
        return len(text)


class Wire:
    """Messages over two pipes, each a JSON list behind its length."""

    def __init__(self, incoming, outgoing):
        self.incoming, self.outgoing = incoming, outgoing

    def send(self, *message):
        data = json.dumps(message).encode()
        data = struct.pack("!Q", len(data)) + data
        while data:
            data = data[os.write(self.outgoing, data) :]

    def receive(self):
        (length,) = struct.unpack("!Q", self._exactly(8))
        if length > 100_000_000:
            raise EOFError
        return json.loads(self._exactly(length))

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            part = os.read(self.incoming, count - len(data))
            if not part:
                raise EOFError
            data += part
        return data


class Book:
    """What goes over the wire: numbers, words and tables as plain data, functions and classes by a number."""

    def __init__(self, remote):
        self.remote, self.held, self.counter = remote, {}, itertools.count()

    def write(self, value):
        """A value as plain data."""
        if value is None or type(value) in (bool, str):
            return ["plain", value[:10_000] if type(value) is str else value]
        if value is ...:
            return ["dots"]
        if type(value) is int:
            return ["whole", hex(value)] if value.bit_length() < 4000 else ["strange", "int"]
        if isinstance(value, (list, tuple, range)):
            if len(value) > LARGEST:
                return ["strange", "list"]
            return [type(value).__name__ if type(value) is tuple else "list", [self.write(v) for v in value]]
        if isinstance(value, (set, frozenset)):
            return ["set", [self.write(v) for v in value]]
        if type(value) is dict:
            return ["dict", [[self.write(k), self.write(v)] for k, v in value.items()]]
        if isinstance(value, torch.Tensor) and value.numel() <= LARGEST and not value.is_meta:
            value = value.detach().resolve_conj().to_dense().cpu()
            flat = torch.view_as_real(value) if value.is_complex() else value
            wide = flat.double() if flat.is_floating_point() else flat
            return ["tensor", str(value.dtype), list(value.shape), wide.flatten().tolist()]
        if isinstance(value, np.ndarray) and value.dtype.kind in "iufcb" and value.size <= LARGEST:
            return self.write(torch.from_numpy(np.ascontiguousarray(value)))
        if isinstance(value, np.generic):
            return self.write(value.item())
        if isinstance(value, sp.MatrixBase):
            return self.write(value.tolist())
        if isinstance(value, sp.Basic) and value.is_number:
            value = int(value) if value.is_Integer else complex(value.evalf(20))
            return self.write(value if not isinstance(value, complex) or value.imag else value.real)
        if isinstance(value, Number):
            value = complex(value)
            return ["number", repr(value.real), repr(value.imag) if value.imag else None]
        if callable(value) and not isinstance(value, Verdict):
            return self._by_number(value)
        if type(value).__module__ == "__main__":
            return self._by_number(value)
        return ["strange", type(value).__name__]

    def _by_number(self, value):
        number = next(self.counter)
        self.held[number] = value
        if isinstance(value, type):
            own = [] if not issubclass(value, doors.Scheme) else [
                door for door in ("input", "query_key", "scores")
                if getattr(value, door) is not getattr(doors.Scheme, door)
            ]  # fmt: skip
            blank = [door for door in own if _is_blank(getattr(value, door))]
            return ["class", number, issubclass(value, doors.Scheme), own, blank]
        if not callable(value):
            return ["object", number, [name for name in dir(value) if not name.startswith("_")]]
        return ["function", number, _is_blank(value), str(getattr(value, "__module__", ""))]

    def read(self, data):
        """A value from plain data; functions call back over the wire."""
        kind, *rest = data
        if kind == "plain":
            return rest[0]
        if kind == "dots":
            return ...
        if kind == "whole":
            return int(rest[0], 16)
        if kind == "number":
            return complex(float(rest[0]), float(rest[1])) if rest[1] is not None else float(rest[0])
        if kind in ("list", "tuple", "set"):
            make = {"list": list, "tuple": tuple, "set": frozenset}[kind]
            return make(self.read(part) for part in rest[0])
        if kind == "dict":
            return {self.read(k): self.read(v) for k, v in rest[0]}
        if kind == "tensor":
            return _tensor(*rest)
        if kind == "function":
            return self._function(rest[0], "", rest[1], rest[2])
        if kind == "class":
            return self._class(*rest)
        if kind == "object":
            methods = {str(name): staticmethod(self._function(rest[0], name, False, "")) for name in rest[1]}
            return type("Theirs", (), methods)()
        return Strange(str(rest[0]))

    def _function(self, number, door, blank, module):
        if blank:
            return _blank

        def function(*arguments):
            return self.remote(number, door, arguments)

        function.__module__ = module
        return function

    def _class(self, number, is_scheme, own, blank):
        if not is_scheme:
            made = self._function(number, "", False, "")
            return type("Theirs", (), {"__new__": lambda this, *arguments: made(*arguments)})
        methods = {
            door: _blank if door in blank else (
                lambda call: lambda this, *arguments: call(*arguments)
            )(self._function(number, door, False, ""))
            for door in own
        }  # fmt: skip
        return type("Theirs", (doors.Scheme,), methods)


def _blank(*arguments): ...


class Strange:
    """Stands for a value that is no answer to anything; `name` is its type."""

    def __init__(self, name):
        self.name = name


def _tensor(dtype, shape, flat):
    dtype = getattr(torch, dtype.removeprefix("torch."))
    if dtype.is_complex:
        return torch.view_as_complex(torch.tensor(flat, dtype=torch.float64).reshape(*shape, 2)).to(dtype)
    wide = torch.float64 if dtype.is_floating_point else None  # a list of floats would become float32
    return torch.tensor(flat, dtype=wide).reshape(shape).to(dtype)


def serve(wire, cells, skip):
    """Run the cells, tell how each went, and answer requests until the grader hangs up."""
    sys.stdout = sys.stderr = Capped()
    space = {"__name__": "__main__"}
    for number, source in enumerate(cells):
        wire.send("begins", number)
        wire.send(
            "ran", number, "stopped: it did not come to an end" if number in skip else _run(source, space)
        )

    def remote(number, door, arguments):
        wire.send("back", number, [book.write(argument) for argument in arguments])
        return book.read(wire.receive()[0])

    book = Book(remote)
    while True:
        request, *rest = wire.receive()
        if request == "get":
            wire.send("value", book.write(space.get(rest[0], ...)))
        elif request == "call":
            wire.send(*_call(book, *rest))


def _run(source, space):
    """What went wrong in a cell, or None."""
    try:
        limited(lambda: exec(compile(source, "cell", "exec"), space), SECONDS)
    except TimedOut:
        return f"stopped after {SECONDS:g} seconds: it did not come to an end"
    except TooMuch:
        return f"stopped: it printed more than {OUTPUT} characters"
    except BaseException as problem:
        return said(problem)
    return None


def _call(book, number, door, arguments):
    try:
        thing = book.held[number]
        arguments = [book.read(argument) for argument in arguments]
        function = getattr(thing() if isinstance(thing, type) else thing, door) if door else thing
        return "value", book.write(limited(lambda: function(*arguments), SECONDS))
    except TimedOut:
        return ("late",)
    except BaseException as problem:
        return "raised", type(problem).__name__, said(problem).partition(": ")[2]


def limit():
    """Bounds on files, memory and time, which no cell can lift."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    if sys.platform == "linux":
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**31, used + 2**31))


def leave():
    """Leave the system's network, processes and mounts behind, where it lets us. Whether it did."""
    user, group = os.getuid(), os.getgid()
    if sys.platform != "linux" or ctypes.CDLL(None).unshare(NEWUSER | NEWPID | NEWNET | NEWNS):
        return False
    with contextlib.suppress(OSError):
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    return True


def only(scratch):
    """Let nothing be written but in this folder, which forgets it. Whether the system lets us."""
    libc = ctypes.CDLL(None)
    private, everywhere, read_only = 1 << 18 | 1 << 14, 0x8000, struct.pack("QQQQ", 1, 0, 0, 0)
    return (
        libc.mount(b"none", b"/", None, private, None) == 0
        and libc.syscall(442, -100, b"/", everywhere, read_only, len(read_only)) == 0
        and libc.mount(b"none", scratch.encode(), b"tmpfs", 0, b"size=8m") == 0
    )


def keep_only(*descriptors):
    """Close what the grader has open, but for these: a cell could write there."""
    for descriptor in map(int, os.listdir("/dev/fd")):
        if descriptor > 2 and descriptor not in descriptors:
            with contextlib.suppress(OSError):  # the list's own is closed by now
                os.close(descriptor)


def start(cells, skip, scratch):
    """A new process that serves these cells: its id, and the wire to it."""
    to_worker, to_grader = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(to_worker[1])
            os.close(to_grader[0])
            os.setsid()
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(null, descriptor)
            faulthandler.disable()
            keep_only(to_worker[0], to_grader[1])
            _work(Wire(to_worker[0], to_grader[1]), cells, set(skip), scratch)
        finally:
            os._exit(0)
    os.close(to_worker[0])
    os.close(to_grader[1])
    return child, Wire(to_grader[0], to_worker[1])


def _work(wire, cells, skip, scratch):
    """Serve, as the first process of a tree that dies with it where the system allows that."""
    alone = ["network"] if leave() else []
    gate = os.pipe()  # no cell runs before the grader knows whom to kill
    child = os.fork() if alone else 0
    if child or not alone:
        wire.send("process", child or os.getpid())
        os.close(gate[1])
    if child:
        os.close(wire.incoming)
        os.close(wire.outgoing)
        os.waitpid(child, 0)
        return
    if alone:
        os.close(gate[1])
        os.read(gate[0], 1)
        os.setsid()
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # when the process above is killed, so is this one
        alone += ["files"] if only(scratch) else []
    limit()
    os.chdir(scratch)
    os.environ.update(HOME=scratch, TMPDIR=scratch)
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).parent]
    for name in [name for name in sys.modules if name.partition(".")[0] == "exercises"]:
        del sys.modules[name]  # no cell imports the answers on file
    wire.send("alone", alone)
    serve(wire, cells, skip)
