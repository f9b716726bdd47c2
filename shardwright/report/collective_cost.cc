//===- collective_cost.cc - cost of a program's collectives ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/collective_cost.h"

#include "shardwright/dialect/sdy/device_groups.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/mesh/axes_of_groups.h"
#include "shardwright/partition/ops/trip_count.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;

namespace shardwright {
namespace {

int64_t bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  Type element = shaped.getElementType();
  int64_t bits = 32;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  return shaped.getNumElements() * std::max<int64_t>(1, bits / 8);
}

int64_t bytesOf(TypeRange types) {
  int64_t sum = 0;
  for (Type type : types)
    sum += bytesOf(type);
  return sum;
}

class CostWalk {
public:
  CostWalk(ModuleOp module, const Mesh &mesh, int64_t numDevices)
      : module(module), mesh(mesh), numDevices(numDevices) {
    auto attr = module->getAttrOfType<IntegerAttr>("mhlo.num_replicas");
    if (attr && attr.getInt() > 0 && numDevices % attr.getInt() == 0)
      numReplicas = attr.getInt();
  }

  CollectiveCost costOf(Region &region, double executions);

private:
  void visit(Operation &op, double executions, CollectiveCost &cost);
  CollectiveUse use(Operation &op, StringRef kind, double executions);
  void setGroups(CollectiveUse &use, Operation &op, Attribute groups);

  ModuleOp module;
  const Mesh &mesh;
  int64_t numDevices, numReplicas = 1;
  SmallVector<func::FuncOp> callStack;
  /// By groups and whether they are of partitions: the text of their axes.
  /// Groups of many devices are long lists.
  std::map<std::pair<const void *, bool>, std::string> knownAxes;
};

void append(CollectiveCost &cost, CollectiveCost more) {
  cost.unknownTripCount |= more.unknownTripCount;
  for (CollectiveUse &use : more.uses)
    cost.uses.push_back(std::move(use));
}

CollectiveUse CostWalk::use(Operation &op, StringRef kind, double executions) {
  CollectiveUse use{kind.str(), "", 1, executions, 0, 0, op.getLoc()};
  use.operandBytes = bytesOf(op.getOperandTypes());
  use.operands = std::max<int64_t>(1, op.getNumOperands());
  use.op = &op;
  return use;
}

void CostWalk::setGroups(CollectiveUse &use, Operation &op, Attribute attr) {
  auto groups = dyn_cast_or_null<DenseIntElementsAttr>(attr);
  if (!groups || groups.getNumElements() == 0) {
    use.groupSize = numDevices;
    use.axes = "all devices";
    return;
  }
  use.groupSize = groups.getType().getDimSize(1);
  auto [known, isNew] = knownAxes.try_emplace(
      {attr.getAsOpaquePointer(), op.hasAttr("channel_handle")});
  if (!isNew) {
    use.axes = known->second;
    return;
  }
  // Groups of the partitions of a replica, or of the replicas of a partition,
  // are repeated for every replica or partition.
  SmallVector<int64_t> ids;
  if (numReplicas > 1)
    llvm::append_range(ids, groups.getValues<int64_t>());
  int64_t listed = ids.size(), partitions = numDevices / numReplicas;
  if (numReplicas > 1 && op.hasAttr("channel_handle") && listed == partitions) {
    for (int64_t i = 0; i < numDevices - partitions; ++i)
      ids.push_back(ids[i] + partitions);
  } else if (numReplicas > 1 && !op.hasAttr("channel_handle") &&
             listed == numReplicas) {
    for (int64_t &id : ids)
      id *= partitions;
    for (int64_t i = 0; i < numDevices - numReplicas; ++i)
      ids.push_back(ids[i] + 1);
  }
  if (std::optional<AxisList> axes =
          numReplicas > 1
              ? axesOfGroups(mesh, ids, use.groupSize)
              : sdy::axesOfGroupsAttr(mesh, groups, use.groupSize)) {
    llvm::raw_string_ostream os(use.axes);
    llvm::interleaveComma(*axes, os, [&](AxisRef a) { os << mesh.str(a); });
  }
  if (use.axes.empty())
    use.axes = "groups of " + std::to_string(use.groupSize);
  known->second = use.axes;
}

void CostWalk::visit(Operation &op, double executions, CollectiveCost &cost) {
  auto shareOf = [](int64_t n) { return n > 0 ? double(n - 1) / n : 0.0; };
  auto add = [&](StringRef kind, Attribute groups, double factor,
                 int64_t bytes) {
    CollectiveUse u = use(op, kind, executions);
    setGroups(u, op, groups);
    u.bytes = executions * factor * shareOf(u.groupSize) * double(bytes);
    cost.uses.push_back(std::move(u));
  };
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](stablehlo::AllGatherOp o) {
        add("all_gather", o.getReplicaGroups(), 1,
            bytesOf(op.getResultTypes()));
      })
      .Case([&](stablehlo::AllReduceOp o) {
        add("all_reduce", o.getReplicaGroups(), 2,
            bytesOf(op.getResultTypes()));
      })
      .Case([&](stablehlo::ReduceScatterOp o) {
        add("reduce_scatter", o.getReplicaGroups(), 1,
            bytesOf(op.getOperandTypes()));
      })
      .Case([&](stablehlo::AllToAllOp o) {
        add("all_to_all", o.getReplicaGroups(), 1,
            bytesOf(op.getOperandTypes()));
      })
      .Case([&](stablehlo::CollectiveBroadcastOp o) {
        add("collective_broadcast", o.getReplicaGroups(), 1,
            bytesOf(op.getResultTypes()));
      })
      .Case([&](stablehlo::CollectiveReduceOp o) {
        add("collective_reduce", o.getReplicaGroups(), 1,
            bytesOf(op.getResultTypes()));
      })
      .Case([&](stablehlo::CollectivePermuteOp o) {
        CollectiveUse u = use(op, "collective_permute", executions);
        int64_t senders =
            sdy::readPermutePairs(mesh, o.getSourceTargetPairs()).senders;
        u.groupSize = numDevices;
        // The pairs use partition numbers within a replica.
        int64_t partitions = numDevices / numReplicas;
        u.axes = std::to_string(senders) + " of " + std::to_string(partitions) +
                 " devices send";
        u.bytes = executions * double(u.operandBytes) * double(senders) /
                  double(std::max<int64_t>(1, partitions));
        cost.uses.push_back(std::move(u));
      })
      .Case([&](stablehlo::WhileOp loop) {
        std::optional<int64_t> trips = knownTripCount(loop);
        double times = executions * double(trips.value_or(1));
        CollectiveCost inner = costOf(loop.getBody(), times);
        append(inner, costOf(loop.getCond(), times));
        if (!trips && !inner.uses.empty())
          inner.unknownTripCount = true;
        append(cost, std::move(inner));
      })
      .Case<stablehlo::IfOp, stablehlo::CaseOp>([&](Operation *) {
        CollectiveCost costliest;
        for (Region &branch : op.getRegions()) {
          CollectiveCost c = costOf(branch, executions);
          if (c.totalBytes() > costliest.totalBytes() || costliest.uses.empty())
            costliest = std::move(c);
        }
        append(cost, std::move(costliest));
      })
      .Case([&](func::CallOp call) {
        auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
        if (!callee || llvm::is_contained(callStack, callee))
          return;
        callStack.push_back(callee);
        append(cost, costOf(callee.getBody(), executions));
        callStack.pop_back();
      })
      .Default([&](Operation *) {
        for (Region &region : op.getRegions())
          append(cost, costOf(region, executions));
      });
}

CollectiveCost CostWalk::costOf(Region &region, double executions) {
  CollectiveCost cost;
  for (Operation &op : region.getOps())
    visit(op, executions, cost);
  return cost;
}

} // namespace

double CollectiveCost::totalBytes() const {
  double sum = 0;
  for (const CollectiveUse &use : uses)
    sum += use.bytes;
  return sum;
}

CollectiveCost costOfCollectives(ModuleOp local, const Mesh &mesh,
                                 int64_t numDevices) {
  func::FuncOp main = sdy::getMainFunc(local);
  if (!main)
    return {};
  return CostWalk(local, mesh, numDevices).costOf(main.getBody(), 1);
}

} // namespace shardwright
