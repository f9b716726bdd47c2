//===- overlap_collectives.cc - split and schedule collectives ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/overlap/overlap.h"
#include "shardwright/partition/overlap/step_time.h"
#include "shardwright/partition/overlap/transfer_schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardwright {
namespace {

/// True for collectives that may run beside other ops.
bool isMovable(Operation *op) {
  return isCollective(op) && !isa<stablehlo::CollectiveReduceOp>(op);
}

/// True if an async_start may contain the op; an async_done has one result.
bool mayOverlap(Operation *op) {
  auto broadcast = dyn_cast<stablehlo::CollectiveBroadcastOp>(op);
  if (!isMovable(op) || (broadcast && broadcast.getHasDynamicRoot()))
    return false;
  return op->getNumOperands() == op->getNumResults() &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && tensor.hasStaticShape();
         });
}

/// Clones the collective for operand `i` only.
Operation *cloneFor(OpBuilder &builder, Operation *op, int64_t i,
                    Value operand) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operand);
  state.addTypes(op->getResult(i).getType());
  state.addAttributes(op->getAttrs());
  IRMapping none;
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), none);
  return builder.create(state);
}

class BlockOverlap {
public:
  BlockOverlap(Block &block, OpCosts &costs, StepTimes &times)
      : block(block), costs(costs), times(times) {}

  void run(const OverlapOptions &options);

private:
  /// A result of a split collective, or a whole op.
  struct Part {
    Operation *op;
    int64_t index;
  };
  /// `splits`: split collectives of several operands into one per operand.
  void read(bool splits);
  void write(const TransferSchedule &schedule);

  Block &block;
  OpCosts &costs;
  StepTimes &times;
  std::vector<Part> parts;
  std::vector<ScheduleNode> nodes;
};

void BlockOverlap::read(bool splits) {
  parts.clear();
  nodes.clear();
  llvm::DenseMap<Value, int32_t> nodeOf;
  int32_t lastEffect = -1;
  for (Operation &op : block) {
    bool overlaps = mayOverlap(&op) && (op.getNumResults() == 1 || splits);
    int64_t count = overlaps ? op.getNumResults() : 1;
    for (int64_t i = 0; i < count; ++i) {
      int32_t id = nodes.size();
      ScheduleNode node;
      auto waitFor = [&](int32_t from) {
        if (from < id && !llvm::is_contained(node.operands, from))
          node.operands.push_back(from);
      };
      auto use = [&](Value value) {
        auto it = nodeOf.find(value);
        if (it != nodeOf.end())
          waitFor(it->second);
      };
      if (overlaps) {
        use(op.getOperand(i));
      } else {
        op.walk([&](Operation *inner) {
          llvm::for_each(inner->getOperands(), use);
        });
      }
      std::optional<Transfer> transfer = costs.transfer(&op, overlaps ? i : -1);
      if (transfer) {
        node.isTransfer = true;
        node.mayOverlap = overlaps;
        node.transfer = *transfer;
      } else {
        node.time = times.ofRegions(&op);
        node.time.compute += costs.seconds(&op);
      }
      for (auto [r, result] : llvm::enumerate(op.getResults()))
        if (!overlaps || int64_t(r) == i)
          node.bytes += costs.heldBytes(result);
      if (!isMovable(&op) && !isMemoryEffectFree(&op) &&
          !op.hasTrait<OpTrait::IsTerminator>()) {
        if (lastEffect >= 0)
          waitFor(lastEffect);
        lastEffect = id;
      }
      // The terminator depends on all earlier effects.
      if (op.hasTrait<OpTrait::IsTerminator>() && lastEffect >= 0)
        waitFor(lastEffect);
      nodes.push_back(std::move(node));
      parts.push_back({&op, overlaps ? i : -1});
    }
    for (auto [r, result] : llvm::enumerate(op.getResults()))
      nodeOf[result] = int32_t(nodes.size() - count + (overlaps ? r : 0));
  }
}

void BlockOverlap::write(const TransferSchedule &schedule) {
  Operation *end = block.getTerminator();
  OpBuilder builder(end);
  std::vector<Value> futures(parts.size());
  SmallVector<Operation *> replaced;
  auto replace = [&](const Part &part, Value value) {
    part.op->getResult(part.index).replaceAllUsesWith(value);
    if (part.index + 1 == part.op->getNumResults())
      replaced.push_back(part.op);
  };
  for (const ScheduleItem &item : schedule.items) {
    const Part &part = parts[item.node];
    Operation *op = part.op;
    if (op == end)
      continue;
    if (item.what == ScheduleItem::Run) {
      if (part.index < 0 || op->getNumResults() == 1)
        op->moveBefore(end);
      else
        replace(part,
                cloneFor(builder, op, part.index, op->getOperand(part.index))
                    ->getResult(0));
      continue;
    }
    if (item.what == ScheduleItem::Done) {
      auto done = stablehlo::AsyncDoneOp::create(
          builder, op->getLoc(), op->getResult(part.index).getType(),
          futures[item.node]);
      replace(part, done->getResult(0));
      continue;
    }
    Value operand = op->getOperand(part.index);
    Type result = op->getResult(part.index).getType();
    OperationState state(op->getLoc(),
                         stablehlo::AsyncStartOp::getOperationName());
    state.addOperands(operand);
    state.addTypes(stablehlo::FutureType::get(builder.getContext(), {result}));
    Region *region = state.addRegion();
    Block &body = region->emplaceBlock();
    Value inside = body.addArgument(operand.getType(), op->getLoc());
    // Pass the context, because the region is still empty.
    OpBuilder inner(builder.getContext());
    inner.setInsertionPointToEnd(&body);
    Operation *work = cloneFor(inner, op, part.index, inside);
    stablehlo::ReturnOp::create(inner, op->getLoc(), work->getResults());
    futures[item.node] = builder.create(state)->getResult(0);
  }
  for (Operation *op : replaced)
    op->erase();
}

void BlockOverlap::run(const OverlapOptions &options) {
  bool any = false, several = false;
  for (Operation &op : block)
    if (mayOverlap(&op)) {
      any = true;
      several |= op.getNumResults() > 1;
    }
  if (!any)
    return;
  if (options.force) {
    read(/*splits=*/true);
    write(splitTransfers(nodes));
    return;
  }
  double bytes = options.memoryBytes > 0 ? options.memoryBytes
                                         : options.machine.memoryBytes;
  read(/*splits=*/false);
  double before = orderAsGiven(nodes).time.total();
  TransferSchedule best = hideTransfers(nodes, bytes);
  if (several) {
    read(/*splits=*/true);
    TransferSchedule split = hideTransfers(nodes, bytes);
    if (split.time.total() < best.time.total() * (1 - 1e-3))
      best = std::move(split);
    else
      read(/*splits=*/false);
  }
  if (best.time.total() < before)
    write(best);
}

/// Blocks that execute sequentially, innermost first.
void collectBlocks(Region &region, SmallVectorImpl<Block *> &blocks) {
  for (Block &block : region) {
    for (Operation &op : block)
      if (isControlFlow(&op))
        for (Region &inner : op.getRegions())
          collectBlocks(inner, blocks);
    blocks.push_back(&block);
  }
}

} // namespace

void overlapCollectives(ModuleOp local, const OverlapOptions &options) {
  OpCosts costs(options.machine, options.mesh);
  for (auto function : local.getOps<func::FuncOp>()) {
    if (!llvm::hasSingleElement(function.getBody()))
      continue;
    SmallVector<Block *> blocks;
    collectBlocks(function.getBody(), blocks);
    for (Block *block : blocks) {
      StepTimes times(local, costs);
      BlockOverlap(*block, costs, times).run(options);
    }
  }
}

} // namespace shardwright
