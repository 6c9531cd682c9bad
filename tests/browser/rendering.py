"""The faults that a reader would see on a page of the built book, measured in a browser."""

READY = """async () => {
  if (window.MathJax) await MathJax.startup.promise;
  for (const picture of document.images) { picture.loading = 'eager'; await picture.decode().catch(() => 0); }
  await document.fonts.ready;
  for (const closed of document.querySelectorAll('article details')) closed.open = true;
  await new Promise(resolve => setTimeout(resolve, 150));
}"""
FOUND = r"""() => {
  const article = document.querySelector('article.bd-article') ?? document.body;
  const column = article.getBoundingClientRect(), found = [];
  // and charts that have words beside their lines
  const drawing = new RegExp(['Diagram', '^A tree', '^A hierarchy of six leaves', '^Chart of which sentences hold at which load',
    '^Chart of .* lower is better', '^Leaderboard by', '^Dot charts of', '^Line charts of the cost of a decision'].join('|'));
  const seen = element => element.getClientRects().length > 0;
  const scrolls = element => {
    for (let e = element.parentElement; e && e !== article; e = e.parentElement)
      if (/auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1) return e;
  };
  const place = element => {
    let last = '';
    for (const heading of article.querySelectorAll('h1, h2, h3')) {
      if (heading.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) last = heading.innerText.replace('#', '').trim();
    }
    return last;
  };
  const say = (kind, element, words) =>
    found.push(`${kind}, "${place(element)}": ${words.replace(/\s+/g, ' ').trim().slice(0, 110)}`);

  for (const formula of article.querySelectorAll('mjx-container')) {
    if (!seen(formula)) continue;
    const ink = (formula.querySelector('mjx-math') ?? formula).getBoundingClientRect();
    const frame = formula.closest('td, th') ? column : formula.parentElement.getBoundingClientRect();
    const room = Math.min(frame.right, column.right);
    if (formula.closest('table') && scrolls(formula)) continue;  // its table scrolls as a whole
    if (ink.right > room + 1.5 || formula.scrollWidth > formula.clientWidth + 1 && formula.hasAttribute('display'))
      say('formula cut', formula, `${Math.round(ink.width)} px in ${Math.round(frame.width)}: ${formula.textContent}`);
  }
  for (const table of article.querySelectorAll('table')) {
    if (!seen(table)) continue;
    const box = table.getBoundingClientRect(), frame = scrolls(table);
    // on a phone, and in the gallery with its broad tables, a table may scroll, by keyboard too
    if (frame && frame.tabIndex === 0 && (innerWidth < 600 || /figures\/README/.test(location.pathname))) continue;
    if (frame || box.right > column.right + 1.5)
      say('table cut', table, `${Math.round(box.width)} px in ${Math.round(column.width)}: ${table.innerText}`);
  }
  for (const formula of article.querySelectorAll('mjx-merror')) say('formula not set', formula, formula.textContent);
  if (innerWidth < 600 && document.scrollingElement.scrollWidth > innerWidth)
    say('page too wide', article, `${document.scrollingElement.scrollWidth} px`);
  for (const picture of document.images) if (!picture.naturalWidth) say('picture not there', picture, picture.src);
  for (const picture of article.querySelectorAll('img')) {
    if (!seen(picture)) continue;
    const box = picture.getBoundingClientRect(), frame = scrolls(picture);
    const clip = picture.closest('.panel')?.getBoundingClientRect() ?? box;
    const explorer = picture.closest('.explorer');
    const inches = picture.style.getPropertyValue('--inches');
    const phone = innerWidth < 600, drawn = /webp$/.test(picture.currentSrc);  // for a phone
    const least = picture.classList.contains('fits') && !drawn ? 79 : 98;
    if (phone && !(box.width >= least * inches))  // letters of 10 points, else of 8, would have fewer than 11 px
      say('letters too small', picture, `${Math.round(box.width)} px for ${inches} inches: ${picture.alt}`);
    // on a phone a drawing that cannot be stacked may scroll, by keyboard too, where a line above it says so
    if (phone && frame && frame.tabIndex === 0 && frame.classList.contains('more') && drawing.test(picture.alt)) continue;
    if (frame && !picture.closest('.panel') || clip.right > column.right + 1.5)
      say(explorer ? 'explorer cut' : 'picture cut', picture, `${Math.round(box.width)} px in ${Math.round(column.width)}: ${picture.alt}`);
  }
  const raw = /\*\*|`|\$[^\s\d]|\]\(|^\s*#{1,4} |(?:^|\s)\*[^\s*][^*]*\*(?:\s|$)/;
  const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement, words = walk.currentNode.data;
    if (element.closest('pre, code, script, style, mjx-container, .explorer, .filter, .MathJax')) continue;
    if (seen(element) && raw.test(words)) say('raw Markdown', element, words);
  }
  if (/notebooks\/\d\d/.test(location.pathname)) {
    for (const cell of article.querySelectorAll('table th, table.dataframe td')) {
      if (seen(cell) && /^[a-z]+(_[a-z0-9]+)+$/.test(cell.innerText.trim())) say('raw name', cell, cell.innerText);
    }
  }
  return [...new Set(found)];
}"""


def found_on(page, file):
    """The parts of a page that are cut or show raw Markdown, each with its heading."""
    page.goto(file.resolve().as_uri())
    page.wait_for_load_state()
    page.evaluate(READY)
    return page.evaluate(FOUND)
