//===- new_axes.cc - sources of the axes of a change ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/reasons/new_axes.h"

#include "shardwright/propagate/step/factor_projection.h"

namespace shardwright {

/// Merges new axes of adjacent factors of a dimension that continue each other.
/// Expects the axes of a factor to be consecutive.
static void mergeWithinDims(llvm::SmallVector<NewAxis, 4> &axes,
                            const FactorLayout::Tensor &changed,
                            const TensorProjection &before,
                            const TensorProjection &after) {
  auto axesOf = [&](int32_t place) {
    int32_t factor = changed.factorOfPlace[place];
    return llvm::make_filter_range(
        axes, [=](const NewAxis &axis) { return axis.factor == factor; });
  };
  for (int64_t d = 0; d < changed.rank(); ++d) {
    // The last new axis of the dimension.
    NewAxis *last = nullptr;
    for (int32_t p = changed.dimBegin[d]; p < changed.dimBegin[d + 1]; ++p) {
      if (after.places[p].axes.empty())
        continue;
      auto own = axesOf(p);
      if (own.empty()) {
        last = nullptr;
        continue;
      }
      NewAxis *first = &*own.begin(), *back = first;
      for (NewAxis &axis : own)
        back = &axis;
      if (last && before.places[p].axes.empty() &&
          canMerge(last->axis, first->axis)) {
        NewAxis merged{merge(last->axis, first->axis), last->factor,
                       first->source};
        *last = merged;
        first->factor = -1;
        if (back == first)
          continue;
      }
      last = back;
    }
  }
  llvm::erase_if(axes, [](const NewAxis &axis) { return axis.factor < 0; });
}

llvm::SmallVector<NewAxis, 4> newAxesOf(const PropagationEvent &event,
                                        bool asShardy) {
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
  if (asShardy) {
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
  if (asShardy)
    mergeWithinDims(result, changed, before, after);
  return result;
}

} // namespace shardwright
