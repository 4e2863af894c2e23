"""The page: it stands alone, says what the document says, and believes no text of a stranger."""

from __future__ import annotations

import base64
import copy
import hashlib
import itertools
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from kolahal.report.html import fragment, render_page, ticked
from kolahal.report.safe import visible

LARGEST = 300_000
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\u2066&amp;"
EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Elements(HTMLParser):
    """All elements with their attributes and texts; complains about elements that are not closed in order."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(params=["found", "proved", "refuted"])
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.getfixturevalue(request.param)


def test_a_page_stands_alone_and_is_small(document: dict[str, Any]) -> None:
    page = render_page(document)
    assert len(page.encode()) < LARGEST
    elements = Elements(page)
    for tag, attributes in elements.found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form"), tag
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("src", "style", "srcset", "action"), (tag, name)
            assert name != "href" or str(value).startswith("#"), value
    assert (
        re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page) == [] and "url(" not in page and "@import" not in page
    )


def test_the_policy_allows_this_style_and_this_script_only(document: dict[str, Any]) -> None:
    page = render_page(document)
    (policy,) = [m["content"] for m in Elements(page).all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert str(policy).startswith("default-src 'none'")
    for tag in ("style", "script"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in str(policy)


def test_a_page_is_built_for_everyone(document: dict[str, Any]) -> None:
    elements = Elements(render_page(document))
    assert elements.all("html") == [{"lang": "en"}] and len(elements.all("h1")) == len(elements.all("main")) == 1
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), levels
    ids = [a["id"] for _, a in elements.found if a.get("id")]
    assert len(ids) == len(set(ids))
    for _, attributes in elements.found:
        for name in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(name) is None or attributes[name] in ids
    links = [str(a["href"])[1:] for a in elements.all("a")]
    assert links and set(links) <= set(ids)
    captioned = len(elements.all("caption")) + sum("aria-labelledby" in t for t in elements.all("table"))
    assert captioned == len(elements.all("table"))
    assert all("scope" in head for head in elements.all("th"))
    assert all(svg.get("role") == "img" and svg.get("aria-label") for svg in elements.all("svg"))
    assert len(elements.texts["title"]) > len(elements.all("svg")) and elements.texts["desc"]
    for attributes in elements.all("div"):
        if attributes.get("class") == "scroll":
            assert attributes["tabindex"] == "0" and attributes["role"] == "region" and attributes["aria-label"]


def test_a_synthesis_shows_all_it_found(found: dict[str, Any]) -> None:
    page = render_page(found)
    for words in (
        "Proved.", "2/ε, 4/ε", "1/η1 + 2/η2 ≤ ε", "every answer may move by at most 1", "Loss against scale",
        "The landscape of the loss", "Error against ε", "The test’s p-value", "The proof in words", "up by 2 if",
        "kolahal verify certificate.json", "(2/ε, 2/ε): a pair of neighbours that refutes it",
    ):  # fmt: skip
        assert words in page, words
    assert page.count('<mark class="noise">') == 2 and page.count('class="pair"') == 2
    assert page.count('<tr class="best">') == 1 and 'aria-sort="ascending"' in page
    rows = re.findall(r'data-sort="(\d+)">\1</td>', page)
    assert rows == [str(c["rank"]) for c in found["candidates"]]


def test_a_check_shows_its_proof_or_its_counterexample(proved: dict[str, Any], refuted: dict[str, Any]) -> None:
    assert "costs at most ε: that is the claim" in render_page(proved)
    page = render_page(refuted)
    assert "The counterexample" in page and "3.168 times as likely" in page and "more than the 2.718" in page
    assert "The proof in words" not in page
    low, high = refuted["counterexample"]["p1"]
    shown = refuted["pairs"][0]["events"][0]
    assert shown["exact"] and low - 1e-4 <= shown["p1"] <= high + 1e-4


def test_a_proof_is_not_contradicted_by_its_own_page(proved: dict[str, Any], found: dict[str, Any]) -> None:
    """The pair that is shown is nearly tight, with all its digits and with fewer."""
    for document in (proved, found):
        events = [e for pair in document["pairs"] if pair["role"] == "hard" for e in pair["events"]]
        assert events and not any(e.get("over") for e in events)
        for digits in (6, 4, 3):
            changed = copy.deepcopy(document)
            changed["pairs"] = [pair for pair in changed["pairs"] if pair["role"] == "hard"]
            for event in changed["pairs"][0]["events"]:
                event["p1"], event["p2"] = (float(f"{event[side]:.{digits}g}") for side in ("p1", "p2"))
            page = render_page(changed)
            assert "more than the" not in page and 'class="n over"' not in page


def test_sampled_losses_do_not_contradict_a_proof(proved: dict[str, Any]) -> None:
    document = copy.deepcopy(proved)
    pair = document["pairs"][0]
    pair["runs"], pair["events"] = 1000, [{"label": "it is close", "bins": [], "p1": 0.28, "p2": 0.1, "exact": False}]
    assert "about 2.718 times as likely on d1, within the 2.718" in render_page(document)
    document["verdict"] = "unknown"
    assert "about 2.8 times as likely on d1, too close to the 2.718" in render_page(document)


def test_a_document_without_pictures_has_a_page_too(found: dict[str, Any], refuted: dict[str, Any]) -> None:
    for document in (found, refuted):
        plain = {
            k: v for k, v in document.items() if k not in ("figures", "pairs", "hardest", "files", "proof", "best")
        }
        page = render_page(plain)
        assert "Loss against scale" not in page and "neighbours that refutes it" in page
        Elements(page)


def test_a_test_has_a_page_too() -> None:
    example = {"d1": [1.0], "d2": [0.0], "event": "the output is 1", "arguments": {}, "epsilon": 0.5, "p1": [0.4, 0.5], "p2": [0.1, 0.2]}  # fmt: skip
    document = {
        "epsilon": 0.5, "p_value": 0.001, "epsilon_lower": 0.69, "confidence": 0.99, "runs": 1000, "seconds": 1.0,
        "curve": [{"test_epsilon": 0.4, "p_value": 0.0}, {"test_epsilon": 0.6, "p_value": 0.2}], "counterexample": example,
    }  # fmt: skip
    page = render_page(document)
    assert "finds a violation" in page and "The test’s p-value" in page


def hostile(value: Any, key: str = "") -> Any:
    """The same document with every text that a stranger chooses made hostile."""
    if isinstance(value, dict):
        kept = ("certificate", "proof", "figures", "settings")
        return {k: v if k in kept else hostile(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(item, key) for item in value]
    free = {"sketch", "reason", "event", "label", "why", "neighbours", "command", "snippet", "version", "method"}
    free |= {"program", "mechanism", "files", "scope", "law", "alternatives", "subject", "holes"}
    return value + HOSTILE if isinstance(value, str) and key in free else value


def test_texts_of_a_stranger_stay_texts(document: dict[str, Any]) -> None:
    page, plain = render_page(hostile(document)), render_page(document)
    assert page.count("alert(1)") > 5 and "\\u202e" in page
    assert "\u202e" not in page and "\u2066" not in page, "characters that turn texts around are shown as escapes"
    before, after = ({tag for tag, _ in Elements(p).found} for p in (plain, page))
    assert after <= before
    assert len(Elements(page).all("script")) == 1 and Elements(page).all("img") == []
    small = fragment(hostile(document))
    assert "<script" not in small and "<img" not in small and "\u202e" not in small


def test_hidden_characters_are_seen() -> None:
    assert visible("a\u202eb\u0000c\nd\U000e0001") == "a\\u202eb\\x00c\nd\\U000e0001"
    assert visible("שלום 数 é ε") == "שלום 数 é ε"
    assert ticked("`<b>` & e^(s/c)") == "<code>&lt;b&gt;</code> &amp; e<sup>s/c</sup>"


def test_rare_sampled_events_are_not_called_violations(refuted: dict[str, Any]) -> None:
    """16 hits against 8 in 100 000 runs are no violation, whatever their ratio."""
    document = copy.deepcopy(refuted)
    pair = document["pairs"][0]
    pair["runs"] = 100_000
    rare = {"label": "it is rare", "bins": [], "p1": 0.00016, "p2": 0.00008, "exact": False}
    close = {"label": "it is close", "bins": [], "p1": 0.0028, "p2": 0.001, "exact": False}
    clear = {"label": "it is clear", "bins": [], "p1": 0.5, "p2": 0.1, "exact": False}
    pair["events"] = [rare, close, clear]
    page = render_page(document)
    says = re.findall(r'data-say="(.*?)"', page)
    assert "too rare" in says[0] and "too close" in says[1] and "more than the 2.718" in says[2]
    assert page.count("n over") == 1


def test_no_event_is_listed_twice(document: dict[str, Any]) -> None:
    for pair in document.get("pairs", ()):
        labels = [event["label"] for event in pair["events"]]
        assert len(set(labels)) == len(labels), labels


@pytest.mark.parametrize("junk", [{}, {"candidates": 3}, {"verdict": "maybe"}, {"verdict": "refuted", "pairs": [{}]}])
def test_what_is_no_result_is_refused(junk: dict[str, Any]) -> None:
    with pytest.raises((ValueError, LookupError, TypeError, AttributeError)):
        render_page(junk)


def test_a_fragment_is_small_and_has_the_table(document: dict[str, Any]) -> None:
    text = fragment(document)
    Elements(text)
    assert len(text) < 6000 and "<script" not in text
    assert text.count("<tr>") == (len(document["candidates"]) + 1 if "candidates" in document else 0)


def test_a_page_is_the_same_from_the_file(found: dict[str, Any]) -> None:
    assert render_page(json.loads(json.dumps(found))) == render_page(found)
