//===- slices.cc - slices along one dimension -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/slices.h"

#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/primitives/gather_params.h"

#include <algorithm>

namespace shardwright::frontend::lax {
namespace {

Expected<int64_t> axisOf(const Tensor &x, int64_t axis) {
  if (!x.ok())
    return x.error();
  return normalizedAxis(axis, x.rank());
}

/// Starts of a window that is moved along one dimension.
Tensors startsAlong(const Tensor &x, const Tensor &start, int64_t axis) {
  DType type = start.ok() ? start.dtype() : DType::I32;
  Tensors starts(x.rank(), scalarOf(int64_t(0), type));
  starts[axis] = start;
  return starts;
}

} // namespace

Tensor index_in_dim(const Tensor &x, int64_t index, int64_t axis,
                    bool keepDims) {
  Expected<int64_t> d = axisOf(x, axis);
  if (!d)
    return d.error();
  int64_t n = x.dim(*d), at = index < 0 ? index + n : index;
  if (at < 0 || at >= n)
    return makeError(ErrorKind::Index, "index ", index,
                     " is out of bounds for axis ", axis, " with size ", n);
  Tensor out = slice_in_dim(x, at, at + 1, 1, *d);
  return keepDims ? out : lax::squeeze(out, {*d});
}

Tensor dynamic_slice_in_dim(const Tensor &x, const Tensor &start, int64_t size,
                            int64_t axis) {
  Expected<int64_t> d = axisOf(x, axis);
  if (!d)
    return d.error();
  Ints sizes = x.shape();
  sizes[*d] = size;
  return dynamic_slice(x, startsAlong(x, start, *d), sizes);
}

Tensor dynamic_index_in_dim(const Tensor &x, const Tensor &index, int64_t axis,
                            bool keepDims) {
  Expected<int64_t> d = axisOf(x, axis);
  if (!d)
    return d.error();
  Tensor out = dynamic_slice_in_dim(x, index, 1, *d);
  return keepDims ? out : lax::squeeze(out, {*d});
}

Tensor dynamic_update_slice_in_dim(const Tensor &x, const Tensor &update,
                                   const Tensor &start, int64_t axis) {
  Expected<int64_t> d = axisOf(x, axis);
  if (!d)
    return d.error();
  return dynamic_update_slice(x, update, startsAlong(x, start, *d));
}

Tensor dynamic_update_index_in_dim(const Tensor &x, const Tensor &update,
                                   const Tensor &index, int64_t axis) {
  Expected<int64_t> d = axisOf(x, axis);
  if (!d)
    return d.error();
  if (!update.ok())
    return update;
  if (update.rank() == x.rank())
    return dynamic_update_slice_in_dim(x, update, index, *d);
  if (update.rank() + 1 != x.rank())
    return valueError("dynamic_update_index_in_dim expects an update of rank ",
                      x.rank(), " or ", x.rank() - 1, ", got shape ",
                      tupleText(update.shape()));
  return dynamic_update_slice_in_dim(x, expand_dims(update, {*d}), index, *d);
}

Tensor index_take(const Tensor &x, const Tensors &indices, const Ints &axes) {
  if (!x.ok())
    return x;
  if (const Error *error = errorIn(indices))
    return *error;
  if (indices.empty() || indices.size() != axes.size())
    return valueError("index_take expects an array of indices for each axis, "
                      "got ",
                      indices.size(), " arrays for ", axes.size(), " axes");
  Tensors columns;
  GatherDims dims;
  Ints sizes = x.shape();
  for (size_t i = 0; i < indices.size(); ++i) {
    Expected<int64_t> d = axisOf(x, axes[i]);
    if (!d)
      return d.error();
    if (containsInt(dims.startIndexMap, *d))
      return valueError("index_take names axis ", axes[i], " twice");
    if (!isInteger(indices[i].dtype()) || indices[i].rank() != 1)
      return typeError("index_take expects one-dimensional arrays of integers, "
                       "got ",
                       indices[i].aval().longStr());
    if (!x.dim(*d))
      return valueError("index_take along axis ", axes[i], " of size 0");
    // Counts modulo the size, with the sign of the size.
    Tensor n = scalarOf(x.dim(*d), indices[i].dtype());
    Tensor zero = scalarOf(int64_t(0), indices[i].dtype());
    Tensor position = rem(indices[i], n);
    position = select(lt(position, zero), add(position, n), position);
    columns.push_back(expand_dims(position, {1}));
    dims.startIndexMap.push_back(*d);
    sizes[*d] = 1;
  }
  dims.collapsedSliceDims = dims.startIndexMap;
  std::sort(dims.collapsedSliceDims.begin(), dims.collapsedSliceDims.end());
  for (int64_t i = 1; i <= x.rank() - static_cast<int64_t>(axes.size()); ++i)
    dims.offsetDims.push_back(i);
  return gather(x, lax::concatenate(columns, 1), dims, sizes,
                GatherMode::PromiseInBounds);
}

Tensor scatter_apply(const Tensor &x, const Tensor &indices,
                     const std::function<Tensor(const Tensor &)> &function,
                     const GatherDims &dims, const Shape &updateShape,
                     GatherMode mode, bool sorted, bool unique) {
  if (!x.ok())
    return x;
  Tensor unused = lax::zeros(Aval{x.dtype(), updateShape});
  Aval scalar{x.dtype(), {}, x.aval().weak};
  Expected<JaxprPtr> traced = traceToJaxpr(
      [&](const Tensors &in) -> Tensors { return {function(in[0])}; },
      {scalar, scalar});
  if (!traced)
    return traced.error();
  std::vector<Aval> types = (*traced)->outAvals();
  if (types.size() != 1 || types[0].dtype != x.dtype() || types[0].rank())
    return typeError("scatter_apply expects a function from a scalar to a "
                     "scalar of type ",
                     name(x.dtype()), ", got a function to ",
                     types.empty() ? std::string("nothing")
                                   : types[0].longStr());
  Params params =
      scatterParams(ScatterKind::Set, x.dtype(), dims, mode, sorted, unique);
  params.set("update_jaxpr", *traced);
  return bind1(*findPrimitive("scatter"), {x, indices, unused}, params);
}

} // namespace shardwright::frontend::lax
