//===- host_call.h - custom calls that the host implements ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that a program calls by name through `stablehlo.custom_call`.
// shardwright/runtime/custom_call.h is the public face of this.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_HOST_CALL_H
#define SHARDWRIGHT_CPU_LIBRARY_HOST_CALL_H

#include "shardwright/cpu/library/call_attributes.h"
#include "shardwright/cpu/library/library_op.h"
#include "shardwright/cpu/library/run_context.h"
#include "shardwright/support/shape.h"

#include <functional>

namespace shardwright {

/// An operand or result of a custom call: dense, in the layout that the call
/// specifies, by default row-major.
struct CustomCallBuffer {
  ElementType type;
  llvm::ArrayRef<int64_t> shape;
  /// Operands are read-only; every result must be written completely.
  void *data;

  int64_t elements() const { return product(shape); }
  /// The elements as T; the caller must have checked `type`.
  template <typename T> llvm::MutableArrayRef<T> as() const {
    return {static_cast<T *>(data), static_cast<size_t>(elements())};
  }
};

struct CustomCall {
  llvm::ArrayRef<CustomCallBuffer> operands, results;
  /// The attributes in `mhlo.backend_config` or in a dictionary
  /// `backend_config`, sorted by name; a string `backend_config` is the
  /// attribute `backend_config`.
  llvm::ArrayRef<cpu::LibraryAttribute> attributes;
  /// Positions of tokens, which have no buffer, among operands and results.
  llvm::ArrayRef<int64_t> operandTokens, resultTokens;
  /// The calling position in the program, and the device at that position.
  int32_t replica, partition, device;
  const cpu::RunContext &run;

  const cpu::LibraryAttribute *attribute(llvm::StringRef name) const {
    for (const cpu::LibraryAttribute &a : attributes)
      if (a.name == name)
        return &a;
    return nullptr;
  }
};

/// Called on a runtime thread, by several devices at the same time. An error
/// fails the run; the function must not throw, and must not run programs of the
/// client that calls it.
using CustomCallFunction = std::function<llvm::Error(const CustomCall &call)>;

/// Creates the function for one call of a program, when the program is prepared
/// to run. The function lives as long as the executable.
using CustomCallFactory =
    std::function<llvm::Expected<CustomCallFunction>(const cpu::LibraryCall &)>;

namespace cpu {
/// Sets the factory of all targets that are not registered; null removes it.
/// Its LibraryCall has the attributes of call_attributes.h.
void setFallbackHostFactory(CustomCallFactory factory);
/// True if the target is neither built in nor registered, and there is a
/// fallback factory. The factory is called once per call, when the program is
/// prepared to run.
bool isMadeByFallback(llvm::StringRef name);
llvm::Error registerHostFactory(llvm::StringRef name,
                                CustomCallFactory factory);
llvm::Error registerHostFunction(llvm::StringRef name,
                                 CustomCallFunction function);
bool unregisterHostFunction(llvm::StringRef name);
/// Looks the function up once, here.
llvm::Expected<LibraryOp> makeHostCall(const LibraryCall &call);
} // namespace cpu

} // namespace shardwright

#endif // SHARDWRIGHT_CPU_LIBRARY_HOST_CALL_H
