#===- sdy_cases.py - test programs for the sdy dialect --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------===//
"""Hand-picked programs: one for each construct, text and check of the dialect.

`attributes()` yields attributes alone, `programs()` modules. Most are wrong on purpose."""

REVERSED = ", ".join(str(i) for i in reversed(range(128)))
MESHES = f"""sdy.mesh @m = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @m2 = <["a"=2, "b"=2, "c"=4, "d"=8], device_ids=[{REVERSED}]>
sdy.mesh @mc = <["a"=2, "b"=2, "c"=4, "d"=8]>
sdy.mesh @o = <["a"=2, "b"=2, "c"=4, "e"=8]>
sdy.mesh @x = <[], device_ids=[3]>
sdy.mesh @e = <[]>
"""
T = "tensor<8x8xf32>"
DECLS = f"""func.func private @add({T}, {T}) -> {T}
func.func private @abs({T}) -> {T}
func.func private @two() -> ({T}, {T})
func.func private @none()
"""
AB = '@m, [{"a"}, {"b"}]'
ARGS = f"%0: {T} {{sdy.sharding = #sdy.sharding<{AB}>}}, %1: {T}"


def func(body, args=ARGS, meshes=MESHES, decls=DECLS):
    return f"{meshes}{decls}func.func @f({args}) {{\n{body}\nreturn\n}}\n"


def arg(sharding, type=T, meshes=MESHES):
    return func("", f"%0: {type} {{sdy.sharding = #sdy.sharding<{sharding}>}}", meshes, "")


# The loops in `programs` define the meaning of each line of these lists.
ATTRIBUTES = r"""
#sdy<mesh_axis"a">
#sdy<mesh_axis"a"=>
#sdy<mesh_axis"a"=2>
#sdy<mesh_axis a=2>
#sdy.mesh<["a"=2,]>
#sdy.mesh<["a"=2], devices=[1]>
#sdy.mesh<["a"=2], device_ids=[]>
#sdy.mesh<["a"=2] device_ids=[0,1]>
#sdy.mesh<"a"=2>
#sdy.mesh<["a"=2], device_ids=[1,x]>
#sdy.mesh<>
#sdy.mesh<[]>
#sdy.mesh<[], device_ids=[3]>
#sdy.mesh<[], device_ids=[0]>
#sdy.mesh<["a"=0]>
#sdy.mesh<["a"=-1], device_ids=[0]>
#sdy.mesh<["a"=2], device_ids=[-1, 0]>
#sdy.mesh<[], device_ids=[0, 1]>
#sdy.mesh<["a"=2,"a"=2]>
#sdy.mesh<["a"=2,"b"=2], device_ids=[0,1]>
#sdy.mesh<["a"=2,"a"=2], device_ids=[0,1]>
#sdy.mesh<["a"=2], device_ids=[0,2]>
#sdy.mesh<["a"=2], device_ids=[0,1]>
#sdy.mesh<["a"=2], device_ids=[1,0]>
#sdy.mesh<["a"=1], device_ids=[0]>
#sdy.mesh<["a"=2, "b"=3], device_ids=[5, 4, 3, 2, 1, 0]>
#sdy.mesh<["a\22b"=2, "\E2\82\AC"=3]>
#sdy.mesh<["a"=99999999999999999999]>
#sdy<sub_axis_info(1)2>
#sdy<sub_axis_info 1>
#sdy<sub_axis_info(a)2>
#sdy<axis_ref"a">
#sdy<axis_ref"a":(1)>
#sdy<axis_ref"a":(1)2>
#sdy<axis_ref"a":2>
#sdy<axis_ref a>
#sdy<axis_ref"a":(0)-2>
#sdy<dimension_sharding{"a" "b"}>
#sdy<dimension_sharding{"a",}>
#sdy<dimension_sharding{?, "a"}>
#sdy<dimension_sharding{"a", ?}p1>
#sdy<dimension_sharding{}>
#sdy<dimension_sharding{?}p0>
#sdy<dimension_sharding{"a"?}>
#sdy<dimension_sharding{a}>
#sdy<dimension_sharding{"a"}p01>
#sdy<dimension_sharding{"a"}q1>
#sdy<dimension_sharding{"a"}p99999999999999999999>
#sdy<dimension_sharding{"a"}p-1>
#sdy<dimension_sharding{"a"} p 1>
#sdy<dimension_sharding{"a"}p0>
#sdy<dimension_sharding{"a"}p>
#sdy<dimension_sharding{"a"}p1x>
#sdy<dimension_sharding"a">
#sdy.sharding<@m>
#sdy.sharding<@m, []>
#sdy.sharding<"m", []>
#sdy.sharding<m, []>
#sdy.sharding<mesh, []>
#sdy.sharding<mesh<["a"=2]>, []>
#sdy.sharding<mesh<["a"=0]>, []>
#sdy.sharding<#sdy.mesh<["a"=2]>, []>
#sdy.sharding<@a::@b, []>
#sdy.sharding<@m, [], replicated={}>
#sdy.sharding<@m, [], unreduced={"c"}, replicated={"a"}>
#sdy.sharding<@m, [{"a"}, {?}], replicated={"b"}, unreduced={"c"}>
#sdy.sharding<@m, [], replicated={"a"}, replicated={"b"}>
#sdy.sharding<@m, [], foo={"a"}>
#sdy.sharding<@m, [], >
#sdy.sharding<@m, [], unreduced{"a"}>
#sdy.sharding<@m, [], unreduced=max{"a"}>
#sdy.sharding<@m, [{}], replicated={"a"} >
#sdy.sharding<@m, [{}] replicated>
#sdy.sharding<@m [{}]>
#sdy.sharding<@m, {}>
#sdy.sharding<@"foo bar", []>
#sdy.sharding<3, []>
#sdy.sharding < @m , [ { "a" , ? } p1 , { } ] , replicated = { "b" : ( 1 ) 2 } >
#sdy.sharding_per_value<[]>
#sdy.sharding_per_value<>
#sdy.sharding_per_value<[@m]>
#sdy.sharding_per_value<[<@m, []>, ]>
#sdy.sharding_per_value<[<@m, [{}]>, <@m, [{?}]>]>
#sdy.sharding_per_value<[#sdy.sharding<@m, []>]>
#sdy<manual_axes{}>
#sdy<manual_axes{"a", "b"}>
#sdy<manual_axes{a}>
#sdy<manual_axes{"a" "b"}>
#sdy<manual_axes>
#sdy<manual_axes{1}>
#sdy<manual_axes{"a",}>
#sdy<manual_axes{#sdy.mesh<[]>}>
#sdy.manual_axes<{"a"}>
#sdy<tensor_mapping[ij, k]>
#sdy<tensor_mapping[]>
#sdy<tensor_mapping[1]>
#sdy<axis_ref_list{}>
#sdy<axis_ref_list{"a", "b":(2)4}>
#sdy<axis_ref_list{"a",}>
#sdy<list_of_axis_ref_lists[]>
#sdy<list_of_axis_ref_lists[{}]>
#sdy<list_of_axis_ref_lists[{"a"}, {}]>
#sdy<list_of_axis_ref_lists{}>
#sdy<all_to_all_param{"a"}: 0->1>
#sdy<all_to_all_param{"a"}:0-1>
#sdy<all_to_all_param{}:0->1>
#sdy<all_to_all_param{"a"}:-1->1>
#sdy<all_to_all_param_list[]>
#sdy<all_to_all_param_list[{"a"}: 0->1, {"b"}: 1->0]>
#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>
#sdy.propagation_edges<[]>
#sdy.propagation_edges<[{step-0 = []}]>
#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> []}]}]>
#sdy.propagation_edges<[{step-0 = [{"a":(1)2 = operand-0 -> [result-0, operand-1]}, {"b" = result-0 -> [operand-0]}]}, {step-1 = [{"a" = operand-0 -> [result-0]}]}]>
#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-0]}]}]>
#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0, result-0]}]}]>
#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]},{step-0 = [{"a" = operand-0 -> [result-0]}]}]>
#sdy.propagation_edges<[{step--1 = [{"a" = operand-0 -> [result-0]}]}]>
#sdy.propagation_edges<[{step-0 = [{"a" = foo-0 -> [result-0]}]}]>
#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]},{"a" = operand-0 -> [result-0]}]}]>
#sdy<propagation_one_step{step-0 = [{"a" = operand-0 -> [result-0]}]}>
#sdy<axis_to_propagation_details{"a" = operand-0 -> [result-0]}>
#sdy<axis_to_propagation_details{"a" = operand--1 -> [result-0]}>
#sdy.foo<1>
"""

RULE_TEXTS = r"""
([ij, k], [ij, k])->([ij, k]) {i=2, j=4, k=8} need_replication={k} blocked_propagation={i}, custom
([ij, k])->([k, ij]) {i=2, j=4, k=8}
([], [])->([])
()->()
([i])->([i])
([i])->([i]) {}
([i])->([i]) {j=2}
([i])->([i]) {ij=2}
([i])->([i]) {ijk=2}
([i])->([i]) {h=2}
([h])->([i]) {i=2}
([i])->([z_0]) {i=2}
([i])->([z_x]) {i=2}
([i])->([iz_x]) {i=2}
([i])->([z_]) {i=2}
([i])->([z_01]) {i=2}
([iz_1])->([z_2j]) {i=2}
([i])->([i]) {i=x}
([i])->([i]) {i=2,}
([i])->([i]) {i=2} reduction={}
([i])->([i]) {i=2} reduction={i, i}
([i])->([i]) {i=2} reduction={1}
([i])->([i]) {i=2} permutation={i} reduction={i}
([i])->([i]) {i=2} permutation={i} blocked_propagation={i}
([i])->([i]) {i=2} custom
([i])->([i]) {i=2}, foo
([i])->([i]) {i=2},
([i])->([i]) {i=2} reduction={i}, custom
([i])-> ([i]) {i=2}
[i]->[i]
([i], [1])->([i])
([I])->([i])
([i])->([i]) {i=-2}
([i])->([i]) {i=2, i=3}
([i])->([i]) {z_1=2}
([i_1])->([i])
([i])->([i]) {i=2} foo={i}
([i j])->([i])
([i])->([z_2x]) {i=2}
([zz_1])->([z_1z])
([i])->([i]) {i=2, j=2, k=2, l=2, m=2, n=2, o=2, p=2, q=2, r=2, s=2, t=2, u=2, v=2, w=2, x=2, y=2, z=2, z_1=2, z_2=2}
"""

ARG_SHARDINGS = r"""
@m, [{"a"}, {"b"}]
@m, [{"d":(1)2, ?}p2, {?}p0], replicated={"a", "c"}, unreduced={"b", "d":(4)2}
@m, [{}, {}], replicated={"z", "a"}
@m, [{}, {}], replicated={"a", "z"}
@m, [{}, {}], replicated={"z"}
@m, [{}, {}], replicated={"b", "a"}
@m, [{}, {}], unreduced={"b", "a"}
@m, [{}, {}], unreduced={"z"}
@m, [{}, {}], replicated={"d":(2)2, "d":(1)2}
@m, [{}, {}], replicated={"d", "d":(1)2}
@m, [{}, {}], replicated={"d":(1)2, "d"}
@m, [{}, {}], replicated={"d":(2)2, "d"}
@m, [{}, {}], replicated={"d", "d":(2)2}
@m, [{}, {}], replicated={"a", "a"}
@m, [{}, {}], replicated={"d":(1)2, "d":(2)2}
@m, [{}, {}], replicated={"d":(1)2}, unreduced={"d":(2)2}
@m, [{"d":(1)2, "d":(1)2}, {}]
@m, [{"d":(1)3}, {}]
@m, [{"c":(1)1}, {}]
@m, [{"d":(1)1}, {"d"}]
@m, [{"d":(1)2}, {"d"}]
@m, [{"d":(0)2}, {}]
@m, [{"d":(-1)2}, {}]
@m, [{"d":(1)8}, {}]
@m, [{"d":(2)1, "d":(0)2}, {}]
@m, [{"d":(2)8}, {}]
@m, [{"d":(1)4}, {"d":(2)2}]
@m, [{"d":(2)2}, {"d":(1)4}]
@m, [{"d":(2)2}, {"d":(1)8}]
@m, [{"d":(1)4}, {"d":(1)2}]
@m, [{"d":(1)-2}, {}]
@m, [{"d":(1)0}, {}]
@m, [{"d":(3)2}, {}]
@m, [{"d":(0)1}, {}]
@m, [{}p1, {}]
@m, [{"z"}, {}p1]
@m, [{}p1, {"z"}]
@x, []
@x, [{}]
@x, [], replicated={"a"}
@x, [], unreduced={"a"}
@e, [{}, {}]
@e, [{"a"}, {}]
@q, [{}, {}]
@f, [{}, {}]
@m, [{}]
@m, [{}, {}, {"z"}]
mesh<[], device_ids=[1]>, []
mesh<["a"=2]>, [{"a"}, {}]
mesh<["a"=2]>, [{"b"}, {}]
@m, [{"d":(1)2, "d":(2)2, "d":(1)2}, {}]
@m, [{"a"}, {}], replicated={"a"}
@m, [{"a"}, {}], replicated={"b"}, unreduced={"b"}
@m, [{"d":(4)2, "d":(2)2}, {"d":(1)2}]
"""

TYPED_SHARDINGS = [
    ("i32", ['@m, []', '@m, [{}]', '@m, [], replicated={"a"}', '@m, [], replicated={"z"}', '@x, []']),
    ("tuple<tensor<8xf32>>", ['@m, []', '@m, [{"a"}]', '@m, [{"z"}]']),
    ("tuple<tensor<8xf32>, i32>", ['@m, []', '@x, []']),
    ("tensor<*xf32>", ['@m, []']),
    ("tensor<?xf32>", ['@m, [{"a"}]']),
    ("tensor<0xf32>", ['@m, [{"a"}]']),
    ("tensor<3xf32>", ['@m, [{"a"}]']),
    ("memref<?xf32>", ['@m, [{"a"}]', '@m, []']),
    ("tuple<tuple<tensor<8xf32>>>", ['@m, []', '@m, [{"a"}]']),
]

# `%2 = func.call @add(%0, %1) {sdy.sharding_rule = ...}`
RULES = r"""
([i, j])->([i, j]) {i=8, j=8}
([i, j], [i, j])->([i, j]) {i=8, j=8}
([i, j], [i, j])->([i, j], [i, j]) {i=8, j=8}
([i, j], [i])->([i, j]) {i=8, j=8}
([i, j], [i, j])->([i, k]) {i=8, j=8}
([i, j], [i, i])->([i, j]) {i=8, j=8}
([ik, j], [ik, j])->([ik, j]) {i=8, j=8, k=1}
([i, j], [i, j])->([i, j]) {i=8, j=8, k=2}
([i, j], [i, j])->([i, j]) {i=8, j=8, k=1}
([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={j, i}
([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={i, i}
([i, j], [i, j])->([i, j]) {i=8, j=8} need_replication={k}
([i, j], [i, j])->([i, j]) {i=8, j=8} need_replication={i} permutation={i}
([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={i}
([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}
([i, j], [i, j])->([i, j]) {i=8, j=8} blocked_propagation={j, i}
([i, j], [i, j])->([i, j]) {i=8, j=8} permutation={i} blocked_propagation={i}
([i,], [i, j])->([i, j]) {i=8, j=8}
([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={z_2}
([i, j], [i, j])->([i, j]) {i=0, j=-8}
([ik, j], [ik, j])->([ik, j]) {i=8, j=8, k=0}
([i, j], [i, jj])->([i, j]) {i=8, j=8}
([k, j], [i, k])->([i, j]) {i=8, j=8, k=8, l=4} reduction={k}
([i], [i, k])->([i, j]) {i=8, j=8, k=8, l=4} reduction={j, i}
([k, k], [i, k])->([i, z]) {i=8, j=8, k=8, l=4} reduction={j, i}
"""

EDGE = '#sdy.propagation_edges<[{step-0 = [{"a" = SOURCE -> [TARGETS]}]}]>'


def edges(source="operand-0", targets="result-0", axis="a"):
    text = EDGE.replace("SOURCE", source).replace("TARGETS", targets)
    return "sdy.propagation_edges = " + text.replace('"a"', f'"{axis}"')


def per_value(*shardings):
    return "sdy.sharding = #sdy.sharding_per_value<[%s]>" % ", ".join(f"<{s}>" for s in shardings)


def call_attributes():
    """Yields attributes of `func.call @add(%0, %1)`; also those of calls with no and two results."""
    add = [
        f"sdy.sharding = #sdy.sharding<{AB}>",
        per_value(AB),
        per_value(AB, "@q, []"),
        per_value(),
        per_value("@q, []"),
        per_value("@x, []"),
        "sdy.sharding = 3",
        'sdy.sharding_rule = "a"',
        'sdy.propagation_edges = "a"',
        'sdy.propagation_edges = ["a"]',
        'sdy.result_propagation_edges = "a"',
        'sdy.result_propagation_edges = ["a"]',
        'sdy.block_arg_propagation_edges = ["a"]',
        'sdy.block_arg_propagation_edges = []',
        'sdy.sharding_origins = "a"',
        'sdy.foo = "a"',
        edges(),
        edges(source="operand-2"),
        edges(targets="result-2"),
        edges(targets="result-0, operand-3"),
        edges(axis="z"),
        edges(axis="z", targets="result-1"),
        edges().replace('"a"', '"a":(1)3'),
        edges(source="result-1") + ", " + per_value("@m, [{}, {}]"),
        edges() + ", " + per_value("@o, [{}, {}]"),
        edges() + ", " + per_value("@mc, [{}, {}]"),
        edges() + ", " + per_value("@e, [{}, {}]"),
        edges() + ", " + per_value("@m2, [{}, {}]"),
        "sdy.result_propagation_edges = [%s]" % edges(targets="result-2").split(" = ", 1)[1],
    ]
    none = [
        per_value("@x, []"),
        per_value("@m, []"),
        per_value("@m, [{}]"),
        per_value('@m, [], replicated={"a"}'),
        per_value("@q, []"),
        per_value("@x, [{}]"),
        per_value(),
        per_value("@x, []", "@x, []"),
        edges(),
    ]
    two = [per_value(AB, AB), per_value(AB), per_value(AB, "@q, []"), per_value("@q, []", AB)]
    return add, none, two


def manual(ins, outs, axes, args, body, operands="%0", types=T, results=T):
    return (
        f"%9 = sdy.manual_computation({operands}) in_shardings=[{ins}] out_shardings=[{outs}] "
        f"manual_axes={{{axes}}} ({args}) {{\n{body}\n}} : ({types}) -> ({results})"
    )


def manual_computations():
    ab, a = f"<{AB}>", '<@m, [{"a"}, {}]>'
    half, ret = "%a: tensor<4x8xf32>", "sdy.return %a : tensor<4x8xf32>"
    whole, wret = f"%a: {T}", f"sdy.return %a : {T}"
    simple = lambda ins, outs, axes: manual(ins, outs, axes, half, ret)
    two = dict(operands="%0, %1", types=f"{T}, {T}")
    nested = dict(operands="%a", types="tensor<4x8xf32>", results="tensor<4x8xf32>")
    inner = lambda axes, ins, outs: manual(
        ins, outs, axes, "%c: tensor<2x8xf32>", "sdy.return %c : tensor<2x8xf32>", **nested)
    b = '<@m, [{"b"}, {}]>'
    yield from [
        simple(ab, ab, '"a"'),
        simple(ab + "," + ab, ab, '"a"'),
        simple("", ab, '"a"'),
        simple(ab, ab + "," + ab, '"a"'),
        simple(ab, "", '"a"'),
        simple("<@q, [{}]>", ab, '"a"'),
        simple(ab, "<@q, [{}]>", '"a"'),
        simple(ab, "<@m, [{}]>", '"a"'),
        simple('<@m, [{"b","a"},{}]>', ab, '"a"'),
        simple('<@m, [{"a"},{}], replicated={"b"}>', '<@m, [{"a"},{}], replicated={"b"}>', '"a","b"'),
        simple('<@m, [{"a","b"},{}]>', ab, '"a","b"'),
        simple('<@m, [{"a","b"},{}]>', '<@m, [{"a","b"},{}]>', '"b"'),
        simple('<@mc, [{"a"},{}]>', ab, '"a"'),
        simple('<@o, [{"a"},{}]>', ab, '"a"'),
        simple('<@m2, [{"a"},{}]>', ab, '"a"'),
        simple(ab, ab, '"a","z"'),
        simple(ab, ab, '"a","a"'),
        simple(a, '<@m, [{},{}]>', '"a"'),
        simple(a, a, ""),
        simple('<@m, [{"c":(1)2},{}]>', '<@m, [{"c":(1)2},{}]>', '"c"'),
        simple('<@m, [{"c":(1)2,"b","c":(2)2},{}]>', a, '"c"'),
        simple('<mesh<["a"=2]>, [{"a"},{}]>', '<mesh<["a"=2]>, [{"a"},{}]>', '"a"'),
        manual(ab, ab, '"b","a"', "%a: tensor<4x4xf32>", "sdy.return %a : tensor<4x4xf32>"),
        manual(ab + "," + ab, ab, '"a"', half, ret, **two),
        manual(ab + ",<@q, []>", ab, '"a"', half, ret, **two),
        manual(ab + "," + ab, ab, '"a"', f"{half}, %b: {T}", ret, **two),
        manual("<@e, [{},{}]>", "<@e, [{},{}]>", '"a"', whole, wret),
        manual("<@e, [{},{}]>", "<@m, [{},{}]>", '"a"', whole, wret),
        manual(a, '<@o, [{"e"},{}]>', "", whole, wret),
        manual(a, "", '"a"', half, "sdy.return", results=""),
        manual("", a, '"a"', "", "%a = sdy.constant dense<1.0> : tensor<4x8xf32>\n" + ret, operands="", types=""),
        manual("<@m, [{}, {}]>", '<@m, [{}, {}]>', '"a"', whole, f"func.return %a : {T}"),
        simple(ab, ab, '"a"').replace(ret, inner('"b"', b, b) + "\n" + ret),
        simple(ab, ab, '"a"').replace(ret, inner('"b","a"', b, b) + "\n" + ret),
        simple(ab, ab, '"a"').replace(ret, inner('"b","a"', a, b) + "\n" + ret),
    ]
    for op in (
        '%c = sdy.sharding_constraint %a <@m, [{"a"}, {}]> : tensor<4x8xf32>',
        '%c = sdy.sharding_constraint %a <@m, [{"b"}, {}]> : tensor<4x8xf32>',
        '%c = sdy.sharding_constraint %a <@m, [{}, {}], replicated={"a"}> : tensor<4x8xf32>',
        '%c = sdy.sharding_constraint %a <@o, [{"a"}, {}]> : tensor<4x8xf32>',
        '%c = sdy.reshard %a <@m, [{}, {}], unreduced={"a"}> : tensor<4x8xf32>',
    ):
        yield simple(ab, ab, '"a"').replace(ret, op + "\n" + ret)
    yield "sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () { } : () -> ()"
    yield 'sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"z"} () { sdy.return } {foo = "a"} : () -> ()'
    yield "sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} (%a: tensor<4xf32>) { sdy.return } : () -> ()"
    yield "sdy.manual_computation(%0) in_shardings=[] out_shardings=[] manual_axes={} (%a: tensor<4xf32>) { } : (tensor<8x8xf32>) -> ()"


def named_computations():
    ab = f"<{AB}>"

    def named(shardings, args=f"%a: {T}", body=f"sdy.return %a : {T}", operands="%0", types=T, results=T, bind="%9 = "):
        return f'{bind}sdy.named_computation<"foo">({operands}) {shardings} ({args}) {{\n{body}\n}} {{bar}} : ({types}) -> ({results})'

    two = dict(operands="%0, %1", types=f"{T}, {T}", args=f"%a: {T}, %b: {T}")
    yield from [
        named(""),
        named(f"in_shardings=[{ab}] out_shardings=[{ab}]"),
        named(f"in_shardings=[{ab}]"),
        named(f"out_shardings=[{ab}]"),
        named("in_shardings=[<@q, []>]"),
        named("out_shardings=[<@q, []>]"),
        named(f"in_shardings=[{ab}, {ab}]"),
        named("out_shardings=[]"),
        named(f"in_shardings=[{ab}]", operands="", types=""),
        named("", args="%a: tensor<8x8xf64>", body="sdy.return %a: tensor<8x8xf64>", results="tensor<8x8xf64>"),
        named(f"in_shardings=[{ab}, <@q, []>]", **two),
        named(f"in_shardings=[{ab}, {ab}]", **two),
        named("", results="tensor<8xf32>"),
        named("", body=f"sdy.return {{foo}} %a : {T}"),
        named("", body=f"func.return %a : {T}"),
        named("", args="", body="sdy.return", operands="", types="", results="", bind=""),
        named("", args="", body="", operands="", types="", results="", bind=""),
        named("", body=""),
        named(f"out_shardings=[{ab}, <@q, []>]", body=f"sdy.return %a, %a : {T}, {T}", results=f"{T}, {T}", bind="%9:2 = "),
    ]


def out(sharding):
    return f"out_sharding=<{sharding}>"


# (sharding of %0, [op and its parameters up to out_sharding, out_sharding])
COLLECTIVES = [
    (AB, r"""
all_gather [{"a"}, {}] %1 | @m, [{}, {"b"}]
all_gather [{"a"}, {}] %0 | @m, [{}, {"b"}]
all_slice [{"a"}, {}] %1 | @m, [{"a"}, {}]
all_gather [{"a"}, {}] %0 | @q, [{}, {"b"}]
all_gather [{"a"}, {}] %0 | @o, [{}, {"b"}]
all_gather [{"a"}, {}] %0 | @m2, [{}, {"b"}]
all_gather [{"a"}, {}] %0 | @mc, [{}, {"b"}]
all_gather [{"a"}, {}] %0 | @m, [{}]
all_gather [{"a"}] %0 | @m, [{}, {"b"}]
all_gather [{"a"}, {"a"}] %0 | @m, [{}, {"b"}]
all_gather [{"z"}, {}] %0 | @m, [{}, {"b"}]
all_gather [{"b"}, {}] %0 | @m, [{}, {"b"}]
all_gather [{"a"}, {}] %0 | @m, [{"a"}, {"b"}]
all_gather [{"a"}, {}] %0 | @m, [{}, {}]
all_gather [{}, {}] %0 | @m, [{"a"}, {"b"}]
all_gather [{"a"}, {}] %0 | @m, [{?}, {"b", ?}p1], replicated={"c"}
all_gather [{"a"}, {}] %0 | @e, [{}, {}]
all_gather [{"a"}, {}] %0 | @x, []
all_gather [{"a"}, {}] %0 | @m, [{}, {"b"}], unreduced={"d"}
all_gather [] %0 | @m, [{}, {"b"}]
sharded_to_unreduced [{"a"}, {}] %0 | @m, [{}, {"b"}], unreduced={"a"}
sharded_to_unreduced [{"a"}, {}] %0 | @m, [{}, {"b"}], unreduced={"c"}
sharded_to_unreduced [{"a"}, {}] %0 | @m, [{}, {"b"}]
sharded_to_unreduced [{"c"}, {}] %0 | @m, [{}, {"b"}], unreduced={"c"}
sharded_to_unreduced [{"a"}, {"b"}] %0 | @m, [{}, {}], unreduced={"a", "b"}
sharded_to_unreduced [{}, {}] %0 | @m, [{"a"}, {"b"}]
sharded_to_unreduced [{"a"}, {}] %1 | @m, [{}, {"b"}], unreduced={"a"}
sharded_to_unreduced [{"a"}] %0 | @m, [{}, {"b"}], unreduced={"a"}
replicated_to_unreduced {"c"} %0 | @m, [{"a"}, {"b"}], unreduced={"c"}
replicated_to_unreduced {} %0 | @m, [{"a"}, {"b"}]
replicated_to_unreduced {"c"} %0 | @m, [{"a"}, {"b", ?}], unreduced={"c"}
replicated_to_unreduced {"c"} %0 | @m, [{"a"}, {"b"}], unreduced={"d"}
replicated_to_unreduced {"d", "c"} %0 | @m, [{"a"}, {"b"}], unreduced={"d"}
replicated_to_unreduced {"c", "c"} %0 | @m, [{"a"}, {"b"}], unreduced={"d"}
replicated_to_unreduced {"z"} %0 | @m, [{"a"}, {"b"}], unreduced={"d"}
replicated_to_unreduced {"b"} %0 | @m, [{"a"}, {"b"}], unreduced={"d"}
replicated_to_unreduced {"c"} %1 | @m, [{}, {}], unreduced={"c"}
all_to_all [{"a"}: 0->1] %0 | @m, [{}, {"b", "a"}]
all_to_all [] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"a"}: 0->2] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"z"}: 0->2] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"a"}: -1->1] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"a"}: -1->2] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"a"}: 0->0] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"a"}: 0->1, {"a"}: 0->1] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"a"}: 0->1, {"b"}: 0->2] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"z"}: 0->1] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"b"}: 0->1] %0 | @m, [{}, {"b", "a"}]
all_to_all [{"a"}: 0->1] %0 | @m, [{}, {"a", "b"}]
all_to_all [{"a"}: 0->1] %0 | @m, [{"a"}, {"b"}]
all_to_all [{"a"}: 0->1, {"b"}: 1->0] %0 | @m, [{"b"}, {"a"}]
all_to_all [{"a"}: 0->1] %1 | @m, [{}, {"b", "a"}]
all_to_all [{"b"}: 1->0, {"a"}: 0->1] %0 | @m, [{}, {"b", "a"}]
collective_permute %0 | @m, [{"b"}, {"a"}]
collective_permute %0 | @m, [{"c"}, {"a"}]
collective_permute %0 | @m, [{"b"}, {"d"}]
collective_permute %0 | @m2, [{"b"}, {"a"}]
collective_permute %0 | @mc, [{"b"}, {"a"}]
collective_permute %0 | @o, [{"b"}, {"a"}]
collective_permute %1 | @m, [{"b"}, {"a"}]
collective_permute %0 | @x, []
collective_permute %0 | @e, [{}, {}]
collective_permute %0 | mesh<["a"=2, "b"=2, "c"=4, "d"=8]>, [{"b"}, {"a"}]
all_reduce {"c"} %0 | @m, [{"a"}, {"b"}]
all_reduce {"c", "d":(2)4} %0 | @m, [{"a"}, {"b"}]
all_reduce {} %0 | @m, [{"a"}, {"b"}]
all_reduce {"c"} %0 | @m, [{"a"}, {}]
all_reduce {"d", "c"} %0 | @m, [{"a"}, {"b"}]
all_reduce {"c", "c"} %0 | @m, [{"a"}, {"b"}]
all_reduce {"z"} %0 | @m, [{"a"}, {"b"}]
all_reduce {"a"} %0 | @m, [{"a"}, {"b"}]
all_reduce {"c"} %0 | @m, [{"a"}, {"b"}], unreduced={"c"}
all_reduce {"c"} %0 | @m, [{"a"}, {"b"}], replicated={"c"}
all_reduce {"c"} %0 | @m, [{"a", ?}, {"b"}p1], unreduced={"d"}
all_reduce {"c"} %1 | @m, [{"a"}, {"b"}]
all_reduce {"c"} %1 | @m, [{}, {}]
all_reduce {"c"} %0 | @mc, [{"a"}, {"b"}]
all_reduce {"c"} %0 | @q, [{"a"}, {"b"}]
"""),
    ('@m, [{"a", "d"}, {}]', r"""
all_gather [{"d":(2)4}, {}] %0 | @m, [{"a", "d":(1)2}, {}]
all_gather [{"d":(1)2}, {}] %0 | @m, [{"a", "d":(2)4}, {}]
all_gather [{"a", "d"}, {}] %0 | @m, [{}, {}]
all_gather [{"d", "a"}, {}] %0 | @m, [{}, {}]
all_gather [{"d":(2)2, "d":(4)2}, {}] %0 | @m, [{}, {}]
all_gather [{"d":(2)4}, {}] %0 | @m, [{"a", "d":(1)4}, {}]
all_gather [{"d":(1)3}, {}] %0 | @m, [{"a"}, {}]
all_gather [{"d":(0)8}, {}] %0 | @m, [{"a"}, {}]
all_gather [{"d":(4)4}, {}] %0 | @m, [{"a"}, {}]
"""),
    ('@m, [{"d":(1)4}, {}]', r"""
all_gather [{"d":(1)2}, {}] %0 | @m, [{}, {}]
all_gather [{"d":(1)8}, {}] %0 | @m, [{}, {}]
all_gather [{"d"}, {}] %0 | @m, [{}, {}]
all_gather [{"d":(2)2}, {}] %0 | @m, [{"d":(1)2}, {}]
all_slice [{"d":(4)2}, {}] %0 | @m, [{"d"}, {}]
all_slice [{"d":(4)2}, {}] %0 | @m, [{"d":(1)4, "d":(4)2}, {}]
all_slice [{}, {"d":(4)2}] %0 | @m, [{"d":(1)4}, {"d":(4)2}]
all_slice [{"d":(2)4}, {}] %0 | @m, [{"d"}, {}]
reduce_scatter [{"a"}, {}] %0 | @m, [{"d":(1)4, "a"}, {}]
reduce_scatter [{"a"}, {}] %0 | @m, [{"d":(1)4}, {}]
reduce_scatter [{"d"}, {}] %0 | @m, [{"d":(1)4}, {}]
reduce_scatter [{"a"}] %0 | @m, [{"d":(1)4}, {}]
"""),
    ('@m, [{"d":(2)4}, {}], unreduced={"d":(1)2}', r"""
sharded_to_unreduced [{"d":(2)4}, {}] %0 | @m, [{}, {}], unreduced={"d"}
sharded_to_unreduced [{"d":(4)2}, {}] %0 | @m, [{"d":(2)2}, {}], unreduced={"d":(1)2, "d":(4)2}
"""),
    ('@m, [{"d":(2)2}, {"b"}], unreduced={"c"}', r"""
replicated_to_unreduced {"c"} %0 | @m, [{"d":(2)2}, {"b"}], unreduced={"c"}
replicated_to_unreduced {"c":(1)2} %0 | @m, [{"d":(2)2}, {"b"}], unreduced={"c"}
replicated_to_unreduced {"a", "d":(2)4} %0 | @m, [{"d":(2)2}, {"b"}], unreduced={"c"}
replicated_to_unreduced {"a", "d":(4)2} %0 | @m, [{"d":(2)2}, {"b"}], unreduced={"a", "c", "d":(4)2}
"""),
    ('@m, [{"c":(1)2}, {"b"}]', r"""
all_to_all [{"c":(1)2}: 0->1] %0 | @m, [{}, {"b", "c":(1)2}]
"""),
    ('@m, [{"c":(2)2}, {"c":(1)2}]', r"""
all_to_all [{"c":(2)2}: 0->1] %0 | @m, [{}, {"c"}]
"""),
    ('@m, [{"a"}, {"b"}], replicated={"c"}', r"""
all_reduce {"c"} %0 | @m, [{"a"}, {"b"}]
all_reduce {"c":(1)2} %0 | @m, [{"a"}, {"b"}]
all_reduce {"d":(1)3} %0 | @m, [{"a"}, {"b"}]
"""),
    ("@e, [{}, {}]", r"""
all_reduce {"c"} %0 | @m, [{}, {}]
all_reduce {} %0 | @e, [{}, {}]
all_slice [{"a"}, {}] %0 | @m, [{"a"}, {}]
"""),
    ("@x, []", r"""
all_reduce {"c"} %0 | @m, [{}, {}]
all_reduce {} %0 | @x, []
collective_permute %0 | @x, []
"""),
    ('mesh<["a"=2, "b"=2]>, [{"b"}, {"a"}]', r"""
collective_permute %0 | mesh<["a"=2, "b"=2]>, [{"a"}, {"b"}]
collective_permute %0 | mesh<["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>, [{"a"}, {"b"}]
"""),
]

ALL_TO_ALL_4D = r"""
[{"b"}: 1->0, {"a"}: 0->2] | [{}, {}, {"c", "b"}, {"d"}]
[{"b"}: 1->2, {"a"}: 0->3] | [{}, {}, {"c", "b"}, {"d"}]
[{"b"}: 1->2, {"a"}: 0->2] | [{}, {}, {"c", "b"}, {"d"}]
[{"a"}: 0->2, {"b"}: 1->3] | [{}, {}, {"c", "a"}, {"d", "b"}]
[{"a"}: 0->2, {"b"}: 1->3] | [{}, {}, {"c", "a"}, {"d"}]
[{"a"}: 0->1] | [{}, {"b", "a"}, {"c"}, {}]
[{"a"}: 0->1, {"c"}: 2->1] | [{}, {"b", "a"}, {"c"}, {}]
[{"b"}: 0->2, {"a"}: 1->3] | [{}, {"b", "a"}, {"c"}, {}]
[{"b"}: 0->2, {"a"}: 1->4] | [{}, {"b", "a"}, {"c"}, {}]
"""

# Bodies over %0 (sharded) and %1.
BODIES = [
    "%2 = sdy.reshard %0 <@m, [{?}, {}p0]> {foo} : tensor<8x8xf32>".replace("{}p0", "{?}p0"),
    '%2 = sdy.sharding_constraint %0 <mesh<["x"=2]>, [{"x"}, {}]> : tensor<8x8xf32>',
    "%2 = sdy.sharding_constraint %0 <@q, []> : tensor<8x8xf32>",
    "%2 = sdy.reshard %0 <@m, []> : tensor<8x8xf32>",
    "%2 = sdy.sharding_constraint %0 <@x, []> : tensor<8x8xf32>",
    "%2 = sdy.sharding_constraint %0 <@x, []> {ATTRS} : tensor<8x8xf32>".replace("ATTRS", per_value("@q, []")),
    "%2 = sdy.propagation_barrier %0 allowed_direction=NONE {ATTRS} : tensor<8x8xf32>".replace("ATTRS", per_value("@q, []")),
    "%2 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8x8xf32>",
    "%2 = sdy.propagation_barrier %0 allowed_direction=BACKWARD {foo} : tensor<8x8xf32>",
    "%2 = sdy.propagation_barrier %0 allowed_direction=BOTH : tensor<8x8xf32>",
    "%2 = sdy.propagation_barrier %0 allowed_direction=none : tensor<8x8xf32>",
    "sdy.sharding_group %0 group_id=-3 : tensor<8x8xf32>",
    "sdy.sharding_group %0 group_id = 3 {foo} : tensor<8x8xf32>",
    "sdy.sharding_group %0 group_id=3 : i64 : tensor<8x8xf32>",
    "sdy.sharding_group %0 group_id=1 : i32",
    "%2 = sdy.constant dense<1.0> : tensor<8x8xf32>",
    "%2 = sdy.constant {ATTRS} dense<1> : tensor<8xi32>".replace("ATTRS", per_value("@m, [{}]")),
    "%2 = sdy.constant {foo} dense<[true, false]> : tensor<2xi1>",
    "%2 = sdy.constant dense_resource<foo> : tensor<i32>",
    "%2 = sdy.constant() {foo, value = dense<1> : tensor<i32>} : () -> tensor<i32>",
    "%2 = sdy.constant() {value = dense<1> : tensor<i32>} : () -> tensor<i64>",
    '%2 = "sdy.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i64>',
    '%2 = "sdy.constant"() <{value = dense<1> : tensor<i32>}> {value = 3} : () -> tensor<i32>',
    '%2 = "sdy.constant"() : () -> tensor<i64>',
    '%2 = "sdy.constant"() <{value = 3 : i32}> : () -> tensor<i64>',
    "%2 = sdy.constant dense<1> : vector<2xi32>",
    "%2 = sdy.constant {value = dense<1> : tensor<i32>} dense<1> : tensor<2xi32>",
    "%2 = sdy.constant 1 : i32",
    "%2 = sdy.data_flow_edge %0 : tensor<8x8xf32>",
    "%2 = sdy.data_flow_edge %0 sharding=<@m, [{}, {}]> {foo} : tensor<8x8xf32>",
    "%2 = sdy.data_flow_edge %0 sharding=<@q, [{}, {}]> : tensor<8x8xf32>",
    "%2 = sdy.data_flow_edge %0 : tensor<8x8xf32>\n%3 = sdy.data_flow_edge %0 : tensor<8x8xf32>",
    "%2 = sdy.reshard %0 <@m, [{},{}]> : tensor<8x8xf32>\n%3 = sdy.data_flow_edge %2 : tensor<8x8xf32>",
    "%2 = sdy.data_flow_edge %0 : tensor<8x8xf32>\n%3 = sdy.data_flow_edge %2 : tensor<8x8xf32>",
    "%2 = func.call @abs(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n%3 = sdy.data_flow_edge %2 : tensor<8x8xf32>",
    '%2 = sdy.named_computation<"foo">(%0) (%a: tensor<8x8xf32>) {%3 = sdy.data_flow_edge %a : tensor<8x8xf32>\nsdy.return %3 : tensor<8x8xf32>} : (tensor<8x8xf32>) -> tensor<8x8xf32>\n%e = sdy.data_flow_edge %2 : tensor<8x8xf32>',
    "%2 = sdy.manual_computation(%0) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={} (%a: tensor<8x8xf32>) {sdy.return %a : tensor<8x8xf32>} : (tensor<8x8xf32>) -> tensor<8x8xf32>\n%3 = sdy.data_flow_edge %2 : tensor<8x8xf32>",
    "%2 = sdy.constant dense<1.0> : tensor<8x8xf32>\n%3 = sdy.data_flow_edge %2 : tensor<8x8xf32>",
    "%2 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>",
    "%2 = sdy.func_data_flow_edge %0 {ATTRS} : tensor<8x8xf32>".replace("ATTRS", per_value("@q, []")),
    "%2 = sdy.func_data_flow_edge %0 {ATTRS} : tensor<8x8xf32>".replace("ATTRS", edges()),
    "%2 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>\n%3 = sdy.func_data_flow_edge %0 : tensor<8x8xf32>",
    "%2 = func.call @abs(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n%3 = sdy.func_data_flow_edge %2 : tensor<8x8xf32>",
    "%2 = sdy.constant dense<1.0> : tensor<8x8xf32>\n%3 = sdy.func_data_flow_edge %2 : tensor<8x8xf32>",
    '%2 = sdy.named_computation<"foo">(%0) (%a: tensor<8x8xf32>) {%3 = sdy.func_data_flow_edge %a : tensor<8x8xf32>\nsdy.return %3 : tensor<8x8xf32>} : (tensor<8x8xf32>) -> tensor<8x8xf32>',
    "%2 = sdy.reshard %1 <@m, [{}, {}]> {ATTRS} : tensor<8x8xf32>".replace("ATTRS", edges()),
    '%2 = "sdy.reshard"(%0) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<8x8xf32>) -> tensor<8xf32>',
    '%2 = "sdy.data_flow_edge"(%0) : (tensor<8x8xf32>) -> tensor<8xf32>',
    '%2 = "sdy.all_slice"(%0) : (tensor<8x8xf32>) -> tensor<8xf32>',
    '%2 = "sdy.named_computation"(%0) <{name = "foo"}> ({\n^bb0:\n"sdy.return"() : () -> ()}) : (tensor<8x8xf32>) -> tensor<8xf32>',
    '%2 = "sdy.named_computation"(%0) <{name = "foo"}> ({\n^bb0(%a: tensor<4xf32>):\n"sdy.return"() : () -> ()}) : (tensor<8x8xf32>) -> tensor<8xf32>',
    '%2 = sdy.all_gather [{"a"}, {}] %0 {foo} out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>',
    '%2 = sdy.all_gather [{"a"}, {}] %0 out_sharding = <@m, [{}, {"b"}]> {foo} : tensor<8x8xf32>',
    "sdy.foo %0",
]

TYPED_BODIES = [
    ("tensor<?xf32>", "%2 = sdy.data_flow_edge %0 : tensor<?xf32>"),
    ("tensor<?xf32>", "%2 = sdy.data_flow_edge %0 sharding=<@q, []> : tensor<?xf32>"),
    ("tensor<*xf32>", "%2 = sdy.data_flow_edge %0 : tensor<*xf32>"),
    ("memref<8xf32>", "%2 = sdy.data_flow_edge %0 : memref<8xf32>"),
    ("tensor<?xf32>", "%2 = sdy.func_data_flow_edge %0 : tensor<?xf32>"),
    ("i32", "%2 = sdy.data_flow_edge %0 : i32"),
    ("i32", "%2 = sdy.func_data_flow_edge %0 : i32"),
    ("i32", "%2 = sdy.propagation_barrier %0 allowed_direction=NONE : i32"),
    ("i32", "%2 = sdy.all_slice [] %0 out_sharding=<@m, []> : i32"),
    ("i32", "%2 = sdy.sharding_constraint %0 <@m, []> : i32"),
    ("i32", "%2 = sdy.sharding_constraint %0 <@m, [{}]> : i32"),
    ("vector<2xi32>", "%2 = sdy.all_slice [] %0 out_sharding=<@m, []> : vector<2xi32>"),
    ("memref<f32>", '%2 = sdy.all_reduce {"c"} %0 out_sharding=<@m, []> : memref<f32>'),
    ("tensor<*xf32>", '%2 = sdy.all_reduce {"c"} %0 out_sharding=<@m, []> : tensor<*xf32>'),
    ("tensor<?xf32>", manual('<@m, [{"d"}]>', '<@m, [{"d"}]>', '"d"', "%a: tensor<?xf32>", "sdy.return %a : tensor<?xf32>", "%0", "tensor<?xf32>", "tensor<?xf32>")),
    ("tensor<12xf32>", manual('<@m, [{"d"}]>', '<@m, [{"d"}]>', '"d"', "%a: tensor<1xf32>", "sdy.return %a : tensor<1xf32>", "%0", "tensor<12xf32>", "tensor<12xf32>")),
    ("tensor<16xf32>", manual('<@m, [{"d"}]>', '<@m, [{"d"}]>', '"d"', "%a: tensor<2xf64>", "sdy.return %a : tensor<2xf64>", "%0", "tensor<16xf32>", "tensor<16xf32>")),
    ("i32", manual("<@m, []>", "<@m, []>", '"d"', "%a: i32", "sdy.return %a : i32", "%0", "i32", "i32")),
    ("i32", manual("<@m, []>", "<@m, []>", '"d"', "%a: i64", "sdy.return %a : i64", "%0", "i32", "i32")),
    ("tensor<?xf32>", "%2 = func.call @u(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : (tensor<?xf32>) -> tensor<?xf32>"),
    ("tensor<f32>", "%2 = func.call @u(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([]) {i=8}>} : (tensor<f32>) -> tensor<f32>"),
    ("i32", "%2 = func.call @u(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : (i32) -> i32"),
]

MODULES = [
    "func.func private @f() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@q, []>})",
    'sdy.mesh @m = <["a"=2]>\nfunc.func private @f() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}, tensor<8xf32> {sdy.sharding = 3})',
    "func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@q, []>})",
    "func.func private @f(tensor<8xf32>) attributes {sdy.sharding = #sdy.sharding<@q, []>}",
    "func.func private @f(tensor<8xf32>) attributes {sdy.sharding = #sdy.sharding_per_value<[<@q, []>]>}",
    'func.func private @f(tensor<8xf32> {sdy.propagation_edges = "a", sdy.sharding_rule = 3})',
    'sdy.mesh @y = <["a"=2]>\nmodule {func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@y, [{}]>})}',
    "func.func @f() { sdy.mesh @m = <[]>\nreturn }",
    "sdy.mesh @m = <[]>\nsdy.mesh @m = <[]>",
    "sdy.mesh @m = mesh<[]>",
    "sdy.mesh private @m = <[]>",
    'sdy.mesh @m = <["a"=2]> {stablehlo.mesh = {axes = []}}',
    '"sdy.mesh"() <{sym_name = "m", mesh = #sdy.mesh<["a"=2], device_ids=[0,1]>}> : () -> ()',
    '"sdy.mesh"() <{sym_name = "m"}> : () -> ()',
    'sdy.mesh @m = <["a"=4], device_ids=[0,1]>',
    'sdy.mesh @m = <["a"=4, "a"=2], device_ids=[0,1]>',
    'sdy.mesh @m = <["a"=1], device_ids=[0]>',
    'sdy.mesh @m = <["a"=0]>',
]


def lines(text):
    return [line for line in text.split("\n") if line.strip()]


def attributes():
    yield from lines(ATTRIBUTES)
    for text in lines(RULE_TEXTS):
        yield f"#sdy.op_sharding_rule<{text}>"


def programs():
    yield from MODULES
    for text in lines(ARG_SHARDINGS):
        yield arg(text)
    for type, texts in TYPED_SHARDINGS:
        for text in texts:
            yield arg(text, type)
    add, none, two = call_attributes()
    add += [f"sdy.sharding_rule = #sdy.op_sharding_rule<{rule}>" for rule in lines(RULES)]
    for attrs in add:
        yield func(f"%2 = func.call @add(%0, %1) {{{attrs}}} : ({T}, {T}) -> {T}")
    for attrs in none:
        yield func(f"func.call @none() {{{attrs}}} : () -> ()")
    for attrs in two:
        yield func(f"%2:2 = func.call @two() {{{attrs}}} : () -> ({T}, {T})")
    for body in manual_computations():
        yield func(body)
    for body in named_computations():
        yield func(body)
    for sharding, texts in COLLECTIVES:
        for text in lines(texts):
            op, result = text.split(" | ")
            yield func(
                f"%9 = sdy.{op} {out(result)} : {T}",
                f"%0: {T} {{sdy.sharding = #sdy.sharding<{sharding}>}}, %1: {T}",
            )
    for text in lines(ALL_TO_ALL_4D):
        params, dims = text.split(" | ")
        t = "tensor<8x8x8x8xf32>"
        yield func(
            f"%9 = sdy.all_to_all {params} %0 {out('@m, ' + dims)} : {t}",
            f'%0: {t} {{sdy.sharding = #sdy.sharding<@m, [{{"a"}}, {{"b"}}, {{"c"}}, {{"d"}}]>}}',
        )
    for body in BODIES:
        yield func(body)
    for type, body in TYPED_BODIES:
        decl = f"func.func private @u({type}) -> {type}\n"
        yield func(body, f"%0: {type}", decls=decl if "@u" in body else "")


# --- canonicalisation -------------------------------------------------------------------------

# (labels to enable, sharding of %x, body). Each op without a written type has the type of %x.
LABELLED = [
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"c"}, {}] %0 out_sharding=<@m, [{"a", "c"}, {}]>
return %1"""),
    ("sdy-reshard", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"c"}, {}] %0 out_sharding=<@m, [{"a", "c"}, {}]>
return %1"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"d", "c"}, {}] %0 out_sharding=<@m, [{"a", "d", "c"}, {}]>
return %1"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c", "d"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"d", "c"}, {}] %0 out_sharding=<@m, [{"a", "d", "c"}, {}]>
return %1"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c", "d"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"d"}, {"c", "b"}] %0 out_sharding=<@m, [{"a", "d"}, {"c", "b"}]>
return %1"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c", "d"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"d"}, {}] %0 out_sharding=<@m, [{"a", "d"}, {}]>
return %1"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"c"}, {}] %0 out_sharding=<@m, [{"a", "c"}, {?}]>
%2 = sdy.all_slice [{"c"}, {}] %0 out_sharding=<@m, [{"a", "c"}, {}], replicated={"d"}>
return %1, %2"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"c", "d"}, {}] %0 out_sharding=<@m, [{"a", "c", "d"}, {?}]>
%2 = sdy.all_slice [{"c", "d"}, {}] %0 out_sharding=<@m, [{"a", "c", "d"}, {}], replicated={"b"}>
return %1, %2"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"c"}, {}] %0 out_sharding=<@m, [{"a", "c"}, {}]>
%2 = sdy.all_slice [{}, {"c"}] %0 out_sharding=<@m, [{"a"}, {"c"}]>
return %1, %2"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_reduce {"c"} %x out_sharding=<@m, [{"a"}, {}]>
%1 = sdy.all_slice [{"c"}, {}] %0 out_sharding=<@m, [{"a", "c"}, {}]>
return %1, %0"""),
    ("sdy-collective", '@m, [{"d":(1)2}, {}], unreduced={"c"}', """%0 = sdy.all_reduce {"d":(2)4} %x out_sharding=<@m, [{"d":(1)2}, {}], unreduced={"c"}>
%1 = sdy.all_slice [{"d":(2)4}, {}] %0 out_sharding=<@m, [{"d"}, {}], unreduced={"c"}>
return %1"""),
    ("sdy-collective", '@m, [{"d":(1)2}, {}], unreduced={"c"}', """%0 = sdy.all_reduce {"d":(2)4} %x out_sharding=<@m, [{"d":(1)2}, {}], unreduced={"c"}>
%1 = sdy.all_slice [{"d":(2)2}, {"d":(4)2}] %0 out_sharding=<@m, [{"d":(1)4}, {"d":(4)2}], unreduced={"c"}>
return %1"""),
    ("sdy-collective", '@m, [{"a", ?}, {}]', """%0 = sdy.all_reduce {"c"} %x out_sharding=<@m, [{"a", ?}p3, {?}]> {foo}
%y = sdy.reshard %x <@m, [{"b"}, {}]>
%1 = sdy.all_slice [{"c", "d"}, {"b"}] %0 out_sharding=<@m, [{"a", "c", "d", ?}p1, {"b"}]> {bar}
%2 = sdy.reshard %1 <@m, [{"b"}, {}]>
%3 = sdy.reshard %y <@m, [{"a"}, {}]>
return %2, %3"""),
    ("sdy-collective", '@m, [{"a", ?}, {?}p2]', """%0 = sdy.all_reduce {"b", "c"} %x out_sharding=<@m, [{"a", ?}p3, {?}]> {foo}
%1 = sdy.all_slice [{"c"}, {"b"}] %0 out_sharding=<@m, [{"a", "c", ?}p1, {"b"}]> {bar}
%2 = sdy.reshard %1 <@m, [{"b"}, {}]>
%4 = sdy.all_slice [{"c"}, {"b"}] %0 out_sharding=<@m, [{"a", "c"}, {"b"}]> {baz}
return %2, %4"""),
    ("sdy-collective", '@m, [{"a", "c":(1)2}, {}]', """%0 = sdy.all_reduce {"c":(2)2} %x out_sharding=<@m, [{"a", "c":(1)2}, {?}]> {foo}
%1 = sdy.all_slice [{"c":(2)2, "b"}, {"d"}] %0 out_sharding=<@m, [{"a", "c", "b"}, {"d"}]> {bar}
return %1"""),
    ("sdy-collective", '@m, [{"a", "c":(1)2}, {}], unreduced={"c":(2)2}', """%0 = sdy.all_slice [{"b"}, {"d"}] %x out_sharding=<@m, [{"a", "c":(1)2, "b"}, {"d"}], unreduced={"c":(2)2}> {bar}
%1 = sdy.all_slice [{}, {}] %0 out_sharding=<@m, [{"a", "c":(1)2, "b"}, {"d", ?}], unreduced={"c":(2)2}> {foo}
%2 = sdy.all_reduce {} %1 out_sharding=<@m, [{"a", "c":(1)2, "b"}, {"d", ?}], unreduced={"c":(2)2}> {foo}
%3 = sdy.all_gather [{}, {}] %2 out_sharding=<@m, [{"a", "c":(1)2, "b"}, {"d", ?}]> {foo}
return %3"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@m, [{}, {}]>
%1 = sdy.all_slice [{"a"}, {}] %0 out_sharding=<@m, [{"a"}, {}]>
%2 = sdy.all_gather [{}, {}] %1 out_sharding=<@m, [{"a", ?}, {}]>
%3 = sdy.all_slice [{}, {}] %2 out_sharding=<@m, [{"a", ?}, {}]>
%4 = sdy.reduce_scatter [{}, {}] %3 out_sharding=<@m, [{"a", ?}, {}], replicated={"c"}>
return %4"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@m, [{}, {}]>
%1 = sdy.all_slice [{}, {"a"}] %0 out_sharding=<@m, [{}, {"a"}]>
return %1"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.replicated_to_unreduced {"c"} %x out_sharding=<@m, [{"a"}, {}], unreduced={"c"}>
%1 = sdy.all_reduce {"c"} %0 out_sharding=<@m, [{"a"}, {}]>
%2 = sdy.all_reduce {} %1 out_sharding=<@m, [{"a"}, {}]>
return %2"""),
    ("sdy-collective", '@m, [{"a", "d"}, {"c"}]', """%0 = sdy.sharded_to_unreduced [{"d":(2)4}, {"c"}] %x out_sharding=<@m, [{"a", "d":(1)2}, {}], unreduced={"c", "d":(2)4}>
%1 = sdy.all_reduce {"c", "d":(2)4} %0 out_sharding=<@m, [{"a", "d":(1)2}, {}]> {foo}
return %1"""),
    ("sdy-collective", '@m, [{"a", "d"}, {"c"}]', """%0 = sdy.sharded_to_unreduced [{"a", "d"}, {"c"}] %x out_sharding=<@m, [{}, {}], unreduced={"a", "c", "d"}>
%1 = sdy.all_reduce {"c"} %0 out_sharding=<@m, [{}, {}], unreduced={"a", "d"}>
return %1"""),
    ("sdy-collective", '@m, [{"c", "d":(4)2}, {"d":(2)2}]', """%0 = sdy.sharded_to_unreduced [{"d":(4)2}, {"d":(2)2}] %x out_sharding=<@m, [{"c"}, {}], unreduced={"d":(2)4}>
%1 = sdy.all_reduce {"d":(2)4} %0 out_sharding=<@m, [{"c", ?}, {}]> {foo}
return %1, %0"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.collective_permute %x out_sharding=<@m, [{"a", ?}, {}], replicated={"b"}>
%1 = sdy.collective_permute %x out_sharding=<@m, [{"b", ?}, {}], replicated={"a"}>
return %0, %1"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@m, [{}, {"a"}]>
return %x"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%0 = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@m, [{}, {"a"}]>
%1 = sdy.all_to_all [{"a"}: 1->0] %0 out_sharding=<@m, [{"a"}, {}]>
return %1"""),
    ("sdy-collective", '@m, [{"a"}, {}, {"b"}, {}]', """%0 = sdy.all_to_all [{"b"}: 2->3] %x out_sharding=<@m, [{"a"}, {}, {}, {"b"}]> {foo}
%1 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@m, [{}, {"a"}, {}, {"b", ?}]> {bar}
return %1"""),
    ("sdy-collective", '@m, [{"a"}, {}, {"b"}, {}]', """%0 = sdy.all_to_all [{"b"}: 2->3] %x out_sharding=<@m, [{"a"}, {}, {}, {"b"}]> {foo}
%1 = sdy.all_to_all [{"a"}: 0->1] %0 out_sharding=<@m, [{}, {"a"}, {}, {"b", ?}]> {bar}
return %1, %0"""),
    ("sdy-reshard", '@m, [{"a"}, {}]', """%2 = sdy.reshard %x <@m, [{"b"}, {}]>
%1 = sdy.reshard %2 <@m, [{"c"}, {}]> {foo}
%3 = sdy.reshard %x <@m, [{"c"}, {}]>
return %1, %3"""),
    ("sdy-collective", '@m, [{"a"}, {}]', """%2 = sdy.reshard %x <@m, [{"b"}, {}]>
%1 = sdy.reshard %2 <@m, [{"c"}, {}]> {foo}
return %1"""),
]

PAIRS = r"""
@m, [{"a"}, {}] | @m, [{"a"}, {}]
@m, [{"a"}, {}] | @m, [{"a", ?}p2, {?}]
@m, [{"a"}, {}] | @mc, [{"a"}, {}]
@m, [{"a"}, {}] | @m, [{"a"}, {}], replicated={"b"}
@m, [{"a"}, {}], unreduced={"b"} | @m, [{"a"}, {}], unreduced={"b"}
@m, [{}, {}] | @m, [{}, {}], replicated={"b"}
@m, [{}, {}], replicated={"b"} | @m, [{}, {}], replicated={"b"}
@m, [{"a"}, {}] | @m, [{"b"}, {}]
@m, [{"a", "b"}, {}] | @m, [{"a"}, {"b"}]
@m, [{"d":(1)2, "d":(4)2}, {}] | @m, [{"d":(1)2, "d":(4)2}, {}]
"""


def reshape(shape, result, value="%x", to="%y"):
    return f"{to} = stablehlo.reshape {value} : (tensor<{shape}xf32>) -> tensor<{result}xf32>"


def reshard(value, sharding, shape, to):
    return f"{to} = sdy.reshard {value} <{sharding}> : tensor<{shape}xf32>"


def through_reshapes():
    """Yields the type of %x, lines, (value, shape) returned."""
    a, a1 = '@m, [{"a"}, {}]', '@m, [{"a"}]'
    yield "8x8", [reshard("%x", a, "8x8", "%1"), reshape("8x8", "64"), reshard("%y", a1, "64", "%2")], [("%1", "8x8"), ("%2", "64")]
    yield "8x8", [reshape("8x8", "64"), reshard("%y", a1, "64", "%2"), reshard("%x", a, "8x8", "%1")], [("%1", "8x8"), ("%2", "64")]
    yield "8x8", [reshape("8x8", "64"), reshard("%y", a1, "64", "%2"), reshape("8x8", "4x16", to="%z"), reshard("%z", a, "4x16", "%1")], [("%1", "4x16"), ("%2", "64")]
    yield "8x8", [reshard("%x", '@m, [{"b", "a"}, {}]', "8x8", "%2"), reshape("8x8", "2x4x8"), reshard("%y", '@m, [{"b"}, {"a"}, {}]', "2x4x8", "%1")], [("%1", "2x4x8"), ("%2", "8x8")]
    yield "3x3", [reshape("3x3", "9"), reshard("%y", a1, "9", "%2"), reshard("%x", a, "3x3", "%1")], [("%1", "3x3"), ("%2", "9")]
    yield "6x4", [reshape("6x4", "24"), reshard("%y", '@m, [{"c"}]', "24", "%2"), reshard("%x", '@m, [{"c"}, {}]', "6x4", "%1")], [("%1", "6x4"), ("%2", "24")]
    yield "8x8", [reshape("8x8", "2x4x8"), reshard("%y", '@m, [{"c":(1)2}, {"c":(2)2}, {}]', "2x4x8", "%2"), reshard("%x", '@m, [{"c"}, {}]', "8x8", "%1")], [("%1", "8x8"), ("%2", "2x4x8")]
    yield "8x8", [reshard("%x", a, "8x8", "%2"), reshape("8x8", "2x4x8", "%2"), reshard("%y", '@m, [{"b"}, {"a"}, {}]', "2x4x8", "%z"), reshard("%2", '@m, [{"b", "a"}, {}]', "8x8", "%1")], [("%1", "8x8"), ("%z", "2x4x8")]


def canonicalizations():
    """Yields (options of canonicalize, program)."""
    for label, sharding, body in LABELLED:
        t = "tensor<8x8x8x8xf32>" if sharding.count("{") == 4 else "tensor<64x64xf32>"
        *ops, last = body.split("\n")
        types = ", ".join([t] * (last.count(",") + 1))
        text = "".join(f"{op} : {t}\n" for op in ops)
        yield f"enable-patterns={label}", (
            f"{MESHES}func.func @main(%x: {t} {{sdy.sharding = #sdy.sharding<{sharding}>}}) -> ({types}) {{\n"
            f"{text}{last} : {types}\n}}\n")
    for text in lines(PAIRS):
        first, second = text.split(" | ")
        yield "", (
            f"{MESHES}func.func @main(%x: {T}) -> ({T}, {T}) {{\n%1 = sdy.reshard %x <{first}> : {T}\n"
            f"%2 = sdy.reshard %x <{second}> : {T}\nreturn %1, %2 : {T}, {T}\n}}\n")
    for shape, ops, results in through_reshapes():
        types = ", ".join(f"tensor<{s}xf32>" for _, s in results)
        values = ", ".join(v for v, _ in results)
        yield "", (
            f"{MESHES}func.func @main(%x: tensor<{shape}xf32>) -> ({types}) {{\n" + "\n".join(ops)
            + f"\nreturn {values} : {types}\n}}\n")
    yield "", func("\n".join([
        manual('<@m, [{"a"}, {}]>, <@m, [{}, {}]>', '<@m, [{"a"}, {}]>', '"a"', f"%a: tensor<4x8xf32>, %b: {T}",
               "sdy.return %a : tensor<4x8xf32>", "%0, %1", f"{T}, {T}"),
        "%10 = func.call @abs(%9) : (tensor<8x8xf32>) -> tensor<8x8xf32>",
        "sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () { sdy.return } : () -> ()",
        'sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () { sdy.return } : () -> ()',
        'sdy.manual_computation(%0) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%a: tensor<4x8xf32>) { sdy.return } : (tensor<8x8xf32>) -> ()',
        "sdy.manual_computation(%0) in_shardings=[<@m, [{}, {}]>] out_shardings=[] manual_axes={} (%a: tensor<8x8xf32>) { %z = sdy.sharding_constraint %a <@m, [{}, {}]> : tensor<8x8xf32>\nsdy.return } {foo} : (tensor<8x8xf32>) -> ()",
    ]))
