#===- doctor.py - what works on this machine ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`python -m shardwright.doctor` tries the features of the plugin for JAX and PyTorch/XLA on this machine,
and prints a line for each:

  ok    the feature works
  lost  it does not work with this version of JAX, which is not one of the tested ones; the reason
        follows
  FAIL  it does not work with a tested version
  skip  it could not be tried, because a package is not installed
  note  a remark

Exit code 1 if a line is FAIL. `--json` prints {"jax": version, "features": {feature: mark}}."""

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys


class Report:
    def __init__(self, quiet=False):
        self.failed, self.quiet = 0, quiet
        self.features = {}

    def line(self, mark, what, detail=""):
        self.failed += mark == "FAIL"
        if not self.quiet:
            print(f"{mark:5} {what}" + (f": {detail}" if detail else ""), flush=True)

    def feature(self, mark, name, detail=""):
        self.features[name] = mark
        self.line(mark, name, detail)


def _version(text):
    """Returns the numbers of a version, for comparisons."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _probe(report, name, probe, problem, is_tested):
    """Tries a feature. `problem` is the reason why its measure was not applied, or None."""
    from shardwright.jax import probes

    try:
        report.feature("ok", name, probe() or "")
    except probes.NotInstalled as error:
        report.feature("skip", name, f"{error} is not installed")
    except Exception as error:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        report.feature("FAIL" if is_tested or name == "sharded programs" else "lost", name, problem or text)


#: The version of PyTorch/XLA with which the plugin is tested.
TESTED_TORCH_XLA = "2.9.0"


def diagnose_torch(report):
    """Writes the lines about PyTorch/XLA, whose programs run in processes of their own."""
    if not has_torch_xla():
        report.line("skip", "PyTorch", "torch_xla is not installed")
        return
    from importlib.metadata import version

    installed = version("torch_xla")
    report.line("ok", "torch_xla", installed)
    bad = "FAIL" if installed.split("+")[0] == TESTED_TORCH_XLA else "lost"
    if bad == "lost":
        report.line("note", f"torch_xla {installed} is not the tested version", TESTED_TORCH_XLA)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    env = dict(os.environ, PJRT_DEVICE="SHARDWRIGHT", PYTHONPATH=path, TF_CPP_MIN_LOG_LEVEL="3")
    for mode in ("plain", "spmd"):
        command = [sys.executable, "-m", "shardwright.torch.probes", mode]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        for name, problem in found:
            report.line(bad if problem else "ok", name, problem or "")
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            report.line(bad, f"PyTorch programs ({mode})", reason)


def has_torch_xla():
    return importlib.util.find_spec("torch_xla") is not None


def diagnose(report):
    """Writes all lines but those about PyTorch. Returns the version of JAX, or None if JAX cannot be used."""
    report.line("ok", "python", f"{platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    from shardwright import library

    path = library.find()
    if path is None:
        report.line("FAIL", "library", f"{library.NAME} is not in {library.places()}")
        return None
    report.line("ok", "library", path)
    for name, problem in library.transports(path).items():
        report.line("note" if problem else "ok", f"transport {name} for jobs of several processes", problem or "can be used")
    try:
        from shardwright.jax import PLATFORM

        os.environ["JAX_PLATFORMS"] = PLATFORM
        import jax

        from shardwright.jax import measures, probes
    except ImportError as error:
        without = has_torch_xla() and importlib.util.find_spec("jax") is None
        report.line("skip" if without else "FAIL", "jax", str(error))
        return None
    is_tested = jax.__version__ in measures.TESTED
    report.line("ok", "jax", jax.__version__)
    if not is_tested:
        age = "newer than" if _version(jax.__version__) > _version(measures.TESTED[-1]) else "not one of"
        report.line("note", f"JAX {jax.__version__} is {age} the tested versions", ", ".join(measures.TESTED))
    try:
        probes.prepare()
        devices = jax.devices()
    except Exception as error:
        report.line("FAIL", "devices", f"{type(error).__name__}: {error}")
        return jax.__version__
    report.line("ok", "devices", f"{len(devices)} ({devices[0].client.platform_version.splitlines()[-1]})")
    for name, probe in probes.PROBES.items():
        _probe(report, name, probe, measures.outcome.get(name), is_tested)
    return jax.__version__


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the features only, as JSON")
    args = parser.parse_args()
    report = Report(quiet=args.json)
    version = diagnose(report)
    if not args.json:
        diagnose_torch(report)
    if args.json:
        print(json.dumps({"jax": version, "features": report.features}))
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
