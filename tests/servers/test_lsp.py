"""`surmise lsp`, asked by a client of the Language Server Protocol, and by ones that do not behave."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pathlib
import subprocess
import time
from typing import Any

import pytest
import pytest_lsp
from conftest import BINARY, NOW, descendants, is_running
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

SOURCE = """\
total = 0
for order in orders:
    total += order.amount
print("𝒳", totl, 1 / 0)
"""


UNITS = {"utf-8": lambda text: len(text.encode()), "utf-16": lambda text: len(text.encode("utf-16-le")) // 2}


def made() -> LanguageClient:
    """A client that is told when to ask again, as editors are."""
    client = make_test_lsp_client()
    for method in (types.WORKSPACE_INLAY_HINT_REFRESH, types.WORKSPACE_CODE_LENS_REFRESH):
        client.feature(method)(lambda *_: None)
    return client


@pytest_lsp.fixture(
    params=["visual-studio-code", "neovim"],
    config=ClientServerConfig(server_command=[BINARY, "lsp"], client_factory=made),
)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient):
    """A session with what two editors say of themselves; they count columns in different units."""
    capabilities = client_capabilities(request.param)
    began = await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities))
    lsp_client.units = UNITS[began.capabilities.position_encoding]
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, uri: str, text: str, language: str = "python") -> None:
    document = types.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))


def changed(client: LanguageClient, uri: str, version: int, text: str) -> None:
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=version),
            content_changes=[types.TextDocumentContentChangeWholeDocument(text=text)],
        )
    )


async def published(client: LanguageClient, uri: str, version: int) -> list[types.Diagnostic]:
    """The diagnostics of a version of a text, once they are there."""
    while True:
        params = await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        if (params.uri, params.version) == (uri, version):
            return list(params.diagnostics)


def identified(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri=uri)


async def hints(client: LanguageClient, uri: str) -> list[types.InlayHint]:
    everything = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=999, character=0))
    found = await client.text_document_inlay_hint_async(
        types.InlayHintParams(text_document=identified(uri), range=everything)
    )
    return list(found or [])


async def lenses(client: LanguageClient, uri: str) -> list[types.CodeLens]:
    found = await client.text_document_code_lens_async(types.CodeLensParams(text_document=identified(uri)))
    return list(found or [])


async def hover(client: LanguageClient, uri: str, line: int, character: int) -> types.Hover | None:
    position = types.Position(line=line, character=character)
    return await client.text_document_hover_async(types.HoverParams(text_document=identified(uri), position=position))


@pytest.mark.asyncio
async def test_errors_are_diagnostics_where_they_are_raised(client: LanguageClient):
    uri = "untitled:Untitled-1"
    opened(client, uri, SOURCE)
    found = {diagnostic.code: diagnostic for diagnostic in await published(client, uri, 1)}
    certain, probable = found["ZeroDivisionError"], found["NameError"]
    assert certain.severity == types.DiagnosticSeverity.Error
    assert certain.message == "ZeroDivisionError: division by zero\ncertain: raised whatever was injected"
    assert certain.source == "surmise"
    # The letter is one character, two UTF-16 code units and four bytes.
    start = client.units('print("𝒳", totl, ')
    assert (certain.range.start, certain.range.end) == (types.Position(3, start), types.Position(3, start + 5))
    assert probable.severity == types.DiagnosticSeverity.Warning
    start = client.units('print("𝒳", ')
    assert (probable.range.start, probable.range.end) == (types.Position(3, start), types.Position(3, start + 4))


@pytest.mark.asyncio
async def test_what_errors_depend_on_is_shown(client: LanguageClient):
    uri = "untitled:Untitled-1"
    opened(client, uri, "size = len(given)\nprint(10 / size)\n")
    (diagnostic,) = await published(client, uri, 1)
    assert diagnostic.severity == types.DiagnosticSeverity.Warning and "conditional" in diagnostic.message
    (related,) = diagnostic.related_information
    assert related.location.range.start == types.Position(0, 11) and "`given` was" in related.message
    shown = await hover(client, uri, 1, 8)
    assert "**ZeroDivisionError**" in shown.contents.value and "runs that reached the line" in shown.contents.value


@pytest.mark.asyncio
async def test_injected_values_are_hints_and_hovers(client: LanguageClient):
    uri = "untitled:Untitled-1"
    opened(client, uri, SOURCE)
    # A question about a text that is being run is answered when it was.
    found = {(hint.position.line, hint.position.character): hint for hint in await hints(client, uri)}
    assert found[1, 19].label.startswith("= ")
    assert "`orders` is missing" in found[1, 19].tooltip
    shown = await hover(client, uri, 1, 15)
    assert "variable `orders` is missing" in shown.contents.value
    assert "| value | runs | ended by |" in shown.contents.value
    assert shown.range == types.Range(types.Position(1, 13), types.Position(1, 19))
    assert await hover(client, uri, 0, 0) is None


@pytest.mark.asyncio
async def test_lenses_say_what_was_reached_and_what_differs_from_head(client: LanguageClient, repository: pathlib.Path):
    uri = repository.as_uri()
    opened(client, uri, NOW)
    await published(client, uri, 1)
    titles: list[str] = []
    while not any("HEAD" in title for title in titles):
        found = await lenses(client, uri)
        titles = [lens.command.title for lens in found]
    assert titles[0] == "3 of 3 lines reached"
    assert titles[1].startswith("different from HEAD: another result, shown by run")
    assert titles[2:] == ["1 of 1 line reached"]
    command = found[1].command
    asked = client.workspace_execute_command_async(
        types.ExecuteCommandParams(command=command.command, arguments=command.arguments)
    )
    shown = client.wait_for_notification(types.WINDOW_SHOW_MESSAGE)
    (_, message) = await asyncio.gather(asked, shown)
    assert "old: " in message.message and "new: " in message.message


@pytest.mark.asyncio
async def test_a_change_is_run_and_what_no_longer_holds_is_gone(client: LanguageClient):
    uri = "untitled:Untitled-1"
    opened(client, uri, "1 / 0\n")
    assert [diagnostic.code for diagnostic in await published(client, uri, 1)] == ["ZeroDivisionError"]
    for version in range(2, 30):
        changed(client, uri, version, f"1 / {version}\n")
    assert await published(client, uri, 29) == []
    changed(client, uri, 30, "def f(:\n")
    (diagnostic,) = await published(client, uri, 30)
    assert diagnostic.code == "SyntaxError" and diagnostic.severity == types.DiagnosticSeverity.Error
    client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=identified(uri)))
    assert await published(client, uri, 30) == []


@pytest.mark.asyncio
async def test_a_question_about_a_text_that_changes_is_refused(client: LanguageClient):
    uri = "untitled:Untitled-1"
    opened(client, uri, "import time\nwhile True: time.sleep(1)\n")
    waiting = asyncio.ensure_future(hints(client, uri))
    await asyncio.sleep(0)
    changed(client, uri, 2, "x = 1\n")
    with pytest.raises(JsonRpcException) as refusal:
        await waiting
    assert refusal.value.code == types.LSPErrorCodes.ContentModified
    assert await published(client, uri, 2) == []


@pytest.mark.asyncio
async def test_large_files_are_run_when_they_are_saved(client: LanguageClient):
    uri = "untitled:Untitled-1"
    text = "x = 1\n" * 1500
    opened(client, uri, text)
    assert await published(client, uri, 1) == []
    changed(client, uri, 2, text + "1 / 0\n")
    changed(client, uri, 3, text + "2 / 0\n")
    # Nothing is under way, so this is answered from what is known.
    assert await hints(client, uri) == []
    client.text_document_did_save(types.DidSaveTextDocumentParams(text_document=identified(uri)))
    assert [diagnostic.code for diagnostic in await published(client, uri, 3)] == ["ZeroDivisionError"]


@pytest.mark.asyncio
async def test_other_languages_are_left_alone(client: LanguageClient):
    opened(client, "untitled:Untitled-2", "x = {", "javascript")
    assert await hints(client, "untitled:Untitled-2") == []


class Raw:
    """A client that writes what it likes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [BINARY, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def write(self, text: bytes) -> None:
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def receive(self) -> Any:
        length = 0
        while line := self.process.stdout.readline().strip():
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length)) if length else None

    def answer(self, number: int) -> Any:
        while (message := self.receive()) is not None:
            if message.get("id") == number and "method" not in message:
                return message
        raise AssertionError(self.process.stderr.read().decode())

    def begin(self, **options: Any) -> None:
        self.send(id=0, method="initialize", params={"capabilities": {}, "initializationOptions": options})
        assert self.answer(0)["result"]["capabilities"]["positionEncoding"] == "utf-16"
        self.send(method="initialized", params={})

    def open(self, text: str) -> None:
        document = {"uri": "untitled:a", "languageId": "python", "version": 1, "text": text}
        self.send(method="textDocument/didOpen", params={"textDocument": document})

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate()
        return self.process.returncode, errors.decode()


def test_a_client_that_shuts_the_server_down_gets_exit_code_0():
    raw = Raw()
    raw.begin()
    raw.send(id=1, method="shutdown")
    assert raw.answer(1)["result"] is None
    raw.send(id=2, method="textDocument/hover", params={})
    assert raw.answer(2)["error"]["code"] == -32600
    raw.send(method="exit")
    assert raw.end() == (0, "")


def test_a_client_that_is_gone_leaves_nothing_behind():
    raw = Raw()
    raw.begin(time=300, timeout=300)
    raw.open("import time\nwhile True: time.sleep(1)\n")
    below = descendants(raw.process.pid)
    while not below:
        below = descendants(raw.process.pid)
    assert raw.end() == (1, "")
    until = time.monotonic() + 60
    while any(map(is_running, below)):
        assert time.monotonic() < until, "a process outlived the server"


def test_a_cancelled_request_is_answered_so():
    raw = Raw()
    raw.begin(time=300, timeout=300)
    raw.open("while True: pass\n")
    raw.send(id=1, method="textDocument/codeLens", params={"textDocument": {"uri": "untitled:a"}})
    raw.send(method="$/cancelRequest", params={"id": 1})
    assert raw.answer(1)["error"]["code"] == -32800


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"garbage\n", "what came on standard input is not the Language Server Protocol: `garbage` is no header"),
        (b"Content-Length: x\r\n\r\n", "`Content-Length: x` has no length"),
        (b"Content-Length: 999999999999\r\n\r\n", "a message of 999999999999 bytes came on standard input"),
        (b"\x00" * 100_000, "the header of a message does not end"),
    ],
)
def test_garbage_ends_the_server_with_an_error(text: bytes, message: str):
    raw = Raw()
    # A server that has seen enough reads no further.
    with contextlib.suppress(BrokenPipeError):
        raw.write(text)
    code, errors = raw.end()
    assert code == 2 and errors.startswith("error: ") and message in errors and "\nhint: " in errors


def test_bad_messages_are_refused_and_the_next_is_answered():
    raw = Raw()
    raw.send(id=7, method="textDocument/hover", params={})
    assert raw.answer(7)["error"]["code"] == -32002
    raw.begin(runs=0)
    shown = raw.receive()
    assert shown["method"] == "window/showMessage" and "`runs` is 0" in shown["params"]["message"]
    raw.write(b"Content-Length: 5\r\n\r\n{{{{{")
    raw.send(method="textDocument/didOpen", params={"textDocument": 3})
    raw.send(id=1, method="textDocument/hover", params={"position": "here"})
    assert raw.answer(1)["error"]["code"] == -32602
    raw.send(id=2, method="textDocument/rename", params={})
    assert raw.answer(2)["error"]["code"] == -32601
    raw.send(id=3, method="workspace/executeCommand", params={"command": "surmise.run", "arguments": [3]})
    assert raw.answer(3)["error"]["code"] == -32602
    raw.send(id=4, method="textDocument/hover", params=position_in("untitled:unknown"))
    assert raw.answer(4)["result"] is None


def position_in(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": 4_000_000_000, "character": 4_000_000_000}}
