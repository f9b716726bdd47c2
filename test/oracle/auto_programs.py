#===- auto_programs.py - shardings that are found for random programs -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright auto` on random programs, with and without their annotations, with the memory that they need and with
less: what is found is never slower than a layout that needs no search and fits, nor than the program as it was given; a
second run writes the same bytes; partitioning what was written predicts the same step and memory; closed shardings of
the user stay; the results are those of one device.

Of some programs also: other names of axes change nothing but names; on one axis, with at most 5 arguments, the step is at
most 1 % above the best of all layouts of arguments; at effort 3 of the partitioner the step is never longer than at effort 2,
and results are equal.

Monotony, of programs that need not run: less memory or one more fixed sharding never makes the step more than 2 % shorter.
`--cases 0 --monotony 1 --seed N` checks one of them."""

import argparse
import itertools
import json
import os
import random
import re
import subprocess
import tempfile

import oracle

oracle.require()

import numpy as np
import partition_engines as engines
import partition_programs as programs

MACHINE = {
    "name": "small",
    "flops_per_second": {"default": 5e8},
    "memory": {"bytes": 1e9, "bytes_per_second": 2e9},
    "link": {"bytes_per_second": 1e8, "latency_seconds": 1e-7, "directions": 2},
}


#: Layouts of the arguments of a program that are tried one by one.
MOST_LAYOUTS = 40
#: Programs whose answers are compared with those of harder requests.
MONOTONY, LONG_MONOTONY = 6, 300


class Check:
    def __init__(self, folder):
        self.folder, self.engine, self.fitted = folder, engines.Ours(), 0
        #: programs of which all layouts were tried, and those that effort 3 makes faster
        self.exhausted = self.faster = 0
        self.related_checks = {}
        self.machine = self.path("machine.json")
        with open(self.machine, "w") as file:
            json.dump(MACHINE, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def auto(self, module, out, *flags):
        """Returns (answer, exit code), or (message, None)."""
        if os.path.exists(out):
            os.remove(out)
        done = subprocess.run(
            [oracle.TOOL, "auto", module, f"--machine={self.machine}", "--report=json", "-o", out, *flags],
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 1) or not done.stdout:
            return f"exit code {done.returncode}: {done.stderr[:1000]}", None
        return json.loads(done.stdout), done.returncode

    def __call__(self, rng, program):
        values = program.inputs()
        plain = program.text(sharded=False)
        try:
            expected = self.engine.whole(plain, values, program.results)
            # Not every random program can be partitioned as it is annotated.
            self.engine.partitioned(program.text(sharded=True), values, program.results, 1)
        except engines.Failed:
            return "refused"
        module, out = self.path("in.mlir"), self.path("out.mlir")
        with open(module, "w") as file:
            file.write(program.text(sharded=True))
        flags = rng.choice([[], ["--drop=constraints"], ["--drop=all"], ["--drop=all", "--specs-only"], ["--effort=0"]])
        answer, code = self.auto(module, out, *flags)
        if code is None:
            return answer
        if rng.random() < 0.4:  # with less memory than the fastest plan takes
            least = min([answer["found"], *answer["compared"]], key=lambda c: c["peak_bytes"])["peak_bytes"]
            limit = int(least + rng.random() * (answer["found"]["peak_bytes"] - least))
            flags = [*flags, f"--memory={max(limit, 1)}"]
            answer, code = self.auto(module, out, *flags)
            if code is None:
                return answer
        message = self.judge(program, module, out, flags, answer, code) or self.results(program, plain, values, expected, out)
        if message or code:
            return message
        return self.related(rng, program, module, flags, answer) or self.effort(program, module, plain, values, expected)

    def related(self, rng, program, module, flags, answer):
        """Properties of answers to requests that are related to this one."""
        check = rng.choice([self.other_names, self.exhaustive, self.chosen_mesh])
        self.related_checks[check.__name__] = self.related_checks.get(check.__name__, 0) + 1
        return check(rng, program, module, flags, answer)

    def monotony(self, rng, program):
        """Answers within less memory and with one more fixed sharding."""
        module = self.path("in.mlir")
        with open(module, "w") as file:
            file.write(program.text(sharded=True))
        flags = rng.choice([[], ["--drop=all"], ["--drop=all", "--specs-only"]])
        answer, code = self.auto(module, self.path("out.mlir"), *flags)
        if code is None:
            return answer if "exit code -" in answer else "refused"
        if code:
            return "refused"
        message = self.less_memory(rng, module, flags, answer) or self.more_given(rng, module, flags, answer)
        return message and f"{' '.join(flags)}: {message}"

    def less_memory(self, rng, module, flags, answer):
        least = min([answer["found"], *answer["compared"]], key=lambda c: c["peak_bytes"])["peak_bytes"]
        limit = int(least + rng.random() * (answer["found"]["peak_bytes"] - least))
        less, code = self.auto(module, self.path("less.mlir"), *flags, f"--memory={max(limit, 1)}")
        if code is None:
            return less
        if code == 0 and less["found"]["step_seconds"] < 0.98 * answer["found"]["step_seconds"]:
            return f"with {limit} bytes a step takes {less['found']['step_seconds']}, with more memory {answer['found']['step_seconds']}"
        return None

    def more_given(self, rng, module, flags, answer):
        """Fixes a layout of one argument that propagation would accept."""
        free = [s for s in answer["shardings"] if s["kind"] == "argument" and not s["given"] and s["partition_spec"]]
        if not free:
            return None
        fixed = rng.choice(free)
        dims = fixed["sharding"][: fixed["sharding"].index("]")].count("{")  # replicated axes come after the bracket
        spec = fixed["partition_spec"] if rng.random() < 0.5 else f"P({', '.join(['None'] * dims)})"
        more, code = self.auto(module, self.path("more.mlir"), *flags, "--fix", f"{fixed['index']}={spec}")
        if code is None:  # the user's own sharding may say something else, or divide unevenly
            return None if "does not divide" in more or "but the module says" in more else more
        if code == 0 and more["found"]["step_seconds"] < 0.98 * answer["found"]["step_seconds"]:
            return f"with --fix {fixed['index']}={spec} a step takes {more['found']['step_seconds']}, without {answer['found']['step_seconds']}"
        return None

    def other_names(self, rng, program, module, flags, answer):
        with open(module) as file:
            text = file.read()
        axes = [axis["name"] for axis in answer["mesh"]]
        # In the same alphabetical order: Shardy breaks ties between axes by it (common_factor_axes.cc).
        names = [f"zz{sorted(axes).index(axis)}q" for axis in axes]
        renamed = text
        for old, new in zip(axes, names, strict=True):
            renamed = renamed.replace(f'"{old}"', f'"{new}"')
        if renamed == text or set(re.findall(r'"(zz\d+q)"', renamed)) - set(names):
            return None
        other = self.path("renamed.mlir")
        with open(other, "w") as file:
            file.write(renamed)
        found, code = self.auto(other, self.path("names.mlir"), *flags)
        if code is None:
            return found
        shown = json.dumps(found).replace(other, module)
        for old, new in zip(axes, names, strict=True):
            shown = shown.replace(new, old)
        if json.loads(shown) != json.loads(json.dumps(answer)):
            return f"with axes {names} instead of {axes} the answer is {shown}, not {json.dumps(answer)}"
        return None

    def chosen_mesh(self, rng, program, module, flags, answer):
        """The program on one device, for a number of devices: the command itself reads its module back."""
        plain, out = self.path("plain.mlir"), self.path("chosen.mlir")
        with open(plain, "w") as file:
            file.write(program.text(sharded=False))
        devices = rng.choice([2, 4, 6, 8, 12])
        found, code = self.auto(plain, out, f"--devices={devices}")
        if code is None:
            return None if "mesh" in found and "manual" in found else found
        sizes = [axis["size"] for axis in found["mesh"]]
        if int(np.prod(sizes)) != devices:
            return f"a mesh {found['mesh']} of {devices} devices"
        one = found["one_device"]
        if one["fits"] and found["found"]["step_seconds"] > one["step_seconds"] * 1.000001:
            return f"one device takes {one['step_seconds']}, the mesh {found['found']}"
        return None

    def exhaustive(self, rng, program, module, flags, answer):
        """All layouts of the arguments of the program without annotations, on one axis of its mesh; the others have size 1."""
        if not 1 <= len(program.args) <= 5 or len(program.meshes) != 1:
            return None
        axis, size = rng.choice(answer["mesh"])["name"], rng.choice([2, 3, 4])
        layouts = [
            [None, *(d for d, n in enumerate(a.shape) if n % size == 0 and n > 0)] if a.shape else [None] for a in program.args
        ]
        if int(np.prod([len(choices) for choices in layouts])) > MOST_LAYOUTS:
            return None
        plain = ["--drop=all", "--mesh=" + ",".join(f"{a['name']}={size if a['name'] == axis else 1}" for a in answer["mesh"])]
        found, code = self.auto(module, self.path("best.mlir"), *plain)
        if code is None:  # the body of a manual computation has the shapes of its mesh
            return None if "cannot be resized" in found else found
        best = None
        for choice in itertools.product(*layouts):
            fixed = []
            for i, (argument, dim) in enumerate(zip(program.args, choice, strict=True)):
                spec = ", ".join(f"'{axis}'" if d == dim else "None" for d in range(len(argument.shape)))
                fixed += ["--fix", f"{i}=P({spec})"] if argument.shape else []
            one, code = self.auto(module, self.path("one.mlir"), *plain, "--effort=0", *fixed)
            if code == 0 and (best is None or one["found"]["step_seconds"] < best[0]):
                best = one["found"]["step_seconds"], choice
        self.exhausted += 1
        if best and found["found"]["step_seconds"] > 1.01 * best[0]:
            return f"found {found['found']['step_seconds']}, but {best[1]} takes {best[0]}"
        return None

    def partitioned(self, module, effort):
        """(predicted step, shardings of arguments and results) of a program, or a message."""
        done = subprocess.run(
            [oracle.TOOL, "partition", module, f"--machine={self.machine}", "--report=json", f"--partition-effort={effort}"],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return f"exit code {done.returncode}: {done.stderr[:1000]}"
        report = json.loads(done.stdout)
        return report["predicted_step"]["step_seconds"], [v["sharding"] for v in report["arguments"] + report["results"]]

    def effort(self, program, module, plain, values, expected):
        """Effort 3 of the partitioner."""
        two, three = self.partitioned(module, 2), self.partitioned(module, 3)
        if isinstance(two, str) or isinstance(three, str):
            return None if two == three else f"at effort 2: {two}; at effort 3: {three}"
        if three[0] > two[0]:
            return f"at effort 2 a step takes {two[0]}, at effort 3 {three[0]}"
        if three[1] != two[1]:
            return f"arguments and results at effort 2: {two[1]}, at effort 3: {three[1]}"
        self.faster += three[0] < two[0]
        try:
            found = self.engine.partitioned(program.text(sharded=True), values, program.results, 3)
        except engines.Failed as failed:
            return f"effort 3: {failed.kind}: {failed.message[:1000]}"
        return engines.differs(self.engine, program, plain, values, expected, found, False, engines.coarsest(plain))

    def judge(self, program, module, out, flags, answer, code):
        found = answer["found"]
        fitting = [c for c in answer["compared"] if c["fits"]]
        if fitting and not found["fits"]:
            return f"nothing fits, but {fitting[0]['name']} does: {answer}"
        for other in fitting:
            if found["step_seconds"] > other["step_seconds"]:
                return f"found {found}, but {other} is faster"
        if found["fits"] != (found["peak_bytes"] <= answer["memory_limit"]) or found["fits"] != (code == 0):
            return f"exit code {code}: {found}, limit {answer['memory_limit']}"
        again, _ = self.auto(module, self.path("again.mlir"), *flags)
        if again != answer:
            return f"a second run answers {again}, the first {answer}"
        if code:
            return None if not os.path.exists(out) else "what does not fit was written"
        self.fitted += 1
        with open(out) as first, open(self.path("again.mlir")) as second:
            if first.read() != second.read():
                return "a second run writes other bytes"
        done = subprocess.run(
            [oracle.TOOL, "partition", out, f"--machine={self.machine}", "--stats=json"], capture_output=True, text=True
        )
        if done.returncode:
            return f"what was written cannot be partitioned: {done.stderr[:1000]}"
        stats = json.loads(done.stdout)
        if stats["predicted_step"]["step_seconds"] != found["step_seconds"]:
            return f"predicted {found['step_seconds']}, partitioned {stats['predicted_step']['step_seconds']}"
        if stats["predicted_peak"]["bytes"] != found["peak_bytes"]:
            return f"predicted {found['peak_bytes']} bytes, partitioned {stats['predicted_peak']['bytes']}"
        return None if "--drop=all" in flags else self.kept(program, out)

    @staticmethod
    def kept(program, out):
        """Closed shardings of arguments stay as they were written."""
        def shardings(text):
            main = next(line for line in text.splitlines() if "func.func" in line and ("@main" in line or text.count("func.func") == 1))
            found = re.findall(r"sdy\.sharding = #sdy\.sharding<(@\w+, \[.*?\])", main.split("->")[0])
            # Meshes of equal axes and devices may stand for each other.
            meshes = dict(re.findall(r"sdy\.mesh (@\w+) = (<.*>)", text))
            found = [re.sub(r"@\w+", lambda m: meshes.get(m[0], m[0]), sharding) for sharding in found]
            # Priorities say in which order shardings propagate, not what they are.
            return [re.sub(r"(?<=})p\d+", "", sharding) for sharding in found]

        with open(out) as file:
            after = shardings(file.read())
        for sharding in shardings(program.text(sharded=True)):
            if "?" not in sharding and "p" not in sharding and sharding not in after:
                return f"the user's {sharding} is not among {after}"
        return None

    def results(self, program, plain, values, expected, out):
        if not os.path.exists(out):
            return None
        with open(out) as file:
            text = file.read()
        try:
            found = self.engine.partitioned(text, values, program.results, 1)
        except engines.Failed as failed:
            return f"{failed.kind}: {failed.message[:1000]}"
        return engines.differs(self.engine, program, plain, values, expected, found, False, engines.coarsest(plain))


def check_monotony(check, args, tally):
    """Returns how many programs were refused."""
    refused = 0
    for seed in range(args.seed, args.seed + args.monotony):
        rng = random.Random(seed)
        program = programs.random_program(rng)
        message = check.monotony(rng, program)
        if message == "refused":
            refused += 1
        elif message:
            tally.fail(f"--cases 0 --monotony 1 --seed {seed}", f"{message}\n--- program\n{program.text(sharded=True)}")
        else:
            tally.ok()
    return refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--monotony", type=int, help=f"how many programs ({MONOTONY}; {LONG_MONOTONY} with --long)")
    args = oracle.arguments(__doc__, cases=16, long_cases=1000, parser=parser)
    if args.monotony is None:
        args.monotony = max(1, (LONG_MONOTONY if args.long else MONOTONY) // args.every)
    tally = oracle.Tally("auto_programs", show=3)
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(folder)
        try:
            for rng in oracle.generators(args):
                program = programs.random_program(rng)
                message = check(rng, program)
                if message == "refused":
                    refused += 1
                elif message:
                    tally.fail(rng.name, f"{message}\n--- program\n{program.text(sharded=True)}")
                else:
                    tally.ok()
            refused_requests = check_monotony(check, args, tally)
        finally:
            check.engine.stop()
    print(f"auto_programs: {refused} programs that cannot be partitioned as they are annotated; all layouts of {check.exhausted}; "
          f"effort 3 makes {check.faster} faster; {check.related_checks}; monotony of {args.monotony - refused_requests}")  # fmt: skip
    tally.check("some plans fit", args.cases < 10 or check.fitted > 0, check.fitted)
    tally.finish()


if __name__ == "__main__":
    main()
