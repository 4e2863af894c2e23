"""The tools for agents, asked over the wire by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.editor.texts import BUDGET, FAULTY, GREEDY, PRIVATE, SKETCH, SUNDAY

from kolahal.editor.agents import LARGEST_TEXT, build_server
from kolahal.editor.answers import answer_check
from kolahal.limits import Limits
from kolahal.verification import verify


def converse(talk: Callable[[Client], Awaitable[None]], server: Any) -> None:
    async def run() -> None:
        async with Client(server) as client:
            await talk(client)

    asyncio.run(asyncio.wait_for(run(), 120))


async def ask(client: Client, tool: str, **arguments: str) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


def test_an_agent_checks_fills_and_mends_over_the_wire() -> None:
    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {"check", "synth", "test", "explain"}
        assert all(tool.description and "program" in tool.input_schema["properties"] for tool in tools)
        refuted = await ask(client, "check", program=GREEDY)
        assert refuted["verdict"] == "refuted" and refuted["counterexample"]["d1"] != refuted["counterexample"]["d2"]
        found = await ask(client, "synth", program=SKETCH)
        assert found["candidates"][0]["scales"] == ["2/eps", "4/eps"] and found["candidates"][0]["verdict"] == "proved"
        told = await ask(client, "explain", program=GREEDY)
        (fix,) = told["fixes"]
        (edit,) = fix["edits"]
        assert (edit["line"], edit["text"]) == (8, "4/eps")
        assert "d1 = [" in told["problems"][0]["text"]

    command = StdioServerParameters(command=sys.executable, args=["-m", "kolahal", "mcp"], env=dict(os.environ))
    converse(talk, command)


def test_mistakes_and_limits_are_answers() -> None:
    server, agents = build_server(Limits(seconds=60, memory=2048), "0")

    async def talk(client: Client) -> None:
        faulty = await ask(client, "check", program=FAULTY)
        assert faulty["verdict"] == "mistake" and faulty["faults"][0]["code"] == "K102" and faulty["faults"][0]["fix"]
        assert (await ask(client, "check", program=SKETCH))["faults"][0]["what"].startswith("careful has holes")
        assert (await ask(client, "check", program=PRIVATE, function="none"))["faults"][0]["code"] == "K008"
        assert (await ask(client, "check", program=PRIVATE, claim="eps/"))["verdict"] == "mistake"
        assert (await ask(client, "check", program="#" * (LARGEST_TEXT + 1)))["verdict"] == "mistake"
        assert (await ask(client, "test", program=PRIVATE, epsilon="none"))["verdict"] == "mistake"
        assert (await ask(client, "check", program="\x00(" * 50_000))["verdict"] == "mistake"
        assert (await ask(client, "check", program=PRIVATE))["verdict"] == "proved"
        agents.limits = Limits(seconds=0.05)
        stopped = await ask(client, "check", program=SUNDAY)
        assert stopped["verdict"] == "unknown" and "limit" in stopped["reason"]
        wrong = await client.call_tool("check", {})
        assert wrong.is_error

    try:
        converse(talk, server)
    finally:
        agents.crew.stop()


@pytest.mark.parametrize("text", [GREEDY, BUDGET])
def test_a_counterexample_that_an_agent_is_told_is_verified(text: str) -> None:
    told = answer_check(text, "", "")
    assert told["verdict"] == "refuted" and told["claim"] == ("rho" if text == BUDGET else "eps")
    assert verify(json.dumps(told)) == []


def test_an_agent_is_spared_the_proof() -> None:
    told = answer_check(PRIVATE, "", "")
    assert told["verdict"] == "proved" and len(json.dumps(told)) < 2_000, "the queries of a proof are long"
