//===- kept_steps_test.cc - kept steps change no propagation --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine/kept_steps.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/shardy/pipelines.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mlir;

namespace shardwright {
namespace {

class Context {
public:
  Context() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, stablehlo::StablehloDialect>();
    sdy::registerSdyDialect(registry);
    registerShardingRules(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  MLIRContext context;
};

/// Ops on square matrices, among them calls, and ops without a rule, of which
/// propagation warns.
struct Program {
  std::string mesh;
  /// Of arguments and of results of ops; empty: none.
  std::vector<std::string> shardings;
  /// Of the ops that follow each other.
  std::vector<int> ops;
  bool conservative = false, extraRules = false;
  ShardyVersion shardy = kNewestShardy;

  static constexpr int kOps = 6;

  std::string text() const {
    std::string type = "tensor<16x16xf32>";
    auto sharding = [&](size_t i) { return shardings[i % shardings.size()]; };
    auto argument = [&](size_t i) {
      return type + (sharding(i).empty() ? ""
                                         : " {sdy.sharding = #sdy.sharding<" +
                                               sharding(i) + ">}");
    };
    std::string out = "sdy.mesh @mesh = <" + mesh +
                      ">\nfunc.func @main(%0: " + argument(0) +
                      ", %1: " + argument(1) + ") -> " + type + " {\n";
    size_t last = 1;
    for (auto [i, op] : llvm::enumerate(ops)) {
      std::string x = "%" + std::to_string(last);
      std::string y = "%" + std::to_string(i % 2);
      std::string attribute =
          sharding(i + 2).empty()
              ? ""
              : " {sdy.sharding = #sdy.sharding_per_value<[<" +
                    sharding(i + 2) + ">]>}";
      out += "%" + std::to_string(++last) + " = ";
      switch (op) {
      case 0:
        out += "stablehlo.add " + x + ", " + y + attribute + " : " + type;
        break;
      case 1:
        out += "stablehlo.dot_general " + x + ", " + y +
               ", contracting_dims = [1] x [0]" + attribute + " : (" + type +
               ", " + type + ") -> " + type;
        break;
      case 2:
        out += "call @f(" + x + ") : (" + type + ") -> " + type;
        break;
      case 3:
        out += "stablehlo.custom_call @unknown(" + x + ") : (" + type +
               ") -> " + type;
        break;
      case 4:
        // Factors that fit the axes of one mesh only.
        out += "stablehlo.reshape " + x + " : (" + type +
               ") -> tensor<2x8x16xf32>\n%" + std::to_string(last + 1) +
               " = stablehlo.reshape %" + std::to_string(last) +
               " : (tensor<2x8x16xf32>) -> " + type;
        ++last;
        break;
      default:
        // A rule that the options change.
        out += "stablehlo.slice " + x + " [0:8, 0:16] : (" + type +
               ") -> tensor<8x16xf32>\n%" + std::to_string(last + 1) +
               " = stablehlo.concatenate %" + std::to_string(last) + ", %" +
               std::to_string(last) +
               ", dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> " + type;
        ++last;
      }
      out += "\n";
    }
    return out + "return %" + std::to_string(last) + " : " + type +
           "\n}\nfunc.func private @f(%0: " + type + ") -> " + type +
           " {\n%1 = stablehlo.transpose %0, dims = [1, 0] : (" + type +
           ") -> " + type + "\nreturn %1 : " + type + "\n}\n";
  }

  /// The propagated module and the warnings.
  std::string propagated(MLIRContext &context, KeptSteps *kept) const {
    std::string out;
    llvm::raw_string_ostream os(out);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      os << diagnostic << "\n";
      return success();
    });
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text(), &context);
    if (!module)
      return "";
    PropagateOptions options;
    options.conservativePropagation = conservative;
    options.extraRules = extraRules;
    options.shardy = shardy;
    options.kept = kept;
    if (failed(propagate(*module, options)))
      return "";
    os << *module;
    return out;
  }
};

rc::Gen<Program> genProgram() {
  return rc::gen::exec([] {
    Program program;
    program.mesh = *rc::gen::weightedElement<std::string>(
        {{3, R"(["x"=2, "y"=4])"}, {1, R"(["x"=4, "y"=4])"}});
    program.conservative =
        *rc::gen::weightedElement<bool>({{3, false}, {1, true}});
    program.extraRules =
        *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
    program.shardy = *rc::gen::weightedElement<ShardyVersion>(
        {{3, kNewestShardy}, {1, ShardyVersion::Jaxlib0_10_2}});
    program.shardings = *rc::gen::container<std::vector<std::string>>(
        5, rc::gen::element<std::string>(
               "", "@mesh, [{?}, {?}]", R"(@mesh, [{"x"}, {?}])",
               R"(@mesh, [{?}, {"x", ?}])", R"(@mesh, [{"x"}, {"y"}])",
               R"(@mesh, [{"y", ?}, {}])", R"(@mesh, [{"x", "y"}, {}])",
               R"(@mesh, [{"y":(1)2}, {"x"}])",
               R"(@mesh, [{?}, {?}], replicated={"x"})",
               R"(mesh<["x"=2, "z"=3]>, [{"z"}, {"x"}])"));
    program.ops = *rc::gen::container<std::vector<int>>(
        *rc::gen::inRange(2, 8), rc::gen::inRange(0, Program::kOps));
    return program;
  });
}

RC_GTEST_PROP(KeptSteps, ChangeNothing, ()) {
  Context own;
  KeptSteps kept;
  for (const Program &program :
       *rc::gen::container<std::vector<Program>>(5, genProgram())) {
    std::string alone = program.propagated(own.context, nullptr);
    RC_ASSERT(!alone.empty());
    RC_ASSERT(program.propagated(own.context, &kept) == alone);
  }
}

TEST(KeptSteps, AreFoundAgain) {
  Context own;
  Program program;
  program.mesh = R"(["x"=2, "y"=4])";
  program.shardings = {R"(@mesh, [{"x"}, {?}])", "", "", "", ""};
  program.ops = {0, 1, 2, 3, 1};
  KeptSteps kept;
  std::string first = program.propagated(own.context, &kept);
  EXPECT_NE(first.find("unknown to SDY"), std::string::npos) << first;
  size_t steps = kept.numSteps(), rules = kept.numRules();
  EXPECT_GT(steps, 0u);
  EXPECT_EQ(program.propagated(own.context, &kept), first);
  EXPECT_EQ(kept.numSteps(), steps);
  EXPECT_EQ(kept.numRules(), rules);
  program.shardings[0] = R"(@mesh, [{?}, {"y"}])";
  EXPECT_NE(program.propagated(own.context, &kept), "");
  EXPECT_GT(kept.numSteps(), steps);
  EXPECT_EQ(kept.numRules(), rules);
  // Numbers of axes mean others on another mesh.
  program.mesh = R"(["x"=4, "y"=4])";
  EXPECT_EQ(program.propagated(own.context, &kept),
            program.propagated(own.context, nullptr));
}

} // namespace
} // namespace shardwright
