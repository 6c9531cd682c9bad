"""Fetch the public traces: retried, checked, written in one step, and only what is not there already."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from schedlib.core.checks import typed, unknown
from schedlib.paths import cache_folder, checkout, write_whole

GOOGLE2011 = "https://storage.googleapis.com/clusterdata-2011-2/"
GOOGLE2011_TABLES = ("job_events", "task_events")
SWIM = "https://raw.githubusercontent.com/SWIMProjectUCB/SWIM/master/workloadSuite/"
SWIM_FILES = ("FB-2009_samples_24_times_1hr_0.tsv", "FB-2010_samples_24_times_1hr_0.tsv")
ALIBABA_GPU = (
    "https://raw.githubusercontent.com/alibaba/clusterdata/master/cluster-trace-gpu-v2023/csv/"
)
ALIBABA_GPU_FILES = {
    "openb_node_list_all_node.csv": "5a85c2af79c66a1efff8bbcbda430400aae56d8431370d738480967e1a9c6b15",
    "openb_pod_list_default.csv": "1ee7ed79c27a3b0861cda8ddba86a004c6aba904caafa329a76ae93ca63834a8",
}
SUMS = "SHA256SUM"


class Source(NamedTuple):
    """What can be fetched: a description, its licence, its size, and the folder it goes into.

    >>> SOURCES["swim"].folder
    'swim'
    """

    description: str
    licence: str
    size: str
    folder: str


CC_BY = "CC-BY 4.0, https://github.com/google/cluster-data"
SOURCES = {
    "google2011": Source(
        "Google clusterdata-2011-2, table job_events: the jobs of one cell in 29 days of May 2011",
        CC_BY,
        "500 files, 2.0 million events",
        "google2011",
    ),
    "google2011-tasks": Source(
        "Google clusterdata-2011-2, table task_events: the tasks of those jobs and what they requested",
        CC_BY,
        "500 files, 145 million events",
        "google2011",
    ),
    "swim": Source(
        "SWIM: two synthesised days of Facebook's MapReduce jobs, 2009 and 2010, with their bytes",
        "New BSD, https://github.com/SWIMProjectUCB/SWIM",
        "2 files, about 1 MB",
        "swim",
    ),
    "alibaba-gpu2023": Source(
        "Alibaba cluster-trace-gpu-v2023: 1,523 nodes with 6,212 GPUs, and tasks that may share one",
        "none stated, https://github.com/alibaba/clusterdata",
        "2 files, 0.6 MB",
        "openb",
    ),
}


@typed
def fetch(name: str, folder: str | Path | None = None) -> Path:
    """Fetch the source `name` of `SOURCES` and return the folder with its files, ready for the reader.

    It goes below `folder`; left out, that is `data/downloads` of the checkout, or the cache folder when there
    is none. Raises ValueError on an unknown name, and as the `download_` functions do.

    >>> fetch("google2099")
    Traceback (most recent call last):
    ValueError: name: 'google2099' is unknown; did you mean 'google2011' ...
    """
    if name not in SOURCES:
        raise unknown("name", name, SOURCES)
    if folder is None:
        root = checkout()
        folder = root / "data" / "downloads" if root else cache_folder("downloads")
    place = Path(folder) / SOURCES[name].folder
    if name == "swim":
        return download_swim(place)
    if name == "alibaba-gpu2023":
        return download_alibaba_gpu2023(place)
    return download_google2011(place, "task_events" if name == "google2011-tasks" else "job_events")


@typed
def download_google2011(
    folder: str | Path,
    table: str = "job_events",
    shards: int | Iterable[int] | None = None,
    *,
    base_url: str = GOOGLE2011,
    retries: int = 3,
) -> Path:
    """Fetch shards of a table of Google's trace into `folder/table`, and return that folder.

    `shards` is how many, the first ones in time, or their numbers; None means all 500. The publisher's
    `SHA256SUM` is fetched first, into `folder`, and every shard is checked against it; a shard that differs
    is not left in place. Raises ValueError on an unknown table or shard and on a shard that differs,
    ConnectionError when the server cannot be reached.

    See also: `traces.google2011_jobs`, `traces.google2011_tasks`.

    Not tried by the tests, since it needs the network:

    >>> download_google2011("data/downloads/google2011", shards=2)  # doctest: +SKIP
    PosixPath('data/downloads/google2011/job_events')
    """
    if table not in GOOGLE2011_TABLES:
        raise unknown("table", table, GOOGLE2011_TABLES)
    folder = Path(folder)
    _get(folder, base_url, {SUMS: None}, retries)
    sums = _read_sums(folder / SUMS)
    names = sorted(
        name for name in sums if re.fullmatch(rf"{table}/part-\d+-of-\d+\.csv\.gz", name)
    )
    if not names:
        raise ValueError(
            f"{folder / SUMS} lists no file of {table}; remove it, so that it is fetched again"
        )
    shards = len(names) if shards is None else shards
    numbers = range(shards) if isinstance(shards, int) else list(shards)
    if beyond := [number for number in numbers if not 0 <= number < len(names)]:
        raise ValueError(
            f"shards: {beyond[0]} is none of the {len(names)} published, 0 to {len(names) - 1}"
        )
    _get(folder, base_url, {names[number]: sums[names[number]] for number in numbers}, retries)
    return folder / table


@typed
def download_swim(folder: str | Path, *, base_url: str = SWIM, retries: int = 3) -> Path:
    """Fetch the SWIM files into `folder`, and return it.

    The publisher gives no checksums: those of the first download are written to `SHA256SUM` beside the files,
    which are checked against it from then on. Raises ValueError on a file that differs, ConnectionError when
    the server cannot be reached.

    See also: `traces.read_swim`.

    Not tried by the tests, since it needs the network:

    >>> download_swim("data/downloads/swim")  # doctest: +SKIP
    PosixPath('data/downloads/swim')
    """
    import pooch

    folder = Path(folder)
    sums = _read_sums(folder / SUMS)
    for name in SWIM_FILES:
        _get(folder, base_url, {name: sums.get(name)}, retries)
        if name not in sums:
            sums[name] = pooch.file_hash(str(folder / name), alg="sha256")
            write_whole(folder / SUMS, "".join(f"{sums[key]}  {key}\n" for key in sums).encode())
            print(f"{name}: the publisher gives no checksum; noted that of this download in {SUMS}")
    return folder


@typed
def download_alibaba_gpu2023(
    folder: str | Path,
    *,
    base_url: str = ALIBABA_GPU,
    retries: int = 3,
    checksums: Mapping[str, str] = ALIBABA_GPU_FILES,
) -> Path:
    """Fetch the list of nodes and the list of tasks into `folder`, and return it.

    The publisher gives no checksums: `checksums`, SHA-256 by file name, are those of the files that schedlib
    was written with. Raises ValueError on a file that differs, ConnectionError when the server cannot be
    reached.

    See also: `traces.alibaba_gpu2023`.

    Not tried by the tests, since it needs the network:

    >>> download_alibaba_gpu2023("data/downloads/openb")  # doctest: +SKIP
    PosixPath('data/downloads/openb')
    """
    _get(Path(folder), base_url, dict(checksums), retries)
    return Path(folder)


def _read_sums(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines() if path.exists() else []
    pairs = [line.split(maxsplit=1) for line in lines if line.strip()]
    if any(len(pair) != 2 or len(pair[0]) != 64 for pair in pairs):
        raise ValueError(
            f"{path} is no list of SHA-256 checksums; remove it, so that it is made again"
        )
    return {name.strip().removeprefix("*").removeprefix("./"): value for value, name in pairs}


def _get(folder: Path, base_url: str, registry: dict[str, str | None], retries: int) -> None:
    import pooch  # slow to import, needed by nothing else
    import requests

    store = pooch.create(folder, base_url, registry=registry, retry_if_failed=retries)
    for name in registry:
        by_hand = f"by hand: put {store.get_url(name)} at {folder / name} and call again; the others are kept"
        try:
            store.fetch(name)
        except requests.RequestException as error:
            raise ConnectionError(f"could not fetch {name} ({error}); {by_hand}") from error
        except ValueError as error:
            why = "has not the known checksum and was not kept"
            raise ValueError(f"{name} {why} ({error}); try again later") from error
