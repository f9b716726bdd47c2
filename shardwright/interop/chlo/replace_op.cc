//===- replace_op.cc - replace ops by expansions --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/replace_op.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/elementwise.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

// Splits an sdy.sharding that lists one sharding per result.
static void keepAttributes(Operation *op, ArrayRef<Value> results) {
  for (auto [index, result] : llvm::enumerate(results)) {
    Operation *producer = result.getDefiningOp();
    for (NamedAttribute attr : op->getDiscardableAttrs()) {
      Attribute value = attr.getValue();
      auto shardings = dyn_cast<sdy::TensorShardingPerValueAttr>(value);
      if (shardings && shardings.getShardings().size() == results.size() &&
          producer->getNumResults() == 1)
        value = sdy::TensorShardingPerValueAttr::get(
            op->getContext(), shardings.getShardings()[index]);
      producer->setDiscardableAttr(attr.getName(), value);
    }
  }
}

void replaceOp(Operation *op, ValueRange values) {
  OpBuilder b(op);
  SmallVector<Value> results(values);
  bool hasAttributes = !op->getDiscardableAttrDictionary().empty();
  for (auto [result, old] : llvm::zip(results, op->getResults())) {
    // A value that the expansion did not create needs a new op that carries the
    // attributes.
    bool foreign = !result.getDefiningOp() ||
                   llvm::is_contained(op->getOperands(), result);
    if (result.getType() != old.getType() || (hasAttributes && foreign))
      result =
          stablehlo::ConvertOp::create(b, op->getLoc(), old.getType(), result);
  }
  if (hasAttributes)
    keepAttributes(op, results);
  op->replaceAllUsesWith(results);
  op->erase();
}

} // namespace shardwright::chlo_expansion
