"""Stored points come back as they were or not at all, and their key follows what they depend on."""

import dataclasses
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import toy_experiments as toy
from refusals import refuses
from reproduce import reach
from schedlib.sweeps import scales, store

pytestmark = pytest.mark.usefixtures("own_cache")


FRAME = pd.DataFrame(
    {
        "policy": ["a", "b", None],
        "kind": pd.Categorical(["x", "y", "x"]),
        "time": [0.1 + 0.2, np.nan, -0.0],
        "small": np.array([1, 2, 3], dtype=np.int16),
        "done": [True, False, True],
        "when": pd.to_datetime(["2020-01-01", "2021-01-01", None]),
    }
)
META = {"point": {"jobs": 3, "label": "ü"}, "seed": 1, "seconds": 0.25}


def test_frame_and_meta_come_back_the_same(tmp_path):
    file = tmp_path / "e.parquet"
    store.write(file, FRAME, META)
    entry = store.read(file)
    assert_frame_equal(entry.frame, FRAME)
    assert entry.meta == META
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({"cells": [[1], [2, 3]]}), pd.DataFrame([[1, 2]]), pd.DataFrame({"x": [1, "a"]})],
)
def test_untidy_frame_is_refused(tmp_path, frame):
    refuses("cannot be stored", store.write, tmp_path / "e.parquet", frame, META)
    assert list(tmp_path.iterdir()) == []


@settings(
    max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@pytest.mark.filterwarnings("ignore::schedlib.sweeps.store.DamagedEntry")
def test_flipped_bit_never_changes_what_is_read(tmp_path, place, bit):
    file = tmp_path / "e.parquet"
    store.write(file, FRAME, META)
    data = bytearray(file.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    file.write_bytes(data)
    entry = store.read(file)
    if entry is not None:
        assert_frame_equal(entry.frame, FRAME)
        assert entry.meta == META


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
@pytest.mark.filterwarnings("ignore::schedlib.sweeps.store.DamagedEntry")
@pytest.mark.parametrize("put", [os.mkfifo, lambda file: file.symlink_to(file.parent / "none")])
def test_an_entry_that_is_not_a_file_is_replaced(tmp_path, put):
    file = tmp_path / "e.parquet"
    put(file)
    assert store.read(file) is None
    store.write(file, FRAME, META)
    assert_frame_equal(store.read(file).frame, FRAME)


def test_an_entry_of_another_point_is_recomputed_and_said_so(tmp_path):
    file = tmp_path / "e.parquet"
    store.write(file, FRAME, META)
    assert store.read(file, {"seed": 1}) is not None
    with pytest.warns(store.DamagedEntry, match="another point"):
        assert store.read(file, {"seed": 2}) is None


def test_key_follows_point_seed_versions_and_data(monkeypatch, tmp_path):
    def key(point, seed, experiment=toy.TOY):
        one_point = dataclasses.replace(experiment, points=scales([point]))
        return store.tasks(one_point, "smoke", seed + 1, reach.describe)[seed].path.name

    point = {"jobs": 1, "b": 2}
    base = key(point, 0)
    assert base == key({"b": 2, "jobs": 1}, 0)
    files = [tmp_path / "trace.csv"]
    files[0].write_text("1,2")
    reads = dataclasses.replace(toy.TOY, data_files=lambda point: files)
    keys = [base, key({"jobs": 2, "b": 2}, 0), key(point, 1), key(point, 0, reads)]
    files[0].write_text("1,2,3")
    keys.append(key(point, 0, reads))
    monkeypatch.setattr(reach, "_version", lambda package: "9")
    keys.append(key(point, 0))
    assert len(set(keys)) == 6
    files.append(tmp_path / "other/trace.csv")
    refuses("two files have one name", key, point, 0, reads)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}])
def test_point_that_is_not_json_is_refused(value):
    odd = dataclasses.replace(toy.TOY, points=scales([{"x": value}]))
    refuses(r"^point {'x': [^}]*}+: must hold plain JSON .* as text", store.tasks, odd, "smoke", 1)
