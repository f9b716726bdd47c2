//===- collective_steps.h - Shardy's steps of a reshard ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's plan from one sharding to another: at most two rounds of slice,
// permute, all-to-all and gather, by rules, without costs. Shardwright's own
// partitioner plans by search (../reshard_planner.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_COLLECTIVE_STEPS_H
#define SHARDWRIGHT_PARTITION_SHARDY_COLLECTIVE_STEPS_H

#include "shardwright/partition/reshard/reshard_planner.h"

namespace shardwright {

/// The steps from `from` to `to` of a value of this shape on one mesh, or on
/// two with equal axes and different device ids. Where upstream's rounds end in
/// another sharding than asked, or the axes' parts cannot be expressed
/// together, the steps are those of the reshard planner's recipes.
std::vector<ReshardStep> collectiveSteps(const Mesh &mesh,
                                         const TensorSharding &from,
                                         const TensorSharding &to,
                                         llvm::ArrayRef<int64_t> shape,
                                         bool changesOrder);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_COLLECTIVE_STEPS_H
