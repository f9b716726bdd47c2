//===- block_graph.cc - the operations of one block as a graph ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/read/block_reader.h"

#include "shardwright/cpu/library/library_op.h"
#include "shardwright/cpu/read/constant_data.h"

using namespace mlir;

namespace shardwright::cpu {

/// The key by which equal nodes are merged.
static std::string nodeKey(const Node &node) {
  Cluster one;
  one.graph.add(node);
  return serialize(one);
}

int32_t BlockReader::addUnique(Node node, int32_t producer) {
  result.producer.push_back(producer);
  return result.graph.add(std::move(node));
}

int32_t BlockReader::add(Node node) {
  auto [it, inserted] = known.try_emplace(nodeKey(node), 0);
  if (inserted)
    it->second = addUnique(std::move(node), -1);
  return it->second;
}

int32_t BlockReader::addTranspose(Operation *user, int32_t id,
                                  const Shape &permutation) {
  const Node &from = result.graph[id];
  Node moved;
  moved.op = Op::Transpose;
  moved.type = from.type;
  moved.location = locations.add(user);
  for (int64_t d : permutation)
    moved.shape.push_back(from.shape[d]);
  moved.operands = {id};
  moved.attrs = TransposeAttrs{permutation};
  return add(std::move(moved));
}

FailureOr<Node> BlockReader::start(Operation *op, Type type, Op kind) {
  Node node;
  node.op = kind;
  if (failed(readType(op, type, node.type, node.shape)))
    return failure();
  node.location = locations.add(op);
  return node;
}

FailureOr<int32_t> BlockReader::external(Operation *user, Value value) {
  FailureOr<Node> node = start(user, value.getType(), Op::Extern);
  if (failed(node))
    return failure();
  int32_t id = addUnique(*node, -1);
  result.external[id] = value;
  ids[value] = id;
  return id;
}

FailureOr<int32_t> BlockReader::operand(Operation *user, Value value) {
  auto it = ids.find(value);
  if (it != ids.end())
    return it->second;
  // The value is defined outside the block. Constants and iotas are read again.
  if (Operation *def = value.getDefiningOp())
    if (isa<hlo::ConstantOp, hlo::IotaOp>(def) && def->getBlock() != &block) {
      if (failed(read(*def)))
        return failure();
      return ids[value];
    }
  return external(user, value);
}

LogicalResult BlockReader::operands(Operation &op, Node &node) {
  for (Value v : op.getOperands()) {
    FailureOr<int32_t> id = operand(&op, v);
    if (failed(id))
      return failure();
    if (*id < 0)
      return op.emitError() << "operand type " << v.getType() << " of '"
                            << op.getName().getStringRef()
                            << "' is not supported by the cpu backend yet";
    node.operands.push_back(*id);
  }
  return success();
}

/// Reads the results of an op; results after the first are Proj nodes.
void BlockReader::results(Operation &op, int32_t first) {
  ids[op.getResult(0)] = first;
  for (unsigned i = 1; i < op.getNumResults(); ++i) {
    Node proj;
    proj.op = Op::Proj;
    (void)readType(&op, op.getResult(i).getType(), proj.type, proj.shape);
    proj.operands = {first};
    proj.attrs = ProjAttrs{static_cast<int64_t>(i)};
    proj.location = result.graph[first].location;
    ids[op.getResult(i)] = add(proj);
  }
}

LogicalResult BlockReader::read(Operation &op) {
  if (done.contains(&op))
    return success();
  if (auto constant = dyn_cast<hlo::ConstantOp>(op)) {
    FailureOr<Node> node = start(&op, constant.getType(), Op::Extern);
    if (failed(node))
      return failure();
    if (succeeded(readSplat(constant.getValue(), *node))) {
      ids[constant.getResult()] = add(*node);
      return success();
    }
    return external(&op, constant.getResult());
  }
  if (auto iota = dyn_cast<hlo::IotaOp>(op)) {
    FailureOr<Node> node = start(&op, iota.getType(), Op::Iota);
    if (failed(node))
      return failure();
    node->attrs = IotaAttrs{static_cast<int64_t>(iota.getIotaDimension())};
    ids[iota.getResult()] = add(*node);
    return success();
  }
  if (auto reduce = dyn_cast<hlo::ReduceOp>(op))
    return readReduce(reduce);
  if (auto window = dyn_cast<hlo::ReduceWindowOp>(op))
    return readWindow(window);
  if (auto scatter = dyn_cast<hlo::ScatterOp>(op))
    return readScatter(scatter);
  if (auto sort = dyn_cast<hlo::SortOp>(op))
    return readSort(sort);
  if (auto dot = dyn_cast<hlo::DotGeneralOp>(op))
    return readDot(dot);
  if (isa<hlo::CreateTokenOp, hlo::AfterAllOp>(op)) {
    ids[op.getResult(0)] = -1;
    return success();
  }
  if (isa<hlo::WhileOp, hlo::CaseOp, hlo::IfOp, hlo::AllReduceOp,
          hlo::AllGatherOp, hlo::ReduceScatterOp, hlo::AllToAllOp,
          hlo::CollectivePermuteOp, hlo::CollectiveBroadcastOp>(op))
    return readOpaque(op, /*ordered=*/true);
  if (isa<hlo::PartitionIdOp, hlo::ReplicaIdOp, hlo::OptimizationBarrierOp>(op))
    return readOpaque(op, /*ordered=*/false);
  if (isa<hlo::BroadcastInDimOp, hlo::ReshapeOp, hlo::TransposeOp, hlo::SliceOp,
          hlo::ReverseOp, hlo::PadOp, hlo::ConcatenateOp, hlo::BitcastConvertOp,
          hlo::DynamicSliceOp, hlo::DynamicUpdateSliceOp, hlo::GatherOp>(op))
    return readMovement(op);
  if (std::optional<Op> kind = elementwiseOp(op.getName().getStringRef())) {
    FailureOr<Node> node = start(&op, op.getResult(0).getType(), *kind);
    if (failed(node) || failed(operands(op, *node)))
      return failure();
    if (failed(readElementwise(&op, *node)))
      return failure();
    if (*kind == Op::Convert &&
        result.graph[node->operands[0]].type == node->type) {
      ids[op.getResult(0)] = node->operands[0];
      return success();
    }
    ids[op.getResult(0)] = add(*node);
    return success();
  }
  if (isa<hlo::CustomCallOp>(op) ||
      findLibraryEntry(op.getName().getStringRef()))
    return readLibrary(op);
  return unsupported(&op);
}

FailureOr<BlockGraph> BlockReader::run() {
  for (BlockArgument arg : block.getArguments())
    if (!isa<hlo::TokenType>(arg.getType()) &&
        failed(external(block.getParentOp(), arg)))
      return failure();
  for (Operation &op : block.without_terminator())
    if (failed(read(op)))
      return failure();
  Operation *terminator = block.getTerminator();
  for (Value v : terminator->getOperands()) {
    if (isa<hlo::TokenType>(v.getType())) {
      result.terminator.push_back(-1);
      continue;
    }
    FailureOr<int32_t> id = operand(terminator, v);
    if (failed(id))
      return failure();
    result.terminator.push_back(*id);
  }
  return std::move(result);
}

FailureOr<BlockGraph> readBlock(Block &block, LocationTable &locations) {
  return BlockReader(block, locations).run();
}

} // namespace shardwright::cpu
