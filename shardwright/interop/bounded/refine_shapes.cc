//===- refine_shapes.cc - refine dynamic shapes ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/refine_shapes.h"

#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/interop/bounded/bounded_values.h"
#include "shardwright/interop/bounded/refine_calls.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/simplify/simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

using namespace bounded;

namespace {

/// Inferred sizes by dimension; kDynamic where unknown.
using Known = std::optional<SmallVector<int64_t>>;

class Refinement {
public:
  bool refineBlock(Block &block);

private:
  bool refineOp(Operation &op);
  bool refineLoop(stablehlo::WhileOp op);
  bool refineBranches(Operation &op);
  bool refineCall(stablehlo::CustomCallOp op);
  bool narrow(Value value, ArrayRef<int64_t> sizes, bool bounded = true);
};

} // namespace

/// Sets the unknown dimensions of `value` to the given sizes; those with a
/// bound only if `bounded`.
bool Refinement::narrow(Value value, ArrayRef<int64_t> sizes, bool bounded) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || size_t(type.getRank()) != sizes.size())
    return false;
  SmallVector<int64_t> shape(type.getShape()), bounds;
  auto extensions =
      dyn_cast_or_null<stablehlo::TypeExtensionsAttr>(type.getEncoding());
  if (type.getEncoding() && !extensions)
    return false;
  bool changed = false;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    int64_t bound =
        extensions ? extensions.getBounds()[d] : int64_t(ShapedType::kDynamic);
    // Leave an invalid size for the verifier.
    if (ShapedType::isDynamic(shape[d]) && size >= 0 &&
        (ShapedType::isDynamic(bound) || (bounded && size <= bound))) {
      shape[d] = size;
      bound = ShapedType::kDynamic;
      changed = true;
    }
    bounds.push_back(bound);
  }
  if (!changed)
    return false;
  bool isBounded =
      llvm::any_of(bounds, [](int64_t b) { return !ShapedType::isDynamic(b); });
  value.setType(
      isBounded ? stablehlo::tensorType(shape, bounds, type.getElementType())
                : RankedTensorType::get(shape, type.getElementType()));
  return true;
}

static Known ofShapeOperand(Value shape) { return constantIntegers(shape); }

static Known ofRealSlice(stablehlo::RealDynamicSliceOp op) {
  auto starts = constantIntegers(op.getStartIndices()),
       limits = constantIntegers(op.getLimitIndices()),
       strides = constantIntegers(op.getStrides());
  if (!starts || !limits || !strides)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (auto [start, limit, stride] :
       llvm::zip_equal(*starts, *limits, *strides)) {
    if (stride < 1)
      return std::nullopt;
    sizes.push_back(limit <= start ? 0 : (limit - start + stride - 1) / stride);
  }
  return sizes;
}

static Known ofTypes(ArrayRef<Type> types) {
  auto type = types.size() == 1 ? dyn_cast<RankedTensorType>(types[0])
                                : RankedTensorType();
  if (!type)
    return std::nullopt;
  return SmallVector<int64_t>(type.getShape());
}

static Known ofPad(stablehlo::DynamicPadOp op) {
  auto low = constantIntegers(op.getEdgePaddingLow()),
       high = constantIntegers(op.getEdgePaddingHigh()),
       interior = constantIntegers(op.getInteriorPadding());
  SmallVector<Type> types;
  if (!low || !high || !interior ||
      failed(stablehlo::inferPad(std::nullopt, op.getOperand(),
                                 op.getPaddingValue(), *low, *high, *interior,
                                 types)))
    return std::nullopt;
  return ofTypes(types);
}

static Known ofGather(stablehlo::DynamicGatherOp op) {
  auto sizes = constantIntegers(op.getSliceSizes());
  SmallVector<Type> types;
  if (!sizes || failed(stablehlo::inferGather(
                    std::nullopt, op.getOperand(), op.getStartIndices(),
                    op.getDimensionNumbers(), *sizes, types)))
    return std::nullopt;
  return ofTypes(types);
}

/// `convolution`, and `dynamic_conv` with known padding.
template <typename Conv>
static Known ofConv(Conv op, std::optional<SmallVector<int64_t>> padding) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType()),
       rhs = cast<RankedTensorType>(op.getRhs().getType());
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> spatial = numbers.getInputSpatialDimensions();
  if (!padding || padding->size() != 2 * spatial.size() ||
      !lhs.hasStaticShape() || !rhs.hasStaticShape())
    return std::nullopt;
  auto at = [](std::optional<ArrayRef<int64_t>> list, size_t i) {
    return list ? (*list)[i] : int64_t(1);
  };
  SmallVector<int64_t> sizes(
      cast<RankedTensorType>(op.getResult().getType()).getRank());
  sizes[numbers.getOutputBatchDimension()] =
      lhs.getDimSize(numbers.getInputBatchDimension()) /
      int64_t(op.getBatchGroupCount());
  sizes[numbers.getOutputFeatureDimension()] =
      rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  for (auto [i, d] : llvm::enumerate(spatial)) {
    int64_t kernel = rhs.getDimSize(numbers.getKernelSpatialDimensions()[i]);
    stablehlo::WindowDim window;
    window.size = kernel;
    window.stride = at(op.getWindowStrides(), i);
    window.low = (*padding)[2 * i];
    window.high = (*padding)[2 * i + 1];
    window.baseDilation = at(op.getLhsDilation(), i);
    window.windowDilation = at(op.getRhsDilation(), i);
    sizes[numbers.getOutputSpatialDimensions()[i]] =
        stablehlo::windowedShape({lhs.getDimSize(d)}, {window}).front();
  }
  return sizes;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Known ofDot(stablehlo::DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  SmallVector<int64_t> sizes;
  for (int64_t d : numbers.getLhsBatchingDimensions())
    sizes.push_back(shapeOf(op.getLhs())[d]);
  auto free = [&](Value side, ArrayRef<int64_t> batch, ArrayRef<int64_t> sum) {
    for (auto [d, size] : llvm::enumerate(shapeOf(side)))
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(sum, d))
        sizes.push_back(size);
  };
  free(op.getLhs(), numbers.getLhsBatchingDimensions(),
       numbers.getLhsContractingDimensions());
  free(op.getRhs(), numbers.getRhsBatchingDimensions(),
       numbers.getRhsContractingDimensions());
  return sizes;
}

/// A single unknown size follows from the number of elements.
static Known ofReshape(stablehlo::ReshapeOp op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> sizes(shapeOf(op.getResult()));
  if (!operand.hasStaticShape() ||
      llvm::count(sizes, ShapedType::kDynamic) != 1)
    return std::nullopt;
  int64_t others = 1;
  for (int64_t size : sizes)
    if (!ShapedType::isDynamic(size))
      others *= size;
  int64_t elements = operand.getNumElements();
  if (others == 0 || elements % others != 0)
    return std::nullopt;
  *llvm::find(sizes, ShapedType::kDynamic) = elements / others;
  return sizes;
}

/// Elements of equal width keep their shape; otherwise the last dimension holds
/// the parts of an element.
static Known ofBitcast(stablehlo::BitcastConvertOp op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType()),
       to = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<int64_t> sizes(from.getShape());
  if (to.getRank() == from.getRank() - 1)
    sizes.pop_back();
  else if (to.getRank() == from.getRank() + 1)
    sizes.push_back(to.getShape().back());
  return sizes;
}

/// The shape of the first operand that is no scalar, if all such operands are
/// static.
static Known ofElementwise(Operation *op) {
  Known sizes;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape())
      return std::nullopt;
    if (type.getRank() != 0 && !sizes)
      sizes = SmallVector<int64_t>(type.getShape());
  }
  return sizes;
}

bool Refinement::refineOp(Operation &op) {
  auto interface = dyn_cast<InferTypeOpInterface>(op);
  Known known =
      llvm::TypeSwitch<Operation *, Known>(&op)
          .Case([](stablehlo::DynamicReshapeOp o) {
            return ofShapeOperand(o.getOutputShape());
          })
          .Case([](stablehlo::DynamicBroadcastInDimOp o) {
            return ofShapeOperand(o.getOutputDimensions());
          })
          .Case([](stablehlo::DynamicIotaOp o) {
            return ofShapeOperand(o.getOutputShape());
          })
          .Case([](stablehlo::RealDynamicSliceOp o) { return ofRealSlice(o); })
          .Case([](stablehlo::DynamicPadOp o) { return ofPad(o); })
          .Case([](stablehlo::DynamicGatherOp o) { return ofGather(o); })
          .Case([](stablehlo::DynamicConvOp o) {
            return ofConv(o, constantIntegers(o.getPadding()));
          })
          .Case([](stablehlo::ConvolutionOp o) {
            SmallVector<int64_t> padding(
                2 * o.getDimensionNumbers().getInputSpatialDimensions().size());
            if (auto given = o.getPaddingAttr())
              padding = llvm::to_vector(given.getValues<int64_t>());
            return ofConv(o, padding);
          })
          .Case([](stablehlo::DotGeneralOp o) { return ofDot(o); })
          .Case([](stablehlo::ReshapeOp o) { return ofReshape(o); })
          .Case([](stablehlo::BitcastConvertOp o) { return ofBitcast(o); })
          .Case([](stablehlo::RngOp o) { return ofShapeOperand(o.getShape()); })
          .Case([](stablehlo::SelectAndScatterOp o) {
            return Known(SmallVector<int64_t>(shapeOf(o.getOperand())));
          })
          .Default([](Operation *o) {
            return o->hasTrait<OpTrait::Elementwise>() ? ofElementwise(o)
                                                       : Known();
          });
  if (known)
    return narrow(op.getResult(0), *known);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    bool changed = false;
    for (auto [input, result] :
         llvm::zip_equal(scatter.getInputs(), scatter.getResults()))
      changed |= narrow(result, shapeOf(input));
    return changed;
  }
  if (!interface)
    return false;
  SmallVector<Type> types;
  // The verifier reports errors later.
  ScopedDiagnosticHandler quiet(op.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(interface.inferReturnTypes(
          op.getContext(), std::nullopt, op.getOperands(),
          op.getRawDictionaryAttrs(), op.getPropertiesStorage(),
          op.getRegions(), types)) ||
      types.size() != op.getNumResults())
    return false;
  // For a slice of 0:8 of a dimension bounded by 8, inference gives 8 elements,
  // independent of the used size.
  bool bounded = llvm::none_of(op.getOperandTypes(), isDynamic);
  bool changed = false;
  for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      changed |= narrow(result, tensor.getShape(), bounded);
  return changed;
}

/// A loop-carried value has one type.
bool Refinement::refineLoop(stablehlo::WhileOp op) {
  bool changed = false;
  for (auto [i, operand] : llvm::enumerate(op.getOperand())) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    changed |= narrow(op->getResult(i), type.getShape());
    for (Region *region : {&op.getCond(), &op.getBody()})
      changed |= narrow(region->getArgument(i), type.getShape());
  }
  changed |= refineBlock(op.getCond().front());
  return refineBlock(op.getBody().front()) || changed;
}

/// `if` and `case`: the sizes on which all branches agree.
bool Refinement::refineBranches(Operation &op) {
  bool changed = false;
  for (Region &region : op.getRegions())
    changed |= refineBlock(region.front());
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    SmallVector<int64_t> common;
    for (auto [n, region] : llvm::enumerate(op.getRegions())) {
      auto type = dyn_cast<RankedTensorType>(
          region.front().getTerminator()->getOperand(i).getType());
      if (!type)
        break;
      if (n == 0) {
        common.assign(type.getShape().begin(), type.getShape().end());
        continue;
      }
      for (auto [mine, size] : llvm::zip(common, type.getShape()))
        if (mine != size)
          mine = ShapedType::kDynamic;
    }
    changed |= narrow(op.getResult(i), common);
  }
  return changed;
}

bool Refinement::refineCall(stablehlo::CustomCallOp op) {
  bool changed = false;
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (auto shape = shapeFromOperand(op, i))
      changed |= narrow(op.getResult(i), *shape);
  return settleCall(op) || changed;
}

bool Refinement::refineBlock(Block &block) {
  bool changed = false;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
      changed |= refineCall(call);
    else if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
      changed |= refineLoop(loop);
    else if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op))
      changed |= refineBranches(op);
    else if (llvm::any_of(op.getResultTypes(), isDynamic))
      changed |= refineOp(op);
  }
  return changed;
}

/// Checks JAX's assertions about the sizes of arguments: removes true ones,
/// fails on false ones.
static LogicalResult checkAssertions(ModuleOp module) {
  SmallVector<stablehlo::CustomCallOp> assertions;
  module.walk([&](stablehlo::CustomCallOp op) {
    if (op.getCallTargetName() == "shape_assertion" &&
        !op.getInputs().empty() && op->getNumResults() == 0)
      assertions.push_back(op);
  });
  for (stablehlo::CustomCallOp op : assertions) {
    auto holds = constantIntegers(op.getInputs()[0]);
    if (!holds || holds->size() != 1)
      continue;
    if (holds->front() == 0) {
      auto text = op->getAttrOfType<StringAttr>("error_message");
      return op.emitError()
             << "the sizes of the arguments break a condition of the program: "
             << (text ? text.getValue() : "");
    }
    op.erase();
  }
  return success();
}

LogicalResult
giveShapes(ModuleOp module,
           llvm::function_ref<std::optional<SmallVector<int64_t, 4>>(unsigned)>
               shapeOf) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isDeclaration() ||
      llvm::none_of(main.getArgumentTypes(), isDynamic))
    return success();
  if (failed(inlineCalls(module)))
    return failure();
  Block &block = main.getBody().front();
  for (BlockArgument argument : block.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.hasStaticShape() || type.getEncoding())
      continue;
    auto shape = shapeOf(argument.getArgNumber());
    if (!shape)
      continue;
    // Mismatches are reported to the program's caller later.
    if (succeeded(verifyCompatibleShape(type.getShape(), *shape)))
      argument.setType(RankedTensorType::get(*shape, type.getElementType()));
  }
  main.setFunctionType(FunctionType::get(
      module.getContext(), block.getArgumentTypes(), main.getResultTypes()));
  return refineShapes(module);
}

LogicalResult refineShapes(ModuleOp module) {
  // Each iteration makes at least one dimension static.
  bool changed = true;
  while (changed) {
    if (failed(simplify(module)))
      return failure();
    changed = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration() || !function.getBody().hasOneBlock())
        continue;
      Block &block = function.getBody().front();
      changed |= Refinement().refineBlock(block);
      function.setFunctionType(
          FunctionType::get(module.getContext(), block.getArgumentTypes(),
                            block.getTerminator()->getOperandTypes()));
    }
  }
  return checkAssertions(module);
}

} // namespace shardwright
