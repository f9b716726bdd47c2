#===- session.py - PyTorch/XLA on our devices, for tests ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What the scripts of test/pytorch share: the device type, the count of tests, runs in other processes.
The device type is SHARDWRIGHT unless PJRT_DEVICE names another, as CPU, the one of PyTorch/XLA itself."""

import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEVICES = 8

os.environ.setdefault("PJRT_DEVICE", "SHARDWRIGHT")
os.environ.setdefault("SHARDWRIGHT_NUM_DEVICES", str(DEVICES))
os.environ.setdefault("CPU_NUM_DEVICES", str(DEVICES))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.join(ROOT, "python"))


class Tally:
    """Counts passed, failed and skipped tests."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped = name, 0, 0, 0

    def check(self, what, ok, detail=""):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {self.name}: {what}\n{detail}", flush=True)
        return ok

    def skip(self, what, why):
        self.skipped += 1
        print(f"SKIPPED {self.name}: {what}: {why}")

    def finish(self):
        tail = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.name}: {self.passed} passed, {self.failed} failed{tail}")
        sys.exit(1 if self.failed else 0)


def leave(tally):
    """Ends the process with the count. Tensors of programs that failed would fail again at a normal exit."""
    try:
        tally.finish()
    except SystemExit as end:
        sys.stdout.flush()
        os._exit(end.code)


def arguments(doc, **options):
    """Parses the command line: --long, and `--name` for each of the options, with its default."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="all cases")
    for name, default in options.items():
        parser.add_argument("--" + name, default=default, type=type(default) if default is not None else str)
    return parser.parse_args()


def start(spmd):
    """Loads torch_xla with one device in use. Returns the modules (torch, torch_xla)."""
    import torch_xla

    if os.environ["PJRT_DEVICE"] == "SHARDWRIGHT":
        import shardwright.torch

        shardwright.torch.register()
    import torch
    import torch_xla.runtime

    if spmd:
        torch_xla.runtime.use_spmd()
    # Autograd counts the devices when it is first used.
    torch.ones(1).to("xla").cpu()
    return torch, torch_xla


def run_as_stablehlo(script, *names):
    """Runs cases of a script in a process in which PyTorch/XLA sends programs as StableHLO, not as HLO protos.
    Raises AssertionError unless they pass."""
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, script), "--names", ",".join(names)],
        env=dict(os.environ, XLA_STABLEHLO_COMPILE="1"), capture_output=True, text=True, timeout=800,
    )  # fmt: skip
    assert f" {len(names)} passed, 0 failed" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]


def worker(script, device, *options, timeout=800):
    """Runs a script of this folder on a device type in a process of its own. Returns (its last line as JSON, None),
    or (None, its output)."""
    env = dict(os.environ, PJRT_DEVICE=device)
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, script), *options], env=env, capture_output=True, text=True, timeout=timeout
    )
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        try:
            return json.loads(lines[-1]), None
        except ValueError:
            pass
    return None, f"exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
