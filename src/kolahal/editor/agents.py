"""`kolahal mcp`: the checker as tools for coding agents, over the Model Context Protocol."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from mcp.server.mcpserver import MCPServer

from kolahal.limits import Limits, Stopped, WorkerDied
from kolahal.workers import Crew, Elsewhere, call

LARGEST_TEXT = 200_000  # characters of a program; no mechanism of the literature has a hundredth of that
AT_ONCE = 2  # questions that are worked at
ANSWERS = "kolahal.editor.answers"  # loaded by the workers alone
INSTRUCTIONS = """\
Kolahal checks whether programs are differentially private. A program is the text of a Python file with a function that
@sketch decorates; it is read, never run. `check` proves or refutes a mechanism, `synth` finds noise scales for `Lap(hole)`,
`explain` says why and offers edits, `test` is statistical alone. Only the verdict "proved" means private."""


class Agents:
    """The tools; each gives one JSON document."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.crew = Crew()
        self.turns = asyncio.Semaphore(AT_ONCE)

    async def check(self, program: str, function: str = "", claim: str = "") -> dict[str, Any]:
        """Whether the mechanism in the text `program` is differentially private: proved, bounded, refuted or unknown.

        `function` names it if the text has several; `claim` is the claimed privacy level, such as 2*eps (its ε, if empty).
        A refuted one comes with two neighbouring databases and an event; faults of the text have a line, a code and a remedy.
        """
        return await self._ask("answer_check", program, function, claim)

    async def synth(self, program: str, function: str = "") -> dict[str, Any]:
        """Noise scales for the holes (`Lap(hole)`) of the sketch in the text `program`, ranked, each with its verdict."""
        return await self._ask("answer_synth", program, function)

    async def test(self, program: str, function: str = "", epsilon: str = "0.5") -> dict[str, Any]:
        """The statistical test alone, at a number `epsilon`: a p-value and a lower bound on ε. It never proves anything."""
        return await self._ask("answer_test", program, function, epsilon)

    async def explain(self, program: str, function: str = "") -> dict[str, Any]:
        """The verdict in words: the proof or the counterexample, what each draw costs, and edits that mend what is wrong."""
        return await self._ask("answer_explain", program, function)

    async def _ask(self, name: str, program: str, *others: str) -> dict[str, Any]:
        if len(program) > LARGEST_TEXT or any(len(other) > LARGEST_TEXT for other in others):
            return {"verdict": "mistake", "faults": [{"what": f"a program may have {LARGEST_TEXT} characters"}]}
        off = threading.Event()
        async with self.turns:
            try:
                return await asyncio.to_thread(
                    call, self.limits, Elsewhere(ANSWERS, name), program, *others, stop=off, crew=self.crew
                )
            except Stopped as stopped:
                return {"verdict": "unknown", "reason": str(stopped)}
            except WorkerDied as died:
                return {"verdict": "unknown", "reason": f"the check failed: {died}"}
            finally:
                off.set()


def build_server(limits: Limits, version: str) -> tuple[MCPServer[Any], Agents]:
    """The server, ready to be run or to be asked in this process."""
    agents = Agents(limits)
    server: MCPServer[Any] = MCPServer("kolahal", instructions=INSTRUCTIONS, version=version, log_level="WARNING")
    for tool in (agents.check, agents.synth, agents.test, agents.explain):
        server.add_tool(tool)
    return server, agents


def serve_agents(limits: Limits, version: str) -> None:
    """Talk to an agent on standard input and output until it ends."""
    server, agents = build_server(limits, version)
    try:
        server.run("stdio")
    finally:
        agents.crew.stop()
