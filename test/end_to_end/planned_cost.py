#===- planned_cost.py - the planner's costs and the predicted step --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The partitioner decides by predicted seconds on a machine. The sum of the costs of its decisions (`planned_seconds` of
--stats=json) orders the layouts of a program as the predicted step does: Spearman's rank correlation over several layouts of
one program, drawn at random, is at least 0.9 in the mean over programs. They differ where collectives are joined afterwards,
whose latencies the planner counts one by one. A few programs of benchmarks/collective_bytes, with --long all of its first list.

    planned_cost.py [--layouts N] [--least R] [PART OF A NAME...]
"""

import argparse
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle

oracle.require()
# By another name than `run`, which is the module that it imports.
SPEC = importlib.util.spec_from_file_location("auto_benchmark", os.path.join(ROOT, "benchmarks", "auto", "run.py"))
benchmark = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(benchmark)

FEW = [
    "MLP step, fully sharded and tensor",
    "transformer_block",
    "mixture of experts",
    "conv net, channels",
    "LSTM",
    "chain of products",
    "k-means step",
]
ARGUMENT = re.compile(r"(%arg\d+: tensor<((?:\d+x)+)\w+>) \{(.*?)\}(?= loc|, %|\))")
SHARDING = re.compile(r"sdy\.sharding = #sdy\.sharding<@mesh, \[[^\]]*\](?:, replicated=\{[^}]*\})?>")


def random_layout(rng, shape, axes, share):
    """Puts each axis on a dimension that it divides, with probability `share`."""
    dims, left = [[] for _ in shape], list(shape)
    for name, size in axes:
        fitting = [d for d, n in enumerate(left) if n % size == 0]
        if fitting and rng.random() < share:
            d = rng.choice(fitting)
            left[d] //= size
            dims[d].append(f'"{name}"')
    return ", ".join("{" + ", ".join(own) + "}" for own in dims)


def with_layouts(rng, text, axes):
    """The program with other shardings of its arguments; arguments of one shape are sharded alike."""
    start = text.index("@main(")
    end = text.index("->", start)
    share, chosen = rng.choice([0.3, 0.6, 0.9]), {}

    def change(found):
        shape = tuple(int(n) for n in found.group(2).split("x")[:-1])
        layout = chosen.setdefault(shape, random_layout(rng, shape, axes, share))
        return found.group(1) + " {" + SHARDING.sub(f"sdy.sharding = #sdy.sharding<@mesh, [{layout}]>", found.group(3)) + "}"

    return text[:start] + ARGUMENT.sub(change, text[start:end]) + text[end:]


def costs(path, machine):
    """(planned, predicted) seconds, or a message."""
    done = subprocess.run([oracle.TOOL, "partition", path, f"--machine={machine}", "--stats=json"], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip() or f"exit code {done.returncode}"
    stats = json.loads(done.stdout)
    return sum(stats["planned_seconds"].values()), stats["predicted_step"]["step_seconds"]


def ranks(values):
    """Equal values (to 1 in 1000) share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] <= values[order[i]] * 1.001:
            j += 1
        for k in order[i : j + 1]:
            found[k] = (i + j) / 2
        i = j + 1
    return found


def spearman(a, b):
    """1 if one of them does not vary."""
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    under = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return over / under if under else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--layouts", type=int, default=10, help="of each program (10)")
    parser.add_argument("--least", type=float, default=0.9, help="mean rank correlation (0.9)")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the costs of each layout")
    parser.add_argument("--modules", help="folder that keeps the exported programs")
    parser.add_argument("--machine", choices=benchmark.MACHINES, default=benchmark.MACHINES[0])
    parser.add_argument("--list", type=int, default=1)
    args = oracle.arguments(__doc__, cases=len(FEW), long_cases=1000, parser=parser)
    tally = oracle.Tally("planned_cost")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        modules = args.modules or folder
        os.makedirs(modules, exist_ok=True)
        wanted = args.names or (FEW if args.cases <= len(FEW) else [""])
        rows = benchmark.export(
            modules,
            lambda number, name, _: number == args.list and any(w in name if args.names or not w else w == name for w in wanted),
            keep=bool(args.modules),
        )
        for number, (_, name, path) in enumerate(rows):
            rng = random.Random(f"{args.seed} {name}")
            text = open(path).read()
            mesh = re.search(r"sdy\.mesh @\w+ = <\[([^\]]*)\]", text).group(1)
            axes = [(axis, int(size)) for axis, size in re.findall(r'"([^"]+)"=(\d+)', mesh)]
            machine, module = os.path.join(folder, "machine.json"), os.path.join(folder, "layout.mlir")
            with open(machine, "w") as file:
                json.dump(benchmark.machine(args.machine, [axis for axis, _ in axes]), file)
            texts = {text} | {with_layouts(rng, text, axes) for _ in range(args.layouts)}
            both = []
            for other in sorted(texts):
                with open(module, "w") as file:
                    file.write(other)
                pair = costs(module, machine)
                if tally.check(f"{name}: partitioned", not isinstance(pair, str), str(pair)):
                    both.append(pair)
            if len(both) < 4:
                continue
            r = spearman([p for p, _ in both], [s for _, s in both])
            found.append((r, name, len(both)))
            worst = "\n".join(f"planned {p:.3g} s, predicted {s:.3g} s" for p, s in sorted(both, key=lambda pair: pair[1]))
            if args.verbose:
                print(f"{name}: rank correlation of {len(both)} layouts {r:.3f}\n{worst}")
    if found:
        least = min(found)
        mean = sum(r for r, _, _ in found) / len(found)
        print(f"planned_cost: {len(found)} programs, rank correlation {mean:.3f} in the mean, at least 0.95 in"
              f" {sum(r >= 0.95 for r, _, _ in found)}, least {least[0]:.3f} ({least[1]})")  # fmt: skip
        tally.check(f"rank correlation is {mean:.3f} in the mean", mean >= args.least, f"expected at least {args.least}")
    tally.finish()


if __name__ == "__main__":
    main()
