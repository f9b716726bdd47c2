#===- frontend_programs.py - the C++ front end against JAX ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded programs over the primitives of the C++ front end, with nested functions and meshes, written once
(frontend/generator.py) and run twice: by frontend_server (C++) and by JAX. Compared for each program: the text of
its jaxpr and of those of its jvp, its gradient and its batched form, its types, and its module. For one of --every-value
programs also the values of these, the shardings of the results, and what XLA computes from the module. --coverage prints
how often each primitive was in a jaxpr, and fails if one of the front end was in none of 600 programs or more."""

# Feature: sdy-lowering, lowered
import argparse
import collections
import json
import os
import re
import subprocess
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np

from jaxlib import xla_client
from jaxlib._jax import DeviceList

import oracle
from frontend import module_text, module_values
from frontend.generator import ModelProgram, Program
from frontend.jax_ops import OTHER_JAXPR
from frontend.jaxpr_text import jaxpr_difference
from frontend.model_ops import SHAPES
from frontend.program import leaves_of, transformed

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--every-value", type=int, default=5, metavar="N", help="compare values of one of N programs (5)")
parser.add_argument("--coverage", action="store_true", help="print how often each primitive occurred")
args = oracle.arguments(__doc__, cases=60, long_cases=2000, parser=parser)
BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")
TEXTS = ["jaxpr:", "types:", "jaxpr:vmap", "jaxpr:jvp", "jaxpr:vjp", "module:"]
VALUES = ["values:", "values:vmap", "values:jvp", "values:vjp", "shardings:"]


def as_map(f, count):
    """The function with maps for its arguments and results."""
    names = "abcdefgh"
    return lambda a: dict(zip(names, f(*[a[names[i]] for i in range(count)])))


def or_error(compute):
    try:
        return compute()
    except Exception as error:  # The text of JAX's error is what is compared.
        return f"{type(error).__name__}: {error}"


def floats_of(outs):
    """As frontend_server's asFloats."""
    out = []
    for y in outs:
        if jnp.issubdtype(y.dtype, jax.dtypes.prng_key):
            y = jax.random.key_data(y)
        y = np.asarray(y)
        if np.iscomplexobj(y):
            y = np.stack([y.real, y.imag], -1)
        out.append(np.asarray(y, np.float32).ravel())
    return out


def type_text(aval):
    return aval.str_short(True) + ("*" if getattr(aval, "weak_type", False) else "")


def trimmed(spec):
    """A spec without trailing dimensions that are not sharded."""
    spec = re.sub(r"(, None)+\)$", ")", spec.replace("PartitionSpec", "P").replace(",)", ")"))
    return "P()" if spec == "P(None)" else spec


class Theirs:
    """JAX's answers to the fields of frontend_server."""

    def __init__(self, program):
        self.program = program

    def __call__(self, field):
        kind, names = field.partition(":")[0], leaves_of(field)
        p = self.program
        with p.context():
            return or_error(lambda: getattr(self, kind)(names))

    def function(self, names):
        """The function and its arguments."""
        p = self.program
        f = transformed(p.function(), names)
        return f, p.batches if "vmap" in names else p.placed()

    def jaxpr(self, names):
        f, ins = self.function(names)
        return str(jax.make_jaxpr(f)(*ins))

    def types(self, names):
        f, ins = self.function(names)
        return " ".join(type_text(a) for a in jax.make_jaxpr(f)(*ins).out_avals)

    def values(self, names):
        f, ins = self.function(names)
        return floats_of(jax.jit(f)(*ins))

    def eager(self, names):
        f, ins = self.function(names)
        return floats_of(f(*ins))

    def shardings(self, names):
        f, ins = self.function(names)
        specs = []
        for y in jax.jit(f)(*ins):
            named = isinstance(y.sharding, jax.sharding.NamedSharding)
            specs.append(trimmed(str(y.sharding.spec)) if named else "-")
        return " ".join(specs)

    def module(self, names):
        p = self.program
        f, ins = self.function(names)
        f.__name__ = "f"
        if p.is_map:
            g = as_map(f, len(ins))

            def f(a):
                return g(a)
            return jax.jit(f).lower(dict(zip("abcdefgh", ins))).as_text()

        def f_of_list(a):
            return f(*a)
        f_of_list.__name__ = "f"
        return jax.jit(f_of_list).lower(ins).as_text()



def is_refused(ours, theirs):
    """Whether both refuse a program for one of two reasons that it has: which is found first differs."""
    return ("closed-over value" in ours and theirs.startswith(("ValueError: Pure callbacks", "UnexpectedTracerError"))
            or ("must have equal output types" in ours and "must have the same shardings" in theirs))


def is_defect(field, theirs, program):
    """Whether JAX refuses, because its rules do not shard all that they make: the positions that the derivative of a
    sort follows; the rows of an unrolled scan that is batched; masks of reductions."""
    texts = ("Arguments to sort must have equal", "dynamic_update_slice operand", "select `which` must be scalar")
    return (program.is_explicit() and isinstance(theirs, str)
            and theirs.startswith(tuple("ShardingTypeError: " + t for t in texts)))


def is_strict(field, ours, program):
    """Whether the front end refuses a loop whose carry is sharded on one side and a value without a mesh on the other
    (batches are not placed), whose types JAX does not compare."""
    return (program.is_explicit() and "vmap" in field and isinstance(ours, str)
            and "carry input and carry output must have equal types" in ours)


def is_unstable(field, answers, theirs):
    """Whether JAX's values change as much for arguments that differ in their last bits: rounding decides the order of
    equal elements, and the eigenvectors of equal eigenvalues."""
    p = answers.program
    before = p.ins, p.batches
    nudged = lambda x: np.nextafter(x, np.inf, dtype=x.dtype) if x.dtype == np.float32 else x
    p.ins, p.batches = [nudged(nudged(x)) for x in p.ins], [nudged(nudged(x)) for x in p.batches]
    try:
        return differs(field, answers(field), theirs, p) is not None
    finally:
        p.ins, p.batches = before


def on_one_device(field, program):
    """JAX's answer on a mesh of one device."""
    mesh = program.mesh
    sizes, names, types = mesh
    program.mesh = tuple(1 for _ in sizes), names, types
    try:
        return Theirs(program)(field)
    finally:
        program.mesh = mesh


def differs(field, ours, theirs, program):
    """What differs between two answers, or None."""
    kind = field.partition(":")[0]
    if isinstance(ours, str) and isinstance(theirs, str):
        if kind == "shardings":
            ours = " ".join(trimmed(s) for s in re.findall(r"P\([^P]*\)|-", ours))
        if kind == "module" and "func.func" in theirs and "func.func" in ours:
            # JAX's rules for Explicit axes constrain more values than ours.
            constraints = not program.is_explicit()
            if not has_equal_operations(program, operations(program)):
                return module_text.difference(ours, theirs, constraints)
            # Equal expressions have equal annotations; those of values that nothing uses do not count.
            return (module_text.difference(ours, theirs, constraints=False)
                    or module_values.difference(ours, theirs, constraints))
        if kind == "values":  # Errors of functions without such a derivative.
            same = ours.split(":")[0] == theirs.split(":")[0] or is_refused(ours, theirs)
            return None if same else f"{ours}\nJAX: {theirs}"
        problem = jaxpr_difference(ours, theirs)
        # JAX's gathers in derivatives of sorts take windows of size 1 from dimensions without elements.
        is_empty_sort = operations(program) & SORTS and re.search(r"[\[,]0[,\]]", theirs)
        return None if is_empty_sort and leaves_of(field) else problem
    if isinstance(ours, str) or isinstance(theirs, str):
        return f"ours: {ours}\nJAX: {theirs}"
    if len(ours) != len(theirs):
        return f"{len(ours)} results, JAX has {len(theirs)}"
    for a, b in zip(ours, theirs):
        a, b = np.float32(a), b.ravel()
        if a.shape != b.shape:
            return f"{a.size} elements, JAX has {b.size}"
        finite = b[np.isfinite(b)]
        scale = max(1.0, float(np.abs(finite).max())) if finite.size else 1.0
        if not np.allclose(a, b, rtol=5e-4, atol=5e-5 * scale, equal_nan=True):
            return f"{a}\nJAX: {b}"
    return None


def run_by_xla(text, program):
    """What XLA computes from a module for the program's arguments, on one device."""
    device = jax.devices()[0]
    executable = device.client.compile_and_load(text, DeviceList((device,)), xla_client.CompileOptions())
    used = range(len(program.ins))
    count = len(re.findall(r"%arg\d+: tensor", re.search(r"@main\((.*)", text)[1]))
    if count < len(program.ins):
        lowered = jax.jit(program.function()).lower(*program.ins)
        used = sorted(lowered._lowering.compile_args["kept_var_idx"])
    results = executable.execute_sharded([jax.device_put(program.ins[i], device) for i in used])
    return floats_of([parts[0] for parts in results.disassemble_into_single_device_arrays()])


class Server:
    """A frontend_server, started again when it ends."""

    def __init__(self):
        self.start()

    def start(self):
        self.process = subprocess.Popen([os.path.join(BUILD, "bin", "frontend_server")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def send(self, lines):
        self.process.stdin.write("\n".join(lines) + "\n")
        self.process.stdin.flush()

    def receive(self):
        """The answer, or None if the server ended."""
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        self.start()
        return None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def operations(program):
    """The names of all steps of a program."""
    names, open_blocks = set(), [program.block]
    while open_blocks:
        for s in open_blocks.pop().steps:
            names.add(s.name)
            open_blocks += s.blocks
    return names


def primitives_in(jaxpr, found):
    for eqn in jaxpr.eqns:
        found[eqn.primitive.name] += 1
        for inner in jax.core.jaxprs_in_params(eqn.params):
            primitives_in(inner, found)


# Derivatives of these are the same functions by other equations.
OWN_RULES = set("""qr lu lu_permutation svd svd_values eigh cholesky triangular_solve reduce ragged_dot
    ragged_dot_general""".split())
INSIDE = set("grad vjp jvp linearize custom_jvp custom_vjp vmap window_tangent window_cotangent".split())
# A gather of JAX's takes windows of size 1 from dimensions of size 0.
SORTS = set("sort sort_pair top_k".split())
# JAX's modules write these by other operations: seeds of keys by shifts of 32 bits that are zero, rounds of keys by a
# loop, positions that a gather clips, the check of a factorization's status.
OTHER_OPERATIONS = OTHER_JAXPR | OWN_RULES | set("""key_seed threefry2x32 add_each take_each rows take_rows
    scatter_rows fft rfft irfft cumlogsumexp lu_pivots_to_permutation window_cotangent window_tangent""".split())


def steps_of(block):
    """All steps of a block, those of its functions included."""
    for s in block.steps:
        yield s
        for inner in s.blocks:
            yield from steps_of(inner)


def is_nested(program):
    """Whether a function contains another."""
    return any(t.blocks for s in program.block.steps for b in s.blocks for t in steps_of(b))


def is_empty(program):
    """Whether a value has no elements, as far as the text of the program says."""
    return any(0 in x.shape for x in program.ins) or any(
        "0" in str(s.keys.get(k, "")).split(",") for s in steps_of(program.block) for k in ("limit", "sizes"))


def has_equal_text(program, names, field):
    """Whether the jaxprs of both are compared: all but those that are known to be written otherwise."""
    transforms = leaves_of(field)
    is_derivative = "jvp" in transforms or "vjp" in transforms or bool(names & (INSIDE - {"vmap"}))
    # Of functions that are programs of their own in JAX, values are compared.
    if names & {"key_uniform", "key_normal"}:
        return False
    if is_derivative and (names & OWN_RULES or is_empty(program) and names & SORTS):
        return False
    if names & INSIDE and is_nested(program):
        return False
    # JAX writes the mesh into shapes of cotangents, and shards constants of derivatives.
    if program.mesh and ("vjp" in transforms or names & INSIDE):
        return False
    if program.is_explicit():
        return not transforms and not names & {"scan", "shard_map", "map"}
    # JAX passes what a loop of a branch does not differentiate twice.
    if "jvp" in transforms and is_nested(program) and names & {"while", "fori_dynamic"}:
        return False
    # JAX puts the batch dimension of a layout at its position, not in front of the others.
    if "vmap" in transforms and "layout_constraint" in names:
        return False
    # A function that is called twice is one program in JAX, which names variables that are not used.
    if transforms and ("shard_map" in names or any("times" in s.keys for s in steps_of(program.block))):
        return False
    # Functions in others, which JAX evaluates in parts; loops that compute more than is used, and branches, whose
    # scalars of Python are residuals (frontend_derivatives.py compares one of each).
    functions = [s for s in steps_of(program.block) if s.blocks]
    loops = names & {"while", "fori_dynamic", "cond", "switch"} or any("inline" in s.keys for s in functions)
    return "vjp" not in transforms or len(functions) < 2 and not loops


def has_equal_operations(program, names):
    """Whether the operations of the modules are compared, and not only arguments, results and annotations."""
    unrolled = any(int(s.keys.get("unroll", 1)) > 1 for s in steps_of(program.block))
    empty_sort = is_empty(program) and names & SORTS and names & INSIDE
    return not (names & OTHER_OPERATIONS or unrolled or empty_sort or isinstance(program, ModelProgram))


def fields_of(program, index):
    names = operations(program)
    fields = ["types:"]
    # JAX keeps no argument that only a custom call takes and does not use, and hands the sizes of axes from the known
    # half of a shard_map to the linear one.
    if not names & {"custom_jvp", "custom_vjp"} and not names >= {"linearize", "shard_map"}:
        fields.append("module:")
    if not names & OTHER_JAXPR:
        fields += [f for f in TEXTS if f.startswith("jaxpr") and has_equal_text(program, names, f)]
    # XLA aborts in its partitioner on some shard_maps with constraints around: frontend_shard_map.py has their values.
    return fields + (VALUES if index % args.every_value == 0 and "shard_map" not in names else [])


def compare(server, tally, name, program, fields):
    """Asks both and compares. Returns which fields agree."""
    server.send(program.lines() + ["ask " + " ".join(fields)])
    answers = Theirs(program)
    theirs = {f: answers(f) for f in fields}
    ours = server.receive()
    if ours is None:
        tally.fail(name, "the server ended\n" + program.brief())
        return {}
    if "values:" in fields and "module:" in fields and not program.mesh and "callback" not in " ".join(operations(program)):
        ours["xla:"] = or_error(lambda: run_by_xla(ours["module:"], program))
        theirs["xla:"] = theirs["values:"]
    agreed = {}
    for field, value in theirs.items():
        problem = differs(field, ours.get(field, "missing"), value, program)
        if problem and field == "shardings:" and agreed.get("module:", not program.is_explicit()):
            problem = None  # What propagation and XLA choose for results of equal modules: propagate_jax.py compares it.
        if problem and (is_defect(field, value, program) or is_strict(field, ours.get(field), program) or field.startswith("values") and not isinstance(value, str)
                        and is_unstable(field, answers, value)):
            problem = None
        if problem and field.startswith("values") and program.mesh and not isinstance(value, str):
            # XLA partitions some convolutions, windows and scatters wrongly: JAX without jit is right, or on one device.
            problem = differs(field, ours[field], answers(field.replace("values", "eager")), program) and differs(
                field, ours[field], on_one_device(field, program), program)
        agreed[field] = problem is None
        tally.ok() if problem is None else tally.fail(f"{name} {field}", f"{problem}\n{program.brief()}")
    return agreed


def model_fields(number):
    """Text of each model; values of some of them, in the long run of all."""
    fields = ["jaxpr:", "types:", "module:"]
    return fields + (["values:", "values:vjp"] if args.long or number == args.seed % len(SHAPES) else [])


# Primitives that no program here makes: parts of others, and those of partial sums, groups and other exchanges, which
# frontend_shard_map.py and frontend_explicit.py make; tokens, foreign functions, windows of any function, and functions
# that XLA compiles for seconds, which frontend_primitives.py makes.
NOT_MADE = set("""igamma igamma_grad_a igammac random_gamma random_gamma_grad regularized_incomplete_beta after_all create_token ffi_call reduce_window custom_lin getrf debug_print all_gather_invariant
    all_gather_reduced custom_partitioning custom_vmap_call inspect_sharding pbroadcast preduced ragged_all_to_all reduced_vary_cast_p unreduced_psum unreduced_reduce_scatter
    vary_unreduced_cast_p""".split())
# So many programs make every other primitive.
COVERING = 600


def check_coverage(server, tally, found):
    """Each primitive of the front end is in the jaxpr of a program."""
    server.send(["primitives"])
    for name in sorted(set(server.receive()) - NOT_MADE):
        tally.ok() if found[name] else tally.fail(f"coverage of {name}", f"in none of {args.cases} programs")


def main():
    server = Server()
    tally = oracle.Tally("frontend_programs", show=int(os.environ.get("SHOW", 3)))
    found, counts = collections.Counter(), collections.Counter()
    for number, (name, shapes) in enumerate(SHAPES.items()):
        compare(server, tally, name, ModelProgram(name, shapes), model_fields(number))
    for index, rng in enumerate(oracle.generators(args)):
        program = Program(rng)
        agreed = compare(server, tally, rng.name, program, fields_of(program, index))
        counts.update((f, a) for f, a in agreed.items())
        if args.coverage:
            with program.context():
                primitives_in(jax.make_jaxpr(program.function())(*program.placed()).jaxpr, found)
    if args.coverage and args.cases >= COVERING:
        check_coverage(server, tally, found)
    server.close()
    if args.coverage:
        print("\n".join(f"{name:28}{count}" for name, count in sorted(found.items())))
        print("\n".join(f"{f:16}{'agree' if a else 'differ':8}{n}" for (f, a), n in sorted(counts.items())))
    tally.finish()


main()
