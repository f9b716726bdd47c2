#===- hostile_input.py - inputs that exceed or reach the limits -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs, arrays and flags that nest deeply, grow when they are expanded, or contain terminal
control sequences: each ends with exit code 2 and one error that names the limit. Input that just
reaches a limit still compiles and runs."""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

BIN = os.path.dirname(oracle.TOOL)
LSP = os.path.join(BIN, "shardwright-lsp-server")
VECTOR = "tensor<8xf32>"
IDENTITY = f"func.func @main(%x: {VECTOR}) -> {VECTOR} {{\n  return %x : {VECTOR}\n}}\n"
MIB = 1 << 20
tally = oracle.Tally("hostile_input", show=5)
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def write(name, content):
    with open(path(name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path(name)


def bounded():
    # Sanitizers map terabytes of address space.
    if "sanitize" not in BIN:
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def process(command, source=None, stdout=subprocess.PIPE):
    done = subprocess.run(command, input=source, stdout=stdout, stderr=subprocess.PIPE, timeout=60, preexec_fn=bounded)
    done.stderr = done.stderr.decode(errors="surrogateescape")
    return done


def refused(case, text, command, source=None):
    """Checks for exit code 2, no output on stdout, and one error that matches `text`."""
    try:
        done = process(command, source)
    except subprocess.TimeoutExpired:
        return tally.fail(case, "takes more than a minute")
    errors = re.findall(r"^(?:.*[:\s])?error: .*", done.stderr, re.M)
    tally.check(case, done.returncode == 2 and not done.stdout and len(errors) == 1 and re.search(text, errors[0]),
                f"exit code {done.returncode}, expected 2 and '{text}'\n{done.stderr[:2000]}")  # fmt: skip


def passes(case, command, source=None, text=""):
    try:
        done = process(command, source)
    except subprocess.TimeoutExpired:
        return tally.fail(case, "takes more than a minute")
    tally.check(case, done.returncode == 0 and text in done.stderr, f"exit code {done.returncode}\n{done.stderr[:2000]}")


def ifs(depth):
    """Returns nested branches: each level adds 2 brackets and an operation. Each level also has a
    value."""
    lines = [f"func.func @main(%p: tensor<i1>, %x: {VECTOR}) -> {VECTOR} {{"]
    value = "%x"
    for i in range(depth):
        lines += [f"%a{i} = stablehlo.cosine {value} : {VECTOR}", f'%r{i} = "stablehlo.if"(%p) ({{']
        value = f"%a{i}"
    lines.append(f"stablehlo.return {value} : {VECTOR}")
    for i in reversed(range(depth)):
        lines += ["}, {", f"%n{i} = stablehlo.negate %a{i} : {VECTOR}", f"stablehlo.return %n{i} : {VECTOR}",
                  f"}}) : (tensor<i1>) -> {VECTOR}",
                  f"{'stablehlo.return' if i else 'return'} %r{i} : {VECTOR}"]  # fmt: skip
    return "\n".join(lines) + "\n}\n"


def loops(depth):
    lines = [f"func.func @main(%x: {VECTOR}) -> {VECTOR} {{", "%one = stablehlo.constant dense<1> : tensor<i32>",
             "%zero = stablehlo.constant dense<0> : tensor<i32>"]  # fmt: skip
    value = "%x"
    for i in range(depth):
        lines += [f"%r{i}:2 = stablehlo.while(%i{i} = %zero, %v{i} = {value}) : tensor<i32>, {VECTOR}",
                  f"cond {{ %c{i} = stablehlo.compare LT, %i{i}, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>",
                  f"stablehlo.return %c{i} : tensor<i1> }} do {{",
                  f"%n{i} = stablehlo.add %i{i}, %one : tensor<i32>"]  # fmt: skip
        value = f"%v{i}"
    lines.append(f"%w{depth} = stablehlo.cosine {value} : {VECTOR}")
    for i in reversed(range(depth)):
        inner = f"%r{i + 1}#1" if i + 1 < depth else f"%w{depth}"
        lines += [f"stablehlo.return %n{i}, {inner} : tensor<i32>, {VECTOR}", "}"]
    return "\n".join(lines) + f"\nreturn %r0#1 : {VECTOR}\n}}\n"


def calls(count, times):
    """Returns a chain of functions, each of which calls the next one `times` times."""
    text = IDENTITY.replace("return %x", f"%0 = call @f0(%x) : ({VECTOR}) -> {VECTOR}\n  return %0")
    for i in range(count):
        text += f"func.func private @f{i}(%x: {VECTOR}) -> {VECTOR} {{\n%v0 = stablehlo.cosine %x : {VECTOR}\n"
        inner = times if i + 1 < count else 0
        for k in range(inner):
            text += f"%v{k + 1} = call @f{i + 1}(%v{k}) : ({VECTOR}) -> {VECTOR}\n"
        text += f"return %v{inner} : {VECTOR}\n}}\n"
    return text


def composites(count):
    text = calls(count, 2)
    return re.sub(r"= call @(f\d+)\((%\w+)\)", r'= stablehlo.composite "a.b" \2 {decomposition = @\1}', text)


def aliases(count, parts):
    text = "#a0 = [1]\n"
    for i in range(1, count):
        text += f"#a{i} = [{', '.join([f'#a{i - 1}'] * parts)}]\n"
    return text + f'module attributes {{sdy.a = #a{count - 1}}} {{\n{IDENTITY}}}\n'


def locations(count):
    """Returns an operation whose location is nested call sites, written by aliases."""
    text = '#l0 = loc("a.py":1:2)\n'
    for i in range(1, count):
        text += f"#l{i} = loc(callsite(#l0 at #l{i - 1}))\n"
    return text + IDENTITY.replace("return %x", f"%y = stablehlo.cosine %x : {VECTOR} loc(#l{count - 1})\nreturn %y")


def nested(opening, closing, times, around=("", "")):
    return around[0] + opening * times + around[1] + closing * times


DEEP = "nests? deeper than the limit"
LOCATION = (IDENTITY.replace(f"return %x : {VECTOR}\n}}\n", f"return %x : {VECTOR} loc("), '"b"')


def check_depth():
    for name, text in {
        "modules": nested("module {", "}", 5000),
        "branches": ifs(3000),
        "attributes": nested("[", "]", 7500, ("module attributes {sdy.a = ", "")) + "} {}",
        "types": nested("tuple<", ">", 7500, ("func.func private @f(", "i1")) + ")",
        "call sites": nested('callsite("a" at ', ")", 7500, LOCATION) + ")}",
        "fused locations": nested('fused["a", ', "]", 7500, LOCATION) + ")}",
        "named locations": nested('"a"(', ")", 7500, LOCATION) + ")}",
        "aliases": aliases(7500, 1),
        "signs": f"module attributes {{sdy.a = affine_map<(d0) -> ({'-' * 500000}d0)>}} {{}}",
        "sums": f"module attributes {{sdy.a = affine_map<(d0) -> ({'d0+' * 100000}d0)>}} {{}}",
    }.items():
        file = write("deep.mlir", text)
        refused(f"deep {name}", DEEP, [oracle.TOOL, "partition", file])
        refused(f"deep {name}, from stdin", DEEP, [oracle.TOOL, "run", "-"], text.encode())
        refused(f"deep {name}, opt", DEEP, [oracle.OPT, file])
    file = write("deep.mlir", ifs(3000))
    for flags in (["explain"], ["convert", "--to=portable"], ["run", "--random=1"]):
        refused(f"deep, {flags[0]}", DEEP, [oracle.TOOL, *flags, file])
    refused("deep, reduce", DEEP, [os.path.join(BIN, "shardwright-reduce"), file])
    refused("too many aliases in an alias", "more than 1048576 tokens", [oracle.TOOL, "partition", "-"], aliases(60, 2).encode())
    rank = lambda n: IDENTITY.replace("8x", "1x" * n).encode()
    for n in (1025, 100000):
        refused(f"rank {n}", "at most 1024 dimensions", [oracle.TOOL, "partition", "-"], rank(n))
    passes("rank 1024", [oracle.TOOL, "partition", "-"], rank(1024))
    machine = write("deep.json", nested('{"a":', "}", 20000, ("", "1")))
    refused("deep JSON", "deep.json:1: the JSON nests deeper than the limit: at most 100 brackets",
            [oracle.TOOL, "partition", "-", f"--machine={machine}"], IDENTITY.encode())  # fmt: skip


def check_at_limits():
    # The operations of a function's body are at nesting level 2.
    sharded = 'sdy.mesh @m = <["x"=2]>\n'
    on_mesh = lambda text: sharded + text.replace(f"%x: {VECTOR}", f'%x: {VECTOR} {{sdy.sharding = #sdy.sharding<@m, [{{"x"}}]>}}', 1)
    for name, make in (("branches", ifs), ("loops", loops)):
        file = write("limit.mlir", on_mesh(make(126)))
        for stage in ("import", "propagate", "reshard", "local"):
            passes(f"126 {name}, {stage}", [oracle.TOOL, "partition", file, f"--stop-after={stage}"])
        passes(f"126 {name}, run", [oracle.TOOL, "run", file, "--random=1"])
        passes(f"126 {name}, explain", [oracle.TOOL, "explain", file])
        passes(f"126 {name}, opt", [oracle.OPT, "--sdy-propagation-pipeline", "--canonicalize", "--cse", file])
        refused(f"127 {name}", "within 128 others, at most 127", [oracle.TOOL, "partition", "-"], make(127).encode())
        for form, extension in (("bytecode", "mlirbc"), ("portable", "vhlo")):
            kept = path(f"limit.{extension}")
            passes(f"126 {name}, to {form}", [oracle.TOOL, "convert", file, f"--to={form}", "-o", kept])
            passes(f"126 {name}, from {form}", [oracle.TOOL, "run", kept, "--random=1"])
    for depth in (2000, 4090):
        file = write("limit.mlir", aliases(depth, 1))
        passes(f"{depth} aliases", [oracle.OPT, file, "-o", path("printed.mlir")])
    file = write("limit.mlir", locations(2045))
    passes("2045 call sites, run", [oracle.TOOL, "run", file, "--random=1"])
    passes("2045 call sites, printed", [oracle.TOOL, "partition", file, "-o", path("printed.mlir")])
    passes("2045 call sites, read again", [oracle.TOOL, "partition", path("printed.mlir")])
    refused("2050 call sites", "more than 4096 brackets", [oracle.TOOL, "partition", "-"], locations(2050).encode())
    # 255 branches are 511 brackets: shardwright-opt parses and prints them.
    file, bytecode = write("deep.mlir", ifs(255)), path("deep.mlirbc")
    passes("255 branches as bytecode", [oracle.OPT, "--emit-bytecode", file, "-o", bytecode])
    refused("255 branches from bytecode", "within 128 others, at most 127", [oracle.TOOL, "run", bytecode])
    refused("255 branches from bytecode, opt", "nests deeper, or has more dimensions, than the limits allow", [oracle.OPT, bytecode])


def check_growth():
    start = "grows beyond the limit when its calls are inlined: up to '@f\\d+' there are more than 4194304 operations"
    for name, text in (("calls", calls(40, 2)), ("composites", composites(40))):
        refused(f"40 functions, 2 {name} each", start, [oracle.TOOL, "partition", "-"], text.encode())
    for flag in ("-sw-partition", "-sdy-propagation-pipeline"):
        done = process([oracle.OPT, flag, write("twice.mlir", calls(40, 2))])
        tally.check(f"40 functions, {flag}", done.returncode == 1 and re.search(start, done.stderr), done.stderr[-2000:])
    refused("10,000 functions", "begins a chain of 1001 calls, at most 1000", [oracle.TOOL, "run", "-"], calls(10000, 1).encode())
    passes("1,000 functions", [oracle.TOOL, "run", write("calls.mlir", calls(1000, 1)), "--random=1"])
    passes("12 functions, 2 calls each", [oracle.TOOL, "run", write("calls.mlir", calls(12, 2)), "--random=1"])


def check_terminal():
    program = (b'sdy.mesh @mesh = <["x"=2]>\nfunc.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, '
               b'[{"x"}]>} loc("na\\1B[31mme\\FF")) -> (tensor<8xf32> {jax.result_info = "re\\FFsult\\07"}) {\n'
               b'%r = stablehlo.cosine %x : tensor<8xf32> loc("f\\1B]0;x\\07\\FF.py":3:4)\nreturn %r : tensor<8xf32>\n}\n')  # fmt: skip
    file = write("names.mlir", program)
    control = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
    commands = {
        "report": ["run", file, "--random=1"],
        "statistics": ["run", file, "--random=1", "--report=json"],
        "explain": ["explain", file],
        "explain, JSON": ["explain", file, "--json"],
        "collectives": ["explain", file, "--collectives", "--json"],
        "remarks": ["partition", file, "--remarks=all"],
        "trace": ["run", file, "--random=1", f"--trace={path('trace.json')}"],
        "a budget": ["run", file, "--random=1", "--fail-on=peak>1B"],
    }
    for case, command in commands.items():
        done = process([oracle.TOOL, *command])
        said = done.stdout + done.stderr.encode(errors="surrogateescape")
        tally.check(f"terminal, {case}", done.returncode in (0, 1) and not control.search(said),
                    f"exit code {done.returncode}\n{said!r}")  # fmt: skip
        if "json" in command[-1]:
            text = done.stdout
            if "trace" in case:
                with open(path("trace.json")) as trace:
                    text = trace.read()
            try:
                valid = json.loads(text) is not None
            except ValueError:
                valid = False
            tally.check(f"terminal, {case}: JSON", valid, f"exit code {done.returncode}\n{text!r}\n{done.stderr}")
    for case, text in (
        ("an error's name", program.replace(b"@mesh, [", b'@mesh, [{"q"},')),
        ("an error's line", b"\x1b[2Jmodule \xff {"),
        ("an error's text", b'"\\1B[31mx.y"() : () -> ()'),
    ):
        done = process([oracle.TOOL, "partition", write("bad\x1b[1m.mlir", text)])
        said = done.stderr.encode(errors="surrogateescape")
        tally.check(f"terminal, {case}", done.returncode == 2 and not control.search(said), repr(said))
    for flags in (["sharding", "{\x1b[1m}"], ["rule", "\x1b[1m"], ["\x1b[1m"], ["run", "\x1b[1m"]):
        done = process([oracle.TOOL, *flags])
        tally.check(f"terminal, {flags}", done.returncode == 2 and "\x1b" not in done.stderr, repr(done.stderr))


def check_flags():
    file = write("identity.mlir", IDENTITY)
    for seconds in ("nan", "inf", "1e10", "0", "-1", "0.0001", "x"):
        refused(f"--progress={seconds}", "--progress: expected seconds from 0.001 to 86400", [oracle.TOOL, "run", file, f"--progress={seconds}"])
    for flags in (["partition", file], ["run", file, "--random=1"], ["run", file, "--random=1", "--stats=json"],
                  ["explain", file], ["convert", file, "--to=text"], ["sharding", "{replicated}"], ["rule", "i->i", "--operands=4xf32", "--results=4xf32"],
                  ["--help"], ["--version"], ["partition", file, "--stop-after=list"]):  # fmt: skip
        with open("/dev/full", "wb") as full:
            done = process([oracle.TOOL, *flags], stdout=full)
        tally.check(f"{flags} > /dev/full", done.returncode == 2 and done.stderr.count("error: ") == 1
                    and "error: cannot write standard output: " in done.stderr,
                    f"exit code {done.returncode}\n{done.stderr}")  # fmt: skip
    with open("/dev/full", "wb") as full:
        done = process([oracle.OPT, file], stdout=full)
    tally.check("opt > /dev/full", done.returncode == 2 and "error: cannot write '-'" in done.stderr, done.stderr)


class Zeros:
    """A .npy file of zeros as a file object, without its bytes in memory."""

    def __init__(self, shape, dtype="<f4"):
        self.header = np.lib.format.magic(1, 0)
        text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        self.header += len(text).to_bytes(2, "little") + text.encode()
        self.bytes = int(np.prod([int(n) for n in shape], dtype=object)) * 4

    def add(self, archive, name):
        with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
            member.write(self.header)
            for at in range(0, self.bytes, 16 * MIB):
                member.write(bytes(min(16 * MIB, self.bytes - at)))


def check_arrays():
    """Deflated archive members that are a thousand times as large as the file."""
    file = write("identity.mlir", IDENTITY)
    huge, extra = path("huge.npz"), path("extra.npz")
    with zipfile.ZipFile(huge, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        Zeros((512 * MIB // 4,)).add(archive, "arg0.npy")
    with zipfile.ZipFile(extra, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        Zeros((512 * MIB // 4,)).add(archive, "unused.npy")
        Zeros((8,)).add(archive, "arg0.npy")

    def peak(flags):
        code = "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True); " \
               "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.stderr.decode())"  # fmt: skip
        done = process([sys.executable, "-c", code, oracle.TOOL, "run", file, *flags])
        code, kib, stderr = done.stdout.decode().split(" ", 2)
        return int(code), int(kib) // 1024, stderr

    base = peak(["--random=1"])[1]
    for case, flags, code, text in (
        ("a wrong shape", [huge], 2, r"huge.npz: arg0 .*is f32\[134217728\], but the program has f32\[8\]"),
        ("an unused member", [extra], 0, ""),
        ("an expected result", [extra, f"--expect={huge}"], 2, "no array 'out0'"),
    ):
        found, mib, stderr = peak(flags)
        tally.check(f"npz, {case}", found == code and re.search(text, stderr) and mib < base + 256,
                    f"exit code {found}, {mib} MiB, without it {base} MiB\n{stderr}")  # fmt: skip


def check_language_server():
    """The server still answers after documents that nest deeply."""
    def message(method, params, number=None):
        body = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            body["id"] = number
        return body

    def serve(*documents):
        messages = [message("initialize", {"processId": None, "capabilities": {}, "rootUri": None}, 1)]
        for i, text in enumerate(documents):
            document = {"uri": f"file:///{i}.mlir", "languageId": "mlir", "version": 1, "text": text}
            messages.append(message("textDocument/didOpen", {"textDocument": document}))
        messages += [message("shutdown", None, 2), message("exit", None)]
        sent = b""
        for body in messages:
            data = json.dumps(body).encode()
            sent += b"Content-Length: %d\r\n\r\n%s" % (len(data), data)
        return subprocess.run([LSP], input=sent, capture_output=True, timeout=60)

    done = serve("module {" * 20000, "module {" * 5000 + "}" * 5000, ifs(3000),
                 nested("[", "]", 50000, ("module attributes {sdy.a = ", "")) + "} {}", IDENTITY)  # fmt: skip
    tally.check("language server", done.returncode == 0 and b'"id":2' in done.stdout and b"4.mlir" in done.stdout,
                f"exit code {done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-500:]}")  # fmt: skip


check_depth()
check_at_limits()
check_growth()
check_terminal()
check_flags()
check_arrays()
check_language_server()
folder.cleanup()
tally.finish()
