#===- inspection.py - how programs are partitioned, and why -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright.partition` and `shardwright.explain`: what the partitioner makes of a JAX program, and
why its values are sharded as they are. Nothing runs, and no device is needed."""

import functools
import json

from shardwright.jax import library, lowering

STAGES = ("import", "propagate", "reshard", "local")


@functools.lru_cache(maxsize=None)
def _bridge():
    path = library.find()
    if path is None:
        raise ImportError(f"{library.NAME} is not in {library.places()}; build it, or set SHARDWRIGHT_LIBRARY_DIR")
    return library.Bridge(path)


def _ask(what, program, args, kwargs, mesh, **request):
    code, kept = lowering.stablehlo(program, args, kwargs, mesh)
    import jax

    # Who propagates through custom partitionings, which are asked while `kept` is.
    request["shardy"] = bool(jax.config.jax_use_shardy_partitioner)
    request = {name: value for name, value in request.items() if value is not None}
    answer = json.loads(_bridge().inspect(what, json.dumps(request), code))
    del kept
    return answer


def _list(value):
    """One name or several, as people write them; numbers of arguments are names too."""
    return [str(v) for v in (value if isinstance(value, (list, tuple)) else [] if value is None else [value])]


class Partitioned:
    """A partitioned program. Its text is the report for people."""

    def __init__(self, answer):
        self._report = answer["report"]
        self.name = answer["name"]
        #: stage -> StableHLO: `import`, `propagate`, `reshard` (still of global shapes), `local`
        self.stages = answer["stages"]
        #: everything that is known, as `shardwright partition --report=json` writes it
        self.statistics = answer["statistics"]
        #: why the memory is not known; None: it is, or was not asked for
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
        """kind -> {"count": executions, "bytes": sent by one device}, of those that there are."""
        return {kind: total for kind, total in self.statistics["collectives"].items() if total["count"]}

    @property
    def bytes_sent(self):
        """By one device, in one step."""
        return self.statistics["bytes_sent_per_device"]

    @property
    def peak_bytes(self):
        """Arguments, results and temporaries of one device; None where the memory is not known."""
        return self.statistics["peak_bytes_per_device"]

    @property
    def predicted_seconds(self):
        """Of one step on the machine that was named, or on the built-in one."""
        return self.statistics["predicted_step"]["step_seconds"]

    @property
    def arguments(self):
        """[{"name", "type", "local", "sharding"}]: types are global and of one device."""
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
    """Why values are sharded as they are. Its text is for people, `data` for programs."""

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


def partition(program, *args, mesh=None, effort=1, machine=None, overlap=None, stages=STAGES, memory=True, locations=False, **kwargs):
    """Partitions `program` for its mesh: a function that jax.jit gave (with the arguments that it is to be
    called with: arrays or ShapeDtypeStructs), a `Lowered`, a `jax.export.Exported`, or the text of a StableHLO
    module.

    mesh: what PartitionSpecs of the function speak of; a Mesh, or an AbstractMesh of any size.
    effort: of the partitioner, 0 to 2. machine: path of a file as in docs/machines.md, for which the step is
    predicted. overlap: `rings` or `on` hides communication. stages: whose text is kept. memory: False saves
    making machine code, with which the peak is known. locations: in the texts.

    Raises ValueError for a program that cannot be partitioned."""  # fmt: skip
    return Partitioned(
        _ask(
            "partition", program, args, kwargs, mesh, effort=effort, machine=machine and str(machine), overlap=overlap,
            stages=_list(stages), memory=memory, locations=locations,
        )
    )  # fmt: skip


def explain(program, *args, value=None, argument=None, result=None, line=None, collectives=False, mesh=None, effort=1, machine=None, full=False, **kwargs):
    """Says why values of `program` (as for `partition`) are sharded as they are: for each axis the way back to
    the annotation it began at, for each that could have come and did not, what stopped it and which annotation
    would bring it.

    value: `%12` as in the module's text, or a name. argument, result: a name or number. line: `12` or
    `train.py:12`. Each may be a list; with none of them the answer is an overview. collectives: what each
    collective is for, instead.

    Raises ValueError for a name that the program does not have."""  # fmt: skip
    return Explanation(
        _ask(
            "explain", program, args, kwargs, mesh, values=_list(value), arguments=_list(argument), results=_list(result),
            line=None if line is None else str(line), collectives=collectives, effort=effort,
            machine=machine and str(machine), full=full,
        )
    )  # fmt: skip
