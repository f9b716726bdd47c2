//===- old_spellings.h - attributes of old versions -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before StableHLO 0.15, lists of dimensions were dense elements: `permutation
// = dense<[1, 0]> : tensor<2xi64>`, now `array<i64: 1, 0>`. The old form is
// read, but never written.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_TEXT_OLD_SPELLINGS_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_TEXT_OLD_SPELLINGS_H

#include "mlir/IR/OpDefinition.h"

namespace shardwright::stablehlo {

/// The attribute in its current form; unchanged if it is not in an old form.
mlir::Attribute fromOldSpelling(mlir::StringAttr name, mlir::Attribute value);
void fromOldSpellings(mlir::NamedAttrList &attributes);
mlir::Attribute fromOldSpellings(mlir::Attribute properties);

namespace detail {

/// OpT with hooks at the two places where parsed attributes are set.
template <typename OpT> struct Reader : OpT {
  using OpT::OpT;
  static llvm::LogicalResult verifyInherentAttrs(
      mlir::OperationName name, mlir::NamedAttrList &attributes,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
    fromOldSpellings(attributes);
    return OpT::verifyInherentAttrs(name, attributes, emitError);
  }
  template <typename PropertiesT>
  static llvm::LogicalResult setPropertiesFromAttr(
      PropertiesT &properties, mlir::Attribute attr,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
    return OpT::setPropertiesFromAttr(properties, fromOldSpellings(attr),
                                      emitError);
  }
};

/// Registered as OpT, so that Reader is not visible elsewhere.
template <typename OpT>
struct ReaderModel : mlir::RegisteredOperationName::Model<Reader<OpT>> {
  explicit ReaderModel(mlir::Dialect *dialect)
      : mlir::RegisteredOperationName::Model<Reader<OpT>>(dialect) {
    this->typeID = mlir::TypeID::get<OpT>();
  }
};

} // namespace detail

/// As Dialect::addOperations.
template <typename... OpTs>
void addOpsWithOldSpellings(mlir::Dialect *dialect) {
  (mlir::RegisteredOperationName::insert(
       std::make_unique<detail::ReaderModel<OpTs>>(dialect),
       OpTs::getAttributeNames()),
   ...);
}

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_TEXT_OLD_SPELLINGS_H
