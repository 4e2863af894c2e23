"""The report in a real browser: it sorts, chooses, fits a phone, is legible in light and dark, and asks nobody for anything.

KOLAHAL_SCREENSHOTS=DIR keeps the pictures, for people to look at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kolahal.report.html import render_page

playwright = pytest.importorskip(
    "playwright.sync_api", reason="the browser's driver is missing: pip install playwright"
)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTHS = {"phone": 400, "desk": 1200}
VIEWS = [
    ("synthesis", "phone", "light"), ("synthesis", "desk", "light"), ("synthesis", "desk", "dark"),
    ("refuted", "phone", "dark"), ("refuted", "desk", "light"), ("refuted", "desk", "dark"), ("proved", "phone", "light"),
]  # fmt: skip

# The smallest contrast of any text with what is behind it, as WCAG defines it, and where that is.
CONTRAST = """() => {
  const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const colour = numbers(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  let worst = [21, ""];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest("svg, script, .skip") || !element.checkVisibility()) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < worst[0]) worst = [contrast, element.outerHTML.slice(0, 120)];
  }
  return worst;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("there is no Chromium on this machine: install Debian's package chromium, as .ci/run does")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield found
        found.close()


class Visit:
    """A page in the browser, and what it asked for or complained about."""

    def __init__(self, browser: Any, path: Path, **options: Any):
        self.requests: list[str] = []
        self.complaints: list[str] = []
        options = {"viewport": {"width": 1200, "height": 900}, "color_scheme": "light", **options}
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def column(self, number: int) -> list[str]:
        return self.page.locator(f"table.ranked tbody td:nth-child({number})").all_text_contents()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, found: Any, refuted: Any, proved: Any) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    paths = {}
    for name, document in (("synthesis", found), ("refuted", refuted), ("proved", proved)):
        paths[name] = folder / f"{name}.html"
        paths[name].write_text(render_page(document), encoding="utf-8")
    return paths


@pytest.mark.parametrize(("name", "width", "scheme"), VIEWS)
def test_it_fits_is_legible_and_keeps_to_itself(
    browser: Any, pages: dict[str, Path], name: str, width: str, scheme: str, tmp_path: Path
) -> None:
    with Visit(browser, pages[name], viewport={"width": WIDTHS[width], "height": 900}, color_scheme=scheme) as visit:
        wide, room = visit.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide <= room, "the page scrolls sideways"
        contrast, where = visit.page.evaluate(CONTRAST)
        assert contrast >= 4.5, where
        folder = Path(os.environ.get("KOLAHAL_SCREENSHOTS", tmp_path))
        folder.mkdir(parents=True, exist_ok=True)
        picture = visit.page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
        assert len(picture) > 40_000, "an empty page"
        assert visit.complaints == [] and visit.requests == [pages[name].as_uri()]


def test_it_is_dark_where_the_reader_wants_that(browser: Any, pages: dict[str, Path]) -> None:
    shades = []
    for scheme in ("light", "dark"):
        with Visit(browser, pages["proved"], color_scheme=scheme) as visit:
            colour = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
            shades.append(sum(int(part) for part in colour.strip("rgb()").split(",")))
    assert shades[0] > 700 and shades[1] < 120


def test_the_table_sorts_by_mouse(browser: Any, pages: dict[str, Path], found: dict[str, Any]) -> None:
    ranks = [str(c["rank"]) for c in found["candidates"]]
    by_error = [str(c["rank"]) for c in sorted(found["candidates"], key=lambda c: c["error"])]
    assert ranks != by_error
    with Visit(browser, pages["synthesis"]) as visit:
        assert visit.column(1) == ranks
        heads = visit.page.get_by_role("columnheader")
        error = visit.page.locator("table.ranked th", has_text="Error")
        error.get_by_role("button").click()
        assert visit.column(1) == by_error and error.get_attribute("aria-sort") == "ascending"
        assert visit.page.locator("table.ranked th[aria-sort]").count() == 1 and heads.count() > 5
        error.get_by_role("button").click()
        assert visit.column(1) == by_error[::-1] and error.get_attribute("aria-sort") == "descending"
        value = visit.page.locator("table.ranked th", has_text="p-value")
        for _ in range(2):  # up, then down: what is missing stays last
            value.get_by_role("button").click()
            assert visit.column(7)[-1] == "–" and visit.column(7)[0] != "–"
        assert visit.complaints == []


def test_the_table_sorts_by_keyboard(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["synthesis"]) as visit:
        seen = []
        for _ in range(40):
            visit.page.keyboard.press("Tab")
            seen.append(visit.page.evaluate("document.activeElement.textContent.trim().replace('\\u00ad', '')"))
            if seen[-1] == "Tightness":
                break
        assert seen[0] == "Skip to the report" and seen[-1] == "Tightness", seen
        outline = visit.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", "who uses the keyboard must see where they are"
        visit.page.keyboard.press("Enter")
        losses = [float(cell) for cell in visit.column(6)]
        assert losses == sorted(losses)
        visit.page.keyboard.press("Space")
        losses = [float(cell) for cell in visit.column(6)]
        assert losses == sorted(losses, reverse=True) and losses[0] > losses[-1]


def test_events_are_chosen_by_mouse_keyboard_and_bar(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["refuted"]) as visit:
        pair = visit.page.locator("details.pair").first
        radios, said = pair.get_by_role("radio"), pair.get_by_role("status")
        marked = pair.locator(".k-pair.k-in")
        assert radios.first.is_checked() and marked.get_attribute("data-bin") == "3"
        assert "The output is 3." in said.inner_text() and "more than the 2.718" in said.inner_text()
        pair.get_by_text("the output is 1", exact=True).click()
        assert "The output is 1." in said.inner_text() and "within the 2.718" in said.inner_text()
        assert marked.get_attribute("data-bin") == "1" and pair.locator("tr.chosen").count() == 1
        visit.page.keyboard.press("ArrowDown")
        assert "The output is 2." in said.inner_text() and marked.get_attribute("data-bin") == "2"
        pair.locator("[data-bin='0']").click(position={"x": 3, "y": 3})
        assert "The output is 0." in said.inner_text()
        assert visit.complaints == []


def test_every_pair_opens(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["synthesis"]) as visit:
        pairs = visit.page.locator("details.pair")
        assert pairs.count() == 2
        second = pairs.nth(1)
        assert not second.locator("svg").is_visible()
        second.locator("summary").focus()
        visit.page.keyboard.press("Enter")
        assert second.locator("svg").is_visible() and "more than the 2.718" in second.get_by_role("status").inner_text()


def test_a_screen_reader_finds_its_way(browser: Any, pages: dict[str, Path]) -> None:
    with Visit(browser, pages["synthesis"]) as visit:
        page = visit.page
        assert page.get_by_role("heading", level=1).count() == 1 and page.get_by_role("main").count() == 1
        for name in ("The program", "Completions", "The proof in words", "Pictures", "How to reproduce"):
            assert page.get_by_role("heading", name=name, level=2).count() == 1, name
            assert page.get_by_role("region", name=name, exact=True).count() == 1, name
        for name in (
            "Loss against scale",
            "The landscape of the loss",
            "Error against ε",
            "The outputs on both inputs",
        ):
            assert page.get_by_role("img", name=name).count() >= 1, name
        assert page.get_by_role("navigation", name="Contents").get_by_role("link").count() >= 6
        page.get_by_role("link", name="Reproduce").click()
        assert page.evaluate("location.hash") == "#reproduce"


def test_it_works_without_a_script_and_on_paper(browser: Any, pages: dict[str, Path], tmp_path: Path) -> None:
    with Visit(browser, pages["synthesis"], java_script_enabled=False) as visit:
        assert (
            visit.page.get_by_text("3/ε").first.is_visible() and visit.page.get_by_text("press a heading").is_hidden()
        )
        assert visit.page.locator("details.pair input").first.is_hidden()
        assert visit.page.get_by_text("the output is 6", exact=True).first.is_visible()
    with Visit(browser, pages["synthesis"]) as visit:
        visit.page.emulate_media(media="print")
        assert visit.page.get_by_role("navigation").is_hidden()
        assert visit.page.pdf(format="A4").startswith(b"%PDF")


def test_the_budget_planner_keeps_to_the_law(browser: Any, pages: dict[str, Path], found: Any) -> None:
    """What one place takes is not there for the other, scales follow, and so does the error; without a move it is that of the table's scales."""
    plan = found["figures"]["planner"]
    with Visit(browser, pages["synthesis"]) as visit:
        section = visit.page.locator("#planner")
        rows = section.locator("tbody tr")
        told = section.locator(".planned")
        still = told.inner_text()
        move = "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }"
        rows.nth(0).locator("input").evaluate(move, "50")
        assert told.inner_text() == still, "the page computes what the report says"
        rows.nth(0).locator("input").evaluate(move, "20")
        shown = [rows.nth(i).locator("output").all_inner_texts() for i in range(2)]
        assert [share for share, _ in shown] == ["20 %", "80 %"]
        sure = float(f"{plan['budgets'][2]:.2g}")
        for (_, scale), whole, share in zip(shown, plan["whole"], (0.2, 0.8), strict=True):
            assert float(scale) == pytest.approx(whole / share / sure, rel=0.01)
        assert told.inner_text() != still
        rows.nth(2).locator("input").evaluate(move, "40")
        largest = section.locator("tbody tr").nth(2).locator("output").inner_text()
        assert float(largest) == plan["budgets"][-1] and told.inner_text() != still
        assert visit.complaints == []
