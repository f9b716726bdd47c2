//===- replacements.cc - replace ops by simpler ones ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/reduce/candidates.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright {
namespace {

/// By result: an operand of its type; nothing if some result has none.
std::optional<SmallVector<unsigned>> operandsLikeResults(Operation *op) {
  SmallVector<unsigned> picked;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    // Prefer the operand at the same index, such as a loop's initial value.
    std::optional<unsigned> found;
    if (i < op->getNumOperands() &&
        op->getOperand(i).getType() == result.getType())
      found = i;
    for (unsigned o = 0; !found && o < op->getNumOperands(); ++o)
      if (op->getOperand(o).getType() == result.getType())
        found = o;
    if (!found)
      return std::nullopt;
    picked.push_back(*found);
  }
  return picked;
}

/// True if the body of `region` can replace its op, with the operands from
/// `firstOperand` on as its arguments.
bool canStandForItsOp(Region &region, unsigned firstOperand) {
  Operation *op = region.getParentOp();
  if (!region.hasOneBlock() || region.front().empty())
    return false;
  Block &block = region.front();
  Operation *end = &block.back();
  if (!end->hasTrait<OpTrait::IsTerminator>() ||
      firstOperand + block.getNumArguments() > op->getNumOperands())
    return false;
  return llvm::equal(end->getOperandTypes(), op->getResultTypes()) &&
         llvm::equal(block.getArgumentTypes(),
                     op->getOperands()
                         .slice(firstOperand, block.getNumArguments())
                         .getTypes());
}

void replaceByRegion(RewriterBase &rewriter, Operation *op, unsigned index,
                     unsigned firstOperand) {
  Block &block = op->getRegion(index).front();
  Operation *end = &block.back();
  SmallVector<Value> results(end->getOperands());
  SmallVector<Value> inputs(
      op->getOperands().slice(firstOperand, block.getNumArguments()));
  // A result may be an argument of the block, which goes away.
  for (Value &result : results)
    if (auto argument = dyn_cast<BlockArgument>(result))
      if (argument.getOwner() == &block)
        result = inputs[argument.getArgNumber()];
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(&block, op, inputs);
  rewriter.replaceOp(op, results);
}

/// A constant of zeros; null if the type has none.
DenseElementsAttr zerosOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return {};
  Type element = tensor.getElementType();
  if (element.isSignlessInteger() || element.isUnsignedInteger())
    return DenseElementsAttr::get(tensor, IntegerAttr::get(element, 0));
  auto complex = dyn_cast<ComplexType>(element);
  auto real = dyn_cast<FloatType>(complex ? complex.getElementType() : element);
  if (!real || !APFloat::semanticsHasZero(real.getFloatSemantics()))
    return {};
  APFloat zero = APFloat::getZero(real.getFloatSemantics());
  if (!complex)
    return DenseElementsAttr::get(tensor, zero);
  std::complex<APFloat> zeros(zero, zero);
  return DenseElementsAttr::get(tensor, ArrayRef(zeros));
}

} // namespace

void addErasedSymbols(Operation *op, Changes &changes) {
  if (auto symbol = dyn_cast<SymbolOpInterface>(op))
    if (Operation *table = op->getParentOp();
        table && symbol.symbolKnownUseEmpty(table))
      changes.push_back(
          [](RewriterBase &rewriter, Operation *op) { rewriter.eraseOp(op); });
}

void addReplacements(Operation *op, Changes &changes) {
  if (!op->getBlock() || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<SymbolOpInterface>(op) || matchPattern(op, m_Constant()))
    return;
  if (op->use_empty()) {
    changes.push_back(
        [](RewriterBase &rewriter, Operation *op) { rewriter.eraseOp(op); });
    return;
  }
  if (auto picked = operandsLikeResults(op))
    changes.push_back([picked](RewriterBase &rewriter, Operation *op) {
      SmallVector<Value> values;
      for (unsigned operand : *picked)
        values.push_back(op->getOperand(operand));
      rewriter.replaceOp(op, values);
    });
  for (unsigned i = 0; i < op->getNumRegions(); ++i) {
    // The first operand of a case is not passed to its branches; a loop's are.
    for (unsigned first : {0u, 1u})
      if (canStandForItsOp(op->getRegion(i), first)) {
        changes.push_back([i, first](RewriterBase &rewriter, Operation *op) {
          replaceByRegion(rewriter, op, i, first);
        });
        break;
      }
  }
  if (op->getContext()->getLoadedDialect<stablehlo::StablehloDialect>() &&
      llvm::all_of(op->getResultTypes(),
                   [](Type type) { return bool(zerosOf(type)); }))
    changes.push_back([](RewriterBase &rewriter, Operation *op) {
      SmallVector<Value> zeros;
      for (Type type : op->getResultTypes())
        zeros.push_back(stablehlo::ConstantOp::create(rewriter, op->getLoc(),
                                                      zerosOf(type)));
      rewriter.replaceOp(op, zeros);
    });
}

void addSimplerConstants(Operation *op, Changes &changes) {
  auto constant = dyn_cast<stablehlo::ConstantOp>(op);
  if (!constant || isa<SplatElementsAttr>(constant.getValue()))
    return;
  auto type = cast<ShapedType>(constant.getValue().getType());
  if (!type.hasStaticShape() || type.getNumElements() < 2 || !zerosOf(type))
    return;
  changes.push_back([](RewriterBase &rewriter, Operation *op) {
    auto constant = cast<stablehlo::ConstantOp>(op);
    rewriter.modifyOpInPlace(
        op, [&] { constant.setValueAttr(zerosOf(constant.getType())); });
  });
}

} // namespace shardwright
