#===- executables.py - saved executables and the kernel cache -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Executables that one process saves run in another process, and are refused if they are damaged. The
kernel cache gives the same results, and tolerates damage and missing directories. Programs with
other shapes share kernels."""

import glob
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

tally = oracle.Tally("executables")


def run(*flags, env=None, command="run"):
    return oracle.process([oracle.TOOL, command, *flags], env=env)


def run_saved(*flags):
    return run(*flags, command="run-saved")


def passes(case, done, stderr=""):
    tally.check(case, done.returncode == 0 and (done.stderr == "" if stderr == "" else stderr in done.stderr),
                f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")  # fmt: skip


def refused(case, done, text):
    tally.check(case, done.returncode == 2 and text in done.stderr and done.stdout == "",
                f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")  # fmt: skip


def about(report):
    """Returns the parts of a report that depend on the program, not on the run."""
    return report[report.index("\narguments\n") :]


def spoil(path, at):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data[at] ^= 1
    os.unlink(path)  # keeps other hard links of the file unchanged
    with open(path, "wb") as file:
        file.write(data)


with tempfile.TemporaryDirectory() as folder:
    for name in ("double", "mlp_train"):
        saved = os.path.join(folder, name)
        data = (oracle.example(name, "inputs.npz"), "--expect", oracle.example(name, "expected.npz"))
        done = run(oracle.example(name), *data, f"--save={saved}")
        passes(f"{name} saved", done)
        loaded = run_saved(saved, *data)
        passes(f"{name} loaded", loaded)
        tally.check(f"{name}: the report stays", about(done.stdout) == about(loaded.stdout),
                    f"{done.stdout}\n{loaded.stdout}")  # fmt: skip
        passes(f"{name} trusted", run(saved, *data, "--trusted"))
        refused(f"{name} not trusted", run(saved, *data), "is a saved executable: machine code")
        spoil(saved, -100)
        refused(f"{name} damaged", run_saved(saved, *data), "damaged")
    with open(saved, "wb") as file:
        file.write(b"shardwright executable\n")
    refused("cut off", run_saved(saved), "damaged")
    refused("a module", run_saved(oracle.example("double")), "is not a saved executable")

    cache = os.path.join(folder, "cache")
    data = (oracle.example("mlp_train", "inputs.npz"), "--expect", oracle.example("mlp_train", "expected.npz"))
    program = oracle.example("mlp_train")
    passes("cache filled", run(program, *data, f"--kernel-cache={cache}"))
    files = sorted(glob.glob(os.path.join(cache, "*")))
    tally.check("cache has files", files and all(f.endswith(".swk") for f in files), str(files))
    times = [os.stat(f).st_mtime_ns for f in files]
    passes("cache used", run(program, *data, env={"SHARDWRIGHT_KERNEL_CACHE": cache}))
    tally.check("nothing was written again", times == [os.stat(f).st_mtime_ns for f in files]
                and files == sorted(glob.glob(os.path.join(cache, "*"))))  # fmt: skip
    for path in files:
        spoil(path, -1)
    passes("cache damaged", run(program, *data, f"--kernel-cache={cache}"), "of the kernel cache is ignored: it is damaged")
    passes("cache mended", run(program, *data, f"--kernel-cache={cache}"))
    os.chmod(cache, 0o777)
    passes("cache of all", run(program, *data, f"--kernel-cache={cache}"),
           "is not used: users other than its owner can write it; use a directory of your own (chmod 700)")  # fmt: skip
    os.chmod(cache, 0o700)
    for path in glob.glob(os.path.join(cache, "*")):
        os.chmod(path, 0o666)
    passes("files of all", run(program, *data, f"--kernel-cache={cache}"), "is ignored: users other than its owner can write it")
    passes("files of its own again", run(program, *data, f"--kernel-cache={cache}"))
    passes("no such cache", run(program, *data, "--kernel-cache=/proc/no/such/place"), "the kernel cache is not written")

    # With a size limit of zero, written files are removed again, and the results stay the same.
    passes("cache too small", run(program, *data, f"--kernel-cache={cache}", env={"SHARDWRIGHT_KERNEL_CACHE_SIZE": "1KiB"}))

    done = run(program, *data, "--progress=0.001")
    tally.check("progress", done.returncode == 0 and "shardwright: compiling, " in done.stderr, done.stderr)
    refused("progress of nothing", run(program, *data, "--progress=never"), "--progress")

tally.finish()
