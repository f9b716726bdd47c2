//===- attributes.h - attributes of FFI calls -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FFI_ATTRIBUTES_H
#define SHARDWRIGHT_FFI_ATTRIBUTES_H

#include "shardwright/cpu/program/program.h"
#include "shardwright/pjrt_abi/ffi.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <deque>
#include <memory>

namespace shardwright::ffi {

/// Attributes in the form that handlers read: sorted by name, each in storage
/// with a stable address.
class FfiAttributes {
public:
  /// Sets the attributes; call it only once. Fails for attributes that FFI does
  /// not support.
  llvm::Error set(llvm::ArrayRef<cpu::LibraryAttribute> attributes);
  XLA_FFI_Attrs view();

private:
  std::deque<std::string> texts;
  std::deque<std::vector<char>> bytes;
  std::deque<XLA_FFI_ByteSpan> spans;
  std::deque<XLA_FFI_Scalar> scalars;
  std::deque<XLA_FFI_Array> arrays;
  std::deque<XLA_FFI_Attrs> dictionaries;
  std::deque<FfiAttributes> nested;
  std::vector<int> types;
  std::vector<XLA_FFI_ByteSpan *> names;
  std::vector<void *> values;
};

/// Checks that FFI supports the attributes of all typed calls of registered
/// targets. Emits one diagnostic on failure, in XLA's wording.
mlir::LogicalResult checkFfiAttributes(mlir::ModuleOp module);

} // namespace shardwright::ffi

#endif // SHARDWRIGHT_FFI_ATTRIBUTES_H
