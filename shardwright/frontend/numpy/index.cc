//===- index.cc - subscripts ----------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/promote.h"

namespace shardwright::frontend {
namespace {

/// A static subscript, dimension by dimension.
struct Plan {
  Ints start, limit, stride;
  Ints reversed; ///< dimensions with a negative step
  Ints dropped;  ///< dimensions with an integer
  Ints inserted; ///< new dimensions of the result
};

Expected<Plan> planOf(const Shape &shape, const std::vector<Index> &indices) {
  int64_t used = 0;
  for (const Index &i : indices)
    used += i.kind == Index::Kind::At || i.kind == Index::Kind::Range;
  if (used > shape.rank())
    return makeError(ErrorKind::Value, "Too many indices: array is ",
                     shape.rank(), "-dimensional, but ", used, " were indexed");
  std::vector<Index> full;
  bool filled = false;
  auto fill = [&] {
    for (int64_t k = used; k < shape.rank(); ++k)
      full.push_back(slice());
    filled = true;
  };
  for (const Index &i : indices) {
    if (i.kind != Index::Kind::Ellipsis)
      full.push_back(i);
    else if (!filled)
      fill();
  }
  if (!filled)
    fill();
  Plan plan;
  int64_t d = 0, result = 0;
  for (const Index &i : full) {
    if (i.kind == Index::Kind::NewAxis) {
      plan.inserted.push_back(result++);
      continue;
    }
    int64_t n = shape[d];
    if (i.kind == Index::Kind::At) {
      int64_t at = i.start < 0 ? i.start + n : i.start;
      if (at < 0 || at >= n)
        return valueError("index ", i.start, " is out of bounds for axis ", d,
                          " with size ", n);
      plan.start.push_back(at), plan.limit.push_back(at + 1);
      plan.stride.push_back(1);
      plan.dropped.push_back(d++);
      continue;
    }
    if (i.step == 0)
      return valueError("slice step cannot be zero");
    // Longer steps select one element, too.
    int64_t step = std::clamp(i.step, -n - 1, n + 1);
    auto clampTo = [&](int64_t v, int64_t lo, int64_t hi) {
      v += v < 0 ? n : 0;
      return std::min(std::max(v, lo), hi);
    };
    if (step > 0) {
      int64_t begin = i.hasStart ? clampTo(i.start, 0, n) : 0;
      int64_t end = i.hasStop ? clampTo(i.stop, 0, n) : n;
      plan.start.push_back(begin);
      plan.limit.push_back(std::max(begin, end));
      plan.stride.push_back(step);
    } else {
      int64_t begin = i.hasStart ? clampTo(i.start, -1, n - 1) : n - 1;
      int64_t end = i.hasStop ? clampTo(i.stop, -1, n - 1) : -1;
      int64_t count = begin > end ? (begin - end - step - 1) / -step : 0;
      int64_t last = begin + (count - 1) * step;
      plan.start.push_back(count ? last : 0);
      plan.limit.push_back(count ? begin + 1 : 0);
      plan.stride.push_back(-step);
      plan.reversed.push_back(d);
    }
    ++d;
    ++result;
  }
  return plan;
}

Tensor applyPlan(Tensor x, const Plan &plan) {
  bool whole = plan.start == Ints(x.rank(), 0) &&
               plan.limit == static_cast<const Ints &>(x.shape()) &&
               plan.stride == Ints(x.rank(), 1);
  if (!whole)
    x = lax::slice(x, plan.start, plan.limit,
                   plan.stride == Ints(x.rank(), 1) ? Ints() : plan.stride);
  if (!plan.reversed.empty())
    x = lax::rev(x, plan.reversed);
  x = lax::squeeze(x, plan.dropped);
  return lax::expand_dims(x, plan.inserted);
}

/// The positions of the elements of a subscript, as numbers of rows of the
/// flattened array.
using Change = std::function<Tensor(const Tensor &old, const Tensor &value)>;

Tensor changed(const Tensor &x, const std::vector<Index> &indices,
               const Tensor &y, const Change &change) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  Expected<Plan> plan = planOf(x.shape(), indices);
  if (!plan)
    return plan.error();
  Tensor old = applyPlan(x, *plan);
  if (!old.ok())
    return old;
  Tensor value =
      broadcastTo(lax::convert_element_type(y, x.dtype()), old.shape());
  Tensor fresh = change(old, value);
  // Undo the steps of the plan.
  fresh = lax::squeeze(fresh, plan->inserted);
  fresh = lax::expand_dims(fresh, plan->dropped);
  if (!plan->reversed.empty())
    fresh = lax::rev(fresh, plan->reversed);
  Tensors starts;
  for (int64_t s : plan->start)
    starts.push_back(scalarOf(s, DType::I32));
  if (plan->stride == Ints(x.rank(), 1))
    return lax::dynamic_update_slice(x, fresh, starts);
  // Strided: spread the values and a mask over the array.
  std::vector<Ints> config;
  for (int64_t d = 0; d < x.rank(); ++d) {
    int64_t n = fresh.dim(d), step = plan->stride[d];
    int64_t end = plan->start[d] + (n ? (n - 1) * step + 1 : 0);
    config.push_back({plan->start[d], x.dim(d) - end, step - 1});
  }
  Tensor spread = lax::pad(fresh, scalarOf(int64_t(0), x.dtype()), config);
  Tensor mask = lax::pad(lax::full(fresh.shape(), 1, DType::Bool),
                         scalarOf(int64_t(0), DType::Bool), config);
  return lax::select(mask, spread, x);
}

/// Negative positions count from the end.
Tensor wrapped(const Tensor &indices, int64_t n) {
  Tensor zero = scalarOf(int64_t(0), indices.dtype());
  return lax::select_n(
      lax::lt(indices, zero),
      {indices, lax::add(indices, scalarOf(n, indices.dtype()))});
}

} // namespace

Index slice(std::optional<int64_t> start, std::optional<int64_t> stop,
            int64_t step) {
  Index out(Index::Kind::Range);
  out.hasStart = start.has_value();
  out.hasStop = stop.has_value();
  out.start = start.value_or(0);
  out.stop = stop.value_or(0);
  out.step = step;
  return out;
}

Tensor Tensor::index(const std::vector<Index> &indices) const {
  if (!ok())
    return *this;
  if (dtype() == DType::Key) {
    std::vector<Index> all = indices;
    bool open = true;
    for (const Index &i : indices)
      open &= i.kind != Index::Kind::Ellipsis;
    if (open)
      all.push_back(ellipsis);
    all.push_back(frontend::slice());
    return lax::random_wrap(lax::random_unwrap(*this).index(all));
  }
  Expected<Plan> plan = planOf(shape(), indices);
  if (!plan)
    return plan.error();
  return applyPlan(*this, *plan);
}

Tensor IndexUpdate::set(const Tensor &y) const {
  return changed(x, indices, y,
                 [](const Tensor &, const Tensor &v) { return v; });
}
Tensor IndexUpdate::add(const Tensor &y) const {
  return changed(x, indices, y, lax::add);
}
Tensor IndexUpdate::mul(const Tensor &y) const {
  return changed(x, indices, y, lax::mul);
}
Tensor IndexUpdate::min(const Tensor &y) const {
  return changed(x, indices, y, lax::min);
}
Tensor IndexUpdate::max(const Tensor &y) const {
  return changed(x, indices, y, lax::max);
}

Tensor take(const Tensor &x, const Tensor &indices, int64_t axis) {
  if (const Error *error = errorIn(Tensors{x, indices}))
    return *error;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return d.error();
  if (!isInteger(indices.dtype()))
    return typeError("take requires array or scalar indices of integer type, "
                     "got ",
                     indices.aval().longStr());
  GatherDims dims;
  dims.collapsedSliceDims = dims.startIndexMap = {*d};
  int64_t next = 0;
  Ints sizes = x.shape();
  sizes[*d] = 1;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i == *d)
      next += indices.rank();
    else
      dims.offsetDims.push_back(next++);
  }
  Tensor rows = lax::expand_dims(wrapped(indices, x.dim(*d)), {indices.rank()});
  return lax::gather(x, rows, dims, sizes, GatherMode::FillOrDrop);
}

Tensor takeAlongAxis(const Tensor &x, const Tensor &indices, int64_t axis) {
  if (const Error *error = errorIn(Tensors{x, indices}))
    return *error;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return d.error();
  if (indices.rank() != x.rank())
    return valueError("indices and arr must have the same number of "
                      "dimensions; ",
                      indices.rank(), " vs. ", x.rank());
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != *d && indices.dim(i) != x.dim(i))
      return notImplemented("takeAlongAxis with dimensions of size 1 that are "
                            "broadcast");
  GatherDims dims;
  dims.collapsedSliceDims = dims.startIndexMap = {*d};
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != *d)
      dims.operandBatchingDims.push_back(i);
  dims.startIndicesBatchingDims = dims.operandBatchingDims;
  return lax::gather(x,
                     lax::expand_dims(wrapped(indices, x.dim(*d)), {x.rank()}),
                     dims, Ints(x.rank(), 1), GatherMode::FillOrDrop);
}

} // namespace shardwright::frontend
