#!/usr/bin/env python3
#===- run_tests.py - run the test suites and count -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs test suites by name (all of them without names), and prints the failures.

  scripts/run_tests.py                    all suites, random tests with a seeded sample
  scripts/run_tests.py lit oracle         these suites
  scripts/run_tests.py oracle/rules.py    one script (the name of a file under test/)
  scripts/run_tests.py --long             random tests in full

Suites (docs/testing.md):
  unit        GoogleTest executables of the layers
  lit         test/<layer>/*.mlir, *.test
  oracle      test/oracle/*.py: the same input through jaxlib, compared
  newest_oracle  a sample of the cases of oracle, compared with the newest jaxlib (.venv-newest)
  end_to_end  test/end_to_end/*.py: the shardwright command on complete programs
  jax         test/jax/*.py: JAX programs on the plugin's devices and on JAX's CPU, compared
  newest_jax  a sample of the cases of jax, with the newest JAX (.venv-newest)
  processes   test/jax/processes/*.py: JAX programs as jobs of several processes; not among the suites that run
              without names (`jax` has a sample)
  pytorch     test/pytorch/*.py: PyTorch programs on the plugin's devices, on torch's CPU and on PyTorch/XLA's CPU
              device (.venv-torch); not among the suites that run without names
  fuzz        fuzz targets: regression inputs and short runs of fixed seed (sanitize build only)
  browser     test/browser/*.py: the page of HTML reports in Chromium; skipped where it is not installed
  package     the install tree, used by the consumer in test/consumer/
  docs        scripts/check_docs.py: the output shown in README.md and docs/ is the actual output;
              scripts/op_status.py: docs/status.md matches the tree;
              scripts/jax_versions.py: docs/jax.md lists the features that the doctor finds
  tree        scripts/check_tree.py: licence headers, layer READMEs, orphaned tests;
              scripts/mutation_check.py --check: the mutations still apply to the sources;
              scripts/check_scripts.py: node accepts the scripts of HTML reports

A suite's scripts end with a line `name: N passed, N failed[, N skipped]`. So does this one, and exits with 1 when
something failed. As many jobs as there are cores run at a time, those of all suites together.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORES = os.cpu_count() or 2
SECONDS = os.path.join(ROOT, "test", "job_seconds.json")
SHOWN_LINES = 80  # lines of a failure's output that are printed, at its start and at its end
NEWEST_EVERY = 4  # every fourth case runs with the newest JAX, too
# JAX's CPU backend compiles twice as fast with these. Scripts append flags to them, or replace them where they count
# what XLA's optimizations leave.
XLA_FLAGS = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
SUMMARY = re.compile(r"^(?:[\w./-]+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


class Result:
    """The counts of one job, its output, and its seconds: elapsed, and of the processor (its children's included)."""

    def __init__(self, name, passed=0, failed=0, skipped=0, output="", seconds=(0.0, 0.0)):
        self.name, self.passed, self.failed, self.skipped = name, passed, failed, skipped
        self.output, (self.elapsed, self.processor) = output, seconds


def execute(name, command, options, limit):
    """Runs a command. Returns (exit code, output, (elapsed seconds, seconds of the processor)). A run past the limit
    fails with 124."""
    env = dict(
        os.environ,
        SHARDWRIGHT_BUILD=options.build,
        SHARDWRIGHT_PYTHON=options.python,
        PYTHONDONTWRITEBYTECODE="1",
        XLA_FLAGS=f"{os.environ.get('XLA_FLAGS', '')} {XLA_FLAGS}",
    )
    # LLVM's headers poison allocator memory. LLVM's library is not instrumented, so it never
    # unpoisons it.
    env["ASAN_OPTIONS"] = "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"
    env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
    start = time.monotonic()
    with tempfile.TemporaryFile() as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env, cwd=ROOT
        )
        late = threading.Event()
        timer = threading.Timer(limit, lambda: (late.set(), process.kill()))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)  # the usage of this process and of its children
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        file.seek(0)
        output = file.read()
    code = process.returncode
    if late.is_set():
        code, output = 124, output + f"\n{name}: stopped after {limit} s".encode()
    seconds = (time.monotonic() - start, usage.ru_utime + usage.ru_stime)
    return code, output.decode(errors="replace"), seconds


def run_script(name, command, options):
    """Runs a job that ends with a summary line. Without one its exit code counts as one test."""
    code, output, seconds = execute(name, command, options, options.limit)
    found = SUMMARY.findall(output)
    if not found:
        return Result(name, int(code == 0), int(code != 0), 0, output, seconds)
    passed, failed, skipped = (int(n or 0) for n in found[-1])
    if code != 0 and failed == 0:
        failed, output = 1, output + f"\n{name}: exit code {code}"
    return Result(name, passed, failed, skipped, output, seconds)


def run_gtest(name, command, options):
    code, output, seconds = execute(name, command + ["--gtest_brief=1"], options, options.limit)
    passed = sum(int(n) for n in re.findall(r"\[  PASSED  \] (\d+) test", output))
    failed = sum(int(n) for n in re.findall(r"^\[  FAILED  \] (\d+) test", output, re.M))
    skipped = sum(int(n) for n in re.findall(r"\[  SKIPPED \] (\d+) test", output))
    if code != 0 and failed == 0:
        failed, output = 1, output + f"\n{name}: exit code {code}"
    return Result(name, passed, failed, skipped, output, seconds)


def unit(options):
    listing = subprocess.run(
        ["ctest", "--test-dir", options.build, "--show-only=json-v1"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        (run_gtest, test["name"], test["command"]) for test in json.loads(listing.stdout)["tests"]
    ]


def run_lit(name, command, options):
    report = os.path.join(options.build, "test", "lit-results.json")
    code, output, seconds = execute(name, command + ["-o", report], options, options.limit)
    counts = {}
    try:
        with open(report) as file:
            for test in json.load(file)["tests"]:
                counts[test["code"]] = counts.get(test["code"], 0) + 1
    except (OSError, ValueError) as error:
        output += f"\nno lit results: {error}"
    passed = counts.pop("PASS", 0) + counts.pop("XFAIL", 0)
    skipped = counts.pop("UNSUPPORTED", 0) + counts.pop("SKIPPED", 0)
    failed = sum(counts.values())
    if code != 0 and failed == 0:
        failed = 1
    return Result(name, passed, failed, skipped, output, seconds)


def lit(options):
    llvm_lit = None
    with open(os.path.join(options.build, "test", "lit.site.cfg.py")) as site:
        llvm_lit = re.search(r'llvm_tools_dir = r"([^"]+)"', site.read()).group(1) + "/lit"
    workers = CORES if options.names == ["lit"] else 1  # other jobs run beside it
    command = [llvm_lit, "-sv", "--no-progress-bar", f"-j{workers}", os.path.join(options.build, "test")]
    return [(run_lit, "lit", command)]


def scripts(folder, exclude=()):
    def jobs(options):
        found = []
        path = os.path.join(ROOT, "test", folder)
        for file in sorted(os.listdir(path)) if os.path.isdir(path) else []:
            if not file.endswith(".py") or file in exclude:
                continue
            with open(os.path.join(path, file)) as source:
                text = source.read()
            if ".finish()" not in text and "session.leave(" not in text and "main(__doc__" not in text:
                    continue  # a module that scripts share; it has no tests
            command = [options.python, os.path.join(path, file)]
            if options.long:
                command.append("--long")
            found.append((run_script, f"{folder}/{file}", command))
        return found

    return jobs


def jax(options):
    """Returns the scripts of test/jax, and a sample of those in processes/."""
    sample = [j for j in scripts("jax/processes", exclude=("job.py",))(options) if j[1] == "jax/processes/arrays.py"]
    return [*scripts("jax", exclude=("both.py",))(options), *sample]


def newest_jax(options):
    """Returns the scripts of test/jax with the newest JAX, with a sample of their cases."""
    python = os.path.join(ROOT, ".venv-newest", "bin", "python")
    if not os.path.exists(python):
        why = "no .venv-newest: scripts/bootstrap.sh makes it if there is a Python 3.12 or newer"
        return [(lambda name, why, _: Result(name, skipped=1, output=f"SKIPPED {name}: {why}"), "newest_jax", why)]
    jobs = []
    for function, name, command in scripts("jax", exclude=("both.py",))(options):
        with open(command[1]) as source:
            has_cases = "main(__doc__" in source.read()
        if has_cases or name.endswith(("/versions.py", "/saved_programs.py")):
            more = [] if options.long or not has_cases else ["--every", str(NEWEST_EVERY)]
            jobs.append((function, name.replace("jax/", "newest_jax/"), [python, *command[1:], *more]))
    return jobs


def pytorch(options):
    """Returns the scripts of test/pytorch, with PyTorch's interpreter."""
    python = os.environ.get("SHARDWRIGHT_TORCH_PYTHON") or os.path.join(ROOT, ".venv-torch", "bin", "python")
    if not os.path.exists(python):
        why = "no .venv-torch: `scripts/bootstrap.sh pytorch` makes it (7 GB)"
        return [(lambda name, why, _: Result(name, skipped=1, output=f"SKIPPED {name}: {why}"), "pytorch", why)]
    jobs = []
    for function, name, command in scripts("pytorch", exclude=("session.py",))(options):
        # PyTorch/XLA's CPU device compiles for minutes: a job for each model.
        models = name.endswith("/models.py")
        for more in [["--models", m] for m in ("mlp", "conv", "gpt", "lstm")] if models else [[]]:
            jobs.append((function, name, [python, *command[1:], *more]))
    return jobs


# Scripts of test/oracle that compare with the newest jaxlib, too: what programs mean, and how they
# propagate. The texts of other passes differ between versions.
NEWEST_ORACLE = (
    "chlo_expansion", "examples_propagate", "jax_exports", "op_traits", "propagate", "propagate_jax",
    "reshard_to_collectives", "rule_strings", "rule_table", "rules", "stablehlo_dialect",
)  # fmt: skip
ORACLE_EVERY = 4  # a quarter of the cases


def newest_oracle(options):
    """Returns the scripts of NEWEST_ORACLE with the newest jaxlib, with a sample of their cases."""
    python = os.path.join(ROOT, ".venv-newest", "bin", "python")
    if not os.path.exists(python):
        why = "no .venv-newest: scripts/bootstrap.sh makes it if there is a Python 3.12 or newer"
        return [(lambda name, why, _: Result(name, skipped=1, output=f"SKIPPED {name}: {why}"), "newest_oracle", why)]
    jobs = []
    for function, name, command in scripts("oracle", exclude=("oracle.py",))(options):
        script = os.path.basename(name)
        if script[:-3] not in NEWEST_ORACLE:
            continue
        with open(command[1]) as source:
            samples = "oracle.arguments(" in source.read() and not options.long
        more = ["--every", str(ORACLE_EVERY)] if samples else []
        jobs.append((function, f"newest_oracle/{script}", [python, *command[1:], *more]))
    return jobs


def package(options):
    script = os.path.join(ROOT, "test", "consumer", "check.sh")
    return [(run_script, "package", [script, options.build])] if os.path.exists(script) else []


def fuzz(options):
    """Runs one job per target; none in a build without fuzz targets."""
    script = [sys.executable, os.path.join(ROOT, "scripts", "fuzz.py"), "--build", options.build]
    found = sorted(glob.glob(os.path.join(options.build, "bin", "*_fuzz")))
    return [(run_script, f"fuzz/{os.path.basename(f)}", [*script, os.path.basename(f)]) for f in found]


SUITES = {
    "unit": unit,
    "lit": lit,
    "oracle": scripts("oracle", exclude=("oracle.py",)),
    "newest_oracle": newest_oracle,
    "end_to_end": scripts("end_to_end"),
    "jax": jax,
    "newest_jax": newest_jax,
    "processes": lambda options: [
        (function, name.replace("jax/processes", "processes"), command)
        for function, name, command in scripts("jax/processes", exclude=("job.py",))(options)
    ],
    "pytorch": pytorch,
    "browser": scripts("browser", exclude=("browser.py",)),
    "fuzz": fuzz,
    "package": package,
    "docs": lambda options: [
        (run_script, "docs", [sys.executable, "scripts/check_docs.py"]),
        (run_script, "op_status", [sys.executable, "scripts/op_status.py"]),
        (run_script, "jax_versions", [sys.executable, "scripts/jax_versions.py"]),
    ],
    "tree": lambda options: [
        (run_script, "page_scripts", [sys.executable, "scripts/check_scripts.py"]),
        (run_script, "tree", [sys.executable, "scripts/check_tree.py"]),
        (run_script, "layers", [sys.executable, "scripts/check_layers.py"]),
        (run_script, "layers_test", [sys.executable, "scripts/check_layers_test.py"]),
        (run_script, "mutations", [sys.executable, "scripts/mutation_check.py", "--check"]),
    ],
}


def show_failure(result, options):
    """Prints a failed job's output, without the middle if it is long; the log has all of it."""
    folder = os.path.join(options.build, "test-logs")
    os.makedirs(folder, exist_ok=True)
    log = os.path.join(folder, result.name.replace("/", "_") + ".log")
    with open(log, "w") as file:
        file.write(result.output)
    lines = result.output.rstrip().splitlines()
    if len(lines) > 2 * SHOWN_LINES:
        cut = len(lines) - 2 * SHOWN_LINES
        lines[SHOWN_LINES:-SHOWN_LINES] = [f"... ({cut} lines left out: {log})"]
    print("\n".join([f"--- {result.name}", *lines, "---"]), flush=True)


def known_seconds():
    """Returns the seconds of the processor that jobs took when they were last recorded, by name."""
    try:
        with open(SECONDS) as file:
            return json.load(file)
    except OSError:
        return {}


def record_seconds(results):
    """Writes the seconds of these jobs, beside those of other jobs."""
    seconds = {**known_seconds(), **{r.name: round(r.processor) for r in results}}
    with open(SECONDS, "w") as file:
        json.dump(dict(sorted(seconds.items())), file, indent=1)
        file.write("\n")


def show_job(result, options):
    if result.failed:
        show_failure(result, options)
    else:
        for line in result.output.splitlines():
            if line.startswith("SKIPPED"):
                print(line)
    if options.verbose or result.failed:
        print(
            f"  {result.name:34} {result.passed:6} passed {result.failed:4} failed {result.skipped:4} skipped "
            f"{result.elapsed:7.1f} s, processor {result.processor:7.1f} s",
            flush=True,
        )


def show_suite(name, results):
    passed, failed, skipped, processor = (sum(getattr(r, f) for r in results) for f in ("passed", "failed", "skipped", "processor"))
    print(f"{name:13} {passed:6} passed {failed:4} failed {skipped:4} skipped, processor {processor:7.1f} s", flush=True)


def run_all(chosen, options):
    """Runs the jobs of all suites in one pool, those that take longest first, so that no core is idle at the end. Prints
    the line of a suite when its last job has ended. Returns all results."""
    seconds = known_seconds()
    jobs = [(suite, *job) for suite, suite_jobs in chosen.items() for job in suite_jobs]
    jobs.sort(key=lambda job: -seconds.get(job[2], float("inf")))  # new jobs may be long
    left = {suite: len(suite_jobs) for suite, suite_jobs in chosen.items()}
    results = {suite: [] for suite in chosen}
    for suite in chosen:
        if not left[suite]:
            show_suite(suite, [])
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        suites = {pool.submit(function, name, command, options): suite for suite, function, name, command in jobs}
        for future in concurrent.futures.as_completed(suites):
            suite, result = suites[future], future.result()
            results[suite].append(result)
            show_job(result, options)
            if len(results[suite]) == left[suite]:
                show_suite(suite, results[suite])
    return [result for suite in chosen for result in results[suite]]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("--build", default="build", help="the build folder (build)")
    parser.add_argument("--long", action="store_true", help="random tests in full")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each job")
    parser.add_argument("--record", action="store_true", help=f"write the seconds of jobs, which decide their order, to {os.path.relpath(SECONDS, ROOT)}")
    options = parser.parse_args()
    options.build = os.path.join(ROOT, options.build)
    options.limit = 7200 if options.long else 900
    venv = os.path.join(ROOT, ".venv", "bin", "python")
    options.python = os.environ.get("SHARDWRIGHT_PYTHON") or (
        venv if os.path.exists(venv) else sys.executable
    )
    if not os.path.exists(os.path.join(options.build, "build.ninja")):
        sys.exit(f"run_tests: {options.build} is not built: run `make build` first")

    chosen = {}
    for asked in options.names or (name for name in SUITES if name not in ("processes", "pytorch")):
        suite, _, file = asked.partition("/")
        if suite not in SUITES:
            sys.exit(f"run_tests: no suite '{suite}'; there are: {', '.join(SUITES)}")
        jobs = [j for j in SUITES[suite](options) if not file or j[1] == asked]
        if file and not jobs:
            sys.exit(f"run_tests: no script '{asked}' under test/")
        chosen.setdefault(suite, []).extend(jobs)

    start = time.monotonic()
    results = run_all(chosen, options)
    if options.record:
        record_seconds(results)
    passed, failed, skipped = (sum(getattr(r, field) for r in results) for field in ("passed", "failed", "skipped"))
    print(
        f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "") +
        f"; {time.monotonic() - start:.0f} s, processor {sum(r.processor for r in results):.0f} s"
    )
    sys.exit(1 if failed or not (passed or skipped) else 0)


if __name__ == "__main__":
    main()
