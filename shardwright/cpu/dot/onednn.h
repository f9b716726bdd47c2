//===- onednn.h - shared code of oneDNN's users -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_DOT_ONEDNN_H
#define SHARDWRIGHT_CPU_DOT_ONEDNN_H

#include "shardwright/support/element_type.h"

#include <dnnl.h>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace shardwright::cpu::onednn {

/// Keeps oneDNN from starting threads. The setting belongs to the calling
/// thread, which may be the user's, so the destructor restores it.
class OneThread {
public:
  OneThread();
  ~OneThread();

private:
  int before = 1;
};

template <typename T, dnnl_status_t (*destroy)(T)> class Handle {
public:
  Handle() = default;
  Handle(Handle &&o) : value(std::exchange(o.value, nullptr)) {}
  ~Handle() {
    if (value)
      destroy(value);
  }
  T *out() { return &value; }
  T get() const { return value; }

private:
  T value = nullptr;
};
using Engine = Handle<dnnl_engine_t, dnnl_engine_destroy>;
using Stream = Handle<dnnl_stream_t, dnnl_stream_destroy>;
using Memory = Handle<dnnl_memory_t, dnnl_memory_destroy>;
using Primitive = Handle<dnnl_primitive_t, dnnl_primitive_destroy>;
using PrimitiveDesc =
    Handle<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using Attributes = Handle<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;

/// Primitives by key, for any number of threads. Holds at most `mostKept` and
/// then starts anew, so that a service with ever new shapes does not grow
/// forever.
template <typename Key, typename Made, typename Hash, size_t mostKept>
class PrimitiveCache {
public:
  /// The value of `key`; make() creates it, a shared_ptr, if it is not there.
  /// Several threads may create a value at once, of which one is kept.
  template <typename Make>
  std::shared_ptr<const Made> get(const Key &key, Make make) {
    {
      std::shared_lock lock(mutex);
      auto it = known.find(key);
      if (it != known.end())
        return it->second;
    }
    std::shared_ptr<const Made> made = make();
    std::unique_lock lock(mutex);
    if (known.size() >= mostKept)
      known.clear();
    return known.try_emplace(key, std::move(made)).first->second;
  }

private:
  std::shared_mutex mutex;
  std::unordered_map<Key, std::shared_ptr<const Made>, Hash> known;
};

dnnl_engine_t engine();
/// The stream of the calling thread.
dnnl_stream_t stream();
/// Returns dnnl_data_type_undef if oneDNN does not have the type.
dnnl_data_type_t dataType(ElementType type);

} // namespace shardwright::cpu::onednn

#endif // SHARDWRIGHT_CPU_DOT_ONEDNN_H
