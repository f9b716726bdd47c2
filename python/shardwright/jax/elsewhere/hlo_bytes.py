#===- hlo_bytes.py - bytes that a partitioned HLO program sends ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Reads the text of a partitioned HLO module and counts its communication, by the model of
`shardwright partition --stats=json`: the bytes that a device sends on average, where n is the size
of the group:

  all_gather          (n-1)/n of its output
  all_reduce          2 (n-1)/n of its operands
  reduce_scatter      (n-1)/n of its input
  all_to_all          (n-1)/n of its operands
  collective_permute  its operand, times the fraction of devices that send to another device

A loop counts by its trip count: the one that XLA wrote down, or else that of a counter which starts at a
constant, is compared with one, and changes by one. A conditional counts by its most expensive branch. Of asynchronous collectives
the results count. In programs for TPUs, a fusion named all-reduce-scatter is a reduce_scatter, and an
all_gather whose steps are spread over several fusions (chain_id) counts once.
"""

import math
import re
import sys

# keep-sorted
PROMOTED = "promoted"  # pseudo-kind: what the reductions of bf16 in f32 send more
KINDS = ("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter")

BITS = dict(pred=8, bf16=16, c64=64, c128=128, token=0)
ARRAY = re.compile(r"\b([a-z]+[0-9]*[a-z0-9]*)\[([\d,]*)\]")


class HloError(Exception):
    """The text has a construct that this reader does not support. It never guesses."""

    def __str__(self):
        return f"cannot count the bytes of the compiled program's HLO: {super().__str__()}"


def element_bits(name):
    if name in BITS:
        return BITS[name]
    digits = re.match(r"[a-z]+?(\d+)", name)
    if not digits:
        raise HloError(f"the element type '{name}' is unknown")
    return max(8, int(digits.group(1)))


def array_bytes(type_text):
    """Returns the bytes of each array in an HLO type; the members of a tuple in order."""
    return [
        element_bits(name) // 8 * math.prod(int(d) for d in dims.split(",") if d)
        for name, dims in ARRAY.findall(type_text)
    ]


class Instruction:
    """`%name = TYPE opcode(operands), attributes`"""

    PATTERN = re.compile(r"^\s+(ROOT )?%?([\w.\-]+) = (.*)$")

    def __init__(self, root, name, rest):
        self.root, self.name = bool(root), name
        end = self._type_end(rest)
        self.type = rest[:end]
        call = re.match(r"\s*([\w\-]+)\((.*)$", rest[end:])
        if not call:
            raise HloError(f"the instruction '{name} = {rest[:80]}' has no opcode and operands")
        self.opcode, self.tail = call.groups()

    @staticmethod
    def _type_end(text):
        if not text.startswith("("):
            return text.index(" ")
        depth = 0
        for i, c in enumerate(text):
            depth += (c == "(") - (c == ")")
            if depth == 0:
                return i + 1
        raise HloError(f"the parentheses of the type '{text[:80]}' are not balanced")

    def operands(self):
        """Returns the names of the operands, which the text may write with their types."""
        depth = 0
        for i, c in enumerate(self.tail):
            depth += (c in "([{") - (c in ")]}")
            if depth < 0:
                return re.findall(r"%([\w.\-]+)", self.tail[:i])
        raise HloError(f"the operands of '{self.name}' are not closed by a parenthesis")

    def attribute(self, name):
        """Returns a word: the name of a computation in `body=%region_1.2`, the `LT` in `direction=LT`."""
        found = re.search(rf"\b{name}=%?([\w.\-]+)", self.tail)
        return found.group(1) if found else None


def count_steps(start, end, step, direction, loop):
    """Returns how often a loop runs whose counter starts at `start`, changes by `step`, and ends when
    `counter direction end` is false."""
    distance = {"LT": end - start, "LE": end - start + 1, "GT": end - start, "GE": end - start - 1, "NE": end - start}[direction]
    ascends = step > 0 if direction in ("LT", "LE") else step < 0 if direction in ("GT", "GE") else distance * step >= 0
    if not step or not ascends or (direction == "NE" and distance % step):
        raise HloError(f"the trip count of the loop '{loop}' is unknown")
    return max(0, -(-distance // step))


class Module:
    """The computations of an HLO module and the bytes that each of them sends."""

    def __init__(self, text):
        found = re.search(r"\bnum_partitions=(\d+)", text)
        self.devices = int(found.group(1)) if found else 1
        self.computations, self.entry, self.costs, self.chains = {}, None, {}, set()
        body = None
        for line in text.splitlines():
            header = re.match(r"^(ENTRY )?%?([\w.\-]+) .*->.*\{$", line)
            if header:
                body = self.computations.setdefault(header.group(2), [])
                if header.group(1):
                    self.entry = header.group(2)
            elif body is not None:
                found = Instruction.PATTERN.match(line)
                if found:
                    body.append(Instruction(*found.groups()))
                elif line.startswith("}"):
                    body = None
        if self.entry is None:
            raise HloError("the module has no ENTRY computation")

    def group_size(self, instruction):
        tail = instruction.tail
        found = re.search(r"replica_groups=\{\{([\d,]*)\}", tail)
        if found:
            return len(found.group(1).split(","))
        found = re.search(r"replica_groups=\[\d+,(\d+)\]", tail)
        if found:
            return int(found.group(1))
        # Axes or sub-axes of a mesh: mesh['a'=2,'b'=4] {'a','b':(1)2}
        found = re.search(
            r"replica_groups=@?mesh\[([^\]]*)\](?:,? ?device_ids=\S+)? ?\{([^}]*)\}", tail
        )
        if found:
            sizes = dict(re.findall(r"'([^']+)'=(\d+)", found.group(1)))
            used = re.findall(r"'([^']+)'(?::\(\d+\)(\d+))?", found.group(2))
            return math.prod(int(sub or sizes[axis]) for axis, sub in used)
        if "replica_groups={}" in tail or "replica_groups" not in tail:
            return self.devices
        raise HloError(f"the replica groups of '{instruction.name}' have an unknown form")

    def sent(self, instruction, kind):
        """Returns the bytes that a device sends in one run of a collective."""
        sizes = array_bytes(instruction.type)
        if instruction.opcode.endswith("-start") and kind != "all-reduce":
            if kind == "collective-permute" and len(sizes) > 2 and re.search(r"u32\[\]\S*, u32\[\]\S*\)$", instruction.type):
                sizes = sizes[:-2]  # semaphores
            sizes = sizes[len(sizes) // 2 :]  # (operands, results)
        size = sum(sizes)
        if kind == "collective-permute":
            pairs = re.search(r"source_target_pairs=\{((?:\{\d+,\d+\},?)*)\}", instruction.tail)
            pairs = re.findall(r"\{(\d+),(\d+)\}", pairs.group(1)) if pairs else []
            return size * len({s for s, t in pairs if s != t}) / self.devices
        n = self.group_size(instruction)
        share = (n - 1) / n
        if kind == "all-reduce":
            return 2 * share * size
        if kind == "reduce-scatter":
            return share * size * n  # the type is that of the result
        return share * size

    def trip_count(self, loop, around):
        """Returns how often the body of a loop in the computation `around` runs."""
        found = re.search(r'"known_trip_count":\{"n":"(\d+)"\}', loop.tail)
        if found:
            return int(found.group(1))
        condition, body = loop.attribute("condition"), loop.attribute("body")
        test = self.root(condition)
        sides = [self.source(condition, name) for name in test.operands()] if test.opcode == "compare" else []
        direction = test.attribute("direction")
        if len(sides) == 2 and sides[0].opcode == "constant":
            sides.reverse()
            direction = direction.translate(str.maketrans("LG", "GL"))
        if len(sides) == 2 and sides[1].opcode == "constant" and sides[0].opcode == "get-tuple-element":
            index = sides[0].attribute("index")
            start = self.source(around, loop.operands()[0], index)
            step = self.source(body, self.root(body).name, index)
            steps = [self.source(body, name) for name in step.operands()] if step.opcode == "add" else []
            by = [s for s in steps if s.opcode == "constant"]
            counter = [s for s in steps if s.opcode == "get-tuple-element" and s.attribute("index") == index]
            if start.opcode == "constant" and len(by) == len(counter) == 1:
                return count_steps(*(int(s.tail[: s.tail.index(")")]) for s in (start, sides[1], by[0])), direction, loop.name)
        raise HloError(f"the trip count of the loop '{loop.name}' is unknown")

    def root(self, computation):
        return next(i for i in self.computations[computation] if i.root)

    def source(self, computation, name, index=None):
        """Returns the instruction that makes a value (of the member `index` of a tuple), before copies."""
        while True:
            found = next(i for i in self.computations[computation] if i.name == name)
            if index is not None and found.opcode == "tuple":
                name, index = found.operands()[int(index)], None
            elif index is None and found.opcode in ("copy", "bitcast", "copy-done", "copy-start"):
                name = found.operands()[0]
            else:
                return found

    def is_repeated(self, instruction):
        """True for a step of a chained collective whose first step was counted."""
        chain = re.search(r'chain_id="?(\d+)', instruction.tail)
        channel = re.search(r"channel_id=(\d+)", instruction.tail)
        if not chain or not channel:
            return False
        key = (chain.group(1), channel.group(1))
        if key in self.chains:
            return True
        self.chains.add(key)
        return False

    def constant_results(self):
        """Returns the numbers of the entry's results that are computed from no argument."""
        made = {i.name: i for i in self.computations[self.entry]}
        depends = {}
        for name, i in made.items():  # an instruction comes after its operands
            depends[name] = i.opcode in ("parameter", "partition-id", "replica-id", "infeed", "rng") or any(
                depends.get(operand, True) for operand in i.operands()
            )
        root = self.root(self.entry)
        results = root.operands() if root.opcode == "tuple" else [root.name]
        return {number for number, name in enumerate(results) if not depends[name]}

    def cost(self, name=None):
        """Returns {kind: (count, bytes)} of one run of a computation."""
        name = name or self.entry
        if name in self.costs:
            return self.costs[name]
        total = {}

        def add(cost, times=1):
            for kind, (count, size) in cost.items():
                c, b = total.get(kind, (0, 0.0))
                total[kind] = (c + count * times, b + size * times)

        for i in self.computations[name]:
            kind = i.opcode.removesuffix("-start")
            if kind in KINDS:
                if self.is_repeated(i):
                    continue
                add({kind.replace("-", "_"): (1, self.sent(i, kind))})
                if (i.attribute("to_apply") or "").endswith("_promoted"):
                    add({PROMOTED: (1, self.sent(i, kind) / 2)})
            elif i.opcode.startswith(("ragged-all", "collective-broadcast", "send", "recv")):
                raise HloError(f"the bytes that an instruction with opcode '{i.opcode}' sends are not known")
            elif i.opcode == "while":
                inside = [self.cost(i.attribute("body")), self.cost(i.attribute("condition"))]
                if any(inside):
                    for cost in inside:
                        add(cost, self.trip_count(i, name))
            elif i.opcode == "conditional":
                found = re.search(r"branch_computations=\{([^}]*)\}", i.tail)
                branches = re.findall(r"[\w.\-]+", found.group(1)) if found else [
                    i.attribute("true_computation"),
                    i.attribute("false_computation"),
                ]
                add(max(map(self.cost, branches), key=lambda c: sum(b for k, (_, b) in c.items() if k != PROMOTED)))
            elif i.opcode in ("call", "fusion", "async-start"):
                called = i.attribute("to_apply") or i.attribute("calls")
                inside = self.cost(called)
                if called.startswith("all-reduce-scatter") and set(inside) == {"all_reduce"}:
                    count, size = inside["all_reduce"]
                    inside = {"reduce_scatter": (count, size / 2)}
                add(inside)
        self.costs[name] = total
        return total


def summary(text):
    """Returns the part of `--stats=json` about communication, and how many of the bytes are sent because
    XLA's CPU backend reduces bf16 as f32."""
    cost = dict(Module(text).cost())
    promoted = cost.pop(PROMOTED, (0, 0.0))[1]
    return {
        "collectives": {k: {"count": c, "bytes": b} for k, (c, b) in sorted(cost.items())},
        "bytes_sent_per_device": sum(b for _, b in cost.values()),
        "promoted_bytes": promoted,
    }


if __name__ == "__main__":
    print(summary(sys.stdin.read()))
