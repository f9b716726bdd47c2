#!/usr/bin/env python3
#===- mutation_check.py - checks that the tests find deliberate bugs ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Applies deliberate bugs (test/mutations/*.toml) one at a time, builds, and runs the suites that
must find them.

  mutation_check.py                   all, in a copy of the tree under build-mutations/
  mutation_check.py gather scatter    those with one of these words in their name or file
  mutation_check.py --in-place        in this tree and its build folder, which are restored
  mutation_check.py --check           builds nothing: every replacement still fits the sources
  mutation_check.py --list

A mutation is a [[mutation]] table: name, file, old and new text, suites. Suites are tried in order until
one fails:
  unit:TARGET        a GoogleTest executable (unit:mesh_test)
  lit:FOLDER         lit tests of test/FOLDER
  FOLDER/X.py ARGS   a script of test/
Exit code 1 when a mutation is not found, does not compile, or does not fit the sources.
"""

import argparse
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MUTATIONS = os.path.join("test", "mutations", "*.toml")
LIMIT = 900  # seconds per suite; a timeout counts as finding the bug
KEYS = {"name", "file", "old", "new", "suites"}


def load(root):
    """Loads all mutations, in the order of their files."""
    found = []
    for path in sorted(glob.glob(os.path.join(root, MUTATIONS))):
        with open(path, "rb") as file:
            for mutation in tomllib.load(file).get("mutation", []):
                found.append({**mutation, "list": os.path.relpath(path, root)})
    return found


def read(path):
    with open(path) as file:
        return file.read()


def problems(root, mutations):
    """Yields a line for each error in the lists."""
    names = set()
    for m in mutations:
        where = f"{m['list']}: {m.get('name', '(without a name)')}"
        if set(m) - {"list"} != KEYS:
            yield f"{where}: has {sorted(set(m) - {'list'})}, needs {sorted(KEYS)}"
            continue
        if m["name"] in names:
            yield f"{where}: two mutations have this name"
        names.add(m["name"])
        path = os.path.join(root, m["file"])
        if not os.path.isfile(path):
            yield f"{where}: there is no file {m['file']}"
            continue
        count = read(path).count(m["old"])
        if count != 1:
            yield f"{where}: its old text occurs {count} times in {m['file']}, must once; write it anew"
        if m["old"] == m["new"] or not m["suites"]:
            yield f"{where}: changes nothing, or names no suite"
        for suite in m["suites"]:
            target = suite.partition(":")[2]
            known = (suite.startswith("unit:") or suite.startswith("lit:") and os.path.exists(os.path.join(root, "test", target))
                     or os.path.isfile(os.path.join(root, "test", suite.split()[0])))  # fmt: skip
            if not known:
                yield f"{where}: there is no suite '{suite}'"


def targets_of(suites):
    """Returns the ninja targets that the suites need."""
    targets = set()
    for suite in suites:
        if suite.startswith("unit:"):
            targets.add(suite[5:])
        elif suite.startswith("oracle/"):
            targets |= {"run_server", "shardwright", "shardwright-opt"}
        elif suite.startswith("jax/"):
            targets |= {"shardwright_pjrt", "shardwright"}
        elif suite.startswith("browser/"):
            targets |= {"html_report_writer", "shardwright"}
        else:
            targets |= {"shardwright", "shardwright-opt"}
    return sorted(targets)


class Tree:
    """The tree in which mutations are applied and built."""

    def __init__(self, root, python):
        self.root, self.python = root, python
        self.build = os.path.join(root, "build")

    def ninja(self, targets, limit=3600):
        done = subprocess.run(["ninja", "-C", self.build, *targets], capture_output=True, text=True, timeout=limit)
        return None if done.returncode == 0 else done.stdout[-3000:] + done.stderr[-1000:]

    def command(self, suite):
        if suite.startswith("unit:"):
            return [os.path.join(self.build, "bin", suite[5:]), "--gtest_brief=1"]
        if suite.startswith("lit:"):
            site = read(os.path.join(self.build, "test", "lit.site.cfg.py"))
            lit = re.search(r'llvm_tools_dir = r"([^"]+)"', site).group(1) + "/lit"
            return [lit, "-q", "--no-progress-bar", "--max-failures", "1", os.path.join(self.build, "test", suite[4:])]
        words = shlex.split(suite)
        return [self.python, os.path.join(self.root, "test", words[0]), *words[1:]]

    def fails(self, suite):
        """True if the suite fails."""
        env = dict(os.environ, SHARDWRIGHT_BUILD=self.build, SHARDWRIGHT_PYTHON=self.python, PYTHONDONTWRITEBYTECODE="1")
        command = self.command(suite)
        if "oracle/partition.py" in suite:
            command += ["--shrink", "0", "--failures", "1"]
        try:
            done = subprocess.run(command, cwd=self.root, env=env, capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0


def make_copy(python):
    """Copies the files that git tracks; the copy has its own build folder."""
    folder = os.path.join(ROOT, "build-mutations")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in filter(None, files.split("\0")):
        source, target = os.path.join(ROOT, path), os.path.join(folder, path)
        if not os.path.isfile(source):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or read_bytes(source) != read_bytes(target):
            shutil.copy2(source, target)
    tree = Tree(folder, python)
    if not os.path.exists(os.path.join(tree.build, "build.ninja")):
        subprocess.run(["cmake", "--preset", "release"], cwd=folder, check=True)
    return tree


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def judge(tree, mutation, known_red):
    """Tests one mutation. Returns "found by SUITE", or the problem (with a capital letter)."""
    path = os.path.join(tree.root, mutation["file"])
    original = read(path)
    with open(path, "w") as file:
        file.write(original.replace(mutation["old"], mutation["new"]))
    try:
        suites = [s for s in mutation["suites"] if s not in known_red]
        for suite in suites:
            broken = tree.ninja(targets_of([suite]))
            if broken:
                return "DOES NOT COMPILE\n" + broken
            if tree.fails(suite):
                return f"found by {suite}"
        return "NOT FOUND by " + (", ".join(suites) or "a suite that passes without it")
    finally:
        with open(path, "w") as file:
            file.write(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only mutations with one of these in their name or file")
    parser.add_argument("--check", action="store_true", help="only whether all fit the sources")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--in-place", action="store_true", help="in this tree and build/, instead of a copy")
    parser.add_argument("--trust", action="store_true", help="do not first see whether the suites pass without mutations")
    args = parser.parse_args()
    mutations = load(ROOT)
    bad = list(problems(ROOT, mutations))
    for line in bad:
        print("FAILED mutations " + line)
    if args.check:
        print(f"mutations: {len(mutations) - len(bad)} passed, {len(bad)} failed")
        sys.exit(1 if bad else 0)
    chosen = [m for m in mutations if not args.words or any(w in m["name"] + m["file"] for w in args.words)]
    if args.list:
        print("\n".join(f"{m['file']}: {m['name']}" for m in chosen))
        return
    if bad:
        sys.exit(1)
    venv = os.path.join(ROOT, ".venv", "bin", "python")
    python = os.environ.get("SHARDWRIGHT_PYTHON") or (venv if os.path.exists(venv) else sys.executable)
    tree = Tree(ROOT, python) if args.in_place else make_copy(python)
    # A suite that also fails without a mutation does not find it.
    suites = sorted({s for m in chosen for s in m["suites"]})
    broken = tree.ninja(targets_of(suites))
    if broken:
        sys.exit("mutation_check: the tree does not build\n" + broken)
    red = set() if args.trust else {s for s in suites if tree.fails(s)}
    for suite in sorted(red):
        print(f"SKIPPED suite {suite}: fails without mutations", flush=True)
    lost = 0
    for mutation in chosen:
        start = time.monotonic()
        result = judge(tree, mutation, red)
        lost += not result.startswith("found")
        print(f"{result.splitlines()[0]:60} {time.monotonic() - start:6.1f} s  {mutation['name']} ({mutation['file']})", flush=True)
        if result.startswith("DOES NOT"):
            print("\n".join(result.splitlines()[1:][-25:]), flush=True)
    tree.ninja(targets_of(suites))
    print(f"mutations: {len(chosen) - lost} passed, {lost} failed")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
