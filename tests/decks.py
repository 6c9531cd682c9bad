"""The rules of a lecture, and what breaks them in a chapter: `python tests/decks.py 04-dispatching` lists it."""

import re
import sys

import nbformat

from book import slides
from reproduce import notebooks
from schedlib import lotes
from test_prose import ELSE, NUMBER, rounds_to

SLIDES = 22  # of a lecture
MINUTES = 45  # of a lecture
PACE = 130  # words that are spoken in a minute
LOOK = 0.75  # minutes for a picture, a table, a box or a question
WORDS = 70  # of a slide, without those of tables, code and formulas
FORMULA = re.compile(r"\$[^$]+\$", re.DOTALL)
CHAPTERS = {name: file for name, file in notebooks.book().items() if re.match(r"\d\d\w?-", name)}


def cells_of(name):
    return nbformat.read(CHAPTERS[name], as_version=4).cells


def said_by(slide):
    """A slide's own words: its title, its text and its points."""
    return "\n".join([slide["title"], slide.get("text", ""), *slide.get("points", [])])


def numbers_in(text):
    """The numbers of a text, those of formulas, too, without places (Fig. 3), years and the like."""
    return NUMBER.findall(ELSE.sub(" ", re.sub(r"\$|\\[a-z]+", " ", text).replace("{,}", ",")))


def faults_of_a_slide(cell, slide, beside):
    """The rules that a slide breaks by itself; `beside` are the formulas of its cell that it may take."""
    unknown = slide.keys() - slides.KEYS
    if unknown or "title" not in slide:
        return [f"a slide has unknown keys {sorted(unknown)} or no title: {slide}"]
    shown = [output for output in cell.get("outputs", []) if not slides.is_caption(output)]
    if any(place >= len(shown) for place in slide.get("show", [])):
        return [f"{slide['title']}: shows {slide['show']} of {len(shown)} outputs"]
    found = faults_of_boxes(cell, slide, shown) if cell.cell_type == "code" else []
    body = slides.body(cell, slide, beside)
    outputs = [output for part in body for output in part.get("outputs", [])]
    words = "\n".join(
        part.source for part in body if part.cell_type == "markdown" and kind(part) == "-"
    )
    if cell.cell_type == "code" and not (outputs or slide.get("text")):
        found.append("it has no output and no text")
    if not (outputs or slide.get("question") or re.search(r"\$|^\||```", words, re.M)):
        found.append("it has bullets and nothing else")
    plain = re.sub(r"```.*?```|^\|.*$", " ", FORMULA.sub(" ", words), flags=re.DOTALL | re.M)
    if len(plain.split()) > WORDS:
        found.append(f"it has {len(plain.split())} words, of at most {WORDS}")
    if slide.get("question") and slide.get("points"):
        found.append("a question has no points: its data go into the text")
    if slide.get("question") and not (slide.get("text") or outputs):
        found.append("a question needs its data: a text or a picture")
    return [f"{slide['title']}: {fault}" for fault in found]


def faults_of_boxes(cell, slide, outputs):
    """Parts and lit lines of a slide's boxes that are not there."""
    chosen = [outputs[k] for k in slide.get("show", range(len(outputs)))]
    found = []
    for source in slides.sources(cell, chosen, slide):
        lines = len(source.splitlines())
        first, last = slide.get("part", (1, lines))
        if not 1 <= first <= last <= lines:
            found.append(f"part {first, last} of a box of {lines} lines")
        if not all(first <= line <= last for line in slide.get("lit", [])):
            found.append(f"lit lines {slide['lit']} beyond its part {first, last}")
    return found


def kind(cell):
    return cell.metadata.slideshow.slide_type


def faults_of_answers(asked, answer):
    """The numbers of a question that its answer, on the next slide, has in its title or its points."""
    said = numbers_in("\n".join([answer["title"], *answer.get("points", [])]))
    both = set(said) & set(numbers_in(f"{asked['title']}\n{asked.get('text', '')}"))
    return [f"{asked['title']}: has {sorted(both)} of the answer"] if both else []


def faults_of_numbers(name):
    """The numbers on slides that neither the chapter nor our six jobs have, nor a cell of the slide's section prints."""
    text = "\n".join(
        "".join(cell.source) for cell in cells_of(name) if cell.cell_type == "markdown"
    )
    six = lotes.six_jobs()
    jobs = [*six.jobs["submit"], *six.tasks[["duration", "cores", "memory"]].to_numpy().flat]
    known = set(numbers_in(text)) | set(NUMBER.findall(text)) | {f"{number:g}" for number in jobs}
    printed, found = [], []
    for cell in cells_of(name):
        if cell.cell_type == "markdown" and re.search(r"^##? ", cell.source, re.M):
            printed = []
        printed += [float(value.replace(",", "")) for value in NUMBER.findall(words_of(cell))]
        shares = [100 * value for value in printed if value < 1]
        for slide in slides.slides_of(cell):
            for number in numbers_in(said_by(slide)):
                if number not in known and not any(
                    rounds_to(value, number) for value in printed + shares
                ):
                    found.append(f"{slide['title']}: {number} is not in the chapter")
    return found


def words_of(cell):
    """What a code cell prints: text, tables, and the words of its pictures."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
        found += [output.get("text", ""), data.get("text/plain", ""), slides.markdown(output), alt]
    return "\n".join(found)


def sections(cells):
    """The cells of a chapter from heading to heading; exercises and sections for the screen alone have no slides."""
    found = []
    for cell in cells:
        heads = cell.cell_type == "markdown" and re.search(r"^##? ", cell.source, re.M)
        if heads or not found:
            found.append([])
        found[-1].append(cell)
    return found


def spoken(text):
    """How many words of a text are spoken: tables, formulas, comments, addresses and sources are not."""
    told = FORMULA.sub(" ", text.partition("\n## Sources")[0])
    silent = r"```.*?```|<!--.*?-->|\]\([^)]*\)|^\|[^\n]*"
    told = re.sub(silent, " ", told, flags=re.DOTALL | re.M)
    return len(re.findall(r"\w[\w'.,-]*", told))


def minutes(cells):
    """How long each lecture takes that says its slides, their notes and the text of all sections with slides."""
    found = [0.0]
    for section in sections(cells):
        if not any(map(slides.slides_of, section)):
            continue
        for cell in section:
            beside = slides.formulas_and_tables(cell)
            for slide in slides.slides_of(cell):
                if slide.get("lecture", 1) > len(found):
                    found.append(0.0)
                body = slides.body(cell, slide, beside)
                texts = [part.source for part in body if part.cell_type == "markdown"]
                tables = sum(len(slides.TABLE.findall(text)) for text in texts)
                drawn = sum(len(part.get("outputs", [])) for part in body)
                looks = tables + drawn + bool(slide.get("question"))
                found[-1] += LOOK * looks + sum(map(spoken, [slide["title"], *texts])) / PACE
            if cell.cell_type == "markdown":
                found[-1] += spoken(cell.source) / PACE
    return found


def faults(name):
    """All that breaks the rules of lectures in a chapter."""
    found = []
    asked = None
    counts = [0]
    for cell in cells_of(name):
        beside = slides.formulas_and_tables(cell)
        for slide in slides.slides_of(cell):
            if slide.get("lecture", 1) > len(counts):
                counts.append(0)
            counts[-1] += 1
            found += faults_of_a_slide(cell, slide, beside)
            if asked is not None:
                found += faults_of_answers(asked, slide)
            asked = slide if slide.get("question") else None
    if asked is not None:
        found.append(f"{asked['title']}: no slide follows with the answer")
    lengths = minutes(cells_of(name))
    for number, (count, length) in enumerate(zip(counts, lengths, strict=True), 1):
        if count > SLIDES or length > MINUTES:
            found.append(
                f"lecture {number} has {count} slides and takes {length:.1f} minutes, of at most {SLIDES} and {MINUTES}"
            )
    return found + faults_of_numbers(name)


if __name__ == "__main__":
    for name in sys.argv[1:] or CHAPTERS:
        print(f"{name}:", *faults(name), sep="\n  ")
