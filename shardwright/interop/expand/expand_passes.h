//===- expand_passes.h - passes that expand operations ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// sw-expand-ops: expands ops into compositions of others; ops of unknown shape
// stay. sw-expand-quantized: converts quantized tensors to storage integers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_EXPAND_EXPAND_PASSES_H
#define SHARDWRIGHT_INTEROP_EXPAND_EXPAND_PASSES_H

#include "mlir/Pass/Pass.h"

namespace shardwright {

std::unique_ptr<mlir::Pass> createExpandOpsPass();
std::unique_ptr<mlir::Pass> createExpandQuantizedPass();
void registerExpandPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_EXPAND_EXPAND_PASSES_H
