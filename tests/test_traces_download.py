"""Downloads, from a server on this machine that has the published layout."""

import gzip
import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from schedlib.traces import alibaba_gpu2023, alibaba_gpu2023_folder, google2011_jobs, read_swim
from schedlib.traces.download import (
    ALIBABA_GPU_FILES,
    SWIM_FILES,
    download_alibaba_gpu2023,
    download_google2011,
    download_swim,
    fetch,
)
from test_traces_alibaba_gpu2023 import published


class Server(SimpleHTTPRequestHandler):
    asked: list[str] = []

    def do_GET(self):
        self.asked.append(self.path.lstrip("/"))
        super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def bucket(tmp_path):
    """A folder served at a URL, with three shards of one job each and their SHA256SUM."""
    root = tmp_path / "bucket"
    (root / "job_events").mkdir(parents=True)
    sums = ""
    for i in range(3):
        name = f"job_events/part-{i:05}-of-00003.csv.gz"
        data = gzip.compress(f"{700 + i},,{i},0,user,1,name,logical\n".encode())
        (root / name).write_bytes(data)
        sums += f"{hashlib.sha256(data).hexdigest()}  {name}\n"
    (root / "SHA256SUM").write_text(sums)
    for i, name in enumerate(SWIM_FILES):
        (root / name).write_text(f"job{i}\t4\t4\t1\t2\t3\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, directory=root))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    Server.asked.clear()
    yield root, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_google_shards_are_fetched_once_and_can_be_read(bucket, tmp_path):
    _, url = bucket
    folder = download_google2011(tmp_path / "got", shards=2, base_url=url)
    assert sorted(p.name for p in folder.iterdir()) == [
        "part-00000-of-00003.csv.gz",
        "part-00001-of-00003.csv.gz",
    ]
    assert google2011_jobs(folder).report["shards not there"] == 1
    Server.asked.clear()
    download_google2011(tmp_path / "got", base_url=url)  # goes on where it stopped
    assert Server.asked == ["job_events/part-00002-of-00003.csv.gz"]
    w = google2011_jobs(folder)
    assert w.jobs["job"].tolist() == [0, 1, 2] and "shards not there" not in w.report


def test_a_shard_spoilt_on_disk_is_fetched_again(bucket, tmp_path):
    root, url = bucket
    shard = (
        download_google2011(tmp_path / "got", shards=[1], base_url=url)
        / "part-00001-of-00003.csv.gz"
    )
    shard.write_bytes(b"spoilt")
    download_google2011(tmp_path / "got", shards=[1], base_url=url)
    assert shard.read_bytes() == (root / "job_events" / shard.name).read_bytes()


def test_a_shard_that_differs_from_its_checksum_is_refused_and_not_left(bucket, tmp_path):
    root, url = bucket
    (root / "job_events" / "part-00001-of-00003.csv.gz").write_bytes(b"something else")
    with pytest.raises(
        ValueError, match="part-00001-of-00003.*has not the known checksum and was not kept"
    ):
        download_google2011(tmp_path / "got", base_url=url, retries=0)
    assert [p.name for p in (tmp_path / "got" / "job_events").iterdir()] == [
        "part-00000-of-00003.csv.gz"
    ]


def test_an_unreachable_server_says_what_to_do_by_hand(tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        url = f"http://127.0.0.1:{server.server_port}/"  # closed on leaving: nobody listens there
    with pytest.raises(
        ConnectionError,
        match=r"SHA256SUM .*by hand: put http://127.0.0.1:\d+/SHA256SUM at .*call again",
    ):
        download_google2011(tmp_path / "got", base_url=url, retries=0)


def test_a_file_that_the_server_lacks_is_named(bucket, tmp_path):
    root, url = bucket
    (root / "job_events" / "part-00002-of-00003.csv.gz").unlink()
    with pytest.raises(ConnectionError, match="part-00002.*404.*by hand"):
        download_google2011(tmp_path / "got", base_url=url, retries=0)


def test_unknown_table_shard_and_source_are_refused(bucket, tmp_path):
    _, url = bucket
    with pytest.raises(ValueError, match="table: 'jobs' is unknown; did you mean 'job_events'"):
        download_google2011(tmp_path, "jobs", base_url=url)
    with pytest.raises(ValueError, match="lists no file of task_events"):
        download_google2011(tmp_path, "task_events", base_url=url)
    with pytest.raises(ValueError, match="shards: 3 is none of the 3"):
        download_google2011(tmp_path, shards=[0, 3], base_url=url)
    with pytest.raises(ValueError, match="name: 'alibaba' is unknown"):
        fetch("alibaba")


def test_swim_checksums_are_noted_and_held_to(bucket, tmp_path, capsys):
    root, url = bucket
    folder = download_swim(tmp_path / "swim", base_url=url)
    assert "publisher gives no checksum" in capsys.readouterr().out
    assert read_swim(folder / SWIM_FILES[1]).jobs["job"].tolist() == ["job1"]
    Server.asked.clear()
    download_swim(folder, base_url=url)
    assert Server.asked == [] and capsys.readouterr().out == ""
    (folder / SWIM_FILES[0]).unlink()
    (root / SWIM_FILES[0]).write_text("changed at the source")
    with pytest.raises(ValueError, match="has not the known checksum"):
        download_swim(folder, base_url=url, retries=0)
    assert not (folder / SWIM_FILES[0]).exists()


def test_the_gpu_cluster_is_fetched_checked_and_can_be_read(bucket, tmp_path):
    root, url = bucket
    published(root)
    sums = {
        name: hashlib.sha256((root / name).read_bytes()).hexdigest() for name in ALIBABA_GPU_FILES
    }
    folder = download_alibaba_gpu2023(tmp_path / "got", base_url=url, checksums=sums)
    assert len(alibaba_gpu2023(folder)[1]) == 3
    Server.asked.clear()
    download_alibaba_gpu2023(folder, base_url=url, checksums=sums)
    assert Server.asked == []
    with pytest.raises(
        ValueError, match="openb_node_list_all_node.csv has not the known checksum and was not kept"
    ):
        # not the publisher's files
        download_alibaba_gpu2023(tmp_path / "others", base_url=url, retries=0)
    assert not list((tmp_path / "others").glob("*.csv"))


def test_the_known_checksums_are_those_of_the_published_files():
    if (folder := alibaba_gpu2023_folder()) is None:
        pytest.skip(
            "Alibaba's GPU trace is not here: `make data` fetches it, or set SCHEDLIB_ALIBABA_GPU2023 to its folder"
        )
    for name, known in ALIBABA_GPU_FILES.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == known
