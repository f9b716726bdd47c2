//===- dialect.cc - the stablehlo dialect and its attribute dispatch ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/dialect.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/dialect/stablehlo/ops/bytecode.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/dialect/stablehlo/text/field_list.h"
#include "llvm/ADT/TypeSwitch.h"

#include "shardwright/dialect/stablehlo/dialect.cpp.inc"
#include "shardwright/dialect/stablehlo/enums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "shardwright/dialect/stablehlo/types.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "shardwright/dialect/stablehlo/attrs.cpp.inc"

using namespace mlir;

namespace shardwright::stablehlo {

/// In control_flow_interfaces.cc.
void attachControlFlowInterfaces(MLIRContext *context);

void StablehloDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerBytecode(*this);
  registerUnaryOps();
  registerBinaryOps();
  registerShapeOps();
  registerContractionOps();
  registerReductionOps();
  registerControlFlowOps();
  registerCollectiveOps();
  registerDynamicOps();
  attachControlFlowInterfaces(getContext());
}

void StablehloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardwright/dialect/stablehlo/attrs.cpp.inc"
      >();
}

void StablehloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "shardwright/dialect/stablehlo/types.cpp.inc"
      >();
}

Operation *StablehloDialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

Attribute StablehloDialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  StringRef mnemonic;
  Attribute attr;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult result =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (result.has_value())
    return attr;
  // The long spelling of bounds: #stablehlo.type_extensions<bounds = [3, ?]>.
  if (mnemonic == "type_extensions") {
    SmallVector<int64_t> bounds;
    if (parser.parseLess() || parser.parseKeyword("bounds") ||
        parser.parseEqual() ||
        parseBounds(parser, AsmParser::Delimiter::Square, bounds) ||
        parser.parseGreater())
      return {};
    return TypeExtensionsAttr::get(parser.getContext(), bounds);
  }
  parser.emitError(loc) << "unknown stablehlo attribute `" << mnemonic << "`";
  return {};
}

void StablehloDialect::printAttribute(Attribute attr,
                                      DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

} // namespace shardwright::stablehlo
