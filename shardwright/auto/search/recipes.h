//===- recipes.h - layouts that people use ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans that need no search: data parallelism, with the optimizer's state or
// the parameters sharded too (ZeRO, FSDP), tensor parallelism, the same with
// the positions of a sequence divided between its products, and products of
// these on different axes. They are made from the roles of colours in
// contractions, not from names of models.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_RECIPES_H
#define SHARDWRIGHT_AUTO_RECIPES_H

#include "shardwright/auto/problem/plan.h"

namespace shardwright {

struct Recipe {
  std::string name;
  Plan plan;
};

llvm::SmallVector<const Plan *> pointersTo(llvm::ArrayRef<Recipe> recipes);

/// In the order in which they should be tried, without equal plans.
/// `specsOnly`: only those that annotate no inner values.
std::vector<Recipe> recipes(const AutoProblem &problem, bool specsOnly);

/// Which dimension takes an axis where a value has a colour several times (a
/// matrix between the states of a chain).
enum class ColourDim : uint8_t { First, Last };

/// Moves the axis to the dimensions of this colour, in arguments with their
/// results and, if `inner`, in inner values and other results too. False if
/// nothing changes.
bool putOnColour(const AutoProblem &problem, Plan &plan, int32_t axis,
                 int32_t colour, bool inner,
                 ColourDim which = ColourDim::First);

/// Takes the axis away from all dimensions of this colour. False if nothing
/// changes.
bool takeFromColour(const AutoProblem &problem, Plan &plan, int32_t axis,
                    int32_t colour);

/// Shards what has no such axis yet along the largest dimension that it
/// divides, if possible one that has no axis in `before`: other axes divide
/// that for computing. False if nothing changes.
bool shardState(const AutoProblem &problem, Plan &plan, int32_t axis,
                llvm::function_ref<bool(const SiteClass &)> isWanted,
                const Plan &before);

/// Candidates for the batch: colours that lie in arguments and are no state's.
/// First those that no value has twice, then those that most contractions keep.
std::vector<int32_t> batchColours(const AutoProblem &problem);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_RECIPES_H
