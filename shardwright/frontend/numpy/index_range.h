//===- index_range.h - parts of plans of subscripts ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_INDEX_RANGE_H
#define SHARDWRIGHT_FRONTEND_NUMPY_INDEX_RANGE_H

#include "shardwright/frontend/numpy/indexer.h"

namespace shardwright::frontend {

/// start, start + step, .. before stop: `size` elements of a dimension.
struct ElementRange {
  int64_t start = 0, stop = 0, step = 1, size = 0;
};
/// The slice of a dimension of size `n`. Python: slice.indices(n).
ElementRange rangeOf(const Index &index, int64_t n);
/// Slices of full dimensions instead of an ellipsis, and at the end.
std::vector<ParsedIndex> withoutEllipsis(const std::vector<ParsedIndex> &parsed,
                                         int64_t rank);
/// The type of positions in an array of this shape.
DType indexType(const Shape &shape);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_INDEX_RANGE_H
