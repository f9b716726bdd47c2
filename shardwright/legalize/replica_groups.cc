//===- replica_groups.cc - replica groups of collectives ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/replica_groups.h"

#include "shardwright/backend/device.h"
#include "shardwright/interop/mesh_axes_groups.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

namespace {
/// The numbering of the device ids in the groups.
enum class Mode { Replica, ReplicaAndPartition, Partition, Flattened };
} // namespace

static bool hasChannel(std::optional<hlo::ChannelHandleAttr> channel) {
  return channel && channel->getHandle() > 0;
}

/// Checks the length before reading: a splat of ids can be huge at no cost.
static LogicalResult checkLength(Operation *op, DenseIntElementsAttr ids) {
  if (ids && ids.isSplat() && ids.getNumElements() > kMaxDevices)
    return op->emitError() << "device ids repeat one id "
                           << ids.getNumElements() << " times, at most "
                           << kMaxDevices << " devices are possible";
  return success();
}

/// Reads axis-based groups.
static LogicalResult readAxes(Operation *op, hlo::ReplicaGroupMeshAxesAttr attr,
                              std::vector<llvm::SmallVector<int64_t>> &rows) {
  SymbolTableCollection symbols;
  FailureOr<DeviceGroups> groups = readMeshAxesGroups(op, attr, symbols);
  if (failed(groups))
    return failure();
  for (int64_t g = 0; g < groups->numGroups; ++g)
    rows.emplace_back(groups->ids.begin() + g * groups->groupSize,
                      groups->ids.begin() + (g + 1) * groups->groupSize);
  return success();
}

/// Reads the rows of a dense rank-2 attribute; -1 is padding.
static LogicalResult readRows(Operation *op, Attribute attr,
                              std::vector<llvm::SmallVector<int64_t>> &rows) {
  if (auto axes = dyn_cast_or_null<hlo::ReplicaGroupMeshAxesAttr>(attr))
    return readAxes(op, axes, rows);
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attr);
  if (!dense)
    return op->emitError("replica groups should be a list of ids or axes of a "
                         "mesh");
  auto type = cast<ShapedType>(dense.getType());
  if (type.getRank() != 2)
    return op->emitError("replica groups should be a rank 2 tensor");
  if (failed(checkLength(op, dense)))
    return failure();
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

static LogicalResult resolve(Operation *op, Attribute attr, Mode mode,
                             int64_t R, int64_t P, ReplicaGroups &groups) {
  std::vector<llvm::SmallVector<int64_t>> rows;
  if (failed(readRows(op, attr, rows)))
    return failure();
  int64_t ids = mode == Mode::Flattened   ? R * P
                : mode == Mode::Partition ? P
                                          : R;
  if (rows.empty()) {
    rows.emplace_back(ids);
    std::iota(rows[0].begin(), rows[0].end(), 0);
  } else if (mode == Mode::Flattened &&
             isa<hlo::ReplicaGroupMeshAxesAttr>(attr)) {
    // The axes refer to the mesh of each replica.
    int64_t devices = 0;
    for (const auto &row : rows)
      devices += row.size();
    size_t n = devices == P ? rows.size() : 0;
    for (int64_t r = 1; r < R; ++r)
      for (size_t i = 0; i < n; ++i) {
        rows.push_back(rows[i]);
        for (int64_t &id : rows.back())
          id += r * P;
      }
  }
  std::vector<bool> seen(ids, false);
  for (const auto &row : rows)
    for (int64_t id : row) {
      if (id < 0 || id >= ids)
        return op->emitError()
               << "replica id " << id << " is not one of the program's " << ids;
      if (seen[id])
        return op->emitError()
               << "replica id #" << id << " seen more than once";
      seen[id] = true;
    }
  // Devices without a group get zeros of these two only.
  bool mayOmit = isa<hlo::CollectiveBroadcastOp, hlo::CollectiveReduceOp>(op);
  if (auto omitted = llvm::find(seen, false); !mayOmit && omitted != seen.end())
    return op->emitError() << "replica groups leave out id "
                           << omitted - seen.begin() << " of the program's "
                           << ids << ", expected each id in one group";
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

/// The groups of collectives that may name devices of all replicas.
template <typename OpT>
static LogicalResult crossReplicaGroups(OpT op, int64_t R, int64_t P,
                                        ReplicaGroups &groups) {
  bool channel = hasChannel(op.getChannelHandle());
  bool global = op.getUseGlobalDeviceIds();
  if (global && !channel)
    return op.emitError("use_global_device_ids needs a channel handle above 0");
  Mode mode = !channel ? Mode::Replica
              : global ? Mode::Flattened
                       : Mode::ReplicaAndPartition;
  return resolve(op, op.getReplicaGroups(), mode, R, P, groups);
}

/// The groups of collectives among replicas or, with a channel, partitions.
template <typename OpT>
static LogicalResult oneKindGroups(OpT op, int64_t R, int64_t P,
                                   ReplicaGroups &groups) {
  Mode mode =
      hasChannel(op.getChannelHandle()) ? Mode::Partition : Mode::Replica;
  return resolve(op, op.getReplicaGroups(), mode, R, P, groups);
}

FailureOr<ReplicaGroups> readReplicaGroups(Operation *op, int64_t R,
                                           int64_t P) {
  ReplicaGroups groups;
  LogicalResult read =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case<hlo::AllReduceOp, hlo::CollectiveReduceOp, hlo::ReduceScatterOp,
                hlo::AllGatherOp>(
              [&](auto op) { return crossReplicaGroups(op, R, P, groups); })
          .Case<hlo::AllToAllOp, hlo::CollectiveBroadcastOp>(
              [&](auto op) { return oneKindGroups(op, R, P, groups); });
  if (failed(read))
    return failure();
  return groups;
}

FailureOr<std::vector<std::pair<int32_t, int32_t>>>
readSourceTargetPairs(hlo::CollectivePermuteOp op, int64_t R, int64_t P) {
  bool partitions = hasChannel(op.getChannelHandle());
  if (failed(checkLength(op, op.getSourceTargetPairs())))
    return failure();
  auto ids = llvm::to_vector(op.getSourceTargetPairs().getValues<int64_t>());
  if (ids.size() % 2)
    return op->emitError("source_target_pairs should have two columns");
  int64_t end = partitions ? P : R;
  std::vector<std::pair<int32_t, int32_t>> pairs;
  for (size_t i = 0; i < ids.size(); i += 2) {
    int64_t from = ids[i], to = ids[i + 1];
    if (from < 0 || to < 0 || from >= end || to >= end)
      return op->emitError()
             << "source_target_pairs name device " << std::max(from, to)
             << ", but the program has " << end;
    for (int64_t other = 0; other < (partitions ? R : P); ++other) {
      auto device = [&](int64_t id) {
        return static_cast<int32_t>(partitions ? other * P + id
                                               : id * P + other);
      };
      pairs.push_back({device(from), device(to)});
    }
  }
  return pairs;
}

} // namespace shardwright::legalize
