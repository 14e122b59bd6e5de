/* Python, SymPy and the checker in a worker: a program comes in, its cards go out. */
import { loadPyodide } from "./pyodide.js";

const core = import("./pyodide.asm.js"); // Pyodide itself would look for an .mjs
const LOCK = {
  info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2", version: "1" },
  packages: {},
};

const check = (response) => {
  if (!response.ok) throw new Error(`${response.url.split("/").pop()} is not there (${response.status})`);
  return response;
};
const fetchFile = async (name, version = "") => check(await fetch(new URL(name + version, import.meta.url)));

const pack = async () => {
  const reader = (await fetchFile("pack.tar.zst")).body.getReader();
  const chunks = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    postMessage({ bytes: (bytes += part.value.length) });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
};

// A stream is refused where the server names it otherwise, and Firefox waits for the rest of one that was cut short.
// What goes wrong here Pyodide tells the console alone.
const refused = new Promise((_, reject) => {
  const instantiate = async (response, imports) =>
    WebAssembly.instantiate(await check(await response).arrayBuffer(), imports);
  WebAssembly.instantiateStreaming = (...parts) => instantiate(...parts).catch(reject);
});

const boot = async () => {
  const [python, packed, checker, desk] = await Promise.all([
    Promise.race([refused, loadPyodide({
      lockFileContents: LOCK,
      env: { HOME: "/home", SYMPY_GROUND_TYPES: "python" },
      createPyodideModule: async (settings) => (await core).default(settings),
    })]),
    pack(),
    fetchFile("checker.json", location.search).then((response) => response.text()),
    fetchFile("desk.py", location.search).then((response) => response.text()),
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
