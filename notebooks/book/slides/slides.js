// Arrows, space and page keys move by a slide, Home and End to the ends, f fills the screen.
const step = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
document.addEventListener("keydown", (event) => {
  const slides = [...document.querySelectorAll("section")];
  if (event.key === "f") document.documentElement.requestFullscreen?.();
  const ends = { Home: 0, End: slides.length - 1 };
  if (!(event.key in step) && !(event.key in ends)) return;
  event.preventDefault();
  const here = slides.findIndex((slide) => slide.getBoundingClientRect().bottom > window.innerHeight / 2);
  const goal = event.key in ends ? ends[event.key] : here + step[event.key];
  slides[Math.max(0, Math.min(slides.length - 1, goal))].scrollIntoView();
});

// What is a little too much for its slide is set a little smaller.
const fit = () => {
  if (window.innerWidth <= 700) return;
  for (const slide of document.querySelectorAll("section")) {
    for (let size = 1; size > 0.6 && slide.scrollHeight > window.innerHeight + 2; size -= 0.05) slide.style.fontSize = `${size}em`;
  }
};
window.addEventListener("load", () => (window.MathJax?.startup?.promise ?? Promise.resolve()).then(fit));
