//===- op_cost.cc - time of ops by the machine model ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/op_cost.h"

#include "shardwright/dialect/sdy/device_groups.h"
#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "shardwright/partition/cost/predicted_seconds.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/op_work.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"
#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace shardwright {

/// The collective by which the cost model knows the op.
static CollectiveKind kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, CollectiveKind>(op)
      .Case([](stablehlo::AllGatherOp) { return CollectiveKind::AllGather; })
      .Case([](stablehlo::AllReduceOp) { return CollectiveKind::AllReduce; })
      .Case(
          [](stablehlo::CollectiveReduceOp) { return CollectiveKind::Reduce; })
      .Case([](stablehlo::ReduceScatterOp) {
        return CollectiveKind::ReduceScatter;
      })
      .Case([](stablehlo::AllToAllOp) { return CollectiveKind::AllToAll; })
      .Case([](stablehlo::CollectivePermuteOp) {
        return CollectiveKind::Permute;
      })
      .Default([](Operation *) { return CollectiveKind::Broadcast; });
}

static int64_t groupSizeOf(Attribute attr, int64_t all) {
  auto groups = dyn_cast_or_null<DenseIntElementsAttr>(attr);
  if (!groups || groups.getNumElements() == 0 || groups.getType().getRank() < 2)
    return all;
  return groups.getType().getDimSize(1);
}

OpCosts::OpCosts(const MachineModel &machine, const Mesh &mesh,
                 KernelPlaces *places)
    : machine(machine), mesh(mesh), places(places), rates(machine) {}

double OpCosts::contractionSeconds(Operation *op, double parts, double bytes) {
  return kernelSeconds(machine,
                       {countOperations(op) / parts, rates.of(op), bytes,
                        /*isContraction=*/true, countColumns(op).of(1)});
}

double OpCosts::heldBytes(Value result) {
  Operation *op = result.getDefiningOp();
  return op && (placeOf(op) == KernelPlace::UsersKernel ||
                op->hasTrait<OpTrait::ConstantLike>())
             ? 0
             : bytesOf(result.getType());
}

OpCosts::Lanes OpCosts::lanesOf(ArrayRef<bool> axes) const {
  SmallVector<StringRef> names;
  Lanes result;
  for (auto [axis, isIn] : llvm::enumerate(axes)) {
    if (!isIn)
      continue;
    StringRef name = mesh.axisName(int32_t(axis));
    names.push_back(name);
    int32_t at = std::min<int32_t>(axis, Transfer::maxAxes - 1);
    result.lanes |= 1u << (2 * at);
    if (machine.linkOf(name).directions > 1)
      result.lanes |= 2u << (2 * at);
  }
  if (names.empty())
    result.lanes = machine.link.directions > 1 ? 3 : 1;
  result.link = machine.linkOver(names);
  return result;
}

OpCosts::Lanes OpCosts::lanesOfGroups(Attribute attr, int64_t groupSize) {
  auto [it, isNew] = groupLanes.try_emplace(attr);
  if (!isNew)
    return it->second;
  SmallVector<bool, 4> axes(mesh.numAxes(), true);
  if (std::optional<AxisList> found = axesOf(attr, groupSize)) {
    axes.assign(mesh.numAxes(), false);
    for (AxisRef axis : *found)
      axes[axis.axis] = true;
  }
  return it->second = lanesOf(axes);
}

std::optional<AxisList> OpCosts::axesOf(Attribute attr, int64_t groupSize) {
  auto groups = dyn_cast_or_null<DenseIntElementsAttr>(attr);
  if (!groups || mesh.numAxes() == 0)
    return std::nullopt;
  auto [it, isNew] = groupAxes.try_emplace(attr);
  if (isNew)
    it->second = sdy::axesOfGroupsAttr(mesh, groups, groupSize);
  return it->second;
}

const GroupPlacement &OpCosts::placementOf(Attribute attr, int64_t groupSize) {
  auto [it, isNew] = placements.try_emplace(
      {attr ? attr.getAsOpaquePointer() : nullptr, groupSize});
  if (!isNew)
    return it->second;
  int64_t each = machine.processes->devicesPerProcess;
  int64_t devices = mesh.numDevices();
  auto groups = dyn_cast_or_null<DenseIntElementsAttr>(attr);
  bool isListed = devices <= each * kMostListedProcesses;
  if (!groups || groups.getNumElements() == 0) { // one group of all devices
    SmallVector<int64_t> ids = llvm::to_vector(llvm::seq<int64_t>(0, devices));
    return it->second = placeGroups(ids, devices, each);
  }
  // Few processes are counted one by one: their bytes are exact.
  if (!isListed)
    if (std::optional<AxisList> axes = axesOf(attr, groupSize))
      if (auto placement = placeAxes(mesh, *axes, each))
        return it->second = std::move(*placement);
  SmallVector<int64_t> ids(groups.getValues<int64_t>());
  return it->second = placeGroups(ids, groupSize, each);
}

/// Bytes of the result of a reduction of several operands before it is rounded
/// (cpu/collectives/reduce.h): floats below 32 bits are added in f32.
static int64_t widthOfSum(Operation *op, ElementType type) {
  int64_t width = byteWidth(type);
  if (!isFloat(type) || width >= 4 || op->getNumRegions() == 0)
    return width;
  std::optional<ReducerKind> kind = uniformReducer(op->getRegion(0));
  bool isKnown = kind && *kind != ReducerKind::And &&
                 *kind != ReducerKind::Or && *kind != ReducerKind::Xor;
  return isKnown ? 4 : width;
}

ProcessTraffic OpCosts::traffic(Operation *op, int64_t index) {
  ProcessTraffic traffic;
  if (!machine.processes || !isCollective(op))
    return traffic;
  int64_t each = machine.processes->devicesPerProcess;
  auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op);
  SmallVector<int64_t> pairs;
  if (permute)
    pairs.assign(permute.getSourceTargetPairs().value_begin<int64_t>(),
                 permute.getSourceTargetPairs().value_end<int64_t>());
  using Kind = ExchangeShape::Kind;
  Kind kind =
      llvm::TypeSwitch<Operation *, Kind>(op)
          .Case<stablehlo::AllReduceOp, stablehlo::CollectiveReduceOp>(
              [](auto) { return Kind::AllReduce; })
          .Case([](stablehlo::ReduceScatterOp) { return Kind::ReduceScatter; })
          .Case([](stablehlo::AllGatherOp) { return Kind::AllGather; })
          .Case([](stablehlo::AllToAllOp) { return Kind::AllToAll; })
          .Default([](Operation *) { return Kind::Broadcast; });
  Attribute groups = op->getAttr("replica_groups");
  int64_t size = groupSizeOf(groups, mesh.numDevices());
  double rounds = 0;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    std::optional<ElementType> element =
        tensor ? elementTypeFromMLIR(tensor.getElementType()) : std::nullopt;
    if ((index >= 0 && int64_t(i) != index) || !element ||
        !tensor.hasStaticShape())
      continue;
    ExchangeShape shape{kind, tensor.getNumElements(), byteWidth(*element),
                        widthOfSum(op, *element)};
    ProcessTraffic one =
        permute ? trafficOfPairs(pairs, double(shape.bytes()), each,
                                 machine.processes->inlineBytes)
                : trafficOf(shape, placementOf(groups, size),
                            machine.processes->inlineBytes);
    rounds = std::max(rounds, one.rounds);
    traffic.add(one);
  }
  // The operands of one collective are sent together.
  traffic.rounds = rounds;
  return traffic;
}

OpCosts::Lanes OpCosts::lanesOfPairs(Attribute attr) {
  auto [it, isNew] = pairLanes.try_emplace(attr);
  if (!isNew)
    return it->second;
  SmallVector<bool, 4> axes(mesh.numAxes(), false);
  if (auto pairs = dyn_cast_or_null<DenseIntElementsAttr>(attr))
    axes = sdy::readPermutePairs(mesh, pairs).crosses;
  return it->second = lanesOf(axes);
}

double OpCosts::passSeconds(Attribute groups, int64_t groupSize, double bytes) {
  Lanes lanes = lanesOfGroups(groups, groupSize);
  return costOfRounds(CollectiveKind::Permute, bytes, /*members=*/2,
                      lanes.link.latencySeconds, 1 / lanes.link.bytesPerSecond);
}

void OpCosts::addProcesses(Operation *op, int64_t index, Transfer &transfer) {
  ProcessTraffic between = traffic(op, index);
  if (between.rounds == 0)
    return;
  const ProcessesModel &link = *machine.processes;
  int64_t processes =
      llvm::divideCeil(mesh.numDevices(), link.devicesPerProcess);
  transfer.seconds +=
      between.seconds(link, machine.cacheBytes, link.sharing(processes));
  transfer.lanes |= Transfer::processLane;
}

std::optional<Transfer> OpCosts::transfer(Operation *op, int64_t index) {
  if (!isCollective(op))
    return std::nullopt;
  double bytes = 0;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (index < 0 || int64_t(i) == index)
      bytes += bytesOf(operand.getType());
  Transfer result;
  if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
    Lanes lanes = lanesOfPairs(permute.getSourceTargetPairs());
    result.lanes = lanes.lanes;
    result.oneDirection = true;
    result.seconds = collectiveSeconds(machine, CollectiveKind::Permute, bytes,
                                       /*members=*/2, lanes.link);
    addProcesses(op, index, result);
    return result;
  }
  Attribute groups = op->getAttr("replica_groups");
  int64_t size = groupSizeOf(groups, mesh.numDevices());
  Lanes lanes = lanesOfGroups(groups, size);
  result.lanes = lanes.lanes;
  if (size < 2)
    return result;
  // Members in other processes send over the link between processes.
  int64_t near = size;
  if (machine.processes)
    near = std::min(size, placementOf(groups, size).ownMembers);
  result.seconds =
      collectiveSeconds(machine, kindOf(op), bytes, size, lanes.link, near);
  addProcesses(op, index, result);
  return result;
}

} // namespace shardwright
