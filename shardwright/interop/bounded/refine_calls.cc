//===- refine_calls.cc - custom calls of dynamic shape --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/refine_calls.h"

#include "shardwright/interop/chlo/expand_op.h"
#include "shardwright/interop/expand/op_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace shardwright {

using op_expansion::constantIntegers;
using Results = SmallVector<Value>;
using Sizes = SmallVector<int64_t>;

namespace {

constexpr llvm::StringLiteral shapeOperandsName("indices_of_shape_operands");
constexpr llvm::StringLiteral configName("mhlo.backend_config");

} // namespace

/// By result: the operand that holds its shape; empty if there are none or the
/// attribute is invalid.
static Sizes shapeOperands(stablehlo::CustomCallOp call) {
  auto attr = call->getAttrOfType<DenseIntElementsAttr>(shapeOperandsName);
  if (!attr || attr.getNumElements() != int64_t(call.getNumResults()))
    return {};
  Sizes indices;
  for (const APInt &index : attr.getValues<APInt>()) {
    if (index.getBitWidth() > 64 || index.isNegative() ||
        index.uge(call.getNumOperands()))
      return {};
    indices.push_back(index.getSExtValue());
  }
  return indices;
}

std::optional<Sizes> shapeFromOperand(stablehlo::CustomCallOp call,
                                      unsigned result) {
  Sizes indices = shapeOperands(call);
  if (indices.empty())
    return std::nullopt;
  return constantIntegers(call.getOperand(indices[result]));
}

/// The value of a constant of one element.
static std::optional<int64_t> constantInteger(Value value) {
  auto list = constantIntegers(value);
  if (!list || list->size() != 1)
    return std::nullopt;
  return list->front();
}

static bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Operands: inputs, initial values, window, strides, dilations of base and
/// window, padding; the body is a function.
static Results windowsOf(stablehlo::CustomCallOp call) {
  size_t n = call.getNumResults();
  ArrayAttr called = call.getCalledComputations();
  if (n == 0 || call.getNumOperands() != 2 * n + 5 || !called ||
      called.size() != 1)
    return {};
  auto symbol = dyn_cast<FlatSymbolRefAttr>(called[0]);
  auto body =
      symbol ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, symbol)
             : nullptr;
  if (!body || body.isDeclaration() || !body.getBody().hasOneBlock() ||
      body.getNumArguments() != 2 * n || body.getNumResults() != n)
    return {};
  SmallVector<Sizes> lists;
  for (Value list : call.getOperands().drop_front(2 * n)) {
    auto known = constantIntegers(list);
    if (!known)
      return {};
    lists.push_back(std::move(*known));
  }
  auto type = dyn_cast<RankedTensorType>(call.getOperand(0).getType());
  size_t rank = type ? type.getRank() : 0;
  for (size_t i = 0; i < lists.size(); ++i)
    if (!type || lists[i].size() != (i == 4 ? 2 * rank : rank))
      return {};
  OpBuilder b(call);
  auto array = [&](size_t i) { return b.getDenseI64ArrayAttr(lists[i]); };
  auto pairs = RankedTensorType::get({int64_t(rank), 2}, b.getI64Type());
  auto op = stablehlo::ReduceWindowOp::create(
      b, call.getLoc(), call.getResultTypes(), call.getOperands().take_front(n),
      call.getOperands().slice(n, n), array(0), array(1), array(2), array(3),
      DenseIntElementsAttr::get(pairs, ArrayRef<int64_t>(lists[4])));
  Block &block = op.getBody().emplaceBlock();
  IRMapping map;
  for (BlockArgument argument : body.getArguments())
    map.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
  b.setInsertionPointToEnd(&block);
  for (Operation &inner : body.getBody().front().without_terminator())
    b.clone(inner, map);
  SmallVector<Value> returned;
  for (Value v : body.getBody().front().getTerminator()->getOperands())
    returned.push_back(map.lookupOrDefault(v));
  stablehlo::ReturnOp::create(b, call.getLoc(), returned);
  return Results(op.getResults());
}

/// Operands: state and shape.
static Results randomBitsOf(stablehlo::CustomCallOp call) {
  auto algorithm =
      call->getAttrOfType<stablehlo::RngAlgorithmAttr>("rng_algorithm");
  if (!algorithm || call.getNumOperands() != 2 || call.getNumResults() != 2)
    return {};
  auto shape = constantIntegers(call.getOperand(1));
  auto type = dyn_cast<RankedTensorType>(call.getResult(1).getType());
  if (!shape || !type || size_t(type.getRank()) != shape->size())
    return {};
  OpBuilder b(call);
  auto op = stablehlo::RngBitGeneratorOp::create(
      b, call.getLoc(), call.getResult(0).getType(),
      RankedTensorType::get(*shape, type.getElementType()), algorithm,
      call.getOperand(0));
  return Results(op->getResults());
}

/// Operands: operand and k.
static Results topOf(stablehlo::CustomCallOp call) {
  if (call.getNumOperands() != 2 || call.getNumResults() != 2)
    return {};
  auto k = constantInteger(call.getOperand(1));
  auto type = dyn_cast<RankedTensorType>(call.getOperand(0).getType());
  if (!k || !type || !type.hasStaticShape() || type.getRank() == 0 || *k < 0 ||
      *k > type.getShape().back() ||
      !isa<FloatType, IntegerType>(type.getElementType()))
    return {};
  Sizes shape(type.getShape());
  shape.back() = *k;
  OpBuilder b(call);
  auto op = chlo::TopKOp::create(
      b, call.getLoc(), RankedTensorType::get(shape, type.getElementType()),
      RankedTensorType::get(shape, b.getI32Type()), call.getOperand(0),
      b.getI64IntegerAttr(*k));
  Results results;
  bool made = succeeded(chlo_expansion::expandTopK(op, results));
  op.erase();
  return made ? results : Results();
}

/// Operands: inputs, initial values, k, shapes; k becomes an attribute.
static Results approximateTopOf(stablehlo::CustomCallOp call) {
  Sizes shapes = shapeOperands(call);
  int64_t n = call.getNumResults();
  auto config = call->getAttrOfType<DictionaryAttr>(configName);
  if (!config || call.getNumOperands() != 2 * n + 1 + shapes.size())
    return {};
  auto k = constantInteger(call.getOperand(2 * n));
  if (!k)
    return {};
  OpBuilder b(call);
  auto changed = cast<stablehlo::CustomCallOp>(b.clone(*call));
  changed.setCallTargetName("ApproxTopK");
  changed->eraseOperand(2 * n);
  NamedAttrList options(config);
  options.set("top_k", b.getI64IntegerAttr(*k));
  changed->setAttr(configName, options.getDictionary(b.getContext()));
  for (int64_t &index : shapes)
    index -= index > 2 * n;
  if (!shapes.empty())
    changed->setAttr(shapeOperandsName, b.getI64TensorAttr(shapes));
  return Results(changed.getResults());
}

/// Removes the shapes from the operands.
static Results withoutShapes(stablehlo::CustomCallOp call) {
  Sizes shapes = shapeOperands(call);
  if (shapes.empty() || !llvm::all_of(call.getResultTypes(), isStatic))
    return {};
  // Only remove trailing operands: others may be referenced by position.
  size_t left = call.getNumOperands();
  while (left > 0 && llvm::is_contained(shapes, int64_t(left) - 1))
    --left;
  if (llvm::any_of(shapes, [&](int64_t i) { return i < int64_t(left); }))
    return {};
  OpBuilder b(call);
  auto changed = cast<stablehlo::CustomCallOp>(b.clone(*call));
  changed->eraseOperands(left, call.getNumOperands() - left);
  changed->removeAttr(shapeOperandsName);
  if (auto layouts = changed.getOperandLayouts())
    if (layouts->size() == call.getNumOperands())
      changed.setOperandLayoutsAttr(
          b.getArrayAttr(layouts->getValue().take_front(left)));
  return Results(changed.getResults());
}

using Settle = Results (*)(stablehlo::CustomCallOp);

static Settle settlementOf(stablehlo::CustomCallOp call) {
  return llvm::StringSwitch<Settle>(call.getCallTargetName())
      .Case("stablehlo.dynamic_reduce_window", windowsOf)
      .Case("stablehlo.dynamic_rng_bit_generator", randomBitsOf)
      .Case("stablehlo.dynamic_top_k", topOf)
      .Case("stablehlo.dynamic_approx_top_k", approximateTopOf)
      .Default(call->hasAttr(shapeOperandsName) ? withoutShapes : nullptr);
}

bool isUnsettled(stablehlo::CustomCallOp call) { return settlementOf(call); }

bool settleCall(stablehlo::CustomCallOp call) {
  Settle make = settlementOf(call);
  Results results = make ? make(call) : Results();
  if (results.size() != call.getNumResults() || results.empty())
    return false;
  // Copy the attributes, such as shardings, which have an entry per result.
  Operation *made = results.front().getDefiningOp();
  if (made->getNumResults() == results.size() &&
      !isa<stablehlo::CustomCallOp>(made))
    for (NamedAttribute attr : call->getDiscardableAttrs())
      if (attr.getName() != "rng_algorithm")
        made->setDiscardableAttr(attr.getName(), attr.getValue());
  for (auto [old, result] : llvm::zip_equal(call.getResults(), results))
    old.replaceAllUsesWith(result);
  call.erase();
  return true;
}

} // namespace shardwright
