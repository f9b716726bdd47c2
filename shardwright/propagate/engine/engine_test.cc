//===- engine_test.cc - observers and numbers of steps --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine/engine.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/parse_test_util.h"
#include "shardwright/propagate/step/factor_projection.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardwright;

namespace {

struct Recorder : PropagationObserver {
  std::vector<std::string> events;

  void onChange(const PropagationEvent &e) override {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "p" << e.userPriority << "." << e.opPriority << " "
       << e.op->getName().getStringRef() << " ";
    if (e.tensor < e.numOperands)
      os << "operand " << e.tensor;
    else
      os << "result " << e.tensor - e.numOperands;
    os << ": "
       << (e.before[e.tensor] ? str(*e.before[e.tensor], *e.mesh) : "none")
       << " -> " << str(*e.after, *e.mesh);
    events.push_back(text);
  }
};

using EngineTest = test::ParseTest;

constexpr const char *kProgram = R"(
sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a", ?}, {?}]>},
                %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"b", ?}p1]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
)";

TEST_F(EngineTest, TellsWhereEachAxisCameFrom) {
  OwningOpRef<ModuleOp> module = parse(kProgram);
  ASSERT_TRUE(module);
  Recorder recorder;
  EngineOptions options;
  options.observer = &recorder;
  ASSERT_TRUE(succeeded(propagateShardings(*module, options)));
  EXPECT_EQ(
      recorder.events,
      (std::vector<std::string>{
          R"(p0.2 stablehlo.dot_general result 0: none -> [{"a", ?}, {?}])",
          R"(p0.2 stablehlo.negate result 0: none -> [{"a", ?}, {?}])",
          R"(p0.2 func.func result 0: none -> [{"a", ?}, {?}])",
          R"(p1.2 stablehlo.dot_general result 0: [{"a", ?}, {?}] -> [{"a", ?}, {"b", ?}])",
          R"(p1.2 stablehlo.negate result 0: [{"a", ?}, {?}] -> [{"a", ?}, {"b", ?}])",
          R"(p1.2 func.func result 0: [{"a", ?}, {?}] -> [{"a", ?}, {"b", ?}])",
      }));
}

TEST_F(EngineTest, StopsBetweenUserPriorities) {
  OwningOpRef<ModuleOp> module = parse(kProgram);
  ASSERT_TRUE(module);
  std::vector<int64_t> done;
  EngineOptions options;
  options.afterUserPriority = [&](int64_t priority) {
    done.push_back(priority);
    // The module holds the state after that priority.
    std::string text;
    llvm::raw_string_ostream os(text);
    os << sdy::getFuncResultSharding(sdy::getMainFunc(*module), 0);
    EXPECT_EQ(text, R"(#sdy.sharding<@m, [{"a", ?}, {?}]>)");
  };
  ASSERT_TRUE(succeeded(propagateShardings(*module, options)));
  EXPECT_EQ(done, std::vector<int64_t>{0});
}

TEST_F(EngineTest, LeavesNoTraceOfRulesUnlessAsked) {
  for (bool keep : {false, true}) {
    OwningOpRef<ModuleOp> module = parse(kProgram);
    ASSERT_TRUE(module);
    EngineOptions options;
    options.keepShardingRules = keep;
    ASSERT_TRUE(succeeded(propagateShardings(*module, options)));
    int rules = 0;
    module->walk(
        [&](Operation *op) { rules += op->hasAttr(sdy::kShardingRuleAttr); });
    EXPECT_EQ(rules, keep ? 2 : 0);
  }
}

} // namespace
