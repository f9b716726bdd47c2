//===- explicit_axes.cc - shardings in types ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/explicit_axes.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/trace/trace.h"

namespace shardwright::frontend {

static bool hasSets(const PartitionSpec &spec) {
  return !spec.unreduced().empty() || !spec.reduced().empty();
}

/// Of an array, outside of traces.
static Tensor reshardArray(const Tensor &x, const Sharding &sharding) {
  const AbstractMesh &mesh = sharding.abstractMesh();
  bool isThere = x.committed() && x.sharding().devices() == sharding.devices();
  // The type says nothing: the array stays as it is.
  if (!mesh.anyIs(AxisType::Explicit))
    return isThere ? x : devicePut(x, sharding);
  PartitionSpec spec = sharding.spec().normalized(x.rank());
  if (!hasSets(spec) && !hasSets(x.aval().spec())) {
    Expected<Sharding> whole = sharding.withSpec(spec);
    return whole ? devicePut(x, *whole) : Tensor(whole.error());
  }
  // A program makes partial sums and completes them.
  isThere &= x.sharding().isNamed() && x.sharding().abstractMesh() == mesh;
  Tensor placed =
      isThere ? x : devicePut(x, NamedSharding(sharding.mesh(), P()));
  return reshardTo(placed, typeShardingOf(mesh, spec, x.rank()));
}

Tensor reshard(const Tensor &x, const Sharding &sharding) {
  if (!x.ok())
    return x;
  if (sharding.isSpecified() && !sharding.isNamed())
    return typeError("`out_sharding` argument of reshard only supports "
                     "instances of `NamedSharding` or `PartitionSpec`. Got ",
                     sharding.str(),
                     " of type: <class 'jax.sharding.SingleDeviceSharding'>");
  if (!sharding.isNamed() || sharding.abstractMesh().empty())
    return valueError("Reshard should only be used with out_shardings which "
                      "are non-None and have a non-empty mesh. Got sharding ",
                      sharding.isSpecified() ? sharding.str() : "None", ".");
  if (Status fits = sharding.checkCompatible(x.shape()); !fits)
    return fits.error();
  const AbstractMesh &mesh = sharding.abstractMesh();
  const AbstractMesh &context = contextAbstractMesh();
  if (!context.empty() && context.size() != mesh.size())
    return valueError("Context mesh ", context.str(),
                      " should match the mesh of sharding ", mesh.str(),
                      " passed to reshard.");
  SW_TRY(checkExplicitAxes("reshard", mesh, sharding.spec()));
  if (!currentTrace() && !x.isTraced() && sharding.isConcrete())
    return reshardArray(x, sharding);
  return reshardTo(x, typeShardingOf(mesh, sharding.spec(), x.rank()));
}

Tensor reshard(const Tensor &x, const PartitionSpec &spec) {
  if (!x.ok())
    return x;
  const AbstractMesh &mesh = contextAbstractMesh();
  if (mesh.empty())
    return valueError("Using PartitionSpec when you are not under a mesh "
                      "context is not allowed. Please pass a NamedSharding "
                      "instance or enter into a mesh context via "
                      "`jax.set_mesh`. Got ",
                      spec.str());
  SW_TRY(checkExplicitAxes("reshard", mesh, spec));
  bool isConcrete = contextMesh().abstractMesh() == mesh;
  Expected<Sharding> sharding = isConcrete
                                    ? Sharding::named(contextMesh(), spec)
                                    : Sharding::named(mesh, spec);
  return sharding ? reshard(x, *sharding) : Tensor(sharding.error());
}

bool detail::runsEagerly(const Tensors &leaves) {
  for (const Tensor &leaf : leaves)
    if (leaf.isTraced())
      return false;
  return currentTrace() == nullptr;
}

Tensors detail::withAxisTypes(const FlatFunction &function,
                              const AxesOptions &options, bool toAuto,
                              const Tensors &leaves) {
  if (const Error *error = errorIn(leaves))
    return {Tensor(*error)};
  const AbstractMesh outer = contextAbstractMesh();
  if (outer.empty() && toAuto)
    return function(leaves);
  if (outer.empty())
    return {Tensor(valueError(
        "Context mesh cannot be empty. Please use `jax.set_mesh` API to enter "
        "into a mesh context when using `explicit_axes` API."))};
  const AxisNames &axes = options.axes.empty() ? outer.names() : options.axes;
  for (const std::string &axis : axes) {
    if (outer.find(axis) < 0)
      return {
          Tensor(valueError("axis ", axis, " is not in mesh ", outer.str()))};
    if (outer.typeOf(axis) == AxisType::Manual)
      return {Tensor(notImplemented(
          "Going from `Manual` AxisType to `Auto` or `Explicit` AxisType is "
          "not allowed. Please file a bug at "
          "https://github.com/jax-ml/jax/issues with your use case"))};
  }
  if (options.specs.empty())
    return {Tensor(typeError("Missing required keyword argument: '",
                             toAuto ? "out_sharding" : "in_sharding", "'"))};
  AbstractMesh inner =
      outer.withTypes(axes, toAuto ? AxisType::Auto : AxisType::Explicit);
  if (inner == outer)
    return function(leaves);
  auto specFor = [&](size_t i) {
    return options.specs[std::min(i, options.specs.size() - 1)];
  };
  Tensors outs;
  {
    ScopedAbstractMesh scope(inner);
    Tensors args;
    for (size_t i = 0; i < leaves.size(); ++i)
      args.push_back(reshardTo(
          leaves[i],
          typeShardingOf(inner, toAuto ? leaves[i].aval().spec() : specFor(i),
                         leaves[i].rank())));
    outs = function(args);
  }
  for (size_t i = 0; i < outs.size(); ++i) {
    if (!outs[i].ok())
      return {outs[i]};
    outs[i] =
        toAuto ? reshard(outs[i], specFor(i))
               : reshardTo(outs[i], typeShardingOf(outer, outs[i].aval().spec(),
                                                   outs[i].rank()));
  }
  return outs;
}

} // namespace shardwright::frontend
