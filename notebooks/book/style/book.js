// What scrolls can be reached by keyboard.
const scrolls =
  ".cell_output, .cell_output .output, div.math, mjx-container[display], .pst-scrollable-table-container, article div:has(> table.table), figure, pre";
const phone = window.matchMedia("(max-width: 600px)");
const SMALLEST = 0.65;  // of their size, to which a formula or a table may shrink to fit its column

// What is a little too wide is set smaller; only what is far too wide scrolls.
const fit = (box, shrunk = box) => {
  if (box.clientWidth < SMALLEST * box.scrollWidth) return;
  for (let round = 0; round < 4 && box.scrollWidth > box.clientWidth; round++) {  // borders do not shrink, so once may not do
    const share = box.clientWidth / box.scrollWidth;
    shrunk.style.fontSize = `${0.985 * share * parseFloat(getComputedStyle(shrunk).fontSize)}px`;
  }
};

// The claims: a filter, and each verdict in its colour.
const claims = () => {
  const rows = [];
  for (const table of document.querySelectorAll("article table")) {
    const names = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
    if (!names.includes("sentence")) continue;
    for (const row of table.querySelectorAll("tbody tr")) {
      const cell = row.children[names.findIndex((name) => name.startsWith("by the text"))];
      const said = cell.textContent;
      const [verdict] = said.split(/[.;,]| at /);
      const badge = document.createElement("span");
      badge.className = `verdict ${verdict.replaceAll(" ", "-").replace("'", "")}`;
      badge.textContent = verdict;
      cell.replaceChildren(badge, said.slice(verdict.length));
      rows.push({ verdict, row });
    }
  }
  if (!rows.length) return;
  document.body.classList.add("full-width");
  const form = document.createElement("form");
  form.className = "filter";
  const options = [...new Set(rows.map((each) => each.verdict))].map((verdict) => `<option>${verdict}</option>`);
  form.innerHTML = `<label>Sentences with the words <input type="search"></label>
    <label>by the text <select><option value="">any</option>${options.join("")}</select></label><output></output>`;
  const [words, chosen, count] = form.elements;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    for (const { verdict, row } of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = (chosen.value && chosen.value !== verdict) || !wanted.every((word) => text.includes(word));
    }
    count.textContent = `${rows.filter(({ row }) => !row.hidden).length} sentences`;
  });
  document.querySelector("article h2").before(form);
};
document.addEventListener("DOMContentLoaded", () => {
  // For readers who listen: the sidebar is a landmark, its toggles have names, and a corner of a table without words is no heading.
  const sidebar = document.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "navigation");
  sidebar?.setAttribute("aria-label", "The book");
  for (const toggle of document.querySelectorAll("summary")) {
    if (!toggle.textContent.trim()) toggle.setAttribute("aria-label", "Pages of this part");
  }
  for (const corner of document.querySelectorAll("th")) {
    if (corner.textContent.trim()) continue;
    const { rowSpan, colSpan } = corner;
    corner.replaceWith(Object.assign(document.createElement("td"), { rowSpan, colSpan }));
  }
  for (const listed of document.querySelectorAll('[role="doc-biblioentry"], .citation-list')) listed.removeAttribute("role");
  for (const list of document.querySelectorAll("dt dl")) {  // a signature's parameters, which define nothing
    const lines = document.createElement("span");
    for (const part of list.children) {
      const line = lines.appendChild(document.createElement("span"));
      line.className = "parameter-line";
      line.append(...part.childNodes);
    }
    list.replaceWith(lines);
  }
  if (/figures\/CLAIMS/.test(location.pathname)) claims();
  if (/cheat-sheet/.test(location.pathname)) document.body.classList.add("cheat-sheet");
});
// What scrolls can be reached by keyboard, and says that it scrolls.
const sideways = (frame) => {
  const more = frame.scrollWidth > frame.clientWidth + 1;
  if (more) frame.tabIndex = 0;
  frame.classList.toggle("more", more);
};
const seen = (picture) => {
  const frame = picture.closest("figure, .cell_output, p");
  const published = picture.closest("figure") || /figures\/README/.test(location.pathname);
  const dots = /\.webp$/.test(picture.currentSrc) ? 200 : published ? 150 : 100;  // an inch, as it was drawn
  const inches = picture.naturalWidth / dots;
  picture.style.setProperty("--inches", inches);
  if (!frame) return;
  picture.classList.toggle("fits", 80 * inches <= frame.clientWidth);
  sideways(frame);
};
window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  for (const formula of document.querySelectorAll('mjx-container[display="true"]')) fit(formula);
  if (!phone.matches) {
    for (const table of document.querySelectorAll("article table")) fit(table.parentElement, table);
    for (const code of document.querySelectorAll("article div.highlight pre")) {  // a line of a box stays one line
      code.style.whiteSpace = "pre";
      fit(code);
      code.style.whiteSpace = "";
    }
  }
  for (const picture of document.querySelectorAll("article img")) {
    if (picture.complete) seen(picture);
    else picture.addEventListener("load", () => seen(picture), { once: true });
  }
  for (const box of document.querySelectorAll(scrolls)) if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
});
