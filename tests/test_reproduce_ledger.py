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
    def x_of(frame):
        return frame["x"].to_numpy()

    def sentence(experiment, **more):
        return Sentence("hmhs.c", "S", "w", "order", "", "s", experiment, x_of, **more)

    away = sentence("hmhs.other")
    claim = sentence("hmhs.toy", world=away, others={"away": away})
    here, far = (
        sweep.Sweep(toy.TOY, "quick", 3, pd.DataFrame({"seed": range(3), "x": x}), ())
        for x in ([1.0, 1.1, 0.9], [-1.0, -1.1, -0.9])
    )
    without = ledger.judged_on({"hmhs.toy": here}, [claim], "quick", tmp_path)
    assert without[["verdict", "together"]].to_numpy().tolist() == [["holds", "undecided"]]
    monkeypatch.setitem(registry.load().claims, claim.id, claim)
    both = ledger.judged_on({"hmhs.toy": here, "hmhs.other": far}, [claim], "quick", tmp_path)
    table, _ = ledger.write(both, tmp_path)
    with_all = table.read_bytes()
    assert both[["verdict", "together"]].to_numpy().tolist() == [["holds", "fails"]]
    ledger.write(ledger.judged_on({"hmhs.toy": here}, [claim], "quick", tmp_path), tmp_path)
    assert table.read_bytes() == with_all
