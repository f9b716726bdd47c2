//===- top_k.cc - ApproxTopK and TopK -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/legalize.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

bool isTopK(hlo::CustomCallOp op) {
  return op.getCallTargetName() == "ApproxTopK" ||
         op.getCallTargetName() == "TopK";
}

/// Returns the comparator that the call names, or null after emitting an error.
static func::FuncOp comparator(hlo::CustomCallOp op) {
  ArrayAttr called = op.getCalledComputations();
  func::FuncOp f;
  if (called && called.size() == 1)
    f = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, cast<FlatSymbolRefAttr>(called[0]));
  if (!f || f.isDeclaration() || !f.getBody().hasOneBlock() ||
      f.getNumResults() != 1) {
    op.emitError() << "custom call '" << op.getCallTargetName()
                   << "' requires one comparator in called_computations";
    return nullptr;
  }
  return f;
}

/// Sorts the operands along `dim` by the comparator and slices them to the
/// results' size.
static LogicalResult sortAndCut(hlo::CustomCallOp op, ValueRange operands,
                                int64_t dim, func::FuncOp less) {
  OpBuilder b(op);
  Location at = op.getLoc();
  auto bad = [&] {
    return op.emitError() << "custom call '" << op.getCallTargetName()
                          << "': operands, comparator and results do not fit";
  };
  if (operands.size() != op.getNumResults() || operands.empty())
    return bad();
  SmallVector<Type> arguments;
  auto shape = cast<RankedTensorType>(operands[0].getType()).getShape();
  for (Value v : operands) {
    auto type = cast<RankedTensorType>(v.getType());
    if (type.getShape() != shape)
      return bad();
    arguments.append(2, RankedTensorType::get({}, type.getElementType()));
  }
  // A comparator may use only the values.
  size_t looksAt = less.getNumArguments();
  if (dim < 0 || dim >= int64_t(shape.size()) || looksAt > arguments.size() ||
      !llvm::equal(less.getArgumentTypes(),
                   ArrayRef<Type>(arguments).take_front(looksAt)))
    return bad();
  auto sort = hlo::SortOp::create(b, at, operands.getTypes(), operands, dim,
                                  /*is_stable=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Location> locations(arguments.size(), at);
    Block *body =
        b.createBlock(&sort.getComparator(), {}, arguments, locations);
    IRMapping map;
    map.map(less.getArguments(), body->getArguments().take_front(looksAt));
    Block &from = less.getBody().front();
    for (Operation &inner : from.without_terminator())
      b.clone(inner, map);
    hlo::ReturnOp::create(
        b, at, map.lookupOrDefault(from.getTerminator()->getOperand(0)));
  }
  for (auto [sorted, result] :
       llvm::zip_equal(sort.getResults(), op.getResults())) {
    auto type = cast<RankedTensorType>(sorted.getType());
    auto wanted = dyn_cast<RankedTensorType>(result.getType());
    if (!wanted || wanted.getRank() != type.getRank() ||
        wanted.getElementType() != type.getElementType())
      return bad();
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      if (int64_t(d) == dim ? wanted.getDimSize(d) > size
                            : wanted.getDimSize(d) != size)
        return bad();
    SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
    Value cut = hlo::SliceOp::create(b, at, wanted, sorted,
                                     b.getDenseI64ArrayAttr(zeros),
                                     b.getDenseI64ArrayAttr(wanted.getShape()),
                                     b.getDenseI64ArrayAttr(ones));
    result.replaceAllUsesWith(cut);
  }
  op.erase();
  return success();
}

LogicalResult legalizeTopK(hlo::CustomCallOp op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return op.emitError()
             << "custom call '" << op.getCallTargetName()
             << "' requires tensors of static shape, got " << type;
  func::FuncOp less = comparator(op);
  if (!less)
    return failure();
  if (op.getCallTargetName() == "ApproxTopK") {
    // The operands are the inputs, then one initial value per input.
    auto options = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
    if (!options)
      options = dyn_cast_or_null<DictionaryAttr>(
          op->getAttr(op.getBackendConfigAttrName()));
    auto dim = options ? options.getAs<IntegerAttr>("reduction_dim") : nullptr;
    if (!dim || op.getNumOperands() % 2)
      return op.emitError(
          "custom call 'ApproxTopK' requires an attribute "
          "reduction_dim and an initial value for each operand");
    return sortAndCut(op, op.getOperands().take_front(op.getNumOperands() / 2),
                      dim.getInt(), less);
  }
  if (op.getNumOperands() != 1 || op.getNumResults() != 2)
    return op.emitError(
        "custom call 'TopK' requires one operand and two results");
  OpBuilder b(op);
  auto type = cast<RankedTensorType>(op.getOperand(0).getType());
  int64_t dim = type.getRank() - 1;
  if (dim < 0)
    return op.emitError("custom call 'TopK' requires at least one dimension");
  auto indices = cast<RankedTensorType>(op.getResult(1).getType());
  Value iota = hlo::IotaOp::create(b, op.getLoc(),
                                   type.clone(indices.getElementType()), dim);
  return sortAndCut(op, {op.getOperand(0), iota}, dim, less);
}

} // namespace shardwright::legalize
