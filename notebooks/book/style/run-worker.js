// Python in the browser: loaded once, then answers what the page asks.
importScripts("pyodide/pyodide.js");
const fetched = self.fetch;
self.fetch = async (address, ...settings) => {  // the interpreter is stored packed, a third as large
  if (!String(address).endsWith(".wasm")) return fetched(address, ...settings);
  const { body } = await fetched(`${address}.packed`);
  return new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
};
const python = (async () => {
  const made = await loadPyodide({ indexURL: "pyodide/" });
  const [harness, trials] = await Promise.all(["harness.py", "trials.py"].map(async (file) => (await fetch(file)).text()));
  made.runPython(harness);
  return { trials, run: made.globals.get("run"), check: made.globals.get("check") };
})();
onmessage = async ({ data }) => {
  let answer;
  try {
    const { trials, run, check } = await python;
    if (data.kind === "run") answer = JSON.parse(run(data.before, data.source, data.toy));
    else answer = { text: check(data.before, data.source, data.printed, trials, data.name) };
  } catch (error) {
    answer = { text: String(error) };
  }
  postMessage({ ...answer, number: data.number });
};
