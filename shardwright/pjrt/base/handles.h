//===- handles.h - tables of live handles -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_BASE_HANDLES_H
#define SHARDWRIGHT_PJRT_BASE_HANDLES_H

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <memory>
#include <mutex>

namespace shardwright::pjrt {

/// The live objects of one type to which clients hold pointers. Detects
/// pointers that are null, foreign or destroyed. An object that another thread
/// destroys during a call lives until the call ends. Thread-safe.
template <typename T> class Handles {
public:
  T *add(std::shared_ptr<T> object) {
    T *pointer = object.get();
    Stripe &stripe = stripeOf(pointer);
    std::lock_guard lock(stripe.mutex);
    stripe.live[pointer] = std::move(object);
    return pointer;
  }
  /// Returns null if the object is not alive.
  std::shared_ptr<T> find(const T *pointer) {
    if (!pointer)
      return nullptr;
    Stripe &stripe = stripeOf(pointer);
    std::lock_guard lock(stripe.mutex);
    auto it = stripe.live.find(pointer);
    return it == stripe.live.end() ? nullptr : it->second;
  }
  /// Returns the table's reference; null if the object was not alive.
  std::shared_ptr<T> remove(const T *pointer) {
    if (!pointer)
      return nullptr;
    Stripe &stripe = stripeOf(pointer);
    std::lock_guard lock(stripe.mutex);
    auto it = stripe.live.find(pointer);
    if (it == stripe.live.end())
      return nullptr;
    std::shared_ptr<T> object = std::move(it->second);
    stripe.live.erase(it);
    return object;
  }

  /// Calls `visit` with each object while the table is locked: `visit` must
  /// neither create nor destroy objects of this type.
  template <typename Visit> void forEach(Visit visit) {
    for (Stripe &stripe : stripes) {
      std::lock_guard lock(stripe.mutex);
      for (auto &entry : stripe.live)
        visit(*entry.second);
    }
  }

private:
  struct alignas(64) Stripe {
    std::mutex mutex;
    llvm::DenseMap<const void *, std::shared_ptr<T>> live;
  };
  Stripe &stripeOf(const T *pointer) {
    auto bits = reinterpret_cast<uintptr_t>(pointer);
    return stripes[(bits >> 6 ^ bits >> 12) % stripes.size()];
  }
  std::array<Stripe, 16> stripes;
};

/// One table per type for the process. Never destroyed, because other threads
/// may call until the process ends.
template <typename T> Handles<T> &handles() {
  static auto *table = new Handles<T>();
  return *table;
}

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BASE_HANDLES_H
