"""Figures are the same bytes each time, carry their captions, and say how they came about."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pandas as pd
import pytest
from PIL import Image

import reproduce
import toy_experiments as toy
from refusals import refuses
from reproduce import gallery, narrow, publish, reach, registry, tables
from reproduce.figure import Figure
from reproduce.sentences import Sentence
from schedlib import paths
from schedlib.sweeps import Experiment, scales
from schedlib.sweeps.experiment import Settings

HOW = Settings(workers=1)


pytestmark = pytest.mark.usefixtures("toys")


def contents(folder):
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_publishing_twice_gives_the_same_bytes(tmp_path):
    for name in ("one", "two", "two"):
        for figure in ("hmhs.toy-table", "hmhs.toy"):
            publish.publish(figure, HOW, tmp_path / name)
        gallery.write(tmp_path / name)
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert one == two
    assert set(one) == {
        "README.md", "provenance.json", "hmhs/toy.svg", "hmhs/toy.png", "hmhs/toy.webp", "hmhs/toy.csv", "hmhs/toy.timing.csv",
        "hmhs/toy-table.md", "hmhs/toy-table.csv", "hmhs/toy-table.timing.csv",
    }  # fmt: skip


def test_a_picture_that_is_no_longer_made_goes(tmp_path, monkeypatch):
    publish.publish("hmhs.toy", HOW, tmp_path)
    assert "webp" not in gallery.write(tmp_path).read_text()
    monkeypatch.setattr(narrow, "lay_out", lambda figure: False)
    publish.publish("hmhs.toy", HOW, tmp_path)
    assert {*contents(tmp_path)} >= {"hmhs/toy.png", "hmhs/toy.svg"}
    assert not [*tmp_path.rglob("*.webp")]


def test_recomputing_changes_only_what_holds_wall_times(tmp_path):
    publish.publish("hmhs.toy", HOW, tmp_path)
    before = contents(tmp_path)
    reproduce.run("hmhs.toy", refresh=True, workers=1)
    publish.publish("hmhs.toy", HOW, tmp_path)
    after = contents(tmp_path)
    changed = {name for name in before if before[name] != after[name]}
    assert changed - {"provenance.json"} == {"hmhs/toy.timing.csv"}


def test_caption_alt_text_and_numbers_travel_with_the_figure(tmp_path):
    shown = reproduce.show("hmhs.toy", out=tmp_path, workers=1)
    assert shown.alt == "Two lines over 18 rows."
    svg = (tmp_path / "hmhs/toy.svg").read_text()
    assert (
        "<title>Time against jobs.</title>" in svg and "<desc>Two lines over 18 rows.</desc>" in svg
    )
    phone = Image.open(tmp_path / "hmhs/toy.webp")
    assert phone.width == narrow.WIDTH * narrow.DOTS
    # matplotlib's names are hashes of coordinates, whose last digit differs between processors
    assert set(re.findall(r"url\(#(.*?)\d+\)", svg)) == {"hmhs.toy-"}
    page = gallery.write(tmp_path).read_text()
    assert "![Two lines over 18 rows.](hmhs/toy.png)" in page
    assert reproduce.picture("hmhs.toy", out=tmp_path) == shown
    assert reproduce.frame("hmhs.toy", out=tmp_path).equals(pd.read_csv(tmp_path / "hmhs/toy.csv"))
    refuses("make figures ONLY=hmhs.toy-table", reproduce.frame, "hmhs.toy-table", out=tmp_path)


META = {"point": {}, "seconds": 0.0, "source": "s", "versions": {}, "data": {}}


def test_two_at_one_folder_lose_no_entry(tmp_path):
    done = SimpleNamespace(experiment=toy.TOY, scale="smoke", seeds=1, metas=[META])
    names = {f"hmhs.{k}" for k in range(40)}
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: publish.record(tmp_path, name, done, "c", "a", []), names))
    assert set(publish.provenance(tmp_path)) == names
    assert [file.name for file in tmp_path.iterdir()] == ["provenance.json"]


def test_provenance_says_how_a_figure_came_about(tmp_path, monkeypatch):
    publish.publish("hmhs.toy", Settings("smoke", workers=1, progress=False), tmp_path)
    entry = json.loads((tmp_path / "provenance.json").read_text())["hmhs.toy"]
    assert (entry["scale"], entry["seeds"], entry["points"]) == ("smoke", 1, [{"jobs": 1}])
    assert entry["versions"]["numpy"]
    assert publish.status("hmhs.toy", tmp_path) == "current"
    monkeypatch.setattr(reach, "of", lambda module, name: ("edited", frozenset()))
    assert publish.status("hmhs.toy", tmp_path) == "stale"
    assert publish.status("hmhs.toy-table", tmp_path) == "-"


def test_an_exhibit_that_draws_nothing_is_named():
    figure = Figure("hmhs.none", "hmhs.toy", lambda frame: None, "c", "a")
    words = "plot of hmhs.none returns NoneType; return the matplotlib Figure"
    refuses(words, publish.pictures_of, figure, pd.DataFrame(), "c", "a")


def test_show_leaves_alone_what_was_not_asked_for(tmp_path):
    assert reproduce.show("hmhs.toy", only="hmhs.toy-table", out=tmp_path, workers=1) is None
    assert reproduce.show("hmhs.toy", only="hmhs", out=tmp_path, workers=1).id == "hmhs.toy"
    refuses("figure: .* is unknown", reproduce.show, "hmhs.nothing", only="hmhs")


def test_pipeline_that_git_keeps_links_to_the_picture_that_git_keeps(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "checkout", lambda: tmp_path)
    assert reproduce.show("hmhs.toy", workers=1).linked
    assert not reproduce.show("hmhs.toy", out=tmp_path / "elsewhere", workers=1).linked


def test_table_gives_means_with_intervals(tmp_path):
    publish.publish("hmhs.toy-table", HOW, tmp_path)
    lines = (tmp_path / "hmhs/toy-table.md").read_text().splitlines()
    assert lines[0] == "| jobs | policy | time | time, 95 % |"
    assert len(lines) == 2 + 6 and " to " in lines[2]


def test_averaged_keeps_booleans_and_missing_values():
    frame = pd.DataFrame({"seed": [0, 1], "ok": [True, True], "x": [1.0, None], "y": None})
    result = tables.averaged(frame.astype({"y": float}), ())
    assert result["ok"].tolist() == [True] and result["x"].tolist() == [1.0]
    assert result["y"].isna().all()


def experiment(name):
    return Experiment(name, "t", toy.noisy, scales([{"jobs": 1}]), scales(1))


def figure(name, source_):
    return Figure(name, source_, None, "c", "a")


def test_registry_refuses_what_does_not_fit():
    refuses("listed twice", registry.Registry.of, [experiment("mch.a"), experiment("mch.a")])
    one, of_another = [experiment("mch.a")], [figure("mch.f", "mch.b")]
    refuses("'mch.b' does not exist", registry.Registry.of, one, of_another)
    claim = Sentence("mch.c", "S", "w", "order", "", "s", "mch.b", lambda frame: [1])
    refuses("claim mch.c", registry.Registry.of, one, claims=[claim])


def test_only_selects_papers_figures_and_experiments():
    library = registry.Registry.of(
        [experiment("mch.a"), experiment("mch.b"), experiment("eagle.a")],
        [
            figure("mch.a", "mch.a"),
            figure("mch.a2", "mch.a"),
            figure("mch.f", "mch.b"),
            figure("eagle.f", "eagle.a"),
        ],
    )

    def wanted(only):
        return [figure.id for figure in library.wanted_figures(only)]

    assert library.papers() == ["mch", "eagle"]
    assert wanted(None) == wanted("") == ["mch.a", "mch.a2", "mch.f", "eagle.f"]
    assert wanted("mch.a") == ["mch.a"]
    assert wanted("mch.b eagle") == ["mch.f", "eagle.f"]
    refuses("'lotes' is unknown; .*mch", wanted, "lotes")
