#!/usr/bin/env python3
#===- check_layers.py - checks the architecture of the sources ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Checks the sources below shardwright/ against shardwright/layers.toml, which holds the order of
layers and folders:

  order        a file includes headers of its own folder and of folders before it
  exports      a layer includes only those headers of another layer's folders that it exports
  public       programs that link the library include public headers only
  readmes      each folder has a line in the README of the folder that holds it
  where        docs/dev/where-is.md names files that exist
  folders      a folder has at most 40 sources
  lengths      a file has at most 500 lines and a function at most 100, except for named exceptions, which
               may become shorter, but not longer

  check_layers.py [--root TREE]    exit code 1 and one line for each problem
  check_layers.py --graph          the edges between folders, with their number of includes
"""

import argparse
import collections
import os
import re
import sys
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = "shardwright"
SOURCES = (".h", ".cc", ".inc")
# Folders whose sources are checked for length, and that may include exported headers of a layer.
USERS = ("shardwright-c", "tools", "test", "benchmarks", "examples")
MAX_SOURCES, MAX_LINES, MAX_FUNCTION, MAX_EXCEPTIONS = 40, 500, 100, 15
INCLUDE = re.compile(r'^#include "(shardwright/[^"]+)"', re.M)


class Tree:
    """The sources of a tree, by path from its root, and layers.toml."""

    def __init__(self, root):
        self.root = root
        with open(os.path.join(root, LIBRARY, "layers.toml"), "rb") as file:
            self.layers = tomllib.load(file)
        self.text = {}
        for top in (LIBRARY, *USERS):
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    if name.endswith(SOURCES):
                        path = os.path.join(folder, name)
                        with open(path, errors="replace") as file:
                            self.text[os.path.relpath(path, root)] = file.read()
        self.order = {}
        self.exports = set()
        for layer in self.layers["layer"]:
            name = layer["name"]
            for folder in layer.get("folders", []) + ["."] * ("." not in layer.get("folders", [])):
                self.order[name if folder == "." else f"{name}/{folder}"] = len(self.order)
            self.exports |= {f"{LIBRARY}/{name}/{header}" for header in layer.get("exports", [])}
        self.exceptions = self.layers.get("exceptions", {})

    def includes(self):
        """Yields (path of a source, path of an included header of the library)."""
        for path, text in sorted(self.text.items()):
            for header in INCLUDE.findall(text):
                yield path, header


def folder_of(path):
    """The folder of a source of the library, as layers.toml names it."""
    return os.path.dirname(path)[len(LIBRARY) + 1 :]


def layer_of(path):
    return path.split("/")[1] if path.startswith(LIBRARY + "/") else path.split("/")[0]


def check_order(tree):
    for folder in sorted({folder_of(p) for p in tree.text if p.startswith(LIBRARY + "/")} - set(tree.order)):
        yield f"{LIBRARY}/{folder}: not in layers.toml; name it there, above the folders that use it"
    present = {folder_of(p) for p in tree.text if p.startswith(LIBRARY + "/")}
    for folder in sorted(set(tree.order) - present):
        if any(p.startswith(folder + "/") for p in present):
            continue
        yield f"layers.toml: {folder} holds no sources; remove it"
    for path, header in tree.includes():
        if not path.startswith(LIBRARY + "/"):
            continue
        here, there = folder_of(path), folder_of(header)
        if here in tree.order and there in tree.order and tree.order[there] > tree.order[here]:
            yield f"{path}: includes {header}, but {there} comes after {here} in layers.toml"


def check_exports(tree):
    used = set()
    for path, header in tree.includes():
        if layer_of(path) == layer_of(header) or header.count("/") < 3 or not header.endswith(".h"):
            continue
        used.add(header)
        if header not in tree.exports:
            yield f"{path}: includes {header}, which its layer keeps to itself (exports in layers.toml)"
    for header in sorted(tree.exports - used):
        yield f"layers.toml: exports {header}, which no other layer includes"


def closure(tree, headers):
    """Returns the headers and everything that they include."""
    found, todo = set(), list(headers)
    while todo:
        header = todo.pop()
        if header in found:
            continue
        found.add(header)
        todo += INCLUDE.findall(tree.text.get(header, ""))
    return found


def check_public(tree):
    public = {f"{LIBRARY}/{h}" for h in tree.layers.get("public", [])}
    for header in sorted(public):
        if not os.path.isfile(os.path.join(tree.root, header)):
            yield f"layers.toml: there is no public header {header}"
    for path, header in tree.includes():
        if path.startswith(("test/consumer/", "test/plugin/", "examples/")) and header not in public:
            yield f"{path}: includes {header}, which is not public (layers.toml)"


def check_readmes(tree):
    for folder in sorted(tree.order):
        parent, name = os.path.split(folder)
        readme = os.path.join(LIBRARY, parent, "README.md")
        try:
            with open(os.path.join(tree.root, readme)) as file:
                lines = file.read().splitlines()
        except OSError:
            yield f"{readme}: missing; it has a line for each folder"
            continue
        if not any(line.lstrip().startswith(("|", "-", "*")) and f"`{name}/`" in line for line in lines):
            yield f"{readme}: has no line for `{name}/`"


def check_where(tree):
    with open(os.path.join(tree.root, "docs", "dev", "where-is.md")) as file:
        files = re.findall(r"^\|.*\| `([^`]+)` \|$", file.read(), re.M)
    if len(files) < 20:
        yield f"docs/dev/where-is.md: {len(files)} questions, at least 20"
    for path in files:
        if not os.path.isfile(os.path.join(tree.root, path)):
            yield f"docs/dev/where-is.md: there is no {path}"


def check_folders(tree):
    count = collections.Counter(os.path.dirname(p) for p in tree.text if p.startswith(LIBRARY + "/"))
    for folder, sources in sorted(count.items()):
        if sources > MAX_SOURCES:
            yield f"{folder}: {sources} sources, at most {MAX_SOURCES}; divide it by job"


def functions(text):
    """Yields (name, lines) of each function: from its name to the closing brace of its body, which is
    at the indentation of the function's first line (clang-format). Raw strings are skipped."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda m: '""' + "\n" * m.group().count("\n"), text, flags=re.S)
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if not re.match(r" *[^\s#/}{*].*\{$", line):
            at += 1
            continue
        start = at
        while start and lines[start - 1].strip() and not re.search(r"[;}{:]$|^\s*(//|#|template\b)", lines[start - 1]):
            start -= 1
        head = " ".join(l.strip() for l in lines[start : at + 1])
        name = re.match(r"[^(=]*?([\w:~]+)\(", head)
        block = re.match(r"(namespace|class|struct|enum|union|extern|if|for|while|switch|do|else|return)\b", head)
        is_lambda = re.search(r"(?<!operator)\[[&=\w, *]*\] ?[({]", head)
        indent = re.match(" *", lines[start])[0]
        if name and not block and not is_lambda and len(indent) <= 4:
            end = next((i for i in range(at + 1, len(lines)) if re.fullmatch(indent + r"\}[;,)]*", lines[i])), None)
            if end is not None:
                yield name[1], end - start + 1
                if not indent:
                    at = end
        at += 1


def check_lengths(tree):
    files, long_functions = tree.exceptions.get("files", {}), tree.exceptions.get("functions", {})
    allowed = len(files) + len(long_functions)
    if allowed >= MAX_EXCEPTIONS:
        yield f"layers.toml: {allowed} exceptions, fewer than {MAX_EXCEPTIONS} are allowed"
    used = set()
    for path, text in sorted(tree.text.items()):
        if not path.startswith((LIBRARY + "/", "shardwright-c/", "tools/")):
            continue
        lines = text.count("\n")
        if lines > max(MAX_LINES, files.get(path, 0)):
            yield f"{path}: {lines} lines, at most {files.get(path, MAX_LINES)}; divide it by job"
        if lines > MAX_LINES:
            used.add(path)
        for name, length in functions(text):
            key = f"{path}:{name}"
            if length > max(MAX_FUNCTION, long_functions.get(key, 0)):
                yield f"{path}: {name} has {length} lines, at most {long_functions.get(key, MAX_FUNCTION)}; divide it"
            if length > MAX_FUNCTION:
                used.add(key)
    for key in sorted((set(files) | set(long_functions)) - used):
        yield f"layers.toml: {key} needs no exception any more; remove it"


CHECKS = (check_order, check_exports, check_public, check_readmes, check_where, check_folders, check_lengths)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT)
    parser.add_argument("--graph", action="store_true")
    args = parser.parse_args()
    tree = Tree(args.root)
    if args.graph:
        edges = collections.Counter((folder_of(p), folder_of(h)) for p, h in tree.includes() if p.startswith(LIBRARY + "/"))
        for (here, there), count in sorted(edges.items()):
            if here != there:
                print(f"{here} -> {there} {count}")
        return
    failed = 0
    for check in CHECKS:
        problems = list(check(tree))
        for problem in problems:
            print(f"FAILED layers {check.__name__[6:]}: {problem}")
        failed += bool(problems)
    print(f"layers: {len(CHECKS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
