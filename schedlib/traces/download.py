"""Fetch the public traces: retried, checked, written in one step, and only what is not there already."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from schedlib.core.checks import typed, unknown
from schedlib.paths import cache_folder, checkout

SUMS = "SHA256SUM"
RETRIES = 3


class Source(NamedTuple):
    """What can be fetched: a description, its licence, its size, the folder it goes into, and where it is.

    `files`: names and SHA-256 of the files that schedlib was written with; `table`: instead of these, all
    files of that table in the publisher's own list of checksums.

    >>> SOURCES["swim"].folder
    'swim'
    """

    description: str
    licence: str
    size: str
    folder: str
    url: str
    files: Mapping[str, str] = {}
    table: str = ""


CC_BY = "CC-BY 4.0, https://github.com/google/cluster-data"
GOOGLE2011 = "https://storage.googleapis.com/clusterdata-2011-2/"
SOURCES = {
    "google2011": Source(
        "Google clusterdata-2011-2, table job_events: the jobs of one cell in 29 days of May 2011",
        CC_BY,
        "500 files, 2.0 million events",
        "google2011",
        GOOGLE2011,
        table="job_events",
    ),
    "google2011-tasks": Source(
        "Google clusterdata-2011-2, table task_events: the tasks of those jobs and what they requested",
        CC_BY,
        "500 files, 145 million events",
        "google2011",
        GOOGLE2011,
        table="task_events",
    ),
    "swim": Source(
        "SWIM: two synthesised days of Facebook's MapReduce jobs, 2009 and 2010, with their bytes",
        "New BSD, https://github.com/SWIMProjectUCB/SWIM",
        "2 files, about 1 MB",
        "swim",
        "https://raw.githubusercontent.com/SWIMProjectUCB/SWIM/master/workloadSuite/",
        {
            "FB-2009_samples_24_times_1hr_0.tsv": "5033ea98faed398b132957e4555c9ba88653d1ffaac470f370b761b79cd44c19",
            "FB-2010_samples_24_times_1hr_0.tsv": "65f758ecd0495955de30c560b2d57fc351c9b2c89117b82f16b2f8f30fb4e9d9",
        },
    ),
    "alibaba-gpu2023": Source(
        "Alibaba cluster-trace-gpu-v2023: 1,523 nodes with 6,212 GPUs, and tasks that may share one",
        "none stated, https://github.com/alibaba/clusterdata",
        "2 files, 0.6 MB",
        "openb",
        "https://raw.githubusercontent.com/alibaba/clusterdata/master/cluster-trace-gpu-v2023/csv/",
        {
            "openb_node_list_all_node.csv": "5a85c2af79c66a1efff8bbcbda430400aae56d8431370d738480967e1a9c6b15",
            "openb_pod_list_default.csv": "1ee7ed79c27a3b0861cda8ddba86a004c6aba904caafa329a76ae93ca63834a8",
        },
    ),
}


@typed
def fetch(name: str, folder: str | Path | None = None) -> Path:
    """Fetch the source `name` of `SOURCES` and return the folder with its files, ready for the reader.

    It goes below `folder`; left out, that is `data/downloads` of the checkout, or the cache folder when there
    is none. Every file is checked: a file that differs is not left in place. Raises ValueError on an unknown
    name and on a file that differs, ConnectionError when the server cannot be reached.

    >>> fetch("google2099")
    Traceback (most recent call last):
    ValueError: name: 'google2099' is unknown; did you mean 'google2011' ...
    """
    if name not in SOURCES:
        raise unknown("name", name, SOURCES)
    if folder is None:
        root = checkout()
        folder = root / "data" / "downloads" if root else cache_folder("downloads")
    source = SOURCES[name]
    place = Path(folder) / source.folder
    files = source.files
    if source.table:
        _get(place, source.url, {SUMS: None})
        files = _published(place / SUMS, source.table)
    _get(place, source.url, files)
    return place / source.table


def _published(path: Path, table: str) -> dict[str, str]:
    """The files of a table and their checksums, from the publisher's list."""
    shard = re.compile(rf"(\w{{64}}) [ *]?(?:\./)?({table}/part-\d+-of-\d+\.csv\.gz)")
    files = {name: checksum for checksum, name in shard.findall(path.read_text())}
    if not files:
        raise ValueError(f"{path} lists no file of {table}; remove it, so that it is fetched again")
    return files


def _get(folder: Path, url: str, files: Mapping[str, str | None]) -> None:
    import pooch  # slow to import, needed by nothing else
    import requests

    store = pooch.create(folder, url, registry=dict(files), retry_if_failed=RETRIES)
    for name in files:
        by_hand = f"by hand: put {store.get_url(name)} at {folder / name} and call again; the others are kept"
        try:
            store.fetch(name)
        except requests.RequestException as error:
            raise ConnectionError(f"could not fetch {name} ({error}); {by_hand}") from error
        except ValueError as error:
            why = "has not the known checksum and was not kept"
            raise ValueError(f"{name} {why} ({error}); try again later") from error
