//===- localize.cc - the program of one device ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/localize.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/partition/combine/combine_collectives.h"
#include "shardwright/partition/combine/tile_scatters.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/rules/mesh_users.h"

#include "mlir/IR/Verifier.h"

#include <deque>

using namespace mlir;

namespace shardwright {

LogicalResult localize(ModuleOp module, const MachineModel &machine,
                       Target target) {
  const JoinLimits limits = joinLimitsFor(target, machine);
  FailureOr<MeshTable> meshes = MeshTable::create(module);
  if (failed(meshes))
    return failure();
  auto given = module->getAttrOfType<IntegerAttr>("mhlo.num_replicas");
  int64_t replicas = given ? std::max<int64_t>(given.getInt(), 1) : 1;
  stablehlo::UsedChannels channels;
  int64_t nextChannel = 1;
  llvm::DenseSet<DictionaryAttr> attributes;
  DictionaryAttr last;
  OpNameMap<bool> hasChannel;
  auto note = [&](Operation *op) {
    if (op->getRawDictionaryAttrs() != last)
      attributes.insert(last = op->getRawDictionaryAttrs());
    if (hasChannel.get(op->getName(), [&] {
          return llvm::is_contained(op->getName().getAttributeNames(),
                                    stablehlo::kChannelHandleName);
        }))
      channels.add(op);
  };
  // Channel handles are unique across functions.
  std::deque<Localizer> localizers;
  for (auto func : module.getOps<func::FuncOp>())
    localizers.emplace_back(func, *meshes, nextChannel, replicas)
        .collectLayouts(note);
  nextChannel = channels.firstUnused();
  bool hasRules = llvm::any_of(attributes, [](DictionaryAttr dict) {
    return dict.contains(sdy::kShardingRuleAttr);
  });
  bool usesMeshes = false;
  auto localizer = localizers.begin();
  for (auto func : module.getOps<func::FuncOp>()) {
    FailureOr<Localizer::Left> left = (localizer++)->run();
    if (failed(left))
      return failure();
    combineCollectives(func, left->collectives, limits);
    if (traitsOf(target).tilesScatters)
      tileScatters(func, nextChannel);
    usesMeshes |= left->usesMeshes;
  }
  // Replace mesh symbols by the meshes.
  if (usesMeshes) {
    SymbolTable symbols(module);
    transformUsedMeshes(module, [&](Attribute meshOrRef) {
      auto ref = dyn_cast<FlatSymbolRefAttr>(meshOrRef);
      auto mesh = ref ? symbols.lookup<sdy::MeshOp>(ref.getAttr()) : nullptr;
      return mesh ? Attribute(mesh.getMesh()) : meshOrRef;
    });
  }
  for (auto mesh : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
    mesh.erase();
  Builder builder(module.getContext());
  // Without a mesh, the program may be a local program already.
  if (meshes->size() || !module->hasAttr("mhlo.num_partitions"))
    module->setAttr("mhlo.num_partitions",
                    builder.getI32IntegerAttr(
                        meshes->numDevices(sdy::getMainFunc(module))));
  module->setAttr("mhlo.num_replicas", builder.getI32IntegerAttr(replicas));
  // A user-defined rule may contradict its op, so that the op is invalid on the
  // local types.
  return success(!hasRules || succeeded(verify(module)));
}

} // namespace shardwright
