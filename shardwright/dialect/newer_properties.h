//===- newer_properties.h - bytecode of ops that have grown -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR writes the attributes of an op in the order of their names, so that an
// attribute more makes all earlier bytecode unreadable, jaxlib's included. What
// came after version 1.17 stands at the end, and only when it is set.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H
#define SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Diagnostics.h"

namespace shardwright {

/// An attribute that older writers did not know: the end of the properties in
/// its place is no error. The reader has no other way to ask for it.
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
