//===- segment.cc - reductions of segments --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/segment.h"

#include "shardwright/frontend/numpy/promote.h"

#include <cmath>
#include <limits>

namespace shardwright::frontend::ops {
namespace {

enum class Kind { Sum, Prod, Max, Min };

/// The value that changes no result.
Tensor identityOf(Kind kind, DType type) {
  if (kind == Kind::Sum || kind == Kind::Prod)
    return scalarOf(int64_t(kind == Kind::Prod), type);
  bool isMax = kind == Kind::Max;
  if (type == DType::Bool)
    return scalarOf(int64_t(!isMax), type);
  if (!isInteger(type))
    return scalarOf(isMax ? -INFINITY : INFINITY, type);
  int bits = bitWidth(type);
  if (isUnsigned(type))
    return isMax ? scalarOf(int64_t(0), type)
                 : lax::bitwise_not(scalarOf(int64_t(0), type));
  int64_t least = std::numeric_limits<int64_t>::min() >> (64 - bits);
  return scalarOf(isMax ? least : ~least, type);
}

Tensor updated(Kind kind, const IndexUpdate &at, const Tensor &data,
               const AtOptions &options) {
  switch (kind) {
  case Kind::Sum:
    return at.add(data, options);
  case Kind::Prod:
    return at.multiply(data, options);
  case Kind::Max:
    return at.max(data, options);
  case Kind::Min:
    break;
  }
  return at.min(data, options);
}

Expected<int64_t> countOf(const Tensor &ids, const SegmentOptions &options) {
  if (options.numSegments) {
    if (*options.numSegments < 0)
      return valueError("num_segments must be non-negative.");
    return *options.numSegments;
  }
  if (!ids.size())
    return valueError("zero-size array to reduction operation max which has "
                      "no identity");
  Expected<double> greatest = max(ids).item();
  if (!greatest)
    return greatest.error();
  auto count = static_cast<int64_t>(*greatest) + 1;
  if (count < 0)
    return valueError("num_segments must be non-negative.");
  return count;
}

Tensor reduceSegments(Kind kind, const Tensor &data, const Tensor &ids,
                      const SegmentOptions &options) {
  if (const Error *error = errorIn(Tensors{data, ids}))
    return *error;
  if (!isInteger(ids.dtype()))
    return typeError("segment ids must be integers, got ",
                     ids.aval().longStr());
  if (!data.rank())
    return valueError("segment reductions expect data of rank 1 or more");
  Expected<int64_t> count = countOf(ids, options);
  if (!count)
    return count.error();
  AtOptions at;
  at.mode = options.mode.value_or(GatherMode::FillOrDrop);
  at.indicesAreSorted = options.indicesAreSorted;
  at.uniqueIndices = options.uniqueIndices;
  at.wrapNegativeIndices = false;
  Shape shape(Ints(data.shape().begin() + 1, data.shape().end()));
  shape.insert(shape.begin(), *count);
  Tensor identity = identityOf(kind, data.dtype());
  if (!options.bucketSize)
    return updated(kind, lax::broadcast_in_dim(identity, shape, {}).at(ids),
                   data, at);
  if (*options.bucketSize < 1 || ids.rank() != 1)
    return valueError("buckets expect ids of one dimension and a size of at "
                      "least 1, got ",
                      tupleText(ids.shape()), " and ", *options.bucketSize);
  int64_t buckets = (ids.size() - 1) / *options.bucketSize + 1;
  shape.insert(shape.begin(), ids.size() ? buckets : 0);
  Tensor number = lax::div(lax::iota(DType::I32, {ids.size()}, 0),
                           scalarOf(*options.bucketSize, DType::I32));
  Tensor parts =
      updated(kind, lax::broadcast_in_dim(identity, shape, {}).at(number, ids),
              data, at);
  Tensor out = kind == Kind::Sum    ? sum(parts, Ints{0})
               : kind == Kind::Prod ? prod(parts, Ints{0})
               : kind == Kind::Max  ? max(parts, Ints{0})
                                    : min(parts, Ints{0});
  return astype(out, data.dtype());
}

} // namespace

Tensor segmentSum(const Tensor &data, const Tensor &segmentIds,
                  const SegmentOptions &options) {
  return reduceSegments(Kind::Sum, data, segmentIds, options);
}
Tensor segmentProd(const Tensor &data, const Tensor &segmentIds,
                   const SegmentOptions &options) {
  return reduceSegments(Kind::Prod, data, segmentIds, options);
}
Tensor segmentMax(const Tensor &data, const Tensor &segmentIds,
                  const SegmentOptions &options) {
  return reduceSegments(Kind::Max, data, segmentIds, options);
}
Tensor segmentMin(const Tensor &data, const Tensor &segmentIds,
                  const SegmentOptions &options) {
  return reduceSegments(Kind::Min, data, segmentIds, options);
}

} // namespace shardwright::frontend::ops
