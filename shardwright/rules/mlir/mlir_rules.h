//===- mlir_rules.h - rules of MLIR's own dialects --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_MLIR_MLIR_RULES_H
#define SHARDWRIGHT_RULES_MLIR_MLIR_RULES_H

#include "mlir/IR/DialectRegistry.h"

namespace shardwright {

/// Registers linalg, tensor, scf and arith in `registry`, and attaches rules
/// and data-flow edges to the first three when they are loaded.
void registerMlirDialectRules(mlir::DialectRegistry &registry);

void attachLinalgDialectRules(mlir::MLIRContext &context);
void attachTensorDialectRules(mlir::MLIRContext &context);
void attachScfDialectEdges(mlir::MLIRContext &context);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_MLIR_MLIR_RULES_H
