//===- partial_sum_casts.cc - unreduced and reduced manual axes -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each primitive is the transpose of another one:
//
//   preduced               invariant -> reduced     unreduced_psum
//   vary_unreduced_cast_p  varying -> unreduced     reduced_vary_cast_p
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/shard_map/collective_helpers.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using Rule = Expected<std::vector<Aval>>;

/// The axes of a type that are in this state.
AxisNames &axesIn(Aval &aval, AxisState state) {
  return state == AxisState::Varying     ? aval.varying
         : state == AxisState::Unreduced ? aval.unreduced
                                         : aval.reduced;
}

/// A change of the state of axes.
struct Cast {
  const char *name;
  AxisState from, to;
  const char *transposed;
};
const Cast casts[] = {
    {"preduced", AxisState::Invarying, AxisState::Reduced, "unreduced_psum"},
    {"unreduced_psum", AxisState::Unreduced, AxisState::Invarying, "preduced"},
    {"vary_unreduced_cast_p", AxisState::Varying, AxisState::Unreduced,
     "reduced_vary_cast_p"},
    {"reduced_vary_cast_p", AxisState::Reduced, AxisState::Varying,
     "vary_unreduced_cast_p"},
};

Status checkState(const Cast &cast, const Aval &in, const AxisNames &axes) {
  std::string name = cast.name;
  if (size_t end = name.rfind("_p"); end + 2 == name.size())
    name.resize(end);
  for (const auto &[state, word] :
       {std::pair(AxisState::Reduced, "reduced"),
        std::pair(AxisState::Unreduced, "unreduced")})
    for (const std::string &axis : axes)
      if (state != cast.from && stateAlong(in, axis) == state)
        return valueError(name, " cannot accept args which are ", word,
                          ". Got ", in.str(), " and axes={", quotedNames(axes),
                          "}");
  bool fits = std::all_of(axes.begin(), axes.end(), [&](const auto &axis) {
    return stateAlong(in, axis) == cast.from;
  });
  if (fits)
    return {};
  if (cast.from == AxisState::Varying)
    return valueError(
        "vary_unreduced_cast is a Varying->Unreduced collective. This means "
        "that the axis names mentioned in `axes` passed to "
        "`vary_unreduced_cast` must be present in "
        "`jax.typeof(x).mat.varying`. Got axes=",
        namesText(axes),
        " and jax.typeof(x).mat.varying=", AxisSet(in.varying).repr());
  return valueError(name, " does not apply to a value of type ", in.str(),
                    " along axes ", namesText(axes));
}

std::vector<std::string> lowerSum(LoweringContext &c) {
  auto groups = groupsOf(c, c.params().names("axes"));
  if (!groups)
    return {};
  return c.op("stablehlo.all_reduce", c.operands(), mlirTypes(c.operandTypes()),
              mlirTypes(c.resultTypes()), groupAttributes(*groups, true),
              {reducerRegion(c, c.operandTypes()[0], "stablehlo.add")});
}

Primitive makeCast(const Cast *cast) {
  Primitive p;
  p.name = cast->name;
  p.hidden = {"axis_mesh"};
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = [cast](const std::vector<Aval> &in, const Params &params) -> Rule {
    const AxisNames &axes = params.names("axes");
    SW_TRY(checkBound(axes, cast->name));
    SW_TRY(checkState(*cast, in[0], axes));
    Aval out = in[0];
    if (cast->from != AxisState::Invarying)
      axesIn(out, cast->from) = without(axesIn(out, cast->from), axes);
    if (cast->to != AxisState::Invarying) {
      AxisNames &list = axesIn(out, cast->to);
      list.insert(list.end(), axes.begin(), axes.end());
      list = inBindingOrder(list);
    }
    return std::vector<Aval>{out};
  };
  p.jvp = linearJvp(cast->name);
  p.transpose = [cast](const MaybeTensors &ct, const MaybeTensors &,
                       const std::vector<Aval> &, const Params &params) {
    return MaybeTensors{
        bind1(*findPrimitive(cast->transposed), {*ct[0]}, params)};
  };
  p.batch = [cast](const BatchAxis &, const Tensors &in, const Ints &dims,
                   const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive(cast->name), in, params), dims};
  };
  if (cast->from == AxisState::Unreduced)
    p.lower = lowerSum;
  else
    p.lower = [](LoweringContext &c) { return c.operands(); };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  std::vector<Primitive> all;
  for (const Cast &cast : casts)
    all.push_back(makeCast(&cast));
  return registerAll(std::move(all));
}();

} // namespace

Status checkCast(const std::string &name, const Aval &type,
                 const AxisNames &axes) {
  for (const Cast &cast : casts)
    if (name == cast.name)
      return checkState(cast, type, axes);
  return {};
}

Tensor castAxes(const char *name, const Tensor &x, const AxisNames &axes) {
  Params params{{"axes", axes}};
  params.set("axis_mesh", objectParam(AxisMesh(contextAbstractMesh())));
  return bind1(*findPrimitive(name), {x}, params);
}

} // namespace shardwright::frontend
