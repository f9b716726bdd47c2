//===- verify_collectives.cc - verifiers of collectives and host transfers ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/collectives.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/support/id_map.h"

using namespace mlir;

namespace shardwright::stablehlo {

static bool differ(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

// Checks that the ids are 0, 1, ... once each. `padded`: -1 fills short groups.
// `groupSize`: required size of each group (all_to_all). Groups over mesh axes
// are not checked: their mesh may be a symbol.
static LogicalResult
verifyReplicaGroups(Location loc, Attribute groups, bool padded,
                    bool useGlobalIds, std::optional<int64_t> groupSize = {}) {
  auto elements = dyn_cast<DenseIntElementsAttr>(groups);
  if (!elements)
    return success();
  auto type = elements.getType();
  if (type.getRank() != 2)
    return emitError(loc, "replica groups should be a rank 2 tensor");
  if (type.getNumElements() == 0) {
    if (useGlobalIds)
      return emitError(loc, "if `use_global_device_ids` is set, the replica "
                            "groups cannot be empty");
    return success();
  }
  IdSet seen;
  // A splat of any size is invalid from its second element on, so look at two.
  auto ids = elements.getValues<int64_t>();
  int64_t count = type.getNumElements();
  if (elements.isSplat())
    count = std::min<int64_t>(count, 2);
  for (int64_t id : llvm::make_range(ids.begin(), ids.begin() + count)) {
    if (id == -1) {
      if (!padded)
        return emitError(loc, "Invalid replica id -1");
      continue;
    }
    // A negative id other than padding fails the range check below.
    if (!seen.insert(id).second)
      return emitError(loc) << "replica id #" << id << " seen more than once";
  }
  if (seen.empty())
    return emitError(loc, "replica groups hold padding alone");
  for (int64_t id = 0, e = seen.size(); id < e; ++id)
    if (!seen.contains(id))
      return emitError(loc)
             << "replica id #" << id << " not seen in replica groups";
  if (groupSize && type.getDimSize(1) != *groupSize)
    return emitError(loc) << "group size of replica_groups must be "
                          << *groupSize;
  return success();
}

// Global ids need a channel with a nonzero handle.
static LogicalResult verifyChannel(Location loc, bool useGlobalIds,
                                   std::optional<ChannelHandleAttr> channel) {
  int64_t id = channel ? channel->getHandle() : 0;
  if (useGlobalIds && id <= 0)
    return emitError(loc) << "channel_id must be positive when "
                             "useGlobalDeviceIds is set but got: "
                          << id;
  return success();
}

LogicalResult AllGatherOp::verify() {
  Location loc = getLoc();
  if (failed(verifyReplicaGroups(loc, getReplicaGroups(), /*padded=*/false,
                                 getUseGlobalDeviceIds())))
    return failure();
  int64_t dim = getAllGatherDim();
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) {
    auto from = cast<RankedTensorType>(operand.getType());
    auto to = cast<RankedTensorType>(result.getType());
    if (dim >= from.getRank())
      return mlir::emitError(loc,
                             "all_gather_dim must be a valid index of operand");
    if (from.getRank() != to.getRank())
      return mlir::emitError(loc, "operand and result must have the same rank");
    for (int64_t d = 0; d < from.getRank(); ++d)
      if (d != dim && differ(from.getDimSize(d), to.getDimSize(d)))
        return mlir::emitError(
            loc, "operand and result should have the same shape except for "
                 "the dimension size at 'all_gather_dim'");
    int64_t size = from.getDimSize(dim), gathered = to.getDimSize(dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(gathered))
      continue;
    if (size == 0)
      return mlir::emitError(
          loc, "dimension size of operand at 'all_gather_dim' cannot be zero");
    if (gathered % size != 0)
      return mlir::emitError(loc)
             << "result gather dimension has size " << gathered
             << ", expected to be a multiple of operand gather dimension size "
             << size;
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyReplicaGroups(getLoc(), getReplicaGroups(), /*padded=*/true,
                                 getUseGlobalDeviceIds())))
    return failure();
  return verifyChannel(getLoc(), getUseGlobalDeviceIds(), getChannelHandle());
}

LogicalResult ReduceScatterOp::verify() {
  Location loc = getLoc();
  if (failed(verifyReplicaGroups(loc, getReplicaGroups(), /*padded=*/false,
                                 getUseGlobalDeviceIds())) ||
      failed(verifyChannel(loc, getUseGlobalDeviceIds(), getChannelHandle())))
    return failure();
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  int64_t dim = getScatterDimension();
  Type scalar = RankedTensorType::get({}, from.getElementType());
  FailureOr<SmallVector<Type>> elements =
      checkReducer(loc, getComputation(), TypeRange(scalar), TypeRange(scalar));
  if (failed(elements))
    return failure();
  if (from.getRank() != to.getRank())
    return mlir::emitError(loc, "operand and result should have same rank");
  if (dim >= from.getRank())
    return mlir::emitError(
        loc, "scatter dim should be less than operand/result rank");
  int64_t size = from.getDimSize(dim), part = to.getDimSize(dim);
  if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(part)) {
    if (part == 0)
      return mlir::emitError(
          loc, "result dimension size at scatter_dimension cannot be zero");
    if (size == 0)
      return mlir::emitError(
          loc, "operand dimension size at scatter_dimension cannot be zero");
    if (size % part != 0)
      return mlir::emitError(loc)
             << "operand scatter dimension has size " << size
             << ", expected to be a multiple of result scatter dimension size "
             << part;
  }
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (d != dim && differ(from.getDimSize(d), to.getDimSize(d)))
      return mlir::emitError(loc)
             << "non scatter dimensions should be same for operand ("
             << from.getDimSize(d) << ") and result (" << to.getDimSize(d)
             << ")";
  if (!areElementTypesCompatible(to.getElementType(), elements->front()))
    return mlir::emitError(loc)
           << "result element-type is expected to be " << elements->front()
           << ", but got " << to.getElementType();
  return success();
}

LogicalResult AllToAllOp::verify() {
  return verifyReplicaGroups(getLoc(), getReplicaGroups(), /*padded=*/false,
                             /*useGlobalIds=*/false, getSplitCount());
}

LogicalResult CollectivePermuteOp::verify() {
  Location loc = getLoc();
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  auto type = pairs.getType();
  if (type.getRank() != 2)
    return mlir::emitError(loc) << "expect source_target_pairs attribute to be "
                                   "of rank 2, but got rank "
                                << type.getRank();
  if (type.getDimSize(1) != 2)
    return mlir::emitError(loc)
           << "expect source_target_pairs attribute of shape (N, 2), but got ("
           << type.getDimSize(0) << ", " << type.getDimSize(1) << ")";
  IdSet sources, targets;
  for (auto [index, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (id < 0)
      return mlir::emitError(
          loc, "replica ids in source_target_pairs must be >= 0.");
    bool isSource = index % 2 == 0;
    if (!(isSource ? sources : targets).insert(id).second)
      return mlir::emitError(loc)
             << "duplicate " << (isSource ? "sources" : "targets")
             << " not allowed.";
  }
  return success();
}

// Checks the last operand, which holds the root of each group.
static LogicalResult verifyRoot(Operation *op, bool hasDynamicRoot) {
  if (op->getNumOperands() != op->getNumResults() + (hasDynamicRoot ? 1 : 0))
    return op->emitOpError("expects ")
           << (hasDynamicRoot ? "one operand more than results"
                              : "as many operands as results")
           << ", got " << op->getNumOperands() << " and "
           << op->getNumResults();
  if (!hasDynamicRoot)
    return success();
  auto roots = dyn_cast<RankedTensorType>(
      op->getOperand(op->getNumOperands() - 1).getType());
  if (!roots || roots.getRank() != 1 ||
      !roots.getElementType().isSignlessInteger(32))
    return op->emitOpError("expects roots as the last operand, a 1-dimensional "
                           "tensor of 32-bit integers");
  return success();
}

LogicalResult CollectiveReduceOp::verify() {
  if (failed(verifyReplicaGroups(getLoc(), getReplicaGroups(), /*padded=*/true,
                                 getUseGlobalDeviceIds())))
    return failure();
  return verifyRoot(*this, getHasDynamicRoot());
}

LogicalResult CollectiveBroadcastOp::verify() {
  if (failed(verifyRoot(*this, getHasDynamicRoot())))
    return failure();
  Location loc = getLoc();
  auto elements = dyn_cast<DenseIntElementsAttr>(getReplicaGroups());
  if (!elements)
    return success();
  if (elements.getType().getRank() != 2)
    return mlir::emitError(loc, "replica groups should be a rank 2 tensor");
  IdSet seen;
  for (int64_t id : elements.getValues<int64_t>()) {
    if (id < 0)
      return mlir::emitError(loc)
             << "replica_groups values must be positive, but was given " << id;
    if (!seen.insert(id).second)
      return mlir::emitError(loc)
             << "replica id #" << id << " seen more than once";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Host transfers
//===----------------------------------------------------------------------===//

// Checks tensors followed by a token. `others`: StableHLO's text for the
// tensors.
static LogicalResult verifyTokenLast(Location loc, TypeRange types,
                                     StringRef others) {
  if (types.empty())
    return emitError(loc,
                     "result is expected to be at least of size 1, but got 0");
  if (!isa<TokenType>(types.back()))
    return emitError(loc) << "last element of result types is expected to be "
                             "of token type, but got "
                          << types.back();
  for (Type type : types.drop_back())
    if (!isa<TensorType>(type))
      return emitError(loc)
             << others << " expected to be of tensor type, but got " << type;
  return success();
}

LogicalResult InfeedOp::verify() {
  Location loc = getLoc();
  if (failed(verifyTokenLast(loc, getResultTypes(),
                             "all elements of result types, except the last "
                             "element, are")))
    return failure();
  std::optional<ArrayAttr> layout = getLayout();
  if (!layout)
    return success();
  if (layout->size() != getNumResults() - 1)
    return mlir::emitError(loc)
           << "layout-attribute size must be " << getNumResults() - 1
           << " (which is the number of op-results - 1 (for token result)), "
              "but got "
           << layout->size();
  for (Attribute entry : *layout) {
    auto dims = dyn_cast<ArrayAttr>(entry);
    if (!dims)
      return mlir::emitError(loc) << "layout-attribute expected to have "
                                     "elements of type array, but got "
                                  << entry;
    for (Attribute dim : dims)
      if (!isa<IntegerAttr>(dim))
        return mlir::emitError(loc)
               << "layout-attribute's leaf elements are "
                  "expected to be of type integer, but got "
               << dim;
  }
  return success();
}

namespace {
enum ChannelType : int64_t {
  kDeviceToDevice = 1,
  kDeviceToHost = 2,
  kHostToDevice = 3
};
} // namespace

LogicalResult SendOp::verify() {
  int64_t type = getChannelHandle().getType();
  if (getIsHostTransfer() && type != kDeviceToHost)
    return mlir::emitError(getLoc(), "channel_type should be DEVICE_TO_HOST "
                                     "when is_host_transfer is true");
  if (!getIsHostTransfer() && type != kDeviceToDevice)
    return mlir::emitError(getLoc(), "channel_type should be DEVICE_TO_DEVICE "
                                     "when is_host_transfer is false");
  return success();
}

LogicalResult RecvOp::verify() {
  int64_t type = getChannelHandle().getType();
  if (getIsHostTransfer() && type != kHostToDevice)
    return mlir::emitError(getLoc(), "channel_type should be HOST_TO_DEVICE "
                                     "when is_host_transfer is true");
  if (!getIsHostTransfer() && type != kDeviceToDevice)
    return mlir::emitError(getLoc(), "channel_type should be DEVICE_TO_DEVICE "
                                     "when is_host_transfer is false");
  return verifyTokenLast(getLoc(), getResultTypes(),
                         "everything but the last element of result types is");
}

LogicalResult AsyncStartOp::verify() {
  FailureOr<SmallVector<Type>> returned = returnedTypes(getLoc(), getBody());
  if (failed(returned))
    return failure();
  if (!llvm::equal(getBody().getArgumentTypes(), getOperandTypes()))
    return emitOpError("expects the region to take the operands, of types ")
           << getOperandTypes() << ", but it takes "
           << getBody().getArgumentTypes();
  auto future = cast<FutureType>(getResult().getType());
  if (!llvm::equal(future.getTypes(), *returned))
    return emitOpError("expects a future of what the region returns, ")
           << TypeRange(*returned) << ", got " << future;
  return success();
}

} // namespace shardwright::stablehlo
