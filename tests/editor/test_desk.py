"""Why an editor does not wait: a program is judged once, wherever it stands, and a faulty text not at all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.editor.texts import FAULTY, GREEDY, PRIVATE

from kolahal.editor import desk as desks
from kolahal.editor.desk import Desk
from kolahal.limits import Limits


def test_a_program_is_judged_once_and_a_faulty_text_never(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, str]] = []
    desk = Desk(Limits(seconds=60, memory=2048))
    judging = desk._judge

    async def counted(function: Any, text: str, path: str, *names: Any) -> Any:
        asked.append((function, names[0]))
        return await judging(function, text, path, *names)

    monkeypatch.setattr(desk, "_judge", counted)

    async def look(text: str) -> list[Any]:
        return [findings async for findings in desk.follow(text, "mechanisms.py")]

    async def edits() -> None:
        first, *_, last = await look(PRIVATE)
        assert first.open and not last.open and "Proved" in last.lenses[0].text
        (again,) = await look(f"# a keystroke in a comment\n\n{PRIVATE}")  # known from the first look on
        assert not again.open and again.lenses[0].text == last.lenses[0].text
        (faulty,) = await look(FAULTY)
        assert not faulty.open and [note.code for note in faulty.notes] == ["K102"]
        await look(PRIVATE)
        assert asked == [(desks.judge, "sunday")]
        *_, both = await look(f"{PRIVATE}\n\n{GREEDY.split(chr(10), 3)[3]}")  # the function that is new alone
        assert not both.open and {name for _, name in asked[1:]} == {"greedy"}

    try:
        asyncio.run(edits())
    finally:
        desk.close()
