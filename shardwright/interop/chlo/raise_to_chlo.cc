//===- raise_to_chlo.cc - recognize CHLO ops ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/raise_to_chlo.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardwright {

namespace {

// Functions without attributes whose result type is the operands' type.
bool isPlainFunction(StringRef name, size_t operands) {
  static const llvm::StringSet<> unary{
      "acos", "acosh",      "asin",    "asinh",  "atan",    "atanh",
      "cosh", "bessel_i1e", "digamma", "erf",    "erf_inv", "erfc",
      "conj", "lgamma",     "sinh",    "square", "tan"};
  static const llvm::StringSet<> binary{"mulhi", "next_after", "polygamma",
                                        "zeta"};
  return (operands == 1 && unary.contains(name)) ||
         (operands == 2 && binary.contains(name));
}

Operation *raiseTopK(OpBuilder &b, Location loc, ValueRange operands,
                     TypeRange results, DictionaryAttr attributes) {
  auto k = attributes.getAs<IntegerAttr>("k");
  if (!k || operands.size() != 1 || results.size() != 2)
    return nullptr;
  BoolAttr isStable = b.getBoolAttr(true);
  for (NamedAttribute attr : attributes) {
    StringRef name = attr.getName();
    if (name == "is_stable" && isa<BoolAttr>(attr.getValue()))
      isStable = cast<BoolAttr>(attr.getValue());
    else if (name == "largest" && isa<BoolAttr>(attr.getValue()) &&
             cast<BoolAttr>(attr.getValue()).getValue())
      continue; // the value in old custom calls is the default
    else if (name != "k")
      return nullptr;
  }
  auto operand = dyn_cast<RankedTensorType>(operands[0].getType());
  int64_t count = k.getValue().getSExtValue();
  if (!operand || operand.getRank() == 0 || count < 0)
    return nullptr;
  SmallVector<int64_t> shape(operand.getShape());
  if (!ShapedType::isDynamic(shape.back()) && shape.back() < count)
    return nullptr;
  shape.back() = count;
  if (!stablehlo::areCompatible(
          results[0], RankedTensorType::get(shape, operand.getElementType())) ||
      !stablehlo::areCompatible(results[1],
                                RankedTensorType::get(shape, b.getI32Type())))
    return nullptr;
  return chlo::TopKOp::create(b, loc, results, operands[0],
                              b.getI64IntegerAttr(count), isStable);
}

std::optional<SmallVector<int64_t>> readDims(Attribute attr) {
  if (auto elements = dyn_cast<DenseIntElementsAttr>(attr)) {
    SmallVector<int64_t> dims;
    for (const APInt &value : elements)
      dims.push_back(value.getSExtValue());
    return dims;
  }
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attr))
    return SmallVector<int64_t>(array.asArrayRef());
  return std::nullopt;
}

Operation *raiseRaggedDot(OpBuilder &b, Location loc, ValueRange operands,
                          TypeRange results, DictionaryAttr attributes) {
  if (operands.size() != 3 || results.size() != 1)
    return nullptr;
  auto lists = attributes.getAs<ArrayAttr>("ragged_dot_dimension_numbers");
  if (!lists || lists.size() != 6)
    return nullptr;
  SmallVector<int64_t> dims[6];
  for (auto [index, list] : llvm::enumerate(lists)) {
    auto read = readDims(list);
    if (!read)
      return nullptr;
    dims[index] = std::move(*read);
  }
  ArrayAttr precision;
  for (NamedAttribute attr : attributes) {
    if (attr.getName() == "ragged_dot_dimension_numbers")
      continue;
    auto names = dyn_cast<ArrayAttr>(attr.getValue());
    if (attr.getName() != "precision_config" || !names)
      return nullptr;
    SmallVector<Attribute> values;
    for (Attribute name : names) {
      auto text = dyn_cast<StringAttr>(name);
      auto value = text ? chlo::symbolizePrecision(text.getValue())
                        : std::optional<chlo::Precision>();
      if (!value)
        return nullptr;
      values.push_back(chlo::PrecisionAttr::get(b.getContext(), *value));
    }
    precision = b.getArrayAttr(values);
  }
  auto op = chlo::RaggedDotOp::create(
      b, loc, results[0], operands[0], operands[1], operands[2],
      chlo::RaggedDotDimensionNumbersAttr::get(
          b.getContext(), dims[0], dims[1], dims[2], dims[3], dims[4], dims[5]),
      precision);
  // Suppress diagnostics: an invalid op falls back to its decomposition.
  ScopedDiagnosticHandler quiet(b.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(op.verify())) {
    op.erase();
    return nullptr;
  }
  return op;
}

} // namespace

Operation *raiseToChlo(OpBuilder &b, Location loc, StringRef name,
                       ValueRange operands, TypeRange results,
                       DictionaryAttr attributes) {
  if (name == "top_k" || name == "topk")
    return raiseTopK(b, loc, operands, results, attributes);
  if (name == "ragged_dot")
    return raiseRaggedDot(b, loc, operands, results, attributes);
  if (!isPlainFunction(name, operands.size()) || !attributes.empty() ||
      results.size() != 1)
    return nullptr;
  for (Type type : operands.getTypes())
    if (!stablehlo::areCompatible(type, results[0]))
      return nullptr;
  Type element = getElementTypeOrSelf(results[0]);
  bool isInteger = isa<IntegerType>(element) && !element.isInteger(1);
  bool allowsComplex =
      !llvm::is_contained({"erf", "erfc", "erf_inv", "lgamma", "digamma",
                           "bessel_i1e", "zeta", "polygamma", "next_after"},
                          name);
  bool fits = name == "mulhi"
                  ? isInteger
                  : isa<FloatType>(element) ||
                        (isa<ComplexType>(element) && allowsComplex);
  if (!fits)
    return nullptr;
  OperationState state(loc, "chlo." + name.str());
  state.addOperands(operands);
  state.addTypes(results);
  return b.create(state);
}

} // namespace shardwright
