//===- bounded_passes.h - dimensions of bounded size ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_PASSES_H
#define SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_PASSES_H

#include "mlir/Pass/Pass.h"

namespace shardwright {

/// On an argument or result of @main that holds the size of a dimension of
/// another: `array<i64: value, dimension>`.
inline constexpr llvm::StringLiteral sizeOfAttr("shardwright.size_of");

/// `sw-pad-bounded`: see README.md. A dimension without a bound is an error.
std::unique_ptr<mlir::Pass> createPadBoundedPass();
void registerBoundedPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_PASSES_H
