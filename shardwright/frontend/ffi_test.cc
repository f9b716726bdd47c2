//===- ffi_test.cc - calls of registered functions by name ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>

using namespace shardwright::frontend;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<float> floatsOf(const Tensor &x) {
  auto values = x.toVector<float>();
  EXPECT_TRUE(values) << values.error().str();
  return values ? *values : std::vector<float>();
}

/// Registers a function for the life of the object.
struct ScopedTarget {
  ScopedTarget(std::string n, ffi::Handler handler) : name(std::move(n)) {
    Status status = ffi::registerTarget(name, std::move(handler));
    EXPECT_TRUE(status) << status.error().str();
  }
  ~ScopedTarget() { EXPECT_TRUE(ffi::unregisterTarget(name)); }
  std::string name;
};

Status scale(const ffi::Call &call) {
  auto found = call.attributes.find("factor");
  if (found == call.attributes.end() || !found->second.number<float>())
    return valueError("no factor");
  float factor = *found->second.number<float>();
  for (int64_t i = 0; i < call.results[0].elements(); ++i)
    call.results[0].as<float>()[i] = factor * call.operands[0].as<float>()[i];
  return {};
}

Tensor scaled(const Tensor &x, float factor,
              const ffi::CallOptions &options = {}) {
  return ffi::call("test_scale", {x}, {x}, {{"factor", factor}}, options)[0];
}

} // namespace

// Feature: ffi
TEST(Ffi, CallsARegisteredFunction) {
  ScopedTarget target("test_scale", scale);
  Tensor x = arrayOf(std::vector<float>{1, 2, 3});
  EXPECT_THAT(floatsOf(scaled(x, 2)), ElementsAre(2, 4, 6));
  auto compiled = jit([](Tensor x) { return scaled(x, 3); });
  EXPECT_THAT(floatsOf(compiled(x)), ElementsAre(3, 6, 9));
  EXPECT_FALSE(ffi::registerTarget("test_scale", scale));
  EXPECT_FALSE(ffi::registerTarget("test_other", nullptr));
  EXPECT_FALSE(ffi::unregisterTarget("test_other"));
}

TEST(Ffi, SaysWhatIsWrong) {
  Tensor x = arrayOf(std::vector<float>{1, 2, 3});
  auto errorOf = [](const Tensor &y) {
    auto values = y.toVector<float>();
    return values ? std::string("no error") : values.error().str();
  };
  EXPECT_THAT(errorOf(ffi::call("no_such_target", {x}, {x})[0]),
              HasSubstr("no_such_target"));
  ScopedTarget target("test_scale", scale);
  EXPECT_THAT(errorOf(ffi::call("test_scale", {x}, {x})[0]),
              HasSubstr("no factor"));
  auto failed = jvp([](Tensor x) { return scaled(x, 2); }, x, x);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().str(), HasSubstr("cannot be differentiated"));
  auto text = [&](const ffi::CallOptions &options) {
    return errorOf(scaled(x, 2, options));
  };
  EXPECT_THAT(text({.vmapMethod = "all"}), HasSubstr("vmap_method must be"));
  EXPECT_THAT(text({.inputLayouts = {Layout({0}), Layout({0})}}),
              HasSubstr("The number of input arguments (1) must equal the "
                        "number of input layouts (2)."));
  EXPECT_THAT(text({.outputLayouts = {Layout({1, 0})}}), HasSubstr("rror"));
  EXPECT_THAT(text({.inputOutputAliases = {{1, 0}}}),
              HasSubstr("with input index 1 outside the range [0, 1)."));
  EXPECT_THAT(text({.inputOutputAliases = {{0, 7}}}),
              HasSubstr("with output index 7 outside the range [0, 1)."));
  EXPECT_THAT(text({.customCallApiVersion = 9}), HasSubstr("from 1 to 4"));
  EXPECT_THAT(text({.legacyBackendConfig = "x"}),
              HasSubstr("requires custom_call_api_version < 4; got 4."));
}

TEST(Ffi, HasAttributesOfAllKinds) {
  ffi::Attributes seen;
  ScopedTarget target("test_attributes", [&](const ffi::Call &call) -> Status {
    seen = call.attributes;
    *call.results[0].as<float>() = static_cast<float>(call.operands.size());
    return {};
  });
  Tensor out =
      ffi::call("test_attributes", {shapeDtypeStruct({}, DType::F32)}, {},
                {{"flag", true},
                 {"byte", uint8_t(200)},
                 {"long", int64_t(-5)},
                 {"double", 0.1},
                 {"text", "a \"b\"\n"},
                 {"list", arrayOf(std::vector<int32_t>{3, 4})},
                 {"inner", ffi::Attributes{{"x", 1.5f}}}})[0];
  EXPECT_THAT(floatsOf(out), ElementsAre(0));
  EXPECT_EQ(seen["flag"].number<int>(), 1);
  EXPECT_EQ(seen["byte"].number<int>(), 200);
  EXPECT_EQ(seen["long"].number<int64_t>(), -5);
  EXPECT_EQ(seen["double"].number<double>(), 0.1);
  ASSERT_TRUE(seen["text"].text());
  EXPECT_EQ(*seen["text"].text(), "a \"b\"\n");
  ASSERT_TRUE(seen["list"].array());
  EXPECT_THAT(*seen["list"].array()->toVector<int32_t>(), ElementsAre(3, 4));
  ASSERT_TRUE(seen["inner"].fields());
  EXPECT_EQ(seen["inner"].fields()->at("x").number<float>(), 1.5f);
}

TEST(Ffi, KeepsCallsWithEffects) {
  std::atomic<int> calls = 0;
  ScopedTarget target("test_count", [&](const ffi::Call &call) -> Status {
    ++calls;
    *call.results[0].as<float>() = 1;
    return {};
  });
  Tensor x = arrayOf(std::vector<float>{1, 2, 3});
  for (bool hasEffect : {false, true}) {
    calls = 0;
    auto compiled = jit([=](Tensor x) {
      ffi::call("test_count", {shapeDtypeStruct({}, DType::F32)}, {x}, {},
                {.hasSideEffect = hasEffect});
      return lax::sin(x);
    });
    EXPECT_TRUE(compiled(x));
    EXPECT_EQ(calls, hasEffect ? 1 : 0);
  }
}

TEST(Ffi, IsBatchedAsItSays) {
  ScopedTarget target("test_scale", scale);
  Tensor x = arrayOf(std::vector<float>{1, 2, 3, 4}, {2, 2});
  for (const char *method : {"sequential", "sequential_unrolled", "expand_dims",
                             "broadcast_all", "legacy_vectorized"}) {
    auto batched =
        vmap([=](Tensor x) { return scaled(x, 2, {.vmapMethod = method}); });
    EXPECT_THAT(floatsOf(batched(x)), ElementsAre(2, 4, 6, 8)) << method;
  }
  auto none = vmap([](Tensor x) { return scaled(x, 2); })(x);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().str(), HasSubstr("Got vmap_method=None."));
}

TEST(Ffi, PassesElementsInTheLayoutsThatTheCallSays) {
  ScopedTarget target("test_copy", [](const ffi::Call &call) -> Status {
    for (int64_t i = 0; i < call.results[0].elements(); ++i)
      call.results[0].as<float>()[i] = call.operands[0].as<float>()[i];
    return {};
  });
  Tensor x = arrayOf(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  // Read column by column, written row by row.
  Tensor y = ffi::call("test_copy", {x}, {x}, {},
                       {.inputLayouts = {Layout({1, 0})}})[0];
  EXPECT_THAT(floatsOf(y), ElementsAre(1, 4, 2, 5, 3, 6));
  // An untyped call has a text instead of attributes.
  Tensor z = ffi::call("test_copy", {x}, {x}, {},
                       {.inputOutputAliases = {{0, 0}},
                        .customCallApiVersion = 2,
                        .legacyBackendConfig = "text"})[0];
  EXPECT_THAT(floatsOf(z), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(floatsOf(x), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Ffi, RunsOnShardedValues) {
  ASSERT_EQ(devices().size(), 8u);
  ScopedTarget target("test_scale", scale);
  auto mesh = Mesh::get(devices(), {8}, {"x"});
  ASSERT_TRUE(mesh);
  Tensor x = devicePut(arrayOf(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}),
                       *Sharding::named(*mesh, P("x")));
  auto compiled = jit([](Tensor x) { return scaled(x, 2); });
  EXPECT_THAT(floatsOf(compiled(x)), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

TEST(Tokens, HaveNoElements) {
  auto compiled = jit([](Tensor x) {
    Tensor token = lax::after_all({lax::create_token()});
    return std::pair{lax::after_all({token, lax::create_token()}), lax::sin(x)};
  });
  Tensor x = arrayOf(std::vector<float>{0});
  auto out = compiled(x);
  ASSERT_TRUE(out) << out.error().str();
  EXPECT_EQ(out->first.dtype(), DType::Token);
  EXPECT_EQ(out->first.aval().str(), "Tok");
  EXPECT_FALSE(out->first.item());
  EXPECT_THAT(floatsOf(out->second), ElementsAre(0));
  // Back into a program.
  auto again = jit([](Tensor token) { return lax::after_all({token}); });
  EXPECT_EQ(again(out->first)->dtype(), DType::Token);
  EXPECT_THAT(lax::after_all({x}).error().str(),
              HasSubstr("Arguments to after_all must be tokens"));
  EXPECT_FALSE(lax::add(out->first, out->first).ok());
  auto mapped =
      vmap([](Tensor x) { return std::pair{lax::create_token(), x}; })(x);
  EXPECT_FALSE(mapped);
}

TEST(Cond, TakesNumbersAsPredicates) {
  auto choose = [](const Tensor &which) {
    auto out = cond(
        which, [](Tensor x) { return lax::add(x, x); },
        [](Tensor x) { return lax::neg(x); },
        arrayOf(std::vector<float>{1, 2}));
    EXPECT_TRUE(out) << out.error().str();
    return out ? floatsOf(*out) : std::vector<float>();
  };
  for (int64_t number : {2, 1, -1})
    EXPECT_THAT(choose(scalarOf(number, DType::I32)), ElementsAre(2, 4));
  EXPECT_THAT(choose(scalarOf(int64_t(0), DType::I32)), ElementsAre(-1, -2));
  EXPECT_THAT(choose(scalarOf(0.5, DType::F32)), ElementsAre(2, 4));
  EXPECT_THAT(choose(scalarOf(0.0, DType::F16)), ElementsAre(-1, -2));
}

TEST(Linear, OperandsAreThoseOfTheDescriptions) {
  // A function that a user calls linear, which is not: its argument is an
  // index.
  auto matvec = [](const Tensor &x) {
    Tensor start = lax::convert_element_type(
        lax::squeeze(lax::slice(x, {0}, {1}), {0}), DType::I32);
    return lax::dynamic_slice(arrayOf(std::vector<float>{1, 2, 3, 4}), {start},
                              {3});
  };
  LinearSolveOptions<Tensor> options;
  options.transposeSolve = [](const LinearFunction<Tensor> &f,
                              const Tensor &y) { return f(y); };
  Tensor g = grad([&](Tensor b) {
    Tensor x = customLinearSolve(
        LinearFunction<Tensor>(matvec), b,
        [](const LinearFunction<Tensor> &, const Tensor &y) { return y; },
        options);
    return lax::reduce_sum(x, {0});
  })(arrayOf(std::vector<float>{1, 1, 1}));
  ASSERT_FALSE(g.ok());
  EXPECT_THAT(g.error().str(), HasSubstr("a function that should be linear is "
                                         "not: 'dynamic_slice'"));
}
