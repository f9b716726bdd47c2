//===- collective_steps.h - Shardy's steps of a reshard ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shardy's plan from one sharding to another: at most two rounds of slice,
// permute, all-to-all and gather, by fixed rules, without costs. Shardwright's
// own partitioner plans by search (../reshard_planner.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_COLLECTIVE_STEPS_H
#define SHARDWRIGHT_PARTITION_SHARDY_COLLECTIVE_STEPS_H

#include "shardwright/partition/reshard/reshard_planner.h"

namespace shardwright {

/// The steps from `from` to `to` of a value of this shape on one mesh, or on
/// two meshes with equal axes and different device ids. If Shardy's rounds do
/// not reach the target, or the sub-axes have no common cut, returns the steps
/// of the reshard planner's recipes.
///
/// keepsPadding: a dimension that both shardings split, but pad to different
/// sizes, is gathered whole first and sliced last, as since jaxlib 0.12.0.
std::vector<ReshardStep> collectiveSteps(const Mesh &mesh,
                                         const TensorSharding &from,
                                         const TensorSharding &to,
                                         llvm::ArrayRef<int64_t> shape,
                                         bool changesOrder, bool keepsPadding);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_COLLECTIVE_STEPS_H
