//===- new_axes.cc - where the axes of one change came from --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/new_axes.h"

#include "shardwright/propagate/factor_projection.h"

namespace shardwright {

llvm::SmallVector<NewAxis, 4> newAxesOf(const PropagationEvent &event,
                                        bool untaken) {
  llvm::SmallVector<NewAxis, 4> result;
  if (event.tensor < 0)
    return result;
  const FactorLayout &layout = *event.layout;
  auto project = [&](int32_t tensor, const TensorSharding *sharding) {
    TensorProjection projection;
    projection.assign(layout.tensors[tensor], layout.rule, sharding);
    return projection;
  };
  const FactorLayout::Tensor &changed = layout.tensors[event.tensor];
  TensorProjection before = project(event.tensor, event.before[event.tensor]);
  TensorProjection after = project(event.tensor, event.after);
  if (untaken) {
    FactorPropagation again;
    (void)again.run(layout, event.before, event.step);
    after = again.projection(event.tensor);
  }

  llvm::SmallVector<TensorProjection, 4> all;
  for (int64_t f = 0, e = layout.numFactors(); f < e; ++f) {
    int32_t place = changed.placeOfFactor[f];
    if (place < 0 || before.places[place].axes == after.places[place].axes)
      continue;
    AxisRefs now = after.places[place].axes;
    if (all.empty())
      for (int32_t t = 0, n = layout.tensors.size(); t < n; ++t)
        all.push_back(project(t, event.before[t]));
    int32_t source = -1;
    for (int32_t t = 0, n = layout.tensors.size(); t < n && source < 0; ++t)
      if (int32_t p = layout.tensors[t].placeOfFactor[f];
          p >= 0 && listPrefix(now, all[t].places[p].axes) != ListPrefix::None)
        source = t;
    for (AxisRef axis : now)
      if (!llvm::is_contained(before.places[place].axes, axis))
        result.push_back({axis, int32_t(f), source});
  }
  return result;
}

} // namespace shardwright
