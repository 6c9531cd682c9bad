// What scrolls can be reached by keyboard.
const scrolls = ".cell_output .output, div.math, mjx-container[display], .pst-scrollable-table-container, figure, pre";

// The claims: a filter, and each verdict in its colour.
const claims = () => {
  const groups = [];
  for (const heading of document.querySelectorAll("article h3")) {
    const [, verdict] = heading.textContent.match(/: ([a-z ]+?) \(\d+\)/) ?? [];
    if (!verdict) continue;
    const badge = document.createElement("span");
    badge.className = `verdict ${verdict.trim().replaceAll(" ", "-")}`;
    badge.textContent = verdict;
    heading.innerHTML = heading.innerHTML.replace(verdict, badge.outerHTML);
    groups.push({ verdict, section: heading.closest("section"), rows: [...heading.closest("section").querySelectorAll("tbody tr")] });
  }
  if (!groups.length) return;
  document.body.classList.add("full-width");
  const form = document.createElement("form");
  form.className = "filter";
  const options = [...new Set(groups.map((group) => group.verdict))].map((verdict) => `<option>${verdict}</option>`);
  form.innerHTML = `<label>Claims with the words <input type="search"></label>
    <label>verdict <select><option value="">any</option>${options.join("")}</select></label><output></output>`;
  const [words, chosen, count] = form.elements;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    let shown = 0;
    for (const { verdict, section, rows } of groups) {
      const fits = !chosen.value || chosen.value === verdict;
      const found = rows.filter((row) => {
        row.hidden = !words.value.toLowerCase().split(/\s+/).every((word) => row.textContent.toLowerCase().includes(word));
        return !row.hidden;
      });
      section.hidden = !fits || !found.length;
      shown += section.hidden ? 0 : found.length;
    }
    count.textContent = `${shown} claims`;
  });
  groups[0].section.parentElement.before(form);
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
    if (!corner.textContent.trim()) corner.replaceWith(document.createElement("td"));
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
});
window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  for (const box of document.querySelectorAll(scrolls)) if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
});
