//===- races.h - unsynchronised accesses to memory --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_RUN_RACES_H
#define SHARDWRIGHT_FRONTEND_CORES_RUN_RACES_H

#include "shardwright/frontend/cores/run/memory.h"

#include <unordered_map>

namespace shardwright::frontend::kernels {

/// A task that accesses memory: a core, or a copy while it is in flight. The
/// number of a copy that has ended is used again by a later one.
struct Actor {
  int32_t task = 0;
  bool isCopy = false;
  /// `core 1`, or the copy's operation and core.
  std::string what;
};

/// Finds accesses to the same element, one of them a write, that no semaphore
/// orders: each element has the time of its last write and of the reads since,
/// compared with what the accessing task knows. For one thread.
class RaceDetector {
public:
  /// Records an access; an error if it races with an earlier one. `op`: the
  /// operation, `swap ref0[0:4]`.
  Status access(const MemoryPtr &memory, const Box &box, bool isWrite,
                const Actor &actor, const Clock &clock, const std::string &op);

private:
  struct Access {
    int32_t task = -1;
    int64_t time = 0;
    int32_t record = -1;
  };
  struct Cell {
    Access write;
    std::vector<Access> reads;
  };
  /// What messages say of an access.
  struct Record {
    Actor actor;
    std::string op;
  };
  struct Shadow {
    MemoryPtr memory; ///< kept, so that its address stays its own
    std::vector<Cell> cells;
  };

  int32_t recordOf(const Actor &actor, const std::string &op);
  std::unordered_map<const Memory *, Shadow> shadows;
  std::vector<Record> records;
};

} // namespace shardwright::frontend::kernels

#endif // SHARDWRIGHT_FRONTEND_CORES_RUN_RACES_H
