//===- user_exceptions_test.cc - exceptions of traced functions -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of the user that are traced or transformed, and rules of custom
// derivatives and batching, may throw: the caller gets an error. Functions that
// running programs call are in blocked_callbacks_test.cc.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/exceptions.h"
#include "shardwright/frontend/frontend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardwright::frontend;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

const bool configured = setDeviceCount(8).ok();

using Body = std::function<Tensor(Tensor)>;
using Transform = std::function<Expected<Tensor>(const Body &, Tensor)>;
struct Kind {
  std::string name;
  Transform call;
  /// What its errors say of the function.
  std::string shown;
};

Mesh mesh8() { return *Mesh::get(devices(), {8}, {"x"}); }
/// A value that the function returns.
template <typename T> Tensor valueOf(const Expected<T> &x) {
  return x ? Tensor(*x) : Tensor(x.error());
}
Expected<Tensor> asExpected(const Tensor &x) {
  return x.ok() ? Expected<Tensor>(x) : Expected<Tensor>(x.error());
}

std::vector<Kind> plainKinds() {
  const std::string any = "a function that is traced or transformed";
  return {
      {"jit",
       [](const Body &f, Tensor x) { return jit(f, {.name = "step"})(x); },
       "the function 'step'"},
      {"trace",
       [](const Body &f, Tensor x) -> Expected<Tensor> {
         auto traced = jit(f, {.name = "step"}).trace(x);
         return traced ? Expected<Tensor>(x) : traced.error();
       },
       "the function 'step'"},
      {"grad",
       [](const Body &f, Tensor x) {
         return grad([&](Tensor v) { return sum(f(v)); })(x);
       },
       any},
      {"jvp",
       [](const Body &f, Tensor x) -> Expected<Tensor> {
         auto out = jvp(f, x, x);
         return out ? Expected<Tensor>(out->second) : out.error();
       },
       any},
      {"vmap", [](const Body &f, Tensor x) { return vmap(f)(x); }, any},
      {"grad in jit",
       [](const Body &f, Tensor x) {
         return jit(
             [&](Tensor v) {
               return valueOf(grad([&](Tensor w) { return sum(f(w)); })(v));
             },
             {.name = "step"})(x);
       },
       "a function that 'step' calls"},
      {"checkpoint", [](const Body &f, Tensor x) { return checkpoint(f)(x); },
       any},
      {"shardMap",
       [](const Body &f, Tensor x) {
         return shardMap(f, {.mesh = mesh8(), .in = P("x"), .out = P("x")})(x);
       },
       any},
      {"shardMap in jit",
       [](const Body &f, Tensor x) {
         return jit(shardMap(
             f,
             {.mesh = mesh8(), .in = P("x"), .out = P("x"), .name = "shards"}))(
             x);
       },
       "the function 'shards'"},
      {"pmap", [](const Body &f, Tensor x) { return pmap(f)(x); }, "function"},
      {"mapWithTiling",
       [](const Body &f, Tensor x) {
         return mapWithTiling(f, {.mesh = mesh8()})(x);
       },
       any},
  };
}

std::vector<Kind> controlKinds() {
  const std::string any = "a function that is traced or transformed";
  return {
      {"scan",
       [](const Body &f, Tensor x) -> Expected<Tensor> {
         auto out =
             scan([&](Tensor c, Tensor) { return std::pair(f(c), c); }, x, x);
         return out ? Expected<Tensor>(out->first) : out.error();
       },
       any},
      {"whileLoop",
       [](const Body &f, Tensor x) {
         return whileLoop([](Tensor v) { return lax::lt(sum(v), 1.0f); }, f, x);
       },
       any},
      {"cond",
       [](const Body &f, Tensor x) {
         return cond(Tensor(true), f, [](Tensor v) { return v; }, x);
       },
       any},
      {"reduce",
       [](const Body &f, Tensor x) {
         return asExpected(lax::reduce(
             x, Tensor(0.0f),
             [&](const Tensor &a, const Tensor &b) { return f(a) + b; }, {0}));
       },
       any},
      {"runState",
       [](const Body &f, Tensor x) {
         return asExpected(
             runState([&](const Ref &r) { r.set(f(r.get())); }, x));
       },
       "the function 'body'"},
      {"callbacks' function",
       [](const Body &f, Tensor x) {
         return jit(
             [&](Tensor v) {
               return valueOf(customPartitioning(
                   f, {.partition = [](const Mesh &, const Tensors &,
                                       const Tensors &) -> Expected<Partition> {
                         return valueError("not called");
                       },
                       .name = "divided"})(v));
             },
             {.name = "step"})(x);
       },
       "the function 'divided'"},
  };
}

std::vector<Kind> ruleKinds() {
  Body twice = [](Tensor v) { return v * 2.0f; };
  return {
      {"function of customVmap",
       [](const Body &f, Tensor x) {
         return customVmap(
             f,
             [](int64_t, const std::vector<bool> &b, Tensor v) {
               return std::pair(v, b);
             },
             "mine")(x);
       },
       "the function 'mine'"},
      {"rule of customVmap",
       [=](const Body &f, Tensor x) {
         return vmap(customVmap(
             twice,
             [&](int64_t, const std::vector<bool> &b, Tensor v) {
               return std::pair(f(v), b);
             },
             "mine"))(x);
       },
       "the batching rule of 'mine'"},
      {"rule of customJvp",
       [=](const Body &f, Tensor x) -> Expected<Tensor> {
         auto mine = customJvp(
             twice,
             [f](const std::tuple<Tensor> &p, const std::tuple<Tensor> &t) {
               return std::pair(f(std::get<0>(p)), std::get<0>(t));
             },
             "mine");
         auto out = jvp([&](Tensor v) { return valueOf(mine(v)); }, x, x);
         return out ? Expected<Tensor>(out->second) : out.error();
       },
       "the derivative rule of 'mine'"},
      {"forward rule of customVjp",
       [=](const Body &f, Tensor x) {
         auto mine = customVjp(
             twice, [f](Tensor v) { return std::pair(f(v), v); },
             [](Tensor, Tensor ct) { return std::tuple(ct); }, "mine");
         return grad([&](Tensor v) { return sum(valueOf(mine(v))); })(x);
       },
       "the forward rule of 'mine'"},
      {"backward rule of customVjp",
       [=](const Body &f, Tensor x) {
         auto mine = customVjp(
             twice, [twice](Tensor v) { return std::pair(twice(v), v); },
             [f](Tensor, Tensor ct) { return std::tuple(f(ct)); }, "mine");
         return grad([&](Tensor v) { return sum(valueOf(mine(v))); })(x);
       },
       "the backward rule of 'mine'"},
  };
}

void checkKind(const Kind &kind) {
  SCOPED_TRACE(kind.name);
  Tensor x = ones({8});
  for (int round = 0; round < 3; ++round) {
    auto token = std::make_shared<int>();
    Body throws = [token](Tensor) -> Tensor {
      throw std::runtime_error("no luck");
    };
    Body odd = [token](Tensor) -> Tensor { throw 3; };
    Body given = [token](Tensor) -> Tensor {
      return orThrow(Tensor(typeError("of the user")));
    };
    auto thrown = kind.call(throws, x);
    ASSERT_FALSE(thrown.ok());
    EXPECT_EQ(thrown.error().kind, ErrorKind::Runtime);
    EXPECT_THAT(thrown.error().text, HasSubstr(kind.shown));
    EXPECT_THAT(thrown.error().text, HasSubstr(" threw an exception: no luck"));
    auto strange = kind.call(odd, x);
    ASSERT_FALSE(strange.ok());
    EXPECT_THAT(strange.error().text,
                HasSubstr(" threw an exception that is not derived from "
                          "std::exception"));
    // The exceptions of orThrow are errors again.
    auto error = kind.call(given, x);
    ASSERT_FALSE(error.ok());
    EXPECT_EQ(error.error().str(), "TypeError: of the user");
    // Nothing is traced any more, and the next call works.
    EXPECT_FALSE(detail::isTracing({x}));
    auto good = kind.call([](Tensor v) { return v * 1.0f; }, x);
    ASSERT_TRUE(good.ok()) << good.error().str();
    EXPECT_TRUE(good->blockUntilReady().ok());
    throws = odd = given = nullptr;
    clearCaches();
    EXPECT_EQ(token.use_count(), 1);
  }
}

TEST(UserExceptions, OfTransformedFunctions) {
  for (const Kind &kind : plainKinds())
    checkKind(kind);
}
TEST(UserExceptions, OfBodiesOfControlFlow) {
  for (const Kind &kind : controlKinds())
    checkKind(kind);
}
TEST(UserExceptions, OfRules) {
  for (const Kind &kind : ruleKinds())
    checkKind(kind);
}

} // namespace
