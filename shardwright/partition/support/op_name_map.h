//===- op_name_map.h - cache a property of an op name -----------*- C++ -*-===//
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

/// A lazily computed value for each op name. A module has few names and many
/// ops, so a lookup takes only a few instructions.
template <typename T> class OpNameMap {
public:
  OpNameMap() : slots(128) {}

  /// Returns the value of `name`, computed by `make()` on the first lookup.
  /// `make` must not use this map.
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

  /// The slot of the key, or the empty slot for it.
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
