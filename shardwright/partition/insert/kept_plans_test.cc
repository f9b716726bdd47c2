//===- kept_plans_test.cc - kept plans change no partitioning -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/kept_plans.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/insert_collectives.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mlir;

namespace shardwright {
namespace {

/// r = (a * b) * b^T.
struct Program {
  /// Of a, b, a * b, r and the result: a mesh, and the axes of the dimensions.
  std::vector<std::string> shardings;
  std::string name = "mesh", mesh;
  /// a is a matrix of 32 x `contracted`, b of `contracted` x 32.
  std::string contracted = "32";
  Effort effort = Effort::Normal;
  bool hasMachine = false;

  std::string text() const {
    auto argument = [&](int i) {
      return " {sdy.sharding = #sdy.sharding<" + shardings[i] + ">}";
    };
    auto result = [&](int i) {
      return " {sdy.sharding = #sdy.sharding_per_value<[<" + shardings[i] +
             ">]>} : ";
    };
    std::string a = "tensor<32x" + contracted + "xf32>";
    std::string b = "tensor<" + contracted + "x32xf32>";
    std::string product = "tensor<32x32xf32>";
    return "sdy.mesh @" + name + " = <" + mesh + ">\nfunc.func @main(%a: " + a +
           argument(0) + ", %b: " + b + argument(1) + ") -> (" + a +
           argument(4) + ") {\n%0 = stablehlo.dot_general %a, %b, " +
           "contracting_dims = [1] x [0]" + result(2) + "(" + a + ", " + b +
           ") -> " + product + "\n%1 = stablehlo.dot_general %0, %b, " +
           "contracting_dims = [1] x [1]" + result(3) + "(" + product + ", " +
           b + ") -> " + a + "\nreturn %1 : " + a + "\n}\n";
  }

  std::string partitioned(MLIRContext &context, KeptPlans *kept) const {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text(), &context);
    if (!module)
      return "";
    PartitionOptions options;
    options.effort = effort;
    options.kept = kept;
    if (hasMachine)
      options.machine.emplace();
    if (failed(insertCollectives(*module, options)) || failed(verify(*module)))
      return "";
    std::string out;
    llvm::raw_string_ostream(out) << *module;
    return out;
  }
};

rc::Gen<Program> genProgram() {
  return rc::gen::exec([] {
    Program program;
    int x = *rc::gen::element(2, 3, 4, 16), y = *rc::gen::element(2, 4, 16);
    std::string sizes =
        "[\"x\"=" + std::to_string(x) + ", \"y\"=" + std::to_string(y) + "]";
    program.mesh = sizes;
    program.name = *rc::gen::weightedElement<std::string>(
        {{4, "mesh"}, {1, "other_mesh"}});
    program.contracted = *rc::gen::element<std::string>("32", "4096");
    program.effort = *rc::gen::element(Effort::Fast, Effort::Normal);
    program.hasMachine = *rc::gen::arbitrary<bool>();
    std::string reversed;
    for (int device = x * y; device-- > 0;)
      reversed += std::to_string(device) + (device ? ", " : "");
    for (int i = 0; i < 5; ++i) {
      std::string mesh = *rc::gen::weightedElement<std::string>(
          {{8, "@" + program.name},
           {1, "mesh<" + sizes + ", device_ids=[" + reversed + "]>"},
           {1, "mesh<[\"x\"=" + std::to_string(x * y) + ", \"y\"=1]>"}});
      std::string dims = *rc::gen::element<std::string>(
          "[{}, {}]", R"([{"x"}, {}])", R"([{}, {"x"}])", R"([{"x"}, {"y"}])",
          R"([{"y"}, {"x"}])", R"([{"y"}, {}])", R"([{"x", "y"}, {}])");
      program.shardings.push_back(mesh + ", " + dims);
    }
    return program;
  });
}

RC_GTEST_PROP(KeptPlans, ChangeNothing, ()) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, stablehlo::StablehloDialect,
                      sdy::SdyDialect>();
  KeptPlans kept;
  for (const Program &program :
       *rc::gen::container<std::vector<Program>>(5, genProgram())) {
    std::string alone = program.partitioned(context, nullptr);
    RC_ASSERT(!alone.empty());
    RC_ASSERT(program.partitioned(context, &kept) == alone);
  }
}

/// The same shardings on meshes with other sizes, or another name, need plans
/// of their own.
TEST(KeptPlans, AreOfOneMesh) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, stablehlo::StablehloDialect,
                      sdy::SdyDialect>();
  auto make = [](std::string name, std::string mesh) {
    Program program;
    program.name = name;
    program.mesh = mesh;
    program.contracted = "4096";
    for (const char *dims : {R"([{}, {"x"}])", R"([{"y"}, {}])", "[{}, {}]",
                             "[{}, {}]", "[{}, {}]"})
      program.shardings.push_back("@" + name + ", " + dims);
    return program;
  };
  // Without the line of the mesh.
  auto opsOf = [](llvm::StringRef text) {
    return text.split("func.func").second.str();
  };
  Program first = make("mesh", R"(["x"=2, "y"=16])");
  std::string firstText = first.partitioned(context, nullptr);
  // Sizes that do not divide those of the arguments, and another name.
  for (const Program &second :
       {make("mesh", R"(["x"=3, "y"=5])"), make("other_mesh", first.mesh)}) {
    std::string alone = second.partitioned(context, nullptr);
    EXPECT_NE(opsOf(alone), opsOf(firstText)); // else the plans are equal
    KeptPlans kept;
    EXPECT_EQ(first.partitioned(context, &kept), firstText);
    EXPECT_EQ(second.partitioned(context, &kept), alone);
    EXPECT_EQ(first.partitioned(context, &kept), firstText);
  }
}

TEST(KeptPlans, AreFoundAgain) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, stablehlo::StablehloDialect,
                      sdy::SdyDialect>();
  Program program;
  program.mesh = R"(["x"=2, "y"=4])";
  program.shardings.assign(5, R"(@mesh, [{"x"}, {}])");
  KeptPlans kept;
  EXPECT_NE(program.partitioned(context, &kept), "");
  size_t plans = kept.getMemo().size();
  EXPECT_GT(plans, 0u);
  EXPECT_NE(program.partitioned(context, &kept), "");
  EXPECT_EQ(kept.getMemo().size(), plans);
  program.shardings[3] = R"(@mesh, [{}, {"y"}])";
  EXPECT_NE(program.partitioned(context, &kept), "");
  EXPECT_GT(kept.getMemo().size(), plans);
}

} // namespace
} // namespace shardwright
