//===- dialect.cc - the chlo dialect --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/stablehlo/text/field_list.h"
#include "llvm/ADT/TypeSwitch.h"

#include "shardwright/dialect/chlo/chlo_dialect.cpp.inc"
#include "shardwright/dialect/chlo/chlo_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "shardwright/dialect/chlo/chlo_attrs.cpp.inc"

using namespace mlir;

namespace shardwright::chlo {

/// Comparisons have bytecode codes; the other attributes are encoded as text.
struct ChloBytecode : BytecodeDialectInterface {
  ChloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &r) const override {
    uint64_t code = 0, number = 0;
    if (failed(r.readVarInt(code)) || failed(r.readVarInt(number)))
      return {};
    if (code == kComparisonDirection)
      if (auto value = symbolizeComparisonDirection(
              static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX))))
        return ComparisonDirectionAttr::get(getContext(), *value);
    if (code == kComparisonType)
      if (auto value = symbolizeComparisonType(
              static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX))))
        return ComparisonTypeAttr::get(getContext(), *value);
    r.emitError() << "unknown chlo attribute code: " << code << ", value "
                  << number;
    return {};
  }
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &w) const override {
    if (auto direction = dyn_cast<ComparisonDirectionAttr>(attr)) {
      w.writeVarInt(kComparisonDirection);
      w.writeVarInt(static_cast<uint32_t>(direction.getValue()));
      return success();
    }
    if (auto type = dyn_cast<ComparisonTypeAttr>(attr)) {
      w.writeVarInt(kComparisonType);
      w.writeVarInt(static_cast<uint32_t>(type.getValue()));
      return success();
    }
    return failure();
  }

  enum Code : uint64_t { kComparisonDirection = 0, kComparisonType = 1 };
};

void ChloDialect::initialize() {
  addInterfaces<ChloBytecode>();
  registerAttributes();
  registerMathOps();
  registerBroadcastOps();
}

void ChloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwright/dialect/chlo/chlo_attrs.cpp.inc"
      >();
}

Operation *ChloDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting,
      ragged, group;
  stablehlo::Field fields[] = {{"lhs_batching_dimensions", &lhsBatching},
                               {"rhs_batching_dimensions", &rhsBatching},
                               {"lhs_contracting_dimensions", &lhsContracting},
                               {"rhs_contracting_dimensions", &rhsContracting},
                               {"lhs_ragged_dimensions", &ragged},
                               {"rhs_group_dimensions", &group}};
  if (stablehlo::parseFields(parser, fields))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting,
             rhsContracting, ragged, group);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  stablehlo::FieldPrinter(printer)
      .list("lhs_batching_dimensions", getLhsBatchingDimensions())
      .list("rhs_batching_dimensions", getRhsBatchingDimensions())
      .list("lhs_contracting_dimensions", getLhsContractingDimensions())
      .list("rhs_contracting_dimensions", getRhsContractingDimensions())
      .list("lhs_ragged_dimensions", getLhsRaggedDimensions())
      .list("rhs_group_dimensions", getRhsGroupDimensions());
}

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  return getValue().getType() == getType() ? OpFoldResult(getValueAttr())
                                           : OpFoldResult();
}

LogicalResult ConstantLikeOp::verify() {
  if (getValue().getType() != getElementTypeOrSelf(getType()))
    return emitOpError("value's type doesn't match element return type");
  return success();
}

} // namespace shardwright::chlo
