"""The README and all pages of docs/, executed: files, programs, commands, and what they are said to print."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from bench import cast

import pages
from how_to import BLOCK, REWRITE, ROOT, run_page
from kolahal import synthesize
from kolahal.cli import cli
from kolahal.sketches.gallery import BEYOND, GALLERY, RECORDS, load_one

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
NEEDS = {"docs/how-to/opendp.md": "opendp", "docs/how-to/emit.md": "opendp", "docs/how-to/agents.md": "mcp"}  # pages about packages that one may not have
NOT_RUN = {  # blocks that set up an environment, which no test should do: how many a page has
    "README.md": 1,
    "docs/how-to/cluster.md": 1,
}
PICTURES = {  # blocks that are neither code nor output; tests of their own look at them
    "README.md": 1,  # the commands: below
    "docs/language.md": 1,  # an error: tests/lang/test_language_page.py
}


@pytest.mark.parametrize("name", NAMES)
def test_a_page_tells_the_truth(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    if not any(point.value == "kolahal.pytest_plugin" for point in metadata.entry_points(group="pytest11")):
        monkeypatch.setenv("PYTEST_PLUGINS", "kolahal.pytest_plugin")  # an installation from before the plugin
    found = [(block["language"], block["file"]) for block in BLOCK.finditer((ROOT / name).read_text(encoding="utf-8"))]
    assert sum(file == "no-run" for _, file in found) == NOT_RUN.get(name, 0)
    assert sum(not language for language, _ in found) == PICTURES.get(name, 0)
    assert run_page(ROOT / name, tmp_path) == len(found) - NOT_RUN.get(name, 0) - PICTURES.get(name, 0)


def test_no_fence_escapes_the_runner() -> None:
    """A fence that is indented, or has words behind it that the runner does not know, would never be run."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.count("```") == 2 * len(BLOCK.findall(text)), page


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page}: {target}"


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        place = str(page.relative_to(ROOT / "docs"))
        assert f"({place})" in index or place.startswith("decisions/") or place == "README.md", place


def test_every_command_is_in_the_readme() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")
    assert set(re.findall(r"^kolahal (\w+) +[A-Za-z.-]+ ", readme, flags=re.M)) == set(cli.commands)


# ---------------------------------------------------------------- what is generated


@pytest.mark.parametrize("name", [*GALLERY, *BEYOND, *RECORDS])
def test_a_page_of_the_gallery(name: str, tmp_path: Path) -> None:
    path = ROOT / "docs" / "gallery" / f"{name}.md"
    if REWRITE:
        path.parent.mkdir(exist_ok=True)
        new = pages.gallery_page(name, pages.find_best(name))
        if not path.exists() or pages.without_output(path.read_text(encoding="utf-8")) != new:
            path.write_text(new, encoding="utf-8")
        run_page(path, tmp_path)
    page = path.read_text(encoding="utf-8")
    assert pages.without_output(page) == pages.gallery_page(name, pages.best_of_page(page))
    assert "Refuted: " in page or "the test finds a violation (p = 0 " in page  # of quotients nothing is refuted


def test_the_api_reference() -> None:
    path = ROOT / "docs" / "api.md"
    if REWRITE:
        path.write_text(pages.api_page(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == pages.api_page()


def test_the_picture() -> None:
    """It is what is drawn today from its own verdicts, which a sample of checks confirms."""
    path = ROOT / "docs" / "images" / "above-threshold.svg"
    sketch = load_one("above_threshold_1")
    found = synthesize(sketch)
    assert found.law is not None
    picks = [tuple(int(scale.coefficient) for scale in j.ranked.completion) for j in found.judged[:2]]
    every = [(a, b) for a in range(1, pages.LARGEST + 1) for b in range(1, pages.LARGEST + 1)]
    if REWRITE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(pages.draw_verdicts(found.law.text, pages.judge_scales(sketch, every), picks), encoding="utf-8")
    picture = path.read_text(encoding="utf-8")
    verdicts = pages.read_verdicts(picture)
    assert list(verdicts) == every and len(picture) < 60_000
    assert picture == pages.draw_verdicts(found.law.text, verdicts, picks)
    sample = [(2, 4), (3, 3), (2, 3), (1, 8)]
    assert pages.judge_scales(sketch, sample) == {place: verdicts[place] for place in sample}


def test_the_cast_of_the_readme() -> None:
    """It shows what the README shows, which is what a run prints."""
    if REWRITE:
        cast.main()
    assert cast.CAST.read_text(encoding="utf-8") == cast.draw(cast.read_lines())
