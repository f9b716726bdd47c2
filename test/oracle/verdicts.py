#===- verdicts.py - diagnostics of jaxlib and ours, and crashes -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Returns the first diagnostic for a text, None if it is accepted, `crash ..` if the process aborts.

jaxlib runs in a process of its own, because some mutated programs crash it."""

import bisect
import json
import re
import subprocess
import sys

import oracle

CRASH = "crash"


class Theirs:
    """jaxlib in a child process, started again after a crash."""

    def __init__(self):
        self.child = None

    def __call__(self, text):
        if self.child is None:
            self.child = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        try:
            self.child.stdin.write(json.dumps(text) + "\n")
            self.child.stdin.flush()
            answer = self.child.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.child.wait()
            self.child = None
            return f"{CRASH} of jaxlib"
        return json.loads(answer)


theirs = Theirs()


def ours(texts):
    """Returns the verdicts on many texts, in one process unless it crashes."""
    lines, starts = 1, []
    for text in texts:
        starts.append(lines)
        lines += text.count("\n") + 1
    done = oracle.process([oracle.OPT, "--split-input-file"], oracle.SPLIT.join(texts))
    if done.returncode not in (0, 1):
        if len(texts) == 1:
            return [f"{CRASH} {done.returncode}"]
        half = len(texts) // 2
        return ours(texts[:half]) + ours(texts[half:])
    said = [None] * len(texts)
    for line, message in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)", done.stderr, re.M):
        place = bisect.bisect_right(starts, int(line)) - 1
        said[place] = said[place] or message
    return said


def _verdict(text):
    try:
        oracle.parse(text)
        return None
    except oracle.OracleError as error:
        lines = str(error).splitlines()
        found = (re.search(r'"-":\d+:\d+: (.*)', line) for line in lines)
        return next((match[1] for match in found if match), lines[0])


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_verdict(json.loads(line))), flush=True)
