//===- join_collectives.cc - build merged collectives ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packed operands: see packer.h.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/combine/join_collectives.h"

#include "shardwright/partition/combine/packer.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/cost/cost_model.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {
namespace {

RankedTensorType typeOf(Value value) { return Packer::typeOf(value); }

/// True if all are non-empty tensors of static shape.
bool areJoinable(TypeRange types) {
  return llvm::all_of(types, [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0;
  });
}

double bytesOf(TypeRange types) {
  double bytes = 0;
  for (Type type : types)
    bytes +=
        elementBytes(type) * double(cast<ShapedType>(type).getNumElements());
  return bytes;
}

/// Compares channels by type: the type, or its absence, defines what the
/// numbers in the groups mean; the handle is only a name.
int64_t channelType(std::optional<stablehlo::ChannelHandleAttr> channel) {
  return channel && *channel ? channel->getType() : int64_t(-1);
}

template <typename Op>
CollectiveClass classOf(Op op, const void *element, int64_t extra) {
  return {op->getName().getAsOpaquePointer(),
          op.getReplicaGroups().getAsOpaquePointer(), element,
          2 * channelType(op.getChannelHandle()) +
              int64_t(op.getUseGlobalDeviceIds()),
          extra};
}

const void *elementOf(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0)).getAsOpaquePointer();
}

/// Clones the first member with the given operands and result types.
Operation *likeFirst(OpBuilder &b, ArrayRef<Operation *> members,
                     ArrayRef<Value> operands, ArrayRef<Type> types) {
  SmallVector<Location> locations;
  for (Operation *op : members)
    locations.push_back(op->getLoc());
  Operation *first = members.front();
  OperationState state(FusedLoc::get(b.getContext(), locations),
                       first->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(first->getAttrs());
  for (Region &region : first->getRegions())
    state.addRegion()->takeBody(region);
  return b.create(state);
}

/// Merges into one collective with all operands and results.
void joinVariadic(ArrayRef<Operation *> members,
                  OpBuilder::Listener *listener) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Operation *op : members) {
    llvm::append_range(operands, op->getOperands());
    llvm::append_range(types, op->getResultTypes());
  }
  OpBuilder b(members.back(), listener);
  Operation *all = likeFirst(b, members, operands, types);
  unsigned at = 0;
  for (Operation *op : members) {
    op->replaceAllUsesWith(all->getResults().slice(at, op->getNumResults()));
    at += op->getNumResults();
  }
}

/// Merges gathers along any dimensions into one along a new leading dimension:
/// for several operands, XLA's CPU backend is correct only along dimension 0.
void joinGathers(ArrayRef<Operation *> members, OpBuilder::Listener *listener) {
  auto isLeading = [](Operation *op) {
    return cast<stablehlo::AllGatherOp>(op).getAllGatherDim() == 0;
  };
  if (llvm::all_of(members, isLeading))
    return joinVariadic(members, listener);
  Packer packer(members.back(), listener);
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Operation *op : members)
    for (auto [operand, result] :
         llvm::zip(op->getOperands(), op->getResults())) {
      SmallVector<int64_t> shape(typeOf(operand).getShape());
      int64_t dim = cast<stablehlo::AllGatherOp>(op).getAllGatherDim();
      int64_t n = typeOf(result).getDimSize(dim) / shape[dim];
      shape.insert(shape.begin(), 1);
      operands.push_back(packer.reshape(operand, shape));
      shape.front() = n;
      types.push_back(typeOf(operand).clone(ArrayRef<int64_t>(shape)));
    }
  Operation *all = likeFirst(packer.b, members, operands, types);
  cast<stablehlo::AllGatherOp>(all).setAllGatherDim(0);
  unsigned at = 0;
  for (Operation *op : members)
    for (auto [operand, result] :
         llvm::zip(op->getOperands(), op->getResults()))
      result.replaceAllUsesWith(
          packer.rowsAlong(all->getResult(at++),
                           cast<stablehlo::AllGatherOp>(op).getAllGatherDim(),
                           typeOf(operand).getShape()));
}

void joinScatters(ArrayRef<Operation *> members,
                  OpBuilder::Listener *listener) {
  Packer packer(members.back(), listener);
  SmallVector<Value> parts;
  for (Operation *op : members) {
    int64_t dim = cast<stablehlo::ReduceScatterOp>(op).getScatterDimension();
    Value operand = op->getOperand(0);
    parts.push_back(
        packer.partsAsRows(operand, dim,
                           typeOf(operand).getDimSize(dim) /
                               typeOf(op->getResult(0)).getDimSize(dim)));
  }
  Value packed = packer.sideBySide(parts);
  Type type =
      typeOf(packed).clone(ArrayRef<int64_t>{1, typeOf(packed).getDimSize(1)});
  Operation *all = likeFirst(packer.b, members, packed, type);
  cast<stablehlo::ReduceScatterOp>(all).setScatterDimension(0);
  int64_t at = 0;
  for (Operation *op : members) {
    auto own = typeOf(op->getResult(0));
    Value mine = packer.columns(all->getResult(0), at, own.getNumElements());
    op->getResult(0).replaceAllUsesWith(packer.reshape(mine, own.getShape()));
    at += own.getNumElements();
  }
}

void joinAllToAlls(ArrayRef<Operation *> members,
                   OpBuilder::Listener *listener) {
  Packer packer(members.back(), listener);
  int64_t n = cast<stablehlo::AllToAllOp>(members.front()).getSplitCount();
  SmallVector<Value> parts;
  for (Operation *op : members)
    parts.push_back(packer.partsAsRows(
        op->getOperand(0), cast<stablehlo::AllToAllOp>(op).getSplitDimension(),
        n));
  Value packed = packer.sideBySide(parts);
  Operation *all =
      likeFirst(packer.b, members, packed, ArrayRef<Type>(packed.getType()));
  auto exchange = cast<stablehlo::AllToAllOp>(all);
  exchange.setSplitDimension(0);
  exchange.setConcatDimension(0);
  int64_t at = 0;
  for (auto [op, part] : llvm::zip(members, parts)) {
    auto own = cast<stablehlo::AllToAllOp>(op);
    SmallVector<int64_t> shape(typeOf(own->getOperand(0)).getShape());
    shape[own.getSplitDimension()] /= n;
    int64_t width = typeOf(part).getDimSize(1);
    Value mine = packer.columns(all->getResult(0), at, width);
    own->getResult(0).replaceAllUsesWith(
        packer.rowsAlong(mine, own.getConcatDimension(), shape));
    at += width;
  }
}

} // namespace

bool mayBeJoined(Operation *op) {
  return isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp,
             stablehlo::ReduceScatterOp, stablehlo::AllToAllOp,
             stablehlo::CollectivePermuteOp>(op);
}

std::optional<CollectiveClass> collectiveClass(Operation *op) {
  if (!mayBeJoined(op) || op->getNumResults() == 0 ||
      !areJoinable(op->getOperandTypes()) || !areJoinable(op->getResultTypes()))
    return std::nullopt;
  using Class = std::optional<CollectiveClass>;
  // Requires a reducer that is one known op on the element type itself.
  auto reducerOf = [&](Region &body) {
    std::optional<ReducerKind> kind = uniformReducer(body);
    return kind && getElementTypeOrSelf(body.getArgument(0)) ==
                       getElementTypeOrSelf(op->getOperand(0))
               ? int64_t(*kind)
               : -1;
  };
  return llvm::TypeSwitch<Operation *, Class>(op)
      .Case([&](stablehlo::AllReduceOp reduce) -> Class {
        int64_t kind = reducerOf(reduce.getComputation());
        if (kind < 0)
          return std::nullopt;
        return classOf(reduce, elementOf(op), kind);
      })
      .Case([&](stablehlo::AllGatherOp gather) -> Class {
        return classOf(gather, nullptr, 0);
      })
      .Case([&](stablehlo::ReduceScatterOp scatter) -> Class {
        int64_t kind = reducerOf(scatter.getComputation());
        if (kind < 0)
          return std::nullopt;
        return classOf(scatter, elementOf(op), kind);
      })
      .Case([&](stablehlo::AllToAllOp exchange) -> Class {
        if (op->getNumOperands() != 1)
          return std::nullopt;
        return CollectiveClass{
            op->getName().getAsOpaquePointer(),
            exchange.getReplicaGroups().getAsOpaquePointer(), elementOf(op),
            channelType(exchange.getChannelHandle()), exchange.getSplitCount()};
      })
      .Case([&](stablehlo::CollectivePermuteOp) -> Class {
        return CollectiveClass{op->getName().getAsOpaquePointer(), nullptr,
                               nullptr, 0, 0};
      })
      .Default([](Operation *) -> Class { return std::nullopt; });
}

double joinedBytes(Operation *op) {
  return bytesOf(isa<stablehlo::ReduceScatterOp>(op)
                     ? TypeRange(op->getOperandTypes())
                     : TypeRange(op->getResultTypes()));
}

double mostJoinedBytes(Operation *op, const JoinLimits &limits) {
  if (isa<stablehlo::AllReduceOp>(op))
    return limits.reduced;
  if (isa<stablehlo::ReduceScatterOp>(op))
    return limits.scattered;
  return isa<stablehlo::AllGatherOp>(op) ? limits.gathered : limits.packed;
}

void joinCollectives(ArrayRef<Operation *> members,
                     OpBuilder::Listener *listener) {
  llvm::TypeSwitch<Operation *>(members.front())
      .Case([&](stablehlo::AllReduceOp) { joinVariadic(members, listener); })
      .Case([&](stablehlo::AllGatherOp) { joinGathers(members, listener); })
      .Case(
          [&](stablehlo::ReduceScatterOp) { joinScatters(members, listener); })
      .Case([&](stablehlo::AllToAllOp) { joinAllToAlls(members, listener); });
  for (Operation *op : members)
    op->erase();
}

} // namespace shardwright
