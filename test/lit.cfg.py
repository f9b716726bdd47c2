#===- lit.cfg.py - configuration of lit for our tests ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
# test/<layer>/*.mlir, *.test and *.hlo hold RUN lines. Substitutions:
#   shardwright, shardwright-opt, -reduce, -lsp-server   the tools of the build folder
#   %shardwright_opt_path, %shardwright_lsp_server_path  the same as an argument of another command
#   FileCheck, not, count, split-file   LLVM's
#   %python      the interpreter of the tree's venv (jax when it is installed)
#   %oracle_dir  test/oracle of the sources
#   %examples    examples/ of the sources
# Feature `oracle`: jaxlib can be imported by %python. Feature `asan`: a sanitizer build. Feature `cbc`: the solver is built.

import os
import subprocess

import lit.formats

if not hasattr(config, "build_dir"):
    # `lit test/sdy/x.mlir` on the sources: load the build's configuration first.
    build = os.environ.get(
        "SHARDWRIGHT_BUILD", os.path.join(os.path.dirname(__file__), "..", "build")
    )
    site = os.path.join(build, "test", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal("no %s: run `make build` first" % site)
    lit_config.load_config(config, site)
    raise SystemExit

config.name = "Shardwright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".hlo"]
config.excludes = ["Inputs", "oracle", "consumer", "fuzz", "lit.cfg.py", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "test")


def tree_python():
    """The interpreter for oracle tests: the requested one, the tree's venv, or any."""
    asked = os.environ.get("SHARDWRIGHT_PYTHON")
    venv = os.path.join(config.source_dir, ".venv", "bin", "python")
    for path in (asked, venv):
        if path and os.path.exists(path):
            return path
    return "python3"


python = tree_python()


def word(name, path):
    """Matches `name` as a command: not inside a path, a longer name or an option."""
    config.substitutions.append((r"(?<![-\w./%%])%s(?![-\w./])" % name, path))


for tool in ("shardwright", "shardwright-lsp-server", "shardwright-opt", "shardwright-reduce"):
    path = os.path.join(config.build_dir, "bin", tool)
    word(tool, path)
    config.substitutions.append(("%%%s_path" % tool.replace("-", "_"), path))
for tool in ("FileCheck", "not", "count", "split-file"):
    word(tool, os.path.join(config.llvm_tools_dir, tool))
config.substitutions += [
    ("%python", python),
    ("%oracle_dir", os.path.join(config.test_source_root, "oracle")),
    ("%build_dir", config.build_dir),
    ("%examples", os.path.join(config.source_dir, "examples")),
]

if subprocess.run([python, "-c", "import jaxlib.mlir.ir"], capture_output=True).returncode == 0:
    config.available_features.add("oracle")
else:
    lit_config.note("no jaxlib in %s: tests that need the oracle are skipped" % python)

# The solver of automatic sharding, which a build may lack.
if os.path.exists(os.path.join(config.build_dir, "lib", "libshardwright_cbc.so")):
    config.available_features.add("cbc")

if config.sanitize:
    config.available_features.add("asan")
    # LLVM's headers poison allocator memory. LLVM's library is not instrumented, so it never
    # unpoisons it.
    config.environment["ASAN_OPTIONS"] = (
        "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"
    )
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"

config.environment["FILECHECK_OPTS"] = "--enable-var-scope --allow-unused-prefixes=false"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
