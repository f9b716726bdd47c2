//===- pad_for_divisibility.cc - pad uneven dimensions --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pads a sharded dimension of N rows to full shards; rows beyond N are
// unspecified, and no row below N may depend on them. Ops that compute a result
// row from the same operand rows run on padded values as they are; reductions
// mask the padding rows first; the few other ops run replicated. Shardy masks
// only contractions and convolutions.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/divisibility_padder.h"
#include "shardwright/partition/shardy/passes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_PADFORDIVISIBILITY
#include "shardwright/partition/shardy/passes.h.inc"

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

TensorShardingAttr Padder::shardingOf(Value value, Type type) {
  TensorShardingAttr sharding = sdy::getSharding(value);
  if (!sharding || !isa<RankedTensorType>(type) ||
      meshes.idOf(sharding.getMeshOrRef()) < 0 ||
      sharding.getRank() != cast<RankedTensorType>(type).getRank())
    return nullptr;
  return sharding;
}

void Padder::widen(Value value, Value like) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return;
  SmallVector<int64_t> shape = padded(like);
  if (ArrayRef<int64_t>(shape) == type.getShape())
    return;
  shapes[value].assign(type.getShape().begin(), type.getShape().end());
  value.setType(type.clone(ArrayRef<int64_t>(shape)));
}

LogicalResult Padder::run() {
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    TensorShardingAttr sharding =
        func.getArgAttrOfType<TensorShardingAttr>(i, sdy::kShardingAttr);
    ArrayRef<int64_t> shape = dimsOf(type);
    if (sharding && sharding.getRank() == int64_t(shape.size()) &&
        ArrayRef<int64_t>(paddedShape(meshes, sharding, shape)) != shape)
      return func.emitError("argument #")
             << i
             << " has a non-divisible sharding. Shardy expects function IO to "
                "be divisible.";
  }
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    TensorShardingAttr sharding = sdy::getFuncResultSharding(func, i);
    ArrayRef<int64_t> shape = dimsOf(type);
    if (sharding && sharding.getRank() == int64_t(shape.size()) &&
        ArrayRef<int64_t>(paddedShape(meshes, sharding, shape)) != shape)
      return func.emitError("result #")
             << i
             << " has a non-divisible sharding. Shardy expects function IO to "
                "be divisible.";
  }
  func.walk([&](Operation *op) {
    if (isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()))
      readRule(op);
  });
  for (Block &block : func.getBody())
    if (failed(visitBlock(block)))
      return failure();
  return success();
}

void Padder::readRule(Operation *op) {
  auto isUneven = [&](Value value, int64_t d) {
    int64_t n = shardsOf(meshes, shardingOf(value, value.getType()), d);
    int64_t size = dimsOf(value.getType())[d];
    return n > 1 && (ShapedType::isDynamic(size) || size % n != 0);
  };
  auto isAnyUneven = [&](Value value) {
    for (size_t d = 0; d < dimsOf(value.getType()).size(); ++d)
      if (isUneven(value, d))
        return true;
    return false;
  };
  if (op->getNumOperands() == 0 || op->getNumResults() == 0 ||
      (llvm::none_of(op->getOperands(), isAnyUneven) &&
       llvm::none_of(op->getResults(), isAnyUneven)))
    return;
  std::optional<ShardingRule> rule = getShardingRule(op, {.extraRules = true});
  if (!rule || rule->operands.size() != op->getNumOperands() ||
      rule->results.size() != op->getNumResults())
    return;
  auto held = [&](int32_t f, ArrayRef<TensorMapping> tensors) {
    return llvm::any_of(tensors, [&](const TensorMapping &mapping) {
      return llvm::any_of(mapping, [&](const DimMapping &dim) {
        return llvm::is_contained(dim, f);
      });
    });
  };
  for (auto [t, operand] : llvm::enumerate(op->getOperands()))
    for (auto [d, dim] : llvm::enumerate(rule->operands[t]))
      for (int32_t f : dim) {
        FactorKind kind = rule->factors[f].kind;
        if (kind == FactorKind::Reduction &&
            shardsOf(meshes, shardingOf(operand, operand.getType()), d) > 1)
          reduced[op].push_back({t, d});
        if (isUneven(operand, d) && kind != FactorKind::Reduction &&
            (kind == FactorKind::NeedReplication || !held(f, rule->results)))
          oneSided.insert(op);
      }
  for (auto [t, result] : llvm::enumerate(op->getResults()))
    for (auto [d, dim] : llvm::enumerate(rule->results[t]))
      if (isUneven(result, d) && !isa<stablehlo::BroadcastInDimOp>(op) &&
          (dim.empty() || llvm::any_of(dim, [&](int32_t f) {
             return rule->factors[f].kind == FactorKind::NeedReplication ||
                    !held(f, rule->operands);
           })))
        oneSided.insert(op);
}

LogicalResult Padder::visitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(visit(&op)))
      return failure();
  return success();
}

void Padder::visitReshard(sdy::ReshardOp reshard) {
  Value input = reshard.getInput(), result = reshard.getResult();
  TensorShardingAttr from = shardingOf(input, input.getType());
  SmallVector<int64_t> want = padded(result);
  if ((from && !from.emptyAxes()) ||
      ArrayRef<int64_t>(want) == dimsOf(result.getType()))
    return;
  OpBuilder builder(reshard);
  reshard.getInputMutable().set(
      resizeAtEnd(builder, reshard.getLoc(), input, from, want));
  widen(result);
}

void Padder::visitBarrier(sdy::PropagationBarrierOp barrier) {
  Value input = barrier.getInput(), result = barrier.getResult();
  result.setType(input.getType());
  if (auto it = shapes.find(input); it != shapes.end())
    shapes[result] = SmallVector<int64_t, 4>(it->second);
  beyond[result] = beyond.lookup(input);
}

LogicalResult Padder::visitLoop(stablehlo::WhileOp op) {
  for (Region &region : op->getRegions()) {
    for (auto [arg, result] :
         llvm::zip(region.getArguments(), op->getResults()))
      widen(arg, result);
    if (failed(visitBlock(region.front())))
      return failure();
  }
  widenResults(op);
  return success();
}

LogicalResult Padder::visitRegions(Operation *op, bool isUneven) {
  if (auto manual = dyn_cast<sdy::ManualComputationOp>(op); manual && isUneven)
    return op->emitOpError(
        "has operands or results that their shardings do not divide; remove "
        "axes from its shardings");
  for (Region &region : op->getRegions()) {
    for (BlockArgument arg : region.getArguments())
      if (isa<sdy::NamedComputationOp>(op))
        widen(arg);
    if (failed(visitBlock(region.front())))
      return failure();
  }
  widenResults(op);
  return success();
}

void Padder::maskConvolution(stablehlo::ConvolutionOp conv) {
  auto dims = conv.getDimensionNumbers();
  SmallVector<int64_t> lhs(dims.getInputSpatialDimensions()),
      rhs(dims.getKernelSpatialDimensions());
  lhs.push_back(dims.getInputFeatureDimension());
  rhs.push_back(dims.getKernelInputFeatureDimension());
  maskOperand(conv, 0, lhs);
  maskOperand(conv, 1, rhs);
}

void Padder::visitSlice(stablehlo::SliceOp slice) {
  widenResults(slice);
  SmallVector<int64_t> limits(slice.getLimitIndices());
  ArrayRef<int64_t> out = dimsOf(slice.getResult().getType());
  for (size_t d = 0; d < limits.size(); ++d)
    if (rows(slice.getResult(), d) != out[d] ||
        rows(slice.getOperand(), d) != dimsOf(slice.getOperand().getType())[d])
      limits[d] =
          slice.getStartIndices()[d] + (out[d] - 1) * slice.getStrides()[d] + 1;
  slice.setLimitIndices(limits);
}

void Padder::visitDimensionSize(stablehlo::GetDimensionSizeOp size) {
  int64_t count = rows(size.getOperand(), size.getDimension());
  OpBuilder builder(size);
  auto type = typeOf(size.getResult());
  size.getResult().replaceAllUsesWith(
      stablehlo::ConstantOp::create(
          builder, size.getLoc(), type,
          DenseElementsAttr::get(type, int32_t(count)))
          .getResult());
  size->erase();
}

bool Padder::isUneven(Operation *op) {
  if (llvm::any_of(op->getOperands(), [&](Value v) { return isPadded(v); }))
    return true;
  return llvm::any_of(op->getResults(), [&](Value result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    return type && type.hasStaticShape() &&
           ArrayRef<int64_t>(padded(result)) != type.getShape();
  });
}

LogicalResult Padder::visit(Operation *op) {
  // A reshard from the replicated layout to a mesh with other axes is a slice.
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op);
      reshard && !isPadded(reshard.getInput())) {
    visitReshard(reshard);
    return success();
  }
  if (auto barrier = dyn_cast<sdy::PropagationBarrierOp>(op)) {
    visitBarrier(barrier);
    return success();
  }
  if (auto collective = dyn_cast<sdy::CollectiveOpInterface>(op))
    return visitCollective(collective);
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return visitLoop(loop);
  bool uneven = isUneven(op);
  if (isa<stablehlo::IfOp, stablehlo::CaseOp, sdy::NamedComputationOp,
          sdy::ManualComputationOp>(op))
    return visitRegions(op, uneven);
  if (!uneven)
    return success();
  if (oneSided.contains(op))
    return visitWhole(op);
  if (worksPadded(op)) {
    if (auto conv = dyn_cast<stablehlo::ConvolutionOp>(op))
      maskConvolution(conv);
    widenResults(op);
    return success();
  }
  return visitByName(op);
}

LogicalResult Padder::visitByName(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<stablehlo::ConstantOp, sdy::ConstantOp>([&](auto constant) {
        visitConstant(constant, constant.getValue());
        return success();
      })
      .Case([&](stablehlo::PadOp pad) {
        visitPad(pad);
        return success();
      })
      .Case([&](stablehlo::SliceOp slice) {
        visitSlice(slice);
        return success();
      })
      .Case([&](stablehlo::DynamicSliceOp slice) {
        widenResults(op);
        slice.setSliceSizes(dimsOf(slice.getResult().getType()));
        return success();
      })
      .Case([&](stablehlo::DynamicUpdateSliceOp) {
        widenResults(op);
        return success();
      })
      .Case([&](stablehlo::ReduceOp reduce) {
        visitReduce(reduce);
        return success();
      })
      .Case([&](stablehlo::DotGeneralOp dot) {
        auto dims = dot.getDotDimensionNumbers();
        maskOperand(op, 0, dims.getLhsContractingDimensions());
        maskOperand(op, 1, dims.getRhsContractingDimensions());
        widenResults(op);
        return success();
      })
      .Case([&](stablehlo::DotOp dot) {
        maskOperand(op, 0, typeOf(dot.getLhs()).getRank() - 1);
        maskOperand(op, 1, int64_t(0));
        widenResults(op);
        return success();
      })
      .Case([&](stablehlo::GatherOp gather) {
        visitGather(gather);
        return success();
      })
      .Case([&](stablehlo::ScatterOp scatter) { return visitScatter(scatter); })
      .Case([&](stablehlo::ReshapeOp reshape) -> LogicalResult {
        if (ShapedType::getNumElements(padded(reshape.getResult())) ==
            typeOf(reshape.getOperand()).getNumElements()) {
          widenResults(op);
          return success();
        }
        return visitWhole(op);
      })
      .Case([&](stablehlo::GetDimensionSizeOp size) {
        visitDimensionSize(size);
        return success();
      })
      .Default([&](Operation *other) { return visitWhole(other); });
}

namespace {

struct PadForDivisibilityPass
    : impl::PadForDivisibilityBase<PadForDivisibilityPass> {
  using PadForDivisibilityBase::PadForDivisibilityBase;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return name.getStringRef() == ModuleOp::getOperationName() ||
           name.getStringRef() == func::FuncOp::getOperationName();
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> funcs;
    if (auto module = dyn_cast<ModuleOp>(getOperation()))
      llvm::append_range(funcs, module.getOps<func::FuncOp>());
    else
      funcs.push_back(cast<func::FuncOp>(getOperation()));
    for (func::FuncOp func : funcs) {
      FailureOr<MeshTable> meshes = MeshTable::createFor(func);
      if (failed(meshes) ||
          failed(Padder(func, *meshes, /*deviceIsReplica=*/replicaCount > 1)
                     .run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace shardwright
