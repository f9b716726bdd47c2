#===- completions.py - checks completion scripts of shells ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Checks completion scripts: the syntax of each by its shell, if that is installed, and what bash completes."""

import shutil
import subprocess
import sys

bash, zsh, fish = sys.argv[1:]
for shell, script in (("bash", bash), ("zsh", zsh), ("fish", fish)):
    if shutil.which(shell):
        subprocess.run([shell, "-n", script], check=True)

for words in (["pa"], ["run", "--ov"], ["run", "--overlap", "r"], ["run", "--overlap", "=", "r"], ["help", "sim"]):
    line = ["shardwright", *words]
    quoted = " ".join(f"'{word}'" for word in line)
    out = subprocess.run(
        ["bash", "--norc", "-c", f'source {bash}; COMP_WORDS=({quoted}); COMP_CWORD={len(line) - 1}; _shardwright; echo "${{COMPREPLY[*]}}"'],
        check=True, capture_output=True, text=True)  # fmt: skip
    print(f"{' '.join(line).replace(' = ', '=')}|: {out.stdout.strip()}")
