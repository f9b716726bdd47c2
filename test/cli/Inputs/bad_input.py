#===- bad_input.py - checks how a command refuses bad input ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""bad_input.py COMMAND...: checks that the command exits with 2, prints nothing on stdout and exactly
one error on stderr. Prints that error for FileCheck."""

import re
import subprocess
import sys

done = subprocess.run(sys.argv[1:], capture_output=True, stdin=subprocess.DEVNULL)
stdout, stderr = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
errors = re.findall(r"^(?:.*[:\s])?error: .*", stderr, re.M)
print(stderr, end="")
if done.returncode != 2:
    sys.exit(f"exit code {done.returncode}, expected 2\n{stderr}")
if stdout:
    sys.exit(f"stdout is not empty:\n{stdout[:2000]}")
if len(errors) != 1:
    sys.exit(f"{len(errors)} errors on stderr, expected 1:\n{stderr}")
