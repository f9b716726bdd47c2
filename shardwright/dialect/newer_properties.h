//===- newer_properties.h - bytecode of ops that have grown -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR writes the attributes of an op in the order of their names, so that a
// new attribute would make all earlier bytecode unreadable, jaxlib's included.
// Attributes that are newer than version 1.17 are written last, and only if
// set.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H
#define SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Diagnostics.h"

namespace shardwright {

/// Reads an attribute that older writers did not know: the end of the
/// properties in its place is no error. The reader has no other way to test for
/// the end.
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
