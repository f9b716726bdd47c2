#===- versions.py - the plugin on versions of JAX that are not known yet ---===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A made-up JAX 0.13 lacks private names, one at a time, all places of one name, and all of them. Sharded
programs run on each, and the doctor names the features that are lost, and no others. Names are hidden
from the modules of the plugin only: JAX itself keeps working, as a newer version would.

  versions.py            a sample of the names
  versions.py --long     all of them
  versions.py NAME       those that contain a text, such as set_sharding
"""

import argparse
import contextlib
import inspect
import io
import json
import os
import re
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGE = os.path.join(ROOT, "python", "shardwright", "jax")
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
os.environ.update(JAX_PLATFORMS="shardwright", SHARDWRIGHT_NUM_DEVICES="8", TF_CPP_MIN_LOG_LEVEL="3")
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # no threads before fork

import jax
import jax.experimental.buffer_callback
import jax.extend.backend  # so that its module exists when names are hidden
import jax.ffi
import oracle

VERSION = "0.13.0"
SAMPLE = 5  # every fifth name, without --long
PLACE = re.compile(r'"((?:jax|jaxlib)[\w.]*:[\w.]+)"')

MLIR, CLIENT, EXPORT = "jax._src.interpreters.mlir", "jaxlib.xla_client", "jax._src.export._export"
DEPENDENT = ["jax.lax.platform_dependent"]
EARLIER = ["foreign functions that were registered earlier"]
# place -> the features that need it. Other places have a substitute.
LOST = {
    f"{MLIR}:_platforms_with_donation": ["buffer donation"],
    f"{MLIR}:lower_per_platform": DEPENDENT,
    "jax._src.lax.control_flow.conditionals:_cond_lowering": DEPENDENT,
    f"{MLIR}:set_sharding": ["callbacks into Python"],
    "jax._src.callback:emit_python_callback": ["callbacks into Python"],
    "jax._src.buffer_callback:buffer_callback_p": ["buffer_callback"],
    "jax._src.compilation_cache:is_cache_used": ["persistent compilation cache"],
    "jax._src.config:string_flag": ["helpers of JAX's own tests"],
    "jax._src.test_util:_TEST_DUT": ["helpers of JAX's own tests"],  # of a module that is imported already
    # jaxlib.xla_client._xla, the substitute, is the same module.
    "jaxlib._jax:hlo_module_cost_analysis": ["cost_analysis of lowered programs"],
    f"{CLIENT}:_custom_type_id": EARLIER,
    f"{CLIENT}:_custom_callback": EARLIER,
    f"{CLIENT}:custom_call_targets": EARLIER,
    f"{EXPORT}:_call_exported_lowering": ["programs exported for the CPU"],
    f"{EXPORT}:call_exported_p": ["programs exported for the CPU"],
    "jax._src.interpreters.pxla:MeshComputation.cost_analysis": ["cost_analysis of lowered programs"],
    "jax._src.api:_check_string_compatible_sharding": ["arrays of texts"],
    "jax._src.numpy.array_constructors:_get_platform": ["views of buffers"],
}
if not hasattr(jax.ffi, "abstract_token"):  # before 0.11 it has no public name
    LOST["jax._src.core:abstract_token"] = ["callbacks into Python"]

# Places of one name, hidden together -> the features that need the name.
SUBSTITUTES = {
    (f"{MLIR}:_platform_specific_lowerings", "jax.interpreters.mlir:_platform_specific_lowerings"): [
        "lowering rules of the CPU"],
    (f"{MLIR}:_platform_specific_lowerings", "jax.interpreters.mlir:_platform_specific_lowerings", "jax._src.debugging:debug_callback_lowering"): [
        "lowering rules of the CPU", "callbacks into Python"],
    ("jax._src.array:ArrayImpl", "jaxlib._jax:ArrayImpl"): ["views of our arrays by DLPack"],
    ("jaxlib._jax:hlo_module_cost_analysis", f"{CLIENT}:_xla.hlo_module_cost_analysis"): ["cost_analysis of lowered programs"],
    ("jax.ffi:abstract_token", "jax._src.core:abstract_token"): ["callbacks into Python"],
    ("jax._src.xla_bridge:register_plugin", "jaxlib._profiler:register_plugin_profiler", "jax._src.lib:_profiler.register_plugin_profiler"): [
        "profiles (jax.profiler)"],
    ("jax._src.xla_bridge:register_plugin", f"{CLIENT}:make_c_api_device_topology"): ["topologies of absent devices"],
    ("jax._src.xla_bridge:register_plugin", "jax._src.xla_bridge:_nonexperimental_plugins"): [],
    (f"{CLIENT}:register_custom_call_handler", f"{CLIENT}:register_custom_type_handler"): [],
    ("jax._src.xla_bridge:_alias_to_platforms", "jax._src.xla_bridge:_init_backend"): [],
}  # fmt: skip
# Functions whose parameter has another name -> the features that need it.
RENAMED = {
    ("jax._src.compilation_cache:is_cache_used", "backend"): ["persistent compilation cache"],
    ("jax._src.callback:emit_python_callback", "partitioned"): ["callbacks into Python"],
    (f"{MLIR}:lower_per_platform", "platform_rules"): DEPENDENT,
    ("jax._src.dlpack:from_dlpack", "device"): ["arrays of ours from DLPack"],
}


def places():
    """Returns the private places that the package looks up."""
    found = set()
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith(".py"):
            with open(os.path.join(PACKAGE, name)) as file:
                text = file.read()
            found.update(PLACE.findall(text))
            # A place in a loop over methods.
            found.update(f"{p}.{m}" for p in PLACE.findall(text) if p.endswith(":ArrayImpl") for m in ("__dlpack__", "__dlpack_device__"))
    return sorted(p for p in found if "_src" in p or p.startswith("jaxlib"))


def private_imports():
    """Returns lines of the package that use private modules past `names`."""
    found = []
    for folder, _, files in os.walk(os.path.dirname(PACKAGE)):
        for name in files:
            if name.endswith(".py") and name != "probes.py":
                with open(os.path.join(folder, name)) as file:
                    found += [f"{name}: {line.strip()}" for line in file if re.match(r"\s*(from|import)\s+(jax\._src|jaxlib)\b", line)]
    return found


def _from_plugin():
    frame = sys._getframe(2)
    while frame and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__", "").startswith("shardwright.")


class Without:
    """An object without an attribute, or with another value of it."""

    def __init__(self, real, attribute, *instead):
        self.__dict__.update(_real=real, _attribute=attribute, _instead=instead)

    def __getattr__(self, name):
        if name == self._attribute:
            if self._instead:
                return self._instead[0]
            raise AttributeError(f"JAX {VERSION} has no {name}")
        return getattr(self._real, name)

    def __setattr__(self, name, value):
        setattr(self._real, name, value)


def hide(place, *instead):
    """Hides a place from the plugin's modules, or gives them another value."""
    import importlib

    module_name, _, path = place.partition(":")
    module = importlib.import_module(module_name)
    first, *rest = path.split(".")
    if not hasattr(module, first):
        return
    former = type(module)

    class Hiding(former):
        def __getattribute__(self, name):
            if name == first and _from_plugin():
                value = former.__getattribute__(self, name)
                for attribute in rest[:1]:
                    return Without(value, attribute, *instead)
                if instead:
                    return instead[0]
                raise AttributeError(f"JAX {VERSION} has no {name}")
            return former.__getattribute__(self, name)

    module.__class__ = Hiding


def rename(place, parameter):
    """Gives the plugin's modules a function whose parameter has another name."""
    module, _, attribute = place.partition(":")
    function = getattr(sys.modules[module], attribute)

    def other(*args, **kwargs):
        return function(*args, **kwargs)

    signature = inspect.signature(function)
    other.__signature__ = signature.replace(
        parameters=[p.replace(name=f"newer_{p.name}") if p.name == parameter else p for p in signature.parameters.values()]
    )
    hide(place, other)


def diagnose(change):
    """Runs the doctor in a forked process, after `change()`. Returns {feature: mark}, and the text."""
    with tempfile.TemporaryFile("w+") as out:
        pid = os.fork()
        if pid == 0:
            code, text = 1, io.StringIO()
            try:
                jax.__version__ = VERSION
                with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
                    change()
                    from shardwright import doctor

                    report = doctor.Report()
                    doctor.diagnose(report)
                json.dump([report.features, text.getvalue()], out)
                out.flush()
                code = 0
            except BaseException as error:
                json.dump([{}, text.getvalue() + repr(error)], out)
                out.flush()
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        out.seek(0)
        content = out.read()
        return json.loads(content) if content else ({}, f"ended with status {status}")


def check(tally, name, change, lost):
    features, text = diagnose(change)
    found = sorted(feature for feature, mark in features.items() if mark not in ("ok", "skip"))
    tally.check(name, features.get("sharded programs") == "ok" and found == sorted(lost), f"lost {found}, expected {sorted(lost)}\n{text}")


def twice():
    jax.devices()
    from shardwright.jax import initialize

    initialize()
    initialize()


def newer_keyword(tally):
    """A keyword that only a newer version has reaches JAX's function."""
    from jax._src import compilation_cache

    got = []
    original = compilation_cache.is_cache_used
    compilation_cache.is_cache_used = lambda backend, *, newer=None: got.append(newer)
    from shardwright.jax import measures, names

    changes = names.Changes()
    measures._compilation_cache(changes, types.SimpleNamespace(platform="shardwright"))
    compilation_cache.is_cache_used(types.SimpleNamespace(platform="shardwright"), newer=13)
    changes.undo()
    compilation_cache.is_cache_used = original
    tally.equal("a newer keyword", str(got), "[13]")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="", help="only names with this text")
    args = oracle.arguments(__doc__, 0, 0, parser)
    tally = oracle.Tally("jax/versions")
    everything = places()
    tally.equal("private names are looked up in one place", "\n".join(private_imports()), "")
    tally.equal("expectations name places", "\n".join(sorted(set(LOST) - set(everything))), "")
    newer_keyword(tally)
    chosen = [(p, lambda p=p: hide(p), LOST.get(p, [])) for p in everything]
    chosen += [(" and ".join(group), lambda group=group: [hide(p) for p in group], lost) for group, lost in SUBSTITUTES.items()]
    chosen += [(f"{p} with another {name}", lambda p=p, name=name: rename(p, name), lost) for (p, name), lost in RENAMED.items()]
    if args.name:
        chosen = [c for c in chosen if args.name in c[0]]
    elif not args.long:
        chosen = chosen[::SAMPLE]
    check(tally, "nothing is hidden", lambda: None, [])
    check(tally, "initialised twice", twice, [])
    groups = [lost for group, lost in SUBSTITUTES.items() if set(group) <= {*everything, "jax.ffi:abstract_token"}]
    union = {feature for lost in (*LOST.values(), *groups) for feature in lost}
    check(tally, "everything private is gone", lambda: [hide(p) for p in everything if p not in KEPT], union)
    for name, change, lost in chosen:
        check(tally, name, change, lost)
    tally.finish()


# A version without these could load no plugin at all.
KEPT = {f"{CLIENT}:{name}" for name in ("load_pjrt_plugin_dynamically", "make_c_api_client", "initialize_pjrt_plugin", "pjrt_plugin_initialized")}

if __name__ == "__main__":
    main()
