//===- expand_quantized.cc - quantized tensors as integers ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/expand_passes.h"
#include "shardwright/interop/expand/quantization.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

using namespace op_expansion;

namespace {

/// True if the op forwards its operands unchanged.
bool passesThrough(Operation *op) {
  return isa<stablehlo::ReturnOp, stablehlo::OptimizationBarrierOp,
             stablehlo::CompositeOp, func::CallOp, func::ReturnOp>(op);
}

/// True if the op only moves elements, or computes only in its regions.
bool keepsElements(Operation *op) {
  return isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::SliceOp,
             stablehlo::BroadcastInDimOp, stablehlo::ConcatenateOp,
             stablehlo::PadOp, stablehlo::ReverseOp, stablehlo::GatherOp,
             stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp,
             stablehlo::SelectOp, stablehlo::WhileOp, stablehlo::CaseOp,
             stablehlo::IfOp, stablehlo::ReduceOp, stablehlo::ReduceWindowOp,
             stablehlo::ScatterOp, stablehlo::SelectAndScatterOp,
             stablehlo::SortOp, stablehlo::AllGatherOp, stablehlo::AllReduceOp,
             stablehlo::ReduceScatterOp, stablehlo::AllToAllOp,
             stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp,
             stablehlo::DynamicReshapeOp, stablehlo::DynamicBroadcastInDimOp,
             stablehlo::DynamicPadOp, stablehlo::RealDynamicSliceOp,
             stablehlo::DynamicGatherOp, stablehlo::GetDimensionSizeOp,
             stablehlo::BitcastConvertOp, stablehlo::MapOp>(op);
}

class Expansion {
public:
  explicit Expansion(ModuleOp module) : module(module) {}
  LogicalResult run();

private:
  void remember(Value value) {
    if (quantizedElement(value.getType()))
      types[value] = value.getType();
  }
  Type typeOf(Value value) {
    auto it = types.find(value);
    return it == types.end() ? value.getType() : it->second;
  }
  bool agree(Operation *op);
  LogicalResult expand(Operation *op);
  void setFunctionType(func::FuncOp function);

  ModuleOp module;
  /// The quantized types of values, which have storage types already.
  llvm::MapVector<Value, Type> types;
};

} // namespace

// True if all elements have the same quantization, so that they can be moved
// without arithmetic.
bool Expansion::agree(Operation *op) {
  quant::QuantizedType common;
  auto same = [&](Value v) {
    quant::QuantizedType type = quantizedElement(typeOf(v));
    if (!type)
      return true;
    if (common)
      return sameQuantization(common, type);
    common = type;
    return true;
  };
  return llvm::all_of(op->getOperands(), same) &&
         llvm::all_of(op->getResults(), same);
}

LogicalResult Expansion::expand(Operation *op) {
  bool touched = llvm::any_of(op->getOperands(),
                              [&](Value v) { return types.contains(v); }) ||
                 llvm::any_of(op->getResults(),
                              [&](Value v) { return types.contains(v); });
  if (!touched || isa<func::FuncOp>(op))
    return success();
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    auto stored = cast<RankedTensorType>(op->getResult(0).getType());
    if (!dense || !isa<IntegerType>(dense.getElementType()))
      return op->emitError("the elements of this quantized constant cannot be "
                           "read");
    auto plain = dense.bitcast(stored.getElementType());
    constant.setValueAttr(plain.reshape(stored));
    return success();
  }
  bool hasRegions = op->getNumRegions() != 0;
  if (passesThrough(op) || (keepsElements(op) && (hasRegions || agree(op))))
    return success();
  if (hasRegions || isa<stablehlo::CustomCallOp>(op))
    return op->emitError() << "op '" << op->getName()
                           << "' on quantized tensors is not supported";
  // Dequantize, compute, quantize.
  StaticBuilder m(op);
  for (OpOperand &operand : op->getOpOperands())
    if (types.contains(operand.get()))
      operand.set(dequantize(m, operand.get(), typeOf(operand.get())));
  m.b.setInsertionPointAfter(op);
  if (isa<stablehlo::UniformQuantizeOp, stablehlo::UniformDequantizeOp>(op)) {
    Value result = op->getOperand(0);
    Type type = typeOf(op->getResult(0));
    if (quantizedElement(type)) {
      result = quantize(m, result, type);
      types[result] = type;
    } else {
      result = m.convert(result, cast<RankedTensorType>(type).getElementType());
    }
    op->getResult(0).replaceAllUsesWith(result);
    types.erase(op->getResult(0));
    op->erase();
    return success();
  }
  for (Value result : op->getResults()) {
    auto it = types.find(result);
    if (it == types.end())
      continue;
    Type type = it->second;
    result.setType(expressedType(type));
    Value stored = quantize(m, result, type);
    result.replaceUsesWithIf(stored, [&](OpOperand &use) {
      // Keep the uses that lead from here to `stored`.
      return use.getOwner()->getBlock() != op->getBlock() ||
             stored.getDefiningOp()->isBeforeInBlock(use.getOwner());
    });
    types.erase(result);
    types[stored] = type;
  }
  return success();
}

void Expansion::setFunctionType(func::FuncOp function) {
  auto all = [](TypeRange list) {
    SmallVector<Type> stored;
    for (Type t : list)
      stored.push_back(storageType(t));
    return stored;
  };
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             all(function.getArgumentTypes()),
                                             all(function.getResultTypes())));
}

LogicalResult Expansion::run() {
  SmallVector<Operation *> ops;
  Operation *odd = nullptr;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    for (Value v : op->getResults())
      remember(v);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          remember(arg);
  });
  for (auto &[value, type] : types)
    if (!isUniform(quantizedElement(type))) {
      odd = value.getDefiningOp() ? value.getDefiningOp()
                                  : value.getParentBlock()->getParentOp();
      return odd->emitError() << "quantized type " << type
                              << " is not supported, expected quant.uniform "
                                 "per tensor or per axis";
    }
  for (auto &[value, type] : types)
    value.setType(storageType(type));
  for (Operation *op : ops) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      setFunctionType(function);
    if (failed(expand(op)))
      return failure();
  }
  return success();
}

namespace {
struct ExpandQuantizedPass
    : PassWrapper<ExpandQuantizedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandQuantizedPass)

  StringRef getArgument() const final { return "sw-expand-quantized"; }
  StringRef getDescription() const final {
    return "Replaces quantized tensors by their storage integers";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    if (failed(Expansion(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createExpandQuantizedPass() {
  return std::make_unique<ExpandQuantizedPass>();
}

} // namespace shardwright
