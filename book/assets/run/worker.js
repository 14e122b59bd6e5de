/* Python, SymPy and the checker in a worker: a program comes in, its cards go out. */
import { loadPyodide } from "./pyodide.mjs";

const LOCK = {
  info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2", version: "1" },
  packages: {},
};
const sizes = {};
const arrived = (name, bytes) => {
  sizes[name] = bytes;
  postMessage({ bytes: Object.values(sizes).reduce((sum, size) => sum + size, 0) });
};

const fetched = async (name) => {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} is not there (${answer.status})`);
  return answer;
};

const pack = async () => {
  const reader = (await fetched("pack.tar.zst")).body.getReader();
  const chunks = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    arrived("pack", (bytes += part.value.length));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
};

const boot = async () => {
  new PerformanceObserver((list) => {
    for (const { name, decodedBodySize } of list.getEntries())
      if (!name.endsWith(".zst")) arrived(name, decodedBodySize);
  }).observe({ type: "resource", buffered: true });
  const [python, packed, checker, desk] = await Promise.all([
    loadPyodide({ lockFileContents: LOCK, env: { HOME: "/home", SYMPY_GROUND_TYPES: "python" } }),
    pack(),
    fetched("checker.json").then((answer) => answer.text()),
    fetched("desk.py").then((answer) => answer.text()),
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
    const said = JSON.parse(run(data.program));
    postMessage({ said, seconds: (performance.now() - start) / 1000 });
  } catch (problem) {
    postMessage({ failed: String(problem.message ?? problem) });
  }
});
