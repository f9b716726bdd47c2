//===- indexer.cc - subscripts as slices and dynamic slices ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/indexer.h"

#include "shardwright/frontend/numpy/index_range.h"
#include "shardwright/frontend/numpy/promote.h"

#include <algorithm>
#include <cstdint>

namespace shardwright::frontend {

using Kind = ParsedIndex::Kind;

Expected<std::vector<ParsedIndex>>
parseIndices(const Shape &shape, const std::vector<Index> &indices) {
  std::vector<ParsedIndex> out;
  int64_t used = 0, ellipses = 0;
  for (const Index &i : indices) {
    ParsedIndex p{Kind::Range, i, 0, 1};
    switch (i.kind) {
    case Index::Kind::NewAxis:
      p.kind = Kind::None;
      p.numAxes = 0;
      break;
    case Index::Kind::Ellipsis:
      p.kind = Kind::Ellipsis;
      p.numAxes = 0;
      ++ellipses;
      break;
    case Index::Kind::At:
      p.kind = Kind::Integer;
      break;
    case Index::Kind::Range:
      if (i.step == 0)
        return valueError("slice step cannot be zero");
      break;
    case Index::Kind::Array:
      if (const Error *error = errorIn(i.array))
        return *error;
      if (i.array.dtype() == DType::Bool) {
        p.kind = Kind::Mask;
        p.numAxes = i.array.rank();
      } else if (isInteger(i.array.dtype())) {
        p.kind = Kind::Array;
      } else {
        return typeError("Indexer must have integer or boolean type, got "
                         "indexer with type ",
                         name(i.array.dtype()));
      }
      break;
    }
    used += p.numAxes;
    out.push_back(std::move(p));
  }
  if (ellipses > 1)
    return makeError(ErrorKind::Index,
                     "an index can only have a single ellipsis ('...')");
  if (used > shape.rank())
    return makeError(ErrorKind::Index, "Too many indices: array is ",
                     shape.rank(), "-dimensional, but ", used, " were indexed");
  int64_t next = 0;
  for (ParsedIndex &p : out) {
    if (p.kind == Kind::Ellipsis)
      p.numAxes = shape.rank() - used;
    p.firstAxis = next;
    next += p.numAxes;
  }
  return out;
}

Status checkIntegers(const Shape &shape, const std::vector<ParsedIndex> &parsed,
                     bool wrapNegative) {
  for (const ParsedIndex &p : parsed) {
    if (p.kind != Kind::Integer)
      continue;
    int64_t n = shape[p.firstAxis], i = p.index.start;
    int64_t at = wrapNegative && i < 0 ? i + n : i;
    if (at < 0 || at >= n)
      return makeError(
          ErrorKind::Index, "index ", i, " out of bounds for axis ",
          p.firstAxis, " with size ", n,
          " (normalize_indices=", wrapNegative ? "True" : "False", ")");
  }
  return {};
}

std::vector<ParsedIndex> withoutEllipsis(const std::vector<ParsedIndex> &parsed,
                                         int64_t rank) {
  std::vector<ParsedIndex> out;
  int64_t used = 0;
  auto full = [&](int64_t axis) {
    out.push_back({Kind::Range, slice(), axis, 1});
  };
  for (const ParsedIndex &p : parsed) {
    used += p.numAxes;
    if (p.kind != Kind::Ellipsis) {
      out.push_back(p);
      continue;
    }
    for (int64_t k = 0; k < p.numAxes; ++k)
      full(p.firstAxis + k);
  }
  for (; used < rank; ++used)
    full(used);
  return out;
}

ElementRange rangeOf(const Index &i, int64_t n) {
  ElementRange r;
  // Longer steps select one element, too.
  constexpr int64_t longest = INT32_MAX;
  r.step = std::clamp(i.step, -longest, longest);
  int64_t lo = r.step > 0 ? 0 : -1, hi = r.step > 0 ? n : n - 1;
  auto bounded = [&](int64_t v) {
    return std::clamp(v < 0 ? v + n : v, lo, hi);
  };
  r.start = i.hasStart ? bounded(i.start) : r.step > 0 ? lo : hi;
  r.stop = i.hasStop ? bounded(i.stop) : r.step > 0 ? hi : lo;
  int64_t distance = r.step > 0 ? r.stop - r.start : r.start - r.stop;
  int64_t stride = std::abs(r.step);
  r.size = distance > 0 ? (distance - 1) / stride + 1 : 0;
  return r;
}

/// Dimensions that a plan drops and inserts, and where a slice runs backwards.
template <typename Plan>
static void noteDimensions(Plan &plan, const ParsedIndex &p, size_t read) {
  if (p.kind == Kind::None)
    plan.inserted.push_back(static_cast<int64_t>(read - plan.dropped.size() +
                                                 plan.inserted.size()));
  else if (p.kind != Kind::Range)
    plan.dropped.push_back(p.firstAxis);
}

std::optional<SlicePlan> slicePlan(const Shape &shape,
                                   const std::vector<ParsedIndex> &parsed,
                                   bool wrapNegative) {
  for (const ParsedIndex &p : parsed)
    if (p.kind == Kind::Mask || p.kind == Kind::Array)
      return std::nullopt;
  SlicePlan plan;
  bool hasSteps = false;
  for (const ParsedIndex &p : withoutEllipsis(parsed, shape.rank())) {
    noteDimensions(plan, p, plan.start.size());
    if (p.kind == Kind::None)
      continue;
    int64_t n = shape[p.firstAxis];
    if (p.kind == Kind::Integer) {
      if (!n)
        return std::nullopt;
      int64_t at = p.index.start;
      at = std::clamp<int64_t>(wrapNegative && at < 0 ? at + n : at, 0, n - 1);
      plan.start.push_back(at);
      plan.limit.push_back(at + 1);
      plan.strides.push_back(1);
      continue;
    }
    ElementRange r = rangeOf(p.index, n);
    int64_t start = r.start, limit = std::max(r.start, r.stop);
    int64_t stride = std::abs(r.step);
    if (r.step < 0) {
      start = std::min(n, r.stop + 1 + std::abs(r.start - r.stop - 1) % stride);
      limit = std::max(start, r.start + 1);
      plan.reversed.push_back(p.firstAxis);
    }
    plan.start.push_back(start);
    plan.limit.push_back(limit);
    plan.strides.push_back(stride);
    hasSteps |= stride != 1;
  }
  if (!hasSteps)
    plan.strides.clear();
  return plan;
}

static Tensor rearranged(Tensor x, const Ints &reversed, const Ints &dropped,
                         const Ints &inserted) {
  if (!reversed.empty())
    x = lax::rev(x, reversed);
  if (!dropped.empty())
    x = lax::squeeze(x, dropped);
  return inserted.empty() ? x : lax::expand_dims(x, inserted);
}

Tensor applySlicePlan(const Tensor &x, const SlicePlan &plan) {
  bool isWhole = plan.strides.empty() && plan.start == Ints(x.rank(), 0) &&
                 plan.limit == static_cast<const Ints &>(x.shape());
  return rearranged(
      isWhole ? x : lax::slice(x, plan.start, plan.limit, plan.strides),
      plan.reversed, plan.dropped, plan.inserted);
}

DType indexType(const Shape &shape) {
  bool isLarge = std::any_of(shape.begin(), shape.end(),
                             [](int64_t n) { return n > INT32_MAX; });
  return isLarge ? canonicalType(DType::I64) : DType::I32;
}

std::optional<DynamicSlicePlan>
dynamicSlicePlan(const Shape &shape, const std::vector<ParsedIndex> &parsed) {
  for (const ParsedIndex &p : parsed)
    if (p.kind == Kind::Mask ||
        (p.kind == Kind::Array && p.index.array.rank()) ||
        (p.kind == Kind::Range && std::abs(p.index.step) != 1))
      return std::nullopt;
  DynamicSlicePlan plan;
  DType type = indexType(shape);
  for (const ParsedIndex &p : withoutEllipsis(parsed, shape.rank())) {
    noteDimensions(plan, p, plan.starts.size());
    if (p.kind == Kind::None)
      continue;
    int64_t n = shape[p.firstAxis];
    if (p.kind == Kind::Range) {
      const Index &i = p.index;
      plan.isTrivial &= !i.hasStart && !i.hasStop && i.step == 1;
      ElementRange r = rangeOf(i, n);
      if (r.step < 0)
        plan.reversed.push_back(p.firstAxis);
      plan.starts.push_back(scalarOf(r.step < 0 ? r.stop + 1 : r.start, type));
      plan.sizes.push_back(r.size);
      continue;
    }
    if (!n)
      return std::nullopt;
    plan.isTrivial = false;
    plan.starts.push_back(
        p.kind == Kind::Array ? p.index.array : scalarOf(p.index.start, type));
    plan.sizes.push_back(1);
  }
  if (plan.starts.size() > 1)
    for (Tensor &start : plan.starts)
      start = lax::convert_element_type(start, type);
  return plan;
}

Tensor applyDynamicSlicePlan(const Tensor &x, const DynamicSlicePlan &plan,
                             bool wrapNegative) {
  Tensor out = x;
  if (!plan.isTrivial) {
    Tensors in{x};
    for (size_t d = 0; d < plan.starts.size(); ++d) {
      Tensor start = plan.starts[d];
      if (wrapNegative)
        start = fromBegin(start, x.dim(static_cast<int64_t>(d)));
      in.push_back(start);
    }
    out = bind1(*findPrimitive("dynamic_slice"), in,
                {{"slice_sizes", plan.sizes}});
  }
  return rearranged(out, plan.reversed, plan.dropped, plan.inserted);
}

} // namespace shardwright::frontend
