#===- module_text.py - compares lowered modules ---------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What two front ends must write alike in a module: which arguments it keeps, their types and shardings and those of
the results with their names, the meshes, and the constraints, manual computations and collectives with their types.
Modules are read by jaxlib, so that texts of one module are equal. Names of values and private functions, and the order
of functions, are not compared, nor how a primitive is made of operations."""

import difflib
import re

import oracle

COMMUNICATION = re.compile(r'(?:%\S+ = )?(sdy\.\w+|"stablehlo\.(?:all_\w+|reduce_scatter|collective_\w+)"|stablehlo\.\w*collective\w*)')


def calls(text):
    """How often each function is called in a run of the module, loops counted once."""
    bodies, current = {}, None
    for line in text.splitlines():
        found = re.match(r"  func\.func (?:public |private )?@(\"[^\"]*\"|[\w.$-]+)", line)
        if found:
            current = bodies.setdefault(found[1], [])
        elif current is not None:
            current.append(line)
    counts, open_calls = {name: 0 for name in bodies}, ["main"]
    while open_calls:
        name = open_calls.pop()
        counts[name] += 1
        for line in bodies[name]:
            open_calls += [c for c in re.findall(r"call @(\"[^\"]*\"|[\w.$-]+)", line) if c in bodies]
    return bodies, counts


def annotations(source, constraints):
    """The lines that are compared. `constraints`: those of operations in the body too."""
    text = oracle.normal(source)
    lines = [re.sub(r" \{stablehlo.mesh = .*", "", line.strip()) for line in text.splitlines()
             if line.strip().startswith("sdy.mesh @mesh")]
    main = next(line for line in text.splitlines() if "func.func" in line and "@main(" in line)
    # JAX leaves the layout of a result with a layout constraint to the compiler; ours are all row-major.
    main = main.replace(', mhlo.layout_mode = "auto"', "")
    lines += re.sub(r"%arg\d+: ", "", main).replace("-> (", "->\n").replace(", tensor", ",\ntensor").splitlines()
    if not constraints:
        # JAX says the sharding of some results with Explicit axes.
        return [re.sub(r", sdy.sharding = .*?>}", "}", line) if "result_info" in line else line for line in lines]
    bodies, counts = calls(text)
    body = []
    for name, count in counts.items():
        for line in bodies[name]:
            # JAX constrains words of keys to a mesh without axes, and some values to nothing.
            if (COMMUNICATION.match(line.strip()) and not line.strip().startswith("sdy.return")
                    and "@empty_mesh" not in line and "{?}" not in line and "<@mesh, []>" not in line):
                body += [re.sub(r"%\w+(#\d+)?", "%", line.strip()).split(" <{channel")[0]] * count
    return lines + sorted(body)


def difference(ours, theirs, constraints=True):
    """A diff of what two modules say, or None."""
    try:
        a, b = annotations(ours, constraints), annotations(theirs, constraints)
    except oracle.OracleError as error:
        return f"JAX cannot read the module: {error}\n{ours}"
    if a == b:
        return None
    return "\n".join(difflib.unified_diff(b, a, "JAX", "ours", lineterm="", n=1))
