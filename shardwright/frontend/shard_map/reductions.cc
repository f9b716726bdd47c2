//===- reductions.cc - casts and reductions along axes --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/shard_map/collective_helpers.h"

namespace shardwright::frontend {
namespace {

using Rule = Expected<std::vector<Aval>>;

Aval withVarying(const Aval &aval, AxisNames varying) {
  Aval out = aval;
  out.varying = std::move(varying);
  return out;
}

const Primitive pvaryP = [] {
  Primitive p;
  p.name = "pvary";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &in, const Params &params) -> Rule {
    const AxisNames &axes = params.names("axes");
    SW_TRY(checkBound(axes, "pvary"));
    AxisNames all = in[0].varying;
    for (const auto &[state, word] :
         {std::pair(AxisState::Unreduced, "unreduced"),
          std::pair(AxisState::Reduced, "reduced")})
      for (const std::string &axis : axes)
        if (stateAlong(in[0], axis) == state)
          return valueError("pvary cannot accept args which are ", word,
                            ". Got ", in[0].str(), " and axes={",
                            quotedNames(axes), "}");
    for (const std::string &axis : axes) {
      if (contains(in[0].varying, axis))
        return valueError(
            "pvary is a invariant->variant collective. This means that the "
            "axis names mentioned in `axes` passed to `pvary` must not be "
            "present in `jax.typeof(inp).mat.varying`. Got axes=",
            namesText(axes), " and jax.typeof(inp)=", in[0].str());
      all.push_back(axis);
    }
    return std::vector<Aval>{withVarying(in[0], inBindingOrder(all))};
  };
  p.jvp = linearJvp("pvary");
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    return MaybeTensors{lax::psum(*ct[0], params.names("axes"))};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive("pvary"), in, params), dims};
  };
  p.lower = [](LoweringContext &c) { return c.operands(); };
  return p;
}();
const Registered pvaryR(pvaryP);

/// Reductions: of devices, and of a dimension that vmap added.
struct Reduction {
  const char *name;
  const char *opName;
  Tensor (*reduce)(const Tensor &x, const Ints &axes);
  bool isSum = false;
  /// The operand varies along the axes, and the result does not.
  bool isInvariant = false;
};
const Reduction reductions[] = {
    {"psum", "stablehlo.add", lax::reduce_sum, true},
    {"psum_invariant", "stablehlo.add", lax::reduce_sum, true, true},
    {"pmax", "stablehlo.maximum", lax::reduce_max},
    {"pmin", "stablehlo.minimum", lax::reduce_min},
};

Rule inferReduction(const Reduction &r, const std::vector<Aval> &in,
                    const Params &params) {
  const AxisNames &axes = params.names("axes");
  SW_TRY(checkBound(axes, r.isSum ? "psum" : r.name));
  for (const std::string &axis : axes)
    if (r.isInvariant && findAxis(axis)->isManual &&
        !contains(in[0].varying, axis))
      return valueError("Collective ", r.name,
                        " must be applied to a device-varying  type, but got {",
                        quotedNames(in[0].varying),
                        "} for collective acting over axis name ", axis, ".");
  return std::vector<Aval>{withVarying(in[0], without(in[0].varying, axes))};
}

BatchResult batchReduction(const Reduction &r, const BatchAxis &axis,
                           const Tensors &in, const Ints &dims,
                           const Params &params) {
  const Primitive &self = *findPrimitive(r.name);
  std::optional<AxisNames> rest = withoutMapped(params.names("axes"), axis);
  if (!rest)
    return {frontend::bind(self, in, params), dims};
  if (!params.isNone("axis_index_groups"))
    return {{Tensor(notImplemented("axis_index_groups of ", r.name,
                                   " along an axis of vmap is not "
                                   "implemented"))},
            {}};
  Tensor x = in[0];
  if (dims[0] >= 0)
    x = r.reduce(x, {dims[0]});
  else if (r.isSum)
    x = lax::mul(x, scalarOf(static_cast<double>(axis.size), x.dtype()));
  if (rest->empty())
    return {{x}, {-1}};
  Params changed = params;
  changed.set("axes", *rest);
  return {frontend::bind(self, {x}, changed), {-1}};
}

Primitive makeReduction(const Reduction *r) {
  Primitive p;
  p.name = r->name;
  p.hidden = {"axis_mesh"};
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = [r](const std::vector<Aval> &in, const Params &params) {
    return inferReduction(*r, in, params);
  };
  p.batch = [r](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchReduction(*r, axis, in, dims, params);
  };
  p.lower = [r](LoweringContext &c) -> std::vector<std::string> {
    auto groups = groupsOf(c, c.params().names("axes"));
    if (!groups)
      return {};
    return c.op("stablehlo.all_reduce", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                groupAttributes(*groups, true),
                {reducerRegion(c, c.operandTypes()[0], r->opName)});
  };
  if (!r->isSum)
    return p;
  p.jvp = linearJvp(r->name);
  p.transpose = [r](const MaybeTensors &ct, const MaybeTensors &,
                    const std::vector<Aval> &types, const Params &params) {
    if (!r->isInvariant)
      return MaybeTensors{bind1(*findPrimitive("psum"), {*ct[0]}, params)};
    AxisNames manual;
    for (const std::string &axis : params.names("axes"))
      if (contains(types[0].varying, axis))
        manual.push_back(axis);
    return MaybeTensors{varyAlong(*ct[0], manual)};
  };
  return p;
}

const std::map<std::string, Primitive> &all() {
  static const auto *table = [] {
    auto *made = new std::map<std::string, Primitive>;
    for (const Reduction &r : reductions)
      made->emplace(r.name, makeReduction(&r));
    return made;
  }();
  return *table;
}
const bool registered = [] {
  for (const auto &[name, primitive] : all())
    Registered{primitive};
  return true;
}();

Tensor bindReduction(const char *name, const Tensor &x,
                     const CollectiveAxes &axes,
                     const AxisIndexGroups &groups) {
  if (!x.ok())
    return x;
  if (Status bound = checkBound(axes.names, name[1] == 's' ? "psum" : name);
      !bound)
    return bound.error();
  Expected<int64_t> size = boundSize(axes.names);
  if (Status fits = checkGroups(groups, *size); !fits)
    return fits.error();
  Params params = collectiveParams(groups);
  params.set("axes", axes.names);
  const Primitive &primitive = all().at(name);
  if (primitive.name == "psum_invariant") {
    Params few{{"axes", axes.names}};
    few.set("axis_mesh", *params.find("axis_mesh"));
    params = few;
  }
  return bind1(primitive, {varyAlong(x, axes.names)}, params);
}

} // namespace

namespace lax {

Tensor psum(const Tensor &x, const CollectiveAxes &axes,
            const AxisIndexGroups &groups) {
  if (!x.ok())
    return x;
  const ArrayValue *array = asArray(x);
  if (array && array->isLiteral && groups.empty()) {
    Expected<int64_t> size = boundSize(axes.names);
    if (!size)
      return size.error();
    double value = readDouble(array->state.host.get(), x.dtype(), 0);
    DType type = x.dtype() == DType::Bool ? DType::I32 : x.dtype();
    return scalarOf(value * static_cast<double>(*size), type, x.aval().weak);
  }
  Tensor summand =
      x.dtype() == DType::Bool ? convert_element_type(x, DType::I32) : x;
  if (!tracksVarying())
    return bindReduction("psum", summand, axes, groups);
  if (!groups.empty())
    return notImplemented("axis_index_groups is not supported with "
                          "check_vma=True");
  Expected<AxisState> state = commonState(summand.aval(), axes.names, "psum");
  if (!state)
    return state.error();
  if (*state == AxisState::Unreduced)
    return castAxes("unreduced_psum", summand, axes.names);
  return bindReduction("psum_invariant", summand, axes, groups);
}

Tensors psum(const Tensors &xs, const CollectiveAxes &axes,
             const AxisIndexGroups &groups) {
  Tensors out;
  for (const Tensor &x : xs)
    out.push_back(psum(x, axes, groups));
  return out;
}

Tensor pmean(const Tensor &x, const CollectiveAxes &axes,
             const AxisIndexGroups &groups) {
  Tensor sum = psum(x, axes, groups);
  Expected<int64_t> size = boundSize(axes.names);
  if (!sum.ok() || !size)
    return sum.ok() ? Tensor(size.error()) : sum;
  int64_t count =
      groups.empty() ? *size : static_cast<int64_t>(groups[0].size());
  // The sum of a scalar of C++ is one.
  if (const ArrayValue *scalar = asArray(sum);
      scalar && scalar->isLiteral && sum.dtype() == DType::F32)
    if (auto value = sum.toVector<float>())
      return scalarOf((*value)[0] / static_cast<double>(count), DType::F32);
  if (!isInexact(sum.dtype()))
    sum = convert_element_type(sum, canonicalType(DType::F64));
  return div(sum, scalarOf(static_cast<double>(count), sum.dtype()));
}

Tensor pmax(const Tensor &x, const CollectiveAxes &axes,
            const AxisIndexGroups &groups) {
  return bindReduction("pmax", x, axes, groups);
}
Tensor pmin(const Tensor &x, const CollectiveAxes &axes,
            const AxisIndexGroups &groups) {
  return bindReduction("pmin", x, axes, groups);
}

Tensor pcast(const Tensor &x, const CollectiveAxes &axes, Vary to) {
  static const char *const names[] = {"varying", "invarying", "unreduced",
                                      "reduced"};
  if (!x.ok())
    return x;
  if (Status bound = checkBound(axes.names, "pvary"); !bound)
    return bound.error();
  if (!tracksVarying())
    return x;
  const char *name = names[static_cast<int>(to)];
  if (to == Vary::Invarying)
    return valueError("Got unexpected `to` value. Allowed `to` values are: "
                      "{'reduced', 'unreduced', 'varying'}");
  Expected<AxisState> from = commonState(x.aval(), axes.names, "pcast");
  if (!from)
    return from.error();
  if (*from == AxisState::Invarying && to == Vary::Varying)
    return varyAlong(x, axes.names);
  if (*from == AxisState::Invarying && to == Vary::Reduced)
    return castAxes("preduced", x, axes.names);
  if (*from == AxisState::Varying && to == Vary::Unreduced)
    return castAxes("vary_unreduced_cast_p", x, axes.names);
  if (*from == AxisState::Reduced && to == Vary::Varying)
    return castAxes("reduced_vary_cast_p", x, axes.names);
  return valueError("Unsupported pcast from=", stateName(*from), ", to='", name,
                    "'");
}

} // namespace lax
} // namespace shardwright::frontend
