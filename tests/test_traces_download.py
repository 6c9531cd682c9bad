"""Downloads, from a server on this machine that has the published layout."""

import gzip
import hashlib
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from refusals import refuses
from schedlib.__main__ import main
from schedlib.traces import (
    alibaba_gpu2023_folder,
    download,
    google2011_folder,
    google2011_jobs,
    hawk_folder,
    swf_folder,
    swim_folder,
)
from schedlib.traces.download import SOURCES, fetch

SHARDS = [f"part-{i:05}-of-00003.csv.gz" for i in range(3)]


class Server(SimpleHTTPRequestHandler):
    asked: list[str] = []

    def do_GET(self):
        self.asked.append(self.path.lstrip("/"))
        super().do_GET()

    def log_message(self, *_):
        pass


class WithRange(Server):
    """Serves the rest of a file that is asked for, and breaks off after `most` bytes."""

    most = 10**6

    def do_GET(self):
        data = Path(self.translate_path(self.path)).read_bytes()
        wanted = self.headers["Range"]
        self.asked.append(wanted)
        begin = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        if begin >= len(data):
            self.send_error(416)
            return
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        self.wfile.write(data[begin : begin + self.most])


def serve(monkeypatch, url):
    """All sources are at this URL, and no failure is tried again."""
    monkeypatch.setattr(download, "RETRIES", 0)
    for name, source in SOURCES.items():
        monkeypatch.setitem(SOURCES, name, source._replace(url=url))


@contextmanager
def server_of(root, handler, monkeypatch):
    """A server of the files in `root`, at which all sources are."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=root))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    serve(monkeypatch, f"http://127.0.0.1:{server.server_port}/")
    Server.asked.clear()
    yield
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """A folder that is served, with three shards of one job each, and their SHA256SUM."""
    root = tmp_path / "bucket"
    (root / "job_events").mkdir(parents=True)
    sums = ""
    for i, shard in enumerate(SHARDS):
        data = gzip.compress(f"{700 + i},,{i},0,user,1,name,logical\n".encode())
        (root / "job_events" / shard).write_bytes(data)
        sums += f"{hashlib.sha256(data).hexdigest()}  job_events/{shard}\n"
    (root / "SHA256SUM").write_text(sums)
    with server_of(root, Server, monkeypatch):
        yield root


WHOLE = b"".join(b"%d 1 4 4\n" % i for i in range(200))


@pytest.fixture(params=[Server, WithRange], ids=["no range", "range"])
def big(request, tmp_path, monkeypatch):
    """A server of a file GOOG.tr, without and with ranges: its handler, and the part file of a download."""
    root = tmp_path / "served"
    root.mkdir()
    (root / "GOOG.tr").write_bytes(WHOLE)
    files = {"GOOG.tr": hashlib.sha256(WHOLE).hexdigest()}
    monkeypatch.setitem(SOURCES, "hawk-google", SOURCES["hawk-google"]._replace(files=files))
    monkeypatch.setattr(download, "PIECE", 10)
    (tmp_path / "hawk").mkdir()
    with server_of(root, request.param, monkeypatch):
        yield request.param, tmp_path / "hawk/GOOG.tr.part"


def test_google_shards_are_fetched_once_and_can_be_read(bucket, tmp_path):
    folder = fetch("google2011", tmp_path)
    assert folder == tmp_path / "google2011/job_events"
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
    refuses(
        f"{SHARDS[1]} does not match its checksum and was discarded", fetch, "google2011", tmp_path
    )
    folder = tmp_path / "google2011/job_events"
    assert [path.name for path in folder.iterdir()] == SHARDS[:1]


def test_an_unreachable_server_says_what_to_do_by_hand(tmp_path, monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        url = f"http://127.0.0.1:{server.server_port}/"  # closed on leaving: nobody listens there
    serve(monkeypatch, url)
    with pytest.raises(
        ConnectionError, match=rf"SHA256SUM .*by hand: put {url}SHA256SUM at .*call again"
    ):
        fetch("google2011", tmp_path)


def test_a_table_without_files_is_refused(bucket, tmp_path):
    refuses("does not list a file of task_events", fetch, "google2011-tasks", tmp_path)


def test_an_interrupted_download_goes_on_from_its_part(big, tmp_path, monkeypatch):
    handler, part = big
    if handler is WithRange:
        monkeypatch.setattr(WithRange, "most", 700)
        with pytest.raises(ConnectionError, match="could not fetch GOOG.tr .*what was received is"):
            fetch("hawk-google", tmp_path)
        monkeypatch.setattr(WithRange, "most", 10**6)
        assert part.read_bytes() == WHOLE[:700]
    else:
        part.write_bytes(WHOLE[:700])
    Server.asked.clear()
    folder = fetch("hawk-google", tmp_path)
    assert [path.name for path in folder.iterdir()] == ["GOOG.tr"]
    assert (folder / "GOOG.tr").read_bytes() == WHOLE
    assert Server.asked == (["bytes=700-"] if handler is WithRange else ["GOOG.tr"])


def test_a_part_that_lacks_nothing_is_the_file(big, tmp_path):
    _, part = big
    part.write_bytes(WHOLE)
    assert (fetch("hawk-google", tmp_path) / "GOOG.tr").read_bytes() == WHOLE
    assert not part.exists()


def test_a_part_of_another_file_is_refused_once(big, tmp_path):
    handler, part = big
    part.write_bytes(b"something else")
    if handler is WithRange:
        refuses("GOOG.tr does not match its checksum", fetch, "hawk-google", tmp_path)
        assert not list(part.parent.iterdir())
    assert (fetch("hawk-google", tmp_path) / "GOOG.tr").read_bytes() == WHOLE


def test_a_git_lfs_pointer_in_place_of_the_file_is_recognised(big, tmp_path):
    _, part = big
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:fc60658a\nsize 226978634\n"
    (tmp_path / "served/GOOG.tr").write_text(text)
    with pytest.raises(ConnectionError, match="a Git LFS pointer in place .*`git lfs pull`.*quota"):
        fetch("hawk-google", tmp_path)
    assert not list(part.parent.iterdir())


def test_the_command_says_the_size_first(bucket, tmp_path, capsys):
    assert main(["data", "hawk", "--folder", str(tmp_path)]) != 0  # the files are not there
    error = capsys.readouterr().err
    assert error.startswith("hawk: 3 files, 8 MB\n") and "could not fetch YH1_sub.tr" in error


@pytest.mark.parametrize(
    "variable, folder, files",
    [
        ("GOOGLE2011", google2011_folder, SHARDS[:1]),
        ("SWIM", swim_folder, ["FB-2009_samples_24_times_1hr_0.tsv"]),
        ("ALIBABA_GPU2023", alibaba_gpu2023_folder, SOURCES["alibaba-gpu2023"].files),
        ("HAWK", hawk_folder, ["a.tr"]),
        ("SWF", swf_folder, ["a.swf.gz"]),
    ],
)
def test_the_folder_is_the_one_that_the_variable_names_once_the_files_are_there(
    variable, folder, files, tmp_path, monkeypatch
):
    monkeypatch.setenv(f"SCHEDLIB_{variable}", str(tmp_path))
    for file in files:
        (tmp_path / f"{file}.part").touch()  # an interrupted download
    assert folder() is None
    for file in files:
        (tmp_path / file).touch()
    assert folder() == tmp_path
