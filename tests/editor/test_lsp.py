"""The language server over the wire, asked by a real client."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient
from tests.editor.texts import BUSIER, FAULTY, GREEDY, PRIVATE, SKETCH, SUNDAY

from kolahal.lang.read.parse import parse

PATIENCE = 40.0  # seconds, on a machine that does other things too
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_lsp.fixture(
    scope="module",
    config=ClientServerConfig(
        server_command=[sys.executable, "-m", "kolahal", "lsp"], server_env=dict(os.environ)
    ),
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    hello = lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), process_id=None)
    await lsp_client.initialize_session(hello)
    yield
    await lsp_client.shutdown_session()


class Editor:
    """One open file."""

    def __init__(self, client: LanguageClient, name: str, text: str) -> None:
        self.client, self.uri, self.text, self.version = client, f"file:///project/{name}", text, 1
        document = lsp.TextDocumentItem(self.uri, "python", 1, text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))

    @property
    def about(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)

    @property
    def everywhere(self) -> lsp.Range:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(10_000, 0))

    def change(self, text: str) -> None:
        self.text, self.version = text, self.version + 1
        document = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, changes))

    async def lens(self) -> str:
        found = await self.client.text_document_code_lens_async(lsp.CodeLensParams(self.about))
        return "\n".join(lens.command.title for lens in found or [] if lens.command)

    async def verdict(self, word: str) -> str:
        """The lens, once it has the word."""
        end = time.monotonic() + PATIENCE
        while word not in (lens := await self.lens()):
            assert time.monotonic() < end, f"{lens!r} instead of {word}"
            await asyncio.sleep(0.05)
        return lens

    def diagnostics(self) -> Sequence[lsp.Diagnostic]:
        return self.client.diagnostics.get(self.uri, ())

    async def diagnostic(self, code: str) -> lsp.Diagnostic:
        end = time.monotonic() + PATIENCE
        while not (found := [d for d in self.diagnostics() if d.code == code]):
            assert time.monotonic() < end, f"{self.diagnostics()} instead of {code}"
            await asyncio.sleep(0.05)
        return found[0]

    async def hints(self) -> list[str]:
        found = await self.client.text_document_inlay_hint_async(lsp.InlayHintParams(self.about, self.everywhere))
        return [str(hint.label) for hint in found or []]

    async def hover(self, line: int, column: int) -> str:
        found = await self.client.text_document_hover_async(lsp.HoverParams(self.about, lsp.Position(line, column)))
        return "" if found is None else found.contents.value  # type: ignore[union-attr]

    async def fix(self, title: str) -> None:
        """Apply the quick fix whose title begins so, once it is offered."""
        end = time.monotonic() + PATIENCE
        asked = lsp.CodeActionParams(self.about, self.everywhere, lsp.CodeActionContext(diagnostics=[]))
        while not (found := await self.client.text_document_code_action_async(asked)):
            assert time.monotonic() < end, f"nobody offers {title}"
            await asyncio.sleep(0.05)
        (action,) = [a for a in found if isinstance(a, lsp.CodeAction) and a.title.startswith(title)]
        assert action.edit is not None and action.edit.changes is not None
        lines = self.text.split("\n")
        for edit in sorted(action.edit.changes[self.uri], key=lambda e: e.range.start, reverse=True):  # type: ignore[arg-type,return-value]
            start, stop = edit.range.start, edit.range.end
            head, tail = lines[start.line][: start.character], lines[stop.line][stop.character :]
            lines[start.line : stop.line + 1] = (head + edit.new_text + tail).split("\n")
        self.change("\n".join(lines))


async def test_a_sketch_gets_its_law_its_costs_and_its_scales(client: LanguageClient) -> None:
    editor = Editor(client, "careful.py", SKETCH)
    lens = await editor.verdict("Proved")
    assert "(2/ε, 4/ε)" in lens and "law: 1/eta1 + 2/eta2 <= eps" in lens
    assert await editor.hints() == ["2/eps, costs ε/2", "4/eps, costs ε/2 if it holds"]
    note = await editor.diagnostic("holes")
    assert note.severity == lsp.DiagnosticSeverity.Information and note.range.start == lsp.Position(4, 4)
    assert "run the program on both, side by side" in await editor.hover(4, 5)
    assert "moved up by 2 if" in await editor.hover(7, 20)
    assert await editor.hover(0, 0) == ""
    await editor.fix("Fill in the proved scales: 2/eps, 4/eps")
    assert editor.text == SKETCH.replace("hole)", "2/eps)", 1).replace("hole)", "4/eps)", 1)
    assert not parse(editor.text).holes
    await editor.verdict("law: 1/eta1 + 2/eta2 <= eps")
    assert (await editor.lens()).startswith("Proved, for every length of q")
    assert await editor.hints() == ["costs ε/2", "costs ε/2 if it holds"]
    assert not editor.diagnostics()


async def test_too_little_noise_is_an_error_with_a_counterexample_and_a_remedy(client: LanguageClient) -> None:
    editor = Editor(client, "greedy.py", GREEDY)
    note = await editor.diagnostic("refuted")
    assert note.severity == lsp.DiagnosticSeverity.Error
    assert "d1 = [" in note.message and "P(event on d2)" in note.message
    await editor.verdict("Refuted")
    await editor.fix("Use 4/eps on line 8")
    assert editor.text == GREEDY.replace("q[i] + Lap(2 / eps)", "q[i] + Lap(4/eps)")
    await editor.verdict("Proved, for every length of q")


async def test_a_number_of_answers_is_declared(client: LanguageClient) -> None:
    editor = Editor(client, "busier.py", BUSIER)
    note = await editor.diagnostic("unknown")
    assert note.severity == lsp.DiagnosticSeverity.Warning and "Private[7]" in note.message
    await editor.fix("Declare visits: Private[7]")
    assert "visits: Private[7]" in editor.text
    await editor.verdict("Proved, for its 7 answers")


async def test_a_fault_has_its_code_its_place_and_its_remedy(client: LanguageClient) -> None:
    editor = Editor(client, "faulty.py", FAULTY)
    note = await editor.diagnostic("K102")
    assert note.severity == lsp.DiagnosticSeverity.Error and note.source == "kolahal"
    assert note.range.start == lsp.Position(5, 16), "in units of UTF-16, of which each of these characters has two"
    assert len(note.message.split("\n")) >= 3, "what is wrong, why, and what to do"
    editor.change("from kolahal import (\n")
    await editor.diagnostic("K005")
    editor.change("print('hello')\n")
    end = time.monotonic() + PATIENCE
    while editor.diagnostics():
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


async def test_what_is_known_or_faulty_is_told_within_a_second(client: LanguageClient) -> None:
    editor = Editor(client, "again.py", PRIVATE)
    await editor.verdict("Proved")
    spent = []
    for turn in range(6):
        start = time.monotonic()
        if turn % 2:
            editor.change(f"# {turn}\n" + FAULTY)
            await editor.diagnostic("K102")
        else:
            editor.change(f"# {turn}\n\n" + PRIVATE)
            await editor.verdict("Proved")
        spent.append(time.monotonic() - start)
    assert min(spent) < 1, spent  # the least: the machine may be doing something else now and then


async def test_newer_text_calls_off_an_older_question(client: LanguageClient) -> None:
    """A program that takes long is left as soon as nobody asks for it any more."""
    long = SUNDAY.replace("visits[6]", " + ".join(f"abs(visits[{i}] + Lap(1 / eps))" for i in range(12)))
    await Editor(client, "warm.py", PRIVATE).verdict("Proved")
    editor = Editor(client, "long.py", long)
    await editor.verdict("checking")
    await asyncio.sleep(0.3)
    editor.change(PRIVATE.replace("sunday", "monday"))
    start = time.monotonic()
    await editor.verdict("Proved")
    assert time.monotonic() - start < PATIENCE / 4


async def test_files_of_others_are_left_alone(client: LanguageClient) -> None:
    editor = Editor(client, "other.py", "def f(:\n    x = \n")
    await asyncio.sleep(0.3)
    assert not editor.diagnostics() and await editor.lens() == ""


PIECES = [
    "(", ")" * 40, "[" * 300, "\x00", "\u2028", "\x0c", "\ufeff", "\r", "\r\n", "\n", " " * 90, "\t", "hole", "Lap(hole)", "@sketch", "def f(",
    "lambda: 0", "'''", '"', "\\", "𝒳", "e\u0301", "\ud800", "while True: pass", "0x" + "f" * 500, "9" * 5000, "- " * 500, "q[", "not " * 200,
    "@sketch(adjacent=each_within(1))\ndef g(q: Private, eps: Epsilon):\n    return q[0] + Lap(hole)\n", "from kolahal import *\n", "# kolahal\n",
]  # fmt: skip


def mangled(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    match rng.randrange(4):
        case 0:
            return text[:at] + text[at + rng.randrange(30) :]
        case 1:
            return text[:at] + rng.choice(PIECES) + text[at:]
        case 2:
            other = rng.randrange(len(text) + 1)
            return text[: min(at, other)] + text[other:] + text[at : at + 50]
        case _:
            return rng.choice([SKETCH, GREEDY, SUNDAY, FAULTY])


async def survives(client: LanguageClient, edits: int, seed: int) -> None:
    rng = random.Random(seed)
    editor = Editor(client, f"fuzzed{edits}.py", SKETCH)
    for turn in range(edits):
        text = mangled(editor.text, rng)[:20_000]
        editor.change(text.encode("utf-8", "ignore").decode())
        if turn % 5 == 0:
            await editor.hover(rng.randrange(12), rng.randrange(40))
            await editor.hints()
        if rng.random() < 0.3:
            await asyncio.sleep(rng.random() * 0.3)
    editor.change(PRIVATE)
    await editor.verdict("Proved")


async def test_random_edits_do_not_kill_the_server(client: LanguageClient) -> None:
    await survives(client, edits=60, seed=1)


@pytest.mark.hunt
async def test_a_thousand_random_edits_do_not_kill_the_server(client: LanguageClient) -> None:
    await survives(client, edits=1000, seed=2)


async def test_nonsense_from_the_editor_does_not_kill_the_server(client: LanguageClient) -> None:
    with suppress(Exception):
        await client.text_document_hover_async(lsp.HoverParams(lsp.TextDocumentIdentifier("nowhere"), lsp.Position(-1, -5)))
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier("file:///not/open.py")))
    huge = Editor(client, "huge.py", "# kolahal\n" + "x = 1\n" * 200_000)
    await huge.diagnostic("K003")
    await Editor(client, "after.py", PRIVATE).verdict("Proved")
