//===- out_sharding.cc - results with a given sharding --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/out_sharding.h"

#include "shardwright/frontend/primitives/dot_params.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {
namespace {

/// The sharding of a type as a parameter that prints the spec as it was given,
/// or an error.
Expected<Param> outShardingParam(const char *primitive,
                                 const PartitionSpec &spec,
                                 const Shape &shape) {
  const AbstractMesh &mesh = contextAbstractMesh();
  if (mesh.empty())
    return valueError("Using PartitionSpec when you are not under a mesh "
                      "context is not allowed. Please pass a NamedSharding "
                      "instance or enter into a mesh context via "
                      "`jax.set_mesh`. Got ",
                      spec.str());
  SW_TRY(checkExplicitAxes(primitive, mesh, spec));
  Expected<Sharding> sharding = Sharding::named(mesh, spec);
  if (!sharding)
    return sharding.error();
  SW_TRY(sharding->checkCompatible(shape));
  auto type = typeShardingOf(mesh, spec, shape.rank());
  if (!type)
    return Param(std::monostate());
  SW_TRY(checkSizes(Aval{DType::F32, shape}, *type));
  return typeShardingParam(
      type, cat("NamedSharding(mesh=", mesh.str(), ", spec=", spec.str(), ")"));
}

Tensor bindWith(const char *primitive, const char *param, const Tensors &args,
                Params params, const PartitionSpec &spec, const Shape &shape) {
  if (const Error *error = errorIn(args))
    return *error;
  Expected<Param> sharding = outShardingParam(primitive, spec, shape);
  if (!sharding)
    return sharding.error();
  params.set(param, *sharding);
  return bind1(*findPrimitive(primitive), args, params);
}

Tensor bindProduct(const char *primitive, const Tensors &args,
                   const Params &params, const PartitionSpec &spec) {
  if (const Error *error = errorIn(args))
    return *error;
  // The shape of the result, or the error about the operands.
  std::vector<Aval> types;
  for (const Tensor &arg : args)
    types.push_back(arg.aval());
  Expected<std::vector<Aval>> out =
      findPrimitive(primitive)->infer(types, params);
  if (!out)
    return out.error();
  return bindWith(primitive, "out_sharding", args, params, spec,
                  (*out)[0].shape);
}

} // namespace

namespace lax {

Tensor dot_general(const Tensor &x, const Tensor &y, const DotDims &dims,
                   std::optional<DType> preferred,
                   const PartitionSpec &outSharding) {
  return bindProduct("dot_general", {x, y}, dotParams(dims, preferred),
                     outSharding);
}
Tensor ragged_dot_general(const Tensor &lhs, const Tensor &rhs,
                          const Tensor &groupSizes, const RaggedDotDims &dims,
                          std::optional<DType> preferred,
                          const PartitionSpec &outSharding) {
  return bindProduct("ragged_dot_general", {lhs, rhs, groupSizes},
                     raggedDotParams(dims, preferred), outSharding);
}
Tensor reduce_sum(const Tensor &x, const Ints &axes,
                  const PartitionSpec &outSharding) {
  if (!x.ok())
    return x;
  Shape shape;
  for (int64_t d : withoutInts(x.rank(), axes))
    shape.push_back(x.dim(d));
  return bindWith("reduce_sum", "out_sharding", {x}, {{"axes", axes}},
                  outSharding, shape);
}
Tensor reshape(const Tensor &x, const Shape &shape,
               const PartitionSpec &outSharding) {
  return bindWith(
      "reshape", "sharding", {x},
      {{"new_sizes", Ints(shape)}, {"dimensions", std::monostate()}},
      outSharding, shape);
}
Tensor broadcast_in_dim(const Tensor &x, const Shape &shape, const Ints &dims,
                        const PartitionSpec &outSharding) {
  return bindWith("broadcast_in_dim", "sharding", {x},
                  {{"shape", Ints(shape)}, {"broadcast_dimensions", dims}},
                  outSharding, shape);
}
Tensor iota(DType type, const Shape &shape, int64_t dimension,
            const PartitionSpec &outSharding) {
  return bindWith("iota", "sharding", {},
                  {{"dtype", canonicalType(type)},
                   {"shape", Ints(shape)},
                   {"dimension", dimension}},
                  outSharding, shape);
}

} // namespace lax
} // namespace shardwright::frontend
