//===- translate_elementwise.cc - elementwise instructions ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/translations.h"

using namespace mlir;

namespace shardwright::hlo {

LogicalResult sameOp(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  return t.emit(instruction, instruction.opcode->op, *operands);
}

LogicalResult withAccuracy(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  Translator::Attributes attributes;
  ProtoMessage accuracy =
      instruction.fields.message(instruction_field::result_accuracy);
  bool hasTolerance = accuracy.has(accuracy_field::tolerance);
  int64_t mode = accuracy.integer(accuracy_field::mode);
  if (mode < 0 || mode > 1)
    return t.fail(instruction, "has accuracy mode " + Twine(mode) +
                                   ", expected 0 (default) or 1 (highest)");
  if (hasTolerance || mode == 1) {
    ProtoMessage tolerance = accuracy.message(accuracy_field::tolerance);
    auto kind = hasTolerance ? stablehlo::ResultAccuracyMode::TOLERANCE
                             : stablehlo::ResultAccuracyMode::HIGHEST;
    APFloat atol(tolerance.realDouble(tolerance_field::atol)),
        rtol(tolerance.realDouble(tolerance_field::rtol));
    int64_t ulps = tolerance.integer(tolerance_field::ulps);
    auto kindAttr = stablehlo::ResultAccuracyModeAttr::get(t.context, kind);
    auto error = [&] { return mlir::emitError(UnknownLoc::get(t.context)); };
    bool isValid = false;
    {
      ScopedDiagnosticHandler quiet(t.context,
                                    [](Diagnostic &) { return success(); });
      isValid = succeeded(stablehlo::ResultAccuracyAttr::verify(
          error, atol, rtol, ulps, kindAttr));
    }
    if (!isValid)
      return t.fail(instruction, "has an accuracy that StableHLO does not "
                                 "have: a tolerance must not be negative");
    attributes.push_back(t.attribute(
        "result_accuracy", stablehlo::ResultAccuracyAttr::get(
                               t.context, atol, rtol, ulps, kindAttr)));
  }
  return t.emit(instruction, instruction.opcode->op, *operands, attributes);
}

LogicalResult compare(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  StringRef direction = instruction.fields.bytes(
                instruction_field::comparison_direction),
            type = instruction.fields.bytes(instruction_field::comparison_type);
  auto directionValue = stablehlo::symbolizeComparisonDirection(direction);
  if (!directionValue)
    return t.fail(instruction, "has comparison direction '" + direction +
                                   "', expected EQ, NE, GE, GT, LE or LT");
  Translator::Attributes attributes = {t.attribute(
      "comparison_direction",
      stablehlo::ComparisonDirectionAttr::get(t.context, *directionValue))};
  if (!type.empty()) {
    auto typeValue = stablehlo::symbolizeComparisonType(type);
    if (!typeValue || *typeValue == stablehlo::ComparisonType::NOTYPE)
      return t.fail(instruction,
                    "has comparison type '" + type +
                        "', expected FLOAT, TOTALORDER, SIGNED or UNSIGNED");
    attributes.push_back(
        t.attribute("compare_type",
                    stablehlo::ComparisonTypeAttr::get(t.context, *typeValue)));
  }
  return t.emit(instruction, "stablehlo.compare", *operands, attributes);
}

LogicalResult reducePrecision(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  auto bits = [&](StringRef name, int field) {
    return t.attribute(
        name, t.builder.getI32IntegerAttr(instruction.fields.integer(field)));
  };
  return t.emit(instruction, "stablehlo.reduce_precision", *operands,
                {bits("exponent_bits", instruction_field::exponent_bits),
                 bits("mantissa_bits", instruction_field::mantissa_bits)});
}

LogicalResult copy(Translator &t, const Instruction &instruction) {
  if (failed(t.needOperands(instruction, 1)))
    return failure();
  return t.setAlias(instruction, SmallVector<Value>(t.leaves(instruction, 0)));
}

} // namespace shardwright::hlo
