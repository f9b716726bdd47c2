#!/usr/bin/env python3
#===- jax_versions.py - writes the table of JAX versions and features -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs the doctor of the plugin with each JAX that is installed (.venv, .venv-newest, and environments
given by --python), and compares its findings with the table in docs/jax.md.

  scripts/jax_versions.py                            checks the columns of the installed versions
  scripts/jax_versions.py --update --python PYTHON   writes them; other columns stay as they are
"""

import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
PAGE = os.path.join(ROOT, "docs", "jax.md")
ENVIRONMENTS = (".venv", ".venv-newest")
HEAD = "| feature |"
YES, NO = "yes", "no"


def run_doctor(python):
    """Returns (version, {feature: YES or NO}); None for features that could not be tried."""
    env = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"), SHARDWRIGHT_BUILD=BUILD, TF_CPP_MIN_LOG_LEVEL="3")
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run([python, "-m", "shardwright.doctor", "--json"], env=env, capture_output=True, text=True)
    try:
        found = json.loads(done.stdout.splitlines()[-1])
        if found["jax"] is None:
            raise ValueError("no jax")
    except (ValueError, IndexError):
        sys.exit(f"jax_versions: the doctor of {python} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    marks = {"ok": YES, "skip": None}
    return found["jax"], {feature: marks.get(mark, NO) for feature, mark in found["features"].items()}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read_table(text):
    """Returns {version: {feature: mark}} of the page."""
    lines = text[text.index(HEAD) :].splitlines() if HEAD in text else []
    table = []
    for line in lines:
        if not line.startswith("|"):
            break
        table.append(cells(line))
    if not table:
        return {}
    versions = table[0][1:]
    return {version: {row[0]: row[i + 1] for row in table[2:]} for i, version in enumerate(versions)}


def write_table(columns):
    versions = sorted(columns, key=lambda v: [int(n) for n in re.findall(r"\d+", v)])
    features = list(dict.fromkeys(feature for version in reversed(versions) for feature in columns[version]))
    lines = [" | ".join([HEAD.rstrip(" |"), *versions]) + " |", "| --- " * (len(versions) + 1) + "|"]
    lines += [f"| {f} | " + " | ".join(columns[v].get(f, "") for v in versions) + " |" for f in features]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the table")
    parser.add_argument("--python", action="append", default=[], help="an interpreter with another version of JAX")
    args = parser.parse_args()
    skipped = 0
    pythons = list(args.python)
    for name in ENVIRONMENTS:
        python = os.path.join(ROOT, name, "bin", "python")
        if os.path.exists(python):
            pythons.append(python)
        else:
            print(f"SKIPPED jax_versions: no {name} (scripts/bootstrap.sh)")
            skipped += 1
    with open(PAGE) as file:
        text = file.read()
    columns, failed = read_table(text), 0
    for python in pythons:
        version, found = run_doctor(python)
        shown = columns.get(version, {})
        wrong = {f: (shown.get(f), mark) for f, mark in found.items() if mark and shown.get(f) != mark}
        wrong.update({f: (mark, "nothing") for f, mark in shown.items() if f not in found and mark})
        if args.update:
            columns[version] = {f: mark or shown.get(f, "") for f, mark in found.items()}
        elif wrong:
            failed += 1
            print(f"FAILED jax_versions: docs/jax.md says of JAX {version}; `scripts/jax_versions.py --update` corrects it")
            for feature, (page, doctor) in wrong.items():
                print(f"  {feature}: {page}, the doctor finds {doctor}")
    if args.update:
        start = text.index(HEAD)
        end = re.compile(r"\n(?!\|)").search(text, start).start()
        with open(PAGE, "w") as file:
            file.write(text[:start] + write_table(columns) + text[end:])
        return
    print(f"jax_versions: {len(pythons) - failed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
