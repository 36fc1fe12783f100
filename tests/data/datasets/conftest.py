"""A server on this machine, which cuts connections and continues downloads as a test asks it to."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}  # by the URL's path
        self.cut_after: int | None = None  # bytes of an answer
        self.tag: str | None = None  # what it continues downloads by, if it does
        self.refuses_ranges = False
        self.encoding: str | None = None  # what it says that files are encoded by
        self.ranges: list[str | None] = []  # what each request asked for

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self):
        wanted = self.headers.get("Range")
        self.server.ranges.append(wanted)
        body = self.server.files.get(self.path.lstrip("/").partition("?")[0])
        if body is None or (wanted is not None and self.server.refuses_ranges):
            return self.send_error(404)
        continued = wanted is not None and self.headers.get("If-Range") == self.server.tag
        if continued:
            body = body[int(wanted.removeprefix("bytes=").removesuffix("-")) :]
        self.send_response(206 if continued else 200)
        self.send_header("Content-Length", str(len(body)))
        if self.server.encoding is not None:
            self.send_header("Content-Encoding", self.server.encoding)
        if self.server.tag is not None:
            self.send_header("ETag", self.server.tag)
            self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        self.wfile.write(body[: self.server.cut_after])

    def log_message(self, format, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def names(folder):
    """All files in a folder, as paths inside it."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
