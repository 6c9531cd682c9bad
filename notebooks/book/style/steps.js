// The steps of a box, recorded by `make book` and read at the first press: the next line lights up, with its variables.
const stepThrough = (box, listing, opener) => {
  opener.remove();
  document.head.append(made("script", { src: `${own}steps/${box.name}.js`, show: (steps) => walk(steps, listing) }));
};
window.stepped = (steps) => document.currentScript.show(steps);  // what the file of a box calls

const walk = (steps, listing) => {
  const pre = listing.querySelector("pre");
  pre.innerHTML = pre.innerHTML.trimEnd().split("\n").map((line) => `<span class="line">${line}</span>`).join("\n");
  const lines = pre.querySelectorAll(".line");
  const at = made("input", { type: "range", max: steps.length - 1, value: 0, oninput: () => show() });
  const said = made("p", { role: "status" }), state = made("table");
  const show = () => {
    const [line, variables] = steps[at.value];
    pre.querySelector(".next")?.classList.remove("next");
    lines[line].classList.add("next");
    lines[line].scrollIntoView({ block: "nearest" });
    at.setAttribute("aria-valuetext", `${+at.value + 1} of ${steps.length}`);
    said.textContent = `Step ${+at.value + 1} of ${steps.length}, line ${line + 1}: ${lines[line].textContent.trim()}`;
    state.replaceChildren(...Object.entries(variables).map(([name, value]) =>
      made("tr", {}, made("th", { scope: "row", textContent: name }), made("td", { textContent: value }))));
  };
  const bar = made("div", { className: "run-box steps" });
  const next = button("next", () => { at.stepUp(); show(); });
  bar.append(button("back", () => { at.stepDown(); show(); }), next, made("label", { textContent: "step " }, at), said, state);
  listing.after(bar);
  show();
  next.focus();
};
