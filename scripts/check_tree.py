#!/usr/bin/env python3
#===- check_tree.py - checks the files that git tracks --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Checks the files that git tracks: licence headers, a README in each layer, lists marked
`keep-sorted`, lit tests that lit would never run, test scripts that belong to no suite, names of
dialects in code that must be independent of dialects, headers that the reference of C++ lacks."""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = (".cc", ".h", ".td", ".py")
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SUITES = ("browser", "oracle", "end_to_end", "jax", "pytorch")


def read(path):
    with open(os.path.join(ROOT, path), errors="replace") as file:
        return file.read()


def licence_headers(files):
    for path in files:
        ours = not path.startswith("third_party/")
        if ours and path.endswith(SOURCES) and LICENCE not in read(path)[:1500]:
            yield f"{path}: no licence header"


def first_lines(files):
    """The first line of a C++ source names the file, whole: clang-format breaks longer ones. (The C header has another form.)"""
    for path in files:
        if path.endswith((".h", ".cc", ".td")) and not path.startswith("shardwright-c/") and not path.startswith("third_party/"):
            with open(os.path.join(ROOT, path)) as file:
                line = file.readline().rstrip("\n")
            if not re.fullmatch(r"//===-+ \S.*===//", line) or os.path.basename(path) not in line:
                yield f"{path}: the first line is not `//===- {os.path.basename(path)} - what it is ---===//` in at most 80 columns"


def layer_readmes(files):
    layers = {os.path.dirname(p) for p in files if re.match(r"shardwright/.*CMakeLists\.txt$", p)}
    for layer in sorted(layers - {"shardwright", "shardwright/dialect"}):
        if f"{layer}/README.md" not in files:
            yield f"{layer}: no README.md (what comes in, what goes out, the file to read first)"


def sorted_lists(files):
    """Yields the lines after one that contains `keep-sorted`, as long as they have its indentation."""
    for path in files:
        if path == "scripts/check_tree.py" or path.endswith((".npz", ".mlir")):
            continue
        lines = read(path).splitlines()
        for i, line in enumerate(lines):
            if not re.search(r"(#|//) keep-sorted", line):
                continue
            body = lines[i + 1 :]
            words = re.findall(r'"([^"]+)"', body[0]) if body and body[0].endswith(")") else None
            if words is None:
                inner = [l for l in body[1:] if l.strip()]
                stop = next((n for n, l in enumerate(inner) if not l.startswith(" ")), 0)
                words = [l.strip() for l in inner[:stop]]
            if words != sorted(words):
                yield f"{path}:{i + 1}: this list is not sorted"


def orphaned_tests(files):
    for path in files:
        parts = path.split("/")
        if parts[0] != "test" or "Inputs" in parts:
            continue
        if path.endswith((".mlir", ".test", ".hlo")) and "RUN:" not in read(path):
            yield f"{path}: no RUN line, and not under Inputs/"
        if path.endswith(".py") and len(parts) > 2 and parts[1] not in SUITES + ("consumer", "fuzz"):
            yield f"{path}: no suite runs it"


def agnostic_propagation(files):
    """Propagation accesses ops through interfaces only; tests may contain programs of a dialect."""
    for path in files:
        if not path.startswith("shardwright/propagate/") or path.endswith(("_test.cc", "_test_util.h")):
            continue
        if path.endswith((".cc", ".h")) and re.search(r"\b(stablehlo|chlo|linalg)::|dialect/(stablehlo|chlo)/", read(path)):
            yield f"{path}: names a dialect; let the dialect say it (shardwright/rules/rule_interface.td)"


def reference_headers(files):
    """The headers of the reference of C++ (docs/Doxyfile) are the public ones, and those that the front end's header includes."""
    doxyfile = read("docs/Doxyfile").replace("\\\n", " ")
    named = re.search(r"^INPUT *= *(.*)$", doxyfile, re.M).group(1).split()
    for path in named:
        if path not in files:
            yield f"docs/Doxyfile: INPUT names {path}, which does not exist"
    public = re.search(r"^public = \[([^]]*)\]", read("shardwright/layers.toml"), re.M).group(1)
    wanted = {f"shardwright/{p}" for p in re.findall(r'"([^"]+\.h)"', public)}
    wanted |= set(re.findall(r'#include "(shardwright/[^"]+)"', read("shardwright/frontend/frontend.h")))
    headers = {p for p in named if p.endswith(".h")}
    for path in sorted(wanted - headers):
        yield f"docs/Doxyfile: INPUT lacks the public header {path}"
    for path in sorted(headers - wanted):
        yield f"docs/Doxyfile: INPUT names {path}, which is no public header"


def main():
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = [p for p in listing.stdout.splitlines() if os.path.isfile(os.path.join(ROOT, p))]
    passed = failed = 0
    for check in (licence_headers, first_lines, layer_readmes, sorted_lists, orphaned_tests, agnostic_propagation, reference_headers):
        problems = list(check(files))
        for problem in problems:
            print(f"FAILED tree {check.__name__}: {problem}")
        passed, failed = passed + (not problems), failed + bool(problems)
    print(f"tree: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
