"""The written ledger: its columns, and that it keeps what was not judged again."""

import pandas as pd
import pytest

import reproduce
import toy_experiments as toy
from reproduce import ledger, registry
from reproduce.sentences import Sentence
from schedlib.sweeps import sweep
from schedlib.sweeps.experiment import Settings

pytestmark = pytest.mark.usefixtures("toys")


def test_written_ledger_merges_sorts_and_repeats(tmp_path):
    frame = ledger.judged(Settings(workers=1))
    assert frame["verdict"].tolist() == ["holds", "not testable"]
    assert frame["number"].tolist() == ["as printed", ""]
    assert frame["measured"].iloc[0] == 2.0 == frame["low"].iloc[0]
    assert frame["cause"].iloc[1] == "no warehouse here"
    eagle = frame.iloc[[0]].assign(id="eagle.kept", paper="eagle")
    gone = frame.iloc[[0]].assign(id="hmhs.gone")
    ledger.write(pd.concat([eagle, gone, frame.iloc[[1]]]), tmp_path)
    table, page = ledger.write(frame.iloc[[0]].assign(measured=2.5), tmp_path)
    first = table.read_bytes(), page.read_bytes()
    after = ledger.read(tmp_path)
    assert after["id"].tolist() == ["hmhs.twice", "hmhs.big", "eagle.kept"]
    assert after["measured"].iloc[0] == 2.5 and after["measured"].iloc[2] == 2.0
    assert after.dtypes[["measured", "runs"]].tolist() == [float, int]
    ledger.write(frame.iloc[[0]].assign(measured=2.5), tmp_path)
    assert (table.read_bytes(), page.read_bytes()) == first
    assert "2 sentences of the paper 1 hold by its" in reproduce.card("hmhs", out=tmp_path).data
    with pytest.raises(ValueError, match="no claims of mch yet"):
        reproduce.card("mch", out=tmp_path)


def test_a_claim_whose_data_are_not_here_keeps_its_committed_row(tmp_path, monkeypatch):
    def sentence(experiment, **more):
        asked = ("S", "w", "order", "", "s", experiment, lambda frame: frame["x"])
        return Sentence("hmhs.c", *asked, **more)

    def swept(values):
        frame = pd.DataFrame({"seed": range(3), "x": values})
        return sweep.Sweep(toy.TOY, "quick", 3, frame, ())

    def written(done):
        judged = ledger.judged_on(done, [claim], "quick", tmp_path)
        ledger.write(judged, tmp_path)
        return judged[["verdict", "together"]].to_numpy().tolist()

    away = sentence("hmhs.other")
    claim = sentence("hmhs.toy", world=away, others={"away": away})
    monkeypatch.setitem(registry.load().claims, claim.id, claim)
    here = {"hmhs.toy": swept([1.0, 1.1, 0.9])}
    assert written(here) == [["holds", "undecided"]]
    assert written(here | {"hmhs.other": swept([-1.0, -1.1, -0.9])}) == [["holds", "fails"]]
    assert written(here) == [["holds", "fails"]]


def test_a_ledger_of_other_columns_is_ignored(tmp_path):
    (tmp_path / "claims.csv").write_text("id,paper,ci95\nhmhs.twice,hmhs,1 to 2\n")
    assert ledger.read(tmp_path).empty
    ledger.write(ledger.judged(Settings(workers=1), out=tmp_path), tmp_path)
    assert ledger.read(tmp_path)["verdict"].tolist() == ["holds", "not testable"]
