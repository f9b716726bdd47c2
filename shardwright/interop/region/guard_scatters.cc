//===- guard_scatters.cc - scatters out of bounds for XLA -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/region/region_passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

/// True if there may be just one index, which XLA makes a dynamic_slice and a
/// dynamic_update_slice of; several are a loop that skips those out of bounds.
static bool mayHaveOneIndex(stablehlo::ScatterOp scatter) {
  auto type = cast<RankedTensorType>(scatter.getScatterIndices().getType());
  int64_t vector = scatter.getScatterDimensionNumbersAttr().getIndexVectorDim();
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (int64_t(dim) != vector && size != 1 && !ShapedType::isDynamic(size))
      return false;
  return true;
}

void guardScatters(ModuleOp module) {
  module.walk([](stablehlo::ScatterOp scatter) {
    if (!mayHaveOneIndex(scatter))
      return;
    OpBuilder b(scatter);
    SmallVector<Value> inputs(scatter.getInputs());
    auto barrier = stablehlo::OptimizationBarrierOp::create(
        b, scatter.getLoc(), TypeRange(ValueRange(inputs)), inputs);
    for (auto [i, result] : llvm::enumerate(barrier.getResults()))
      scatter->setOperand(unsigned(i), result);
  });
}

} // namespace shardwright
