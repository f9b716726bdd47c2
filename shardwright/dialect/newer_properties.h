//===- newer_properties.h - bytecode of newer attributes --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR writes an op's attributes in the order of their names, so a new
// attribute would make all earlier bytecode unreadable, including jaxlib's.
// Attributes newer than version 1.17 are written last, and only if set.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H
#define SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Diagnostics.h"

namespace shardwright {

/// Reads an attribute that older writers did not write: the end of the
/// properties in its place is not an error. The reader provides no other way to
/// test for the end.
template <typename AttrT>
void readNewer(mlir::DialectBytecodeReader &reader, AttrT &attr) {
  mlir::ScopedDiagnosticHandler quiet(
      reader.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  if (mlir::failed(reader.readOptionalAttribute(attr)))
    attr = nullptr;
}

template <typename AttrT>
void writeNewer(mlir::DialectBytecodeWriter &writer, AttrT attr) {
  if (attr)
    writer.writeOptionalAttribute(attr);
}

} // namespace shardwright

#endif // SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H
