//===- type_relations.cc - compatibility of types, bounds, speculatability ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/dialect.h"
#include "shardwright/dialect/stablehlo/infer/quantized_types.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace shardwright::stablehlo {

bool isComplexOfF32OrF64(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex &&
         (complex.getElementType().isF32() || complex.getElementType().isF64());
}

bool isReplicaGroups(Attribute attr) {
  if (isa<ReplicaGroupMeshAxesAttr>(attr))
    return true;
  auto elements = dyn_cast<DenseIntElementsAttr>(attr);
  return elements && elements.getType().getElementType().isSignlessInteger(64);
}

bool isLayout(Attribute attr) {
  auto elements = dyn_cast<DenseIntElementsAttr>(attr);
  return elements && elements.getType().getElementType().isIndex() &&
         elements.getType().getRank() == 1;
}

ArrayRef<int64_t> boundsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  auto extensions = dyn_cast_or_null<TypeExtensionsAttr>(tensor.getEncoding());
  return extensions ? extensions.getBounds() : ArrayRef<int64_t>();
}

bool isStaticOrHasOneBoundedDim(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  ArrayRef<int64_t> bounds = boundsOf(type);
  int64_t dynamic = 0;
  for (int64_t d = 0; d < tensor.getRank(); ++d) {
    if (!tensor.isDynamicDim(d))
      continue;
    ++dynamic;
    if (bounds.empty() || ShapedType::isDynamic(bounds[d]))
      return false;
  }
  return dynamic <= 1;
}

bool areElementTypesAlike(Type a, Type b) {
  if (a == b)
    return true;
  auto qa = dyn_cast<quant::QuantizedType>(a),
       qb = dyn_cast<quant::QuantizedType>(b);
  if (!qa || !qb)
    return false;
  if (qa.getStorageType() != qb.getStorageType() ||
      qa.getStorageTypeMin() != qb.getStorageTypeMin() ||
      qa.getStorageTypeMax() != qb.getStorageTypeMax() ||
      qa.getExpressedType() != qb.getExpressedType() ||
      qa.getFlags() != qb.getFlags())
    return false;
  auto pa = dyn_cast<quant::UniformQuantizedPerAxisType>(qa);
  auto pb = dyn_cast<quant::UniformQuantizedPerAxisType>(qb);
  if (!pa && !pb)
    return true;
  return pa && pb && pa.getScales().size() == pb.getScales().size();
}

bool areElementTypesCompatible(Type a, Type b) {
  if (!areElementTypesAlike(a, b))
    return false;
  auto pa = dyn_cast<quant::UniformQuantizedPerAxisType>(a);
  return !pa || pa.getQuantizedDimension() ==
                    cast<quant::UniformQuantizedPerAxisType>(b)
                        .getQuantizedDimension();
}

Type permutedElementType(Type element, ArrayRef<int64_t> permutation) {
  auto axis = dyn_cast<quant::UniformQuantizedPerAxisType>(element);
  if (!axis)
    return element;
  const int64_t *place =
      llvm::find(permutation, int64_t(axis.getQuantizedDimension()));
  if (place == permutation.end())
    return element;
  return quant::UniformQuantizedPerAxisType::get(
      axis.getFlags(), axis.getStorageType(), axis.getExpressedType(),
      axis.getScales(), axis.getZeroPoints(), place - permutation.begin(),
      axis.getStorageTypeMin(), axis.getStorageTypeMax());
}

bool areCompatible(Type a, Type b) {
  if (a == b)
    return true;
  auto ta = dyn_cast<TensorType>(a), tb = dyn_cast<TensorType>(b);
  if (!ta || !tb ||
      !areElementTypesCompatible(ta.getElementType(), tb.getElementType()))
    return false;
  if (!ta.hasRank() || !tb.hasRank())
    return true;
  if (ta.getRank() != tb.getRank())
    return false;
  ArrayRef<int64_t> boundsA = boundsOf(a), boundsB = boundsOf(b);
  auto fits = [](int64_t size, ArrayRef<int64_t> bounds, size_t dim) {
    return ShapedType::isDynamic(size) || dim >= bounds.size() ||
           ShapedType::isDynamic(bounds[dim]) || size <= bounds[dim];
  };
  for (size_t d = 0, e = ta.getRank(); d < e; ++d) {
    int64_t sa = ta.getDimSize(d), sb = tb.getDimSize(d);
    if (!ShapedType::isDynamic(sa) && !ShapedType::isDynamic(sb) && sa != sb)
      return false;
    if (!fits(sa, boundsB, d) || !fits(sb, boundsA, d))
      return false;
  }
  return true;
}

/// True if these integers store a quantized tensor, as for the value of a
/// constant: MLIR has no attribute of quantized elements.
static bool stores(Type inferred, Type result) {
  auto integers = dyn_cast<RankedTensorType>(inferred);
  auto tensor = dyn_cast<RankedTensorType>(result);
  auto quantized = tensor
                       ? dyn_cast<quant::QuantizedType>(tensor.getElementType())
                       : quant::QuantizedType();
  return integers && quantized &&
         integers == tensor.clone(quantized.getStorageType());
}

bool areCompatible(TypeRange a, TypeRange b) {
  if (a.size() == 1 && b.size() == 1 && stores(a[0], b[0]))
    return true;
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return areCompatible(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult detail::verifyCompatibleElementTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types)
    if (!areElementTypesAlike(getElementTypeOrSelf(type),
                              getElementTypeOrSelf(types.front())))
      return op->emitOpError(
          "requires compatible element types for all operands and results");
  return success();
}

LogicalResult detail::verifyCompatibleTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  if (llvm::all_equal(types))
    return success();
  for (auto [index, type] : llvm::enumerate(types))
    for (Type other : ArrayRef(types).take_front(index))
      if (!areCompatible(type, other))
        return op->emitOpError(
            "requires compatible types for all operands and results");
  return success();
}

template <typename SameFn>
static LogicalResult verifyPairwise(Operation *op, StringRef what,
                                    SameFn same) {
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError("requires the same number of operands and results");
  for (auto [index, from, to] :
       llvm::enumerate(op->getOperandTypes(), op->getResultTypes()))
    if (!same(from, to))
      return op->emitOpError("requires the same ")
             << what << " for operand and result at index " << index;
  return success();
}

LogicalResult detail::verifyPairwiseSameType(Operation *op) {
  return verifyPairwise(op, "type", [](Type a, Type b) { return a == b; });
}

LogicalResult detail::verifyPairwiseSameElementType(Operation *op) {
  return verifyPairwise(op, "element type", [](Type a, Type b) {
    return getElementTypeOrSelf(a) == getElementTypeOrSelf(b);
  });
}

static bool allStatic(TypeRange types) {
  return llvm::all_of(types, [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
}

Speculation::Speculatability speculatableIfStatic(Operation *op) {
  return allStatic(op->getOperandTypes()) && allStatic(op->getResultTypes())
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}

Speculation::Speculatability recursivelySpeculatableIfStatic(Operation *op) {
  return allStatic(op->getOperandTypes()) && allStatic(op->getResultTypes())
             ? Speculation::RecursivelySpeculatable
             : Speculation::NotSpeculatable;
}

Speculation::Speculatability speculatableIfResultDimsStatic(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return Speculation::NotSpeculatable;
  auto operand = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!operand || !result || operand.getRank() != result.getRank())
    return Speculation::NotSpeculatable;
  for (auto [from, to] : llvm::zip(operand.getShape(), result.getShape()))
    if (!ShapedType::isDynamic(to) && ShapedType::isDynamic(from))
      return Speculation::NotSpeculatable;
  return Speculation::Speculatable;
}

} // namespace shardwright::stablehlo
