#!/usr/bin/env python3
#===- check_layers_test.py - tests check_layers.py ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Breaks the architecture of a copy of the tree in every way that check_layers.py detects, one at a
time, and checks which check reports it."""

import os
import shutil
import sys
import tempfile

import check_layers

BODY = "  work();\n"


def append(text):
    return lambda old: old + text


def include(header):
    return append(f'\n#include "shardwright/{header}"\n')


def without(word):
    return lambda old: "".join(line for line in old.splitlines(True) if word not in line)


# What is broken, the check that must report it, a word of its message, the file, and the change.
CASES = [
    ("a layer includes a later one", "order", "mesh", "shardwright/mesh/axis.h", include("partition/partition.h")),
    ("a folder includes a later one", "order", "cpu/program", "shardwright/cpu/program/liveness.cc", include("cpu/jit/jit.h")),
    ("two folders include each other", "order", "cpu/graph", "shardwright/cpu/graph/kernel_graph.h", include("cpu/fusion/fusion.h")),
    ("a folder that no list names", "order", "mesh/new", "shardwright/mesh/new/file.h", lambda old: "\n"),
    ("a header that its layer does not export", "exports", "kernel_graph.h", "tools/shardwright/main.cc", include("cpu/graph/kernel_graph.h")),
    ("an export that nobody uses", "exports", "hlo/unused.h", "shardwright/layers.toml",
     lambda old: old.replace('  "hlo/hlo_sharding.h",', '  "hlo/hlo_sharding.h",\n  "hlo/unused.h",')),
    ("a consumer includes a private header", "public", "lowering.h", "test/consumer/consumer.cc", include("cpu/lower/lowering.h")),
    ("a public header that is not there", "public", "mesh/gone.h", "shardwright/layers.toml",
     lambda old: old.replace('  "mesh/mesh.h",', '  "mesh/mesh.h",\n  "mesh/gone.h",')),
    ("a folder without a line", "readmes", "`dot/`", "shardwright/cpu/README.md", without("`dot/`")),
    ("a file that has moved", "where", "gone.cc", "docs/dev/where-is.md", lambda old: old.replace("decide/decide.cc", "decide/gone.cc")),
    ("a file of 501 lines", "lengths", "nesting.h: 501 lines", "shardwright/mesh/nesting.h", lambda old: "\n" * 501),
    ("a function of 101 lines", "lengths", "lengthy has 101 lines", "shardwright/mesh/axis.cc",
     append("\nvoid lengthy(int a,\n             int b) {\n" + BODY * 98 + "}\n")),
    ("a method of 101 lines", "lengths", "lengthy has 101 lines", "shardwright/mesh/axis.cc",
     append("\nclass C {\n  void lengthy() {\n" + "  " + ("  " + BODY) * 99 + "  }\n};\n")),
    ("an exception that is not needed", "lengths", "axis.cc needs no exception", "shardwright/layers.toml",
     lambda old: old.replace("[exceptions.files]\n", '[exceptions.files]\n"shardwright/mesh/axis.cc" = 600\n')),
    ("41 sources in a folder", "folders", "mesh/hlo", None, None),
]  # fmt: skip


def problems_of(root):
    tree = check_layers.Tree(root)
    return {check.__name__[6:]: list(check(tree)) for check in check_layers.CHECKS}


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as root:
        for top in (check_layers.LIBRARY, *check_layers.USERS, "docs"):
            source = os.path.join(check_layers.ROOT, top)
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(root, top), ignore=lambda _, names: [
                    n for n in names if "." in n and not n.endswith((*check_layers.SOURCES, ".md", ".td", ".toml"))])  # fmt: skip
        before = problems_of(root)
        for what, check, word, path, change in CASES:
            if path:
                file = os.path.join(root, path)
                os.makedirs(os.path.dirname(file), exist_ok=True)
                old = open(file).read() if os.path.exists(file) else None
                with open(file, "w") as out:
                    out.write(change(old or ""))
                after = problems_of(root)
                if old is None:
                    shutil.rmtree(os.path.dirname(file))
                else:
                    with open(file, "w") as out:
                        out.write(old)
            else:
                folder = os.path.join(root, "shardwright", "mesh", "hlo")
                added = [os.path.join(folder, f"added{i}.h") for i in range(41)]
                for file in added:
                    open(file, "w").close()
                after = problems_of(root)
                for file in added:
                    os.remove(file)
            new = [p for p in after[check] if p not in before[check]]
            others = [name for name in after if name != check and len(after[name]) > len(before[name])]
            found = any(word in p for p in new)
            passed, failed = passed + found, failed + (not found)
            if not found:
                print(f"FAILED layers_test {what}: '{check}' says {new}, other checks that say something: {others}")
    print(f"layers_test: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
