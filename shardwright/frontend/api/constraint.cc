//===- constraint.cc - sharding constraints -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/sharding_param.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

const ShardingParam *shardingOf(const Params &params) {
  return params.object<ShardingParam>("sharding");
}

Param shardingParam(const Sharding &sharding) {
  return objectParam(ShardingParam(sharding));
}

const Primitive constraintP = [] {
  Primitive p = sameTypePrimitive("sharding_constraint");
  p.lower = [](LoweringContext &c) {
    const Sharding &sharding = shardingOf(c.params())->sharding;
    std::string text = c.shardingText(sharding, c.resultTypes()[0].rank());
    if (text.empty())
      return c.operands();
    return c.op("sdy.sharding_constraint", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                "sharding = " + text);
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("sharding_constraint");
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    return MaybeTensors{
        bind1(*findPrimitive("sharding_constraint"), {*ct[0]}, params)};
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    const Sharding &sharding = shardingOf(params)->sharding;
    std::vector<SpecEntry> entries = sharding.spec().entries();
    if (static_cast<int64_t>(entries.size()) < dims[0])
      entries.resize(dims[0]);
    for (const SpecEntry &own : entries)
      for (const std::string &name : axis.spmdNames)
        if (std::find(own.axes.begin(), own.axes.end(), name) != own.axes.end())
          return {{Tensor(valueError(
                      "vmap spmd_axis_name ", namesText(axis.spmdNames),
                      " cannot appear in with_sharding_constraint spec, but "
                      "got spec ",
                      sharding.spec().str()))},
                  {}};
    SpecEntry entry;
    if (axis.spmdNames.empty())
      entry.unconstrained = true;
    else
      entry.axes = axis.spmdNames;
    entries.insert(entries.begin() + dims[0], entry);
    Expected<PartitionSpec> spec = PartitionSpec::get(entries);
    if (!spec)
      return {{Tensor(spec.error())}, {}};
    Expected<Sharding> batched =
        sharding.isConcrete() ? Sharding::named(sharding.mesh(), *spec)
                              : Sharding::named(sharding.abstractMesh(), *spec);
    if (!batched)
      return {{Tensor(batched.error())}, {}};
    return {{withShardingConstraint(in[0], *batched)}, dims};
  };
  return p;
}();
const Registered constraintR(constraintP);

/// The mesh in context and the dimensions that propagation may shard as it
/// likes, as a jaxpr prints them.
Params constraintParams(const Sharding &sharding) {
  auto text = [](std::string t) {
    return objectParam(TextParam(std::move(t)));
  };
  const AbstractMesh &context = contextAbstractMesh();
  std::string dims;
  const std::vector<SpecEntry> &entries = sharding.spec().entries();
  for (size_t d = 0; d < entries.size(); ++d)
    if (entries[d].unconstrained)
      dims += cat(dims.empty() ? "" : ", ", d);
  return {{"sharding", shardingParam(sharding)},
          {"layout", std::monostate()},
          {"context_mesh", text(context.empty() ? "Mesh()" : context.str())},
          {"unconstrained_dims", text(cat("frozenset({", dims, "})"))}};
}

/// `(('x', 4), ('y', 2))`.
std::string shapeText(const AbstractMesh &mesh) {
  std::string out = "(";
  for (int64_t i = 0; i < mesh.numAxes(); ++i)
    out +=
        cat(i ? ", " : "", "('", mesh.names()[i], "', ", mesh.sizes()[i], ")");
  return out + (mesh.numAxes() == 1 ? ",)" : ")");
}

/// The sharding for an array outside of a trace: an abstract mesh becomes that
/// of the array.
Expected<Sharding> onMeshOf(const Tensor &x, const Sharding &sharding) {
  if (sharding.isConcrete())
    return sharding;
  if (!x.sharding().isNamed())
    return typeError(
        "The sharding on the input must be a `NamedSharding` since "
        "the target sharding has an `AbstractMesh` in it. Got "
        "sharding type <class 'jax.sharding.SingleDeviceSharding'> "
        "for shape ",
        x.aval().longStr());
  const Mesh &own = x.sharding().mesh();
  const AbstractMesh &target = sharding.abstractMesh();
  if (own.sizes() != target.sizes() || own.names() != target.names())
    return valueError("Mesh shape of the input ", shapeText(own.abstractMesh()),
                      " does not match the mesh shape of the target sharding ",
                      shapeText(target), " for shape ", x.aval().longStr());
  Expected<Mesh> mesh =
      Mesh::get(own.devices(), target.sizes(), target.names(), target.types());
  if (!mesh)
    return mesh.error();
  return Sharding::named(*mesh, sharding.spec());
}

/// The value, or the error that its type has another sharding.
Tensor assertSharding(const Tensor &x, const Sharding &sharding) {
  PartitionSpec own = x.aval().spec().normalized(x.rank());
  PartitionSpec wanted = sharding.spec().normalized(x.rank());
  if (own == wanted)
    return x;
  return makeError(
      ErrorKind::Assertion,
      "`with_sharding_constraint` acts as an assert when all axes of mesh are "
      "of type `Explicit`. The array sharding: ",
      own.str(), " did not match the sharding provided: ", wanted.str(),
      ". Please use `jax.sharding.reshard` to shard your input to the sharding "
      "you want.");
}

} // namespace

Tensor withShardingConstraint(const Tensor &x, const Sharding &sharding) {
  if (!x.ok())
    return x;
  if (!sharding.isSpecified())
    return x;
  if (Status fits = sharding.checkCompatible(x.shape()); !fits)
    return valueError("One of with_sharding_constraint arguments is "
                      "incompatible with its sharding annotation ",
                      sharding.str(), ": ", fits.error().text);
  if (sharding.isNamed() && sharding.abstractMesh().allAre(AxisType::Explicit))
    return assertSharding(x, sharding);
  for (const SpecEntry &entry : sharding.spec().entries())
    for (const std::string &axis : entry.axes)
      if (sharding.abstractMesh().typeOf(axis) != AxisType::Auto)
        return valueError("The spec of NamedSharding passed to "
                          "with_sharding_constraint can only refer to Auto "
                          "axes of the mesh. Got spec=",
                          sharding.spec().str(),
                          " and mesh=", sharding.abstractMesh().str(),
                          ". You probably meant to use `reshard` API?");
  if (!x.isTraced() && !currentTrace()) {
    Expected<Sharding> placed = onMeshOf(x, sharding);
    return placed ? devicePut(x, *placed) : Tensor(placed.error());
  }
  return bind1(constraintP, {x}, constraintParams(sharding));
}

Tensor withShardingConstraint(const Tensor &x, const PartitionSpec &spec) {
  if (contextMesh().empty() && contextAbstractMesh().empty())
    return makeError(
        ErrorKind::Runtime,
        "with_sharding_constraint requires a non-empty mesh in context if you "
        "are passing `PartitionSpec`s to shardings. You can define a context "
        "mesh via `jax.set_mesh(mesh)`. Alternatively, provide `Sharding`s to "
        "shardings and then the mesh context manager is not required.");
  // A traced value is constrained on the mesh of its type, without devices.
  bool isAbstract = contextMesh().empty() || (!contextAbstractMesh().empty() &&
                                              (x.isTraced() || currentTrace()));
  Expected<Sharding> sharding =
      isAbstract ? Sharding::named(contextAbstractMesh(), spec)
                 : Sharding::named(contextMesh(), spec);
  if (!sharding)
    return sharding.error();
  return withShardingConstraint(x, *sharding);
}

} // namespace shardwright::frontend
