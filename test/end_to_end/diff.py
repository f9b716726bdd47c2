#===- diff.py - shardwright diff on changed programs ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Models of ten layers of random kinds and annotations. Without one of their annotations, `shardwright
diff` names that annotation first, in both directions, whatever else it changes. Equal programs are
equal, also as saved documents; an inserted op is the first difference and moves no other value; another
mesh is named with its axes."""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import oracle

LAYERS, BATCH, WIDTH = 10, 16, 32
SPECS = ['[{"x"}, {}]', '[{}, {"x"}]', '[{"y"}, {}]', '[{}, {"y"}]', '[{"x"}, {"y"}]', "[{}, {}]", '[{?}, {"y", ?}]']


class Model:
    """Lines of text, with an annotation or not: the removable ones are numbered."""

    def __init__(self, rng):
        self.arguments = [("x", self.maybe(rng, 0.9))]
        self.ops, self.annotations = [], []
        for layer in range(LAYERS):
            self.arguments.append((f"w{layer}", self.maybe(rng, 0.5)))
            kinds = ["dense", "residual", "scale"]
            self.ops.append((rng.choice(kinds), layer, self.maybe(rng, 0.3)))
        self.annotations = [("argument", i) for i, (_, spec) in enumerate(self.arguments) if spec]
        self.annotations += [("constraint", i) for i, (_, _, spec) in enumerate(self.ops) if spec]

    @staticmethod
    def maybe(rng, probability):
        return rng.choice(SPECS) if rng.random() < probability else None

    def text(self, without=None, mesh='"x"=2, "y"=4', inserted=None):
        tensor = {"x": f"tensor<{BATCH}x{WIDTH}xf32>", "w": f"tensor<{WIDTH}x{WIDTH}xf32>"}
        arguments = []
        for i, (name, spec) in enumerate(self.arguments):
            attribute = ""
            if spec and without != ("argument", i):
                attribute = f" {{sdy.sharding = #sdy.sharding<@mesh, {spec}>}}"
            arguments.append(f'%{name}: {tensor[name[0]]}{attribute} loc("{name}")')
        x, lines, t = "%x", [], tensor["x"]
        for kind, layer, spec in self.ops:
            def line(name, op, types):
                lines.append(f'    %{name} = {op} : {types} loc("jit(model)/layer{layer}/{name}"("model.py":{10 + layer}:0))')

            if layer == inserted:
                line("extra", f"stablehlo.negate {x}", t)
                x = "%extra"
            line(f"d{layer}", f"stablehlo.dot_general {x}, %w{layer}, contracting_dims = [1] x [0]", f'({t}, {tensor["w"]}) -> {t}')
            if kind == "residual":
                line(f"h{layer}", f"stablehlo.add %d{layer}, {x}", t)
            else:
                line(f"h{layer}", f"stablehlo.tanh %d{layer}", t)
            x = f"%h{layer}"
            if kind == "scale":
                line(f"s{layer}", f"stablehlo.multiply {x}, {x}", t)
                x = f"%s{layer}"
            if spec and without != ("constraint", layer):
                line(f"c{layer}", f"sdy.sharding_constraint {x} <@mesh, {spec}>", t)
                x = f"%c{layer}"
        body = "\n".join(lines)
        return (
            f"module {{\n  sdy.mesh @mesh = <[{mesh}]>\n  func.func @main({', '.join(arguments)}) -> {t} {{\n{body}\n"
            f"    return {x} : {t}\n  }}\n}}\n"
        )

    def name(self, annotation):
        kind, index = annotation
        return f"argument {self.arguments[index][0]}" if kind == "argument" else f"%c{index} = sharding_constraint"

    def spec(self, annotation):
        kind, index = annotation
        return self.arguments[index][1] if kind == "argument" else self.ops[index][2]


def diff(*arguments):
    done = oracle.process([oracle.TOOL, "diff", *arguments, "--json"])
    assert done.returncode in (0, 1), f"exit code {done.returncode}\n{done.stderr}"
    return done.returncode, json.loads(done.stdout)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def check_removed(tally, rng, model, folder):
    annotation = rng.choice(model.annotations)
    a = write(folder, "a.mlir", model.text())
    b = write(folder, "b.mlir", model.text(without=annotation))
    for first, second, (with_it, without_it) in [(a, b, ("a", "b")), (b, a, ("b", "a"))]:
        code, found = diff(first, second)
        one = found["first"]
        right = (
            code == 1 and one["kind"] == "annotation" and one["what"].startswith(model.name(annotation))
            and one[with_it] == model.spec(annotation) and one[without_it] == "none" and len(found["annotations"]) == 1
        )  # fmt: skip
        tally.check(f"{rng.name}: without {annotation}", right, json.dumps(one, indent=1) + "\n" + model.text())
    text = oracle.process([oracle.TOOL, "diff", a, b]).stdout
    tally.check(f"{rng.name}: text", text.splitlines()[3].startswith("first difference: annotation, "), text)


def check_equal(tally, rng, model, folder):
    a = write(folder, "a.mlir", model.text())
    saved = os.path.join(folder, "a.json")
    assert oracle.process([oracle.TOOL, "report", a, "-o", saved, "--trials=0"]).returncode == 0
    for other in (a, saved):
        code, found = diff(a, other)
        same = code == 0 and found["equal"] and found["first"]["kind"] == "none" and not found["shardings"]
        tally.check(f"{rng.name}: equal to itself", same, json.dumps(found["first"], indent=1))
        tally.check(f"{rng.name}: numbers", all(n["a"] == n["b"] for n in found["numbers"]))


def check_changed_document(tally, rng, model, folder):
    """Documents of another version: a step of propagation differs, or a collective."""
    a = write(folder, "a.mlir", model.text())
    saved = os.path.join(folder, "a.json")
    assert oracle.process([oracle.TOOL, "report", a, "-o", saved, "--trials=0"]).returncode == 0
    with open(saved) as file:
        document = json.load(file)
    strings, arrivals = document["strings"], document["arrivals"]
    steps = [i for i, op in enumerate(arrivals["op"]) if strings[op] and arrivals["value"][i] >= 0]
    if steps:
        step = rng.choice(steps)
        changed = json.loads(json.dumps(document))
        changed["strings"].append('"z"')
        changed["arrivals"]["axis"][step] = len(changed["strings"]) - 1
        code, found = diff(saved, write(folder, "b.json", json.dumps(changed)))
        one, value = found["first"], arrivals["value"][step]
        name = strings[document["values"]["source"][value]] or strings[document["values"]["name"][value]]
        axis = strings[arrivals["axis"][step]]
        right = (
            code == 1 and one["kind"] == "propagation" and name in one["what"]
            and f"{axis} reaches dim {arrivals['dim'][step]} through" in one["cause"]
        )  # fmt: skip
        tally.check(f"{rng.name}: step {step}", right, json.dumps(one, indent=1))
    if document["collectives"]:
        changed = json.loads(json.dumps(document))
        number = rng.randrange(len(changed["collectives"]))
        changed["collectives"][number]["bytes_sent_per_device"] += 1
        code, found = diff(saved, write(folder, "b.json", json.dumps(changed)))
        one = found["first"]
        kind = document["collectives"][number]["kind"]
        right = code == 1 and one["kind"] == "computation" and one["a"].startswith(kind) and len(found["collectives"]) == 1
        tally.check(f"{rng.name}: collective {number}", right, json.dumps(found["collectives"], indent=1))
        del changed["collectives"][number]
        code, found = diff(saved, write(folder, "b.json", json.dumps(changed)))
        changes = [one["change"] for one in found["collectives"]]
        tally.check(f"{rng.name}: collective {number} went", code == 1 and changes == ["went"], json.dumps(found["collectives"], indent=1))


def check_inserted(tally, rng, model, folder):
    layer = rng.randrange(LAYERS)
    a = write(folder, "a.mlir", model.text())
    b = write(folder, "b.mlir", model.text(inserted=layer))
    code, found = diff(a, b)
    one = found["first"]
    right = code == 1 and one["kind"] == "program" and one["what"].startswith("negate") and len(found["program"]) == 1
    tally.check(f"{rng.name}: inserted in layer {layer}", right, json.dumps(found["program"], indent=1))


def check_mesh(tally, rng, model, folder):
    a = write(folder, "a.mlir", model.text())
    code, found = diff(a, a, "--mesh-b", "x=4,y=2")
    one = found["first"]
    right = code == 1 and one["kind"] == "mesh" and (one["a"], one["b"]) == ("x=2, y=4", "x=4, y=2")
    tally.check(f"{rng.name}: mesh", right, json.dumps(one, indent=1))


def check_bad_input(tally, folder):
    module = write(folder, "a.mlir", "module { func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }")
    done = oracle.process([oracle.TOOL, "report", module, "--form=json"])
    good = json.loads(done.stdout)

    def changed(**changes):
        return json.dumps({**good, **changes})

    cases = {
        "empty": ("", "not JSON"), "list": ("[]", "expected a report document"),
        "other": (changed(format="other"), "expected a report document"), "version": (changed(version=99), "version 99"),
        "no strings": (changed(strings=None), "'strings' is not a list"),
        "no table": (changed(values={}), "no column"),
        "index": (changed(arrivals={**good["arrivals"], **{k: [10**6] for k in good["arrivals"]}}), "does not exist in its table"),
        "lengths": (changed(ops={**good["ops"], "op": [0] * 9}), "differ in length"),
    }  # fmt: skip
    for name, (text, message) in cases.items():
        path = write(folder, "bad.json", text)
        for arguments in ([path, module], [module, path]):
            done = oracle.process([oracle.TOOL, "diff", *arguments])
            right = done.returncode == 2 and message in done.stderr and done.stderr.count("error:") == 1
            tally.check(f"bad input: {name}", right, f"{done.returncode}\n{done.stderr}")


def main():
    args = oracle.arguments(__doc__, cases=20, long_cases=300)
    tally = oracle.Tally("diff")
    with tempfile.TemporaryDirectory() as folder:
        check_bad_input(tally, folder)
        for rng in oracle.generators(args):
            model = Model(rng)
            while not model.annotations:
                model = Model(rng)
            for check in (check_removed, check_equal, check_changed_document, check_inserted, check_mesh):
                check(tally, rng, model, folder)
    tally.finish()


if __name__ == "__main__":
    main()
