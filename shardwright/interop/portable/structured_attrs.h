//===- structured_attrs.h - structured attributes and their fields ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_PORTABLE_STRUCTURED_ATTRS_H
#define SHARDWRIGHT_INTEROP_PORTABLE_STRUCTURED_ATTRS_H

#include "shardwright/interop/portable/vhlo_values.h"

namespace shardwright {

/// The field `name` of a structured attribute of a StableHLO op in VHLO, where
/// dimension numbers, channel handles and dot algorithms are several
/// attributes. Null if the op has no such attribute.
mlir::Attribute fieldOf(mlir::Operation *op, llvm::StringRef name,
                        ToVhlo &values);

/// Sets the structured attributes of `op`, a StableHLO op, from the attributes
/// of the VHLO op that it replaces.
llvm::LogicalResult
setStructuredAttrs(mlir::Operation *op, const vhlo::OpRow &row,
                   llvm::ArrayRef<mlir::Attribute> attrs, FromVhlo &values,
                   llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_PORTABLE_STRUCTURED_ATTRS_H
