"""What scripts make of a built page: tables keep the rows, columns, spans and words of the page before, signatures their words."""

import pytest

import lab

PAGES = sorted(lab.BOOK.glob("notebooks/**/*.html")) + sorted(lab.BOOK.glob("figures/*.html"))
# a formula is drawn by MathJax; a verdict of the claims becomes a badge, and a long cause is folded
COMPARED = """async text => {
  const shapes = root => [...root.querySelectorAll('article table')].map(table => [...table.rows].map(row =>
    [...row.cells].map(cell => [cell.rowSpan, cell.colSpan])));
  const words = root => [...root.querySelectorAll('article table')].map(table => [...table.rows].map(row =>
    [...row.cells].map(cell => cell.querySelector('.math, mjx-container, .verdict, details') ? null : plain(cell))));
  const plain = element => element.textContent.replace(/\\s+/g, ' ').trim();
  const signatures = root => [...root.querySelectorAll('article dt.sig')].map(line => plain(line).replaceAll(' ', ''));
  const before = new DOMParser().parseFromString(text, 'text/html');
  await window.MathJax?.startup?.promise;
  const found = [];
  const [then, now] = [shapes(before), shapes(document)], [said, says] = [words(before), words(document)];
  if (then.length !== now.length) found.push(`${then.length} tables, then ${now.length}`);
  then.forEach((table, k) => table.forEach((row, r) => {
    if (JSON.stringify(row) !== JSON.stringify(now[k][r])) found.push(`table ${k}, row ${r}: ${row}, then ${now[k][r]}`);
    row.forEach((_, c) => {
      const [old, made] = [said[k][r][c], says[k][r]?.[c]];
      if (old !== null && made !== null && old !== made) found.push(`table ${k}, row ${r}: ${old}, then ${made}`);
    });
  }));
  signatures(before).forEach((line, k) => { if (line !== signatures(document)[k]) found.push(line); });
  return found;
}"""
pytestmark = lab.on_the_site(bool(PAGES))


@pytest.mark.parametrize("file", PAGES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_tables_and_signatures_are_as_built(page, file):
    page.goto(file.resolve().as_uri())
    assert page.evaluate(COMPARED, file.read_text(encoding="utf-8")) == []
