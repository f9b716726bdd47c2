//===- registration.h - dialects and passes of Shardwright ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_REGISTRATION_H
#define SHARDWRIGHT_COMPILE_REGISTRATION_H

namespace mlir {
class DialectRegistry;
}

namespace shardwright {

/// Registers the dialects of programs (func, stablehlo, chlo, sdy), with their
/// sharding rules and interfaces.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers all Shardwright passes and pipelines with MLIR. Call once.
void registerPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_REGISTRATION_H
