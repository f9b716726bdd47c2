#===- shardy.py - bytes that jaxlib's Shardy passes send -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import re

import oracle
from child import Child

import local_program

COLLECTIVES = "func.func(sdy-reshard-to-collectives)"
LOCAL = "canonicalize{enable-patterns=sdy-collective},sdy-convert-global-to-local,sdy-drop-sharding-and-mesh"


def module(pair):
    def sharding(side):
        return f"#sdy.sharding<@mesh, {pair.sharding(side)}>"

    return f"""module {{
  sdy.mesh @mesh = <[{pair.mesh_text()}]>
  func.func @main(%a: {pair.type} {{sdy.sharding = {sharding(pair.before)}}})
      -> ({pair.type} {{sdy.sharding = {sharding(pair.after)}}}) {{
    %0 = sdy.reshard %a <@mesh, {pair.sharding(pair.after)}> : {pair.type}
    return %0 : {pair.type}
  }}
}}
"""


def one(question):
    text, devices = question
    planned = oracle.run(text, COLLECTIVES)
    ends = re.findall(r"out_sharding=(<.*>) :", planned)
    asked = re.search(r"sdy.reshard %a (<.*>) :", text).group(1)
    if ends and ends[-1].replace(" ", "") != asked.replace(" ", ""):
        raise oracle.OracleError(f"ends in {ends[-1]}")
    local = oracle.run(planned, LOCAL)
    return local.replace("module {", f"module attributes {{mhlo.num_partitions = {devices} : i32}} {{", 1)


def costs(pairs):
    """Returns the costs; None where the passes refuse, abort or produce another sharding than
    requested."""
    child = Child(one)
    for pair in pairs:
        verdict, answer = child.ask((module(pair), pair.devices))
        yield local_program.cost(answer) if verdict == "ok" else None
