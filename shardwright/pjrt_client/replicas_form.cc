//===- replicas_form.cc - a program as replicas ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/replicas_form.h"

#include "shardwright/backend/device.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/legalize/legalize.h"
#include "shardwright/legalize/replica_groups.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::pjrt_client {

namespace hlo = shardwright::stablehlo;

namespace {

constexpr llvm::StringLiteral replicasName("mhlo.num_replicas");
constexpr llvm::StringLiteral partitionsName("mhlo.num_partitions");

class Rewriter {
public:
  explicit Rewriter(ModuleOp module) : module(module) {}
  LogicalResult run();

private:
  LogicalResult legalize(func::FuncOp function);
  LogicalResult visit(Operation *op);
  LogicalResult rewriteGroups(Operation *op);
  LogicalResult rewritePairs(hlo::CollectivePermuteOp op);
  /// Replaces a partition_id or replica_id.
  void replaceId(Operation *op, bool isPartition);
  static void dropChannel(Operation *op) {
    op->removeAttr("channel_handle");
    op->removeAttr("use_global_device_ids");
  }

  ModuleOp module;
  int64_t replicas = 1, partitions = 1;
};

} // namespace

/// The groups as rows of equal length, padded with -1.
static DenseIntElementsAttr rowsOf(Builder &b,
                                   const legalize::ReplicaGroups &groups) {
  size_t columns = 0;
  for (const auto &group : groups)
    columns = std::max(columns, size_t(group.size()));
  std::vector<int64_t> ids;
  for (const auto &group : groups) {
    ids.insert(ids.end(), group.begin(), group.end());
    ids.resize(ids.size() + columns - group.size(), -1);
  }
  auto type = RankedTensorType::get({int64_t(groups.size()), int64_t(columns)},
                                    b.getI64Type());
  return DenseIntElementsAttr::get(type, ids);
}

LogicalResult Rewriter::rewriteGroups(Operation *op) {
  FailureOr<legalize::ReplicaGroups> groups =
      legalize::readReplicaGroups(op, replicas, partitions);
  if (failed(groups))
    return failure();
  Builder b(op);
  op->setAttr("replica_groups", rowsOf(b, *groups));
  dropChannel(op);
  return success();
}

LogicalResult Rewriter::rewritePairs(hlo::CollectivePermuteOp op) {
  auto pairs = legalize::readSourceTargetPairs(op, replicas, partitions);
  if (failed(pairs))
    return failure();
  std::vector<int64_t> ids;
  for (auto [from, to] : *pairs) {
    ids.push_back(from);
    ids.push_back(to);
  }
  Builder b(op);
  op.setSourceTargetPairsAttr(DenseIntElementsAttr::get(
      RankedTensorType::get({int64_t(pairs->size()), 2}, b.getI64Type()), ids));
  dropChannel(op);
  return success();
}

void Rewriter::replaceId(Operation *op, bool isPartition) {
  // The device's number of a program with one replica is its partition.
  if (isPartition ? partitions == 1 : replicas == 1) {
    OpBuilder b(op);
    Type type = op->getResult(0).getType();
    Value zero = hlo::ConstantOp::create(
        b, op->getLoc(), cast<ElementsAttr>(b.getZeroAttr(type)));
    op->getResult(0).replaceAllUsesWith(zero);
    op->erase();
    return;
  }
  OpBuilder b(op);
  Type type = op->getResult(0).getType();
  Value id = hlo::ReplicaIdOp::create(b, op->getLoc(), type);
  if (isPartition ? replicas > 1 : partitions > 1) {
    auto tensor = cast<RankedTensorType>(type);
    Value count = hlo::ConstantOp::create(
        b, op->getLoc(),
        cast<ElementsAttr>(DenseElementsAttr::get(
            tensor, b.getIntegerAttr(tensor.getElementType(), partitions))));
    if (isPartition)
      id = hlo::RemOp::create(b, op->getLoc(), id, count);
    else
      id = hlo::DivOp::create(b, op->getLoc(), id, count);
  }
  op->getResult(0).replaceAllUsesWith(id);
  op->erase();
}

LogicalResult Rewriter::visit(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<hlo::AllReduceOp, hlo::ReduceScatterOp, hlo::AllGatherOp,
            hlo::AllToAllOp, hlo::CollectiveBroadcastOp>(
          [&](Operation *op) { return rewriteGroups(op); })
      .Case<hlo::CollectivePermuteOp>([&](auto op) { return rewritePairs(op); })
      .Case<hlo::PartitionIdOp>([&](Operation *op) {
        replaceId(op, /*isPartition=*/true);
        return success();
      })
      .Case<hlo::ReplicaIdOp>([&](Operation *op) {
        replaceId(op, /*isPartition=*/false);
        return success();
      })
      .Case<hlo::SendOp, hlo::RecvOp, hlo::InfeedOp, hlo::OutfeedOp>(
          [](Operation *op) {
            return op->emitError("host transfers cannot run on another "
                                 "vendor's plugin; pass the data as arguments "
                                 "and results");
          })
      .Default([](Operation *) { return success(); });
}

/// Rewrites ops that other compilers do not have, or that they schedule
/// themselves.
LogicalResult Rewriter::legalize(func::FuncOp function) {
  SmallVector<Operation *> found;
  bool sends = false;
  function.walk([&](Operation *op) {
    auto custom = dyn_cast<hlo::CustomCallOp>(op);
    auto broadcast = dyn_cast<hlo::CollectiveBroadcastOp>(op);
    if (isa<hlo::AsyncStartOp, hlo::CollectiveReduceOp>(op) ||
        (broadcast && broadcast.getHasDynamicRoot()) ||
        (custom && legalize::isRaggedAllToAll(custom)))
      found.push_back(op);
    auto send = dyn_cast<hlo::SendOp>(op);
    auto recv = dyn_cast<hlo::RecvOp>(op);
    sends |= (send && !send.getIsHostTransfer()) ||
             (recv && !recv.getIsHostTransfer());
  });
  for (Operation *op : found) {
    LogicalResult done = success();
    if (auto start = dyn_cast<hlo::AsyncStartOp>(op))
      done = legalize::legalizeAsyncStart(start);
    else if (auto reduce = dyn_cast<hlo::CollectiveReduceOp>(op))
      done = legalize::legalizeCollectiveReduce(reduce, replicas, partitions);
    else if (auto broadcast = dyn_cast<hlo::CollectiveBroadcastOp>(op))
      done = legalize::legalizeBroadcast(broadcast, replicas, partitions);
    else
      done = legalize::legalizeRaggedAllToAll(cast<hlo::CustomCallOp>(op),
                                              replicas, partitions);
    if (failed(done))
      return failure();
  }
  return sends ? legalize::legalizeSends(function) : success();
}

LogicalResult Rewriter::run() {
  for (auto [name, count] : {std::pair(replicasName, &replicas),
                             std::pair(partitionsName, &partitions)})
    if (auto attr = module->getAttrOfType<IntegerAttr>(name)) {
      *count = attr.getInt();
      if (*count < 1 || *count > kMaxDevices)
        return module.emitError()
               << name << " is " << attr << ", expected 1 to " << kMaxDevices;
    }
  if (replicas * partitions > kMaxDevices)
    return module.emitError() << replicas << " replicas of " << partitions
                              << " partitions are too many, at most "
                              << kMaxDevices << " devices are possible";
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(legalize(function)))
      return failure();
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op != module.getOperation())
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(visit(op)))
      return failure();
  Builder b(module);
  module->setAttr(replicasName,
                  b.getI32IntegerAttr(int32_t(replicas * partitions)));
  module->setAttr(partitionsName, b.getI32IntegerAttr(1));
  return success();
}

LogicalResult toReplicasForm(ModuleOp local) { return Rewriter(local).run(); }

namespace {
struct ReplicasFormPass
    : PassWrapper<ReplicasFormPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReplicasFormPass)
  StringRef getArgument() const final { return "sw-replicas-form"; }
  StringRef getDescription() const final {
    return "Turns the program of one device into a program of replicas, which "
           "compilers of other vendors run without partitioning";
  }
  void runOnOperation() final {
    if (failed(toReplicasForm(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void registerReplicasFormPass() { PassRegistration<ReplicasFormPass>(); }

} // namespace shardwright::pjrt_client
