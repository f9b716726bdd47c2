//===- used_channels.cc - handles for new channels ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/used_channels.h"

#include "shardwright/dialect/stablehlo/dialect.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace shardwright::stablehlo {

UsedChannels::UsedChannels(Operation *root) {
  root->walk([&](Operation *op) { add(op); });
}

void UsedChannels::add(Operation *op) {
  auto channel = op->getAttrOfType<ChannelHandleAttr>(kChannelHandleName);
  if (channel && channel.getHandle() > 0)
    handles.push_back(channel.getHandle());
}

int64_t UsedChannels::firstUnused() const {
  constexpr int64_t count = int64_t(1) << 32;
  constexpr int64_t end = std::numeric_limits<int64_t>::max();
  int64_t largest = handles.empty() ? 0 : *llvm::max_element(handles);
  if (largest <= end - count)
    return largest + 1;
  // A program has fewer than 2^31 ops, so one of the gaps is long enough.
  std::vector<int64_t> sorted = handles;
  llvm::sort(sorted);
  int64_t previous = 0;
  for (int64_t handle : sorted) {
    if (handle - previous > count)
      break;
    previous = handle;
  }
  return previous + 1;
}

} // namespace shardwright::stablehlo
