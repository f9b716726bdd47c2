#===- run_programs.py - the programs of this benchmark -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import importlib.util
import os

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "collective_bytes")


def programs(number):
    """Returns (name, function that makes a Program) of a list of benchmarks/collective_bytes."""
    spec = importlib.util.spec_from_file_location("collective_bytes_run", os.path.join(_FOLDER, "run.py"))
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    return run.programs() if number == 1 else run.later_programs({2: run.suite.SECOND, 3: run.suite.THIRD}[number])
