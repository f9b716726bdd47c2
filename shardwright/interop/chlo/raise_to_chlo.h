//===- raise_to_chlo.h - recognize CHLO ops ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_CHLO_RAISE_TO_CHLO_H
#define SHARDWRIGHT_INTEROP_CHLO_RAISE_TO_CHLO_H

#include "mlir/IR/Builders.h"

namespace shardwright {

// Creates the op `chlo.NAME` that a composite `chlo.NAME` of version 1, or a
// custom call of this name with its attributes in a dictionary, represents.
// PJRT clients write ragged_dot's dimension numbers as six lists and its
// precisions as strings. Null, without creating anything, if name, types and
// attributes do not match such an op.
mlir::Operation *raiseToChlo(mlir::OpBuilder &b, mlir::Location loc,
                             llvm::StringRef name, mlir::ValueRange operands,
                             mlir::TypeRange results,
                             mlir::DictionaryAttr attributes);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_CHLO_RAISE_TO_CHLO_H
