//===- stablehlo_legalize_to_vhlo.cc - StableHLO and func to VHLO ---------===//
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
        values(allowOtherDialects) {}

  LogicalResult run(ModuleOp module) {
    if (failed(convertBlock(*module.getBody())))
      return failure();
    for (Operation *op : others)
      castOperandsBack(op);
    return success();
  }

private:
  LogicalResult convertBlock(Block &block);
  LogicalResult convertRegions(Operation *op, bool convertArguments);
  LogicalResult convertOp(Operation *op, const vhlo::OpRow &row);
  LogicalResult convertFunctionAttrs(Operation *op, const vhlo::OpRow &row,
                                     MutableArrayRef<Attribute> attrs);
  Attribute convertAttr(Operation *op, const vhlo::AttrSpec &spec,
                        StringAttr name);
  DictionaryAttr convertDiscardable(Operation *op);

  const vhlo::OpRow *rowFor(Operation *op);
  bool isConverted(Value value);
  void castOperands(Operation *op);
  void castOperandsBack(Operation *op);
  Value cast(Value value, Type type);

  MLIRContext *context;
  bool keepOthers;
  VhloNames names;
  ToVhlo values;
  FromVhlo backwards;
  SmallVector<Operation *> others;
  DenseMap<std::pair<Value, Type>, Value> casts;
  DenseMap<OperationName, const vhlo::OpRow *> rows;
};

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The newest row for an op of func or StableHLO; null for other ops.
const vhlo::OpRow *Legalizer::rowFor(Operation *op) {
  auto [it, isNew] = rows.try_emplace(op->getName(), nullptr);
  if (!isNew)
    return it->second;
  StringRef name;
  if (isa<func::FuncOp>(op))
    name = "func";
  else if (isa<func::CallOp>(op))
    name = "call";
  else if (isa<func::ReturnOp>(op))
    name = "return";
  else if (isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()))
    name = op->getName().stripDialect();
  ArrayRef<vhlo::OpRow> versions = vhlo::versionsOf(name);
  if (!versions.empty())
    it->second = &versions.back();
  return it->second;
}

LogicalResult Legalizer::convertBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (const vhlo::OpRow *row = rowFor(&op)) {
      if (failed(convertOp(&op, *row)))
        return failure();
      continue;
    }
    bool isBuiltin =
        isa<ModuleOp, UnrealizedConversionCastOp>(op) || vhlo::rowOf(&op);
    if (!isBuiltin && !keepOthers)
      return failToLegalize(&op)
             << "an op of another dialect needs `allow-other-dialects`";
    if (!isBuiltin &&
        isa_and_nonnull<stablehlo::StablehloDialect>(op.getDialect()))
      return failToLegalize(&op) << "VHLO has no such op";
    others.push_back(&op);
    if (failed(convertRegions(&op, /*convertArguments=*/false)))
      return failure();
  }
  return success();
}

LogicalResult Legalizer::convertRegions(Operation *op, bool convertArguments) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      if (convertArguments)
        for (BlockArgument argument : block.getArguments()) {
          Type type = values.type(argument.getType());
          if (!type)
            return failToLegalize(op)
                   << "VHLO has no type " << argument.getType();
          argument.setType(type);
        }
      if (failed(convertBlock(block)))
        return failure();
    }
  return success();
}

LogicalResult Legalizer::convertOp(Operation *op, const vhlo::OpRow &row) {
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    if (!types.emplace_back(values.type(type)))
      return failToLegalize(op) << "VHLO has no type " << type;
  DictionaryAttr discardable = convertDiscardable(op);
  if (!discardable)
    return failure();
  const VhloNames::Row &row_ = names.of(row);
  SmallVector<Attribute, vhlo::kMaxAttrs> attrs(row.attrs.size());
  if (isa<func::FuncOp, func::CallOp>(op)) {
    if (failed(convertFunctionAttrs(op, row, attrs)))
      return failure();
  } else {
    for (auto [attr, spec, name] : llvm::zip(attrs, row.attrs, row_.attrs)) {
      attr = convertAttr(op, spec, name);
      if (!attr)
        return failToLegalize(op)
               << "VHLO has no form for its attribute '" << spec.name << "'";
    }
  }
  castOperands(op);
  Operation *created = replaceOp(op, *row_.vhlo, types, discardable);
  llvm::copy(attrs, vhlo::attrsOf(created).begin());
  op->erase();
  return convertRegions(created, /*convertArguments=*/true);
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
    Attribute value = values.attribute(entry.getValue());
    if (!value) {
      failToLegalize(op) << "VHLO has no form for its attribute '"
                         << entry.getName().getValue() << "'";
      return {};
    }
    entries.emplace_back(entry.getName(), value);
  }
  return DictionaryAttr::getWithSorted(context, entries);
}

/// Number of window dimensions of an op whose window attributes have defaults.
static int64_t windowDimsOf(Operation *op) {
  if (auto conv = op->getInherentAttr("dimension_numbers"))
    if (auto numbers =
            dyn_cast_or_null<stablehlo::ConvDimensionNumbersAttr>(*conv))
      return numbers.getInputSpatialDimensions().size();
  if (auto window = op->getInherentAttr("window_dimensions"))
    if (auto sizes = dyn_cast_or_null<DenseI64ArrayAttr>(*window))
      return sizes.size();
  return 0;
}

Attribute Legalizer::convertAttr(Operation *op, const vhlo::AttrSpec &spec,
                                 StringAttr name) {
  switch (spec.kind) {
  case AttrKind::Channel:
  case AttrKind::ChannelType:
  case AttrKind::Exploded:
  case AttrKind::ExplodedOrEmpty:
  case AttrKind::Algorithm: {
    Attribute field = fieldOf(op, spec.name, values);
    return field ? field : neutralValue(context, spec.kind);
  }
  default:
    break;
  }
  Attribute attr = op->getInherentAttr(name).value_or(Attribute());
  if (!attr) {
    bool isTyped = false;
    if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
      isTyped = call.getApiVersion() ==
                stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI;
    return neutralValue(context, spec.kind, windowDimsOf(op), isTyped);
  }
  if (spec.kind == AttrKind::Unit)
    return vhlo::BooleanV1Attr::get(context, true);
  if (spec.kind == AttrKind::ApiVersion) {
    auto number = dyn_cast<IntegerAttr>(attr);
    uint64_t value = number ? number.getValue().getLimitedValue() : 0;
    if (!number || !vhlo::infoOf(vhlo::EnumKind::ApiVersion).isValue(value))
      return {};
    return vhlo::EnumAttr::get(context, vhlo::EnumKind::ApiVersion, value);
  }
  return values.attribute(attr);
}

LogicalResult
Legalizer::convertFunctionAttrs(Operation *op, const vhlo::OpRow &row,
                                MutableArrayRef<Attribute> attrs) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes()))
      if (!values.type(type))
        return failToLegalize(op) << "VHLO has no type " << type;
  for (auto [attr, spec] : llvm::zip(attrs, row.attrs)) {
    Attribute from = op->getInherentAttr(spec.name).value_or(Attribute());
    attr = from ? values.attribute(from) : neutralValue(context, spec.kind);
    if (!attr)
      return failToLegalize(op)
             << "VHLO has no form for its attribute '" << spec.name << "'";
  }
  NamedAttrList inherent;
  op->getName().populateInherentAttrs(op, inherent);
  for (NamedAttribute attr : inherent)
    if (llvm::none_of(row.attrs, [&](const vhlo::AttrSpec &spec) {
          return attr.getName() == spec.name;
        }))
      return failToLegalize(op)
             << "VHLO has no attribute '" << attr.getName().getValue() << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Casts between ops of VHLO and others
//===----------------------------------------------------------------------===//

Value Legalizer::cast(Value value, Type type) {
  Value &made = casts[{value, type}];
  if (!made) {
    OpBuilder b(context);
    b.setInsertionPointAfterValue(value);
    made = UnrealizedConversionCastOp::create(b, value.getLoc(), type, value)
               .getResult(0);
  }
  return made;
}

/// True if the value has, or will have, a type of VHLO.
bool Legalizer::isConverted(Value value) {
  Operation *owner = value.getDefiningOp();
  if (!owner)
    owner = cast_or_null<BlockArgument>(value).getOwner()->getParentOp();
  return !owner || rowFor(owner) || vhlo::rowOf(owner);
}

void Legalizer::castOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (isa<vhlo::VhloDialect>(value.getType().getDialect()) ||
        isConverted(value))
      continue;
    Type type = values.type(value.getType());
    if (type && type != value.getType())
      operand.set(cast(value, type));
  }
}

void Legalizer::castOperandsBack(Operation *op) {
  if (vhlo::rowOf(op) || isa<UnrealizedConversionCastOp>(op))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<vhlo::VhloDialect>(value.getType().getDialect()))
      continue;
    // Cast values of converted types back.
    if (Type type =
            backwards.type(value.getType(), [&] { return op->emitError(); }))
      operand.set(cast(value, type));
  }
}

} // namespace

LogicalResult legalizeStablehloToVhlo(ModuleOp module,
                                      bool allowOtherDialects) {
  return Legalizer(module.getContext(), allowOtherDialects).run(module);
}

} // namespace shardwright
