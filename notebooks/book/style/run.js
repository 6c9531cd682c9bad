// Boxes that run in the page: the code can be changed and run by Python in the browser, which is loaded at the first Run.
const own = document.currentScript.src.replace(/[^/]*$/, "");  // where the site's scripts lie
const asked = {};  // what waits for an answer of Python, by number
let python = null;  // the worker
let count = 0;

const start = () => {
  python = new Worker(`${own}run-worker.js`);
  python.onmessage = ({ data }) => asked[data.number]?.(data.text);
  python.onerror = () => stop("Python could not be loaded.");
};
const stop = (text) => {  // the only way to end a loop without an end
  python?.terminate();
  python = null;
  for (const answer of Object.values(asked)) answer(text);
};
const ask = (what) => {
  if (!python) start();
  const number = count++;
  return new Promise((answer) => {
    asked[number] = answer;
    python.postMessage({ ...what, number });
  }).finally(() => delete asked[number]);
};

const field = (name, text) => {
  const label = document.createElement("label");
  label.textContent = name;
  const area = label.appendChild(document.createElement("textarea"));
  area.value = text;
  area.spellcheck = false;
  area.rows = text.split("\n").length + 1;
  return [label, area];
};
const pressed = (bar, name, act) => {
  const made = bar.appendChild(document.createElement("button"));
  made.type = "button";
  made.textContent = name;
  made.addEventListener("click", act);
  return made;
};

const open = (box, listing, opener) => {
  opener.remove();
  const [code, source] = field("The box", box.source);
  const [below, toy] = field("Its toy", box.toy);
  const bar = document.createElement("div");
  const said = document.createElement("pre");
  said.setAttribute("role", "status");
  const frame = document.createElement("div");
  frame.className = "run-box";
  frame.append(code, ...(box.toy ? [below] : []), bar, said);
  listing.after(frame);
  listing.hidden = true;
  const answer = async (kind) => {
    halt.disabled = false;
    said.textContent = python ? "running" : "loading Python, 20 MB, once for this page";
    const { before, source: printed, name } = box;
    said.textContent = (await ask({ kind, before, printed, name, source: source.value, toy: toy.value })) || "no output";
    halt.disabled = true;
  };
  pressed(bar, "Run", () => answer("run"));
  if (box.tried) pressed(bar, "Check", () => answer("check"));
  const halt = pressed(bar, "Stop", () => stop("stopped; the next Run starts Python again"));
  halt.disabled = true;
  pressed(bar, "Reset", () => {
    source.value = box.source;
    toy.value = box.toy;
    said.textContent = "";
  });
  source.focus();
};

document.addEventListener("DOMContentLoaded", () => {
  const boxes = new Map((window.boxes ?? []).map((box) => [box.source.trim(), box]));
  for (const listing of document.querySelectorAll("article div.highlight-python, article div.highlight-ipython3, article .cell_input")) {
    const box = boxes.get(listing.querySelector("pre")?.textContent.trim());
    if (!box || listing.closest(".run-box, .has-run")) continue;
    listing.classList.add("has-run");
    const bar = document.createElement("div");
    bar.className = "run-bar";
    listing.after(bar);
    if (box.lacks) bar.append(box.lacks);
    else if (location.protocol === "file:") bar.append("To run this box, open the book by make site.");
    else pressed(bar, "Edit and run", () => open(box, listing, bar));
    if (box.steps) pressed(bar, "Step through", ({ target }) => stepThrough(box, listing, target));
  }
});
