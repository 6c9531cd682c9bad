// The number of the first page, as `make pdf` gives it in the address; the counter grows before it is shown.
const before = new URLSearchParams(location.search).get("page");
if (before) document.head.append(Object.assign(document.createElement("style"), { textContent: `@page { } html { counter-reset: page ${before}; }` }));
