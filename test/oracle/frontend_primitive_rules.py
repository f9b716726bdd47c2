#===- frontend_primitive_rules.py - rules of primitives against JAX -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The jaxprs of all cases of frontend_primitives.py and of their derivatives and batched forms (each operand alone, and all of
them), traced by frontend_server and by JAX, are equal as texts. Nothing is compiled.

Each primitive that JAX's modules define has a case whose jaxprs are equal, or another test, or a reason why the front end does
not have it (frontend/primitive_table.py); each of its parameters has at least two values in these jaxprs, or a reason why not.
--table prints the list."""

import os

import jax

import frontend_primitives as fp
import oracle
from frontend.jaxpr_text import jaxpr_difference
from frontend.primitive_cases import CASES, ELSEWHERE
from frontend.primitive_table import ACCIDENTAL, LEFT_OUT, ONE_VALUE, OTHER_RULES, TABLE, defined_primitives
from frontend.program import is_float, pulled, pushed

args = fp.args


def vmaps(p):
    """The mapped dimensions of the arguments: each at 0, all of them at their last one."""
    n = len(p.ins)
    yield "0" * n
    if n > 1:
        for i in range(n):
            yield "n" * i + "0" + "n" * (n - i - 1)
    yield "".join(str(x.ndim) for x in p.ins)


def programs_of(p):
    """The fields of the server's answer, with JAX's functions and arguments."""
    programs = {"jaxpr:": (p.evaluate, p.ins)}
    if any(is_float(x) for x in p.ins):
        programs |= {"jaxpr:jvp": (pushed(p.evaluate), p.ins), "jaxpr:vjp": (pulled(p.evaluate), p.ins)}
    for dims in dict.fromkeys(vmaps(p)) if p.ins else ():
        axes = [None if d == "n" else int(d) for d in dims]
        ins = [x if axis is None else fp.jnp.moveaxis(b, 0, axis) for x, b, axis in zip(p.ins, p.batches, axes)]
        programs[f"jaxpr:vmap_{dims}"] = (jax.vmap(p.evaluate, in_axes=axes), ins)
    return programs


def traced(f, ins):
    """A jaxpr, or the text of the error."""
    try:
        return jax.make_jaxpr(f)(*ins)
    except Exception as error:  # The text of JAX's error is what is compared.
        return f"{type(error).__name__}: {error}"


class Coverage:
    """The cases of each primitive, and the values of its parameters, in jaxprs that are equal."""

    def __init__(self):
        self.cases, self.values, self.others = {}, {}, set()

    def add(self, jaxpr, case):
        for eqn in jaxpr.eqns:
            self.cases.setdefault(eqn.primitive.name, []).append(case)
            for name, value in eqn.params.items():
                self.values.setdefault((eqn.primitive.name, name), set()).add(str(value)[:200])
                for one in value if isinstance(value, (tuple, list)) else (value,):
                    if isinstance(one, (fp.ClosedJaxpr, fp.Jaxpr)):
                        self.add(getattr(one, "jaxpr", one), case)


def compare_case(server, tally, coverage, case):
    p = fp.Program(case)
    programs = programs_of(p)
    others = OTHER_RULES.get(case.op, ())
    ours = server.ask("\n".join(p.lines + ["ask " + " ".join(programs)]))
    if ours is None:
        tally.fail(str(case), "the server ended")
        return
    for field, (f, ins) in programs.items():
        theirs = traced(f, ins)
        if isinstance(theirs, str) and theirs.startswith(ACCIDENTAL):
            continue
        problem = jaxpr_difference(ours[field], str(theirs))
        rule = field.partition(":")[2].split("_")[0] or "jaxpr"
        if problem is not None and rule in others:
            coverage.others.add((case.op, rule))
            continue
        if problem is not None:
            tally.fail(f"{case} {field}", problem)
            continue
        tally.ok()
        if not isinstance(theirs, str):
            coverage.add(theirs.jaxpr, case)


def check_primitives(tally, names, coverage):
    for name in sorted(defined_primitives() | set(TABLE)):
        cases = coverage.cases.get(name, ())
        if name in LEFT_OUT:
            stale = "the front end has it" if name in names else "it is in the table" if name in TABLE else None
            tally.ok() if stale is None else tally.fail(f"{name} is left out", f"but {stale}")
            mark = f"left out: {LEFT_OUT[name]}"
        elif cases:
            tally.ok()
            mark = str(cases[0])
        elif name in ELSEWHERE:
            tally.ok()
            mark = ELSEWHERE[name]
        else:
            tally.fail(f"primitive {name}", "no case has it in a jaxpr that equals JAX's")
            mark = "MISSING"
        if args.table:
            print(f"{name:32}{mark}")
    for name in sorted(set(LEFT_OUT) - defined_primitives()):
        tally.fail(f"{name} is left out", "but JAX has no such primitive")


def check_others(tally, coverage):
    """Each exception is one."""
    for op, rules in OTHER_RULES.items():
        for rule in rules:
            if (op, rule) in coverage.others:
                tally.ok()
            else:
                tally.fail(f"{op} {rule}", "equals JAX's, although OTHER_RULES has it")


def check_parameters(tally, coverage):
    for name, params in sorted(TABLE.items()):
        for param in params:
            if name in coverage.cases and (name, param) not in coverage.values:
                tally.fail(f"{name}[{param}]", "JAX's primitive has no such parameter")
    for (name, param), values in sorted(coverage.values.items()):
        reason = ONE_VALUE.get((name, param)) or ONE_VALUE.get(param)
        if len(values) > 1 or reason:
            tally.ok()
        else:
            tally.fail(f"{name}[{param}]", f"has the value {min(values)} in every jaxpr that was compared")


def main():
    server = fp.CaseServer()
    tally = oracle.Tally("frontend_primitive_rules", show=int(os.environ.get("SHOW", 5)))
    names = set(server.ask("primitives"))
    coverage = Coverage()
    for case in CASES:
        if not args.only or args.only in str(case):
            compare_case(server, tally, coverage, case)
    server.close()
    if not args.only:
        check_primitives(tally, names, coverage)
        check_others(tally, coverage)
        check_parameters(tally, coverage)
    tally.finish()


main()
