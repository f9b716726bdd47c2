//===- scatter_as_update.h - scatters to one known place --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_PREPARE_SCATTER_AS_UPDATE_H
#define SHARDWRIGHT_PARTITION_PREPARE_SCATTER_AS_UPDATE_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// A scatter that replaces the elements of one window, which is known to be
/// inside of the operand (`x.at[1:3, 2:5].set(w)`), as a dynamic_update_slice:
/// shards write it without a copy of themselves. Whether it was one; the op is
/// erased then.
bool updateInPlaceOfScatter(stablehlo::ScatterOp scatter);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PREPARE_SCATTER_AS_UPDATE_H
