"""The book as a website: it is whole, what it cites exists, links lead somewhere, pictures have words."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

from book import pages
from notebook_cells import words
from reproduce import notebooks
from schedlib import paths
from schedlib.plots import style
from schedlib.plots.words import describe

ROOT = paths.checkout()
OWN = ROOT / "notebooks/book"
ENTRIES = set(re.findall(r"^@\w+\{([^,\s]+),", (OWN / "references.bib").read_text(), re.MULTILINE))
LISTED = re.findall(r"- file: (\S+)", (OWN / "_toc.yml").read_text())
BOOK = {
    name: file
    for name, file in notebooks.book().items()
    if re.match(r"(solutions/)?\d\d\w?-", name)
}
CHAPTERS = {name: file for name, file in BOOK.items() if "/" not in name}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PUBLIC = """\
workload.Workload traces.alibaba2018 traces.google2011_jobs traces.google2011_tasks traces.read_hawk traces.write_hawk traces.read_swim
lotes.MachineConfigs lotes.JobClasses lotes.google2011 lotes.cluster_jobs lotes.allocate lotes.non_dominated_bins lotes.plan lotes.simulate
lotes.Policy
hmhs.Instance hmhs.single hmhs.hybrid hmhs.from_trace hmhs.priority hmhs.schedule hmhs.lower_bound hmhs.optimum hmhs.Policy hmhs.rule
mch.Tree mch.allocate mch.flatten mch.simulate mch.rule eagle.simulate eagle.Eagle eagle.Hawk eagle.System reproduce.run reproduce.claims
hmhs.plain.schedule lotes.plain.simulate mch.plain.allocate eagle.plain.simulate
theory.erlang_c theory.pollaczek_khinchine theory.little plots.style.subplots
boards.lotes boards.hmhs boards.mch boards.eagle sweeps.run sweeps.Experiment"""


def test_contents_list_every_chapter_and_solution_once_and_in_order():
    wanted = [f"notebooks/{name}" for name in BOOK]
    assert sorted(wanted) == sorted(name for name in LISTED if name in wanted)
    numbers = [
        re.search(r"notebooks/(\d\d\w?)-", name).group(1)
        for name in LISTED
        if re.match(r"notebooks/\d\d", name)
    ]
    assert numbers == sorted(numbers)


def test_every_file_of_the_contents_is_there():
    assert all(
        (ROOT / f"{name}.md").exists() or (ROOT / f"{name}.ipynb").exists() for name in LISTED
    )
    documented = {f"notebooks/book/api/{file.stem}" for file in (OWN / "api").glob("*.md")}
    assert documented == {name for name in LISTED if name.startswith("notebooks/book/api/")}


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_source_of_a_chapter_is_in_the_bibliography(name):
    _, _, sources = words(CHAPTERS[name]).partition("## Sources\n")
    without = re.sub(r"<cite data-cite=.*?</cite>", "", sources, flags=re.DOTALL)
    assert not re.findall(r"\*([^*]{5,})\*", without), 'write <cite data-cite="key">*title*</cite>'


def test_every_citation_key_exists_and_every_entry_is_cited():
    found = [
        key
        for file in BOOK.values()
        for key in re.findall(r'<cite data-cite="([^"]+)">', words(file))
    ]
    found += [
        key
        for file in OWN.glob("*.md")
        for key in re.findall(r"\{cite:\w+\}`([^`]+)`", file.read_text())
    ]
    assert {key for keys in found for key in keys.split(",")} == ENTRIES


def test_a_link_to_a_page_of_the_book_stays_one_and_other_files_are_handed_out():
    page = ["[how](book/how-to.md), [data](hmhs/fig1.md)"]
    pages.read(None, "figures/README", page)
    assert page == ["[how](book/how-to.md), [data](<path:hmhs/fig1.md>)"]


def output(data, **metadata):
    return new_output("display_data", data=data, metadata=metadata)


def figure(alt):
    return output({"image/png": PNG}, **{"image/png": {"alt": alt}})


def test_each_picture_of_a_cell_gets_its_own_words_and_its_own_caption():
    caption = output({"text/markdown": "*Waits against load.*"})
    table = output({"text/html": "<table></table>"})
    cell = new_code_cell(
        'show("lotes.fig1")',
        outputs=[table, figure("Waits fall."), caption, figure("Waits\nrise."), table],
    )
    with_table, first, second, last = pages.pictured(cell)
    assert with_table["source"] and with_table["outputs"] == [table] and last["outputs"] == [table]
    assert first["metadata"]["mystnb"]["image"]["alt"] == "Waits fall." and second["metadata"][
        "mystnb"
    ] == {"image": {"alt": "Waits rise."}}
    assert (
        "[lotes.fig1](/figures/README.md#lotesfig1-"
        in first["metadata"]["mystnb"]["figure"]["caption"]
    )
    assert all("remove-input" in cell["metadata"]["tags"] for cell in (first, second, last))


def test_a_chart_says_what_it_shows():
    figure, (left, right) = style.subplots(1, 2)
    left.plot([1, 2, 4], [8.0, 4.0, 2.0], label="FIFO")
    left.set(xlabel="machines", ylabel="wait (s)", title="One")
    right.bar(["a", "b"], [1, 2], label="jobs")
    right.set(ylabel="jobs")
    said = describe(figure)
    assert said.startswith(
        "One: chart of wait (s) against machines from 1 to 4: FIFO from 8 to 2. Chart of jobs against a, b"
    )
    assert figure._repr_mimebundle_()[1]["image/png"]["alt"] == said
    figure.alt = "my words"
    assert figure._repr_mimebundle_()[1]["image/png"]["alt"] == "my words"


def built(name):
    if not (ROOT / "build/book" / name).exists():
        pytest.skip("no book has been built here: make book")
    return (ROOT / "build/book" / name).read_text()


def test_public_names_are_in_the_reference():
    built("notebooks/book/api/index.html")
    pages = (ROOT / "build/book").glob("notebooks/book/api/*.html")
    listed = {name for page in pages for name in re.findall(r'id="([\w.]+)"', page.read_text())}
    assert {
        name if "reproduce" in name else f"schedlib.{name}" for name in PUBLIC.split()
    } <= listed


@pytest.mark.parametrize("name", CHAPTERS)
def test_figures_have_one_number_in_source_caption_and_text(name):
    cells = nbformat.read(CHAPTERS[name], as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    numbers = [
        found for cell in code for found in re.findall(r'book\.figure\(\s*"(.+?)"', cell.source)
    ]
    chapter = int(name[:2])
    assert numbers == [f"{chapter}.{place}" for place in range(1, 1 + len(numbers))]
    assert not [cell for cell in code if "reproduce.picture(" in cell.source]
    captions = [
        re.match(r"\*Figure (.+?)\. ", output.get("data", {}).get("text/markdown", ""))
        for cell in code
        for output in cell.outputs
    ]
    assert [caption[1] for caption in captions if caption] == numbers
    said = re.sub(
        r"paper's\s+(?:\w+\s+)?Fig\w*\.?\s[\d.]+(?:\s?(?:,|and|to)\s[\d.]+)*",
        "",
        words(CHAPTERS[name]),
    )
    assert set(re.findall(r"Fig\w*\.?\s(\d[\d.]*\d|\d+)", said)) <= set(numbers)


def test_the_built_book_numbers_its_chapters_and_figures():
    page = built("notebooks/05-hmhs.html")
    assert re.search(r'<h1><span class="section-number">5', page) and "Figure 5.1" in page
