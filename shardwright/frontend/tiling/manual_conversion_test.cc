//===- manual_conversion_test.cc - between arrays and tiles in GSPMD ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/manual_conversion.h"

#include "shardwright/frontend/jit/module_context.h"
#include "shardwright/interop/gspmd/import_gspmd.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

AbstractMesh mesh42() { return *AbstractMesh::get({4, 2}, {"x", "y"}); }

// Feature: full-to-shard
TEST(ManualConversion, Texts) {
  Aval type{DType::F32, {8, 2}};
  auto in = fullToShard(type, {{"x", 0}}, mesh42(), {"x"});
  ASSERT_TRUE(in.ok()) << in.error().str();
  EXPECT_EQ(in->to.str(), "f32[2,2]");
  EXPECT_EQ(
      in->str("%arg0", "%a"),
      "%a_in = stablehlo.custom_call @Sharding(%arg0) {backend_config = "
      "\"unspecified_dims=[1]\", mhlo.sharding = \"{devices=[4,1,2]<=[8] "
      "last_tile_dim_replicate}\"} : (tensor<8x2xf32>) -> tensor<8x2xf32>\n"
      "%a = stablehlo.custom_call @SPMDFullToShardShape(%a_in) {backend_config "
      "= \"unspecified_dims=[1]\", mhlo.sharding = \"{devices=[1,1,2,4]<=[4,2]"
      "T(1,0) last_tile_dims={replicated, manual}}\"} : (tensor<8x2xf32>) -> "
      "tensor<2x2xf32>\n");
  auto out = shardToFull(in->to, {{"x", 0}}, mesh42(), {"x"});
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->to.str(), "f32[8,2]");
  EXPECT_EQ(out->target, "SPMDShardToFullShape");
  EXPECT_EQ(out->constraint, in->sharding);
  EXPECT_EQ(out->sharding, in->constraint);
  EXPECT_FALSE(fullToShard(type, {{"x", 1}}, mesh42(), {"x"}).ok());
  EXPECT_FALSE(fullToShard(type, {{"x", 0}}, mesh42(), {"z"}).ok());
  EXPECT_FALSE(shardToFull(type, {{"z", 0}}, mesh42(), {"x"}).ok());
}

/// The module as sdy, or the error.
std::string imported(const std::string &text) {
  ModuleContext &shared = moduleContext();
  std::lock_guard lock(shared.mutex);
  ErrorText errors(&shared.context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &shared.context);
  if (!module || failed(shardwright::importGspmd(*module)))
    return errors.error().str();
  std::string out;
  llvm::raw_string_ostream os(out);
  module->print(os);
  return out;
}

TEST(ManualConversion, ImportMakesAManualComputation) {
  Aval type{DType::F32, {8, 2}};
  for (const AxisNames &manual : {AxisNames{"x"}, AxisNames{"x", "y"}}) {
    ArrayMapping axes{{"x", 0}};
    if (manual.size() == 2)
      axes.emplace_back("y", 1);
    auto in = fullToShard(type, axes, mesh42(), manual);
    ASSERT_TRUE(in.ok()) << in.error().str();
    auto out = shardToFull(in->to, axes, mesh42(), manual);
    ASSERT_TRUE(out.ok()) << out.error().str();
    std::string tile =
        manual.size() == 2 ? "tensor<2x1xf32>" : "tensor<2x2xf32>";
    std::string text = imported(
        "module @m attributes {mhlo.num_partitions = 8 : i32} {\n"
        "func.func @main(%arg0: tensor<8x2xf32>) -> tensor<8x2xf32> {\n" +
        in->str("%arg0", "%a") + "%b = stablehlo.sine %a : " + tile + "\n" +
        out->str("%b", "%c") + "return %c : tensor<8x2xf32>\n}\n}\n");
    EXPECT_NE(text.find("sdy.manual_computation(%"), text.npos) << text;
    EXPECT_NE(text.find("stablehlo.sine"), text.npos) << text;
    EXPECT_NE(text.find(tile), text.npos) << text;
  }
}

} // namespace
