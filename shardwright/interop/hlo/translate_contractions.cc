//===- translate_contractions.cc - dot, convolution, linear algebra, rng --===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/translations.h"
#include "shardwright/interop/hlo/windows.h"

using namespace mlir;

namespace shardwright::hlo {

namespace {

/// Element types of operands and accumulator, and the number of products, of
/// PrecisionConfig.Algorithm.
enum class Precise { F8, F16, BF16, TF32, F32, F64 };
struct Algorithm {
  Precise operands, accumulator;
  int64_t products;
  bool isImprecise;
};

constexpr Algorithm algorithms[] = {
    /* 1 ANY_F8_ANY_F8_F32 */ {Precise::F8, Precise::F32, 1, false},
    /* 2 .._FAST_ACCUM */ {Precise::F8, Precise::F32, 1, true},
    /* 3 F16_F16_F16 */ {Precise::F16, Precise::F16, 1, false},
    /* 4 F16_F16_F32 */ {Precise::F16, Precise::F32, 1, false},
    /* 5 BF16_BF16_BF16 */ {Precise::BF16, Precise::BF16, 1, false},
    /* 6 BF16_BF16_F32 */ {Precise::BF16, Precise::F32, 1, false},
    /* 7 .._X3 */ {Precise::BF16, Precise::F32, 3, false},
    /* 8 .._X6 */ {Precise::BF16, Precise::F32, 6, false},
    /* 9 TF32_TF32_F32 */ {Precise::TF32, Precise::F32, 1, false},
    /* 10 .._X3 */ {Precise::TF32, Precise::F32, 3, false},
    /* 11 F32_F32_F32 */ {Precise::F32, Precise::F32, 1, false},
    /* 12 F64_F64_F64 */ {Precise::F64, Precise::F64, 1, false},
    /* 13 BF16_BF16_F32_X9 */ {Precise::BF16, Precise::F32, 9, false},
};

Type typeOf(MLIRContext *context, Precise type) {
  switch (type) {
  case Precise::F8:
    return Float8E5M2Type::get(context);
  case Precise::F16:
    return Float16Type::get(context);
  case Precise::BF16:
    return BFloat16Type::get(context);
  case Precise::TF32:
    return FloatTF32Type::get(context);
  case Precise::F32:
    return Float32Type::get(context);
  case Precise::F64:
    return Float64Type::get(context);
  }
  return {};
}

} // namespace

/// Appends `precision_config`, and for a dot `algorithm`.
static LogicalResult addPrecision(Translator &t, const Instruction &instruction,
                                  bool isDot,
                                  Translator::Attributes &attributes) {
  ProtoMessage config =
      instruction.fields.message(instruction_field::precision_config);
  SmallVector<Attribute> precisions;
  for (int64_t precision :
       config.integers(precision_field::operand_precision)) {
    auto value = stablehlo::symbolizePrecision(uint32_t(precision));
    if (precision < 0 || !value)
      return t.fail(instruction, "has operand precision " + Twine(precision) +
                                     ", expected 0 (default), 1 (high) or 2 "
                                     "(highest)");
    precisions.push_back(stablehlo::PrecisionAttr::get(t.context, *value));
  }
  if (!precisions.empty())
    attributes.push_back(
        t.attribute("precision_config", t.builder.getArrayAttr(precisions)));
  int64_t number = config.integer(precision_field::algorithm);
  if (number == 0)
    return success();
  if (!isDot || number < 0 || number > int64_t(std::size(algorithms)))
    return t.fail(instruction, "has algorithm " + Twine(number) +
                                   ", for which StableHLO has no equivalent");
  const Algorithm &algorithm = algorithms[number - 1];
  Type operand = typeOf(t.context, algorithm.operands);
  attributes.push_back(t.attribute(
      "algorithm",
      stablehlo::DotAlgorithmAttr::get(
          t.context, operand, operand, typeOf(t.context, algorithm.accumulator),
          1, 1, algorithm.products, algorithm.isImprecise)));
  return success();
}

/// XLA writes an empty configuration for dense operands.
static LogicalResult checkDense(Translator &t, const Instruction &instruction) {
  ProtoMessage config =
      instruction.fields.message(instruction_field::sparsity_config);
  if (config.bytes(sparsity_field::lhs).empty() &&
      config.bytes(sparsity_field::rhs).empty())
    return success();
  return t.fail(instruction,
                "has sparse operands, which StableHLO does not have");
}

LogicalResult dot(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  if (failed(checkDense(t, instruction)))
    return failure();
  using namespace dot_field;
  ProtoMessage numbers =
      instruction.fields.message(instruction_field::dot_dimension_numbers);
  Translator::Attributes attributes = {
      t.attribute("dot_dimension_numbers",
                  stablehlo::DotDimensionNumbersAttr::get(
                      t.context, numbers.integers(lhs_batch_dimensions),
                      numbers.integers(rhs_batch_dimensions),
                      numbers.integers(lhs_contracting_dimensions),
                      numbers.integers(rhs_contracting_dimensions)))};
  if (failed(addPrecision(t, instruction, /*isDot=*/true, attributes)))
    return failure();
  return t.emit(instruction, "stablehlo.dot_general", *operands, attributes);
}

LogicalResult raggedDot(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  ProtoMessage ragged = instruction.fields.message(
      instruction_field::ragged_dot_dimension_numbers);
  ProtoMessage numbers =
      ragged.message(ragged_dot_field::dot_dimension_numbers);
  using namespace dot_field;
  Translator::Attributes attributes = {t.attribute(
      "ragged_dot_dimension_numbers",
      chlo::RaggedDotDimensionNumbersAttr::get(
          t.context, numbers.integers(lhs_batch_dimensions),
          numbers.integers(rhs_batch_dimensions),
          numbers.integers(lhs_contracting_dimensions),
          numbers.integers(rhs_contracting_dimensions),
          ragged.integers(ragged_dot_field::lhs_ragged_dimensions),
          ragged.integers(ragged_dot_field::rhs_group_dimensions)))};
  SmallVector<Attribute> precisions;
  for (int64_t precision :
       instruction.fields.message(instruction_field::precision_config)
           .integers(precision_field::operand_precision)) {
    auto value = chlo::symbolizePrecision(uint32_t(precision));
    if (precision < 0 || !value)
      return t.fail(instruction, "has operand precision " + Twine(precision) +
                                     ", expected 0 (default), 1 (high) or 2 "
                                     "(highest)");
    precisions.push_back(chlo::PrecisionAttr::get(t.context, *value));
  }
  if (!precisions.empty())
    attributes.push_back(
        t.attribute("precision_config", t.builder.getArrayAttr(precisions)));
  return t.emit(instruction, "chlo.ragged_dot", *operands, attributes);
}

LogicalResult convolution(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  // The kind of convolution (gradient or not) is a hint; window and dimension
  // numbers define what it computes.
  if (failed(checkDense(t, instruction)))
    return failure();
  using namespace convolution_field;
  ProtoMessage numbers = instruction.fields.message(
      instruction_field::convolution_dimension_numbers);
  auto dimensions = stablehlo::ConvDimensionNumbersAttr::get(
      t.context, numbers.integer(input_batch_dimension),
      numbers.integer(input_feature_dimension),
      numbers.integers(input_spatial_dimensions),
      numbers.integer(kernel_input_feature_dimension),
      numbers.integer(kernel_output_feature_dimension),
      numbers.integers(kernel_spatial_dimensions),
      numbers.integer(output_batch_dimension),
      numbers.integer(output_feature_dimension),
      numbers.integers(output_spatial_dimensions));
  WindowLists window(instruction);
  // Zero stands for one: older writers omit the counts.
  auto count = [&](StringRef name, int field) {
    return t.integer(name,
                     std::max<int64_t>(instruction.fields.integer(field), 1));
  };
  Translator::Attributes attributes = {
      t.attribute("dimension_numbers", dimensions),
      count("feature_group_count", instruction_field::feature_group_count),
      count("batch_group_count", instruction_field::batch_group_count),
      t.array("window_strides", window.strides),
      t.matrix("padding", window.padding, 2),
      t.array("lhs_dilation", window.baseDilations),
      t.array("rhs_dilation", window.windowDilations),
      t.attribute("window_reversal",
                  t.builder.getDenseBoolArrayAttr(window.isReversed))};
  if (failed(addPrecision(t, instruction, /*isDot=*/false, attributes)))
    return failure();
  return t.emit(instruction, "stablehlo.convolution", *operands, attributes);
}

LogicalResult fft(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  int64_t number = instruction.fields.integer(instruction_field::fft_type);
  auto type = stablehlo::symbolizeFftType(uint32_t(number));
  if (number < 0 || !type)
    return t.fail(instruction,
                  "has FFT type " + Twine(number) + ", expected 0 to 3");
  return t.emit(
      instruction, "stablehlo.fft", *operands,
      {t.attribute("fft_type", stablehlo::FftTypeAttr::get(t.context, *type)),
       t.array("fft_length",
               instruction.fields.integers(instruction_field::fft_length))});
}

LogicalResult cholesky(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  return t.emit(
      instruction, "stablehlo.cholesky", *operands,
      {t.boolean("lower",
                 instruction.fields.message(instruction_field::cholesky_options)
                     .flag(cholesky_field::lower))});
}

LogicalResult triangularSolve(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  ProtoMessage options =
      instruction.fields.message(instruction_field::triangular_solve_options);
  int64_t number = options.integer(triangular_field::transpose_a);
  auto transpose = stablehlo::symbolizeTranspose(uint32_t(number));
  if (number < 0 || !transpose)
    return t.fail(instruction,
                  "has transposition " + Twine(number) + ", expected 1 to 3");
  return t.emit(
      instruction, "stablehlo.triangular_solve", *operands,
      {t.boolean("left_side", options.flag(triangular_field::left_side)),
       t.boolean("lower", options.flag(triangular_field::lower)),
       t.boolean("unit_diagonal",
                 options.flag(triangular_field::unit_diagonal)),
       t.attribute("transpose_a",
                   stablehlo::TransposeAttr::get(t.context, *transpose))});
}

LogicalResult batchNorm(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  return t.emit(
      instruction, instruction.opcode->op, *operands,
      {t.attribute("epsilon", t.builder.getF32FloatAttr(instruction.fields.real(
                                  instruction_field::epsilon))),
       t.integer("feature_index", instruction.fields.integer(
                                      instruction_field::feature_index))});
}

LogicalResult rng(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  int64_t number = instruction.fields.integer(instruction_field::distribution);
  auto distribution = stablehlo::symbolizeRngDistribution(uint32_t(number));
  if (number < 0 || !distribution)
    return t.fail(instruction, "has distribution " + Twine(number) +
                                   ", expected 1 (uniform) or 2 (normal)");
  if (instruction.shape.isTuple() || instruction.shape.isToken() ||
      !instruction.shape.isDynamic.empty())
    return t.fail(instruction, "expected an array of static shape");
  auto type = RankedTensorType::get({int64_t(instruction.shape.dims.size())},
                                    t.builder.getI64Type());
  auto sizes =
      DenseElementsAttr::get(type, ArrayRef<int64_t>(instruction.shape.dims));
  operands->push_back(t.create(instruction, "stablehlo.constant", type, {},
                               {t.attribute("value", sizes)})
                          ->getResult(0));
  return t.emit(
      instruction, "stablehlo.rng", *operands,
      {t.attribute("rng_distribution", stablehlo::RngDistributionAttr::get(
                                           t.context, *distribution))});
}

LogicalResult rngBitGenerator(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  int64_t number = instruction.fields.integer(instruction_field::rng_algorithm);
  auto algorithm = stablehlo::symbolizeRngAlgorithm(uint32_t(number));
  if (number < 0 || !algorithm)
    return t.fail(instruction, "has algorithm " + Twine(number) +
                                   ", expected 0 (default), 1 (ThreeFry) or 2 "
                                   "(Philox)");
  return t.emit(instruction, "stablehlo.rng_bit_generator", *operands,
                {t.attribute("rng_algorithm", stablehlo::RngAlgorithmAttr::get(
                                                  t.context, *algorithm))});
}

LogicalResult topK(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  NamedAttribute k =
      t.integer("k", instruction.fields.integer(instruction_field::k));
  if (instruction.fields.flag(instruction_field::largest))
    return t.emit(instruction, "chlo.top_k", *operands, {k});
  // The call of MHLO's op, which has the other direction, too.
  return t.emit(
      instruction, "stablehlo.custom_call", *operands,
      {t.attribute("call_target_name", t.builder.getStringAttr("mhlo.topk")),
       t.attribute("mhlo.attributes", t.builder.getDictionaryAttr(
                                          {k, t.boolean("largest", false)}))});
}

} // namespace shardwright::hlo
