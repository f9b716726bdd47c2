#===- make_npz.py - writes an .npz with the standard library --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""make_npz.py OUT.npz arg0=<f4:8x16 ...: arrays of 0, 1, 2, ... with numpy's type names."""

import math
import struct
import sys
import zipfile

FORMATS = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "<u2": "H", "|b1": "?"}

with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for argument in sys.argv[2:]:
        name, _, kind = argument.partition("=")
        descr, _, shape = kind.partition(":")
        dims = tuple(int(d) for d in shape.split("x") if d)
        header = str({"descr": descr, "fortran_order": False, "shape": dims}).encode()
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        count = math.prod(dims)
        data = struct.pack(f"<{count}{FORMATS[descr]}", *range(count))
        member = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data
        archive.writestr(f"{name}.npy", member)
