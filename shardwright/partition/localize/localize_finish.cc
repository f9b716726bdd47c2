//===- localize_finish.cc - finish local ops ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes the attributes of the global program from each op right after its
// visit, while the op is in the caches.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/combine/join_collectives.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/rules/rule_interface.h"

using namespace mlir;

namespace shardwright {

const Localizer::Known &Localizer::known(DictionaryAttr attributes) {
  if (attributes == lastAttributes)
    return lastKnown;
  auto [it, isNew] = knownOf.try_emplace(attributes);
  if (isNew) {
    NamedAttrList list(attributes);
    list.erase(sdy::kShardingAttr);
    list.erase(sdy::kShardingRuleAttr);
    it->second = {list.getDictionary(func.getContext()),
                  attributes.getAs<IntegerAttr>(kDeviceAttrName)};
  }
  lastAttributes = attributes;
  return lastKnown = it->second;
}

/// Handles the op without its nested ops. May erase it.
WalkResult Localizer::finishOne(Operation *op) {
  if (DictionaryAttr attributes = op->getRawDictionaryAttrs();
      !attributes.empty())
    op->setDiscardableAttrs(known(attributes).unsharded);
  NameTraits its = traits.get(op->getName(), [&] {
    return NameTraits{mayBeJoined(op), isa<MeshUserOpInterface>(op),
                      isa_and_nonnull<sdy::SdyDialect>(op->getDialect())};
  });
  if (its.mayBeJoined)
    left.collectives.push_back(op);
  if (!its.isSdy) {
    if (its.usesMesh)
      left.usesMeshes |= bool(cast<MeshUserOpInterface>(op).getUsedMesh());
    return WalkResult::advance();
  }
  if (auto constant = dyn_cast<sdy::ConstantOp>(op)) {
    OpBuilder builder(op);
    auto local = stablehlo::ConstantOp::create(
        builder, op->getLoc(), constant.getType(), constant.getValue());
    local->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->replaceAllUsesWith(local->getResults());
    op->erase();
    return WalkResult::skip();
  }
  if (isa<sdy::ReshardOp, sdy::ShardingConstraintOp, sdy::PropagationBarrierOp>(
          op) &&
      !isa<func::FuncOp>(op->getParentOp()) &&
      cast<ShapedType>(op->getResult(0).getType()).getRank() == 0) {
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
    return WalkResult::skip();
  }
  if (takenPermutes.contains(op))
    return WalkResult::skip();
  return refuse(op);
}

LogicalResult Localizer::refuse(Operation *op) {
  return op->emitOpError("has no local form; run sw-insert-collectives first");
}

LogicalResult Localizer::finish(Block::iterator begin, Block::iterator end) {
  if (finished.all)
    return success();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(begin, end))) {
    // Regions on single elements (reducers, comparators) are not visited; the
    // shardings in them mean the same on every device.
    WalkResult done =
        op.getNumRegions() == 0 || &op == finished.inside
            ? finishOne(&op)
            : op.walk([&](Operation *inner) { return finishOne(inner); });
    if (done.wasInterrupted())
      return failure();
  }
  return success();
}

} // namespace shardwright
