#===- lsp_client.py - a client of a language server over its pipes --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""lsp_client.py SERVER FILE: opens FILE as an editor would, and prints the answers.

A marker `^hover` or `^definition` in a comment sends that request for the character above the
caret, in the nearest previous line that is not such a comment. Diagnostics are printed first.
"""

import json
import re
import subprocess
import sys

URI = "file:///module.mlir"


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids = 0

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b": ")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            sys.exit("the server closed the connection")
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.ids += 1
        self.send({"id": self.ids, "method": method, "params": params})
        while (answer := self.receive()).get("id") != self.ids:
            pass
        return answer["result"]

    def notify(self, method, params):
        self.send({"method": method, "params": params})


def place(range_):
    return f"{range_['start']['line'] + 1}:{range_['start']['character'] + 1}"


def markers(lines):
    """Returns (method, line, character) of each marker, counted from 0."""
    target = 0
    for number, line in enumerate(lines):
        found = re.match(r"\s*//\s*(\^)(\w+)", line)
        if found:
            yield found.group(2), target, found.start(1)
        else:
            target = number


def main():
    command, path = sys.argv[1:]
    with open(path) as file:
        text = file.read()
    server = Server(command)
    capabilities = server.request(
        "initialize", {"processId": None, "rootUri": None, "capabilities": {}}
    )["capabilities"]
    print("provides:", " ".join(sorted(k for k in capabilities if k.endswith("Provider"))))
    server.notify("initialized", {})
    document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
    server.notify("textDocument/didOpen", {"textDocument": document})
    while (message := server.receive()).get("method") != "textDocument/publishDiagnostics":
        pass
    diagnostics = message["params"]["diagnostics"]
    print("diagnostics:", len(diagnostics))
    for diagnostic in diagnostics:
        print(f"{place(diagnostic['range'])}: {diagnostic['message']}")
    for method, line, character in markers(text.splitlines()):
        where = {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}
        answer = server.request(f"textDocument/{method}", where)
        if method == "definition":
            print(f"definition: {' '.join(place(found['range']) for found in answer)}")
        else:
            print(f"hover: {answer['contents']['value'] if answer else None}")
    server.request("shutdown", None)
    server.notify("exit", None)
    sys.exit(server.process.wait(timeout=60))


if __name__ == "__main__":
    main()
