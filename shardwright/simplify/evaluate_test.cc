//===- evaluate_test.cc - evaluation against hardware ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/evaluate.h"

#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace shardwright::simplifier {
namespace {

class Evaluate : public testing::Test {
protected:
  Evaluate() : builder(&context) {
    context.loadDialect<stablehlo::StablehloDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  Value value(Type element) {
    auto type = RankedTensorType::get({}, element);
    return stablehlo::ConstantOp::create(builder, builder.getUnknownLoc(),
                                         builder.getZeroAttr(type));
  }

  /// `Op` on two values of one element type.
  template <typename Op> Evaluator binary(Type element) {
    Value x = value(element);
    return evaluatorOf(Op::create(builder, builder.getUnknownLoc(), x, x));
  }

  Evaluator convert(Type from, Type to) {
    return evaluatorOf(stablehlo::ConvertOp::create(
        builder, builder.getUnknownLoc(), value(from), to));
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

std::optional<Element> onBits(const Evaluator &evaluate, uint32_t x,
                              uint32_t y) {
  return evaluate({Element{x}, Element{y}});
}

RC_GTEST_FIXTURE_PROP(Evaluate, FloatsAsTheMachine, (uint32_t x, uint32_t y)) {
  auto check = [&](std::optional<Element> found, float expected) {
    if (std::isnan(expected))
      RC_ASSERT(!found);
    else
      RC_ASSERT(found && found->re == llvm::bit_cast<uint32_t>(expected));
  };
  Type f32 = builder.getF32Type();
  float a = llvm::bit_cast<float>(x), b = llvm::bit_cast<float>(y);
  check(onBits(binary<stablehlo::AddOp>(f32), x, y), a + b);
  check(onBits(binary<stablehlo::SubtractOp>(f32), x, y), a - b);
  check(onBits(binary<stablehlo::MulOp>(f32), x, y), a * b);
  check(onBits(binary<stablehlo::DivOp>(f32), x, y), a / b);
  check(onBits(binary<stablehlo::RemOp>(f32), x, y), std::fmod(a, b));
}

RC_GTEST_FIXTURE_PROP(Evaluate, ConversionsSaturate, (uint32_t x)) {
  auto found = convert(builder.getF32Type(), builder.getI8Type())({Element{x}});
  float a = llvm::bit_cast<float>(x);
  int expected = std::isnan(a) ? 0 : a >= 127 ? 127 : a <= -128 ? -128 : int(a);
  RC_ASSERT(found && int8_t(found->re) == expected);
}

// reduce_precision to the format of another type equals a conversion there and
// back, if that gives a normal number or overflows.
RC_GTEST_FIXTURE_PROP(Evaluate, ReducePrecisionRoundsLikeConvert,
                      (uint32_t x)) {
  ElementKind f32 = *ElementKind::of(builder.getF32Type());
  for (auto [type, exponent, mantissa] :
       {std::tuple<FloatType, unsigned, unsigned>{builder.getF16Type(), 5, 10},
        {builder.getBF16Type(), 8, 7}}) {
    ElementKind kind = *ElementKind::of(type);
    auto there = evaluateConvert(f32, kind, {x});
    auto found = reducePrecision(f32, {x}, exponent, mantissa);
    RC_ASSERT(there.has_value() == found.has_value());
    // Subnormals round more coarsely, also up to the smallest normal number.
    if (!there || kind.toFloat(there->re).isDenormal() ||
        kind.toFloat(there->re).isSmallestNormalized() ||
        kind.toFloat(there->re).isZero())
      continue;
    RC_ASSERT(*found == *evaluateConvert(kind, f32, *there));
  }
}

TEST_F(Evaluate, ReducePrecisionFlushesWhatIsTooSmall) {
  ElementKind f32 = *ElementKind::of(builder.getF32Type());
  auto reduce = [&](float x) {
    auto found = reducePrecision(f32, {llvm::bit_cast<uint32_t>(x)}, 5, 10);
    return llvm::bit_cast<float>(uint32_t(found->re));
  };
  EXPECT_EQ(reduce(0x1p-14f), 0x1p-14f); // the smallest normal half
  EXPECT_EQ(reduce(0x1p-15f), 0.0f);
  EXPECT_TRUE(std::signbit(reduce(-0x1p-15f)));
  EXPECT_EQ(reduce(65520.0f), std::numeric_limits<float>::infinity());
}

TEST_F(Evaluate, IntegersHaveADefinedResultEverywhere) {
  Type i32 = builder.getI32Type();
  constexpr uint32_t least = 0x80000000u, minusOne = ~0u;
  auto divide = binary<stablehlo::DivOp>(i32);
  auto remainder = binary<stablehlo::RemOp>(i32);
  EXPECT_EQ(onBits(divide, 7, 0)->re, minusOne);
  EXPECT_EQ(onBits(divide, least, minusOne)->re, least);
  EXPECT_EQ(onBits(remainder, 7, 0)->re, 7u);
  EXPECT_EQ(onBits(remainder, least, minusOne)->re, 0u);
  EXPECT_EQ(onBits(binary<stablehlo::ShiftLeftOp>(i32), 1, 32)->re, 0u);
  EXPECT_EQ(
      onBits(binary<stablehlo::ShiftRightArithmeticOp>(i32), least, 77)->re,
      minusOne);
  auto power = binary<stablehlo::PowOp>(i32);
  EXPECT_EQ(onBits(power, 3, minusOne)->re, 0u);
  EXPECT_EQ(onBits(power, minusOne, uint32_t(-3))->re, minusOne);
  EXPECT_EQ(onBits(power, 3, 40)->re, uint32_t(12157665459056928801ull));
}

TEST_F(Evaluate, TotalOrderSeesSigns) {
  Value x = value(builder.getF32Type());
  auto type = stablehlo::ComparisonTypeAttr::get(
      &context, stablehlo::ComparisonType::TOTALORDER);
  auto direction = stablehlo::ComparisonDirectionAttr::get(
      &context, stablehlo::ComparisonDirection::LT);
  Evaluator less = evaluatorOf(stablehlo::CompareOp::create(
      builder, builder.getUnknownLoc(), x, x, direction, type));
  // -NaN, -infinity, -1, -0, 0, 1, infinity, NaN
  uint32_t ordered[] = {0xFFC00000, 0xFF800000, 0xBF800000, 0x80000000,
                        0x00000000, 0x3F800000, 0x7F800000, 0x7FC00000};
  for (size_t i = 0; i < std::size(ordered); ++i)
    for (size_t j = 0; j < std::size(ordered); ++j)
      EXPECT_EQ(onBits(less, ordered[i], ordered[j])->re, i < j);
}

} // namespace
} // namespace shardwright::simplifier
