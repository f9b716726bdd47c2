#===- frontend_primitives.py - coverage of primitives against JAX ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""One program or more for each primitive of the C++ front end, run by frontend_server and by JAX: executed op by
op, compiled, differentiated in both modes and twice, batched, and, by frontend_mesh_server, with Explicit axes in
its types. Builds a table of primitives and of these columns from what JAX's jaxprs contain and what agreed; a
primitive of the front end without an entry in a column where JAX has one fails. --table prints the table."""

import argparse
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import ad
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.sharding import AxisType, Mesh, NamedSharding

import frontend_mesh as fm
import oracle
from frontend.case_server import CaseServer
from frontend.general_ops import ALWAYS_WHOLE, WHOLE
from frontend.jax_ops import OTHER_JAXPR, function
from frontend.jaxpr_text import jaxpr_difference
from frontend.program import is_float, pulled, pushed
from frontend.primitive_cases import CASES, ELSEWHERE, FIRST_ORDER, OWED, OWN, TRACED_ONLY, WITHOUT_ARRAYS

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--table", action="store_true", help="print the table")
parser.add_argument("--only", help="cases whose text contains this")
args = oracle.arguments(__doc__, cases=1, long_cases=1, parser=parser)
# Without --long: one in so many cases has derivatives of derivatives, and each way of sharding its arguments.
NESTED_EVERY = 20
COLUMNS = ["eager", "jit", "jvp", "vjp", "vmap", "explicit"]


def elements(operand, numbers, shape):
    if operand.dtype == "i32":
        return np.int32(numbers.integers(operand.lo, operand.hi, shape))
    x = np.float32(numbers.uniform(operand.lo, operand.hi, shape))
    return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1], dtype=np.float32) if operand.definite else x


class Program:
    """A case with its elements: the text for the server, and JAX's functions."""

    def __init__(self, case, number=0):
        self.case, self.number = case, number
        numbers = np.random.default_rng(7)
        self.ins, self.batches, self.values = [], [], []
        lines = []
        for operand in case.operands:
            if operand.literal is not None:
                self.values.append(operand)
                continue
            make = lambda shape: elements(operand, numbers, shape)
            x = make(operand.shape)
            self.ins.append(x)
            self.batches.append(np.stack([x, make(operand.shape)]))
            self.values.append(None)
            for word, array in (("in", x), ("batch", self.batches[-1])):
                lines.append(f"{word} {operand.dtype} {','.join(map(str, array.shape)) or '-'} " +
                             " ".join(repr(float(v)) for v in array.ravel()))
        # Arguments come first, then literals.
        number, literal = 0, len(self.ins)
        self.order = []
        for operand in case.operands:
            if operand.literal is None:
                self.order.append(number)
                number += 1
            else:
                lines.append(f"lit {operand.dtype} {operand.literal}")
                self.order.append(literal)
                literal += 1
        keys = "".join(f" {k}={','.join(map(str, v))}" for k, v in case.keys.items() if v)
        lines.append(f"op {case.op} {' '.join(map(str, self.order))}{keys}")
        self.first = literal
        self.error = None
        try:
            self.outs = len(jax.eval_shape(lambda *a: self.evaluate(*a), *self.ins))
        except Exception as error:  # Programs that JAX refuses.
            self.outs, self.error = 1, error
        lines.append("out " + " ".join(str(self.first + i) for i in range(self.outs)))
        self.lines = lines

    def apply(self, op, *ins):
        arguments = iter(ins)
        operands = []
        for value in self.values:
            if value is None:
                operands.append(next(arguments))
            else:
                operands.append(np.float32(value.literal) if value.dtype == "f32" else np.int32(value.literal))
        return list(op(operands, self.case.keys))

    def evaluate(self, *ins):
        return self.apply(function(self.case.op), *ins)


def text_or_arrays(f, ins):
    try:
        return fm.floats(jax.jit(f)(*ins))
    except Exception as e:  # The text of JAX's error is what is compared.
        return f"{type(e).__name__}: {e}"


# Errors of JAX where a rule is missing; and the one of them that the front end gives, too.
REFUSALS = ("NotImplementedError", "TypeError: select cases must have the same shapes", "TypeError: Error interpreting argument to reshape", "TypeError: vmap in_axes must be")
REFUSED_TOO = "non-zero tangents for initial values"


def value_of(p, transform, ins):
    """What a program computes, or its error. Where JAX has no rule, that of the same function written with other
    operations."""
    out = text_or_arrays(transform(p.evaluate), ins)
    refused = isinstance(out, str) and out.startswith(REFUSALS) and REFUSED_TOO not in out
    if p.case.op in ALWAYS_WHOLE or refused and p.case.op in WHOLE:
        return text_or_arrays(transform(lambda *a: p.apply(WHOLE[p.case.op], *a)), ins)
    return out


def values_of(p, programs):
    """The value of each program. One jit of them all, whose compilation costs a third of that of each by itself; where
    it fails, each by itself."""
    if p.case.op not in ALWAYS_WHOLE:
        try:
            results = jax.jit(lambda inputs: {name: transform(p.evaluate)(*inputs[name])
                                              for name, (transform, _) in programs.items()})(
                {name: ins for name, (_, ins) in programs.items()})
            return {name: fm.floats(result) for name, result in results.items()}
        except Exception:
            pass
    return {name: value_of(p, *program) for name, program in programs.items()}


def expected(p):
    if p.case.op in TRACED_ONLY:
        return {"jaxpr": str(jax.make_jaxpr(p.evaluate)(*p.ins))}
    programs = {"values": (lambda f: f, p.ins)}
    nested = (args.long or args.only or p.number % NESTED_EVERY == 0) and p.case.op not in FIRST_ORDER
    if p.ins:
        programs["vmap"] = jax.vmap, p.batches
    if any(is_float(x) for x in p.ins):
        programs |= {"vjp": (pulled, p.ins), "jvp": (pushed, p.ins)}
    if nested and "vjp" in programs:
        programs |= {"jvp_of_vjp": (lambda f: pushed(pulled(f)), p.ins),
                     "vjp_of_jvp": (lambda f: pulled(pushed(f)), p.ins),
                     "vmap_of_vjp": (lambda f: jax.vmap(pulled(f)), p.batches)}
    values = values_of(p, programs)
    if p.case.op in ALWAYS_WHOLE:
        values["values"] = text_or_arrays(p.evaluate, p.ins)
    eager = values["values"]
    if p.case.op == "device_put_format":  # Layout.AUTO is for jit.
        eager = fm.or_error(lambda: fm.floats(p.evaluate(*p.ins)))
    return {"jaxpr": str(jax.make_jaxpr(p.evaluate)(*p.ins)), "eager": eager, **values}


def primitives_in(jaxpr, found):
    """The names of all primitives of a jaxpr and of the programs in it."""
    for eqn in jaxpr.eqns:
        found.add(eqn.primitive.name)
        for value in eqn.params.values():
            for one in value if isinstance(value, (tuple, list)) else (value,):
                if isinstance(one, ClosedJaxpr):
                    primitives_in(one.jaxpr, found)
                elif isinstance(one, Jaxpr):
                    primitives_in(one, found)
    return found


# Parameters that are one number in frontend_mesh.py.
SCALARS = ("axis", "dim", "reverse")
MESH = ((2, 2, 2), ("x", "y", "z"), ("Explicit",) * 3)


def explicit_programs(p):
    """The same program with arguments sharded along the first dimension, the last, and both."""
    every = args.long or args.only or p.number % NESTED_EVERY == 0
    for at in ("first", "last", "both") if every else ("both",):
        mesh = fm.Program(*MESH)
        mesh.context = True
        mesh.options["forward"] = 1
        for x in p.ins:
            entries = [()] * x.ndim
            if at != "last" and x.ndim and x.shape[0] % 2 == 0:
                entries[0] = ("x",)
            if at != "first" and x.ndim > (at == "both") and x.shape[-1] % 2 == 0:
                entries[-1] = ("y",)
            mesh.add_input(x, fm.spec(entries))
        for value in p.values:
            if value is not None:
                mesh.literal(value.dtype, value.literal)
        mesh.op(p.case.op, p.order, **{k: v[0] if len(v) == 1 and k in SCALARS else v for k, v in p.case.keys.items()})
        for i in range(p.outs):
            mesh.result(p.first + i)
        yield at, mesh


# Operations of frontend_numpy.py without transcendental functions: equal to the last bit.
EXACT_RANDOM = ("random_unit", "random_rademacher", "random_bernoulli", "random_randint", "random_permutation",
                "random_permutation_n", "random_choice", "random_choice_p", "random_categorical")
# Errors that JAX gives because the functions by which it lowers a primitive have no type.
LOWERING_ERRORS = ("select `which` must be scalar", "padding on sharded dims")


def explicit_expected(p):
    mesh = Mesh(np.array(jax.devices()).reshape(p.sizes), p.names, axis_types=tuple(AxisType[t] for t in p.types))
    with jax.set_mesh(mesh):
        ins = [jax.device_put(x, NamedSharding(mesh, fm.parse_spec(s))) for x, s in zip(p.ins, p.specs)]
        f = lambda *a: p.evaluate(a)
        values = fm.or_error(lambda: jax.jit(f)(*ins))
        if isinstance(values, str):
            # XLA cannot compile some reductions of integers: the types alone are compared.
            lowering = any(text in values for text in LOWERING_ERRORS) and isinstance(
                fm.or_error(lambda: jax.jit(f).trace(*ins)), jax.stages.Traced)
            if "UNIMPLEMENTED" not in values and not lowering:
                return {"values": normalized(values)}
            return {"types": " ".join(v.aval.str_short(True) for v in jax.jit(f).trace(*ins).jaxpr.jaxpr.outvars)}
        return {"values": fm.floats(values),
                "types": " ".join(v.aval.str_short(True) for v in jax.jit(f).trace(*ins).jaxpr.jaxpr.outvars)}


def normalized(text):
    text = text.split(" This error occurs at source:")[0]
    return fm.normalized(text).replace("np.int64(", "").replace("), ", ", ").replace("))", ")").strip()


def main():
    server, meshes = CaseServer(), fm.Server()
    tally = oracle.Tally("frontend_primitives", show=int(os.environ.get("SHOW", 5)))
    names = set(server.ask("primitives"))
    covered = {}
    for number, case in oracle.part(args, CASES):
        if args.only and args.only not in str(case):
            continue
        p = Program(case, number)
        theirs = expected(p)
        ours = server.table(p.lines, theirs)
        if ours is None:
            tally.fail(str(case), "the server ended")
            continue
        inside = primitives_in(jax.make_jaxpr(p.evaluate)(*p.ins).jaxpr, set())
        agreed = set()
        for name, value in theirs.items():
            if name == "jaxpr":
                if case.op in OTHER_JAXPR:
                    continue
                problem = jaxpr_difference(ours[name], value)
            else:
                problem = fm.differs(name, ours.get(name, "missing"), value)
            if problem is None:
                tally.ok()
                agreed.add({"values": "jit"}.get(name, name))
            else:
                tally.fail(f"{case} {name}", f"{problem}\n{theirs['jaxpr']}")
        if case.explicit:
            right = True
            for at, mesh in explicit_programs(p):
                meshes.send(mesh, "types")
                answer = meshes.receive()
                if answer is None:
                    tally.fail(f"{case} explicit {at}", "the server ended\n" + mesh.brief())
                    meshes = fm.Server()
                    right = False
                    continue
                for name, value in explicit_expected(mesh).items():
                    mine = answer.get(name, "missing")
                    mine = normalized(mine) if isinstance(mine, str) else mine
                    # Accidental errors of JAX are errors with a text of our own.
                    if isinstance(value, str) and value.startswith("AssertionError") and isinstance(mine, str):
                        value = mine
                    problem = fm.differs(name, mine, value)
                    if problem is None:
                        tally.ok()
                    else:
                        right = False
                        tally.fail(f"{case} explicit {at} {name}", f"{problem}\n{mesh.brief()}")
            if right:
                agreed.add("explicit")
        for name in inside:
            covered.setdefault(name, set()).update(agreed)
    server.close()
    meshes.close()
    if not args.only and args.part == "0/1":
        check_table(tally, names, covered)
    tally.finish()


def check_table(tally, names, covered):
    """Each primitive of the front end is covered in each column that JAX has for it."""
    differentiable = {p.name for p in ad.primitive_jvps} | {"scan", "cond", "jit", "custom_jvp_call",
                                                            "custom_vjp_call", "remat2", "while"}
    names = names - set(OWN)
    if args.table:
        print(f"{'primitive':28}" + " ".join(COLUMNS))
    for name in sorted(names):
        wanted = {c for c in COLUMNS if c not in ("jvp", "vjp") or name in differentiable}
        wanted -= set(OWED.get(name, ()))
        if name in WITHOUT_ARRAYS:
            wanted -= {"vmap", "jvp", "vjp"}
        has = covered.get(name, set())
        if name in ELSEWHERE:
            mark = ELSEWHERE[name]
        else:
            missing = sorted(wanted - has)
            if missing:
                tally.fail(f"coverage of {name}", f"no case agrees in {', '.join(missing)}")
            else:
                tally.ok()
            mark = " ".join(("yes" if c in has else "owed" if c in OWED.get(name, ()) else
                             "MISS" if c in wanted else "-").center(len(c)) for c in COLUMNS)
        if args.table:
            print(f"{name:28}{mark}")


if __name__ == "__main__":
    main()
