//===- box_copy.cc - copy a box between strided arrays --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/box_copy.h"

#include "llvm/ADT/SmallVector.h"

#include <cstring>

using namespace shardwright;

namespace {

struct Dim {
  int64_t extent, dst, src;
};

struct Bytes16 {
  uint64_t a, b;
};

template <typename T> void copyLine(char *dst, const char *src, const Dim &d) {
  for (int64_t i = 0; i < d.extent; ++i) {
    // The caller's strides may be unaligned.
    T value;
    std::memcpy(&value, src + i * d.src, sizeof(T));
    std::memcpy(dst + i * d.dst, &value, sizeof(T));
  }
}

void copyStrided(char *dst, const char *src, const Dim &d, int64_t width) {
  switch (width) {
  case 1:
    return copyLine<uint8_t>(dst, src, d);
  case 2:
    return copyLine<uint16_t>(dst, src, d);
  case 4:
    return copyLine<uint32_t>(dst, src, d);
  case 8:
    return copyLine<uint64_t>(dst, src, d);
  case 16:
    return copyLine<Bytes16>(dst, src, d);
  default:
    for (int64_t i = 0; i < d.extent; ++i)
      std::memcpy(dst + i * d.dst, src + i * d.src, width);
  }
}

void copyDims(char *dst, const char *src, llvm::ArrayRef<Dim> dims,
              int64_t width) {
  if (dims.empty()) {
    std::memcpy(dst, src, width);
    return;
  }
  if (dims.size() == 1)
    return copyStrided(dst, src, dims[0], width);
  for (int64_t i = 0; i < dims[0].extent; ++i)
    copyDims(dst + i * dims[0].dst, src + i * dims[0].src, dims.drop_front(),
             width);
}

} // namespace

void cpu::copyBox(void *dst, llvm::ArrayRef<int64_t> dstStrides,
                  const void *src, llvm::ArrayRef<int64_t> srcStrides,
                  llvm::ArrayRef<int64_t> extent, int64_t width) {
  llvm::SmallVector<Dim, 6> dims;
  for (size_t i = 0; i < extent.size(); ++i) {
    if (extent[i] == 0)
      return;
    if (extent[i] == 1)
      continue;
    Dim d{extent[i], dstStrides[i], srcStrides[i]};
    // Merge with the previous dimension if both are contiguous on both sides.
    if (!dims.empty() && dims.back().dst == d.dst * d.extent &&
        dims.back().src == d.src * d.extent)
      dims.back() = {dims.back().extent * d.extent, d.dst, d.src};
    else
      dims.push_back(d);
  }
  // The longest contiguous range becomes one element.
  if (!dims.empty() && dims.back().dst == width && dims.back().src == width) {
    width *= dims.back().extent;
    dims.pop_back();
  }
  copyDims(static_cast<char *>(dst), static_cast<const char *>(src), dims,
           width);
}
