//===- handles.h - which pointers of clients are alive ----------*- C++ -*-===//
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

/// The live objects of one type that clients hold pointers to. A pointer that
/// is null, foreign or destroyed is found to be so, and an object that another
/// thread destroys during a call lives until the call ends. Thread-safe.
template <typename T> class Handles {
public:
  T *add(std::shared_ptr<T> object) {
    T *pointer = object.get();
    Stripe &stripe = stripeOf(pointer);
    std::lock_guard lock(stripe.mutex);
    stripe.live[pointer] = std::move(object);
    return pointer;
  }
  /// Null: not alive.
  std::shared_ptr<T> find(const T *pointer) {
    if (!pointer)
      return nullptr;
    Stripe &stripe = stripeOf(pointer);
    std::lock_guard lock(stripe.mutex);
    auto it = stripe.live.find(pointer);
    return it == stripe.live.end() ? nullptr : it->second;
  }
  /// The last reference of the table; null: was not alive.
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

  /// Calls `visit` with each, while no other is added to or taken from where it
  /// is: it must neither destroy nor make objects of this type.
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

/// One table a type for the whole process; never destroyed, since other
/// threads may call until the end.
template <typename T> Handles<T> &handles() {
  static auto *table = new Handles<T>();
  return *table;
}

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BASE_HANDLES_H
