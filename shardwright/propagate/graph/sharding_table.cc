//===- sharding_table.cc - intern shardings -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/sharding_table.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {

ShardingTable::ShardingTable(ModuleOp module)
    : module(module), symbols(module) {}

void ShardingTable::beginModule(ModuleOp next) {
  module = next;
  symbols = SymbolTable(next);
  // A sharding is written as the module has it: several attributes may be equal
  // as values.
  idOfAttr.clear();
  for (Entry &entry : entries) {
    entry.attr = nullptr;
    entry.perValue = nullptr;
  }
}

MeshId ShardingTable::findMesh(Attribute meshOrRef) {
  auto [it, isNew] = meshIds.try_emplace(meshOrRef, kNoMesh);
  if (!isNew)
    return it->second;
  sdy::MeshAttr attr = sdy::getMeshAttr(symbols, meshOrRef);
  if (!attr)
    return kNoMesh;
  it->second = meshes.size();
  meshes.push_back({meshOrRef, attr, sdy::meshFromAttr(attr)});
  return it->second;
}

static uint64_t hashOf(MeshId mesh, const TensorSharding &s) {
  llvm::hash_code h = llvm::hash_combine(
      mesh, llvm::hash_combine_range(s.replicated.begin(), s.replicated.end()),
      llvm::hash_combine_range(s.unreduced.begin(), s.unreduced.end()));
  for (const DimSharding &d : s.dims)
    h = llvm::hash_combine(
        h, llvm::hash_combine_range(d.axes.begin(), d.axes.end()), d.isClosed,
        d.priority.value_or(-1));
  return h;
}

ShardingId ShardingTable::add(MeshId mesh, const TensorSharding &sharding) {
  auto &ids = idsOfHash[hashOf(mesh, sharding) >> 1];
  for (ShardingId id : ids)
    if (entries[id].mesh == mesh && entries[id].value == sharding)
      return id;
  ShardingId id = entries.size();
  ids.push_back(id);
  bool hasAxes = llvm::any_of(
      sharding.dims, [](const DimSharding &d) { return !d.axes.empty(); });
  entries.push_back({sharding, mesh, {}, {}});
  withAxes.push_back(hasAxes);
  return id;
}

ShardingId ShardingTable::addOpen(MeshId mesh, int64_t rank) {
  return add(mesh, TensorSharding::open(rank));
}

ShardingId ShardingTable::read(sdy::TensorShardingAttr attr) {
  if (!attr)
    return kNoSharding;
  auto [it, isNew] = idOfAttr.try_emplace(attr, kNoSharding);
  if (!isNew)
    return it->second;
  MeshId mesh = findMesh(attr.getMeshOrRef());
  if (mesh == kNoMesh)
    return kNoSharding;
  ShardingId id = add(mesh, sdy::shardingFromAttr(attr, meshes[mesh].value));
  entries[id].attr = attr;
  return it->second = id;
}

sdy::TensorShardingAttr ShardingTable::attr(ShardingId id) {
  Entry &e = entries[id];
  if (!e.attr)
    e.attr =
        sdy::shardingToAttr(module.getContext(), e.value, meshes[e.mesh].value,
                            meshes[e.mesh].meshOrRef);
  return e.attr;
}

sdy::TensorShardingPerValueAttr ShardingTable::perValueAttr(ShardingId id) {
  Entry &e = entries[id];
  if (!e.perValue)
    e.perValue =
        sdy::TensorShardingPerValueAttr::get(module.getContext(), attr(id));
  return e.perValue;
}

MeshId ShardingTable::commonMesh(llvm::ArrayRef<ShardingId> ids) const {
  MeshId common = kNoMesh;
  for (ShardingId id : ids) {
    if (id == kNoSharding)
      continue;
    MeshId mesh = entries[id].mesh;
    if (mesh == common)
      continue;
    if (common == kNoMesh || meshes[common].value.isEmpty()) {
      common = mesh;
      continue;
    }
    if (!meshes[mesh].value.isEmpty() &&
        meshes[mesh].attr != meshes[common].attr)
      return kNoMesh;
  }
  return common;
}

} // namespace shardwright
