//===- partial_sums_test.cc - stages between unreduced layouts ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/partial_sums.h"

#include "gtest/gtest.h"
#include <rapidcheck/gtest.h>

using namespace shardwright;

namespace {

const Mesh mesh({{"x", 2}, {"y", 2}, {"z", 4}, {"w", 3}});

/// Each axis shards a dimension, is unreduced, or replicated.
rc::Gen<TensorSharding> genSharding() {
  return rc::gen::exec([] {
    TensorSharding sharding = TensorSharding::closed(2);
    for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
      int place = *rc::gen::inRange(0, 6);
      if (place < 2)
        sharding.dims[place].axes.push_back(mesh.fullAxis(axis));
      else if (place < 4)
        sharding.unreduced.push_back(mesh.fullAxis(axis));
    }
    sharding.unreduced.kind = ReductionKind(*rc::gen::inRange(0, 3));
    return sharding;
  });
}

// Axes stay unreduced if and only if both sides are unreduced along them, with
// one kind; all others are reduced first, or become unreduced last.
RC_GTEST_PROP(PlanStages, KeepsAxesOfOneKindOnly, ()) {
  TensorSharding from = *genSharding(), to = *genSharding();
  const int64_t shape[] = {96, 96};
  ReshardStages stages = planStages(from, to, shape, 4);
  UnreducedAxes kept = commonUnreduced(from.unreduced, to.unreduced);
  RC_ASSERT(stages.start.unreduced == kept);
  RC_ASSERT(static_cast<const AxisList &>(stages.end.unreduced) ==
            static_cast<const AxisList &>(kept));
  AxisList reduced = stages.resolution.reduce;
  for (const AxisList &axes : stages.resolution.scatter)
    reduced.append(axes);
  sortAndMerge(reduced);
  RC_ASSERT(reduced == withoutAxes(from.unreduced, kept));
  // What comes after the move has the kind of the target.
  UnreducedAxes last = stages.unreduction.afterInPlace.unreduced;
  last.append(stages.unreduction.whole);
  sortAndMerge(last);
  RC_ASSERT(last == to.unreduced);
}

} // namespace
