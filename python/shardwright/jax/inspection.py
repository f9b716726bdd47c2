#===- inspection.py - how programs are partitioned, and why -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright.partition`, `shardwright.explain` and `shardwright.report`: show how a JAX program is
partitioned, and why its values have their shardings. Nothing is executed, and no device is needed."""

import functools
import html
import json
import os

from shardwright import library
from shardwright.jax import lowering

STAGES = ("import", "propagate", "reshard", "local")


@functools.lru_cache(maxsize=None)
def _bridge():
    path = library.find()
    if path is None:
        raise ImportError(f"{library.NAME} is not in {library.places()}; build it, or set SHARDWRIGHT_LIBRARY_DIR")
    return library.Bridge(path)


def ask(what, program, args, kwargs, context, **request):
    """Lowers the program in the context of a mesh, and asks the library about it."""
    code, kept = lowering.stablehlo(program, args, kwargs, context)
    import jax

    # Propagation through custom partitionings calls Python, so `kept` must be alive.
    request["shardy"] = bool(jax.config.jax_use_shardy_partitioner)
    request = {name: value for name, value in request.items() if value is not None}
    answer = json.loads(_bridge().inspect(what, json.dumps(request), code))
    del kept
    return answer


def _list(value):
    """Converts one name or a list of names to a list. Numbers of arguments are names too."""
    return [str(v) for v in (value if isinstance(value, (list, tuple)) else [] if value is None else [value])]


def _paths(paths):
    """Converts paths of libraries to the text that the library reads; None stands for its default."""
    return paths if paths is None or isinstance(paths, str) else ":".join(os.fspath(p) for p in paths)


class Partitioned:
    """A partitioned program. str() is the text report."""

    def __init__(self, answer):
        self._report = answer["report"]
        self.name = answer["name"]
        #: stage -> StableHLO: `import`, `propagate`, `reshard` (still of global shapes), `local`
        self.stages = answer["stages"]
        #: all data, as `shardwright partition --report=json` writes it
        self.statistics = answer["statistics"]
        #: the reason why the memory is unknown; None if it is known or was not requested
        self.memory_unknown = answer.get("memory_unknown")

    @property
    def text(self):
        """The program of one device."""
        return self.stages["local"]

    @property
    def devices(self):
        return self.statistics["devices"]

    @property
    def collectives(self):
        """kind -> {"count": executions, "bytes": sent by one device}, without absent kinds."""
        return {kind: total for kind, total in self.statistics["collectives"].items() if total["count"]}

    @property
    def bytes_sent(self):
        """Sent by one device in one step."""
        return self.statistics["bytes_sent_per_device"]

    @property
    def peak_bytes(self):
        """Arguments, results and temporaries of one device; None if the memory is unknown."""
        return self.statistics["peak_bytes_per_device"]

    @property
    def predicted_seconds(self):
        """Of one step, on the given machine or on the built-in one."""
        return self.statistics["predicted_step"]["step_seconds"]

    @property
    def arguments(self):
        """[{"name", "type", "local", "sharding"}]: the global type, and the type on one device."""
        return self.statistics["arguments"]

    @property
    def results(self):
        return self.statistics["results"]

    def __str__(self):
        return self._report

    def __repr__(self):
        sent = ", ".join(f"{int(total['count'])} {kind}" for kind, total in self.collectives.items())
        return f"<Partitioned {self.name}: {self.devices} devices, {sent or 'no collectives'}>"


class Explanation:
    """Why values are sharded as they are. str() is a text report, `data` the same as a dictionary."""

    def __init__(self, answer):
        self.text = answer["text"]
        self.data = answer["data"]

    @property
    def values(self):
        return self.data.get("values", [])

    @property
    def collectives(self):
        return self.data.get("collectives", [])

    def __str__(self):
        return self.text

    __repr__ = __str__


class Report:
    """The report of a partitioned program. Notebooks show its page."""

    def __init__(self, answer):
        self.name = answer["name"]
        #: all data: docs/dev/report-format.md of the sources describes it
        self.document = answer["document"]
        #: the page, which needs no other file
        self.html = answer["html"]

    @property
    def statistics(self):
        """As `shardwright partition --stats=json` prints them, without durations of compiling."""
        return self.document["statistics"]

    def save(self, path):
        """Writes the page, or the document if the name of the file ends in .json."""
        path = os.fspath(path)
        text = json.dumps(self.document) if path.endswith(".json") else self.html
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def _repr_html_(self):
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 720px; border: 1px solid #8888"></iframe>'

    def __repr__(self):
        sent = self.statistics["bytes_sent_per_device"]
        return f"<Report of {self.name}: {self.statistics['devices']} devices, each sends {sent} bytes>"


def partition(program, *args, mesh=None, effort=1, machine=None, overlap=None, target=None, stages=STAGES, memory=True, locations=False, full=False,
              library_paths=None, **kwargs):
    """Partitions `program` for its mesh. `program` is a function from jax.jit (with its arguments:
    arrays or ShapeDtypeStructs), a `Lowered`, a `jax.export.Exported`, or the text of a StableHLO
    module.

      mesh       the Mesh or AbstractMesh, of any size, whose axes the function's PartitionSpecs name
      effort     of the partitioner, 0 to 2; 3 also searches for shardings of inner values (docs/auto.md)
      machine    path of a machine file (docs/machines.md), for which the step time is predicted
      overlap    `rings` or `on`: hide communication behind computation
      target     the compiler of the program of one device: `cpu` (default), or XLA's for `gpu` or `tpu`
      stages     the stages whose text is kept
      memory     False: skip code generation; peak_bytes is then None
      locations  whether the texts have locations
      full       whether str() has each row of each table, not one for rows of one kind
      library_paths  source files of libraries, which reports pass over for the line that calls them: absolute folders,
                 or parts of a path as `flax/linen`, in a list or separated by colons; `none` stands for not even
                 those of Python (default: what SHARDWRIGHT_LIBRARY_PATHS says)

    Raises ValueError if the program cannot be partitioned."""  # fmt: skip
    return Partitioned(
        ask(
            "partition", program, args, kwargs, mesh, effort=effort, machine=machine and str(machine), overlap=overlap,
            target=target, stages=_list(stages), memory=memory, locations=locations, full=full, library_paths=_paths(library_paths),
        )
    )  # fmt: skip


def explain(program, *args, value=None, argument=None, result=None, line=None, collectives=False, mesh=None, effort=1, machine=None, full=False, library_paths=None,
            **kwargs):
    """Explains why values of `program` (as for `partition`) have their shardings. For each axis it
    traces the path back to the annotation. For each axis that could have been propagated but was
    not, it names the op that stopped it and an annotation that would help.

      value             `%12` as in the module's text, or a name
      argument, result  a name or number
      line              `12` or `train.py:12`
      collectives       explain each collective instead
      full              every step of a long path
      library_paths     as for `partition`

    Each of the first four may be a list; without any of them the answer is an overview.

    Raises ValueError for a name that the program does not have."""  # fmt: skip
    return Explanation(
        ask(
            "explain", program, args, kwargs, mesh, values=_list(value), arguments=_list(argument), results=_list(result),
            line=None if line is None else str(line), collectives=collectives, effort=effort,
            machine=machine and str(machine), full=full, library_paths=_paths(library_paths),
        )
    )  # fmt: skip


def report(program, *args, mesh=None, effort=1, machine=None, overlap=None, target=None, trials=None, memory=False, library_paths=None,
           **kwargs):
    """Makes the report of `program`, with the arguments of `partition`: a page with the shardings of all
    values and their reasons, the collectives, the memory over the program and the predicted schedule.
    A notebook shows it; `save(path)` writes it.

      trials     how many annotations are tried for suggestions, each by partitioning again
                 (default: by the size of the program)
      memory     True: generate code, for the exact memory of a device
      library_paths  as for `partition`

    Raises ValueError if the program cannot be partitioned."""  # fmt: skip
    return Report(
        ask(
            "report", program, args, kwargs, mesh, effort=effort, machine=machine and str(machine), overlap=overlap,
            target=target, trials=trials, memory=memory, library_paths=_paths(library_paths),
        )
    )  # fmt: skip
