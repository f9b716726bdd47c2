#!/usr/bin/env python3
#===- op_status.py - writes the table of supported operations -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Writes docs/status.md: a line for each operation of our dialects. All columns are measured.

  scripts/op_status.py --update     writes the file
  scripts/op_status.py              checks that the file is up to date

The operations are those of the generated code. The valid cases of test/stablehlo, test/chlo and
test/sdy, one operation each, go through `shardwright-opt`:

  valid     number of test cases that parse and verify
  invalid   number of test cases that its verifier must refuse
  infer     its class implements InferTypeOpInterface
  fold      it disappears when its operands are constants (`sw-simplify`)
  rule      it has a sharding rule (`sdy-populate-op-sharding-rules`)
  localise  after `sw-partition` it computes on shards; `gathered`: on replicated tensors
  execute   the CPU backend compiles it (`sw-print-program`)
"""

import argparse
import collections
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
OPT = os.path.join(BUILD, "bin", "shardwright-opt")
PAGE = os.path.join(ROOT, "docs", "status.md")
DIALECTS = ("stablehlo", "chlo", "sdy")
SPLIT = "// -----\n"
MARK = "yes"
MESH = '"sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()\n'

sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import op_mutations


def opt(source, *flags):
    return subprocess.run([OPT, *flags], input=source, capture_output=True, text=True)


def each(sources, *flags):
    """Runs the passes on many modules at once. Returns the output of each module; None if it fails."""
    sources = list(sources)
    lines, starts = 1, []
    for source in sources:
        starts.append(lines)
        lines += source.count("\n") + 1
    done = opt(SPLIT.join(sources), "--split-input-file", *flags)
    if done.returncode not in (0, 1):
        if len(sources) == 1:
            return [None]
        half = len(sources) // 2
        return each(sources[:half], *flags) + each(sources[half:], *flags)
    parts = done.stdout.split("// -----\n")
    bad = {int(line) for line in re.findall(r"^<stdin>:(\d+):\d+: error: ", done.stderr, re.M)}
    results = []
    for i, part in enumerate(parts[: len(sources)]):
        end = starts[i + 1] if i + 1 < len(starts) else lines
        results.append(None if any(starts[i] <= b < end for b in bad) else part)
    return results


def operations():
    """Returns {operation: implements InferTypeOpInterface}, from the code that TableGen generated."""
    found = {}
    for path in glob.glob(os.path.join(BUILD, "shardwright/dialect/*/*.h.inc")):
        with open(path) as file:
            text = file.read()
        for match in re.finditer(r"class \w+ : public ::mlir::Op<(.*?)\{(.*?)\n\};", text, re.S):
            name = re.search(r'StringLiteral\("((?:%s)\.[\w-]+)"\)' % "|".join(DIALECTS), match[2])
            if name:
                found[name[1]] = "InferTypeOpInterface::Trait" in match[1]
    return found


def cases():
    """Returns the operations of the valid cases, as separate modules: {name: [Op]}."""
    seeds = collections.defaultdict(list)
    for dialect in DIALECTS:
        for path in sorted(glob.glob(os.path.join(ROOT, "test", dialect, "*.mlir"))):
            if os.path.basename(path).startswith("verify_"):
                continue
            with open(path) as file:
                parts = file.read().split("// -----")
            for part in parts:
                done = opt(part, "--mlir-print-op-generic", "--mlir-print-local-scope")
                if done.returncode == 0:
                    for op in op_mutations.operations_of(done.stdout):
                        seeds[op.name].append(op)
    return seeds


def variants(op):
    """Yields the case, and variants with static sizes and real element types, so that fewer columns
    stay empty for lack of a case."""
    changes = [
        lambda t: t,
        lambda t: re.sub(r", #stablehlo\.bounds<[^>]*>", "", t.replace("?", "4")),
        lambda t: t.replace("complex<f32>", "f32"),
        lambda t: t.replace("bf16", "f32"),
    ]
    seen = []
    for change in changes:
        new = op.copy()
        new.operands, new.results = [change(t) for t in op.operands], [change(t) for t in op.results]
        new.regions = [change(t) for t in op.regions]
        if new.text() not in seen:
            seen.append(new.text())
            yield new


def invalid_cases():
    """Counts, for each operation, the expected errors that refer to a line with it."""
    counts = collections.Counter()
    name = re.compile(r"\b((?:%s)\.[\w-]+)" % "|".join(DIALECTS))
    for path in (p for d in DIALECTS for p in glob.glob(os.path.join(ROOT, "test", d, "*.mlir"))):
        with open(path) as file:
            lines = file.read().splitlines()
        for i, line in enumerate(lines):
            match = re.search(r"expected-error(?:-re)? ?@\+(\d+)", line)
            if match and i + int(match[1]) < len(lines):
                target = lines[i + int(match[1])]
                found = name.findall(re.sub(r"#\w+\.\w+|![\w.]+", "", target))
                if found:
                    counts[found[0]] += 1
    return counts


def program(op, constants=False, sharded=False):
    """Returns a @main that computes the operation and returns its results."""
    names = [f"%operand{i}" for i in range(len(op.operands))]
    arguments, values, attributes = list(zip(names, op.operands)), "", []
    if constants:
        arguments = []
        for name, kind in zip(names, op.operands):
            if not re.fullmatch(r"tensor<[\w<>]*>", kind) or "?" in kind:
                return None
            one = {"f": "1.0", "b": "1.0", "c": "(1.0, 0.0)"}.get(kind.split("x")[-1][0] if "x" in
                   kind.replace("complex", "c") else kind[7], "1")  # fmt: skip
            one = "true" if re.search(r"[<x]i1>", kind) else one
            values += f'  {name} = "stablehlo.constant"() <{{value = dense<{one}> : {kind}}}> : () -> {kind}\n'
    results = [f"%r#{i}" for i in range(len(op.results))]
    kinds = ", ".join(op.operands if arguments else [])
    returned = ", ".join(op.results)
    head = ", ".join(f"{n}: {t}" for n, t in arguments)
    for kind in op.operands if sharded else []:
        shape = re.match(r"tensor<((?:\d+x)*)", kind)
        sizes = [int(s) for s in shape[1].split("x") if s] if shape else []
        place = next((i for i, s in enumerate(sizes) if s % 2 == 0 and s), None)
        dims = ", ".join('{"x"}' if i == place else "{}" for i in range(len(sizes)))
        attributes.append("{}" if place is None else f"{{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}")
    extra = f", arg_attrs = [{', '.join(attributes)}]" if any(a != "{}" for a in attributes) else ""
    if sharded and not extra:
        return None
    text = (
        f'"func.func"() <{{function_type = ({kinds}) -> ({returned}), sym_name = "main"{extra}}}> ({{\n'
        + (f"^bb0({head}):\n" if head else "")
        + values
        + "  " + op.operation(names).strip() + "\n"
        + f'  "func.return"({", ".join(results)}) : ({returned}) -> ()\n}}) : () -> ()\n'
    )  # fmt: skip
    return (MESH if sharded else "") + text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write docs/status.md")
    args = parser.parse_args()

    names, seeds, invalid = operations(), cases(), invalid_cases()
    known = opt("", "--help").stdout
    simplify = "--sw-simplify" if "--sw-simplify" in known else "--canonicalize"
    table = {name: collections.defaultdict(str) for name in names}

    def column(title, build, flags, verdict):
        entries = [(name, op, source) for name in names for case in seeds[name]
                   for op in variants(case) for source in [build(op)] if source]  # fmt: skip
        results = each([source for _, _, source in entries], *flags)
        for (name, op, source), result in zip(entries, results):
            said = verdict(name, op, result) if result is not None else ""
            if said == MARK or not table[name][title]:
                table[name][title] = said

    def gone(name, op, text):
        return MARK if f'"{name}"' not in text else ""

    def parts(name, op, text):
        kinds = re.findall(rf'"{re.escape(name)}"\(.*?\) -> (.*)', text.replace("\n", " "))
        whole = ", ".join(op.operands)
        used = re.findall(rf'"{re.escape(name)}"\(.*?: \((.*?)\) ->', text.replace("\n", " "))
        return MARK if not kinds or any(whole not in u for u in used) else "gathered"

    for name in names:
        table[name]["valid"] = str(len(seeds[name]) or "")
        table[name]["invalid"] = str(invalid[name] or "")
        table[name]["infer"] = MARK if names[name] else ""
    generic = "--mlir-print-op-generic"
    column("fold", lambda op: program(op, constants=True), [simplify, generic], gone)
    column("rule", program, ["--sdy-populate-op-sharding-rules"],
           lambda name, op, text: MARK if "sdy.sharding_rule" in text else "")  # fmt: skip
    column("localise", lambda op: program(op, sharded=True),
           ["--sdy-propagation-pipeline", "--sw-partition", generic], parts)  # fmt: skip
    column("execute", program, ["--sw-print-program"], lambda name, op, text: MARK)

    titles = ["valid", "invalid", "infer", "fold", "rule", "localise", "execute"]
    lines = [
        "# Status of each operation",
        "",
        "Written by `scripts/op_status.py --update` from the tree; `make test` checks it.",
        "",
        *(line.strip() for line in __doc__.split("shardwright-opt`:")[1].strip("\n").splitlines()),
    ]
    lines = lines[:4] + ["| column | meaning |", "| --- | --- |"] + [
        "| {} | {} |".format(*line.split(None, 1)) for line in lines[4:] if line
    ]  # fmt: skip
    for dialect in DIALECTS:
        own = sorted(n for n in names if n.startswith(dialect + "."))
        lines += ["", f"## {dialect}: {len(own)} operations", "", "| op | " + " | ".join(titles) + " |",
                  "| --- |" + " --- |" * len(titles)]  # fmt: skip
        lines += [f"| {n.split('.', 1)[1]} | " + " | ".join(table[n][t] for t in titles) + " |" for n in own]
    page = "\n".join(lines) + "\n"
    if args.update:
        with open(PAGE, "w") as file:
            file.write(page)
        print(f"wrote {os.path.relpath(PAGE, ROOT)}: {len(names)} operations")
        return
    with open(PAGE) as file:
        shown = file.read()
    if shown != page:
        old = set(shown.splitlines())
        for line in page.splitlines():
            if line not in old:
                print(f"  now: {line}")
        print("FAILED docs docs/status.md is not up to date: run scripts/op_status.py --update")
    print(f"op_status: {int(shown == page)} passed, {int(shown != page)} failed")
    sys.exit(shown != page)


if __name__ == "__main__":
    main()
