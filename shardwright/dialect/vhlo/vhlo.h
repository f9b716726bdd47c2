//===- vhlo.h - the vhlo dialect ----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO with a version in every name, the format of artifacts. Ops have no
// classes: `rowOf` finds the row of op_table.h that describes an op, and
// `attrsOf` returns the inherent attributes in the order of that row.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_VHLO_VHLO_H
#define SHARDWRIGHT_DIALECT_VHLO_VHLO_H

#include "shardwright/dialect/vhlo/kinds.h"
#include "shardwright/dialect/vhlo/op_table.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "shardwright/dialect/vhlo/dialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "shardwright/dialect/vhlo/types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "shardwright/dialect/vhlo/attrs.h.inc"

namespace mlir {
class DialectBytecodeReader;
class DialectBytecodeWriter;
} // namespace mlir

namespace shardwright::vhlo {

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The row of a registered op of this dialect, null for any other op.
const OpRow *rowOf(mlir::Operation *op);
/// The inherent attributes in the order of the row; null if missing.
llvm::MutableArrayRef<mlir::Attribute> attrsOf(mlir::Operation *op);
/// The attribute `name`; null if there is none.
mlir::Attribute attrOf(mlir::Operation *op, llvm::StringRef name);

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

/// The builtin type of a primitive or complex element; null for other types.
mlir::Type builtinElement(mlir::Type type);
/// The VHLO type of a builtin element type; null if VHLO has none.
mlir::Type elementFromBuiltin(mlir::Type type);

/// The first version with this type or attribute, ignoring its parameters.
Version sinceWhen(mlir::Type type);
Version sinceWhen(mlir::Attribute attr);

/// Read and write one attribute or type, including its code. Readers return
/// null after an error on `reader`; the bytes may be malformed.
mlir::Attribute readAttribute(mlir::DialectBytecodeReader &reader,
                              mlir::MLIRContext *context);
mlir::Type readType(mlir::DialectBytecodeReader &reader,
                    mlir::MLIRContext *context);
llvm::LogicalResult writeAttribute(mlir::Attribute attr,
                                   mlir::DialectBytecodeWriter &writer);
llvm::LogicalResult writeType(mlir::Type type,
                              mlir::DialectBytecodeWriter &writer);

} // namespace shardwright::vhlo

#endif // SHARDWRIGHT_DIALECT_VHLO_VHLO_H
