// Boxes that run in the page: their code and the numbers of their toys can be changed, and Python in the browser, which is
// loaded at the first Run, runs them.
const own = document.currentScript.src.replace(/[^/]*$/, "");  // where the site's scripts lie
const asked = {};  // what waits for an answer of Python, by number
let python = null;  // the worker
let count = 0;

const start = () => {
  python = new Worker(`${own}run-worker.js`);
  python.onmessage = ({ data }) => asked[data.number]?.(data);
  python.onerror = () => stop("Python could not be loaded.");
};
const stop = (text) => {  // the only way to end a loop without an end
  python?.terminate();
  python = null;
  for (const answer of Object.values(asked)) answer({ text });
};
const ask = (what) => {
  if (!python) start();
  const number = count++;
  return new Promise((answer) => {
    asked[number] = answer;
    python.postMessage({ ...what, number });
  }).finally(() => delete asked[number]);
};

// A chart of rows (line, start, end, name) over an axis from 0 to `until`.
const drawn = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const chartOf = (rows, axis, until, width) => {
  const lines = [...new Set(rows.map(([line]) => line))];
  const left = 12 + 7.5 * Math.max(...lines.map((line) => line.length)), high = 28, bottom = high * lines.length;
  const x = (value) => left + (width - left - 16) * value / until;
  const most = Math.max((width - left) / 50, 2);  // ticks that have room
  const step = [1, 2, 5, 10, 20, 50].map((times) => times * 10 ** Math.floor(Math.log10(until / 10))).find((size) => until / size <= most) ?? until;
  const words = rows.map(([line, from, to, name]) => `${line}: ${name} from ${+from.toPrecision(4)} to ${+to.toPrecision(4)}`).join("; ");
  const chart = drawn("svg", { width, height: bottom + 40, role: "img", "aria-label": words });
  for (let at = 0; at <= until; at += step) {
    chart.append(drawn("line", { x1: x(at), x2: x(at), y1: 0, y2: bottom }), drawn("text", { x: x(at), y: bottom + 15, "text-anchor": "middle" }, +at.toPrecision(6)));
  }
  chart.append(drawn("text", { x: (left + width) / 2, y: bottom + 34, "text-anchor": "middle" }, axis));
  lines.forEach((line, k) => chart.append(drawn("text", { x: left - 8, y: k * high + 18, "text-anchor": "end" }, line)));
  for (const [line, from, to, name] of rows) {
    const y = lines.indexOf(line) * high, bar = x(to) - x(from), text = String(name);
    chart.append(drawn("rect", { x: x(from), y: y + 2, width: Math.max(bar, 0), height: high - 4 }));
    if (7.5 * text.length < bar) chart.append(drawn("text", { class: "name", x: x(from) + bar / 2, y: y + 18, "text-anchor": "middle" }, text));
  }
  return chart;
};

const FIELD = /^(\w+) = (.+)  # (.+)$/;  // a line of a toy that the reader fills in
const named = (name, element) => made("label", {}, name, element);
const area = (value) => made("textarea", { value, spellcheck: false, rows: value.split("\n").length + 1 });

// Open a box below its listing: its code and its toy where the reader edits them, else the fields of its toy. `kept` has their
// texts. Fields that a link has kept go into the book's own code, so that nothing runs that is not shown.
const open = (box, listing, opener, edits, kept = []) => {
  opener.remove();
  const [code, below] = edits ? kept : [], values = edits ? [] : [...kept];
  const source = area(code ?? box.source), toy = area(below ?? box.toy);
  const lines = box.toy.split("\n");
  const fields = lines.map((line) => {  // of each line its input, if it has one
    const [, name, value, words] = line.match(FIELD) ?? [];
    return name && { name, value, words, input: made("input", { value: values.shift() ?? value, spellcheck: false }) };
  });
  const filled = fields.filter(Boolean);
  const given = () => edits ? toy.value : lines.map((line, k) => fields[k] ? `${fields[k].name} = ${fields[k].input.value}  # ${fields[k].words}` : line).join("\n");
  const said = made("pre", {}), picture = made("div", { className: "chart" }), buttons = made("div", {});
  said.setAttribute("role", "status");
  let until = 0;  // the end of the axis, which stays where the numbers change
  const answer = async (kind) => {
    halt.disabled = false;
    said.textContent = python ? "running" : "loading Python, 10 MB, once for this page";
    const { before, source: printed, name } = box;
    const { text, chart = [], axis } = await ask({ kind, before, printed, name, source: source.value, toy: given() });
    said.textContent = text || "no output";
    halt.disabled = true;
    if (kind === "check") return;
    until = Math.max(until || 0, ...chart.map(([, , to]) => to));
    picture.replaceChildren(...(until > 0 && chart.length ? [chartOf(chart, axis, until, picture.clientWidth)] : []));
  };
  const keep = () => {  // a link keeps what the reader has changed
    const areas = edits ? [source, toy] : filled.map(({ input }) => input);
    const state = { edits, texts: areas.map(({ value }) => value) };
    history.replaceState(null, "", `#${box.name}=${encodeURIComponent(JSON.stringify(state))}`);
  };
  const halt = button("Stop", () => stop("stopped; the next Run starts Python again"));
  halt.disabled = true;
  const reset = button("Reset", () => {
    source.value = box.source;
    toy.value = box.toy;
    for (const { input, value } of filled) input.value = value;
    keep();
    said.textContent = "";
    picture.replaceChildren();
    until = 0;
  });
  buttons.append(made("button", { textContent: "Run" }), ...(box.tried && edits ? [button("Check", () => answer("check"))] : []), halt, reset);
  const inputs = filled.map(({ name, words, input }) => named(`${name}: ${words}`, input));
  const texts = [named("The box", source), ...(box.toy ? [named("Its toy", toy)] : [])];
  const frame = made("form", { className: "run-box", oninput: keep }, ...(edits ? texts : inputs), buttons, said, picture);
  frame.addEventListener("submit", (event) => {
    event.preventDefault();
    answer("run");
  });
  listing.after(frame);
  listing.hidden = edits;
  frame.querySelector("input, textarea").focus();
};

const keptOf = (box) => {  // what a link has kept of a box; a damaged link keeps nothing
  const [name, state] = location.hash.slice(1).split("=");
  try {
    if (name !== box.name) return {};
    const { edits, texts } = JSON.parse(decodeURIComponent(state));
    return { edits: Boolean(edits), texts: texts.map(String) };
  } catch {
    return {};
  }
};

document.addEventListener("DOMContentLoaded", () => {
  const chapter = location.pathname.match(/(\w+)-[^/]*$/)?.[1];
  const boxes = new Map((window.boxes ?? []).filter(({ name }) => name.startsWith(`${chapter}.`)).map((box) => [box.source.trim(), box]));
  for (const listing of document.querySelectorAll("article div.highlight-python, article div.highlight-ipython3, article .cell_input")) {
    const box = boxes.get(listing.querySelector("pre")?.textContent.trim());
    if (!box || listing.closest(".run-box, .has-run")) continue;
    listing.classList.add("has-run");
    const bar = made("div", { className: "run-bar" });
    listing.after(bar);
    const openers = bar.appendChild(made("span", {}));
    if (box.steps) bar.append(button("Step through", ({ target }) => stepThrough(box, listing, target)));
    if (box.lacks) openers.append(box.lacks);
    else if (location.protocol === "file:") openers.append("To run this box, open the book by make site.");
    else {
      if (box.toy.split("\n").some((line) => FIELD.test(line))) openers.append(button("Try your own numbers", () => open(box, listing, openers, false)));
      openers.append(button("Edit and run", () => open(box, listing, bar, true)));
      const { edits, texts } = keptOf(box);
      if (texts) open(box, listing, edits ? bar : openers, edits, texts);
    }
  }
});
