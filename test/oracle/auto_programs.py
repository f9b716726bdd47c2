#===- auto_programs.py - shardings that are found for random programs -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright auto` on random programs, with and without their annotations, with the memory that they need and with
less: what is found is never slower than a layout that needs no search and fits, nor than the program as it was given; a
second run writes the same bytes; partitioning what was written predicts the same step and memory; closed shardings of
the user stay; the results are those of one device."""

import json
import os
import re
import subprocess
import tempfile

import oracle

oracle.require()

import partition_engines as engines
import partition_programs as programs

MACHINE = {
    "name": "small",
    "flops_per_second": {"default": 5e8},
    "memory": {"bytes": 1e9, "bytes_per_second": 2e9},
    "link": {"bytes_per_second": 1e8, "latency_seconds": 1e-7, "directions": 2},
}


class Check:
    def __init__(self, folder):
        self.folder, self.engine, self.fitted = folder, engines.Ours(), 0
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
        return self.judge(program, module, out, flags, answer, code) or self.results(program, plain, values, expected, out)

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
            return re.findall(r"sdy\.sharding = #sdy\.sharding<(@\w+, \[.*?\])", main.split("->")[0])

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


def main():
    args = oracle.arguments(__doc__, cases=16, long_cases=1000)
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
        finally:
            check.engine.stop()
    print(f"auto_programs: {refused} programs that cannot be partitioned as they are annotated")
    tally.check("some plans fit", args.cases < 10 or check.fitted > 0, check.fitted)
    tally.finish()


if __name__ == "__main__":
    main()
