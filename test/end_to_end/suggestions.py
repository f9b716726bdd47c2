#===- suggestions.py - annotations that explain suggests ------------------===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Random programs: jaxlib writes each annotation that `shardwright explain` suggests into the program.
Explaining the changed program must show the promised effect."""

import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import oracle
import propagate_programs


def explain(text, arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = oracle.process([oracle.TOOL, "explain", file.name, "--json"] + arguments)
    if done.returncode == 2:
        return None
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)["values"]


def find(module, name):
    """Returns the value of @main with this name in the printed module."""
    ir = oracle.ir
    main = next(
        op for op in module.body.operations
        if op.operation.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == "main"
    )

    def search(block):
        for arg in block.arguments:
            if arg.get_name() == name:
                return arg
        for op in block.operations:
            for result in op.results:
                if result.get_name() == name:
                    return result
        return None  # In other functions jaxlib's names of values are not unique.

    return main, search(main.regions[0].blocks[0])


def annotate(text, mesh, suggestion):
    """Returns the program with the annotation. None if it cannot be added by jaxlib."""
    ir = oracle.ir
    module = oracle.parse(text)
    with module.context, ir.Location.unknown():
        main, value = find(module, suggestion["value"])
        sharding = ir.Attribute.parse(f"#sdy.sharding<@{mesh}, {suggestion['sharding']}>")
        if suggestion["kind"] == "argument":
            attrs = list(main.attributes["arg_attrs"]) if "arg_attrs" in main.attributes else [
                ir.DictAttr.get({}) for _ in main.regions[0].blocks[0].arguments
            ]
            old = {a.name: a.attr for a in ir.DictAttr(attrs[value.arg_number])}
            attrs[value.arg_number] = ir.DictAttr.get({**old, "sdy.sharding": sharding})
            main.attributes["arg_attrs"] = ir.ArrayAttr.get(attrs)
        elif suggestion["kind"] == "value" and value is not None:
            owner = value.owner
            if isinstance(owner, ir.Block):
                point = ir.InsertionPoint.at_block_begin(owner)
            else:
                after = list(owner.operation.block.operations)
                index = next(i for i, op in enumerate(after) if op.operation == owner.operation)
                point = ir.InsertionPoint(after[index + 1])
            op = owner if isinstance(owner, ir.Block) else owner.operation
            if not isinstance(owner, ir.Block) and op.name == "sdy.sharding_constraint":
                op.attributes["sharding"] = sharding
            else:
                constraint = ir.Operation.create(
                    "sdy.sharding_constraint", [value.type], [value],
                    attributes={"sharding": sharding}, ip=point,
                )
                value.replace_all_uses_except(constraint.results[0], constraint)
        else:
            return None
    return oracle.text(module)


def main():
    args = oracle.arguments(__doc__, cases=25, long_cases=1000)
    tally = oracle.Tally("suggestions")
    tried = 0
    for rng in oracle.generators(args):
        program = propagate_programs.generate(rng)
        try:
            text = oracle.normal(str(program))
        except oracle.OracleError:
            continue
        mesh = re.search(r"sdy.mesh @(\w+)", text)
        names = re.findall(r"^ {4}(%\w+) = ", text.split("func.func")[-1], re.M) + re.findall(
            r"(%arg\d+): tensor", text
        )
        # With only one function, jaxlib keeps the names of the values before a new op.
        if not mesh or not names or text.count("func.func") != 1:
            continue
        picked = rng.sample(sorted(set(names)), min(4, len(set(names))))
        values = explain(text, [f"--value={n}" for n in picked])
        if values is None:
            continue
        for value in values:
            for stop in [s for d in value["dims"] for s in d["stops"]] + value["stops_ahead"]:
                suggestion = stop.get("suggestion")
                if not suggestion or suggestion["value"].startswith("@"):
                    continue
                changed = annotate(text, mesh.group(1), suggestion)
                if changed is None:
                    continue
                tried += 1
                after = explain(changed, [f"--value={suggestion['value']}"])
                axis, dim = suggestion["gives"]["axis"], suggestion["gives"]["dim"]
                ok = after is not None and all(
                    dim < len(v["dims"])
                    and any(a["axis"].split(":")[0] == axis.split(":")[0] for a in v["dims"][dim]["axes"])
                    for v in after
                )
                tally.check(
                    f"{rng.name}: {suggestion}", ok, f"{changed}\n{json.dumps(after, indent=1)}"
                )
    print(f"{tried} annotations tried")
    tally.finish()


if __name__ == "__main__":
    main()
