//===- new_axes.h - sources of a change's axes ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_REASONS_NEW_AXES_H
#define SHARDWRIGHT_PROPAGATE_REASONS_NEW_AXES_H

#include "shardwright/propagate/engine/engine.h"

namespace shardwright {

/// An axis that a change added to a factor of the tensor that changed.
struct NewAxis {
  AxisRef axis;
  int32_t factor = -1;
  /// The tensor that had the axis before: the first operand, or else the first
  /// result, whose axes on the factor start with all axes that the changed
  /// tensor has now.
  int32_t source = -1;
};

/// The new axes of a change, by factor, major to minor. None for a member of a
/// group (tensor -1), whose axes are those of the member it follows.
/// With `asShardy`, returns the axes that Shardy reports. These include axes of
/// a factor that no sharding can express (a minor factor beside an unsharded
/// major one). New parts of one axis in one dimension are reported as one axis,
/// at the first factor and with the source of the last.
llvm::SmallVector<NewAxis, 4> newAxesOf(const PropagationEvent &event,
                                        bool asShardy = false);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_REASONS_NEW_AXES_H
