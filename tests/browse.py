"""Reads a site in headless Chromium (Qt's): `python browse.py URL WORD...` prints what it found as JSON.

It follows every link from page to page (of the pages of classes, which are all made alike, to a few), looks for the
places inside pages that links name and at the pictures, sees that each page fits a telephone (what is wider has to
scroll by itself), and searches for words.
"""

import json
import os
import sys
from urllib.parse import urldefrag

from PySide6.QtCore import QEventLoop, QTimer, QUrl
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineScript
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

LINKS = "Array.from(document.querySelectorAll('a[href]'), link => link.href)"
NAMES = "Array.from(document.querySelectorAll('[id]'), place => place.id)"
EMPTY = "Array.from(document.images).filter(picture => !picture.naturalWidth).map(picture => picture.src)"
TELEPHONE, DESK = (390, 844), (1280, 800)
WIDE = """(() => {
    const scrolls = part => part && part !== document.body
        && (getComputedStyle(part).overflowX !== 'visible' || scrolls(part.parentElement));
    const parts = Array.from(document.querySelectorAll('.md-content *'));
    const beyond = parts.filter(part => part.getBoundingClientRect().right > innerWidth + 1);
    const out = beyond.filter(part => !scrolls(part.parentElement));
    return document.documentElement.scrollWidth > innerWidth || out.length
        ? [`${location.pathname}: ${out.slice(0, 3).map(part => part.outerHTML.slice(0, 80))}`] : [];
})()"""
"""What is wider than the window, and moves the page with it."""
STATUS = "performance.getEntriesByType('navigation')[0].responseStatus"
IDLE = "window.Worker = class extends EventTarget { postMessage() {} terminate() {} };"
"""Keeps pages from making an index of the whole site, a second of work for each, before anything is searched for."""
SEARCH = """(() => {
    document.querySelectorAll('a.md-search-result__link').forEach(link => link.remove());  // of the word before
    document.querySelector('#__search').checked = true;
    const field = document.querySelector('input[name=query]');
    field.focus();
    field.value = WORD;
    for (const kind of ['input', 'keyup', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));
})()"""
ALIKE = 5
"""How many of the pages that are made alike are read."""
FOUND = "Array.from(document.querySelectorAll('a.md-search-result__link'), link => link.href)"


class Page(QWebEnginePage):
    """A page whose calls wait, and which keeps what scripts complain about."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[str] = []
        self.loading = QEventLoop()
        self.loadFinished.connect(self.loading.quit)  # for good: each disconnect loses a reference to True in PySide6

    def javaScriptConsoleMessage(self, level, message, line, source):
        if level == QWebEnginePage.JavaScriptConsoleMessageLevel.ErrorMessageLevel:
            self.errors.append(f"{source}:{line}: {message}")

    def open(self, url: str) -> None:
        self.load(QUrl(url))
        self.loading.exec()

    def begin_with(self, source: str) -> QWebEngineScript:
        """Runs a script before those of each page, up to `self.scripts().remove(it)`."""
        script = QWebEngineScript()
        script.setSourceCode(source)
        script.setInjectionPoint(QWebEngineScript.InjectionPoint.DocumentCreation)
        script.setWorldId(QWebEngineScript.ScriptWorldId.MainWorld)
        self.scripts().insert(script)
        return script

    def run(self, script: str):
        loop, results = QEventLoop(), []
        self.runJavaScript(f"JSON.stringify({script})", lambda result: (results.append(result), loop.quit()))
        loop.exec()
        return json.loads(results[0] or "null")


def wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def follow(page: Page, site: str) -> tuple[dict[str, int], list[str], list[str]]:
    """The status of every page that links lead to, the links and pictures where nothing is, and what is too wide."""
    waiting, status, places, links, empty, wide = [f"{site}index.html"], {}, {}, set(), [], []
    while waiting:
        url = waiting.pop()
        alike = sum(f"{site}classes/" in known for known in status)
        if url in status or (f"{site}classes/" in url and alike >= ALIKE):
            continue
        page.open(url)
        status[url], names, without, beyond, named = page.run(f"[{STATUS}, {NAMES}, {EMPTY}, {WIDE}, {LINKS}]")
        places[url] = set(names)
        empty += without
        wide += beyond
        inside = {link for link in named if link.startswith(site)}
        links |= inside
        waiting += {urldefrag(link).url for link in inside} - set(status)
    seen = [link for link in map(urldefrag, links) if link.fragment and link.url in places]
    nowhere = [link.geturl() for link in seen if link.fragment not in places[link.url]]
    return status, sorted(nowhere + empty), wide


def search(page: Page, word: str) -> list[str]:
    """The links that the search of the page that is open gives for a word."""
    page.run(SEARCH.replace("WORD", json.dumps(word)))
    for _ in range(100):
        wait(100)
        if found := page.run(FOUND):
            return found
    return []


def main(site: str, *words: str) -> None:
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QTWEBENGINE_DISABLE_SANDBOX": "1"}  # no screen, and perhaps root
    application = QApplication([sys.argv[0]])
    page, view = Page(), QWebEngineView()
    view.setPage(page)
    view.resize(*TELEPHONE)
    view.show()
    idle = page.begin_with(IDLE)
    status, missing, wide = follow(page, site)
    page.scripts().remove(idle)
    view.resize(*DESK)
    page.open(f"{site}index.html")
    found = {word: search(page, word) for word in words}
    print(json.dumps({"status": status, "missing": missing, "wide": wide, "found": found, "errors": page.errors}))
    sys.stdout.flush()
    del view, page  # before the application, which has the profile
    application.quit()


if __name__ == "__main__":
    main(*sys.argv[1:])
