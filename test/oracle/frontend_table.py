#===- frontend_table.py - which test covers which concept -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Each concept of frontend/feature_table.py has a test: tests say so in a comment line `Feature: KEY` before them. The table
docs/frontend-table.md is made of these lines; --update writes it."""

import argparse
import os
import re
import subprocess
import sys

import oracle
from frontend.error_texts import ABSENT, COMPILED, TEXTS
from frontend.feature_table import FEATURES, MISSING

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "frontend-table.md")
HEAD = """# Concepts of the front end and their tests

Made by `test/oracle/frontend_table.py --update` of the lines `Feature: KEY` in tests. Names that JAX retired are in parentheses.

| JAX | Here | Tests |
| --- | --- | --- |
"""


def sources():
    for folder in ("shardwright/frontend", "test/oracle", "test/jax"):
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith("_test.cc") or name.endswith(".py"):
                    yield os.path.join(path, name)


def tagged():
    """Lists of (file, test) by key."""
    found = {}
    for file in sorted(sources()):
        with open(file, encoding="utf-8") as source:
            lines = source.read().split("\n")
        for i, line in enumerate(lines):
            tag = re.match(r"\s*(?://+|#) Feature: (.*)$", line)
            if not tag:
                continue
            tests = re.finditer(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", "\n".join(lines[i + 1:]), re.M)
            test = next(tests, None) if file.endswith(".cc") else None
            name = f"{test[1]}.{test[2]}" if test else ""
            for key in tag[1].split(","):
                found.setdefault(key.strip(), []).append((os.path.relpath(file, ROOT), name))
    return found


TEXT_HEAD = """
## Texts of errors

The constant part of each text, and the tests in C++ that have it.

| Part | Text | Tests |
| --- | --- | --- |
"""


def text_tests():
    """Lists of test files by (part, text)."""
    found = {(part, text): [] for part, texts in TEXTS.items() for text in texts}
    for file in sorted(sources()):
        if not file.endswith("_test.cc"):
            continue
        with open(file, encoding="utf-8") as source:
            joined = re.sub(r'"\s*\n\s*"', "", source.read())
        for key in found:
            if key[1] in joined:
                found[key].append(os.path.basename(file))
    return found


def text_rows(found):
    return "".join(f"| {part} | `` {text.strip()} `` | {', '.join(f'`{name}`' for name in files) or 'none'} |\n"
                   for (part, text), files in found.items())


ABSENT_HEAD = """
These are errors when the user's program is compiled:

| Part | Text | Where |
| --- | --- | --- |
%s
These texts of JAX cannot arise here:

| Part | Text | Why |
| --- | --- | --- |
%s"""


def other_rows():
    return ABSENT_HEAD % ("".join(f"| {part} | `` {text} `` | `{file}` |\n" for part, text, file, _ in COMPILED),
                          "".join(f"| {part} | `` {text.strip()} `` | {why} |\n" for part, text, why in ABSENT))


def compiler_errors(file, program):
    """What the compiler says of a program that includes this header."""
    compiler = os.environ.get("CXX", "clang++-22")
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{ROOT}", "-"],
                          input=f'#include "{file}"\n{program}\n', capture_output=True, text=True).stderr


def all_sources():
    for path, _, names in os.walk(os.path.join(ROOT, "shardwright", "frontend")):
        for name in names:
            with open(os.path.join(path, name), encoding="utf-8") as source:
                yield os.path.join(path, name), re.sub(r'"\s*\n\s*"', "", source.read())


def page(found):
    rows = []
    for key, theirs, ours in FEATURES:
        by_file = {}
        for file, name in found.get(key, []):
            by_file.setdefault(file, []).append(name)
        tests = "; ".join(f"`{os.path.basename(file)}`" + (": " + ", ".join(f"`{n}`" for n in names if n) if any(names) else "")
                          for file, names in by_file.items())
        rows.append(f"| {theirs} | {ours} | {tests or 'not there'} |")
    return HEAD + "\n".join(rows) + "\n" + TEXT_HEAD + text_rows(text_tests()) + other_rows()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    args, _ = parser.parse_known_args()
    found = tagged()
    text = page(found)
    if args.update:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
    sys.argv = sys.argv[:1]
    tally = oracle.Tally("frontend_table")
    for key, _, _ in FEATURES:
        tally.check(f"{key} has a test", (key in found) != (key in MISSING), f"no line `Feature: {key}`")
    for (part, words), files in text_tests().items():
        tally.check(f"{part}: {words}", bool(files), "no test has this text")
    for part, words, file, program in COMPILED:
        tally.check(f"{part}: {words}", words in compiler_errors(file, program), "the compiler does not say so")
    written = list(all_sources())
    for part, words, _ in ABSENT:
        having = [file for file, source in written if words in source]
        tally.check(f"{part}: {words}", not having, f"{having} have the text, so that it can arise")
    keys = {key for key, _, _ in FEATURES}
    for key in found:
        tally.check(f"{key} is a concept", key in keys, f"{found[key]}; frontend/feature_table.py does not have it")
    current = open(PAGE, encoding="utf-8").read() if os.path.exists(PAGE) else ""
    tally.check("docs/frontend-table.md is current", current == text, "run test/oracle/frontend_table.py --update")
    tally.finish()


main()
