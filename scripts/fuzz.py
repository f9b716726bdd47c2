#!/usr/bin/env python3
#===- fuzz.py - run the fuzz targets ---------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs fuzz targets of a sanitize build (test/fuzz/README.md), one after the other.

  scripts/fuzz.py                        each target: regressions, then a short run of fixed seed
  scripts/fuzz.py --seconds 300          each target for five minutes, growing its corpus
  scripts/fuzz.py text_fuzz --runs 1000  one target
  scripts/fuzz.py text_fuzz FILE...      a target on these inputs alone

A short run starts from seeds that the tree holds, made anew each time, and has a fixed number
of runs and a fixed seed. A long run keeps its corpus in BUILD/fuzz/TARGET/corpus. A finding is
written to BUILD/fuzz/TARGET/findings; once fixed, it belongs into test/fuzz/regressions/TARGET.
"""

import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "fuzz"))
import seeds  # noqa: E402

# Target: (runs of a short run, maximum input length).
TARGETS = {
    "encoding_fuzz": (40000, 512),
    "flags_fuzz": (100000, 256),
    "hlo_fuzz": (20000, 8192),
    "npz_fuzz": (10000, 2048),
    "pipeline_fuzz": (1500, 4096),
    "text_fuzz": (5000, 4096),
}
ENVIRONMENT = {
    # LLVM's headers poison allocator memory. LLVM's library is not instrumented, so it never
    # unpoisons it.
    "ASAN_OPTIONS": "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=1"
    ":allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


def limits(longest):
    return [
        f"-max_len={longest}",
        "-timeout=25",
        "-rss_limit_mb=4096",
        "-malloc_limit_mb=1024",
        "-print_final_stats=1",
    ]


def execute(command, log, seconds=None):
    """(exit code, output); the output goes to `log` too."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **ENVIRONMENT},
        timeout=seconds,
    )
    output = done.stdout.decode(errors="replace")
    with open(log, "a") as file:
        file.write(output)
    return done.returncode, output


def inputs_of(target):
    """Writes the corpus of the tree into a fresh folder. Returns the corpus and its dictionary."""
    folder = os.path.join(BUILD, "fuzz", target)
    start = os.path.join(folder, "seeds")
    shutil.rmtree(start, ignore_errors=True)
    os.makedirs(start)
    for sub in ("corpus", "findings"):
        os.makedirs(os.path.join(folder, sub), exist_ok=True)
    seeds.write(target, start)
    words = seeds.dictionary(target, BUILD)
    dictionary = os.path.join(folder, "dictionary")
    with open(dictionary, "w") as file:
        for i, word in enumerate(words):
            escaped = word.replace("\\", "\\\\").replace('"', '\\"')
            file.write(f'w{i}="{escaped}"\n')
    return folder, start, dictionary


def run_target(target, options):
    """Runs the regressions and the target. Returns the number of (passed, failed) parts."""
    runs, longest = TARGETS[target]
    program = os.path.join(BUILD, "bin", target)
    if not os.path.exists(program):
        print(f"FAILED {target}: {program} is not built")
        return 0, 1
    folder, start, dictionary = inputs_of(target)
    log = os.path.join(folder, "log")
    open(log, "w").close()
    passed = failed = 0

    regressions = sorted(glob.glob(os.path.join(ROOT, "test", "fuzz", "regressions", target, "*")))
    files = options.files or regressions
    if files:
        code, output = execute([program, *limits(longest)[1:], *files], log)
        passed, failed = passed + (code == 0), failed + (code != 0)
        if code:
            print(f"FAILED {target}: a regression input is a finding again\n{output[-6000:]}")
    if options.files:
        return passed, failed

    command = [program, *limits(longest)]
    if os.path.getsize(dictionary):  # libFuzzer refuses an empty one
        command += [f"-dict={dictionary}"]
    command += [f"-artifact_prefix={folder}/findings/"]
    if options.seconds:
        command += [f"-max_total_time={options.seconds}", f"-seed={options.seed or int(time.time())}"]
        command += [os.path.join(folder, "corpus"), start]
    else:
        # Without the corpus of earlier runs, so that the inputs are the same each time.
        command += [f"-runs={options.runs or runs}", f"-seed={options.seed or 1}", start]
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    code, output = execute(command, log)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done = re.search(r"stat::number_of_executed_units:\s*(\d+)", output)
    cover = re.findall(r"cov: (\d+) ft: (\d+)", output)
    print(
        f"{target:14} {done.group(1) if done else '?':>8} inputs {time.monotonic() - begin:6.0f} s"
        f" ({cpu:.0f} of CPU)"
        f"  coverage {cover[-1][0] if cover else '?'}"
        + (f"  FINDING, exit code {code} (log: {log})" if code else ""),
        flush=True,
    )
    if code:
        print(output[-6000:])
    return passed + (code == 0), failed + (code != 0)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", nargs="?", choices=sorted(TARGETS))
    parser.add_argument("files", nargs="*", help="inputs to run alone")
    parser.add_argument("--build", default="build-sanitize", help="the build folder")
    parser.add_argument("--seconds", type=int, help="a long run of each target")
    parser.add_argument("--runs", type=int, help="inputs of a short run")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    global BUILD
    BUILD = os.path.join(ROOT, options.build)
    passed = failed = 0
    for target in [options.target] if options.target else sorted(TARGETS):
        p, f = run_target(target, options)
        passed, failed = passed + p, failed + f
    print(f"fuzz: {passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
