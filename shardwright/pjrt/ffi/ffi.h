//===- ffi.h - foreign functions in programs --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_FFI_FFI_H
#define SHARDWRIGHT_PJRT_FFI_FFI_H

#include "shardwright/pjrt/abi/ffi.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

// Handlers see these by pointer only.

struct XLA_FFI_Error {
  int code = 0;
  std::string message;
};

/// The end of a call that went on after its handler returned. Whoever waits
/// frees it.
struct XLA_FFI_Future {
  std::mutex mutex;
  std::condition_variable changed;
  bool isSet = false;
  XLA_FFI_Error *error = nullptr;
};

namespace shardwright::pjrt {

/// What whoever starts a run gives its handlers, by type. Not owned.
struct FfiUserData {
  llvm::SmallVector<std::pair<int64_t, void *>, 2> byType;
  /// Null: none of this type.
  const std::pair<int64_t, void *> *find(int64_t type) const;
};

/// An object that one stage of a handler made for later ones.
struct FfiState {
  FfiState() = default;
  FfiState(const FfiState &) = delete;
  ~FfiState();
  int64_t type = 0;
  void *object = nullptr;
};

} // namespace shardwright::pjrt

/// What a handler may ask for during a call.
struct XLA_FFI_ExecutionContext {
  int32_t device = -1;
  int64_t runId = 0;
  const shardwright::pjrt::FfiUserData *userData = nullptr;
  /// By stage: instantiate, prepare, initialize; null where there is none.
  shardwright::pjrt::FfiState *states[3] = {};
};

namespace shardwright::pjrt {

/// The functions that handlers call.
const XLA_FFI_Api *ffiApi();

/// Takes the error, if there is one.
llvm::Error fromFfi(XLA_FFI_Error *error);

/// Makes `name` a target of typed custom calls. The same functions once more
/// change nothing. Errors: no execute, an unknown version of the interface,
/// other functions under the name.
llvm::Error registerFfi(llvm::StringRef name,
                        const XLA_FFI_Handler_Bundle &bundle, uint32_t traits);
/// The same for untyped ones, `api_version` 1 to 3, which have names of their
/// own.
llvm::Error registerUntyped(llvm::StringRef name, void *function);
bool isTypedTarget(llvm::StringRef name);
/// From now on programs find the targets that are registered here.
void offerFfiTargets();

/// Gives the type a number, or takes that which it has from another host.
llvm::Error registerFfiType(llvm::StringRef name, int64_t &id,
                            const XLA_FFI_TypeInfo *info);
/// Null: unknown, or without one.
void (*ffiDeleter(int64_t type))(void *);
bool isFfiType(int64_t type);

/// Calls the handler with `stage`, `context` and nothing else set: what its
/// metadata says.
llvm::Error queryFfi(XLA_FFI_Handler handler, XLA_FFI_Metadata &metadata);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_FFI_FFI_H
