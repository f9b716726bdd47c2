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

dnnl_engine_t engine();
/// The stream of the calling thread.
dnnl_stream_t stream();
/// Returns dnnl_data_type_undef if oneDNN does not have the type.
dnnl_data_type_t dataType(ElementType type);

} // namespace shardwright::cpu::onednn

#endif // SHARDWRIGHT_CPU_DOT_ONEDNN_H
