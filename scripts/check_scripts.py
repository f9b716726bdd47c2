#!/usr/bin/env python3
#===- check_scripts.py - the syntax of the page's scripts -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Checks the scripts of HTML reports (shardwright/report/page/js) with `node --check`, that each is embedded, and that
each file is below the limit of lines. Without node, the syntax is skipped."""

import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "shardwright", "report", "page")
MOST_LINES = 500


def main():
    passed = failed = skipped = 0
    with open(os.path.join(ROOT, "shardwright", "report", "CMakeLists.txt")) as file:
        embedded = set(re.findall(r"\w+", file.read()))
    node = shutil.which("node")
    if not node:
        print("SKIPPED page_scripts: no node, so that the syntax of the scripts is not checked")
        skipped += 1
    for path in sorted(glob.glob(os.path.join(PAGE, "js", "*.js")) + glob.glob(os.path.join(PAGE, "css", "*.css"))):
        name, problems = os.path.relpath(path, ROOT), []
        if os.path.splitext(os.path.basename(path))[0] not in embedded:
            problems.append("shardwright/report/CMakeLists.txt does not embed it")
        with open(path) as file:
            lines = len(file.readlines())
        if lines > MOST_LINES:
            problems.append(f"{lines} lines, more than {MOST_LINES}")
        if node and path.endswith(".js"):
            done = subprocess.run([node, "--check", path], capture_output=True, text=True)
            if done.returncode:
                problems.append(done.stderr.strip())
        for problem in problems:
            print(f"FAILED page_scripts {name}: {problem}")
        passed, failed = passed + (not problems), failed + bool(problems)
    print(f"page_scripts: {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
