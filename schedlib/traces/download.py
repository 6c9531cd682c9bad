"""Fetch the public traces: retried, checked, written in one step, and only files that are missing."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from schedlib.core.checks import typed, unknown
from schedlib.paths import cache_folder, checkout
from schedlib.traces._reading import byte_bar

SUMS = "SHA256SUM"
RETRIES = 3
SECONDS = 30  # without a byte, after which a server counts as silent
PIECE = 2**16  # bytes written at once
GOES_ON, NOTHING_LEFT = 206, 416  # answers to a request for the rest of a file
POINTER = b"version https://git-lfs.github.com/spec/"  # how Git LFS marks a file that is elsewhere


class Source(NamedTuple):
    """A trace to fetch: its description, licence and size, the folder that it goes into, and its address.

    `files`: names and SHA-256 of the files that schedlib was written with; `table`: instead of these, all
    files of that table in the publisher's own list of checksums. `hint`: another way by hand.

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
    hint: str = ""


CC_BY = "CC-BY 4.0, https://github.com/google/cluster-data"
GOOGLE2011 = "https://storage.googleapis.com/clusterdata-2011-2/"
MEGHA = "meghanat/megha_simulator"
MEGHA_LICENCE = f"none stated, https://github.com/{MEGHA}"
MEGHA_LFS = "cc0b5b68295b31f202de69837858ba0b940b7f8e"  # the last commit with all whole files
PLAIN_FILES = f"https://raw.githubusercontent.com/{MEGHA}/main/traces/input/"
LFS_FILES = f"https://media.githubusercontent.com/media/{MEGHA}/{MEGHA_LFS}/traces/input/"
LFS_HINT = (
    f", or `git lfs pull` in a clone of https://github.com/{MEGHA} at commit {MEGHA_LFS[:8]}; "
    "where GitHub says that the repository's quota or budget of Git LFS is used up, wait for the next month"
)
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
    "swf": Source(
        "NASA's iPSC/860, 1993: 18,239 jobs on 128 nodes, a log of the Parallel Workloads Archive",
        "use to be acknowledged, https://www.cs.huji.ac.il/labs/parallel/workload/l_nasa_ipsc/",
        "1 file, 0.2 MB",
        "swf",
        "https://www.cs.huji.ac.il/labs/parallel/workload/l_nasa_ipsc/",
        {
            "NASA-iPSC-1993-3.1-cln.swf.gz": "ab82bdb3d6abc6de80b920bae757b853ece2cda432db7457a7c6868fd6954347"
        },
    ),
    "alibaba-pai2020": Source(
        "Alibaba cluster-trace-gpu-v2020, table pai_task_table: machine-learning jobs on 6,500 GPUs",
        "none stated, https://github.com/alibaba/clusterdata",
        "1 file, 34 MB",
        "pai",
        "https://aliopentrace.oss-cn-beijing.aliyuncs.com/v2020GPUTraces/",
        {
            "pai_task_table.tar.gz": "cd1d6dc3215d2a8607ccf6b6dd952b5db776df86926c73259fea7c1499ac40e5"
        },
    ),
    "hawk": Source(
        "Hawk's and Eagle's traces, excerpts: two of Yahoo's, 2,910 and 3,363 jobs, one of Google's, 10,000",
        MEGHA_LICENCE,
        "3 files, 8 MB",
        "hawk",
        PLAIN_FILES,
        {
            "YH1_sub.tr": "0f4775615b614756a17e94c34da52077d56ba93283f3f9907e415d9c0046788d",
            "YH2_sub.tr": "d0cd6d2ebf4eb8d05bff62316c750aa364c6b957d2a4afef4f696f32cc451912",
            "GOOG_subtrace.tr": "a2c2d3668d8f087b7ed0f0714ca9c1690e3c7087c83911225756df9521d9a222",
        },
    ),
    "hawk-yahoo": Source(
        "Hawk's and Eagle's Yahoo trace, whole",
        MEGHA_LICENCE,
        "1 file, 15 MB",
        "hawk",
        PLAIN_FILES,
        {"YH_full.tr": "cd243bda85d2ccc3b366781197664ccdaa964a1ce59fb5aaa5b54983b129e2ad"},
    ),
    "hawk-cloudera": Source(
        "Hawk's and Eagle's Cloudera-c trace, whole",
        MEGHA_LICENCE,
        "1 file, 86 MB",
        "hawk",
        PLAIN_FILES,
        {"CCc.tr": "3cf426c9203a2a7c5e96e610e2d3bc7cbb88b79d7054d724df8e024a5f1631be"},
    ),
    "hawk-google": Source(
        "Hawk's and Eagle's Google trace, whole",
        MEGHA_LICENCE,
        "1 file, 227 MB",
        "hawk",
        LFS_FILES,
        {"GOOG.tr": "fc60658a2122499f842d0eba0a740ca08a5d40bfa62632d1011eb4e6bfef2333"},
        hint=LFS_HINT,
    ),
    "hawk-facebook": Source(
        "Hawk's and Eagle's Facebook trace, whole",
        MEGHA_LICENCE,
        "1 file, 769 MB",
        "hawk",
        LFS_FILES,
        {"FB.tr": "b54c4e0446449d089c30df2afe255f479c6bf478aeec1089af03eb78fa66b23b"},
        hint=LFS_HINT,
    ),
}


@typed
def fetch(name: str, folder: str | Path | None = None) -> Path:
    """Fetch the source `name` of `SOURCES` and return the folder with its files, ready for the reader.

    It goes below `folder`; left out, that is `data/downloads` of the checkout, or the cache folder without a
    checkout. Every file is checked: a file that differs is not left in place. The bytes that an interrupted
    call has received stay in `NAME.part`, and the next call goes on from there. Raises ValueError on an unknown
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
        _get(place, source, {SUMS: None})
        files = _published(place / SUMS, source.table)
    _get(place, source, files)
    return place / source.table


def _published(path: Path, table: str) -> dict[str, str]:
    """The files of a table and their checksums, from the publisher's list."""
    shard = re.compile(rf"(\w{{64}}) [ *]?(?:\./)?({table}/part-\d+-of-\d+\.csv\.gz)")
    files = {name: checksum for checksum, name in shard.findall(path.read_text())}
    if not files:
        raise ValueError(
            f"{path} does not list a file of {table}; remove it, so that it is fetched again"
        )
    return files


def _get(folder: Path, source: Source, files: Mapping[str, str | None]) -> None:
    import pooch  # slow to import, needed by nothing else
    import requests

    store = pooch.create(folder, source.url, registry=dict(files), retry_if_failed=RETRIES)
    for name in files:
        by_hand = f"by hand: put {store.get_url(name)} at {folder / name} and call again"
        ways = f"{by_hand}{source.hint}; what was received is kept"
        try:
            store.fetch(name, downloader=partial(_download, folder / f"{name}.part"))
        except (requests.RequestException, ConnectionError) as error:
            raise ConnectionError(f"could not fetch {name} ({error}); {ways}") from error
        except ValueError as error:
            why = "does not match its checksum and was discarded"
            raise ValueError(f"{name} {why} ({error}); try again later") from error


def _download(part: Path, url: str, file: str, store: object) -> None:
    """Get `url` into `file` for pooch, which checks the sum; only the bytes after those of `part` are asked for.

    A server that cannot send a rest sends the whole file, which then replaces the part.
    """
    import requests

    received = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity"}
    if received:
        headers["Range"] = f"bytes={received}-"
    with requests.get(url, headers=headers, stream=True, timeout=SECONDS) as answer:
        if answer.status_code != NOTHING_LEFT:
            answer.raise_for_status()
            if answer.status_code != GOES_ON:
                received = 0
            rest = int(answer.headers.get("Content-Length", 0))
            mode = "ab" if received else "wb"
            with byte_bar(part.stem, received + rest, received) as bar, part.open(mode) as kept:
                for piece in answer.iter_content(PIECE):
                    kept.write(piece)
                    bar.update(len(piece))
    with part.open("rb") as kept:
        pointer = kept.read(len(POINTER)) == POINTER
    if pointer:
        part.unlink()
        raise ConnectionError("the server sent a Git LFS pointer in place of the file")
    part.replace(file)
