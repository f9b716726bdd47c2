//===- ffi_attributes.h - attributes of calls of foreign functions ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_FFI_FFI_ATTRIBUTES_H
#define SHARDWRIGHT_PJRT_FFI_FFI_ATTRIBUTES_H

#include "shardwright/cpu/program/program.h"
#include "shardwright/pjrt/abi/ffi.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <deque>
#include <memory>

namespace shardwright::pjrt {

/// Attributes as handlers read them: sorted by name, each with its own storage,
/// which does not move.
class FfiAttributes {
public:
  /// Once. Fails on what handlers cannot take.
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

/// Typed calls of registered targets have attributes of kinds only that
/// handlers can take. One diagnostic on failure, worded as XLA does.
mlir::LogicalResult checkFfiAttributes(mlir::ModuleOp module);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_FFI_FFI_ATTRIBUTES_H
