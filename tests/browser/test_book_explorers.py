"""Explorers on the built website, without a kernel: whatever a control is moved to, the page shows what Python draws for that setting."""

import functools
import urllib.parse

import pytest

import lab
from book import live
from book.explorers import Frame, recorded

PROGRAMS = {
    name: text
    for name, text in live.explorers().items()
    if (lab.BOOK / "_static/explorers" / f"{name}.js").exists()
}
SETTLED = "root => root.querySelector(':scope > [role=status]')?.textContent && root.querySelector('img').complete"
LOOK = """root => ({
  settings: [...root.querySelectorAll('.controls label:not(:has(input[step="0.5"]))')].map(label => {
    const control = label.querySelector('select, input');
    return control.type === 'checkbox' ? (control.checked ? 'on' : 'off')
      : control.type === 'range' ? control.getAttribute('aria-valuetext') : control.selectedOptions[0].text; }),
  told: [...root.querySelectorAll('output')].map(output => output.value),
  picture: root.querySelector('img').hidden ? '' : root.querySelector('img').src, drawn: root.querySelector('img').naturalWidth,
  alt: root.querySelector('img').alt, words: root.querySelector(':scope > [role=status]').textContent,
})"""
KEYS = {
    "range": ("ArrowRight", "ArrowLeft", "End", "Home"),
    "select-one": ("ArrowDown", "ArrowUp", "End", "Home"),
    "checkbox": ("Space", "Space"),
}
pytestmark = lab.on_the_site(bool(PROGRAMS))


@functools.lru_cache(maxsize=1)
def in_python(name):
    return live.explorer(PROGRAMS[name])


@functools.lru_cache(maxsize=1)
def opened(page, name):
    """The page's explorer of this name, its file loaded."""
    folder = "notebooks/book" if name in live.FIRST_PAGE else "notebooks"
    page.goto((lab.BOOK / folder / f"{name[:-2]}.html").as_uri())
    root = page.locator(f".explorer[data-explorer='{name}']")
    root.scroll_into_view_if_needed()
    root.locator(".controls").wait_for()
    return root


def drawn(explorer, labels):
    """The frame of Python for the settings whose labels the page shows."""
    names = [name for name in explorer.controls if explorer.page.get(name) != ()]
    assert len(names) == len(labels)
    for name, label in zip(names, labels, strict=True):
        options = {text: value for value, text in recorded.kept(explorer, name).items()}
        explorer.set(name, options[label])
    return explorer.frame(**explorer.values())


def compare(root, explorer):
    """The page's settings, once its picture, alt text and words are known to be those that Python draws."""
    look = root.evaluate(LOOK)
    picture = urllib.parse.unquote(look["picture"].removeprefix("data:image/svg+xml,"))
    assert Frame(picture, look["alt"]) == drawn(explorer, look["settings"]), look["settings"]
    assert look["words"] == look["alt"] and (look["drawn"] > 0 or not picture)
    return look["settings"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_control_shows_what_python_draws_by_keyboard(page, name):
    root, explorer = opened(page, name), in_python(name)
    compare(root, explorer)
    controls = root.locator(".controls :is(select, input:not([step='0.5']))")
    for number in range(controls.count()):
        control = controls.nth(number)
        if number:
            page.keyboard.press("Tab")
            assert control.evaluate("control => control === document.activeElement"), (
                "Tab leads from one control to the next"
            )
        control.focus()
        seen = {tuple(root.evaluate(LOOK)["settings"])}
        for key in KEYS[control.evaluate("control => control.type")]:
            page.keyboard.press(key)
            seen.add(tuple(compare(root, explorer)))
        assert len(seen) > 1, f"control {number + 1} moves"
    assert lab.barriers(page, context=".explorer") == []


ASKING = [
    name
    for name in PROGRAMS
    if name[:2] in ("in", "00", "01", "02", "03", "04", "05", "06", "07") and name.endswith("1")
]


@pytest.mark.parametrize("name", ASKING)
def test_a_guess_is_shown_beside_the_number_and_its_picture_and_a_link_keeps_the_setting(
    page, name
):
    root, explorer = opened(page, name), in_python(name)
    question = root.locator(".question")
    question.locator("input").focus()
    page.keyboard.press("ArrowRight")
    guess = question.locator("output").inner_text()
    question.get_by_role("button", name="show").press("Enter")
    compare(root, explorer)
    answer = explorer.answer()
    said = question.locator("[role=status]").inner_text()
    assert said == f"You said {guess}. It is {answer}."
    assert explorer.values() == explorer.values() | explorer.question.setting
    root.locator(".controls :is(select, input)").first.focus()
    page.keyboard.press("ArrowDown")
    kept = compare(root, explorer)
    page.reload()
    root.locator(".controls").wait_for()
    assert compare(root, explorer) == kept


@pytest.mark.skipif("08-eagle-1" not in PROGRAMS, reason="no player has been built")
def test_the_player_plays_pauses_and_steps(page):
    explorer = in_python("08-eagle-1")
    root = opened(page, "08-eagle-1")
    (first,) = compare(root, explorer)[-1:]
    pace = root.locator("input[step='0.5']")
    pace.focus()
    page.keyboard.press("End")
    assert root.evaluate(LOOK)["told"][-1] == "10"
    root.get_by_role("button", name="play").press("Enter")
    page.wait_for_timeout(1000)
    root.get_by_role("button", name="pause").press("Enter")
    (paused,) = compare(root, explorer)[-1:]
    assert int(paused) > int(first)
    page.wait_for_timeout(500)
    root.get_by_role("button", name="step on").press("Enter")
    assert int(compare(root, explorer)[-1]) == int(paused) + 1
    root.get_by_role("button", name="step back").press("Enter")
    assert compare(root, explorer)[-1] == paused
    root.get_by_role("button", name="step back").focus()


def test_every_explorer_of_the_chapters_has_its_file_of_at_most_3_mb_a_chapter():
    assert PROGRAMS.keys() == live.explorers().keys()
    for chapter in {name[:-2] for name in PROGRAMS}:
        sizes = [
            file.stat().st_size for file in (lab.BOOK / "_static/explorers").glob(f"{chapter}-*.js")
        ]
        assert sum(sizes) <= 3e6, chapter
