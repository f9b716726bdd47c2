//===- translate_collectives.cc - collectives -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/device.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/replica_groups.h"
#include "shardwright/interop/hlo/translations.h"

using namespace mlir;

namespace shardwright::hlo {

/// Channels between devices (ChannelHandle.ChannelType).
static constexpr int64_t deviceToDevice = 1;

static void addChannel(Translator &t, const Instruction &instruction,
                       Translator::Attributes &attributes) {
  // Without a channel, XLA writes -1 or 0.
  int64_t channel = instruction.fields.integer(instruction_field::channel_id);
  if (channel > 0)
    attributes.push_back(t.attribute(
        "channel_handle",
        stablehlo::ChannelHandleAttr::get(t.context, channel, deviceToDevice)));
}

/// The number of devices of a group, all of the channel's kind if no groups are
/// listed; 0 if it is unknown, or if sizes differ.
static int64_t groupSizeOf(Translator &t, const Instruction &instruction,
                           const ReplicaGroups &groups) {
  if (!groups.isAllDevices)
    return groups.groupSize;
  const DeviceCounts &counts = t.deviceCounts();
  int64_t size = instruction.fields.integer(instruction_field::channel_id) > 0
                     ? counts.partitions
                     : counts.replicas;
  return size > 0 && size <= kMaxDevices ? size : 0;
}

/// The attributes that collectives share; `groupSize` receives that of the
/// groups.
static FailureOr<Translator::Attributes>
collectiveAttributes(Translator &t, const Instruction &instruction,
                     bool hasGlobalIds, int64_t *groupSize = nullptr) {
  llvm::Expected<ReplicaGroups> groups =
      readReplicaGroups(t.context, instruction.fields);
  if (!groups)
    return t.fail(instruction, llvm::toString(groups.takeError()));
  if (groupSize)
    *groupSize = groupSizeOf(t, instruction, *groups);
  Translator::Attributes attributes = {
      t.attribute("replica_groups", groups->attribute)};
  addChannel(t, instruction, attributes);
  if (hasGlobalIds &&
      instruction.fields.flag(instruction_field::use_global_device_ids))
    attributes.push_back(
        t.attribute("use_global_device_ids", t.builder.getUnitAttr()));
  return attributes;
}

static FailureOr<Translator::Attributes>
allGatherAttributes(Translator &t, const Instruction &instruction) {
  FailureOr<int64_t> dimension = t.onlyDimension(instruction);
  if (failed(dimension))
    return failure();
  FailureOr<Translator::Attributes> attributes =
      collectiveAttributes(t, instruction, /*hasGlobalIds=*/true);
  if (succeeded(attributes))
    attributes->push_back(t.integer("all_gather_dim", *dimension));
  return attributes;
}

LogicalResult allGather(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  FailureOr<Translator::Attributes> attributes =
      allGatherAttributes(t, instruction);
  if (failed(operands) || failed(attributes))
    return failure();
  return t.emit(instruction, "stablehlo.all_gather", *operands, *attributes);
}

/// Emits a collective with the computation that reduces.
static LogicalResult emitReduction(Translator &t,
                                   const Instruction &instruction, StringRef op,
                                   Translator::Attributes attributes) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needCalled(instruction, 1)))
    return failure();
  FailureOr<std::unique_ptr<Region>> region = t.region(instruction, 0);
  if (failed(region))
    return failure();
  Translator::Regions regions;
  regions.push_back(std::move(*region));
  return t.emit(instruction, op, *operands, std::move(attributes),
                std::move(regions));
}

/// Also all-reduce-start, whose value is that of its end.
LogicalResult allReduce(Translator &t, const Instruction &instruction) {
  FailureOr<Translator::Attributes> attributes =
      collectiveAttributes(t, instruction, /*hasGlobalIds=*/true);
  if (failed(attributes))
    return failure();
  return emitReduction(t, instruction, "stablehlo.all_reduce", *attributes);
}

LogicalResult reduceScatter(Translator &t, const Instruction &instruction) {
  FailureOr<int64_t> dimension = t.onlyDimension(instruction);
  if (failed(dimension))
    return failure();
  FailureOr<Translator::Attributes> attributes =
      collectiveAttributes(t, instruction, /*hasGlobalIds=*/true);
  if (failed(attributes) || failed(t.needOperands(instruction, 1)))
    return failure();
  attributes->push_back(t.integer("scatter_dimension", *dimension));
  return emitReduction(t, instruction, "stablehlo.reduce_scatter", *attributes);
}

/// The form with one operand for each member of the group: the operand at
/// position i goes to member i. StableHLO exchanges slices of one array, so the
/// operands are stacked.
static LogicalResult allToAllOfTuple(Translator &t,
                                     const Instruction &instruction,
                                     Translator::Attributes attributes) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || operands->empty())
    return t.fail(instruction, "has no operands");
  auto type = dyn_cast<RankedTensorType>(operands->front().getType());
  if (!type || !type.hasStaticShape() ||
      TypeRange(ValueRange(*operands)) !=
          TypeRange(SmallVector<Type>(operands->size(), type)))
    return t.fail(instruction,
                  "has operands of several shapes, expected one static shape");
  SmallVector<int64_t> dims(type.getShape());
  dims.insert(dims.begin(), 1);
  auto row = RankedTensorType::get(dims, type.getElementType());
  int64_t count = operands->size();
  dims[0] = count;
  auto stack = RankedTensorType::get(dims, type.getElementType());
  SmallVector<Value> rows;
  for (Value operand : *operands)
    rows.push_back(
        t.create(instruction, "stablehlo.reshape", row, operand)->getResult(0));
  Value stacked = t.create(instruction, "stablehlo.concatenate", stack, rows,
                           {t.integer("dimension", 0)})
                      ->getResult(0);
  attributes.push_back(t.integer("split_dimension", 0));
  attributes.push_back(t.integer("concat_dimension", 0));
  attributes.push_back(t.integer("split_count", count));
  Value exchanged =
      t.create(instruction, "stablehlo.all_to_all", stack, stacked, attributes)
          ->getResult(0);
  SmallVector<Value> results;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> starts(dims.size(), 0), limits(dims),
        strides(dims.size(), 1);
    starts[0] = i;
    limits[0] = i + 1;
    Value slice = t.create(instruction, "stablehlo.slice", row, exchanged,
                           {t.array("start_indices", starts),
                            t.array("limit_indices", limits),
                            t.array("strides", strides)})
                      ->getResult(0);
    results.push_back(
        t.create(instruction, "stablehlo.reshape", type, slice)->getResult(0));
  }
  return t.setAlias(instruction, results);
}

LogicalResult allToAll(Translator &t, const Instruction &instruction) {
  int64_t groupSize = 0;
  FailureOr<Translator::Attributes> attributes =
      collectiveAttributes(t, instruction, /*hasGlobalIds=*/false, &groupSize);
  if (failed(attributes))
    return failure();
  if (instruction.shape.isTuple())
    return allToAllOfTuple(t, instruction, *attributes);
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  FailureOr<int64_t> dimension = t.onlyDimension(instruction);
  if (failed(operands) || failed(dimension))
    return failure();
  if (groupSize == 0)
    return t.fail(instruction,
                  "splits an array over groups of several sizes, or over all "
                  "of an unknown number of devices; list groups of one size");
  attributes->push_back(t.integer("split_dimension", *dimension));
  attributes->push_back(t.integer("concat_dimension", *dimension));
  attributes->push_back(t.integer("split_count", groupSize));
  return t.emit(instruction, "stablehlo.all_to_all", *operands, *attributes);
}

static Translator::Attributes
permuteAttributes(Translator &t, const Instruction &instruction) {
  SmallVector<int64_t> pairs;
  for (const ProtoMessage &pair :
       instruction.fields.messages(instruction_field::source_target_pairs)) {
    pairs.push_back(pair.integer(source_target_field::source));
    pairs.push_back(pair.integer(source_target_field::target));
  }
  Translator::Attributes attributes = {
      t.matrix("source_target_pairs", pairs, 2)};
  addChannel(t, instruction, attributes);
  return attributes;
}

LogicalResult collectivePermute(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  return t.emit(instruction, "stablehlo.collective_permute", *operands,
                permuteAttributes(t, instruction));
}

LogicalResult collectiveBroadcast(Translator &t,
                                  const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  FailureOr<Translator::Attributes> attributes =
      collectiveAttributes(t, instruction, /*hasGlobalIds=*/false);
  if (failed(operands) || failed(attributes))
    return failure();
  return t.emit(instruction, "stablehlo.collective_broadcast", *operands,
                *attributes);
}

/// Emits the op at the start of an asynchronous pair of shape (operands,
/// results, context): the end takes the results.
static LogicalResult emitStart(Translator &t, const Instruction &instruction,
                               StringRef op,
                               Translator::Attributes attributes) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  const Shape &shape = instruction.shape;
  if (!shape.isTuple() || shape.elements.size() < 2)
    return t.fail(instruction, "has shape " + shape.str() +
                                   ", expected operands and results");
  Operation *made =
      t.create(instruction, op, leafTypes(t.context, shape.elements[1]),
               *operands, std::move(attributes));
  if (failed(t.decorate(instruction, made)))
    return failure();
  SmallVector<Value> leaves(*operands);
  llvm::append_range(leaves, made->getResults());
  leaves.resize(std::max<size_t>(leaves.size(), shape.numLeaves()), Value());
  return t.set(instruction, leaves);
}

LogicalResult allGatherStart(Translator &t, const Instruction &instruction) {
  FailureOr<Translator::Attributes> attributes =
      allGatherAttributes(t, instruction);
  if (failed(attributes))
    return failure();
  return emitStart(t, instruction, "stablehlo.all_gather", *attributes);
}

LogicalResult collectivePermuteStart(Translator &t,
                                     const Instruction &instruction) {
  return emitStart(t, instruction, "stablehlo.collective_permute",
                   permuteAttributes(t, instruction));
}

} // namespace shardwright::hlo
