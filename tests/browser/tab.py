"""What the tests do with a page, in their own words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement


class Tab:
    """A browser's tab on the report of one kind of run.

    Attributes:
        driver: the browser.
        pages: folder of the pages.
    """

    def __init__(self, driver: webdriver.Chrome, pages: Path) -> None:
        self.driver = driver
        self.pages = pages
        self.scripts = True

    def allow_scripts(self, allowed: bool) -> None:
        """Lets pages run scripts, or not, from the next visit on."""
        self.scripts = allowed
        self.command("Emulation.setScriptExecutionDisabled", value=not allowed)

    def reset(self) -> None:
        """Back to a first visit."""
        self.allow_scripts(True)
        self.media()
        self.size(1280, 900)
        self.visit("empty")
        self.run("localStorage.clear()")
        self.driver.get("about:blank")
        self.console()
        self.requests()

    def visit(self, kind: str, anchor: str = "") -> None:
        """Opens the page of a kind of run, from nothing."""
        self.driver.get("about:blank")
        self.driver.get(f"{(self.pages / kind / 'index.html').as_uri()}{anchor}")
        if self.scripts:
            self.settle()

    def settle(self) -> None:
        """Waits until the page has done what it put off."""
        self.driver.execute_async_script("const done = arguments[0]; setTimeout(() => requestAnimationFrame(done), 20)")

    def run(self, script: str, *arguments: Any) -> Any:
        """Runs a script in the page and gives what it returns."""
        return self.driver.execute_script(script, *arguments)

    def command(self, name: str, **parameters: Any) -> Any:
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def media(self, kind: str = "", *, dark: bool = False) -> None:
        """Screen or print, light or dark."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", media=kind, features=[scheme])

    def size(self, width: int, height: int) -> None:
        """Size of the viewport in CSS pixels."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def press(self, *keys: str) -> None:
        """Presses keys, wherever the focus is."""
        actions = ActionChains(self.driver)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def find(self, selector: str) -> WebElement:
        """The first element that fits."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """Text of the visible elements that fit, in the page's order."""
        script = (
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).map(e => e.textContent)"
        )
        found: list[str] = self.run(script, selector)
        return [text.strip() for text in found]

    def names(self) -> list[str]:
        """Names of the cases that are shown, in their order."""
        return self.texts("tbody.case .open")

    def focused(self) -> str:
        """Text of the element that has the focus."""
        return str(self.run("return document.activeElement.textContent")).strip()

    def focus(self, selector: str) -> None:
        """Gives an element the focus, as Tab does."""
        self.run("document.querySelector(arguments[0]).focus()", selector)

    def console(self) -> list[str]:
        """What the console said since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses that the page asked for since the last time."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
