//===- ffi.h - FFI handlers in programs -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FFI_H
#define SHARDWRIGHT_FFI_H

#include "shardwright/pjrt_abi/ffi.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

// Handlers only see pointers to these.

struct XLA_FFI_Error {
  int code = 0;
  std::string message;
};

/// The completion of asynchronous work of a handler. The waiter frees it.
struct XLA_FFI_Future {
  std::mutex mutex;
  std::condition_variable changed;
  bool isSet = false;
  XLA_FFI_Error *error = nullptr;
};

namespace shardwright::cpu {
class ThreadPool;
}

namespace shardwright::ffi {

/// The user data that the starter of a run passes to handlers, by type. Not
/// owned.
struct FfiUserData {
  llvm::SmallVector<std::pair<int64_t, void *>, 2> byType;
  /// Returns null if there is none of this type.
  const std::pair<int64_t, void *> *find(int64_t type) const;
};

/// An object that one stage of a handler creates for later stages.
struct FfiState {
  FfiState() = default;
  FfiState(const FfiState &) = delete;
  ~FfiState();
  int64_t type = 0;
  void *object = nullptr;
};

} // namespace shardwright::ffi

/// The context that a handler can query during a call.
struct XLA_FFI_ExecutionContext {
  int32_t device = -1;
  int64_t runId = 0;
  const shardwright::ffi::FfiUserData *userData = nullptr;
  /// The custom options of the run; null: none.
  const XLA_FFI_Attrs *customOptions = nullptr;
  /// By stage: instantiate, prepare, initialize; null if there is none.
  shardwright::ffi::FfiState *states[3] = {};
};

namespace shardwright::ffi {

/// The table of functions that handlers call.
const XLA_FFI_Api *ffiApi();

/// Takes ownership of the error, if there is one.
llvm::Error fromFfi(XLA_FFI_Error *error);

/// Registers `name` as a target of typed custom calls. Registering the same
/// functions again has no effect. Fails without an execute function, for an
/// unknown API version, or if other functions have this name. Ignores the
/// stage `record`.
llvm::Error registerFfi(llvm::StringRef name,
                        const XLA_FFI_Handler_Bundle &bundle);
/// Registers a target of untyped custom calls, `api_version` 1 to 3, which have
/// separate names.
llvm::Error registerUntyped(llvm::StringRef name, void *function);
bool isTypedTarget(llvm::StringRef name);
bool isUntypedTarget(llvm::StringRef name);
/// Makes the registered targets available to programs.
void offerFfiTargets();
/// Sets the threads that run the tasks of handlers; else those of
/// Client::shared. They must live as long as the process.
void useFfiThreads(cpu::ThreadPool &pool);

/// Assigns an id to the type, or adopts the id that another host assigned.
llvm::Error registerFfiType(llvm::StringRef name, int64_t &id,
                            const XLA_FFI_TypeInfo *info);
/// Returns null if the type is unknown or has no deleter.
void (*ffiDeleter(int64_t type))(void *);
bool isFfiType(int64_t type);

/// Queries the handler's metadata, by a call with only `stage` and `context`.
llvm::Error queryFfi(XLA_FFI_Handler handler, XLA_FFI_Metadata &metadata);

} // namespace shardwright::ffi

#endif // SHARDWRIGHT_FFI_H
