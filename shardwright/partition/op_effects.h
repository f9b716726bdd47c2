//===- op_effects.h - which ops have side effects ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OP_EFFECTS_H
#define SHARDWRIGHT_PARTITION_OP_EFFECTS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardwright {

/// `isMemoryEffectFree` of many ops. Most ops have effects by their name, of
/// which the first is asked.
class OpEffects {
public:
  bool isFree(mlir::Operation *op) {
    if (op->getNumRegions() != 0 || mlir::isa<stablehlo::CustomCallOp>(op) ||
        !mlir::isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()))
      return mlir::isMemoryEffectFree(op);
    auto [it, isNew] = byName.try_emplace(op->getName(), false);
    if (isNew)
      it->second = mlir::isMemoryEffectFree(op);
    return it->second;
  }

private:
  llvm::SmallDenseMap<mlir::OperationName, bool, 64> byName;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OP_EFFECTS_H
