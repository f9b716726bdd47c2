//===- layout_modes.h - layouts that a program requests ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our elements are always row-major. A layout is only reported to clients: it
// is stored with the buffer, so that JAX, which compares layouts, finds the
// layout that a program requests. Clients get no direct access to buffers whose
// layout is not row-major.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_LAYOUT_MODES_H
#define SHARDWRIGHT_PJRT_REQUEST_LAYOUT_MODES_H

#include "shardwright/compile/host_callbacks.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace shardwright::pjrt {

/// Dimensions from minor to major; empty: row-major.
using MinorToMajor = llvm::SmallVector<int64_t, 4>;

/// Returns an empty list for the row-major order, so that equal layouts compare
/// equal.
MinorToMajor canonicalLayout(llvm::ArrayRef<int64_t> minorToMajor);
/// Formats a layout like `{0,1}`; with `elementBits` 2 or 4 like `{0,1:E(4)}`,
/// which is XLA's text for packed elements.
std::string layoutText(llvm::ArrayRef<int64_t> minorToMajor, size_t rank,
                       int elementBits = 0);

struct ProgramLayouts {
  std::vector<MinorToMajor> arguments, results;
};

/// Removes `mhlo.layout_mode` from the arguments and results of @main and
/// returns the layouts: `default` and `auto` are row-major, `{0,1}` is that
/// layout. An `auto` result has the layout of its `LayoutConstraint`, if any.
/// Emits a diagnostic for tiles and for invalid permutations.
mlir::FailureOr<ProgramLayouts> takeLayoutModes(mlir::ModuleOp module);

/// Writes the layouts of @main's arguments and results into the module, in the
/// form that importers of HLO read. `dropLayouts` removes them again.
void writeLayouts(mlir::ModuleOp module, const ProgramLayouts &layouts,
                  const TokenPositions &places);
void dropLayouts(mlir::ModuleOp module);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_LAYOUT_MODES_H
