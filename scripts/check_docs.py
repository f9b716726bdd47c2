#!/usr/bin/env python3
#===- check_docs.py - checks the output shown in the documentation --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs the commands of the ```console blocks in README.md and docs/, from the root of the tree, and
compares their output with that shown in the block.

  $ build/bin/shardwright partition ...      a command
  ...                                        any lines, also none

Only blocks whose commands begin with build/bin/ are run. The comparison ignores times, rounding
errors and column widths. A code block after `<!-- from FILE -->` must be consecutive lines of that file.
`--update` rewrites the blocks (but not those with `...`).
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXCERPT = re.compile(r"^<!-- from (\S+) -->\n```\w*\n(.*?)^```$", re.M | re.S)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def normal(line):
    """Removes the parts of the line that differ between runs and machines."""
    line = re.sub(r"\b\d+(\.\d+)? ?(ns|us|ms|s)\b", "TIME", line)
    line = re.sub(r"\b\d(\.\d+)?e-\d+\b", "ERROR", line)
    return re.sub(r"\s+", " ", line).strip()


def matches(shown, found):
    """True if the lines match a pattern of lines, in which `...` stands for any lines."""
    if not shown:
        return not found
    if shown[0].strip() == "...":
        return any(matches(shown[1:], found[i:]) for i in range(len(found) + 1))
    return bool(found) and normal(shown[0]) == normal(found[0]) and matches(shown[1:], found[1:])


def commands(block):
    """Returns [(command, shown lines)] of a block. A backslash continues a command."""
    parts = []
    for line in block.splitlines():
        if line.startswith("$ "):
            parts.append([line[2:], []])
        elif parts and not parts[-1][1] and parts[-1][0].endswith("\\"):
            parts[-1][0] += "\n" + line
        elif parts:
            parts[-1][1].append(line)
    return parts


def run(command):
    build = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
    done = subprocess.run(
        command.replace("build/bin/", build + "/bin/"),
        shell=True,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return [line.rstrip() for line in done.stdout.rstrip().splitlines()]


def strip(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return [line.rstrip() for line in lines]


def excerpts(path, text):
    """Yields, for each excerpt of a source, whether the source has these lines."""
    for source, lines in EXCERPT.findall(text):
        with open(os.path.join(ROOT, source)) as file:
            found = "\n" + lines in "\n" + file.read()
        if not found:
            print(f"FAILED docs {path}: these are no lines of {source}:\n{lines}")
        yield found


def main():
    update = "--update" in sys.argv[1:]
    listing = subprocess.run(
        ["git", "ls-files", "README.md", "docs/*.md", "examples/*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    passed = failed = 0
    for path in listing.stdout.split():
        with open(os.path.join(ROOT, path)) as file:
            text = file.read()
        for found in excerpts(path, text):
            passed, failed = passed + found, failed + (not found)

        def check(match):
            nonlocal passed, failed
            parts = commands(match.group(1))
            if not parts or not all(c.startswith("build/bin/") for c, _ in parts):
                return match.group(0)
            lines = []
            for command, shown in parts:
                found, shown = run(command), strip(shown)
                same = matches(shown, found)
                passed, failed = passed + same, failed + (not same)
                if not same and not update:
                    print(f"FAILED docs {path}: $ {command}")
                    print("\n".join(["  shown:", *shown, "  found:", *found[:60]]))
                keep = same or any(line.strip() == "..." for line in shown)
                lines += ["$ " + command, *(shown if keep else found), ""]
            return "```console\n" + "\n".join(strip(lines)) + "\n```"

        updated = BLOCK.sub(check, text)
        if update and updated != text:
            with open(os.path.join(ROOT, path), "w") as file:
                file.write(updated)
            print(f"updated {path}")
    print(f"docs: {passed} passed, {failed} failed")
    sys.exit(1 if failed and not update else 0)


if __name__ == "__main__":
    main()
