// Python in the browser: loaded once, then answers what the page asks.
importScripts("pyodide/pyodide.js");
const python = (async () => {
  const made = await loadPyodide({ indexURL: "pyodide/" });
  const [harness, trials] = await Promise.all(["harness.py", "trials.py"].map(async (file) => (await fetch(file)).text()));
  made.runPython(harness);
  return { trials, run: made.globals.get("run"), check: made.globals.get("check") };
})();
onmessage = async ({ data }) => {
  let text;
  try {
    const { trials, run, check } = await python;
    if (data.kind === "run") text = run(data.before, data.source, data.toy);
    else text = check(data.before, data.source, data.printed, trials, data.name);
  } catch (error) {
    text = String(error);
  }
  postMessage({ number: data.number, text });
};
