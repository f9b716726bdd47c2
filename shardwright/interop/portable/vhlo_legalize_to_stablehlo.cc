//===- vhlo_legalize_to_stablehlo.cc - VHLO of any version to StableHLO ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/portable/neutral.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/interop/portable/rewrite.h"
#include "shardwright/interop/portable/structured_attrs.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {
namespace {

using vhlo::AttrKind;

class Legalizer {
public:
  Legalizer(MLIRContext *context, bool allowOtherDialects)
      : context(context), keepOthers(allowOtherDialects), names(context),
        funcName(func::FuncOp::getOperationName(), context),
        callName(func::CallOp::getOperationName(), context),
        returnName(func::ReturnOp::getOperationName(), context) {}

  LogicalResult run(ModuleOp module) {
    if (failed(convertBlock(*module.getBody())))
      return failure();
    dropCasts();
    return success();
  }

private:
  LogicalResult convertBlock(Block &block);
  LogicalResult convertRegions(Operation *op);
  LogicalResult convertTypes(ValueRange values, Operation *op);
  LogicalResult convertOp(Operation *op, const vhlo::OpRow &row);
  /// The StableHLO attribute; null if it is omitted.
  FailureOr<Attribute> convertAttr(Operation *op, const vhlo::OpRow &row,
                                   const vhlo::AttrSpec &spec, Attribute attr);
  DictionaryAttr convertDiscardable(Operation *op);
  OperationName nameFor(Operation *op, const vhlo::OpRow &row);
  void dropCasts();

  MLIRContext *context;
  bool keepOthers;
  VhloNames names;
  OperationName funcName, callName, returnName;
  FromVhlo values;
  SmallVector<UnrealizedConversionCastOp> casts;
};

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Legalizer::convertBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (const vhlo::OpRow *row = vhlo::rowOf(&op)) {
      if (failed(convertOp(&op, *row)))
        return failure();
      continue;
    }
    // Other ops should have values of builtin types, but a file may be
    // malformed.
    if (failed(convertTypes(op.getResults(), &op)) ||
        failed(convertRegions(&op)))
      return failure();
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
      casts.push_back(cast);
    else if (!keepOthers && !isa<ModuleOp>(op) &&
             !isa_and_nonnull<stablehlo::StablehloDialect, func::FuncDialect>(
                 op.getDialect()))
      return failToLegalize(&op)
             << "an op of another dialect needs `allow-other-dialects`";
  }
  return success();
}

LogicalResult Legalizer::convertTypes(ValueRange range, Operation *op) {
  for (Value value : range) {
    if (!isa<vhlo::VhloDialect>(value.getType().getDialect()))
      continue;
    Type type =
        values.type(value.getType(), [&] { return failToLegalize(op); });
    if (!type)
      return failure();
    value.setType(type);
  }
  return success();
}

LogicalResult Legalizer::convertRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(convertTypes(block.getArguments(), op)) ||
          failed(convertBlock(block)))
        return failure();
  return success();
}

OperationName Legalizer::nameFor(Operation *op, const vhlo::OpRow &row) {
  if (row.name == "func")
    return funcName;
  if (row.name == "call")
    return callName;
  // Parents are replaced before their bodies are visited.
  if (row.name == "return" && isa_and_nonnull<func::FuncOp>(op->getParentOp()))
    return returnName;
  return *names.of(row).stablehlo;
}

LogicalResult Legalizer::convertOp(Operation *op, const vhlo::OpRow &row) {
  auto emitError = [&] { return failToLegalize(op); };
  OperationName name = nameFor(op, row);
  if (!name.isRegistered())
    return failToLegalize(op) << "StableHLO has no such op";
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    if (!types.emplace_back(values.type(type, emitError)))
      return failure();
  DictionaryAttr discardable = convertDiscardable(op);
  if (!discardable)
    return failure();
  const VhloNames::Row &row_ = names.of(row);
  SmallVector<std::pair<StringAttr, Attribute>, vhlo::kMaxAttrs> attrs;
  for (auto [spec, attrName, attr] :
       llvm::zip(row.attrs, row_.attrs, vhlo::attrsOf(op))) {
    FailureOr<Attribute> converted = convertAttr(op, row, spec, attr);
    if (failed(converted))
      return failure();
    if (*converted)
      attrs.emplace_back(attrName, *converted);
  }
  Operation *created = replaceOp(op, name, types, discardable);
  for (auto [attrName, attr] : attrs)
    name.setInherentAttr(created, attrName, attr);
  // A call without operands, or without results, has an empty list of their
  // layouts, which VHLO does not distinguish from no list.
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(created);
      call && call.getOperandLayouts().has_value() !=
                  call.getResultLayouts().has_value()) {
    auto empty = ArrayAttr::get(op->getContext(), {});
    if (!call.getResultLayouts())
      call.setResultLayoutsAttr(empty);
    else
      call.setOperandLayoutsAttr(empty);
  }
  if (!row.attrs.empty() &&
      failed(setStructuredAttrs(created, row, vhlo::attrsOf(op), values,
                                emitError)))
    return failure();
  op->erase();
  return convertRegions(created);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

DictionaryAttr Legalizer::convertDiscardable(Operation *op) {
  DictionaryAttr from = op->getDiscardableAttrDictionary();
  if (from.empty())
    return from;
  SmallVector<NamedAttribute> entries;
  for (NamedAttribute entry : from) {
    Attribute value =
        values.attribute(entry.getValue(), [&] { return failToLegalize(op); });
    if (!value)
      return {};
    entries.emplace_back(entry.getName(), value);
  }
  return DictionaryAttr::getWithSorted(context, entries);
}

FailureOr<Attribute> Legalizer::convertAttr(Operation *op,
                                            const vhlo::OpRow &row,
                                            const vhlo::AttrSpec &spec,
                                            Attribute attr) {
  if (!attr)
    return failToLegalize(op) << "attribute '" << spec.name << "' is missing";
  auto emitError = [&] { return failToLegalize(op); };
  auto invalid = [&]() -> FailureOr<Attribute> {
    return failToLegalize(op)
           << "attribute '" << spec.name << "' cannot be " << attr;
  };
  switch (spec.kind) {
  case AttrKind::Channel:
  case AttrKind::ChannelType:
  case AttrKind::Exploded:
  case AttrKind::ExplodedOrEmpty:
  case AttrKind::Algorithm:
    return Attribute(); // handled by setStructuredAttrs
  default:
    break;
  }
  // The first version of dynamic_conv had an attribute without meaning.
  if (row.name == "dynamic_conv" && spec.kind == AttrKind::Zeros)
    return Attribute();
  if (isNeutral(attr, spec.kind))
    return Attribute();
  Attribute value = values.attribute(attr, emitError);
  if (!value)
    return failure();
  switch (spec.kind) {
  case AttrKind::I64s:
  case AttrKind::EmptyI64s:
  case AttrKind::Ones: {
    auto elements = dyn_cast<DenseIntElementsAttr>(value);
    if (!elements || !elements.getElementType().isInteger(64))
      return invalid();
    return Attribute(DenseI64ArrayAttr::get(
        context, llvm::to_vector(elements.getValues<int64_t>())));
  }
  case AttrKind::Falses: {
    auto elements = dyn_cast<DenseIntElementsAttr>(value);
    if (!elements || !elements.getElementType().isInteger(1))
      return invalid();
    return Attribute(DenseBoolArrayAttr::get(
        context, llvm::to_vector(elements.getValues<bool>())));
  }
  case AttrKind::Symbol: {
    auto string = dyn_cast<StringAttr>(value);
    if (!string)
      return invalid();
    return Attribute(FlatSymbolRefAttr::get(string));
  }
  case AttrKind::Symbols: {
    auto list = dyn_cast<ArrayAttr>(value);
    SmallVector<Attribute> symbols;
    for (Attribute part : list ? list.getValue() : ArrayRef<Attribute>()) {
      auto string = dyn_cast<StringAttr>(part);
      if (!string)
        return invalid();
      symbols.push_back(FlatSymbolRefAttr::get(string));
    }
    return list ? FailureOr<Attribute>(ArrayAttr::get(context, symbols))
                : invalid();
  }
  case AttrKind::Unit: {
    auto flag = dyn_cast<BoolAttr>(value);
    if (!flag)
      return invalid();
    return flag.getValue() ? Attribute(UnitAttr::get(context)) : Attribute();
  }
  case AttrKind::CompositeVersion: {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || !number.getValue().isSignedIntN(32))
      return invalid();
    return Attribute(IntegerAttr::get(IntegerType::get(context, 32),
                                      number.getValue().getSExtValue()));
  }
  default:
    break;
  }
  // A function reads its type before it is verified.
  if (row.name == "func" && spec.name == "function_type") {
    auto type = dyn_cast<TypeAttr>(value);
    if (!type || !isa<FunctionType>(type.getValue()))
      return invalid();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Removes casts whose types have become equal.
void Legalizer::dropCasts() {
  for (UnrealizedConversionCastOp cast : casts)
    if (llvm::equal(cast.getOperandTypes(), cast.getResultTypes())) {
      cast->replaceAllUsesWith(cast.getOperands());
      cast->erase();
    }
}

} // namespace

LogicalResult legalizeVhloToStablehlo(ModuleOp module,
                                      bool allowOtherDialects) {
  return Legalizer(module.getContext(), allowOtherDialects).run(module);
}

} // namespace shardwright
