#!/usr/bin/env python3
"""How long `surmise mcp` and `surmise lsp` take to answer about a snippet of 50 lines, with a warm engine.

Each server is started once and asked many times, about texts that differ in a number, so that nothing is answered from a
cache of predictions. Prints the first answer, which includes the start, then median, 95th percentile and worst, and how busy
the machine was with other work.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

SNIPPET = pathlib.Path(__file__).with_name("servers-snippet.txt").read_text()


class Server:
    """A server on pipes; `framed` as the Language Server Protocol has it, else one message a line."""

    def __init__(self, binary, command, framed):
        self.framed, self.number = framed, 0
        self.process = subprocess.Popen([binary, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, method, params, answered=True):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if answered:
            self.number += 1
            message["id"] = self.number
        body = json.dumps(message).encode()
        frame = b"Content-Length: %d\r\n\r\n%s" % (len(body), body) if self.framed else body + b"\n"
        self.process.stdin.write(frame)
        self.process.stdin.flush()

    def receive(self):
        if not self.framed:
            return json.loads(self.process.stdout.readline())
        length = 0
        while line := self.process.stdout.readline().strip():
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def until(self, wanted):
        while True:
            message = self.receive()
            if wanted(message):
                return message

    def answer(self):
        return self.until(lambda message: message.get("id") == self.number and "method" not in message)


def model_context(binary, asked):
    server = Server(binary, "mcp", framed=False)
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    server.send("initialize", about)
    server.answer()
    server.send("notifications/initialized", {}, answered=False)
    for number in range(asked):
        begin = time.perf_counter()
        arguments = {"code": SNIPPET.replace("LIMIT = 100", f"LIMIT = {number}")}
        server.send("tools/call", {"name": "run_snippet", "arguments": arguments})
        answer = server.answer()["result"]
        assert not answer["isError"], answer
        yield time.perf_counter() - begin
    server.process.communicate()


def language(binary, asked):
    server = Server(binary, "lsp", framed=True)
    server.send("initialize", {"capabilities": {}})
    server.answer()
    server.send("initialized", {}, answered=False)
    for number in range(asked):
        begin = time.perf_counter()
        text = SNIPPET.replace("LIMIT = 100", f"LIMIT = {number}")
        document = {"uri": f"untitled:{number}", "languageId": "python", "version": 1, "text": text}
        server.send("textDocument/didOpen", {"textDocument": document}, answered=False)
        server.until(lambda message: message.get("method") == "textDocument/publishDiagnostics")
        server.send("textDocument/codeLens", {"textDocument": {"uri": document["uri"]}})
        assert server.answer()["result"]
        yield time.perf_counter() - begin
    server.process.communicate()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surmise", default="target/release/surmise", metavar="FILE", help="the binary")
    parser.add_argument("--asked", type=int, default=30, metavar="N", help="number of questions (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.asked < 3:
        sys.exit("error: --asked must be at least 3")
    load, cores = os.getloadavg()[0], os.cpu_count()
    print(f"{len(SNIPPET.splitlines())} lines, {arguments.asked} questions, milliseconds")
    print(f"load before the first question: {load:.1f} on {cores} processors")
    print(f"{'server':<8} {'first':>7} {'median':>7} {'95 %':>7} {'worst':>7}")
    for name, server in [("mcp", model_context), ("lsp", language)]:
        times = [1000 * took for took in server(arguments.surmise, arguments.asked)]
        warm = sorted(times[1:])
        high = warm[min(len(warm) - 1, int(len(warm) * 0.95))]
        print(f"{name:<8} {times[0]:7.1f} {statistics.median(warm):7.1f} {high:7.1f} {warm[-1]:7.1f}")


if __name__ == "__main__":
    main()
