//===- scatter_as_update.h - scatters of one static window ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_PREPARE_SCATTER_AS_UPDATE_H
#define SHARDWRIGHT_PARTITION_PREPARE_SCATTER_AS_UPDATE_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// Rewrites a scatter that replaces the elements of one window, statically
/// known to be inside of the operand (`x.at[1:3, 2:5].set(w)`), as a
/// dynamic_update_slice, which shards can execute without a copy of the
/// operand. Returns true if it did; the scatter is erased then.
bool updateInPlaceOfScatter(stablehlo::ScatterOp scatter);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PREPARE_SCATTER_AS_UPDATE_H
