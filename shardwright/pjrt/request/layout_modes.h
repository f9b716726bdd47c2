//===- layout_modes.h - layouts that a program asks for ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our elements always stand row-major. A layout is what clients are told of an
// array: it travels with the buffer, so that programs, which JAX compares it
// with, get the one that they ask for. Nobody is given the memory of a buffer
// whose layout says something else.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_LAYOUT_MODES_H
#define SHARDWRIGHT_PJRT_REQUEST_LAYOUT_MODES_H

#include "shardwright/pjrt/request/prepare_module.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace shardwright::pjrt {

/// Dimensions from the one that varies fastest; empty: row-major.
using MinorToMajor = llvm::SmallVector<int64_t, 4>;

/// Empty for the row-major order, so that equal layouts are equal.
MinorToMajor canonicalLayout(llvm::ArrayRef<int64_t> minorToMajor);
/// `{0,1}`
std::string layoutText(llvm::ArrayRef<int64_t> minorToMajor, size_t rank);

struct ProgramLayouts {
  std::vector<MinorToMajor> arguments, results;
};

/// Takes `mhlo.layout_mode` off the arguments and results of @main: `default`
/// and `auto` are row-major, `{0,1}` is itself. A result that is `auto` has
/// the layout that a call of `LayoutConstraint` gives it. Emits a diagnostic
/// for tiles and for what is no order of the dimensions.
mlir::FailureOr<ProgramLayouts> takeLayoutModes(mlir::ModuleOp module);

/// Writes into the module the layouts that @main's arguments and results have,
/// as importers of HLO read them. `dropLayouts` takes them off again.
void writeLayouts(mlir::ModuleOp module, const ProgramLayouts &layouts,
                  const TokenPositions &places);
void dropLayouts(mlir::ModuleOp module);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_LAYOUT_MODES_H
