//===- collective_helpers.cc - parts that collectives share ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/collective_helpers.h"

#include "shardwright/frontend/base/lists.h"
#include <algorithm>

namespace shardwright::frontend {

Error unboundAxis(const std::string &name, const std::string &what) {
  if (what.empty())
    return makeError(ErrorKind::Name, "unbound axis name: ", name);
  return makeError(ErrorKind::Name, "Found an unbound axis name: ", name,
                   ". To fix this, please call ", what,
                   " under `jax.shard_map`.");
}

Status checkBound(const AxisNames &names, const std::string &what) {
  for (const std::string &name : names)
    if (!findAxis(name))
      return unboundAxis(name, what);
  return {};
}

Expected<int64_t> boundSize(const AxisNames &names) {
  SW_TRY(checkBound(names));
  int64_t size = 1;
  for (const std::string &name : names)
    size *= findAxis(name)->size;
  return size;
}

Status checkGroups(const AxisIndexGroups &groups, int64_t size) {
  if (groups.empty())
    return {};
  Ints all;
  for (const Ints &group : groups)
    all.insert(all.end(), group.begin(), group.end());
  std::sort(all.begin(), all.end());
  if (all != iotaInts(size))
    return valueError("axis_index_groups must cover all indices exactly once");
  for (const Ints &group : groups)
    if (group.size() != groups[0].size())
      return valueError("axis_index_groups must all be the same size");
  return {};
}

Tensor varyAlong(const Tensor &x, const AxisNames &axes) {
  if (!x.ok() || !tracksVarying())
    return x;
  AxisNames missing;
  for (const std::string &name : axes) {
    const NamedAxis *axis = findAxis(name);
    if (axis && axis->isManual && !contains(x.aval().varying, name))
      missing.push_back(name);
  }
  if (missing.empty())
    return x;
  return bind1(*findPrimitive("pvary"), {x},
               {{"axes", inBindingOrder(missing)}});
}

const char *stateName(AxisState state) {
  switch (state) {
  case AxisState::Varying:
    return "varying";
  case AxisState::Unreduced:
    return "unreduced";
  case AxisState::Reduced:
    return "reduced";
  case AxisState::Invarying:
    return "invarying";
  }
  return "";
}

AxisState stateAlong(const Aval &aval, const std::string &axis) {
  return contains(aval.varying, axis)     ? AxisState::Varying
         : contains(aval.unreduced, axis) ? AxisState::Unreduced
         : contains(aval.reduced, axis)   ? AxisState::Reduced
                                          : AxisState::Invarying;
}

Expected<AxisState> commonState(const Aval &aval, const AxisNames &axes,
                                const std::string &what) {
  std::set<AxisState> found;
  for (const std::string &name : axes)
    if (const NamedAxis *axis = findAxis(name); axis && axis->isManual)
      found.insert(stateAlong(aval, name));
  if (found.empty())
    return AxisState::Varying;
  if (found.size() == 1)
    return *found.begin();
  std::set<std::string> names;
  for (AxisState state : found)
    names.insert(stateName(state));
  return valueError("jax.lax.", what,
                    " can only accept axis_name which corresponds to one of "
                    "varying, unreduced, reduced or invarying state of the "
                    "input. Got input type: ",
                    aval.longStr(), ", axes: ", namesText(axes),
                    " and input state: {", quotedNames(names), "}");
}

Tensor matchSpec(const Tensor &value, const PartitionSpec &spec) {
  Tensor x = varyAlong(value, axesOf(spec));
  if (!x.ok() || !tracksVarying())
    return x;
  AxisNames sums(spec.unreduced().begin(), spec.unreduced().end());
  if (AxisNames missing = without(sums, x.aval().unreduced); !missing.empty())
    x = castAxes("vary_unreduced_cast_p", x, inBindingOrder(missing));
  if (!x.ok())
    return x;
  auto differ = [](const AxisNames &own, const std::set<std::string> &given) {
    return std::set<std::string>(own.begin(), own.end()) != given;
  };
  bool sumsDiffer = differ(x.aval().unreduced, spec.unreduced());
  if (!sumsDiffer && !differ(x.aval().reduced, spec.reduced()))
    return x;
  return valueError("out_specs passed to shard_map should be equal to the ",
                    sumsDiffer ? "unreduced" : "reduced",
                    " present on the out_aval. Got out_specs=", spec.str(),
                    " and out_aval=", x.aval().str());
}

Params collectiveParams(const AxisIndexGroups &groups) {
  Params params;
  params.set("axis_index_groups",
             groups.empty() ? Param(std::monostate()) : Param(groups));
  params.set("axis_mesh", objectParam(AxisMesh(contextAbstractMesh())));
  return params;
}

AxisNames axisNamesIn(const Params &params, const char *name) {
  const Param *param = params.find(name);
  if (const auto *one = param ? std::get_if<std::string>(param) : nullptr)
    return {*one};
  return params.names(name);
}
Param axisNameParam(const CollectiveAxes &axes) {
  if (axes.isTuple)
    return axes.names;
  return axes.names[0];
}
Param axisNameParam(const AxisNames &names, const Params &like,
                    const char *name) {
  const Param *param = like.find(name);
  if (names.size() == 1 && param && std::holds_alternative<std::string>(*param))
    return names[0];
  return names;
}

std::optional<std::vector<Ints>> groupsOf(LoweringContext &c,
                                          const AxisNames &axes) {
  const auto *mesh = c.params().object<AxisMesh>("axis_mesh");
  for (const std::string &axis : axes)
    if (!mesh || mesh->mesh.typeOf(axis) != AxisType::Manual) {
      c.fail(unboundAxis(axis));
      return {};
    }
  if (!mesh)
    return {};
  return deviceGroups(mesh->mesh, axes, c.params().lists("axis_index_groups"));
}

std::string groupAttributes(const std::vector<Ints> &groups, bool globalIds) {
  return cat(
      "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
      "replica_groups = ",
      denseGroups(groups), globalIds ? ", use_global_device_ids" : "");
}

std::string reducerRegion(LoweringContext &c, const Aval &type,
                          const std::string &opName) {
  std::string scalar = mlirType(Aval{type.dtype, {}});
  return c.regionOf({scalar, scalar},
                    [&](const std::vector<std::string> &args) {
                      return c.op(opName, args, {scalar, scalar}, {scalar});
                    });
}

std::function<JvpResult(const Tensors &, const MaybeTensors &, const Params &)>
linearJvp(std::string name) {
  return [=](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive(name);
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
}

std::optional<AxisNames> withoutMapped(const AxisNames &names,
                                       const BatchAxis &axis) {
  if (axis.name.empty() || !contains(names, axis.name))
    return {};
  return without(names, {axis.name});
}

} // namespace shardwright::frontend
