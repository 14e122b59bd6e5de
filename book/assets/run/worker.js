/* Python, SymPy and the checker in a worker: a program comes in, its cards go out. */
import { loadPyodide } from "./pyodide.mjs";

const LOCK = {
  info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2", version: "1" },
  packages: {},
};
const sizes = {};
const report = (name, bytes) => {
  sizes[name] = bytes;
  postMessage({ bytes: Object.values(sizes).reduce((sum, size) => sum + size, 0) });
};

const fetchFile = async (name) => {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} is not there (${response.status})`);
  return response;
};

const pack = async () => {
  const reader = (await fetchFile("pack.tar.zst")).body.getReader();
  const chunks = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    report("pack", (bytes += part.value.length));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
};

const boot = async () => {
  new PerformanceObserver((list) => {
    for (const { name, decodedBodySize } of list.getEntries())
      if (!name.endsWith(".zst")) report(name, decodedBodySize);
  }).observe({ type: "resource", buffered: true });
  const [python, packed, checker, desk] = await Promise.all([
    loadPyodide({ lockFileContents: LOCK, env: { HOME: "/home", SYMPY_GROUND_TYPES: "python" } }),
    pack(),
    fetchFile("checker.json").then((response) => response.text()),
    fetchFile("desk.py").then((response) => response.text()),
  ]);
  postMessage({ starting: true });
  python.FS.writeFile("/pack.tar.zst", packed);
  python.FS.writeFile("/checker.json", checker);
  python.runPython(desk);
  return python.globals.get("run");
};

const ready = boot();
addEventListener("message", async ({ data }) => {
  try {
    const run = await ready;
    postMessage({ running: true });
    const start = performance.now();
    const result = JSON.parse(run(data.program));
    postMessage({ result, seconds: (performance.now() - start) / 1000 });
  } catch (problem) {
    postMessage({ failed: String(problem.message ?? problem) });
  }
});
