//===- bridge.h - what our Python package asks of the plugin ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_BRIDGE_H
#define SHARDWRIGHT_PJRT_BRIDGE_H

#include "shardwright/pjrt/abi/base.h"

// The library exports GetPjrtApi alone; what else our own Python package needs
// hangs in its chain of extensions, under a type that no other has.

extern "C" {

constexpr int Shardwright_Extension_Type = 0x5357;

struct Shardwright_HostArray {
  PJRT_Buffer_Type type;
  int32_t rank;
  const int64_t *dims;
  void *data; ///< dense, row-major; one byte for each element under 8 bits
};

/// Calls the Python function of this number: reads the operands, writes the
/// results. Not 0: it failed, and `error` holds why, ended by a zero.
using Shardwright_HostCallback = int (*)(uint64_t number, size_t num_operands,
                                         const Shardwright_HostArray *operands,
                                         size_t num_results,
                                         const Shardwright_HostArray *results,
                                         char *error, size_t error_size);

struct Shardwright_Extension {
  PJRT_Extension_Base base;
  int64_t version; ///< 1
  /// Null: none any more, as at the end of the interpreter.
  void (*set_host_callback)(Shardwright_HostCallback callback);
  /// A target of custom calls: its functions for instantiate (may be null),
  /// prepare (same), initialize (same), execute.
  PJRT_Error *(*register_ffi)(const char *name, size_t name_size,
                              void *const handlers[4], uint32_t traits);
  /// `type_id` and `type_info` are those of the library that has the type.
  PJRT_Error *(*register_ffi_type)(const char *name, size_t name_size,
                                   int64_t *type_id, const void *type_info);
};

} // extern "C"

namespace shardwright::pjrt {
void setHostCallback(Shardwright_HostCallback callback);
} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BRIDGE_H
