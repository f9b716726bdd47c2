//===- kept_steps.h - steps that propagations share -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is propagated many times, with other shardings each time,
// needs mostly the same rules and the same steps. Both depend on numbers and
// types only, so that keeping them changes no result.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_KEPT_STEPS_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_KEPT_STEPS_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/sharding_rule.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace shardwright {

struct PropagationTables;

/// For modules of one MLIR context, which must outlive it. Not thread-safe.
class KeptSteps {
public:
  KeptSteps();
  KeptSteps(const KeptSteps &) = delete;
  ~KeptSteps();

  /// The tables for a propagation of the module: those of the last one if it
  /// had the same meshes and options. Valid until the next `begin`.
  PropagationTables &begin(mlir::ModuleOp module, const RuleOptions &options);
  /// Of the tables; 0 before the first `begin`.
  size_t numSteps() const;
  size_t numRules() const;

private:
  using NamedMeshes =
      llvm::SmallVector<std::pair<mlir::Attribute, sdy::MeshAttr>, 2>;

  std::unique_ptr<PropagationTables> tables;
  /// What the tables were made for.
  NamedMeshes named;
  RuleOptions options;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_KEPT_STEPS_H
