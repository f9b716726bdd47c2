//===- memory.h - memory of cores and parts of it ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_RUN_MEMORY_H
#define SHARDWRIGHT_FRONTEND_CORES_RUN_MEMORY_H

#include "shardwright/frontend/cores/view.h"

#include <deque>

namespace shardwright::frontend::kernels {

/// How far each task has got, as a task knows it: by task. Only where races are
/// detected.
using Clock = std::vector<int64_t>;
/// Makes `to` know what `from` knows.
void join(Clock &to, const Clock &from);

/// A core that waits for a semaphore.
struct Waiter {
  int32_t core = 0;
  int64_t amount = 0;
};
/// What has been added to a semaphore and not been waited for.
struct Addition {
  int64_t amount = 0;
  Clock clock;
  std::string what;
};
/// One semaphore. Guarded by the mutex of the run.
struct Counter {
  int64_t value = 0;
  std::deque<Waiter> waiters;
  /// Oldest first, as far as they have not been waited for. Only where races
  /// are detected.
  std::deque<Addition> additions;
};

/// Which memory of a core it is, so that other cores can name theirs: an
/// operand of the kernel, or an allocation of a run_scoped.
struct MemoryKey {
  /// Of the run_scoped; -1: an operand.
  int32_t step = -1;
  /// How often the core had entered that run_scoped before.
  int64_t occurrence = 0;
  /// Number of the operand, or of the allocation.
  int32_t number = 0;
  friend auto operator<=>(const MemoryKey &, const MemoryKey &) = default;
};

/// What a reference refers to: elements, or semaphores.
struct Memory {
  Aval type;
  MemoryKey key;
  /// In messages: `ref0`, `vmem0`, `sem1`.
  std::string name;
  /// Row-major elements; null for semaphores.
  std::byte *data = nullptr;
  std::shared_ptr<void> owner = nullptr;
  std::vector<Counter> counters = {};
  /// The core that allocated it, or -1: all cores of a device.
  int32_t core = -1;
};
using MemoryPtr = std::shared_ptr<Memory>;

/// Elements that begin as NaN, or as the least integer, or semaphores that are
/// 0. Null if there is not enough memory.
MemoryPtr allocate(const Aval &type);

/// A part of memory: elements at offset + sum(i_d * stride_d), in elements.
struct Box {
  int64_t offset = 0;
  Ints extent, strides;
  int64_t elements() const;
  /// Calls `visit` with each offset, in row-major order of the box.
  template <typename F> void forEach(const F &visit) const {
    if (!elements())
      return;
    Ints at(extent.size(), 0);
    int64_t now = offset;
    while (true) {
      visit(now);
      size_t d = extent.size();
      while (d-- > 0) {
        now += strides[d];
        if (++at[d] < extent[d])
          break;
        now -= strides[d] * extent[d];
        at[d] = 0;
      }
      if (d == SIZE_MAX)
        return;
    }
  }
};

/// The part that a view selects, at these positions; an error if it is not all
/// inside.
Expected<Box> resolve(const Aval &type, const View &view,
                      const Ints &positions);

/// Copies elements between memories. The parts have equal extents.
void copyElements(const Memory &to, const Box &toBox, const Memory &from,
                  const Box &fromBox);
/// The elements of a part, in row-major order.
Expected<Tensor> read(const Memory &memory, const Box &box);
/// Writes elements that are in row-major order.
void write(const Memory &memory, const Box &box, const void *elements);

/// Bytes of one element in memory.
int64_t elementBytes(DType type);

} // namespace shardwright::frontend::kernels

#endif // SHARDWRIGHT_FRONTEND_CORES_RUN_MEMORY_H
