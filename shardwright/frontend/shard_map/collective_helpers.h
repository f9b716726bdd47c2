//===- collective_helpers.h - parts that collectives share ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SHARD_MAP_COLLECTIVE_HELPERS_H
#define SHARDWRIGHT_FRONTEND_SHARD_MAP_COLLECTIVE_HELPERS_H

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/shard_map/collectives.h"
#include "shardwright/frontend/shard_map/manual_axes.h"

namespace shardwright::frontend {

/// The error that no axis has this name. `what`: the primitive; empty: the
/// shorter text that JAX gives where only the size is needed.
Error unboundAxis(const std::string &name, const std::string &what = "");
/// Fails if a name is not bound.
Status checkBound(const AxisNames &names, const std::string &what = "");
/// Product of the sizes of bound axes.
Expected<int64_t> boundSize(const AxisNames &names);
/// Groups must have equal sizes, and contain each position once.
Status checkGroups(const AxisIndexGroups &groups, int64_t size);

/// Casts a value so that it varies along these axes, where types say so.
Tensor varyAlong(const Tensor &x, const AxisNames &axes);

/// How a value differs along a manual axis.
enum class AxisState : uint8_t { Varying, Unreduced, Reduced, Invarying };
/// `varying`, `unreduced`, ...
const char *stateName(AxisState state);
AxisState stateAlong(const Aval &aval, const std::string &axis);
/// The state along these manual axes, or `what`'s error if they differ.
Expected<AxisState> commonState(const Aval &aval, const AxisNames &axes,
                                const std::string &what);
/// Applies one of the casts of partial_sum_casts.cc.
Tensor castAxes(const char *name, const Tensor &x, const AxisNames &axes);
/// The error that it would give.
Status checkCast(const std::string &name, const Aval &type,
                 const AxisNames &axes);
/// Casts a result of the body of a shardMap as its spec says; an error if other
/// axes are unreduced or reduced.
Tensor matchSpec(const Tensor &x, const PartitionSpec &spec);

/// Parameters that every collective has: the groups, and the mesh.
Params collectiveParams(const AxisIndexGroups &groups);
/// Names in a parameter that is a list or one name.
AxisNames axisNamesIn(const Params &params, const char *name);
Param axisNameParam(const CollectiveAxes &axes);
/// The parameter with other names.
Param axisNameParam(const AxisNames &names, const Params &like,
                    const char *name);

/// The groups of devices of an equation; fails if its axes are not manual ones.
std::optional<std::vector<Ints>> groupsOf(LoweringContext &c,
                                          const AxisNames &axes);
/// Attributes of a collective over groups.
std::string groupAttributes(const std::vector<Ints> &groups, bool globalIds);
/// The region of a reduction of scalars by this op.
std::string reducerRegion(LoweringContext &c, const Aval &type,
                          const std::string &opName);

/// A linear collective with one operand: its derivative is itself.
std::function<JvpResult(const Tensors &, const MaybeTensors &, const Params &)>
linearJvp(std::string name);
/// `axis_name` of a batched collective without the mapped axis' name; none if
/// it does not name it.
std::optional<AxisNames> withoutMapped(const AxisNames &names,
                                       const BatchAxis &axis);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SHARD_MAP_COLLECTIVE_HELPERS_H
