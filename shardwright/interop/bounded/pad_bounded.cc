//===- pad_bounded.cc - make bounded dimensions static --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_passes.h"
#include "shardwright/interop/bounded/bounded_values.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/interop/bounded/refine_calls.h"
#include "shardwright/interop/bounded/refine_shapes.h"
#include "shardwright/partition/prepare/inline_calls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace shardwright {

using namespace bounded;

namespace {

class Padding {
public:
  LogicalResult run(func::FuncOp function);

private:
  LogicalResult padBlock(Block &block);
  LogicalResult padWhile(stablehlo::WhileOp op);
  LogicalResult padBranches(Operation *op);
  LogicalResult padTerminator(Operation *terminator, ArrayRef<Extents> declared,
                              ArrayRef<Type> types);
  /// Extents that a list of types declares; empty for other types.
  FailureOr<SmallVector<Extents>> declaredOf(Operation *op, TypeRange types);

  Values values;
};

/// The dimensions of `type` that are bounded.
SmallVector<int64_t> boundedDims(Type type) {
  SmallVector<int64_t> dims;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t d = 0; d < tensor.getRank(); ++d)
      if (tensor.isDynamicDim(d))
        dims.push_back(d);
  return dims;
}

SmallVector<int64_t> shapeOf(const Extents &extents) {
  SmallVector<int64_t> shape;
  for (const Extent &e : extents)
    shape.push_back(e.bound);
  return shape;
}

} // namespace

FailureOr<SmallVector<Extents>> Padding::declaredOf(Operation *op,
                                                    TypeRange types) {
  SmallVector<Extents> all;
  for (Type type : types) {
    all.emplace_back();
    if (!isDynamic(type))
      continue;
    auto extents = declaredExtents(cast<RankedTensorType>(type));
    if (failed(extents))
      return op->emitError()
             << "the sizes of " << type
             << " are known only when the program runs, and nothing bounds "
                "them; export it with static shapes or with bounds";
    all.back() = std::move(*extents);
  }
  return all;
}

/// Appends the operands, padded to the declared shapes, and then their sizes.
LogicalResult Padding::padTerminator(Operation *terminator,
                                     ArrayRef<Extents> declared,
                                     ArrayRef<Type> types) {
  BoundedBuilder m(terminator);
  SmallVector<Value> operands(terminator->getOperands()), sizes;
  for (auto [operand, extents, type] :
       llvm::zip_equal(operands, declared, types)) {
    if (extents.empty())
      continue;
    Extents own = values.of(operand);
    operand = m.resized(operand, shapeOf(extents));
    for (int64_t d : boundedDims(type))
      sizes.push_back(m.used(own[d]));
  }
  llvm::append_range(operands, sizes);
  terminator->setOperands(operands);
  return success();
}

LogicalResult Padding::padWhile(stablehlo::WhileOp op) {
  SmallVector<Type> types(op.getResultTypes());
  auto declared = declaredOf(op, types);
  if (failed(declared))
    return failure();
  // A loop over static values may contain bounded ones.
  if (llvm::none_of(types, isDynamic)) {
    // An operand's type may be more specific than the loop's.
    for (auto [operand, type] : llvm::zip_equal(op.getOperand(), types))
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && operand.getType() != type)
        return op.emitError("carries a value of bounded size as a static one");
    return success(succeeded(padBlock(op.getCond().front())) &&
                   succeeded(padBlock(op.getBody().front())));
  }
  if (failed(padTerminator(op, *declared, types)))
    return failure();
  BoundedBuilder m(op);
  SmallVector<Type> newTypes(op->getOperandTypes());
  auto loop =
      stablehlo::WhileOp::create(m.b, m.loc, newTypes, op->getOperands());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  loop.getCond().takeBody(op.getCond());
  loop.getBody().takeBody(op.getBody());
  auto bind = [&](auto list) {
    size_t next = types.size();
    for (auto [i, type] : llvm::enumerate(types)) {
      if ((*declared)[i].empty())
        continue;
      Extents extents = (*declared)[i];
      for (int64_t d : boundedDims(type))
        extents[d].used = list[next++];
      values.set(list[i], extents);
    }
  };
  for (Region *region : {&loop.getCond(), &loop.getBody()}) {
    Block &block = region->front();
    for (size_t i = types.size(); i < newTypes.size(); ++i)
      block.addArgument(newTypes[i], m.loc);
    bind(block.getArguments());
    if (failed(padBlock(block)))
      return failure();
  }
  if (failed(padTerminator(loop.getBody().front().getTerminator(), *declared,
                           types)))
    return failure();
  bind(loop->getResults());
  for (auto [old, result] : llvm::zip(op->getResults(), loop->getResults()))
    old.replaceAllUsesWith(result);
  op.erase();
  return success();
}

/// `if` and `case`.
LogicalResult Padding::padBranches(Operation *op) {
  SmallVector<Type> types(op->getResultTypes()), newTypes;
  auto declared = declaredOf(op, types);
  if (failed(declared))
    return failure();
  SmallVector<Type> sizeTypes;
  for (auto [type, extents] : llvm::zip_equal(types, *declared)) {
    newTypes.push_back(type);
    if (extents.empty())
      continue;
    auto tensor = cast<RankedTensorType>(type);
    newTypes.back() =
        RankedTensorType::get(shapeOf(extents), tensor.getElementType());
    Type size = RankedTensorType::get({}, Builder(op).getI32Type());
    sizeTypes.append(boundedDims(type).size(), size);
  }
  for (Region &region : op->getRegions()) {
    if (failed(padBlock(region.front())))
      return failure();
    Operation *end = region.front().getTerminator();
    for (auto [operand, type, extents] :
         llvm::zip_equal(end->getOperands(), types, *declared))
      if (extents.empty() && values.isBounded(operand))
        return op->emitError("returns a value of bounded size as a static one");
    if (failed(padTerminator(end, *declared, types)))
      return failure();
  }
  if (sizeTypes.empty())
    return success();
  llvm::append_range(newTypes, sizeTypes);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(newTypes);
  state.addAttributes(op->getAttrs());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder b(op);
  Operation *wider = b.create(state);
  size_t next = types.size();
  for (auto [i, type] : llvm::enumerate(types)) {
    if ((*declared)[i].empty())
      continue;
    Extents extents = (*declared)[i];
    for (int64_t d : boundedDims(type))
      extents[d].used = wider->getResult(next++);
    values.set(wider->getResult(i), extents);
  }
  for (auto [old, result] : llvm::zip(op->getResults(), wider->getResults()))
    old.replaceAllUsesWith(result);
  op->erase();
  return success();
}

LogicalResult Padding::padBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      if (failed(padWhile(loop)))
        return failure();
      continue;
    }
    if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
      if (failed(padBranches(&op)))
        return failure();
      continue;
    }
    bool isTouched =
        llvm::any_of(op.getOperands(),
                     [&](Value v) { return values.isBounded(v); }) ||
        llvm::any_of(op.getResultTypes(), isDynamic) ||
        isa<stablehlo::SetDimensionSizeOp>(op);
    if (isTouched) {
      if (failed(declaredOf(&op, op.getResultTypes())))
        return failure();
      if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op))
        values.set(op.getResult(0), values.of(op.getOperand(0)));
      else if (failed(padOp(&op, values)))
        return failure();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(padBlock(inner)))
          return failure();
  }
  return success();
}

LogicalResult Padding::run(func::FuncOp function) {
  Block &block = function.getBody().front();
  Builder b(function.getContext());
  auto size = RankedTensorType::get({}, b.getI32Type());
  auto mark = [&](int64_t value, int64_t dim) {
    return b.getDictionaryAttr(
        b.getNamedAttr(sizeOfAttr, b.getDenseI64ArrayAttr({value, dim})));
  };
  SmallVector<Type> argumentTypes(function.getArgumentTypes()),
      resultTypes(function.getResultTypes());
  auto arguments = declaredOf(function, argumentTypes);
  if (failed(arguments))
    return failure();
  auto results = declaredOf(function, resultTypes);
  if (failed(results))
    return failure();
  for (auto [i, type] : llvm::enumerate(argumentTypes)) {
    Extents extents = (*arguments)[i];
    if (extents.empty())
      continue;
    for (int64_t d : boundedDims(type)) {
      unsigned at = function.getNumArguments();
      if (failed(
              function.insertArgument(at, size, mark(i, d), function.getLoc())))
        return failure();
      extents[d].used = block.getArgument(at);
    }
    values.set(block.getArgument(i), extents);
  }
  if (failed(padBlock(block)))
    return failure();
  Operation *end = block.getTerminator();
  for (auto [i, operand, type] :
       llvm::enumerate(end->getOperands(), resultTypes))
    if ((*results)[i].empty() && values.isBounded(operand))
      return function.emitError()
             << "result #" << i << " is of bounded size, but its type " << type
             << " is static";
  if (failed(padTerminator(end, *results, resultTypes)))
    return failure();
  for (auto [i, type] : llvm::enumerate(resultTypes))
    for (int64_t d : boundedDims(type))
      if (failed(function.insertResult(function.getNumResults(), size,
                                       mark(i, d))))
        return failure();
  function.setFunctionType(
      b.getFunctionType(block.getArgumentTypes(), end->getOperandTypes()));
  return success();
}

namespace {

bool hasDynamicShapes(ModuleOp module) {
  auto any = [](TypeRange types) { return llvm::any_of(types, isDynamic); };
  return module
      .walk([&](Operation *op) {
        auto call = dyn_cast<stablehlo::CustomCallOp>(op);
        bool found = any(op->getResultTypes()) || (call && isUnsettled(call)) ||
                     isa<stablehlo::SetDimensionSizeOp>(op);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            found |= any(block.getArgumentTypes());
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct PadBoundedPass : PassWrapper<PadBoundedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PadBoundedPass)

  StringRef getArgument() const final { return "sw-pad-bounded"; }
  StringRef getDescription() const final {
    return "Makes shapes static: infers sizes where possible, and pads "
           "dimensions of bounded size";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<chlo::ChloDialect, stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (!hasDynamicShapes(module))
      return;
    if (failed(inlineCalls(module)) || failed(refineShapes(module)))
      return signalPassFailure();
    if (!hasDynamicShapes(module))
      return;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration() && failed(Padding().run(function)))
        return signalPassFailure();
  }
};

struct RefineShapesPass
    : PassWrapper<RefineShapesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RefineShapesPass)

  StringRef getArgument() const final { return "sw-refine-shapes"; }
  StringRef getDescription() const final {
    return "Infers static shapes from constant shape operands and static "
           "operands";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<chlo::ChloDialect, stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    if (hasDynamicShapes(getOperation()) &&
        failed(refineShapes(getOperation())))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createPadBoundedPass() {
  return std::make_unique<PadBoundedPass>();
}

void registerBoundedPasses() {
  registerPass(createPadBoundedPass);
  registerPass([] { return std::make_unique<RefineShapesPass>(); });
}

} // namespace shardwright
