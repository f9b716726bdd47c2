//===- op_name_map.h - what is asked of many ops by their name --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SUPPORT_OP_NAME_MAP_H
#define SHARDWRIGHT_PARTITION_SUPPORT_OP_NAME_MAP_H

#include "mlir/IR/OperationSupport.h"

#include <vector>

namespace shardwright {

/// A value for each name of an op, made when it is first asked for. A module
/// has few names and many ops: asking takes a few instructions.
template <typename T> class OpNameMap {
public:
  OpNameMap() : slots(128) {}

  /// That of `name`; `make()` says it where it is not known. It must not ask
  /// this map.
  template <typename Fn> T get(mlir::OperationName name, Fn make) {
    const void *key = name.getAsOpaquePointer();
    size_t i = find(key);
    if (slots[i].key)
      return slots[i].value;
    T value = make();
    slots[i] = {key, value};
    if (2 * ++used == slots.size())
      grow();
    return value;
  }

private:
  struct Slot {
    const void *key = nullptr;
    T value{};
  };

  /// The slot of the key, or an empty one for it.
  size_t find(const void *key) const {
    uintptr_t word = uintptr_t(key);
    size_t i = (word >> 4) ^ (word >> 11);
    for (;; ++i) {
      i &= slots.size() - 1;
      if (slots[i].key == key || !slots[i].key)
        return i;
    }
  }
  void grow() {
    std::vector<Slot> old(2 * slots.size());
    old.swap(slots);
    for (const Slot &slot : old)
      if (slot.key)
        slots[find(slot.key)] = slot;
  }

  std::vector<Slot> slots;
  size_t used = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SUPPORT_OP_NAME_MAP_H
