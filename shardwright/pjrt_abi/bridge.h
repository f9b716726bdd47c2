//===- bridge.h - extension for our Python package --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_ABI_BRIDGE_H
#define SHARDWRIGHT_PJRT_ABI_BRIDGE_H

#include "shardwright/pjrt_abi/base.h"

// The library only exports GetPjrtApi. Other functions for our own Python
// package are in an extension with a unique type.

extern "C" {

constexpr int Shardwright_Extension_Type = 0x5357;

struct Shardwright_HostArray {
  PJRT_Buffer_Type type;
  int32_t rank;
  const int64_t *dims;
  void *data; ///< dense, row-major; one byte per element under 8 bits
};

/// Calls the Python function of this number, which reads the operands and
/// writes the results. Returns non-zero on failure, with the null-terminated
/// reason in `error`; 2 if it was to write the results in place itself.
using Shardwright_HostCallback = int (*)(uint64_t number, size_t num_operands,
                                         const Shardwright_HostArray *operands,
                                         size_t num_results,
                                         const Shardwright_HostArray *results,
                                         char *error, size_t error_size);

/// Called when an executable that calls this function is created or destroyed.
using Shardwright_HoldCallback = void (*)(uint64_t number, int is_held);

/// A query about a program, which is neither run nor loaded (inspect.h,
/// region_query.h).
struct Shardwright_Inspect_Args {
  size_t struct_size;
  const char *what;    ///< `partition`, `explain` or `region`
  const char *request; ///< JSON
  size_t request_size;
  const char *code; ///< StableHLO: text, bytecode or portable artifact
  size_t code_size;
  const char *answer; ///< out, JSON; valid until `holder` is freed
  size_t answer_size; ///< out
  void *holder;       ///< out
};

struct Shardwright_Extension {
  PJRT_Extension_Base base;
  int64_t version; ///< 4
  /// Null removes the callback, as at the end of the interpreter.
  void (*set_host_callback)(Shardwright_HostCallback callback,
                            Shardwright_HoldCallback hold);
  /// Registers a custom call target: its functions for instantiate, prepare,
  /// initialize (these three may be null), and execute.
  PJRT_Error *(*register_ffi)(const char *name, size_t name_size,
                              void *const handlers[4], uint32_t traits);
  /// Registers a target for `api_version` 1 to 3.
  PJRT_Error *(*register_untyped)(const char *name, size_t name_size,
                                  void *function);
  /// `type_id` and `type_info` belong to the library that defines the type.
  PJRT_Error *(*register_ffi_type)(const char *name, size_t name_size,
                                   int64_t *type_id, const void *type_info);
  // Since version 2.
  PJRT_Error *(*inspect)(Shardwright_Inspect_Args *args);
  void (*free_answer)(void *holder);
};

} // extern "C"

namespace shardwright::pjrt {
void setHostCallback(Shardwright_HostCallback callback,
                     Shardwright_HoldCallback hold);
} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_ABI_BRIDGE_H
