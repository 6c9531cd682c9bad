"""Downloads, from a server on this machine that has the published layout."""

import gzip
import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from schedlib.traces import alibaba_gpu2023_folder, download, google2011_jobs, swim_folder
from schedlib.traces.download import SOURCES, fetch

SHARDS = [f"part-{i:05}-of-00003.csv.gz" for i in range(3)]


class Server(SimpleHTTPRequestHandler):
    asked: list[str] = []

    def do_GET(self):
        self.asked.append(self.path.lstrip("/"))
        super().do_GET()

    def log_message(self, *_):
        pass


def serve(monkeypatch, url):
    """All sources are at this URL, and no failure is tried again."""
    monkeypatch.setattr(download, "RETRIES", 0)
    for name, source in SOURCES.items():
        monkeypatch.setitem(SOURCES, name, source._replace(url=url))


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """A folder that is served, with three shards of one job each, their SHA256SUM, and other files."""
    root = tmp_path / "bucket"
    (root / "job_events").mkdir(parents=True)
    sums = ""
    for i, shard in enumerate(SHARDS):
        data = gzip.compress(f"{700 + i},,{i},0,user,1,name,logical\n".encode())
        (root / "job_events" / shard).write_bytes(data)
        sums += f"{hashlib.sha256(data).hexdigest()}  job_events/{shard}\n"
    (root / "SHA256SUM").write_text(sums)
    for name in SOURCES["swim"].files:
        (root / name).write_text("job0\t4\t4\t1\t2\t3\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, directory=root))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    serve(monkeypatch, f"http://127.0.0.1:{server.server_port}/")
    Server.asked.clear()
    yield root
    server.shutdown()
    server.server_close()
    thread.join()


def test_google_shards_are_fetched_once_and_can_be_read(bucket, tmp_path):
    folder = fetch("google2011", tmp_path)
    assert folder == tmp_path / "google2011" / "job_events"
    assert sorted(path.name for path in folder.iterdir()) == SHARDS
    assert google2011_jobs(folder).jobs["job"].tolist() == [0, 1, 2]
    (folder / SHARDS[1]).write_bytes(b"spoilt")
    (folder / SHARDS[2]).unlink()
    Server.asked.clear()
    fetch("google2011", tmp_path)  # goes on where it stopped
    assert Server.asked == [f"job_events/{shard}" for shard in SHARDS[1:]]
    assert (folder / SHARDS[1]).read_bytes() == (bucket / "job_events" / SHARDS[1]).read_bytes()


def test_a_shard_that_differs_from_its_checksum_is_refused_and_not_left(bucket, tmp_path):
    (bucket / "job_events" / SHARDS[1]).write_bytes(b"something else")
    with pytest.raises(
        ValueError, match=f"{SHARDS[1]} has not the known checksum and was not kept"
    ):
        fetch("google2011", tmp_path)
    folder = tmp_path / "google2011" / "job_events"
    assert [path.name for path in folder.iterdir()] == SHARDS[:1]


def test_an_unreachable_server_says_what_to_do_by_hand(tmp_path, monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        url = f"http://127.0.0.1:{server.server_port}/"  # closed on leaving: nobody listens there
    serve(monkeypatch, url)
    with pytest.raises(
        ConnectionError, match=rf"SHA256SUM .*by hand: put {url}SHA256SUM at .*call again"
    ):
        fetch("google2011", tmp_path)


def test_a_file_that_the_server_lacks_is_named(bucket, tmp_path):
    (bucket / "job_events" / SHARDS[2]).unlink()
    with pytest.raises(ConnectionError, match="part-00002.*404.*by hand"):
        fetch("google2011", tmp_path)


def test_an_unknown_source_and_a_table_without_files_are_refused(bucket, tmp_path):
    with pytest.raises(ValueError, match="lists no file of task_events"):
        fetch("google2011-tasks", tmp_path)
    with pytest.raises(ValueError, match="name: 'alibaba' is unknown"):
        fetch("alibaba")


def test_files_with_known_checksums_are_fetched_once_and_held_to_them(
    bucket, tmp_path, monkeypatch
):
    first = next(iter(SOURCES["swim"].files))
    with pytest.raises(ValueError, match=f"{first} has not the known checksum"):
        fetch("swim", tmp_path)
    assert not list((tmp_path / "swim").glob("*.tsv"))
    sums = {
        name: hashlib.sha256((bucket / name).read_bytes()).hexdigest()
        for name in SOURCES["swim"].files
    }
    monkeypatch.setitem(SOURCES, "swim", SOURCES["swim"]._replace(files=sums))
    folder = fetch("swim", tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == sorted(sums)
    Server.asked.clear()
    assert fetch("swim", tmp_path) == tmp_path / "swim" and Server.asked == []


@pytest.mark.parametrize(
    "name, folder", [("swim", swim_folder), ("alibaba-gpu2023", alibaba_gpu2023_folder)]
)
def test_the_known_checksums_are_those_of_the_published_files(name, folder):
    if (place := folder()) is None:
        pytest.skip(f"the trace is not here: make data ARGS={name} fetches it")
    for file, known in SOURCES[name].files.items():
        assert hashlib.sha256((place / file).read_bytes()).hexdigest() == known
