//===- halo.cc - halo exchange in manual computations ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/halo.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/mesh/shard_size.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

int64_t shardsOf(MeshTable &meshes, TensorShardingAttr sharding, int64_t d) {
  if (!sharding || d >= sharding.getRank())
    return 1;
  int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
  return mesh < 0 ? 1
                  : totalSize(meshes.toAxes(
                        mesh, sharding.getDimShardings()[d].getAxes()));
}

SmallVector<int64_t> paddedShape(MeshTable &meshes, TensorShardingAttr sharding,
                                 ArrayRef<int64_t> shape) {
  SmallVector<int64_t> padded(shape);
  for (auto [d, size] : llvm::enumerate(padded))
    if (!ShapedType::isDynamic(size)) {
      int64_t shards = shardsOf(meshes, sharding, d);
      size = shards * shardSize(size, shards);
    }
  return padded;
}

Value resizeAtEnd(OpBuilder &builder, Location loc, Value value,
                  TensorShardingAttr sharding, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> zero(shape.size(), 0), one(shape.size(), 1), high,
      larger;
  for (auto [have, want] : llvm::zip(type.getShape(), shape)) {
    high.push_back(std::max<int64_t>(want - have, 0));
    larger.push_back(have + high.back());
  }
  auto mark = [&](Operation *op) {
    if (sharding)
      sdy::setShardings(op, {sharding});
    return op->getResult(0);
  };
  if (ArrayRef<int64_t>(larger) != type.getShape()) {
    type = type.clone(ArrayRef<int64_t>(larger));
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value fill = buildZero(builder, loc, scalar);
    value = mark(stablehlo::PadOp::create(builder, loc, type, value, fill, zero,
                                          high, zero));
  }
  if (type.getShape() != shape)
    value = mark(stablehlo::SliceOp::create(builder, loc, type.clone(shape),
                                            value, zero, shape, one));
  return value;
}

HaloBuilder::HaloBuilder(Operation *root, MeshTable &meshes,
                         bool deviceIsReplica)
    : meshes(meshes), deviceIsReplica(deviceIsReplica),
      nextChannel(stablehlo::UsedChannels(root).firstUnused()) {}

Value HaloBuilder::buildManual(OpBuilder &builder, Location loc,
                               func::FuncOp func, Type type,
                               ValueRange operands,
                               ArrayRef<TensorShardingAttr> inShardings,
                               TensorShardingAttr out) {
  MLIRContext *context = builder.getContext();
  int32_t mesh = meshes.idOf(out.getMeshOrRef());
  AxisList axes;
  auto addAxes = [&](TensorShardingAttr s) {
    for (sdy::DimensionShardingAttr dim : s.getDimShardings())
      for (AxisRef axis : meshes.toAxes(mesh, dim.getAxes()))
        axes.push_back({axis.axis, 1, meshes.mesh(mesh).axisSize(axis.axis)});
  };
  for (TensorShardingAttr in : inShardings)
    addAxes(in);
  addAxes(out);
  llvm::sort(axes);
  axes.erase(llvm::unique(axes), axes.end());
  SmallVector<StringAttr> names;
  for (AxisRef axis : axes)
    names.push_back(
        StringAttr::get(context, meshes.mesh(mesh).axes()[axis.axis].name));

  Block &body = func.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  Operation *end = body.getTerminator();
  OpBuilder inner(end);
  sdy::ReturnOp::create(inner, loc, end->getOperands());
  end->erase();
  auto manual = sdy::ManualComputationOp::create(
      builder, loc, TypeRange(type), operands,
      sdy::TensorShardingPerValueAttr::get(context, inShardings),
      sdy::TensorShardingPerValueAttr::get(context, out),
      sdy::ManualAxesAttr::get(context, names));
  manual.getBody().takeBody(func.getBody());
  return manual->getResult(0);
}

FailureOr<Value> HaloBuilder::build(OpBuilder &builder, Location loc,
                                    ArrayRef<Input> inputs,
                                    TensorShardingAttr sharding,
                                    MakeOp makeOp) {
  MLIRContext *context = builder.getContext();
  // Create the op in a temporary function, then make that function local.
  SmallVector<Type> types;
  SmallVector<Value> operands;
  SmallVector<TensorShardingAttr> inShardings;
  for (const Input &input : inputs) {
    operands.push_back(input.value);
    types.push_back(input.value.getType());
    inShardings.push_back(input.sharding
                              ? input.sharding
                              : TensorShardingAttr::getFullyClosed(
                                    context, dimsOf(types.back()).size(),
                                    sharding.getMeshOrRef()));
  }

  auto func =
      func::FuncOp::create(loc, "halo", FunctionType::get(context, types, {}));
  llvm::scope_exit dropFunc([&] { func.erase(); });
  Block *body = func.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  SmallVector<Value> values;
  for (auto [input, arg, in] :
       llvm::zip(inputs, body->getArguments(), inShardings)) {
    func.setArgAttr(arg.getArgNumber(), sdy::kShardingAttr, in);
    values.push_back(input.sharding
                         ? resizeAtEnd(inner, loc, arg, in, input.shape)
                         : Value(arg));
  }
  Value made = makeOp(inner, values);
  sdy::setShardings(made.getDefiningOp(), {sharding});
  SmallVector<int64_t> shape =
      paddedShape(meshes, sharding, dimsOf(made.getType()));
  Value result = resizeAtEnd(inner, loc, made, sharding, shape);
  func::ReturnOp::create(inner, loc, result);
  Type resultType = result.getType();
  func.setType(FunctionType::get(context, types, resultType));
  func.setResultAttr(0, sdy::kShardingAttr, sharding);
  if (failed(Localizer(func, meshes, nextChannel, /*replicas=*/1,
                       {/*tables=*/false, deviceIsReplica})
                 .run()))
    return failure();
  return buildManual(builder, loc, func, resultType, operands, inShardings,
                     sharding);
}

Value HaloBuilder::buildLocal(OpBuilder &builder, Location loc, Value value,
                              TensorShardingAttr in, RankedTensorType type,
                              TensorShardingAttr out, MakeLocal makeLocal) {
  auto global = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(global.getShape());
  for (auto [d, size] : llvm::enumerate(shape))
    size /= shardsOf(meshes, in, d);
  Type local = global.clone(ArrayRef<int64_t>(shape));
  auto func = func::FuncOp::create(
      loc, "halo", FunctionType::get(builder.getContext(), local, {}));
  llvm::scope_exit dropFunc([&] { func.erase(); });
  Block *body = func.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  Localizer localizer(func, meshes, nextChannel, /*replicas=*/1,
                      {/*tables=*/false, deviceIsReplica});
  func::ReturnOp::create(inner, loc,
                         makeLocal(localizer, inner, body->getArgument(0)));
  return buildManual(builder, loc, func, type, value, in, out);
}

FailureOr<Value> HaloBuilder::resize(OpBuilder &builder, Location loc,
                                     Value value, TensorShardingAttr sharding,
                                     ArrayRef<int64_t> shape) {
  // Unsharded dimensions are resized locally.
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sharded(type.getShape());
  bool moves = false;
  for (auto [d, size] : llvm::enumerate(sharded))
    if (shardsOf(meshes, sharding, d) > 1 && size != shape[d]) {
      size = shape[d];
      moves = true;
    }
  if (moves) {
    FailureOr<Value> moved = build(
        builder, loc, Input{value, sharding, llvm::to_vector(type.getShape())},
        sharding, [&](OpBuilder &b, ArrayRef<Value> values) {
          return resizeAtEnd(b, loc, values.front(), sharding, sharded);
        });
    if (failed(moved))
      return failure();
    value = *moved;
  }
  return resizeAtEnd(builder, loc, value, sharding, shape);
}

} // namespace shardwright
