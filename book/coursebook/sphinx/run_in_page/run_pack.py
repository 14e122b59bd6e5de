"""Runs in the Python of the page: packs SymPy, mpmath, python-flint and the standard library for it.

Compiled, without docstrings; assertions stay. Left out are tests, and what is named here. Of python-flint
stays what the checker's types load.
"""

import ast
import gc
import importlib._bootstrap_external as bootstrap
import io
import sys
import tarfile
import warnings
import zipfile
from pathlib import Path

PARTS = Path("/parts")
TESTS = {"tests", "test", "benchmarks"}
# No statement can use these parts of SymPy: the checker's language has no word of theirs.
SYMPY = """categories crypto diffgeom holonomic liealgebras parsing/autolev parsing/latex physics/continuum_mechanics
physics/control physics/mechanics physics/quantum physics/vector sandbox stats testing vector""".split()
STDLIB = """_pyio _pyrepl doctest encodings idlelib lib2to3 mailbox multiprocessing pickletools pydoc pydoc_data
unittest xml xmlrpc""".split()
FLINT = """from .pyflint import ctx
from .types.acb import acb
from .types.acb_mat import acb_mat
from .types.arb import arb
from .types.fmpq import fmpq
from .types.fmpq_mpoly import fmpq_mpoly_ctx
__version__ = "0.9.0"
"""
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LICENCES = ("license", "copying", "notice", "authors")


def compile_module(source, name):
    """A module as the bytes of a .pyc, without docstrings and line numbers, valid whatever the file's time."""
    tree = ast.parse(source)
    for node in blocks(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body[0].value.value = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(tree, name, "exec", dont_inherit=True)
    return bytes(bootstrap._code_to_hash_pyc(without_lines(code), bytes(8), False))


def blocks(node):
    """Yield an ast node and the statements in it that hold others. (A walk through all expressions takes minutes.)"""
    yield node
    for child in getattr(node, "body", ()):
        yield from blocks(child)


def without_lines(code):
    """A code object, and all code in it, without line numbers: with them, 2.5 MB more are fetched."""
    parts = tuple(without_lines(part) if isinstance(part, type(code)) else part for part in code.co_consts)
    return code.replace(co_linetable=b"", co_consts=parts)


def left_out(name, folders):
    """Whether a file lies in one of these folders, or is a test."""
    path = name.removesuffix(".py")
    inside = any(path == folder or path.startswith(f"{folder}/") for folder in folders)
    return inside or bool(TESTS & set(name.split("/")[:-1]))


def wheel(package):
    """{name: bytes} of the files in the wheel of a package."""
    (path,) = PARTS.glob(f"{package}-*.whl")
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def modules(files, package, without=()):
    """Yield (name, bytes) of the compiled modules of a package. files: as `wheel` gives them. without: folders."""
    for name, data in files.items():
        if name.startswith(f"{package}/") and name.endswith(".py"):
            if not left_out(name.removeprefix(f"{package}/"), without):
                yield f"{name}c", compile_module(data, name)


def flint(files):
    """Yield (name, bytes) of the part of python-flint that FLINT's types load, found by unpacking and loading it."""
    folder = Path("/flint")
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "flint" / "__init__.py").write_text(FLINT)
    sys.path.insert(0, str(folder))
    import flint  # noqa: F401

    loaded = [m.__file__ for m in sys.modules.values() if getattr(m, "__file__", None)]
    for place in sorted(file for file in loaded if file.startswith(f"{folder}/flint/")):
        name, data = place.removeprefix(f"{folder}/"), Path(place).read_bytes()
        yield (f"{name}c", compile_module(data, name)) if name.endswith(".py") else (name, data)
    yield from ((name, data) for name, data in files.items() if name.endswith(".so") and ".libs/" in name)


def write_pack(files):
    """Write pairs (name, bytes) as one archive, in the order given."""
    with tarfile.open(PARTS / "packed" / "pack.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def library():
    """{name: source} of the standard library twice: what Python loads before it can unpack, and the rest."""
    early, late = {}, {}
    with zipfile.ZipFile(PARTS / "python_stdlib.zip") as archive:
        for name in sorted(archive.namelist()):
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            if name.endswith(".py") and module in sys.modules:
                early[name] = archive.read(name)
            elif name.endswith(".py") and not left_out(name, STDLIB):
                late[name] = archive.read(name)
    return early, late


def zip_of(files, method=zipfile.ZIP_STORED):
    """The bytes of a zip archive of pairs (name, bytes). Python imports from it: one file is written quicker."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compresslevel=9) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return file.getvalue()


def write_licences(wheels):
    """Write the licences of what is shipped, and what was left out of it. wheels: as `wheel` gives them."""
    cut = f"Left out of SymPy: its tests, its docstrings, and {', '.join(SYMPY)}.\n"
    texts = [cut]
    for files in wheels:
        for name, data in sorted(files.items()):
            if ".dist-info/" in name and Path(name).name.lower().startswith(LICENCES):
                texts.append(f"{'=' * 80}\n{name.replace('.dist-info/', ' ')}\n\n{data.decode('utf-8')}")
    (PARTS / "packed" / "licences.txt").write_text("\n".join(texts), encoding="utf-8")


def main():
    """Write the pack, the archive that Python starts from, and the licences."""
    import compression.zstd  # noqa: F401  (the page unpacks with it)

    gc.disable()  # trees hold no cycles
    sympy, mpmath, python_flint = wheel("sympy"), wheel("mpmath"), wheel("python_flint")
    flint_files = list(flint(python_flint))
    early, late = library()
    early, late = ([(f"{name}c", compile_module(data, name)) for name, data in part.items()] for part in (early, late))
    rest = zip_of([*late, *modules(mpmath, "mpmath"), *modules(sympy, "sympy", SYMPY)])
    write_pack([*flint_files, ("modules.zip", rest)])
    (PARTS / "packed" / "python_stdlib.zip").write_bytes(zip_of(early, zipfile.ZIP_DEFLATED))
    write_licences((sympy, mpmath, python_flint))


main()
