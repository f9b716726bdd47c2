#===- hlo_programs.py - whole programs as HLO protos -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What is read of HLO protos, compared with jaxlib:

- Every opcode of jaxlib is known.
- The protos in test/interop/hlo are those that jaxlib makes of the HLO text beside them. They give the
  same results as the StableHLO into which jaxlib itself converts them, as XLA's CPU client or as numpy.
- Programs of PyTorch/XLA, of the examples, of the lit tests, of JAX and random ones, converted into
  protos by jaxlib, give the same results on many devices as the programs themselves; arguments and
  results have the same shardings and aliases.

--write makes the protos in test/interop/hlo anew."""

import sys

import oracle

WRITES = "--write" in sys.argv
sys.argv = [argument for argument in sys.argv if argument != "--write"]
args = oracle.arguments(__doc__, cases=90, long_cases=1500)

import glob
import os
import random
import re
import subprocess
import tempfile

import numpy as np
from jaxlib import _hlo
from jaxlib._jax import mlir as converter

import jax_corpus
import partition_programs
from child import Child
from ops.engines import Xla

DEVICES = ("--devices", "8")
TEXTS = os.path.join(oracle.ROOT, "test", "interop", "hlo")


def tool(*command):
    return subprocess.run([oracle.TOOL, *command], capture_output=True, text=True, errors="replace")


def write(path, content):
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return path


# --- opcodes ------------------------------------------------------------------------------


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def one_instruction(opcode):
    """A module with one instruction of type f32[]."""
    instruction = field(1, "i") + field(2, opcode) + field(3, field(2, 11)) + field(35, 1)
    computation = field(1, "main") + field(2, instruction) + field(5, 1) + field(6, 1)
    return field(1, "m") + field(3, computation) + field(6, 1)


# Names that are not those of the enumeration.
SPELLED = {
    "Clz": "count-leading-zeros", "Cos": "cosine", "Exp": "exponential", "Expm1": "exponential-minus-one",
    "Log1p": "log-plus-one", "OptimizationBarrier": "opt-barrier", "PopulationCount": "popcnt", "Sin": "sine",
    "TopK": "topk",
}  # fmt: skip


def opcode_name(member):
    name = member[1:]
    return SPELLED.get(name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def check_opcodes(tally, folder):
    path = os.path.join(folder, "m.pb")
    members = [m for m in dir(_hlo.HloOpcode) if re.match(r"k[A-Z]", m)]
    tally.check("jaxlib lists its opcodes", len(members) > 120, str(members))
    for member in members:
        name = opcode_name(member)
        stderr = tool("convert", write(path, one_instruction(name)), "--to=text").stderr
        tally.check(f"opcode {name}", "no such opcode" not in stderr, stderr)
    stderr = tool("convert", write(path, one_instruction("additive")), "--to=text").stderr
    tally.check("an unknown opcode", "the opcode is unknown" in stderr, stderr)


# --- HLO text -----------------------------------------------------------------------------


def text_to_proto(text):
    proto = _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    return proto


def proto_to_stablehlo(proto):
    return converter.xla_computation_to_mlir_module(_hlo.XlaComputation(proto))


def check_texts(tally, folder):
    to_text = Child(proto_to_stablehlo)
    for path in sorted(glob.glob(os.path.join(TEXTS, "*.hlo"))):
        name = os.path.basename(path)
        with open(path) as file:
            kind, proto = Child(text_to_proto).ask(file.read())  # a new process: modules are numbered
        if not tally.check(f"{name} parses", kind == "ok", str(proto)):
            continue
        with open(path[:-4] + ".pb", "rb") as file:
            tally.check(f"{name} and its proto", file.read() == proto, "make the proto anew: hlo_programs.py --write")
        kind, text = to_text.ask(proto)
        if name[:-4] in REFERENCES:
            check_values(tally, name, folder, proto, REFERENCES[name[:-4]])
        elif kind == "ok" and "mhlo." not in re.sub(r"mhlo\.(?=[a-z_]* =)", "", text):
            compare(tally, name, folder, text, proto, signature=False)
        elif kind == "ok":  # ops that StableHLO does not have
            check_values(tally, name, folder, proto, lambda *arrays: run_on_xla(text, arrays))
        else:
            tally.skip(name, "jaxlib does not convert it")


# --- values of HLO text --------------------------------------------------------------------


def bitcast(x, y):
    """The elements in the order of the operand's layout, taken in the order of the result's."""
    flat = y.transpose(0, 2, 1).reshape(-1)
    return [x.T, x.view(np.uint32), flat.reshape(4, 6).T]


def smallest(x):
    indices = np.argsort(x, axis=-1, kind="stable")[:, :2]
    return [np.take_along_axis(x, indices, axis=-1), indices.astype(np.int32)]


# Programs that XLA does not run.
REFERENCES = {
    "bitcast": bitcast,
    "smallest": smallest,
    "mulhi": lambda i, j: [((i.astype(np.int64) * j) >> 32).astype(np.int32)],
}


def run_on_xla(text, arrays):
    xla = Xla()
    xla.send(text, list(arrays))
    answer = xla.receive()
    xla.stop()
    return answer


def random_array(shape, element, draw):
    if element == "i32" and len(shape) == 1 and shape[0] > 8:
        return draw.integers(-(2**31), 2**31, shape, np.int32)
    if element in ("i1", "i32", "ui64"):
        return draw.integers(0, 2, shape).astype({"i1": bool, "i32": np.int32, "ui64": np.uint64}[element])
    return draw.standard_normal(shape).astype(np.float32)


def check_values(tally, name, folder, proto, reference):
    """Runs the proto on random arguments, and compares with what `reference` computes."""
    path = write(os.path.join(folder, "values.pb"), proto)
    found = re.search(r"@main\((.*?)\) ->", tool("convert", path, "--to=text").stdout)
    draw, arrays = np.random.default_rng(args.seed), []
    for text in re.findall(r"%arg\d+: tensor<([^>]*)>", found[1] if found else ""):
        *dims, element = text.split("x")
        arrays.append(random_array([int(d) for d in dims], element, draw))
    expected = reference(*arrays)
    if isinstance(expected, Exception):
        tally.skip(name, f"XLA does not run it: {str(expected).splitlines()[0][:150]}")
        return
    given, wanted = os.path.join(folder, "a.npz"), os.path.join(folder, "o.npz")
    np.savez(given, **{f"arg{i}": x for i, x in enumerate(arrays)})
    bits = lambda x: x.view(np.uint16) if x.dtype.name == "bfloat16" else x
    np.savez(wanted, **{f"out{i}": bits(np.asarray(x)) for i, x in enumerate(expected)})
    run = tool("run", path, given, "--expect", wanted, "--rtol", "1e-4", "--atol", "1e-5")
    tally.check(name, run.returncode == 0, f"{run.stderr}\n{run.stdout[:2000]}")


def write_protos():
    for path in sorted(glob.glob(os.path.join(TEXTS, "*.hlo"))):
        with open(path) as file:
            kind, proto = Child(text_to_proto).ask(file.read())
        write(path[:-4] + ".pb", proto) if kind == "ok" else print(path, kind, proto)


# --- programs -----------------------------------------------------------------------------


def to_proto(request):
    text, tuple_arguments, tuple_results = request
    made = converter.mlir_module_to_xla_computation(
        text, use_tuple_args=tuple_arguments, return_tuple=tuple_results
    )
    return made.as_serialized_hlo_module_proto()


def signature(path, devices):
    """The types, shardings, aliases and donations of @main, in sdy's notation."""
    done = tool("convert", path, "--to=sdy", *devices)
    found = re.search(r"func\.func (?:public )?@main\((.*)\{$", done.stdout, re.M)
    if not found:
        return done.stderr
    text = re.sub(r"(jax\.result_info|jax\.arg_info|mhlo\.layout_mode|mhlo\.memory_kind) = \"[^\"]*\"(, )?", "", found[1])
    text = re.sub(r'mhlo\.frontend_attributes = \{[^}]*\}(, )?|jax\.global_constant = "[^"]*"(, )?', "", text)
    text = text.replace(" {jax.token = true}", "")
    return re.sub(r", \}", "}", text).replace(" {}", "").replace("(", "").replace(")", "")


def compare(tally, label, folder, text, proto, signature=True):
    """Runs both forms of a program on random arguments."""
    counts = [int((re.search(rf"mhlo\.num_{what} = (\d+)", text) or [0, 1])[1]) for what in ("replicas", "partitions")]
    if counts != [1, 1]:  # a HloModuleProtoWithConfig
        proto = field(1, proto) + field(2, field(4, counts[0]) + field(5, counts[1]))
    direct, read = write(os.path.join(folder, "direct.mlir"), text), write(os.path.join(folder, "read.pb"), proto)
    expected = os.path.join(folder, "expected.npz")
    devices = () if "sdy.mesh" in text else DEVICES
    run = tool("run", direct, "--random", "1", *devices, "--out", expected)
    if run.returncode != 0:
        done = tool("convert", read, "--to=text")
        tally.check(f"{label} (only read)", done.returncode == 0, f"{done.stderr}\n{text[:3000]}")
        return
    # jaxlib folds constants, and expands functions otherwise.
    bounds = ("3e-2", "1e-2") if re.search(r"bf16|f16>|f8E", text) else ("1e-4", "1e-5")
    run = tool("run", read, "--random", "1", *devices, "--expect", expected, "--rtol", bounds[0], "--atol", bounds[1])
    tally.check(label, run.returncode == 0, f"{run.stderr}\n{run.stdout[-500:]}\n{text[:3000]}")
    # Ours does not flatten tuples before the import; jaxlib leaves one mesh of several.
    if signature and "tuple<" not in text and text.count("sdy.mesh @") < 2:
        tally.equal(f"{label}: signature", main_signature(direct, devices), main_signature(read, devices), text[:3000])


main_signature = signature


def is_kept(text):
    """False for programs that jaxlib changes when it converts them: it drops groups of shardings without a
    mesh and attributes of calls that XLA does not know, writes sizes without a bound where ours computes
    them from constants, and drops reductions of no dimension with their initial values."""
    if "sdy.sharding_group" in text and "sdy.mesh" not in text or "indices_of_shape_operands" in text:
        return False
    return not re.search(r"tensor<(\d+x)*\?", text) and "across dimensions = []" not in text


def lit_programs():
    parts = []
    for path in sorted(glob.glob(os.path.join(oracle.ROOT, "test", "*", "*.mlir"))):
        with open(path, errors="replace") as file:
            modules = re.split(r"^// -----.*$", file.read(), flags=re.M)
        for i, module in enumerate(modules):
            if "@main" in module and "expected-error" not in module:
                parts.append((f"{os.path.relpath(path, oracle.ROOT)} part {i}", module))
    random.Random(args.seed).shuffle(parts)
    yield from parts


def random_programs():
    """Random programs with shardings of sdy (partition.py)."""
    seed = args.seed
    while True:
        rng = random.Random(seed)
        rng.seed_value = seed
        yield f"random program {seed}", partition_programs.random_program(rng).text(sharded=True)
        seed += 1


def programs():
    """Yields (name, text): those of PyTorch/XLA and the examples, then lit tests, JAX and random ones in turn."""
    for path in sorted(glob.glob(os.path.join(oracle.ROOT, "test", "end_to_end", "Inputs", "torch_xla", "*.mlir"))):
        with open(path) as file:
            yield f"torch_xla/{os.path.basename(path)}", file.read()
    for name in oracle.EXAMPLES:
        with open(oracle.example(name)) as file:
            yield f"examples/{name}", file.read()
    sources = [lit_programs(), jax_corpus.programs(args.seed), random_programs()]
    while True:
        yield from [program for program in (next(source, None) for source in sources) if program]


def main():
    if WRITES:
        return write_protos()
    tally = oracle.Tally("hlo_programs", show=6)
    child, refused = Child(to_proto), 0
    with tempfile.TemporaryDirectory() as folder:
        check_opcodes(tally, folder)
        check_texts(tally, folder)
        for number, (name, text) in enumerate(programs()):
            if number >= args.cases:
                break
            if not is_kept(text):
                continue
            # With a tuple as argument, jaxlib writes no sdy shardings of arguments.
            kind, proto = child.ask((text, number % 3 == 0 and "sdy." not in text, number % 2 == 0))
            if kind == "ok":
                compare(tally, name, folder, text, proto)
            else:
                refused += 1
    print(f"jaxlib does not convert {refused} programs")
    tally.finish()


if __name__ == "__main__":
    main()
