//===- literals.h - elements of constants -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_LITERALS_H
#define SHARDWRIGHT_INTEROP_HLO_LITERALS_H

#include "shardwright/interop/hlo/shape.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace shardwright::hlo {

/// The arrays of a xla.LiteralProto, in the order of the leaves. `shape` is the
/// shape of the constant; that of the literal may have another layout, which
/// is the order of its elements. Equal elements become a splat.
llvm::Expected<llvm::SmallVector<mlir::DenseElementsAttr, 1>>
readLiteral(mlir::MLIRContext *context, const ProtoMessage &literal,
            const Shape &shape);

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_LITERALS_H
