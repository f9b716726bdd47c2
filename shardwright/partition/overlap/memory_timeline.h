//===- memory_timeline.h - lifetimes of buffers -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers on the time line of a run, and the moment at which most bytes are
// alive. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_TIMELINE_H
#define SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_TIMELINE_H

#include <cstdint>
#include <limits>
#include <vector>

namespace shardwright {

/// A buffer is alive from its first use to its last one, both included.
class MemoryTimeline {
public:
  using Buffer = int32_t;

  /// A buffer of 0 or more bytes, not used yet. Buffers that are not `counted`
  /// have lifetimes, but belong to no peak.
  Buffer add(double bytes, bool isCounted = true);
  /// Begins the next moment. There is none before the first call.
  void advance() { ++moments; }
  /// The buffer is read or written at the present moment.
  void use(Buffer buffer);

  int32_t now() const { return moments - 1; }
  double bytes(Buffer buffer) const { return buffers[buffer].bytes; }
  bool isUsed(Buffer buffer) const {
    return buffers[buffer].begin <= buffers[buffer].end;
  }
  /// Of a buffer that is used.
  int32_t firstUse(Buffer buffer) const { return buffers[buffer].begin; }
  int32_t lastUse(Buffer buffer) const { return buffers[buffer].end; }
  bool isAlive(Buffer buffer, int32_t moment) const {
    return buffers[buffer].begin <= moment && moment <= buffers[buffer].end;
  }

  struct Peak {
    double bytes = 0;
    /// The first moment with so many bytes; -1 if no counted buffer is used.
    int32_t moment = -1;
  };
  Peak peak() const;

private:
  struct Lifetime {
    double bytes;
    bool isCounted;
    int32_t begin = std::numeric_limits<int32_t>::max(), end = -1;
  };
  std::vector<Lifetime> buffers;
  int32_t moments = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_MEMORY_TIMELINE_H
