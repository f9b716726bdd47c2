#===- operators.py - operators of torch, forward and backward -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A seeded sample of 300 operators of torch's operator database, with the database's inputs: results and
gradients equal those of torch's CPU. An input for which PyTorch/XLA's own CPU device gives another
result, too, does not count; an operator without other inputs is skipped. Operators with random results
are not compared."""

import json
import os
import random
import subprocess
import sys
import threading

import session

args = session.arguments(__doc__, worker="", count=300, seed=0, names="", samples=3)
LIMIT = 120  # seconds for one operator


def database():
    """Returns {name: OpInfo} of the operators that are tested."""
    from torch.testing._internal.common_methods_invocations import op_db

    named = {}
    for op in op_db:
        named[op.name + ("." + op.variant_test_name if op.variant_test_name else "")] = op
    return named


def chosen(names):
    if args.names:
        return args.names.split(",")
    names = sorted(names)
    return names if args.long else sorted(random.Random(args.seed).sample(names, min(args.count, len(names))))


def tensors_of(torch, value):
    """The tensors of a nested result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in tensors_of(torch, v)] if isinstance(value, (list, tuple)) else []


def moved(torch, value, device):
    """A copy of nested arguments on the device, leaves of autograd."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().to(device).requires_grad_(value.requires_grad)
    if isinstance(value, torch.device):
        return device if device == "cpu" else torch.device("xla")
    if isinstance(value, str) and value == "cpu":
        return device
    if isinstance(value, dict):
        return {k: moved(torch, v, device) for k, v in value.items()}
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(moved(torch, v, device) for v in value)
    return value


def run(torch, op, sample, device, backward):
    """Returns the results and gradients, on the CPU."""
    torch.manual_seed(3)
    given = moved(torch, [sample.input, list(sample.args), sample.kwargs], device)
    value, more, named = given
    result = op(value, *more, **named)
    if sample.output_process_fn_grad and backward:
        result = sample.output_process_fn_grad(result)
    outputs = tensors_of(torch, result)
    gradients = []
    if backward:
        into = [t for t in tensors_of(torch, given) if t.requires_grad]
        roots = [t for t in outputs if t.requires_grad]
        if into and roots:
            total = sum((t.abs() if t.is_complex() else t).sum() for t in roots)
            gradients = [g for g in torch.autograd.grad(total, into, allow_unused=True) if g is not None]
    return [t.detach().cpu() for t in outputs + gradients]


def compare(torch, found, expected):
    """Returns None if equal, else how they differ."""
    if len(found) != len(expected):
        return f"{len(found)} tensors, expected {len(expected)}"
    for i, (a, b) in enumerate(zip(found, expected)):
        try:
            floats = b.dtype.is_floating_point or b.dtype.is_complex
            if b.dtype.is_floating_point and a.shape == b.shape and a.dtype == b.dtype:
                # PyTorch/XLA's programs start maxima at the least and minima at the greatest number, not at infinity.
                limit = torch.finfo(b.dtype).max
                a = torch.where(b.isinf() & (a.abs() == limit) & (a.sign() == b.sign()), b, a)
            torch.testing.assert_close(a, b, rtol=1e-3 if floats else 0, atol=1e-4 if floats else 0, equal_nan=True)
        except AssertionError as error:
            return f"tensor {i}: " + " ".join(str(error).split())[:300]
    return None


def attempt(torch, op):
    """Returns [[mark, detail]] of the inputs: ok, differs or error. Of one text for an operator that is not compared."""
    dtypes = [d for d in (torch.float32, torch.complex64, torch.int64, torch.bool) if op.supports_dtype(d, "cpu")]
    if not dtypes:
        return "no dtype of ours"
    dtype = dtypes[0]
    backward = op.supports_autograd and dtype in (torch.float32, torch.complex64)
    torch.manual_seed(0)
    try:
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=backward))
    except Exception as error:
        return f"no samples: {error}"[:200]
    count = min(len(samples), args.samples)
    found = []
    for sample in [samples[i * len(samples) // count] for i in range(count)]:
        try:
            expected = run(torch, op, sample, "cpu", backward)
            torch.rand(7)
            if compare(torch, run(torch, lambda *a, **k: (torch.manual_seed(4), op(*a, **k))[1], sample, "cpu", backward), expected):
                return "random results"
        except Exception:
            continue  # torch itself cannot
        try:
            problem = compare(torch, run(torch, op, sample, "xla", backward), expected)
            found.append(["differs", problem] if problem else ["ok", ""])
        except Exception as error:
            found.append(["error", f"{type(error).__name__}: " + " ".join(str(error).split())[:400]])
    return found or "torch's CPU runs no sample"


def work():
    """Prints a line of JSON for each operator of `args.worker` before it runs, [name], and after, [name, marks]."""
    torch, torch_xla = session.start(spmd=False)
    ops = database()
    for name in args.worker.split(","):
        print(json.dumps([name]), flush=True)
        print(json.dumps([name, attempt(torch, ops[name])]), flush=True)
    sys.stdout.flush()
    os._exit(0)  # tensors of failed programs would fail again at exit


def marks(device, names):
    """Returns {name: result of `attempt`}, from processes on a device type: another one after each that ends early."""
    found, rest = {}, list(names)
    while rest:
        command = [sys.executable, __file__, "--worker", ",".join(rest), "--samples", str(args.samples)]
        process = subprocess.Popen(
            command, env=dict(os.environ, PJRT_DEVICE=device), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        errors = []
        reader = threading.Thread(target=lambda: errors.extend(process.stderr.readlines()), daemon=True)
        reader.start()
        current, timer = None, None
        for line in process.stdout:
            if not line.startswith("["):
                continue
            if timer:
                timer.cancel()
            timer = threading.Timer(LIMIT, process.kill)
            timer.start()
            current, *marks = json.loads(line)
            if marks:
                found[current] = marks[0]
        if timer:
            timer.cancel()
        code = process.wait()
        reader.join(5)
        if current is None:
            sys.exit(f"operators: no operator ran on {device}\n{''.join(errors)[-3000:]}")
        if current not in found:
            found[current] = [["crash", f"exit code {code}: {''.join(errors)[-1500:]}"]]
        rest = [name for name in rest if name not in found]
    return found


def main():
    tally = session.Tally("operators")
    os.environ["PJRT_DEVICE"] = "CPU"
    names = chosen(database())
    ours = marks("SHARDWRIGHT", names)
    is_fine = lambda marks: not isinstance(marks, str) and all(mark == "ok" for mark, _ in marks)
    doubtful = [name for name in names if not isinstance(ours[name], str) and not is_fine(ours[name])]
    theirs = marks("CPU", doubtful) if doubtful else {}
    for name in names:
        if isinstance(ours[name], str):
            tally.skip(name, ours[name])
            continue
        # A process that ended early has one mark for all inputs.
        other = theirs.get(name, ours[name])
        if len(other) != len(ours[name]):
            other = [other[0]] * len(ours[name])
        ok = [mark for mark, _ in ours[name]].count("ok")
        bad = [(mark, detail) for (mark, detail), (their, _) in zip(ours[name], other) if mark != "ok" and their == "ok"]
        if bad or ok:
            tally.check(name, not bad, "\n".join(f"{mark}: {detail}" for mark, detail in bad))
        else:
            mark, detail = ours[name][0]
            tally.skip(name, f"{mark}, and {other[0][0]} on PyTorch/XLA's CPU device: {detail[:160]}")
    tally.finish()


if args.worker:
    work()
else:
    main()
