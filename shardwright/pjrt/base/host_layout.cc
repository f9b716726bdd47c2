//===- host_layout.cc - layouts of client arrays --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/base/host_layout.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

using namespace shardwright;
using namespace shardwright::pjrt;

static constexpr size_t maxRank = 256;

llvm::ArrayRef<int64_t> pjrt::rowMajorOrder(size_t rank) {
  static const auto *descending = [] {
    auto *order = new std::array<int64_t, maxRank>();
    std::iota(order->rbegin(), order->rend(), 0);
    return order;
  }();
  return llvm::ArrayRef(*descending).take_back(std::min(rank, maxRank));
}

bool pjrt::isRowMajor(const PJRT_Buffer_MemoryLayout *layout, size_t rank) {
  if (!layout)
    return true;
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
      layout->tiled.num_tiles != 0)
    return false;
  llvm::ArrayRef<int64_t> order(layout->tiled.minor_to_major,
                                layout->tiled.minor_to_major_size);
  return order == rowMajorOrder(rank);
}

llvm::Expected<llvm::SmallVector<int64_t, 6>>
pjrt::byteStrides(const PJRT_Buffer_MemoryLayout *layout,
                  llvm::ArrayRef<int64_t> shape, int64_t elementBytes) {
  llvm::SmallVector<int64_t, 6> strides(shape.size());
  llvm::ArrayRef<int64_t> order = rowMajorOrder(shape.size());
  if (layout && layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    if (layout->strides.num_byte_strides != shape.size() ||
        (!shape.empty() && !layout->strides.byte_strides))
      return llvm::createStringError(
          llvm::Twine(layout->strides.num_byte_strides) +
          " strides for an array of rank " + llvm::Twine(shape.size()));
    strides.assign(layout->strides.byte_strides,
                   layout->strides.byte_strides + shape.size());
    return strides;
  }
  if (layout) {
    if (layout->tiled.num_tiles)
      return llvm::createStringError("UNIMPLEMENTED: tiled layouts are not "
                                     "supported");
    if (layout->tiled.minor_to_major_size != shape.size() ||
        (!shape.empty() && !layout->tiled.minor_to_major))
      return llvm::createStringError(
          "a layout of rank " + llvm::Twine(layout->tiled.minor_to_major_size) +
          " for an array of rank " + llvm::Twine(shape.size()));
    order = {layout->tiled.minor_to_major, shape.size()};
  }
  std::vector<bool> seen(shape.size());
  int64_t stride = elementBytes;
  for (int64_t dim : order) {
    if (dim < 0 || size_t(dim) >= shape.size() || seen[dim])
      return llvm::createStringError(
          "the layout is not an order of the dimensions");
    seen[dim] = true;
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

std::optional<int64_t> pjrt::bytesOf(ElementType type,
                                     llvm::ArrayRef<int64_t> shape) {
  int64_t bytes = byteWidth(type);
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}
