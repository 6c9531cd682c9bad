"""What must hold where schedlib was just installed, without its checkout: an import, a result, the boards, what it brought along.

Run it with the Python of that environment, from a folder that holds no schedlib.
"""

import importlib
import importlib.metadata
import importlib.util
import math
import pkgutil
from pathlib import Path

import schedlib
from schedlib import __main__ as command_line
from schedlib import boards, eagle, hmhs, paths
from schedlib.workload import Workload

HEAVY = ("jupyterlab", "papermill", "ipywidgets", "distributed", "spar", "pytest")


def main() -> None:
    """Assert all of it, and say how much was installed."""
    assert paths.checkout() is None, f"{schedlib.__file__} is a checkout, not an installation"
    assert (Path(schedlib.__file__).parent / "py.typed").is_file()
    assert importlib.metadata.version("schedlib") == schedlib.__version__
    assert not [name for name in HEAVY if importlib.util.find_spec(name)], (
        "an extra came along unasked"
    )
    for module in pkgutil.walk_packages(schedlib.__path__, "schedlib."):
        importlib.import_module(module.name)
    instance = hmhs.single(20, seed=0, machines=(5, 5))
    assert (
        hmhs.lower_bound(instance)
        <= hmhs.schedule(instance).makespan
        <= hmhs.schedule(instance, "fifo").makespan * 2
    )
    ten = Workload.from_arrays(range(10), [5.0] * 10)
    assert (
        eagle.simulate(ten, "sparrow", 4, short_partition=0.0, cutoff=math.inf).jobs["completion"]
        >= 5.0
    ).all()
    for board in (boards.lotes(seeds=1, against=["greedy"]), boards.hmhs(seeds=1, against=["hmhs"]),
                  boards.mch(seeds=1, against=["mch"]), boards.eagle(seeds=1, against=["sparrow"])):  # fmt: skip
        assert len(board)
    assert command_line.main(["list"]) == 2  # one sentence: the evidence is in the checkout
    files = [file for each in importlib.metadata.distributions() for file in each.files or ()]
    size = sum(
        path.stat().st_size
        for path in map(Path, {file.locate() for file in files})
        if path.is_file()
    )
    print(
        f"schedlib {schedlib.__version__} works as installed; with all that it needs {size / 1e6:.0f} MB"
    )


if __name__ == "__main__":
    main()
