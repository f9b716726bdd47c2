//===- engine_properties_test.cc - properties of propagation --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On random programs: propagation is deterministic and idempotent, and keeps
// the user's shardings.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/engine/engine.h"
#include "shardwright/propagate/index/parse_test_util.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mlir;
using namespace shardwright;

namespace {

constexpr std::pair<const char *, int> kAxes[] = {
    {"a", 2}, {"b", 2}, {"c", 4}, {"d", 3}};

int upTo(int n) { return *rc::gen::inRange(0, n); }
bool flip() { return upTo(2) != 0; }

/// A sharding of rank 2 that uses no axis twice.
std::string randomSharding(bool priorities) {
  std::string dims[2];
  for (auto [name, size] : kAxes) {
    int where = upTo(5);
    if (where > 1)
      continue;
    std::string &dim = dims[where];
    dim += (dim.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    if (size == 4 && flip())
      dim += flip() ? ":(1)2" : ":(2)2";
  }
  std::string text = "<@m, [";
  for (int d : {0, 1}) {
    bool open = flip();
    text += d == 0 ? "{" : ", {";
    text += dims[d];
    if (open)
      text += dims[d].empty() ? "?" : ", ?";
    text += "}";
    if (priorities && (open || !dims[d].empty()) && upTo(4) == 0)
      text += "p" + std::to_string(upTo(3));
  }
  return text + "]>";
}

/// A chain of ops on 8x8 matrices with random earlier operands; some are in a
/// loop.
std::string randomProgram(bool priorities) {
  const std::string type = "tensor<8x8xf32>";
  std::string text =
      "sdy.mesh @m = <[\"a\"=2, \"b\"=2, \"c\"=4, \"d\"=3]>\nfunc.func @main(";
  int arguments = 1 + upTo(3);
  std::vector<std::string> values;
  for (int i = 0; i < arguments; ++i) {
    values.push_back("%x" + std::to_string(i));
    text += (i ? ", " : "") + values.back() + ": " + type;
    if (upTo(4) != 0)
      text +=
          " {sdy.sharding = #sdy.sharding" + randomSharding(priorities) + "}";
  }
  text += ") -> " + type;
  if (flip())
    text = text.substr(0, text.size() - type.size()) + "(" + type +
           " {sdy.sharding = #sdy.sharding" + randomSharding(priorities) + "})";
  text += " {\n";
  int ops = 1 + upTo(10);
  for (int i = 0; i < ops; ++i) {
    std::string result = "%v" + std::to_string(i);
    auto pick = [&]() { return values[upTo(values.size())]; };
    std::string x = pick(), y = pick();
    std::string attribute;
    if (upTo(6) == 0)
      attribute = " {sdy.sharding = #sdy.sharding_per_value<[" +
                  randomSharding(priorities) + "]>}";
    text += "  " + result + " = ";
    switch (upTo(6)) {
    case 0:
      text += "stablehlo.add " + x + ", " + y + attribute + " : " + type;
      break;
    case 1:
      text += "stablehlo.dot_general " + x + ", " + y +
              ", contracting_dims = [1] x [0]" + attribute + " : (" + type +
              ", " + type + ") -> " + type;
      break;
    case 2:
      text += "stablehlo.transpose " + x + ", dims = [1, 0]" + attribute +
              " : (" + type + ") -> " + type;
      break;
    case 3:
      text += "stablehlo.optimization_barrier " + x + " : " + type;
      break;
    case 4:
      text += "sdy.sharding_constraint " + x + " " +
              randomSharding(priorities) + " : " + type;
      break;
    default:
      text += "stablehlo.tanh " + x + attribute + " : " + type;
    }
    text += "\n";
    values.push_back(result);
  }
  return text + "  return " + values.back() + " : " + type + "\n}\n";
}

class EngineProperties : public test::ParseTest {
protected:
  std::string propagated(ModuleOp module) {
    RC_ASSERT(succeeded(propagateShardings(module, EngineOptions())));
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }
};

RC_GTEST_FIXTURE_PROP(EngineProperties, DoesTheSameTwice, ()) {
  std::string program = randomProgram(/*priorities=*/true);
  OwningOpRef<ModuleOp> one = parse(program), two = parse(program);
  RC_ASSERT(one && two);
  RC_ASSERT(propagated(*one) == propagated(*two));
}

RC_GTEST_FIXTURE_PROP(EngineProperties, IsDoneWhenItIsDone, ()) {
  OwningOpRef<ModuleOp> module = parse(randomProgram(/*priorities=*/true));
  RC_ASSERT(bool(module));
  std::string once = propagated(*module);
  RC_ASSERT(propagated(*module) == once);
}

/// Axes are only added after those that the user gave to a dimension.
RC_GTEST_FIXTURE_PROP(EngineProperties, KeepsWhatTheUserSaid, ()) {
  OwningOpRef<ModuleOp> module = parse(randomProgram(/*priorities=*/true));
  RC_ASSERT(bool(module));
  auto shardings = [&]() {
    SmallVector<sdy::TensorShardingAttr> all;
    func::FuncOp main = sdy::getMainFunc(*module);
    for (Value argument : main.getArguments())
      all.push_back(sdy::getSharding(argument));
    all.push_back(sdy::getFuncResultSharding(main, 0));
    return all;
  };
  SmallVector<sdy::TensorShardingAttr> before = shardings();
  propagated(*module);
  for (auto [old, now] : llvm::zip_equal(before, shardings())) {
    if (!old)
      continue;
    RC_ASSERT(bool(now));
    for (auto [o, n] :
         llvm::zip_equal(old.getDimShardings(), now.getDimShardings())) {
      RC_ASSERT(o.getIsClosed() == n.getIsClosed());
      RC_ASSERT(o.getAxes().size() <= n.getAxes().size());
      for (size_t i = 0; i < o.getAxes().size(); ++i)
        // The last axis may have grown from a sub-axis.
        RC_ASSERT(o.getAxes()[i] == n.getAxes()[i] ||
                  (i + 1 == o.getAxes().size() &&
                   o.getAxes()[i].getName() == n.getAxes()[i].getName()));
      if (o.getIsClosed())
        RC_ASSERT(o.getAxes() == n.getAxes());
    }
  }
}

} // namespace
