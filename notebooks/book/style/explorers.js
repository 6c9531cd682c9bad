// Explorers without a kernel: `make book` has drawn what their controls can show, and here the controls choose.
const pictures = new URL("explorers/", document.currentScript.src);
const made = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

window.explorer = async (packed) => {  // what the file of an explorer calls
  const { root } = document.currentScript;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  show(root, await new Response(unzipped).json());
};

const button = (textContent, onclick) => made("button", { type: "button", textContent, onclick });
const linked = (root) => location.hash.split("=")[0] === `#${root.dataset.explorer}`;  // an address such as #01-waiting-1=0,3,2
const show = (root, { controls, tree, start, frames, parts, question, plays, note }) => {
  const index = linked(root) ? location.hash.split("=")[1].split(",").map(Number) : [...start], levels = [], wanted = [], last = controls.length - 1;
  const form = made("form", { className: "controls", onsubmit: () => false }), words = made("p", { role: "status" });
  const picture = root.previousElementSibling.querySelector("img") ?? made("img");
  const frame = made("div", { className: "cell_output" }, picture);
  const label = (text, ...elements) => made("label", {}, made("span", { textContent: text }), ...elements);
  const row = (...parts) => form.append(label(...parts));
  const slider = (properties) => {
    const [input, output] = [made("input", { type: "range", ...properties }), made("output")];
    return Object.assign(input, { output, say: (text) => input.setAttribute("aria-valuetext", output.value = text) });
  };
  const inputs = controls.map(([kind, text], k) => {
    const read = { Dropdown: () => input.selectedIndex, Checkbox: () => +input.checked }[kind] ?? (() => +input.value);
    const input = kind === "Dropdown" ? made("select") : kind === "Checkbox" ? made("input", { type: "checkbox" }) : slider();
    input.oninput = () => {
      choose(k, read());
      keep();
    };
    row(text, input, input.output ?? "");
    return input;
  });
  const keep = () => history.replaceState(null, "", `#${root.dataset.explorer}=${index}`);
  const nearest = (places, place) => {  // where another control has moved, this one stays where it was, or near
    const found = typeof place === "number" ? places.findIndex((one) => one >= place) : Math.max(places.indexOf(place), 0);
    return found < 0 ? places.length - 1 : found;
  };
  const choose = (moved, at) => {
    index[moved] = at;
    const leaf = controls.reduce((node, [kind], k) => {
      const [labels, places, children] = node, input = inputs[k];
      if (k > moved) index[k] = nearest(places, wanted[k]);
      else wanted[k] = places[index[k] = Math.min(Math.max(index[k] || 0, 0), labels.length - 1)];
      if (kind === "Dropdown" && levels[k] !== node) input.replaceChildren(...labels.map((label) => new Option(label)));
      if (kind === "Dropdown") input.selectedIndex = index[k];
      else if (kind === "Checkbox") input.checked = index[k];
      else Object.assign(input, { max: labels.length - 1, value: index[k] }).say(labels[index[k]]);
      levels[k] = node;
      return children[index[k]];
    }, tree);
    const [said, ...numbers] = frames[leaf];
    picture.hidden = !numbers.length;
    if (numbers.length) picture.src = `data:image/svg+xml,${encodeURIComponent(numbers.map((number) => parts[number]).join(""))}`;
    picture.alt = words.textContent = said;
    picture.onload = () => seen(picture);
  };
  if (plays) {
    const pace = slider({ min: 0.5, max: 10, step: 0.5, value: 2.5, oninput: () => pace.say(pace.value) });
    let timer = 0;
    const pause = () => { timer = clearTimeout(timer); play.textContent = "play"; };
    const step = (by) => choose(last, Math.min(Math.max(index[last] + by, 0), levels[last][0].length - 1));
    const on = () => {
      step(1);
      if (index[last] + 1 === levels[last][0].length) pause();
      else timer = setTimeout(on, 1000 / pace.value);
    };
    const play = button("play", () => timer ? pause() : (play.textContent = "pause", on()));
    row("events a second", pace, pace.output);
    pace.oninput();
    form.append(play, button("step back", () => step(-1)), button("step on", () => step(1)));
  }
  const asked = (text, [min, max, step], places, answer) => {  // the picture that is asked about is shown after the guess
    const guess = slider({ min, max, step, value: min, oninput: () => guess.say(guess.value) });
    const said = made("p", { role: "status" });
    const reveal = button("show", () => {
      places.forEach((place, k) => choose(k, place));
      keep();
      said.textContent = `You said ${guess.value}. It is ${answer}.`;
    });
    guess.say(guess.value);
    return made("form", { className: "question", onsubmit: () => false },
      made("p", {}, made("b", { textContent: "Guess first. " }), text), label("your guess", guess, guess.output), reveal, said);
  };
  root.replaceChildren(...(question ? [asked(...question)] : []), form, frame, words, made("small", { textContent: note }));
  choose(last, index[last]);
};

document.addEventListener("DOMContentLoaded", () => {  // an explorer's file is fetched when a reader comes near
  const near = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => {
    near.unobserve(target);
    document.head.append(made("script", { src: new URL(`${target.dataset.explorer}.js`, pictures), root: target }));
  }), { rootMargin: "1000px" });
  document.querySelectorAll(".explorer").forEach((root, k) => {
    root.dataset.explorer = `${location.pathname.match(/([^/]*)\.html/)[1]}-${k + 1}`;
    near.observe(root);
    if (linked(root)) root.scrollIntoView();
  });
});
