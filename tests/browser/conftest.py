"""One headless Chromium for all tests, and a page for every kind of run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from bsa.messages import catalogue
from reports import write_all
from tests.browser.tab import Tab
from tests.reports import kernel_samples, samples
from verification.runs import Run

KINDS = ("passing", "failing", "synthetic", "empty", "unstarted", "nan", "injection", "big", "kernel")
FLAGS = (
    "--headless",
    "--no-sandbox",  # root may not use the sandbox, and these pages are our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1280,900",
)


def made(kind: str) -> Run:
    """The run of a kind."""
    return kernel_samples.kernel_run() if kind == "kernel" else getattr(samples, f"{kind}_run")()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with <kind>/index.html for each kind of run, and failing-zh."""
    folder = tmp_path_factory.mktemp("pages")
    for kind in KINDS:
        write_all(made(kind), folder / kind, messages=catalogue("en"))
    write_all(samples.failing_run(), folder / "failing-zh", messages=catalogue("zh"))
    write_all(kernel_samples.kernel_run(), folder / "kernel-zh", messages=catalogue("zh"))
    return folder


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Chromium with an empty profile."""
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in programs.items() if path is None]
    assert not missing, f"not found: {missing}; install them: apt-get install chromium chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = str(programs["chromium"])
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(programs["chromedriver"])))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def tab(browser: webdriver.Chrome, pages: Path) -> Tab:
    """A tab in the state of a first visit: light, wide, scripts on, nothing stored."""
    tab = Tab(browser, pages)
    tab.reset()
    return tab
