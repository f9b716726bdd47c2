//===- replica_groups.cc - who takes part in a collective -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/replica_groups.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include <numeric>

using namespace mlir;

namespace shardwright::cpu {

namespace hlo = shardwright::stablehlo;

namespace {
/// What the ids in the groups number.
enum class Mode { Replica, ReplicaAndPartition, Partition, Flattened };
using Groups = std::vector<llvm::SmallVector<int32_t, 8>>;
} // namespace

static bool hasChannel(std::optional<hlo::ChannelHandleAttr> channel) {
  return channel && channel->getHandle() > 0;
}

/// Rows of a dense rank-2 attribute; -1 pads.
static LogicalResult readRows(Operation *op, Attribute attr,
                              std::vector<llvm::SmallVector<int64_t>> &rows) {
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attr);
  if (!dense)
    return op->emitError("replica groups in terms of mesh axes are not supported "
                         "by the cpu backend yet");
  auto type = cast<ShapedType>(dense.getType());
  if (type.getRank() != 2)
    return op->emitError("replica groups should be a rank 2 tensor");
  int64_t columns = type.getDimSize(1), at = 0;
  for (APInt value : dense.getValues<APInt>()) {
    if (at++ % columns == 0)
      rows.emplace_back();
    if (int64_t id = value.getSExtValue(); id != -1)
      rows.back().push_back(id);
  }
  llvm::erase_if(rows, [](auto &row) { return row.empty(); });
  return success();
}

static LogicalResult resolve(Operation *op, Attribute attr, Mode mode, int64_t R,
                             int64_t P, Groups &groups) {
  std::vector<llvm::SmallVector<int64_t>> rows;
  if (failed(readRows(op, attr, rows)))
    return failure();
  int64_t ids = mode == Mode::Flattened ? R * P : mode == Mode::Partition ? P : R;
  if (rows.empty()) {
    rows.emplace_back(ids);
    std::iota(rows[0].begin(), rows[0].end(), 0);
  }
  std::vector<bool> seen(ids, false);
  for (const auto &row : rows)
    for (int64_t id : row) {
      if (id < 0 || id >= ids)
        return op->emitError() << "replica id " << id
                               << " is not one of the program's " << ids;
      if (seen[id])
        return op->emitError() << "replica id #" << id << " seen more than once";
      seen[id] = true;
    }
  for (const auto &row : rows) {
    if (mode == Mode::Flattened) {
      groups.emplace_back(row.begin(), row.end());
    } else if (mode == Mode::Replica) {
      for (int64_t p = 0; p < P; ++p) {
        groups.emplace_back();
        for (int64_t r : row)
          groups.back().push_back(static_cast<int32_t>(r * P + p));
      }
    } else if (mode == Mode::Partition) {
      for (int64_t r = 0; r < R; ++r) {
        groups.emplace_back();
        for (int64_t p : row)
          groups.back().push_back(static_cast<int32_t>(r * P + p));
      }
    } else {
      groups.emplace_back();
      for (int64_t p = 0; p < P; ++p)
        for (int64_t r : row)
          groups.back().push_back(static_cast<int32_t>(r * P + p));
    }
  }
  return success();
}

/// A reduction computation of one known operation.
static LogicalResult readReduction(Operation *op, Region &region,
                                   ReduceKind &kind) {
  Block &block = region.front();
  auto unknown = [&] {
    return op->emitError() << "the computation of '"
                           << op->getName().getStringRef()
                           << "' is not one that the cpu backend supports yet "
                              "(add, multiply, maximum, minimum, and, or, xor)";
  };
  Operation *terminator = block.getTerminator();
  if (terminator->getNumOperands() != 1 || block.getNumArguments() != 2)
    return unknown();
  Operation *inner = terminator->getOperand(0).getDefiningOp();
  if (!inner || inner->getNumOperands() != 2 ||
      inner->getOperand(0) == inner->getOperand(1))
    return unknown();
  for (Value v : inner->getOperands())
    if (v != block.getArgument(0) && v != block.getArgument(1))
      return unknown();
  if (isa<hlo::AddOp>(inner))
    kind = ReduceKind::Add;
  else if (isa<hlo::MulOp>(inner))
    kind = ReduceKind::Mul;
  else if (isa<hlo::MaxOp>(inner))
    kind = ReduceKind::Max;
  else if (isa<hlo::MinOp>(inner))
    kind = ReduceKind::Min;
  else if (isa<hlo::AndOp>(inner))
    kind = ReduceKind::And;
  else if (isa<hlo::OrOp>(inner))
    kind = ReduceKind::Or;
  else if (isa<hlo::XorOp>(inner))
    kind = ReduceKind::Xor;
  else
    return unknown();
  return success();
}

template <typename OpT>
static LogicalResult reducingGroups(OpT op, int64_t R, int64_t P, Groups &groups) {
  bool channel = hasChannel(op.getChannelHandle());
  bool global = op.getUseGlobalDeviceIds();
  if (global && !channel)
    return op.emitError("use_global_device_ids needs a channel handle above 0");
  Mode mode = !channel  ? Mode::Replica
              : global ? Mode::Flattened
                       : Mode::ReplicaAndPartition;
  return resolve(op, op.getReplicaGroups(), mode, R, P, groups);
}

template <typename OpT>
static LogicalResult movingGroups(OpT op, int64_t R, int64_t P, Groups &groups) {
  Mode mode = hasChannel(op.getChannelHandle()) ? Mode::Partition : Mode::Replica;
  return resolve(op, op.getReplicaGroups(), mode, R, P, groups);
}

LogicalResult readCollective(Operation *op, int64_t R, int64_t P,
                             CollectiveSpec &spec) {
  if (auto x = dyn_cast<hlo::AllReduceOp>(op)) {
    spec.kind = CollectiveKind::AllReduce;
    if (failed(readReduction(op, x.getComputation(), spec.reduce)))
      return failure();
    return reducingGroups(x, R, P, spec.groups);
  }
  if (auto x = dyn_cast<hlo::ReduceScatterOp>(op)) {
    spec.kind = CollectiveKind::ReduceScatter;
    spec.dim = x.getScatterDimension();
    if (failed(readReduction(op, x.getComputation(), spec.reduce)))
      return failure();
    return reducingGroups(x, R, P, spec.groups);
  }
  if (auto x = dyn_cast<hlo::AllGatherOp>(op)) {
    spec.kind = CollectiveKind::AllGather;
    spec.dim = x.getAllGatherDim();
    return reducingGroups(x, R, P, spec.groups);
  }
  if (auto x = dyn_cast<hlo::AllToAllOp>(op)) {
    spec.kind = CollectiveKind::AllToAll;
    spec.dim = x.getSplitDimension();
    spec.concatDim = x.getConcatDimension();
    return movingGroups(x, R, P, spec.groups);
  }
  if (auto x = dyn_cast<hlo::CollectiveBroadcastOp>(op)) {
    if (x.getHasDynamicRoot())
      return op->emitError("a collective_broadcast with a dynamic root is not "
                           "supported by the cpu backend yet");
    spec.kind = CollectiveKind::CollectiveBroadcast;
    return movingGroups(x, R, P, spec.groups);
  }
  auto x = cast<hlo::CollectivePermuteOp>(op);
  spec.kind = CollectiveKind::CollectivePermute;
  bool partitions = hasChannel(x.getChannelHandle());
  auto pairs = llvm::to_vector(x.getSourceTargetPairs().getValues<int64_t>());
  if (pairs.size() % 2)
    return op->emitError("source_target_pairs should have two columns");
  int64_t ids = partitions ? P : R;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    int64_t from = pairs[i], to = pairs[i + 1];
    if (from < 0 || to < 0 || from >= ids || to >= ids)
      return op->emitError() << "source_target_pairs name device "
                             << std::max(from, to) << ", but the program has "
                             << ids;
    for (int64_t other = 0; other < (partitions ? R : P); ++other) {
      auto device = [&](int64_t id) {
        return static_cast<int32_t>(partitions ? other * P + id : id * P + other);
      };
      spec.pairs.push_back({device(from), device(to)});
    }
  }
  return success();
}

} // namespace shardwright::cpu
