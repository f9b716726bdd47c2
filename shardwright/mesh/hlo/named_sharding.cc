//===- named_sharding.cc - a partition spec on a mesh ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/named_sharding.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright {

llvm::Expected<NamedSharding> NamedSharding::get(Mesh mesh, PartitionSpec spec,
                                                 llvm::ArrayRef<AxisType> types,
                                                 std::string memoryKind) {
  llvm::Expected<AbstractMesh> abstract = AbstractMesh::of(mesh, types);
  if (!abstract)
    return abstract.takeError();
  // A rank that fits the spec.
  llvm::Expected<TensorSharding> sharding =
      resolve(spec, mesh, int64_t(spec.entries.size()));
  if (!sharding)
    return sharding.takeError();
  auto refuse = [&](const std::string &why) {
    return llvm::createStringError(spec.str() + " on " + abstract->str() +
                                   ": " + why);
  };
  bool undecided = llvm::any_of(
      spec.entries, [](const auto &entry) { return entry.unconstrained; });
  if (undecided && !abstract->anyIs(AxisType::Auto))
    return refuse("an unconstrained dimension is decided on Auto axes, of "
                  "which there are none; name its axes");
  for (const std::string &name : spec.unreduced)
    if (abstract->types()[*abstract->find(name)] != AxisType::Explicit)
      return refuse("unreduced axis '" + name +
                    "' is not Explicit; make it so, or leave it out");
  return NamedSharding(std::move(mesh), std::move(*abstract), std::move(spec),
                       std::move(memoryKind));
}

bool NamedSharding::isFullyReplicated() const {
  TensorSharding sharding = llvm::cantFail(
      resolve(partition, devices, int64_t(partition.entries.size())));
  return totalSize(sharding.allAxes()) == 1 && sharding.unreduced.empty();
}

llvm::Expected<HloSharding> NamedSharding::hlo(int64_t rank) const {
  return toTiled(partition, devices, rank);
}

llvm::Expected<TensorSharding>
NamedSharding::divided(llvm::ArrayRef<int64_t> shape) const {
  llvm::Expected<TensorSharding> sharding =
      resolve(partition, devices, int64_t(shape.size()));
  if (!sharding)
    return sharding.takeError();
  for (auto [d, size, dim] : llvm::enumerate(shape, sharding->dims))
    if (size % dim.shards() != 0)
      return llvm::createStringError(
          str() + " cuts dimension " + std::to_string(d) + " of size " +
          std::to_string(size) + " into " + std::to_string(dim.shards()) +
          " parts; use axes that divide it");
  return sharding;
}

llvm::Expected<llvm::SmallVector<int64_t, 4>>
NamedSharding::shardShape(llvm::ArrayRef<int64_t> shape) const {
  llvm::Expected<TensorSharding> sharding = divided(shape);
  if (!sharding)
    return sharding.takeError();
  return localShape(shape, *sharding);
}

llvm::Expected<llvm::SmallVector<IndexRange, 4>>
NamedSharding::shardBox(llvm::ArrayRef<int64_t> shape, int64_t position) const {
  llvm::Expected<TensorSharding> sharding = divided(shape);
  if (!sharding)
    return sharding.takeError();
  return shardwright::shardBox(shape, *sharding, devices, position);
}

bool NamedSharding::isEquivalentTo(const NamedSharding &other,
                                   int64_t rank) const {
  auto mine = llvm::expectedToOptional(hlo(rank));
  auto theirs = llvm::expectedToOptional(other.hlo(rank));
  return mine && theirs && *mine == *theirs && memory == other.memory &&
         devices.numDevices() == other.devices.numDevices() &&
         devices.deviceIds() == other.devices.deviceIds();
}

std::string NamedSharding::str() const {
  std::string text = abstract.str();
  llvm::StringRef mesh = text;
  mesh.consume_front("Abstract");
  return "NamedSharding(mesh=" + mesh.str() + ", spec=" + partition.str() +
         (memory.empty() ? "" : ", memory_kind=" + memory) + ")";
}

} // namespace shardwright
