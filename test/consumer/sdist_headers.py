#===- sdist_headers.py - checks that a source distribution is complete ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`sdist_headers.py SDIST.tar.gz`: checks that the distribution contains every file of the tree that
one of its sources includes, and every folder that its CMake files add."""

import re
import sys
import tarfile

OURS = re.compile(r'^#include "((?:shardwright|shardwright-c|third_party)/[^"]+)"', re.M)
GENERATED = re.compile(r"\.(h|cpp|cc)\.inc$")  # written by TableGen during the build

with tarfile.open(sys.argv[1]) as archive:
    members = {m.name.partition("/")[2]: m for m in archive if m.isfile()}
    missing, included = set(), 0
    for name, member in members.items():
        if name.endswith((".cc", ".h")):
            for header in OURS.findall(archive.extractfile(member).read().decode()):
                included += 1
                if header not in members and not GENERATED.search(header):
                    missing.add(f"{header}, which {name} includes")
if missing or not included:
    sys.exit("not in the source distribution: " + ("; ".join(sorted(missing)) or "any source"))
