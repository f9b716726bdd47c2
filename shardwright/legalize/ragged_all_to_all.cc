//===- ragged_all_to_all.cc - the custom call ragged_all_to_all -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom call has the operands that JAX writes: operand, output,
// input_offsets, send_sizes, output_offsets, recv_sizes. Each list has the same
// number of entries for each member of the group. Every device gathers the
// operands and the first three lists, then copies the slices that are sent to
// it, one by one, in a loop.
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/legalize.h"
#include "shardwright/legalize/replica_groups.h"

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

bool isRaggedAllToAll(hlo::CustomCallOp op) {
  return op.getCallTargetName() == "ragged_all_to_all";
}

namespace {

/// Creates StableHLO ops at one location.
struct HloBuilder {
  OpBuilder b;
  Location at;

  RankedTensorType type(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }
  Value constant(int32_t value) {
    return hlo::ConstantOp::create(
        b, at, DenseElementsAttr::get(type({}, b.getI32Type()), value));
  }
  Value reshape(Value v, ArrayRef<int64_t> shape) {
    auto from = cast<RankedTensorType>(v.getType());
    return hlo::ReshapeOp::create(b, at, from.clone(shape), v);
  }
  /// Entry [i, j] of a matrix, converted to i32.
  Value entry(Value matrix, Value i, Value j) {
    auto from = cast<RankedTensorType>(matrix.getType());
    Value one = hlo::DynamicSliceOp::create(b, at, from.clone({1, 1}), matrix,
                                            ValueRange{i, j},
                                            b.getDenseI64ArrayAttr({1, 1}));
    return hlo::ConvertOp::create(b, at, type({}, b.getI32Type()),
                                  reshape(one, {}));
  }
  Value broadcast(Value v, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
    auto from = cast<RankedTensorType>(v.getType());
    return hlo::BroadcastInDimOp::create(b, at, from.clone(shape), v,
                                         b.getDenseI64ArrayAttr(dims));
  }
  Value compare(Value x, Value y, hlo::ComparisonDirection direction) {
    return hlo::CompareOp::create(b, at, x, y, direction);
  }
};

} // namespace

/// Reads the replica groups of a call from its dictionary.
static LogicalResult readGroups(hlo::CustomCallOp op, DenseIntElementsAttr &ids,
                                hlo::ChannelHandleAttr &channel) {
  auto options = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  if (!options)
    options = dyn_cast_or_null<DictionaryAttr>(
        op.getBackendConfig().value_or(Attribute()));
  ids =
      options ? options.getAs<DenseIntElementsAttr>("replica_groups") : nullptr;
  if (!ids || ids.getType().getRank() != 2)
    return op.emitError("custom call 'ragged_all_to_all' requires an attribute "
                        "replica_groups of rank 2");
  auto id = options.getAs<IntegerAttr>("channel_id");
  if (id && id.getValue().sgt(0))
    channel = hlo::ChannelHandleAttr::get(op.getContext(),
                                          id.getValue().getSExtValue(), 1);
  return success();
}

static LogicalResult checkRagged(hlo::CustomCallOp op) {
  auto bad = [&](const Twine &why) {
    return op.emitError() << "custom call 'ragged_all_to_all' " << why;
  };
  if (op.getNumOperands() != 6 || op.getNumResults() != 1)
    return bad("requires six operands and one result");
  SmallVector<RankedTensorType> types;
  for (Type t : op->getOperandTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(t);
    if (!tensor || !tensor.hasStaticShape() || tensor.getRank() == 0)
      return bad("requires arrays of static shape and at least one dimension");
    types.push_back(tensor);
  }
  if (types[0].getElementType() != types[1].getElementType() ||
      types[0].getShape().drop_front() != types[1].getShape().drop_front() ||
      op.getResult(0).getType() != types[1])
    return bad("requires an operand, an output and a result of equal types, "
               "except for the first dimension of the operand");
  for (RankedTensorType list : ArrayRef(types).drop_front(2))
    if (list.getRank() != 1 || !list.getElementType().isInteger() ||
        list.getShape() != types[2].getShape())
      return bad("requires four lists of integers of one length");
  return success();
}

namespace {

/// Replaces one call.
class RaggedAllToAll {
public:
  explicit RaggedAllToAll(hlo::CustomCallOp op)
      : op(op), m{OpBuilder(op), op.getLoc()}, i32(m.b.getI32Type()),
        outType(cast<RankedTensorType>(op.getOperand(1).getType())),
        inType(cast<RankedTensorType>(op.getOperand(0).getType())) {}

  LogicalResult readMembers(int64_t replicas, int64_t partitions);
  void rewrite(int64_t partitions);

private:
  Value gather(Value v);
  Value firstSlice(int64_t partitions);
  Value copySlices(Value first);
  void emitSlice(Block *body, Value first);
  Value receivedRows(Value sender, Value source);

  hlo::CustomCallOp op;
  HloBuilder m;
  Type i32;
  RankedTensorType outType, inType;

  /// Members of a group; entries of each list, in total and per member.
  int64_t size = 0, count = 0, each = 0;
  DenseIntElementsAttr groups;
  /// The position of each device in its group.
  SmallVector<int32_t> placeOf;
  /// The gathered values of all members.
  Value operands, inputOffsets, sizes, outputOffsets;
};

} // namespace

LogicalResult RaggedAllToAll::readMembers(int64_t replicas,
                                          int64_t partitions) {
  DenseIntElementsAttr ids;
  hlo::ChannelHandleAttr channel;
  if (failed(readGroups(op, ids, channel)))
    return failure();
  // As in all_to_all, groups are of partitions if there is a channel, else of
  // replicas.
  auto probe = hlo::CollectiveBroadcastOp::create(
      m.b, m.at, TypeRange{op.getOperand(2).getType()},
      ValueRange{op.getOperand(2)}, ids, channel, /*has_dynamic_root=*/false);
  FailureOr<ReplicaGroups> members =
      readReplicaGroups(probe, replicas, partitions);
  probe.erase();
  if (failed(members))
    return failure();
  size = members->empty() ? 0 : int64_t((*members)[0].size());
  count = cast<RankedTensorType>(op.getOperand(2).getType()).getDimSize(0);
  if (size == 0 || count % size != 0 || count > INT32_MAX)
    return op.emitError() << "custom call 'ragged_all_to_all' has lists of "
                          << count << " entries for groups of " << size;
  each = count / size;
  SmallVector<int64_t> flat;
  placeOf.assign(replicas * partitions, 0);
  for (const auto &group : *members) {
    if (int64_t(group.size()) != size)
      return op.emitError("replica groups should have one size");
    for (auto [i, device] : llvm::enumerate(group)) {
      flat.push_back(device);
      placeOf[device] = int32_t(i);
    }
  }
  groups = DenseIntElementsAttr::get(
      RankedTensorType::get({int64_t(members->size()), size}, m.b.getI64Type()),
      flat);
  return success();
}

/// Gathers the values of all group members along a new leading dimension.
Value RaggedAllToAll::gather(Value v) {
  auto type = cast<RankedTensorType>(v.getType());
  SmallVector<int64_t> one{1}, all{size};
  one.append(type.getShape().begin(), type.getShape().end());
  all.append(type.getShape().begin(), type.getShape().end());
  auto global = hlo::ChannelHandleAttr::get(op.getContext(), 1, 1);
  return hlo::AllGatherOp::create(m.b, m.at, TypeRange{type.clone(all)},
                                  ValueRange{m.reshape(v, one)},
                                  /*all_gather_dim=*/0, groups, global,
                                  /*use_global_device_ids=*/true)
      .getResult(0);
}

/// The index of the first slice that each member sends to this device, from the
/// position of the device in its group.
Value RaggedAllToAll::firstSlice(int64_t partitions) {
  auto u32 = m.type({}, m.b.getIntegerType(32, /*isSigned=*/false));
  Value perReplica = hlo::ConstantOp::create(
      m.b, m.at, DenseElementsAttr::get(u32, uint32_t(partitions)));
  Value device = hlo::AddOp::create(
      m.b, m.at,
      hlo::MulOp::create(m.b, m.at, hlo::ReplicaIdOp::create(m.b, m.at, u32),
                         perReplica),
      hlo::PartitionIdOp::create(m.b, m.at, u32));
  auto tableType = m.type({int64_t(placeOf.size())}, i32);
  Value table = hlo::ConstantOp::create(
      m.b, m.at, DenseElementsAttr::get(tableType, ArrayRef<int32_t>(placeOf)));
  Value place = m.reshape(
      hlo::DynamicSliceOp::create(m.b, m.at, tableType.clone({1}, i32), table,
                                  device, m.b.getDenseI64ArrayAttr({1})),
      {});
  return hlo::MulOp::create(m.b, m.at, place, m.constant(int32_t(each)));
}

/// Gathers the rows of the sender's operand that `source` names per output row.
Value RaggedAllToAll::receivedRows(Value sender, Value source) {
  SmallVector<int64_t> one{1};
  one.append(inType.getShape().begin(), inType.getShape().end());
  SmallVector<Value> index(inType.getRank() + 1, m.constant(0));
  index[0] = sender;
  Value theirs = m.reshape(
      hlo::DynamicSliceOp::create(m.b, m.at, inType.clone(one), operands, index,
                                  m.b.getDenseI64ArrayAttr(one)),
      inType.getShape());
  SmallVector<int64_t> offsetDims, sliceSizes(inType.getShape());
  for (int64_t d = 1; d < inType.getRank(); ++d)
    offsetDims.push_back(d);
  sliceSizes[0] = 1;
  auto numbers = hlo::GatherDimensionNumbersAttr::get(
      op.getContext(), offsetDims, /*collapsedSliceDims=*/{0},
      /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
      /*startIndexMap=*/{0}, /*indexVectorDim=*/1);
  return hlo::GatherOp::create(m.b, m.at, outType, theirs,
                               m.reshape(source, {outType.getDimSize(0), 1}),
                               numbers, m.b.getDenseI64ArrayAttr(sliceSizes),
                               /*indices_are_sorted=*/false);
}

/// Copies slice k % each of member k / each to the output.
void RaggedAllToAll::emitSlice(Block *body, Value first) {
  int64_t rows = outType.getDimSize(0);
  Value k = body->getArgument(0), sofar = body->getArgument(1);
  Value perMember = m.constant(int32_t(each));
  Value sender = hlo::DivOp::create(m.b, m.at, k, perMember);
  Value slice = hlo::AddOp::create(m.b, m.at, first,
                                   hlo::RemOp::create(m.b, m.at, k, perMember));
  Value from = m.entry(inputOffsets, sender, slice),
        length = m.entry(sizes, sender, slice),
        to = m.entry(outputOffsets, sender, slice);
  // For row r of the output, the row of the sender's operand.
  auto rowsType = m.type({rows}, i32);
  Value row = hlo::IotaOp::create(m.b, m.at, rowsType, 0);
  Value inSlice =
      hlo::SubtractOp::create(m.b, m.at, row, m.broadcast(to, {rows}, {}));
  Value source =
      hlo::AddOp::create(m.b, m.at, inSlice, m.broadcast(from, {rows}, {}));
  Value isSent = hlo::AndOp::create(
      m.b, m.at,
      m.compare(inSlice, m.broadcast(m.constant(0), {rows}, {}),
                hlo::ComparisonDirection::GE),
      m.compare(inSlice, m.broadcast(length, {rows}, {}),
                hlo::ComparisonDirection::LT));
  Value taken = receivedRows(sender, source);
  Value mask = m.broadcast(isSent, outType.getShape(), {0});
  Value next = hlo::SelectOp::create(m.b, m.at, outType, mask, taken, sofar);
  Value more = hlo::AddOp::create(m.b, m.at, k, m.constant(1));
  hlo::ReturnOp::create(m.b, m.at, ValueRange{more, next});
}

Value RaggedAllToAll::copySlices(Value first) {
  Value output = op.getOperand(1);
  auto loop =
      hlo::WhileOp::create(m.b, m.at, TypeRange{m.type({}, i32), outType},
                           ValueRange{m.constant(0), output});
  SmallVector<Type> carried{m.type({}, i32), outType};
  SmallVector<Location> places{m.at, m.at};
  OpBuilder::InsertionGuard guard(m.b);
  Block *cond = m.b.createBlock(&loop.getCond(), {}, carried, places);
  hlo::ReturnOp::create(
      m.b, m.at,
      ValueRange{m.compare(cond->getArgument(0), m.constant(int32_t(count)),
                           hlo::ComparisonDirection::LT)});
  Block *body = m.b.createBlock(&loop.getBody(), {}, carried, places);
  emitSlice(body, first);
  return loop.getResult(1);
}

void RaggedAllToAll::rewrite(int64_t partitions) {
  operands = gather(op.getOperand(0));
  inputOffsets = gather(op.getOperand(2));
  sizes = gather(op.getOperand(3));
  outputOffsets = gather(op.getOperand(4));
  Value first = firstSlice(partitions);
  bool empty = outType.getDimSize(0) == 0 || inType.getDimSize(0) == 0;
  Value result = empty ? op.getOperand(1) : copySlices(first);
  op.replaceAllUsesWith(ValueRange{result});
  op.erase();
}

LogicalResult legalizeRaggedAllToAll(hlo::CustomCallOp op, int64_t replicas,
                                     int64_t partitions) {
  if (failed(checkRagged(op)))
    return failure();
  RaggedAllToAll call(op);
  if (failed(call.readMembers(replicas, partitions)))
    return failure();
  call.rewrite(partitions);
  return success();
}

} // namespace shardwright::legalize
