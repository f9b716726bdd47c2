//===- box.h - a part of an array -------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_BOX_H
#define SHARDWRIGHT_RUNTIME_BOX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>

namespace shardwright {

/// A range of indices in each dimension of an array.
struct Box {
  llvm::SmallVector<int64_t, 4> begin, extent;
};

/// The elements that both boxes have; none if a dimension has size 0.
inline Box intersection(const Box &a, const Box &b) {
  Box common = a;
  for (size_t d = 0; d < a.begin.size(); ++d) {
    common.begin[d] = std::max(a.begin[d], b.begin[d]);
    int64_t end = std::min(a.begin[d] + a.extent[d], b.begin[d] + b.extent[d]);
    common.extent[d] = std::max<int64_t>(0, end - common.begin[d]);
  }
  return common;
}

/// Where an element is in memory with these strides.
inline int64_t offsetOf(llvm::ArrayRef<int64_t> index,
                        llvm::ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d)
    offset += index[d] * strides[d];
  return offset;
}

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_BOX_H
