//===- inspect_sharding_test.cc - the shardings that were chosen ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/inspect_sharding.h"
#include "shardwright/frontend/frontend.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace shardwright::frontend;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

Mesh mesh() { return *Mesh::get(devices(), {4, 2}, {"x", "y"}); }
Tensor sharded() {
  return devicePut(zeros({8, 4}), *Sharding::named(mesh(), P("x", "y")));
}

struct Seen {
  std::vector<std::string> specs;
  auto callback() {
    return [this](const Sharding &s) {
      specs.push_back(s.isNamed() ? s.spec().str() : s.str());
    };
  }
};

} // namespace

TEST(InspectSharding, TellsWhatPropagationFound) {
  Seen seen;
  auto f = jit([&](Tensor x) {
    Tensor y = transpose(x);
    EXPECT_TRUE(inspectArraySharding(y, seen.callback()));
    return y + 1.0f;
  });
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(f(sharded()));
  // While the program is compiled, once.
  EXPECT_THAT(seen.specs, ElementsAre("P('y', 'x')"));
  auto lowered = f.lower(sharded());
  EXPECT_THAT(*lowered->asText(), HasSubstr("@InspectSharding"));
}

TEST(InspectSharding, IsCalledForArraysAndOnOneDevice) {
  Seen seen;
  EXPECT_TRUE(inspectArraySharding(sharded(), seen.callback()));
  EXPECT_THAT(seen.specs, ElementsAre("P('x', 'y')"));
  seen.specs.clear();
  auto f = jit([&](Tensor x) {
    EXPECT_TRUE(inspectArraySharding(x, seen.callback()));
    return x + 1.0f;
  });
  ASSERT_TRUE(f(zeros({3})));
  EXPECT_THAT(seen.specs, ElementsAre(HasSubstr("SingleDeviceSharding")));
  EXPECT_THAT(*f.lower(zeros({3}))->asText(), Not(HasSubstr("custom_call")));
}

TEST(InspectSharding, WorksInTransformationsAndManualRegions) {
  Seen seen;
  auto inspected = [&](Tensor x) {
    EXPECT_TRUE(inspectArraySharding(x, seen.callback()));
    return x * x;
  };
  ASSERT_TRUE(jit(vmap(inspected))(sharded()));
  EXPECT_THAT(seen.specs, ElementsAre("P('x', 'y')"));
  seen.specs.clear();
  ASSERT_TRUE(
      jit(grad([&](Tensor x) { return sum(inspected(x)); }))(sharded()));
  EXPECT_THAT(seen.specs, ElementsAre("P('x', 'y')"));
  seen.specs.clear();
  ASSERT_TRUE(jit(shardMap(
      inspected, {.mesh = mesh(), .in = P("x", "y"), .out = P("x", "y")}))(
      sharded()));
  EXPECT_EQ(seen.specs.size(), 1u);
}

TEST(InspectSharding, FailsWithTheProgram) {
  for (int kind : {0, 1, 2}) {
    auto f = jit([&](Tensor x) {
      std::function<void(const Sharding &)> callback;
      if (kind == 1)
        callback = [](const Sharding &) { throw std::runtime_error("thrown"); };
      if (kind == 2)
        callback = [](const Sharding &) { throw 7; };
      EXPECT_TRUE(inspectArraySharding(x, callback));
      return x + 1.0f;
    });
    for (const Tensor &x : {sharded(), zeros({3})}) {
      auto out = f(x);
      ASSERT_FALSE(out);
      const char *why[] = {"the function is empty", "thrown",
                           "not derived from std::exception"};
      EXPECT_THAT(out.error().str(),
                  HasSubstr("INTERNAL: Error calling inspect_sharding: "));
      EXPECT_THAT(out.error().str(), HasSubstr(why[kind]));
    }
  }
  // It may run programs.
  double found = 0;
  auto f = jit([&](Tensor x) {
    EXPECT_TRUE(inspectArraySharding(x, [&](const Sharding &) {
      found = *jit([](Tensor x) { return x + 1.0f; })(Tensor(2.0f))->item();
    }));
    return x;
  });
  ASSERT_TRUE(f(sharded()));
  EXPECT_EQ(found, 3);
}
