//===- fuse_collectives.cc - make reduce_scatters of all_reduces ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/fuse_collectives.h"

#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {
namespace {

/// The only sharding to which users slice the value; null if there are several
/// or other users.
sdy::AllSliceOp commonSlice(Value value) {
  sdy::AllSliceOp slice;
  for (Operation *user : value.getUsers()) {
    auto other = dyn_cast<sdy::AllSliceOp>(user);
    if (!other || (slice && slice.getOutSharding() != other.getOutSharding()))
      return {};
    slice = slice ? slice : other;
  }
  return slice;
}

void fuse(sdy::AllReduceOp reduce, MeshTable &meshes) {
  sdy::AllSliceOp slice = commonSlice(reduce.getResult());
  std::optional<ReducerKind> kind = getReducer(reduce);
  if (!slice || !kind)
    return;
  Type type = reduce.getType();
  Layout layout = meshes.toLayout(reduce.getOutSharding(), type);
  Layout target = meshes.toLayout(slice.getOutSharding(), type);
  if (target.mesh < 0 || (layout.mesh >= 0 && layout.mesh != target.mesh))
    return;
  AxisList axes =
      meshes.toAxes(target.mesh, reduce.getReductionAxes().getValue());
  SumResolution resolution = planSumResolution(
      layout.sharding, axes, target.sharding, dimsOf(type), elementBytes(type));
  if (!resolution.scatters())
    return;
  OpBuilder builder(reduce);
  Value value = buildSumResolution(builder, reduce.getLoc(), reduce.getTensor(),
                                   target.mesh, resolution, *kind, meshes);
  value = buildReshard(builder, reduce.getLoc(), value,
                       {target.mesh, resolution.after}, target, meshes);
  SmallVector<Operation *> slices(reduce->getUsers());
  for (Operation *user : slices) {
    user->getResult(0).replaceAllUsesWith(value);
    user->erase();
  }
  reduce->erase();
}

} // namespace

void fuseCollectives(ArrayRef<sdy::AllReduceOp> reduces, MeshTable &meshes) {
  for (sdy::AllReduceOp op : reduces)
    fuse(op, meshes);
}

} // namespace shardwright
