//===- memory_timeline.cc - lifetimes of buffers --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/memory_timeline.h"

#include <algorithm>

namespace shardwright {

MemoryTimeline::Buffer MemoryTimeline::add(double bytes, bool isCounted) {
  buffers.push_back({bytes, isCounted});
  return Buffer(buffers.size()) - 1;
}

void MemoryTimeline::use(Buffer buffer) {
  Lifetime &life = buffers[buffer];
  life.begin = std::min(life.begin, now());
  life.end = std::max(life.end, now());
}

MemoryTimeline::Peak MemoryTimeline::peak() const {
  // Written at a moment, read for the last time at a moment.
  std::vector<double> written(moments, 0), read(moments, 0);
  for (const Lifetime &life : buffers)
    if (life.isCounted && life.begin <= life.end && life.bytes > 0) {
      written[life.begin] += life.bytes;
      read[life.end] += life.bytes;
    }
  Peak peak;
  double alive = 0;
  for (int32_t moment = 0; moment < moments; ++moment) {
    alive += written[moment];
    if (alive > peak.bytes)
      peak = {alive, moment};
    alive -= read[moment];
  }
  return peak;
}

} // namespace shardwright
