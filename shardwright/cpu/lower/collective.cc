//===- collective.cc - lowering of collectives to steps -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/reduce.h"
#include "shardwright/cpu/lower/lower_block.h"
#include "shardwright/legalize/replica_groups.h"
#include "shardwright/rules/reducer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::cpu {

/// The kind of a reduction that one operation computes.
static std::optional<ReduceKind> reduceKind(Region &computation) {
  if (computation.getNumArguments() != 2)
    return std::nullopt;
  std::optional<ReducerKind> kind = uniformReducer(computation);
  if (!kind)
    return std::nullopt;
  switch (*kind) {
  case ReducerKind::Add:
    return ReduceKind::Add;
  case ReducerKind::Mul:
    return ReduceKind::Mul;
  case ReducerKind::Max:
    return ReduceKind::Max;
  case ReducerKind::Min:
    return ReduceKind::Min;
  case ReducerKind::And:
    return ReduceKind::And;
  case ReducerKind::Or:
    return ReduceKind::Or;
  case ReducerKind::Xor:
    return ReduceKind::Xor;
  }
  return std::nullopt;
}

/// Fills in everything but the shapes, the element type and the reduction.
static LogicalResult readCollective(Operation *op, const Program &program,
                                    CollectiveSpec &spec) {
  if (auto permute = dyn_cast<hlo::CollectivePermuteOp>(op)) {
    spec.kind = CollectiveKind::CollectivePermute;
    auto pairs = legalize::readSourceTargetPairs(permute, program.numReplicas,
                                                 program.numPartitions);
    if (failed(pairs))
      return failure();
    spec.pairs = std::move(*pairs);
    return success();
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](hlo::AllReduceOp) { spec.kind = CollectiveKind::AllReduce; })
      .Case([&](hlo::ReduceScatterOp x) {
        spec.kind = CollectiveKind::ReduceScatter;
        spec.dim = x.getScatterDimension();
      })
      .Case([&](hlo::AllGatherOp x) {
        spec.kind = CollectiveKind::AllGather;
        spec.dim = x.getAllGatherDim();
      })
      .Case([&](hlo::AllToAllOp x) {
        spec.kind = CollectiveKind::AllToAll;
        spec.dim = x.getSplitDimension();
        spec.concatDim = x.getConcatDimension();
      })
      .Case([&](hlo::CollectiveBroadcastOp) {
        spec.kind = CollectiveKind::CollectiveBroadcast;
      });
  FailureOr<legalize::ReplicaGroups> groups = legalize::readReplicaGroups(
      op, program.numReplicas, program.numPartitions);
  if (failed(groups))
    return failure();
  spec.groups = std::move(*groups);
  return success();
}

/// Checks that the shapes agree with the size of the groups.
static LogicalResult checkCollective(Operation *op,
                                     const CollectiveSpec &spec) {
  auto rank = static_cast<int64_t>(spec.inputShape.size());
  bool grows = spec.kind == CollectiveKind::AllGather,
       shrinks = spec.kind == CollectiveKind::ReduceScatter,
       exchanges = spec.kind == CollectiveKind::AllToAll;
  Shape expected = spec.inputShape;
  if (grows || shrinks || exchanges) {
    if (spec.dim >= rank || spec.concatDim >= rank ||
        spec.outputShape.size() != spec.inputShape.size())
      return op->emitError("the dimension is not one of the operand's");
    auto n = static_cast<int64_t>(spec.groups.front().size());
    for (const auto &group : spec.groups)
      if (static_cast<int64_t>(group.size()) != n)
        return op->emitError("replica groups should have one size");
    if (grows)
      expected[spec.dim] *= n;
    if ((shrinks || exchanges) && expected[spec.dim] % n)
      return op->emitError() << "dimension of size " << expected[spec.dim]
                             << " does not split over groups of " << n;
    if (shrinks || exchanges)
      expected[spec.dim] /= n;
    if (exchanges)
      expected[spec.concatDim] *= n;
  }
  if (expected != spec.outputShape)
    return op->emitError(
        "the result's shape does not fit the size of the replica "
        "groups");
  return success();
}

/// Builds a kernel that applies a scalar computation to arrays of
/// reduceKernelElements elements.
static Cluster reductionCluster(const Body &body) {
  Cluster cluster;
  cluster.numParams = 2;
  for (Node node : body.nodes) {
    node.shape = {reduceKernelElements};
    cluster.graph.add(std::move(node));
  }
  cluster.outputs = {body.results[0]};
  cluster.inPlace = {-1};
  return cluster;
}

LogicalResult BlockLowering::readReduction(Operation *op,
                                           CollectiveSpec &spec) {
  if (spec.kind != CollectiveKind::AllReduce &&
      spec.kind != CollectiveKind::ReduceScatter)
    return success();
  Region &computation = op->getRegion(0);
  if (std::optional<ReduceKind> known = reduceKind(computation)) {
    spec.reduce = *known;
    llvm::Expected<Reduction> reduction =
        Reduction::create(spec.type, spec.reduce);
    if (reduction)
      return success();
    llvm::consumeError(reduction.takeError());
  }
  FailureOr<std::shared_ptr<const Body>> body = readBody(computation);
  if (failed(body))
    return failure();
  if (computation.getNumArguments() != 2 || (*body)->results.size() != 1 ||
      (*body)->nodes[0].type != spec.type ||
      (*body)->nodes[(*body)->results[0]].type != spec.type)
    return op->emitError("its computation should take two elements and return "
                         "one, all of the operand's type");
  spec.reduceKernel = p.kernel(reductionCluster(**body));
  return success();
}

LogicalResult BlockLowering::lowerCollective(const BlockGraph::Opaque &opaque) {
  CollectiveSpec spec;
  if (failed(readCollective(opaque.op, program, spec)))
    return failure();
  for (auto [in, out] : llvm::zip_equal(opaque.inputs, opaque.results)) {
    CollectiveSpec one = spec;
    SlotId from = slot(in), to = target(out);
    one.type = program.slots[from].type;
    one.inputShape = program.slots[from].shape;
    one.outputShape = program.slots[to].shape;
    if (program.slots[to].type != one.type)
      return opaque.op->emitError(
          "a collective that changes the element type is "
          "not supported by the cpu backend yet");
    if (failed(checkCollective(opaque.op, one)) ||
        failed(readReduction(opaque.op, one)))
      return failure();
    Step &step = p.addStep(StepKind::Collective, {from}, {to},
                           p.locations.add(opaque.op));
    step.payload = static_cast<int32_t>(program.collectives.size());
    program.collectives.push_back(std::move(one));
  }
  return success();
}

} // namespace shardwright::cpu
