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

/// Two products in a row, equal up to their shardings.
struct Program {
  /// Axes of the dimensions of the values; each names a mesh of its own.
  std::vector<std::string> shardings;
  std::string mesh;
  Effort effort = Effort::Normal;
  bool hasMachine = false;

  std::string text() const {
    auto argument = [&](int i) {
      return " {sdy.sharding = #sdy.sharding<" + shardings[i] + ">}";
    };
    auto result = [&](int i) {
      return " {sdy.sharding = #sdy.sharding_per_value<[<" + shardings[i] +
             ">]>}";
    };
    std::string type = "tensor<32x32xf32>";
    std::string dot = ", contracting_dims = [1] x [0]";
    std::string types = " : (" + type + ", " + type + ") -> " + type + "\n";
    return "sdy.mesh @mesh = <" + mesh + ">\nfunc.func @main(%a: " + type +
           argument(0) + ", %b: " + type + argument(1) + ") -> (" + type +
           argument(4) + ") {\n%0 = stablehlo.dot_general %a, %b" + dot +
           result(2) + types + "%1 = stablehlo.dot_general %0, %b" + dot +
           result(3) + types + "return %1 : " + type + "\n}\n";
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
    program.mesh = *rc::gen::element<std::string>(R"(["x"=2, "y"=4])",
                                                  R"(["x"=4, "y"=2])");
    program.effort = *rc::gen::element(Effort::Fast, Effort::Normal);
    program.hasMachine = *rc::gen::arbitrary<bool>();
    for (int i = 0; i < 5; ++i) {
      std::string mesh = *rc::gen::weightedElement<std::string>(
          {{8, "@mesh"},
           {1, R"(mesh<["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>)"},
           {1, R"(mesh<["x"=8, "y"=1]>)"}});
      std::string dims = *rc::gen::element<std::string>(
          "[{}, {}]", R"([{"x"}, {}])", R"([{}, {"x"}])", R"([{"x"}, {"y"}])",
          R"([{"y"}, {"x"}])", R"([{"x", "y"}, {}])");
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
