//===- reshard.h - changes of the sharding in a type ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_RESHARD_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_RESHARD_H

#include "shardwright/frontend/trace/params.h"

namespace shardwright::frontend {
/// The value with this sharding in its type (null: none), as one equation. The
/// spec has one entry per dimension.
Tensor reshardTo(const Tensor &x, std::shared_ptr<const TypeSharding> sharding);
/// A sharding of a type as a parameter; null: none.
Param typeShardingParam(std::shared_ptr<const TypeSharding> sharding,
                        std::string text = "");
/// An error, of what the spec was passed to, unless all of its axes are
/// Explicit ones: only these are part of types.
Status checkExplicitAxes(const char *what, const AbstractMesh &mesh,
                         const PartitionSpec &spec);
/// The sharding with one more dimension; an error if an axis shards two.
Expected<std::shared_ptr<const TypeSharding>>
withDimension(const TypeSharding &sharding, int64_t at, const SpecEntry &entry);
/// A sharding parameter of a batched operation, whose result has a batch
/// dimension with this entry; does nothing if there is none. An error if an
/// axis of the entry shards another dimension.
Status insertBatchEntry(Params &params, const char *name, int64_t at,
                        const SpecEntry &entry);
std::shared_ptr<const TypeSharding> typeShardingIn(const Params &params,
                                                   const char *name);
/// `NamedSharding(mesh=AbstractMesh(...), spec=P('x', None))` of a type.
std::string shardingText(const Aval &aval);
/// The value with the sharding of another type: x itself if it has it already.
Tensor reshardLike(const Tensor &x, const Aval &type);
/// The device that the user chose, of the parameters of a device_put.
std::optional<Device> deviceOfPut(const Params &params);
/// The parameters of a device_put that only changes the memory of a value.
Params memoryTransfer(bool toHost);
/// `float32[8@x,4]({Explicit: ('x', 'y')})`; `brief`: `f32` instead.
std::string typeWithAxes(const Aval &aval, bool brief = false);
/// The spec of a result whose dimensions have other sizes: that of the operand,
/// if they divide. `what`: the operation, in the error.
Expected<std::vector<PartitionSpec>>
resizedSpec(const char *what, const Aval &in, const Aval &out);
/// The spec without axes of other types than Explicit: what a type says.
std::shared_ptr<const TypeSharding> typeShardingOf(const AbstractMesh &mesh,
                                                   const PartitionSpec &spec,
                                                   int64_t rank);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_RESHARD_H
