#===- seeds.py - corpora and dictionaries of the fuzz targets --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Collects seeds from the tree: programs of the lit tests, the examples, arrays."""

import glob
import hashlib
import io
import os
import re
import struct
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONGEST_TEXT = 4096
# llvm::DenseMap reserves these keys, of 64 and of 32 bits.
EXTREME_IDS = ["9223372036854775807", "9223372036854775806", "-9223372036854775808", "4294967295", "2147483647", "-2147483648"]
PIPELINE_FOLDERS = ("propagate", "partition", "rules", "cpu", "interop", "cli")
NAME = re.compile(r'StringLiteral\("((?:sdy|stablehlo|chlo|vhlo)\.[\w-]+)"\)')
ATTRIBUTE_LIST = re.compile(r"attrNames\[\] = \{([^}]*)\}")


def programs(folders):
    """Returns the modules of lit tests, without comments; parts between `// -----` are separate."""
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(ROOT, "test", folder, "**", "*.mlir"), recursive=True)):
            with open(path, errors="replace") as file:
                text = file.read()
            for part in re.split(r"^// -----.*$", text, flags=re.M):
                code = "\n".join(
                    line for line in part.splitlines() if not re.match(r"\s*(//|$)", line)
                )
                if code.strip() and len(code) <= LONGEST_TEXT:
                    yield code.encode()
                # Split a long file into its functions, each with the meshes.
                elif code.strip():
                    meshes = "\n".join(re.findall(r"^sdy\.mesh.*$", code, re.M))
                    for function in re.split(r"^(?=\s*func\.func)", code, flags=re.M)[1:]:
                        if len(meshes) + len(function) < LONGEST_TEXT:
                            yield (meshes + "\n" + function).encode()


def varint(value):
    more = 0
    while more < 8 and value >> (7 * (more + 1)):
        more += 1
    if more == 8:
        return b"\0" + struct.pack("<Q", value)
    return ((((value << 1) | 1) << more)).to_bytes(more + 1, "little")


def payloads():
    """Returns small payloads for each code: a few fields with small values."""
    for dialect in range(4):
        for kind in (0, 1):
            head = bytes([dialect << 1 | kind])
            for code in range(48):
                for fields in ((), (1,), (0, 2), (1, 0, 1), (1, 0, 0, 1), (2, 4, 6, 8, 10), (0,) * 8):
                    yield head + varint(code) + b"".join(map(varint, fields))
    # Shardy's, in the order in which they nest: axis, mesh, sub-axis, references, sharding.
    sdy = [
        [1, "s0", 8], [1, "s1", 4], [2, 2, 14, 15, 0], [3, 4, 4], [4, "s0", 0], [4, "s0", 35],
        [5, 1, 18, "b1", 0], [5, 0, "b0", 3], [6, 2, 2, 20, 21, 0], [6, 2, 2, 20, 21, 1, 19],
        [15, 2, 2, 20, 21, 0, 1, 19], [7, 1, 22], [8, 1, 0], [9, 1, 26],
        [10, 2, 16, 32, 1, 27, 1, 27, 0, 0, 0, 0, "b0"], [11, 1, 18], [12, 1, 29],
        [13, 1, 18, 0, 2], [14, 1, 31], [0, 2, 0, 1],
    ]
    out = b""
    for entry in sdy:
        body = b"\0" + varint(entry[0])
        for field in entry[1:]:
            if isinstance(field, str):
                number = int(field[1:])
                body += bytes([number]) if field[0] == "b" else varint(number)
            else:
                body += varint(field)
        out += body
        yield body
        yield out


def npy(descr="<f4", fortran="False", shape="(2, 3)", data=b"\0" * 24, version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    prefix = 10 if version == 1 else 12
    header += " " * (-(len(header) + prefix + 1) % 64) + "\n"
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header.encode() + data


def arrays():
    headers = [
        npy(), npy("<f8", "True", "(2,)"), npy("|b1", shape="()"), npy("<c8"), npy("|V2"),
        npy(">i4"), npy("<U3"), npy(version=2), npy(version=3), npy(shape="(0, 5)"),
        npy(shape="(9223372036854775807, 2)"), npy(shape="(-1,)"), npy("<i8", data=b""),
    ]
    for header in headers:
        yield b"\0" + header
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for header in headers:
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", method) as archive:
                archive.writestr(zipfile.ZipInfo("arg0.npy"), header)
            yield b"\1" + file.getvalue()


def flags():
    yield from (
        b"mx=4,y=2", b"mx=4", b"mx=9223372036854775807,y=3", b"m x = 1 , y=2", b"mx=4,x=2", b"m",
        b"breplicate>64MiB", b"bsent>2GiB", b"bpeak>1.5TB", b"bpeak>",
        b"h{replicated}", b"h{manual}", b"h{maximal device=3}", b"h{devices=[2,4]<=[8]}",
        b"h{devices=[2,2,2]<=[2,4]T(1,0) last_tile_dim_replicate}", b"h{devices=[2,2]0,1,3,2}",
        b"h{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}", b"h{unreduced}",
        b"h{{replicated}, {devices=[8]<=[8]}}", b"h{devices=[4]<=[4] shard_as 1}", b"h{}",
        b"h{maximal device=9223372036854775807}", b"h{devices=[2]9223372036854775807,9223372036854775806}",
        b"h{devices=[2]<=[2] shard_as 9223372036854775807}", b"h{devices=[2]<=[2] shard_like -9223372036854775808}",
        b"h{mesh['x'=4,'y'=2], [{'x'}, {'y':(1)2, ?}]}",
        b"p\x08\x00", b"p\x08\x03\x1a\x02\x02\x04\x22\x08\x00\x01\x02\x03\x04\x05\x06\x07",
        b"p\x08\x02\x2a\x02\x08\x00", b"sP('x', None, ('x', 'y'))", b"sPartitionSpec('x')", b"sP()",
        b"sP('x', P.UNCONSTRAINED, unreduced={'y'})",
        b'j{"name": "m", "flops_per_second": {"f32": 1e12, "i8": 2e12}, "memory": {"bytes": 1e9, "bytes_per_second": 1e11}}',
        b'j{"operation_seconds": 1e-6, "link": {"bytes_per_second": 1e9, "latency_seconds": 1e-6, "directions": 2}}',
        b'j{"links": {"x": {"directions": 1}}}', b"j{", b'j{"link": []}',
        b"r22>2;i k, k j -> i j", b"r3>1;... i j -> ... i", b"r2>3;(i j) k -> i j k", b"r1>1;i -> i", b"r>;->",
        b'n#a = [1, [2]]\n!t = tuple<#a>\nmodule { "x"() {y = #a} : () -> () } // {', b"naffine_map<(d0) -> (-d0 + d0 mod 2)>",
        b'n{"a": [1, {"b": "\\"["}]}', b"ntensor<1x?x8xf32>", b"t\x1b[31mred\xff\xc3\xa9\xe2\x80\xae",
    )


def protos():
    """Returns the HLO protos of the lit tests, and one of each wrapping."""
    for path in sorted(glob.glob(os.path.join(ROOT, "test", "interop", "hlo", "*.pb"))):
        with open(path, "rb") as file:
            yield file.read()
    with open(os.path.join(ROOT, "test", "interop", "hlo", "dynamic.pb"), "rb") as file:
        module = file.read()
    size = bytes([len(module) & 127 | 128, len(module) >> 7])
    yield b"\x0a" + size + module  # HloProto
    yield b"\x0a" + size + module + b"\x12\x04\x20\x02\x28\x04"  # HloModuleProtoWithConfig


SEEDS = {
    "encoding_fuzz": payloads,
    "flags_fuzz": flags,
    "hlo_fuzz": protos,
    "npz_fuzz": arrays,
    "pipeline_fuzz": lambda: programs(PIPELINE_FOLDERS),
    "text_fuzz": lambda: programs(("*",)),
}


def write(target, folder):
    """Writes the seeds as files that are named by content."""
    for seed in SEEDS[target]():
        with open(os.path.join(folder, hashlib.sha1(seed).hexdigest()[:16]), "wb") as file:
            file.write(seed)


def dictionary(target, build):
    """Returns the names of ops and attributes from the generated code of the build."""
    if target == "npz_fuzz":
        return ["\\x93NUMPY".replace("\\x93", ""), "'descr'", "'fortran_order'", "'shape'", "<f4", "True"]
    if target == "flags_fuzz":
        return [*EXTREME_IDS, "devices=[", "<=[", "T(", "last_tile_dim_replicate", "last_tile_dims={", "manual",
                "maximal", "device=", "replicated", "unreduced", "shard_as", "mesh[", "KiB", "GiB"]
    if target in ("encoding_fuzz", "hlo_fuzz"):
        return []
    words = set()
    for path in glob.glob(os.path.join(build, "shardwright", "dialect", "**", "*.h.inc"), recursive=True):
        with open(path) as file:
            text = file.read()
        words.update(NAME.findall(text))
        for names in ATTRIBUTE_LIST.findall(text):
            words.update(re.findall(r'"(\w+)"', names))
    words.update(
        ["tensor<", "f32", "i64", "bf16", "complex<", "?x", "!stablehlo.token", "#sdy.sharding<",
         "#sdy.sharding_per_value<[", "#stablehlo.channel_handle<", "dense<", "array<i64", "func.func",
         "func.call", "return", "sdy.sharding = ", "group_id=", "handle = ", *EXTREME_IDS, "applies ", "across ", "dims = [", "->", "^bb0("]
    )
    return sorted(words)
