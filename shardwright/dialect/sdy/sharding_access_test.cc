//===- sharding_access_test.cc - places of shardings, conversions ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/bytecode_version.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <rapidcheck/gtest.h>

using namespace mlir;
using namespace shardwright;
using namespace shardwright::sdy;

namespace {

struct SdyTest : ::testing::Test {
  MLIRContext context;
  SdyTest() {
    DialectRegistry registry;
    registerSdyDialect(registry);
    registry.insert<func::FuncDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }
  TensorShardingAttr sharding(StringRef text) {
    return cast<TensorShardingAttr>(
        parseAttribute(("#sdy.sharding<" + text + ">").str(), &context));
  }
  static std::string str(Attribute attr) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << attr;
    return text;
  }
};

constexpr StringLiteral kProgram = R"(
sdy.mesh @m = <["a"=2, "b"=4]>
sdy.mesh @e = <[]>
func.func private @two() -> (tensor<8xf32>, tensor<8x8xf32>)
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<8xf32> {
  %0:2 = func.call @two() : () -> (tensor<8xf32>, tensor<8x8xf32>)
  %1 = sdy.manual_computation(%0#0) in_shardings=[<@m, [{"a", "b", ?}]>] out_shardings=[<@m, [{"a"}]>] manual_axes={"a"} (%a: tensor<4xf32>) {
    %e = sdy.data_flow_edge %a sharding=<@m, [{"b"}]> : tensor<4xf32>
    sdy.return %e : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
)";

TEST_F(SdyTest, FindsAndSetsShardings) {
  OwningOpRef<ModuleOp> module = parse(kProgram);
  func::FuncOp main = getMainFunc(*module);
  ASSERT_TRUE(main && main.getName() == "main");
  EXPECT_EQ(sdy::getSharding(main.getArgument(0)), sharding("@m, [{\"a\"}]"));
  EXPECT_FALSE(getFuncResultSharding(main, 0));
  setFuncResultSharding(main, 0, sharding("@m, [{}]"));
  EXPECT_EQ(getFuncResultSharding(main, 0), sharding("@m, [{}]"));

  auto call = *main.getOps<func::CallOp>().begin();
  EXPECT_FALSE(sdy::getSharding(call.getResult(1)));
  // The other result of the op becomes fully open on the same mesh.
  sdy::setSharding(call.getResult(1), sharding("@m, [{\"b\"}, {}]"));
  EXPECT_EQ(sdy::getSharding(call.getResult(0)), sharding("@m, [{?}]"));
  EXPECT_EQ(sdy::getSharding(call.getResult(1)), sharding("@m, [{\"b\"}, {}]"));
  EXPECT_TRUE(succeeded(module->verify()));
}

/// The same function as changes one at a time, whatever they are.
RC_GTEST_FIXTURE_PROP(SdyTest, BorderAttributesEqualSingleChanges, ()) {
  OwningOpRef<ModuleOp> module = parse(R"(
func.func @main(%a: tensor<2xf32> {x.a = 1 : i32}, %b: tensor<2xf32>) -> (tensor<2xf32> {x.a = 2 : i32}, tensor<2xf32>) {
  return %a, %b : tensor<2xf32>, tensor<2xf32>
})");
  OwningOpRef<ModuleOp> copy = module->clone();
  func::FuncOp together = getMainFunc(*module), single = getMainFunc(*copy);
  BorderAttributes border(together);
  StringRef names[] = {"x.a", "x.b"};
  for (int n = *rc::gen::inRange(0, 8); n > 0; --n) {
    unsigned i = *rc::gen::inRange(0, 2), value = *rc::gen::inRange(0, 3);
    StringRef name = names[*rc::gen::inRange(0, 2)];
    auto isArgument = *rc::gen::arbitrary<bool>();
    Attribute attr =
        value ? Builder(&context).getI32IntegerAttr(value) : Attribute();
    auto key = StringAttr::get(&context, name);
    if (isArgument) {
      border.setArgument(i, name, attr);
      attr ? single.setArgAttr(i, key, attr)
           : void(single.removeArgAttr(i, key));
      RC_ASSERT(border.argument(i, name) == attr);
    } else {
      border.setResult(i, name, attr);
      attr ? single.setResultAttr(i, key, attr)
           : void(single.removeResultAttr(i, key));
      RC_ASSERT(border.result(i, name) == attr);
    }
  }
  border.write();
  auto text = [](ModuleOp m) {
    std::string text;
    llvm::raw_string_ostream(text) << m;
    return text;
  };
  RC_ASSERT(text(*module) == text(*copy));
}

TEST_F(SdyTest, ManualComputationSeesInsideAndOutside) {
  OwningOpRef<ModuleOp> module = parse(kProgram);
  func::FuncOp main = getMainFunc(*module);
  auto manual = *main.getOps<ManualComputationOp>().begin();
  BlockArgument argument = manual.getBody().getArgument(0);
  // The edge stores the argument's sharding while it exists.
  EXPECT_EQ(sdy::getSharding(argument), sharding("@m, [{\"b\"}]"));
  EXPECT_EQ(manual.getEdgeOwnerSharding(argument),
            sharding("@m, [{\"b\", ?}]"));
  manual.setEdgeOwnerSharding(argument, sharding("@m, [{}]"));
  EXPECT_EQ(manual.getInSharding(0), sharding("@m, [{\"a\"}]"));
  auto before = DataFlowShardingTransformType::kBeforeEdgePropagation;
  auto after = DataFlowShardingTransformType::kAfterEdgePropagation;
  TensorShardingAttr outer = manual.transformTargetSharding(
      argument, sharding("@m, [{\"b\"}]"), before);
  EXPECT_EQ(outer, sharding("@m, [{\"a\", \"b\"}]"));
  EXPECT_EQ(manual.transformTargetSharding(argument, outer, after),
            sharding("@m, [{\"b\"}]"));
  EXPECT_EQ(sdy::getSharding(manual->getResult(0)), sharding("@m, [{\"a\"}]"));
}

TEST_F(SdyTest, CommonMeshIgnoresEmptyOnes) {
  OwningOpRef<ModuleOp> module = parse(kProgram);
  SmallVector<TensorShardingAttr> all = {nullptr, sharding("@e, [{}]"),
                                         sharding("@m, [{}]")};
  EXPECT_EQ(getCommonMeshOrRef(all, *module),
            FlatSymbolRefAttr::get(&context, "m"));
  all.push_back(sharding("mesh<[\"z\"=2]>, [{}]"));
  EXPECT_FALSE(getCommonMeshOrRef(all, *module));
  EXPECT_FALSE(getMeshAttr(*module, sharding("@none, []").getMeshOrRef()));
}

TEST_F(SdyTest, Equivalence) {
  TensorShardingAttr a = sharding("@m, [{\"a\"}, {}]");
  EXPECT_TRUE(
      a.isEquivalent(sharding("@m, [{\"a\", ?}p1, {?}], replicated={\"b\"}")));
  EXPECT_FALSE(a.isEquivalent(sharding("@e, [{\"a\"}, {}]")));
  EXPECT_FALSE(
      a.isEquivalent(sharding("@m, [{\"a\"}, {}], unreduced={\"b\"}")));
  EXPECT_TRUE(a.isEquivalent(sharding("@m, [{\"a\"}, {}], unreduced={\"b\"}"),
                             /*ignoreUnreducedAxes=*/true));
  // Partial values are not replicated ones; their kinds do not count.
  TensorShardingAttr partial = sharding("@m, [{}], unreduced={\"a\"}");
  EXPECT_FALSE(partial.isEquivalent(sharding("@m, [{}]")));
  EXPECT_FALSE(partial.isEquivalent(nullptr));
  EXPECT_TRUE(partial.isEquivalent(sharding("@m, [{}]"),
                                   /*ignoreUnreducedAxes=*/true));
  EXPECT_TRUE(
      partial.isEquivalent(sharding("@m, [{?}], unreduced=max{\"a\"}")));
  EXPECT_FALSE(partial.isEquivalent(sharding("@m, [{}], unreduced={\"b\"}")));
  EXPECT_TRUE(sharding("@m, [{}, {}]").isEquivalent(nullptr));
  EXPECT_TRUE(sharding("@m, [{}, {}]").isEquivalent(sharding("@e, [{?}, {}]")));
  EXPECT_FALSE(a.isEquivalent(nullptr));
  EXPECT_EQ(str(sharding("@m, [{\"a\", ?}p1, {?}], replicated={\"b\"}, "
                         "unreduced={\"c\"}")
                    .getClosedLike()),
            "#sdy.sharding<@m, [{\"a\"}p1, {}], unreduced={\"c\"}>");
}

/// Disjoint sub-axes of a=4, b=8.
RC_GTEST_FIXTURE_PROP(SdyTest, ConversionRoundTrips, ()) {
  Mesh mesh({{"a", 4}, {"b", 8}});
  std::vector<AxisRef> pool = {{0, 1, 2}, {0, 2, 2}, {1, 1, 2}, {1, 2, 4}};
  if (*rc::gen::arbitrary<bool>())
    pool = {{0, 1, 4}, {1, 1, 4}, {1, 4, 2}};
  TensorSharding value;
  value.dims.resize(*rc::gen::inRange(1, 4));
  for (DimSharding &dim : value.dims) {
    dim.isClosed = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>())
      dim.priority = *rc::gen::inRange<int64_t>(0, 5);
  }
  for (AxisRef axis : pool)
    switch (*rc::gen::inRange(0, 4)) {
    case 0:
      break;
    case 1:
      value.replicated.push_back(axis);
      break;
    case 2:
      value.unreduced.push_back(axis);
      break;
    default:
      value.dims[*rc::gen::inRange<size_t>(0, value.dims.size())]
          .axes.push_back(axis);
    }
  MeshAttr meshAttr = meshToAttr(&context, mesh);
  RC_ASSERT(meshFromAttr(meshAttr) == mesh);
  TensorShardingAttr attr = shardingToAttr(&context, value, mesh, meshAttr);
  RC_ASSERT(shardingFromAttr(attr, mesh) == value);
  RC_ASSERT(parseAttribute(str(attr), &context) == attr);
}

TEST_F(SdyTest, OldVersionsHaveSumsOnly) {
  std::string errors;
  ScopedDiagnosticHandler collect(&context, [&](Diagnostic &error) {
    errors += error.str();
    return success();
  });
  auto write = [&](StringRef kind, SdyVersion version) {
    OwningOpRef<ModuleOp> module = parse((R"(
      sdy.mesh @m = <["a"=2]>
      func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=)" +
                                          kind + R"({"a"}>}))")
                                             .str());
    errors.clear();
    BytecodeWriterConfig config;
    config.setDialectVersion<SdyDialect>(std::make_unique<SdyVersion>(version));
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    (void)writeBytecodeToFile(*module, os, config);
    return bytes;
  };
  write("", SdyVersion(0, 0, 1));
  EXPECT_EQ(errors, "");
  write("max", SdyVersion(0, 0, 1));
  EXPECT_NE(errors.find("cannot write #sdy.sharding<@m, [{}], "
                        "unreduced=max{\"a\"}> for version 0.0.1 of the sdy "
                        "dialect, in which all unreduced axes are sums"),
            std::string::npos)
      << errors;
  for (StringRef kind : {"", "max", "min"}) {
    std::string bytes = write(kind, SdyVersion());
    EXPECT_EQ(errors, "");
    OwningOpRef<ModuleOp> back = parse(bytes);
    ASSERT_TRUE(back);
    EXPECT_NE(str(back->getBody()->back().getAttr("arg_attrs"))
                  .find(("unreduced=" + kind + "{").str()),
              std::string::npos);
  }
  std::string newer = write("", SdyVersion(0, 0, 3));
  EXPECT_EQ(errors, "");
  EXPECT_FALSE(parseSourceString<ModuleOp>(newer, &context));
  EXPECT_NE(errors.find("reading newer dialect than supported"),
            std::string::npos);
}

} // namespace
