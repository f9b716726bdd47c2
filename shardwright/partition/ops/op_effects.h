//===- op_effects.h - which ops have side effects ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_OP_EFFECTS_H
#define SHARDWRIGHT_PARTITION_OPS_OP_EFFECTS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/op_name_map.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace shardwright {

/// A cache for `isMemoryEffectFree` of many ops. For most op names the answer
/// depends on the name only.
class OpEffects {
public:
  bool isEffectFree(mlir::Operation *op) {
    switch (byName.get(op->getName(), [&] { return effectsOf(op); })) {
    case Known::Free:
      return true;
    case Known::HasEffects:
      return false;
    case Known::AsItsRegions:
      for (mlir::Region &region : op->getRegions())
        for (mlir::Operation &inner : region.getOps())
          if (!isEffectFree(&inner))
            return false;
      return true;
    case Known::Unknown:
      break;
    }
    return mlir::isMemoryEffectFree(op);
  }

private:
  /// What the op name implies.
  enum class Known { Unknown, Free, HasEffects, AsItsRegions };
  static Known effectsOf(mlir::Operation *op) {
    if (mlir::isa<stablehlo::CustomCallOp>(op) ||
        !mlir::isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()))
      return Known::Unknown;
    if (!op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>())
      return mlir::isMemoryEffectFree(op) ? Known::Free : Known::HasEffects;
    return mlir::isa<mlir::MemoryEffectOpInterface>(op) ? Known::Unknown
                                                        : Known::AsItsRegions;
  }

  OpNameMap<Known> byName;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_EFFECTS_H
