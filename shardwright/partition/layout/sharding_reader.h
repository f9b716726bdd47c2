//===- sharding_reader.h - shardings of many results ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_SHARDING_READER_H
#define SHARDWRIGHT_PARTITION_LAYOUT_SHARDING_READER_H

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/support/op_name_map.h"

#include "llvm/ADT/DenseMap.h"

namespace shardwright {

/// A cache for `sdy::getSharding` of many results: there are few distinct
/// attribute dictionaries, and a lookup in a dictionary is slow.
class ShardingReader {
public:
  sdy::TensorShardingAttr of(mlir::OpResult result) {
    mlir::Operation *op = result.getOwner();
    switch (placeOf.get(op->getName(), [&] { return placeIn(op); })) {
    case Place::Attribute:
      break;
    case Place::Collective:
      return mlir::cast<sdy::CollectiveOpInterface>(op).getOutSharding();
    case Place::Other:
      return sdy::getSharding(result);
    }
    if (op->getRawDictionaryAttrs() != last) {
      last = op->getRawDictionaryAttrs();
      auto [it, isNew] = known.try_emplace(last);
      if (isNew)
        it->second = mlir::dyn_cast_or_null<sdy::TensorShardingPerValueAttr>(
            last.get(sdy::kShardingAttr));
      lastShardings = it->second;
    }
    size_t i = result.getResultNumber();
    return lastShardings && i < lastShardings.size()
               ? lastShardings.getSharding(i)
               : nullptr;
  }

private:
  /// Where an op has the shardings of its results.
  enum class Place { Other, Attribute, Collective };
  static Place placeIn(mlir::Operation *op) {
    if (op->getName().hasInterface<sdy::ShardableDataFlowOpInterface>())
      return Place::Other;
    if (mlir::isa<sdy::DataFlowEdgeOp, sdy::ShardingConstraintOp,
                  sdy::ReshardOp>(op))
      return Place::Other;
    return op->getName().hasInterface<sdy::CollectiveOpInterface>()
               ? Place::Collective
               : Place::Attribute;
  }

  OpNameMap<Place> placeOf;
  llvm::DenseMap<mlir::DictionaryAttr, sdy::TensorShardingPerValueAttr> known;
  mlir::DictionaryAttr last;
  sdy::TensorShardingPerValueAttr lastShardings;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_SHARDING_READER_H
