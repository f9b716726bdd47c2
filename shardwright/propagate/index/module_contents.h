//===- module_contents.h - features that a module uses ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most passes around propagation handle features that most modules do not use.
// This analysis lists the features that a module uses, so that passes with
// nothing to do return at once. The passes preserve it: it is computed once.
//
// A flag that is false is exact; a flag that is true may be out of date.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_MODULE_CONTENTS_H
#define SHARDWRIGHT_PROPAGATE_INDEX_MODULE_CONTENTS_H

#include "mlir/Pass/AnalysisManager.h"

namespace shardwright {

struct ModuleContents {
  ModuleContents(mlir::Operation *module, mlir::AnalysisManager &analyses);

  bool calls = false;
  /// Ops with data flow edges, manual and named computations among them.
  bool dataFlow = false;
  bool manualComputations = false;
  bool namedComputations = false;
  bool funcEdges = false;
  bool constraints = false;
  bool groups = false;
  /// `sdy.sharding_rule` attributes, which may be added to constraints.
  bool rules = false;
  /// Shardings with unreduced axes.
  bool unreduced = false;
  /// Shardings that hold their mesh.
  bool inlinedMeshes = false;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_INDEX_MODULE_CONTENTS_H
