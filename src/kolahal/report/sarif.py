"""Findings as SARIF 2.1.0, which code hosts show beside the lines that they are about."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kolahal.lang.faults import FAULTS
from kolahal.nouns import dataclass

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERDICTS = {  # what a rule is about; one that is proved breaks none
    "refuted": "The mechanism is not private: two neighbouring databases and an event show it.",
    "bounded": "The mechanism loses no more than its claim for up to some number of private answers; nothing is known beyond.",
    "unknown": "The mechanism is neither proved private nor refuted.",
    "failed": "Kolahal failed on this mechanism, which is a defect of Kolahal.",
    "holes": "The sketch has holes, which must be filled before it is checked.",
    "mistake": "This is no mechanism that can be checked.",
}
LEVELS = {"bounded": "warning", "unknown": "warning"}  # all others are errors


@dataclass(frozen=True, slots=True)
class Remark:
    """A broken rule at a place; lines and columns count from 1, and there is no place in line 0."""

    path: str
    line: int
    column: int
    end_column: int
    code: str
    text: str
    fingerprint: str = ""  # of the program, which may move


def sarif_document(remarks: Sequence[Remark], version: str) -> dict[str, Any]:
    """One run of the tool, with each rule that was broken."""
    codes = list(dict.fromkeys(remark.code for remark in remarks))
    driver = {
        "name": "kolahal",
        "semanticVersion": version,
        "rules": [{"id": code, "shortDescription": {"text": _rule_words(code)}} for code in codes],
    }
    results = [_result(remark, codes.index(remark.code)) for remark in remarks]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule_words(code: str) -> str:
    if code in VERDICTS:
        return VERDICTS[code]
    _, why, _ = FAULTS[code]
    return why.replace("{", "").replace("}", "")


def _result(remark: Remark, rule: int) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _location(remark.path)}
    if remark.line:
        physical["region"] = {"startLine": remark.line, "startColumn": remark.column, "endColumn": remark.end_column}
    result = {
        "ruleId": remark.code,
        "ruleIndex": rule,
        "level": LEVELS.get(remark.code, "error"),
        "message": {"text": remark.text},
        "locations": [{"physicalLocation": physical}],
    }
    if remark.fingerprint:
        result["partialFingerprints"] = {"kolahalProgram/v1": f"{remark.code}:{remark.fingerprint}"}
    return result


def _location(path: str) -> dict[str, str]:
    """A path below the folder of the run, as a code host wants it; elsewhere a whole address."""
    relative = os.path.relpath(path)
    if relative.startswith(os.pardir):
        return {"uri": Path(path).absolute().as_uri()}
    return {"uri": quote(relative.replace(os.sep, "/")), "uriBaseId": "%SRCROOT%"}
