//===- uneven_dims.h - dimensions that reshards gather whole ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_UNEVEN_DIMS_H
#define SHARDWRIGHT_PARTITION_RESHARD_UNEVEN_DIMS_H

#include "shardwright/mesh/axis.h"

#include "llvm/ADT/SmallBitVector.h"

namespace shardwright {

/// Cuts `axes` where one of `others` begins or ends inside of them. True if it
/// cut any.
bool cutAxes(llvm::SmallVector<AxisRef, 4> &axes,
             llvm::ArrayRef<llvm::SmallVector<AxisRef, 4>> others);

/// By dimension.
struct WholeDims {
  /// Must be gathered whole before they get the axes of the target.
  llvm::SmallBitVector gathered;
  /// Of these, the ones of which an all-to-all may move all axes instead.
  llvm::SmallBitVector mayLeave;
};

/// For a reshard of a tensor of this shape from axes `in` to axes `out`, both
/// cut so that overlapping axes are equal: the dimensions that both split, but
/// pad to different sizes, and those that take axes from such a dimension.
WholeDims findWholeDims(llvm::ArrayRef<llvm::SmallVector<AxisRef, 4>> in,
                        llvm::ArrayRef<llvm::SmallVector<AxisRef, 4>> out,
                        llvm::ArrayRef<int64_t> shape);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_UNEVEN_DIMS_H
