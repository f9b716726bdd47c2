//===- reducer_test.cc - identities of reducers ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/reducer.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardwright;

namespace {

std::string text(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (attr)
    os << attr;
  else
    os << "none";
  return text;
}

TEST(Reducer, Identities) {
  MLIRContext context;
  auto of = [&](ReducerKind kind, StringRef type) {
    return text(identityElement(kind, parseType(type, &context)));
  };
  using enum ReducerKind;
  EXPECT_EQ(of(Add, "f32"), "0.000000e+00 : f32");
  EXPECT_EQ(of(Mul, "bf16"), "1.000000e+00 : bf16");
  EXPECT_EQ(of(Max, "f32"), "0xFF800000 : f32");
  EXPECT_EQ(of(Min, "f16"), "0x7C00 : f16");
  EXPECT_EQ(of(Max, "f8E4M3FN"), "-4.480000e+02 : f8E4M3FN");
  EXPECT_EQ(of(And, "f32"), "none");
  EXPECT_EQ(of(And, "i32"), "-1 : i32");
  EXPECT_EQ(of(And, "ui8"), "255 : ui8");
  EXPECT_EQ(of(Or, "i8"), "0 : i8");
  EXPECT_EQ(of(Xor, "i64"), "0 : i64");
  EXPECT_EQ(of(Max, "i8"), "-128 : i8");
  EXPECT_EQ(of(Min, "i8"), "127 : i8");
  EXPECT_EQ(of(Max, "ui8"), "0 : ui8");
  EXPECT_EQ(of(Min, "ui8"), "255 : ui8");
  EXPECT_EQ(of(Max, "i1"), "false");
  EXPECT_EQ(of(Min, "i1"), "true");
  EXPECT_EQ(of(Mul, "i1"), "true");
  EXPECT_EQ(of(Add, "complex<f32>"),
            "dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>");
  EXPECT_EQ(of(Max, "complex<f32>"), "none");
  auto complex =
      cast<ShapedType>(parseType("tensor<2x3xcomplex<f32>>", &context));
  EXPECT_EQ(
      text(splatOf(complex, identityElement(Mul, complex.getElementType()))),
      "dense<(1.000000e+00,0.000000e+00)> : "
      "tensor<2x3xcomplex<f32>>");
}

/// The reducer of the only reduce in a module.
SmallVector<std::optional<ReducerKind>> classify(StringRef body) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, stablehlo::StablehloDialect>();
  std::string source =
      ("func.func @f(%a: tensor<4xf32>, %i: tensor<f32>) {\n"
       "  %r:2 = \"stablehlo.reduce\"(%a, %a, %i, %i) <{dimensions = "
       "array<i64: 0>}> ({\n"
       "  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: "
       "tensor<f32>):\n" +
       body +
       "  }) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> "
       "(tensor<f32>, tensor<f32>)\n  return\n}\n")
          .str();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(source, ParserConfig(&context));
  SmallVector<std::optional<ReducerKind>> kinds;
  if (!module) {
    ADD_FAILURE() << source;
    return kinds;
  }
  module->walk([&](stablehlo::ReduceOp op) {
    kinds = classifyReducer(op.getBody());
    if (kinds.size() == 2)
      EXPECT_EQ(uniformReducer(op.getBody()),
                kinds[0] == kinds[1] ? kinds[0] : std::nullopt);
  });
  return kinds;
}

TEST(Reducer, PairsOfArguments) {
  auto kinds = classify("%p = stablehlo.add %x, %z : tensor<f32>\n"
                        "%q = stablehlo.maximum %w, %y : tensor<f32>\n"
                        "stablehlo.return %p, %q : tensor<f32>, tensor<f32>\n");
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0], ReducerKind::Add);
  EXPECT_EQ(kinds[1], ReducerKind::Max);
}

TEST(Reducer, AnythingElseIsNone) {
  auto kinds = classify("%p = stablehlo.add %x, %y : tensor<f32>\n"
                        "%q = stablehlo.subtract %y, %w : tensor<f32>\n"
                        "stablehlo.return %p, %q : tensor<f32>, tensor<f32>\n");
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0], std::nullopt);
  EXPECT_EQ(kinds[1], std::nullopt);
  kinds = classify("stablehlo.return %x, %w : tensor<f32>, tensor<f32>\n");
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0], std::nullopt);
}

} // namespace
