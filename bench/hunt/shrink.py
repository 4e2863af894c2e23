"""A smaller mechanism with the same disagreement: lines go, numbers and scales become simple."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kolahal.lang.read.parse import parse
from kolahal.lang.source import SketchError

SIMPLER = (
    (r"@sketch\(adjacent=\w+\(.*?\)\)", "@sketch(adjacent=one_within(1))"),
    (r"@sketch\(adjacent=(\w+)\(.*?\)\)", r"@sketch(adjacent=\1(1))"),
    (r"\((?:len\(q\)\*|N\*)?[0-9/]+/eps\)", "(1/eps)"),
    (r"\((?:len\(q\)\*|N\*)([0-9/]+/eps)\)", r"(\1)"),
    (r" [+-] \w+\((?:[^()]|\([^()]*\))*\)", ""),
    (r"(?:abs|max|min)\((\w+|\w\[[^]]*\])(?:, [^()]*)?\)", r"\1"),
    (r"\b[23] \* ", ""),
    (r" [+-] [\w.]+(?=$|\))", ""),
    (r" (?:and|or) .*:", ":"),
    (r"if [^:]*? (?:and|or) ", "if "),
    (r"(?:N|M|T|flag): \w+, ", ""),
    (r"\b(?:N|M|T)\b", "1"),
    (r"return \w+, (.*)", r"return \1"),
    (r"return (\w+), .*", r"return \1"),
)


def shrink(text: str, still: Callable[[str], bool], most: int = 300) -> str:
    """The smallest text found for which `still` holds."""
    tried = {text}
    while True:
        for smaller in _smaller(text):
            if smaller in tried or len(tried) > most:
                continue
            tried.add(smaller)
            if _parses(smaller) and still(smaller):
                text = smaller
                break
        else:
            return text


def _parses(text: str) -> bool:
    try:
        parse(text)
    except SketchError:
        return False
    return True


def _smaller(text: str) -> Iterator[str]:
    lines = text.splitlines()
    for at in range(2, len(lines)):
        end = at + 1
        while end < len(lines) and _depth(lines[end]) > _depth(lines[at]):
            end += 1
        yield _join([*lines[:at], *lines[end:]])
        if end > at + 1:  # the block without its head
            yield _join([*lines[:at], *(line[4:] for line in lines[at + 1 : end]), *lines[end:]])
    for pattern, instead in SIMPLER:
        for found in re.finditer(pattern, text, re.MULTILINE):
            yield text[: found.start()] + found.expand(instead) + text[found.end() :]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _join(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
