//===- expand_for_version.cc - newer features in the words of older versions ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/portable.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

using vhlo::Version;

/// tan x = sin x / cos x
static void expandTan(stablehlo::TanOp op) {
  OpBuilder b(op);
  Value sine = stablehlo::SineOp::create(b, op.getLoc(), op.getType(),
                                         op.getOperand());
  Value cosine = stablehlo::CosineOp::create(b, op.getLoc(), op.getType(),
                                             op.getOperand());
  auto divide = stablehlo::DivOp::create(b, op.getLoc(), op.getType(), sine,
                                         cosine);
  divide->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.getResult().replaceAllUsesWith(divide.getResult());
  op.erase();
}

/// Ranges in files become their first position.
static void dropRanges(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FileLineColRange range) -> Attribute {
    return FileLineColLoc::get(range.getFilename(), range.getStartLine(),
                               range.getStartColumn());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true);
}

void expandForVersion(ModuleOp module, Version target) {
  if (target < Version{1, 4, 0})
    module.walk([](stablehlo::TanOp op) { expandTan(op); });
  if (target < Version{1, 9, 0})
    dropRanges(module);
}

} // namespace shardwright
