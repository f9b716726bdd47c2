//===- verify_calls.cc - verifiers of calls and barriers ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "shardwright/dialect/stablehlo/control_flow.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace shardwright::stablehlo {

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getHasSideEffect())
    return;
  // Unknown effects: may read, write, allocate and free anything.
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

// A layout is a permutation of a tensor's dimensions, and empty for other
// values.
static LogicalResult verifyLayouts(CustomCallOp op, TypeRange types,
                                   ArrayAttr layouts, StringRef what) {
  if (types.size() != layouts.size())
    return op.emitOpError("Number of ")
           << what << "s must match the number of "
           << (what == "operand" ? "operand" : "result") << " layouts, "
           << types.size() << " != " << layouts.size();
  for (auto [index, entry] : llvm::enumerate(llvm::zip(types, layouts))) {
    auto [type, attr] = entry;
    auto layout = cast<DenseIntElementsAttr>(attr);
    if (isa<TupleType>(type))
      return op.emitOpError("Tuple types are not fully supported with layout "
                            "constraints yet");
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped) {
      if (!layout.empty())
        return op.emitOpError("Only tensor types can have non-empty layout: ")
               << what << " #" << index << " of type " << type << " has layout "
               << layout;
      continue;
    }
    if (!shaped.hasRank())
      continue;
    llvm::SmallBitVector seen(shaped.getRank());
    bool good = layout.getNumElements() == shaped.getRank();
    for (const APInt &value : layout.getValues<APInt>()) {
      int64_t dim = value.getSExtValue();
      if (dim < 0 || dim >= shaped.getRank() || seen.test(dim)) {
        good = false;
        break;
      }
      seen.set(dim);
    }
    if (!good)
      return op.emitOpError("incorrect layout ")
             << layout << " for type " << type
             << ", layout must be a permutation of [0, " << shaped.getRank()
             << ")";
  }
  return success();
}

// The element of a (nested) tuple at the indices; null if there is none.
static Type typeAt(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

// Checks custom calls that create and pass buffers.
static LogicalResult verifyBufferCall(CustomCallOp op) {
  StringRef target = op.getCallTargetName();
  auto isBuffer = [](Type type) { return isa<MemRefType>(type); };
  if (target != "CreateBuffer" && target != "Pin" && target != "Unpin")
    return success();
  auto fail = [&](StringRef text) {
    return op.emitOpError() << target << " custom_call " << text;
  };
  size_t inputs = target == "CreateBuffer" ? 0 : 1;
  if (op.getInputs().size() != inputs)
    return fail(inputs == 0 ? "shouldn't have any inputs"
                            : "should have exactly one input");
  if (op.getNumResults() != 1)
    return fail("should have exactly one output");
  Type result = op.getResultTypes().front();
  if (target == "Unpin") {
    if (!isBuffer(op.getInputs().front().getType()))
      return fail("should have a memref input");
    if (isBuffer(result))
      return fail("should have a tensor output");
  } else if (!isBuffer(result)) {
    return fail("should have a memref output");
  }
  if (inputs == 1) {
    auto from = cast<ShapedType>(op.getInputs().front().getType());
    auto to = dyn_cast<ShapedType>(result);
    if (!to || from.getShape() != to.getShape() ||
        from.getElementType() != to.getElementType())
      return fail("should have the same shape and element type for input and "
                  "output");
  }
  return success();
}

LogicalResult CustomCallOp::verify() {
  if (getOperandLayouts().has_value() != getResultLayouts().has_value())
    return emitOpError("Layout attributes should be specified for either both "
                       "operands and results or none.");
  if (getOperandLayouts()) {
    // For a single tuple result, the layouts are those of its elements.
    SmallVector<Type> results(getResultTypes());
    if (results.size() == 1)
      if (auto tuple = dyn_cast<TupleType>(results.front()))
        results.assign(tuple.getTypes().begin(), tuple.getTypes().end());
    if (failed(verifyLayouts(*this, getOperandTypes(), *getOperandLayouts(),
                             "operand")) ||
        failed(verifyLayouts(*this, results, *getResultLayouts(), "result")))
      return failure();
  }
  for (Attribute attr : getOutputOperandAliases()) {
    auto alias = cast<OutputOperandAliasAttr>(attr);
    int64_t index = alias.getOperandIndex(), count = getInputs().size();
    if (index < 0 || index >= count)
      return emitOpError("expects operandIndex in the output_operand_alias "
                         "attribute to be in range [0, ")
             << count << "); got: " << index << ".";
    Type operand =
        typeAt(getInputs()[index].getType(), alias.getOperandTupleIndices());
    if (!operand)
      return emitOpError("operand_tuple_indices in the output_operand_alias "
                         "attribute out of bounds");
    // Several results count as a tuple.
    ArrayRef<int64_t> outputIndices = alias.getOutputTupleIndices();
    Type output;
    if (getNumResults() == 1) {
      output = typeAt(getResultTypes().front(), outputIndices);
    } else if (!outputIndices.empty() && outputIndices.front() >= 0 &&
               outputIndices.front() < static_cast<int64_t>(getNumResults())) {
      output = typeAt(getResult(outputIndices.front()).getType(),
                      outputIndices.drop_front());
    }
    if (!output)
      return emitOpError("output_tuple_indices in the output_operand_alias "
                         "attribute out of bounds");
    if (operand != output)
      return emitOpError("shapes mismatch in the output_operand_alias "
                         "attribute: operand part has type ")
             << operand << " and output part has type " << output;
  }
  if (std::optional<Attribute> config = getBackendConfig()) {
    bool typed = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
    if (isa<DictionaryAttr>(*config) != typed)
      return emitOpError("backend_config for api_version ")
             << stringifyCustomCallApiVersion(getApiVersion()) << " must be a "
             << (typed ? "dictionary" : "string") << " attribute.";
  }
  return verifyBufferCall(*this);
}

LogicalResult CompositeOp::verify() {
  static constexpr StringLiteral pattern =
      "^[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+$";
  if (!llvm::Regex(pattern).match(getName()))
    return mlir::emitError(getLoc())
           << "name must be a valid namespaced op name, i.e. it must match the "
              "following regular expression: "
           << pattern << " e.g. \"my_namespace.my_op\"";
  return success();
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getDecompositionAttr());
  if (!function)
    return mlir::emitError(getLoc()) << "'" << getDecomposition()
                                     << "' does not reference a valid function";
  auto check = [&](StringRef what, TypeRange own,
                   TypeRange wanted) -> LogicalResult {
    if (own.size() != wanted.size())
      return mlir::emitError(getLoc())
             << "has " << own.size() << " " << what
             << "(s), but decomposition has " << wanted.size();
    for (auto [index, type, other] : llvm::enumerate(own, wanted))
      if (type != other)
        return mlir::emitError(getLoc())
               << what << " at index " << index << " has type " << type
               << ", but decomposition has type " << other;
    return success();
  };
  if (failed(check("operand", getOperandTypes(), function.getArgumentTypes())))
    return failure();
  return check("result", getResultTypes(), function.getResultTypes());
}

} // namespace shardwright::stablehlo
