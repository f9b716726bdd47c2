//===- newer_properties.h - bytecode of newer attributes --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR writes an op's attributes in the order of their names, and no version,
// so a new attribute makes the bytecode of earlier writers (StableHLO 1.17, as
// in jaxlib 0.10) unreadable, unless it is the last. The functions below read
// the bytecode of earlier and of newer writers (1.20), which they tell apart by
// the number of values: readers ignore values after those that they know.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H
#define SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H

#include "shardwright/support/bytecode_producer.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Diagnostics.h"

namespace shardwright {

/// Reads an optional attribute that earlier writers did not write and that is
/// the last: null if the values end before it.
template <typename AttrT>
mlir::LogicalResult readNewerLast(mlir::DialectBytecodeReader &reader,
                                  AttrT &attr) {
  std::string problem;
  {
    mlir::ScopedDiagnosticHandler quiet(reader.getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          problem += diagnostic.str();
                                          return mlir::success();
                                        });
    if (mlir::succeeded(reader.readOptionalAttribute(attr)))
      return mlir::success();
  }
  attr = nullptr;
  if (llvm::StringRef(problem).contains("at the end of the bytecode"))
    return mlir::success();
  return reader.emitError(problem);
}

/// Reads the last attribute, `known`, which newer writers write after the
/// optional attribute `newer`. The index of an optional attribute cannot be
/// resolved where it may be one of `known`: the producer tells (see
/// ReadsBytecodeOf). Without a known one, `newer` is null in the bytecode of
/// others than writeWithNewer.
template <typename KnownT, typename NewerT>
mlir::LogicalResult readWithNewer(mlir::DialectBytecodeReader &reader,
                                  KnownT &known, NewerT &newer) {
  if (ReadsBytecodeOf::isNewProducer())
    return mlir::failure(failed(reader.readOptionalAttribute(newer)) ||
                         failed(reader.readAttribute(known)));
  mlir::Attribute values[3];
  {
    mlir::ScopedDiagnosticHandler quiet(
        reader.getContext(),
        [](mlir::Diagnostic &) { return mlir::success(); });
    for (mlir::Attribute &value : values)
      if (mlir::failed(reader.readAttribute(value)))
        value = nullptr;
  }
  known = llvm::dyn_cast_or_null<KnownT>(values[1] ? values[1] : values[0]);
  newer = llvm::dyn_cast_or_null<NewerT>(values[2]);
  if (!known || bool(newer) != bool(values[2]))
    return reader.emitError("the properties have the form of neither StableHLO "
                            "1.17 nor 1.20; export the module as text or as a "
                            "portable artifact");
  return mlir::success();
}

/// Writes the last attribute and `newer` (may be null) as newer writers do,
/// followed by `newer`, if any, in the encoding that readWithNewer resolves; or
/// without `newer` as earlier writers do (see WritesBytecodeForOldReaders).
template <typename KnownT, typename NewerT>
void writeWithNewer(mlir::DialectBytecodeWriter &writer, KnownT known,
                    NewerT newer) {
  if (newer || !WritesBytecodeForOldReaders::isActive())
    writer.writeOptionalAttribute(newer);
  writer.writeAttribute(known);
  if (newer)
    writer.writeAttribute(newer);
}

} // namespace shardwright

#endif // SHARDWRIGHT_DIALECT_NEWER_PROPERTIES_H
