//===- reshard_cache.cc - cache of reshards of values ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/reshard_cache.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {

void setResultLayouts(Operation *op, ArrayRef<Layout> layouts,
                      const MeshTable &meshes) {
  int32_t mesh = -1;
  for (const Layout &layout : layouts)
    if (mesh < 0)
      mesh = layout.mesh;
  SmallVector<sdy::TensorShardingAttr> attrs;
  for (Layout layout : layouts) {
    if (mesh < 0)
      break;
    if (layout.mesh < 0)
      layout.mesh = mesh;
    attrs.push_back(meshes.toAttr(layout));
  }
  sdy::setShardings(op, attrs);
}

void setResultLayouts(Operation *op, ArrayRef<LayoutRef> layouts,
                      const MeshTable &meshes) {
  if (layouts.size() == 1)
    return op->setDiscardableAttrs(
        meshes.withLayout(op->getRawDictionaryAttrs(), layouts.front()));
  Layouts copies;
  for (LayoutRef layout : layouts)
    copies.push_back(*layout);
  setResultLayouts(op, copies, meshes);
}

void ReshardCache::define(Value value, LayoutRef layout) {
  auto [it, isNew] = index.try_emplace(value, versions.size());
  if (isNew)
    versions.push_back({{layout, value}, nullptr});
  else
    versions[it->second] = {{layout, value}, nullptr};
}

int32_t ReshardCache::indexOf(Value value) {
  auto it = index.find(value);
  if (it != index.end())
    return it->second;
  define(value, meshes.replicated(dimsOf(value.getType()).size()));
  return versions.size() - 1;
}

ArrayRef<ReshardCache::Version> ReshardCache::get(Value value) {
  return versions[indexOf(value)].get();
}

bool ReshardCache::isRematerializable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp, sdy::ConstantOp>(op))
    return isStaticTensor(value.getType());
  // Inserter::visitProducer makes the broadcast's operand replicated.
  auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
  return broadcast && dimsOf(broadcast.getOperand().getType()).empty() &&
         isStaticTensor(broadcast.getOperand().getType()) &&
         isStaticTensor(value.getType());
}

Operation *ReshardCache::placeFor(Value value, Operation *user) {
  Operation *at = value.getParentBlock()->findAncestorOpInBlock(*user);
  if (!at)
    return user;
  while (at != user && isa<stablehlo::IfOp, stablehlo::CaseOp>(at)) {
    Block *branch = user->getBlock();
    while (branch->getParentOp() != at)
      branch = branch->getParentOp()->getBlock();
    if (!llvm::all_of(value.getUsers(), [&](Operation *other) {
          return branch->getParent()->isAncestor(other->getParentRegion());
        }))
      break;
    at = branch->findAncestorOpInBlock(*user);
  }
  return at;
}

void ReshardCache::leaveBranch(Region &branch) {
  while (!inBranches.empty() && branch.isAncestor(inBranches.back().second)) {
    auto &all = *versions[inBranches.pop_back_val().first].all;
    llvm::erase_if(all, [&](Version version) {
      return branch.isAncestor(version.value.getParentRegion());
    });
  }
}

Value ReshardCache::get(Value value, LayoutRef layout, Operation *user) {
  if (!isStaticTensor(value.getType()))
    return value;
  int32_t i = indexOf(value);
  for (const Version &version : versions[i].get())
    if (version.layout == layout || version.layout->isEquivalent(*layout))
      return version.value;
  Version base = versions[i].own;
  OpBuilder builder(placeFor(base.value, user));
  Value made;
  if (isRematerializable(base.value)) {
    Operation *clone = builder.clone(*base.value.getDefiningOp());
    Layout own = layout->completed();
    setResultLayouts(clone, {meshes.intern(own)}, meshes);
    made = buildReshard(builder, user->getLoc(), clone->getResult(0), own,
                        *layout, meshes);
  } else {
    const Version *from = nullptr;
    double least = 0;
    for (const Version &version : versions[i].get()) {
      double cost =
          reshardCost(value.getType(), *version.layout, *layout, meshes);
      if (!from || cost < least) {
        from = &version;
        least = cost;
      }
    }
    if (costs)
      (*costs)[builder.getInsertionBlock()].communication += least;
    Location loc =
        observer ? observer->onMove({user, value, from->layout, layout}, meshes)
                 : user->getLoc();
    made =
        buildReshard(builder, loc, from->value, *from->layout, *layout, meshes);
  }
  versions[i].add({layout, made});
  if (made.getParentBlock() != base.value.getParentBlock())
    inBranches.push_back({i, made.getParentRegion()});
  index[made] = i;
  return made;
}

} // namespace shardwright
