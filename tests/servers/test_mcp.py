"""`surmise mcp`, asked by the protocol's own Python client, and by clients that do not behave."""

from __future__ import annotations

import asyncio
import json
import pathlib
import subprocess
import time
from collections.abc import Awaitable, Callable
from typing import Any

import jsonschema
import pytest
from conftest import AT_HEAD, BINARY, NOW, descendants, is_running
from mcp import Client, MCPError, StdioServerParameters

SNIPPET = """\
total = 0
for order in orders:
    if order.paid:
        total += order.amount
print(totl)
"""


def asked(conversation: Callable[[Client], Awaitable[Any]], folder: pathlib.Path | None = None) -> Any:
    """What a conversation with a new server comes to."""

    async def whole() -> Any:
        server = StdioServerParameters(command=BINARY, args=["mcp"], cwd=folder)
        async with Client(server, read_timeout_seconds=300) as client:
            return await conversation(client)

    return asyncio.run(whole())


def called(tool: str, arguments: dict[str, Any], folder: pathlib.Path | None = None) -> Any:
    """The structured answer of a tool, which must be as its schema says."""

    async def conversation(client: Client) -> Any:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        jsonschema.validate(result.structured_content, schemas[tool])
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    return asked(conversation, folder)


def refused(tool: str, arguments: dict[str, Any], folder: pathlib.Path | None = None) -> str:
    """The message of a call that is not answered."""

    async def conversation(client: Client) -> str:
        try:
            result = await client.call_tool(tool, arguments)
        except MCPError as error:
            return f"protocol: {error}"
        assert result.is_error
        return result.content[0].text

    return asked(conversation, folder)


def test_tools_say_what_they_take_and_give():
    async def conversation(client: Client) -> Any:
        return (await client.list_tools()).tools, client.instructions, client.server_info

    tools, instructions, info = asked(conversation)
    assert {tool.name for tool in tools} == {"run_snippet", "run_function", "compare_versions", "explain_error"}
    assert info.name == "surmise" and "predicts" in instructions
    for tool in tools:
        assert tool.description and tool.annotations.read_only_hint and not tool.annotations.open_world_hint
        assert tool.output_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        for name, schema in tool.input_schema["properties"].items():
            assert schema["description"], name


def test_a_snippet_runs_though_names_are_missing():
    answer = called("run_snippet", {"code": SNIPPET})
    assert [error["type"] for error in answer["errors"]] == ["NameError"]
    error = answer["errors"][0]
    assert (error["line"], error["column"], error["verdict"]) == (5, 6, "probable")
    assert "orders" in {value["name"] for value in answer["injected"]}
    assert answer["lines"] == {"total": 5, "covered": 5, "missed": []}
    assert answer["summary"].startswith("completed; 5 of 5 lines reached in ")


def test_what_a_program_reads_and_prints_is_real():
    answer = called("run_snippet", {"code": "print(input()[::-1])", "stdin": "abc\n", "runs": 1})
    assert (answer["outcome"], answer["stdout"], answer["runs"]) == ("completed", "cba\n", 1)


def test_a_function_of_a_file_is_called(tmp_path: pathlib.Path):
    file = tmp_path / "shop.py"
    file.write_text("class Shop:\n    def ratio(self, sold):\n        return sold, 1 / 0\n")
    answer = called("run_function", {"path": "shop.py", "function": "Shop.ratio"}, tmp_path)
    assert [(error["type"], error["line"], error["verdict"]) for error in answer["errors"]] == [
        ("ZeroDivisionError", 3, "certain")
    ]
    changed = {"path": str(file), "function": "ratio", "code": file.read_text().replace("/ 0", "/ 2")}
    assert called("run_function", changed)["errors"] == []


def test_a_change_is_shown_by_a_witness(repository: pathlib.Path):
    for arguments in ({"old": AT_HEAD, "new": NOW}, {"path": str(repository)}):
        answer = called("compare_versions", arguments)
        verdicts = {function["name"]: function["verdict"] for function in answer["functions"]}
        assert verdicts == {"price": "different", "untouched": "equal"}
        witness = answer["functions"][0]["witness"]
        assert witness["kind"] == "return" and witness["old"] != witness["new"]
        assert answer["summary"] == "1 different, 1 equal"
    one = called("compare_versions", {"path": str(repository), "function": "untouched"})
    assert [function["reason"] for function in one["functions"]] == ["same code"]


def test_an_error_is_explained_by_the_runs():
    code = "def first(items):\n    return items[0]\n\nsize = len(given)\nprint(10 / size)\n"
    answer = called("explain_error", {"code": code, "line": 5})
    explained = answer["errors"][0]
    assert explained["error"]["type"] == "ZeroDivisionError"
    assert explained["source_line"] == "print(10 / size)"
    assert 0 < explained["raised_in"] < explained["reached_by"]
    assert [value["name"] for value in explained["error"]["depends_on"]] == ["given"]
    given = next(place for place in explained["values"] if place["name"] == "given")
    assert any(value["ended"] < value["runs"] for value in given["values"])
    assert f"It ended {explained['raised_in']} of the {explained['reached_by']} runs" in explained["explanation"]
    assert called("explain_error", {"code": "x = 1\n"})["summary"].startswith("no error was found")


def test_answers_are_bounded():
    code = "for number in range(100000):\n    print(number, 'x' * 50)\n" + "".join(
        f"print(missing_{number})\n" for number in range(300)
    )
    answer = called("run_snippet", {"code": code, "runs": 2})
    assert len(json.dumps(answer)) < 64_000
    assert len(answer["stdout"]) < 9_000 and "characters left out" in answer["stdout"]
    assert any("of stdout" in note for note in answer["left_out"])
    assert any("injected values" in note for note in answer["left_out"])


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("run_snippet", {}, "missing field `code`"),
        ("run_snippet", {"code": 3}, "expected a string"),
        ("run_snippet", {"code": "x", "runes": 3}, "unknown field `runes`, expected one of"),
        ("run_snippet", {"code": "x", "runs": 0}, "`runs` is 0\nhint: give a number from 1"),
        ("run_snippet", {"code": "\0"}, "the code has a NUL character"),
        ("run_snippet", {"code": "#" * (17 << 20)}, "bytes, more than the 16777216 that Surmise takes"),
        ("run_function", {"path": "gone.py", "function": "f"}, "cannot read `gone.py`"),
        ("run_function", {"path": ".", "function": "f"}, "`.` is a directory"),
        ("run_function", {"path": "-", "function": "f"}, "`-` is no file"),
        ("run_function", {"path": "a.py", "function": "fo", "code": "def foo(): pass"}, "did you mean `foo`"),
        ("compare_versions", {"old": "def f(): pass"}, "the new version is missing"),
        ("compare_versions", {"old": "def f(:", "new": "def f(): pass"}, "the old version does not parse"),
        ("compare_versions", {"old": "def f(): 1", "new": "def f(): 2", "function": "g"}, "there is `f`"),
        ("compare_versions", {"path": "a.py", "new": "x = 1"}, "hint:"),
        ("explain_error", {}, "there is nothing to explain"),
        ("no_such_tool", {}, "tool not found"),
    ],
)
def test_bad_calls_are_refused_in_words(tool: str, arguments: dict[str, Any], message: str, tmp_path: pathlib.Path):
    assert message in refused(tool, arguments, tmp_path)


class Raw:
    """A client that writes what it likes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [BINARY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def write(self, *lines: bytes) -> None:
        for line in lines:
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, number: int, method: str, **params: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())

    def notify(self, method: str, **params: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def begin(self) -> None:
        about = {"name": "raw", "version": "1"}
        self.request(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
        assert self.answer()["result"]["serverInfo"]["name"] == "surmise"
        self.notify("notifications/initialized")

    def answer(self) -> Any:
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read().decode()
        return json.loads(line)

    def run(self, number: int, code: str, **limits: Any) -> None:
        self.request(number, "tools/call", name="run_snippet", arguments={"code": code, **limits})

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate()
        return self.process.returncode, errors.decode()


def test_garbage_is_passed_over():
    raw = Raw()
    raw.begin()
    raw.write(b"garbage", b"\xff\xfe\x00", b"{", b"[]", b'"text"', b"")
    raw.run(1, "print(6 * 7)", runs=1)
    answers = [raw.answer()]
    while answers[-1].get("id") != 1:
        assert "error" in answers[-1]
        answers.append(raw.answer())
    assert answers[-1]["result"]["structuredContent"]["stdout"] == "42\n"
    assert raw.end() == (0, "")


def test_a_stranger_to_the_protocol_is_told_so():
    raw = Raw()
    raw.request(1, "tools/list")
    code, errors = raw.end()
    assert code in (0, 2)
    assert not errors or errors.startswith("error: the client did not begin as the protocol says")
    assert "panicked" not in errors


def test_a_client_that_says_nothing_is_no_error():
    assert Raw().end() == (0, "")


def test_cancelled_calls_are_not_answered_and_hold_nothing_up():
    raw = Raw()
    raw.begin()
    raw.run(1, "while True: pass", time=300)
    raw.run(2, "print('never')")
    raw.notify("notifications/cancelled", requestId=1, reason="no longer needed")
    raw.notify("notifications/cancelled", requestId=2)
    raw.run(3, "print('next')", runs=1)
    answer = raw.answer()
    assert answer["id"] == 3 and answer["result"]["structuredContent"]["stdout"] == "next\n"
    assert raw.end() == (0, "")


def test_nothing_is_left_of_a_server_whose_client_is_gone():
    raw = Raw()
    raw.begin()
    raw.run(1, "print('ready')", runs=1)
    assert raw.answer()["id"] == 1
    raw.run(2, "import time\nwhile True: time.sleep(1)", time=300)
    below = descendants(raw.process.pid)
    while not below:
        below = descendants(raw.process.pid)
    code, _ = raw.end()
    assert code == 0
    until = time.monotonic() + 60
    while any(map(is_running, below)):
        assert time.monotonic() < until, "a process outlived the server"


def test_a_killed_worker_is_replaced():
    raw = Raw()
    raw.begin()
    raw.run(1, "print('one')", runs=1)
    assert raw.answer()["result"]["structuredContent"]["stdout"] == "one\n"
    workers = descendants(raw.process.pid)
    assert workers
    for worker in workers:
        subprocess.run(["kill", "-9", str(worker)], check=False, capture_output=True)
    while any(map(is_running, workers)):
        pass
    raw.run(2, "print('two')", runs=1)
    assert raw.answer()["result"]["structuredContent"]["stdout"] == "two\n"
    assert raw.end() == (0, "")
