//===- custom_vmap_test.cc - functions with batching of their own ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace shardwright::frontend;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<float> floatsOf(const Expected<Tensor> &x) {
  EXPECT_TRUE(x) << x.error().str();
  auto values = x->toVector<float>();
  EXPECT_TRUE(values) << values.error().str();
  return values ? *values : std::vector<float>();
}
using Flags = std::vector<bool>;

/// x + y, or batched x * y.
auto sumOrProduct(Flags *seen = nullptr) {
  return customVmap(
      [](Tensor x, Tensor y) { return x + y; },
      [seen](int64_t size, const Flags &batched, Tensor x, Tensor y) {
        EXPECT_EQ(size, 3);
        if (seen)
          *seen = batched;
        return std::pair{x * y, Flags{true}};
      });
}
Tensor three(float a, float b, float c) {
  return arrayOf(std::vector<float>{a, b, c});
}

} // namespace

TEST(CustomVmap, UsesItsRule) {
  Flags seen;
  auto f = sumOrProduct(&seen);
  EXPECT_THAT(floatsOf(f(Tensor(2.0f), Tensor(5.0f))), ElementsAre(7));
  Tensor x = three(1, 2, 3);
  auto mapped = [&](Ints axes, Tensor a, Tensor b) {
    return floatsOf(vmap([f](Tensor x, Tensor y) { return *f(x, y); },
                         {.inAxes = axes})(a, b));
  };
  EXPECT_THAT(mapped({0, 0}, x, x), ElementsAre(1, 4, 9));
  EXPECT_EQ(seen, (Flags{true, true}));
  EXPECT_THAT(mapped({0, -1}, x, Tensor(2.0f)), ElementsAre(2, 4, 6));
  EXPECT_EQ(seen, (Flags{true, false}));
  auto compiled = jit(vmap([f](Tensor x, Tensor y) { return *f(x, y); }));
  EXPECT_THAT(floatsOf(compiled(x, x)), ElementsAre(1, 4, 9));
}

TEST(CustomVmap, HasForwardDerivatives) {
  auto f = sumOrProduct();
  Tensor one(1.0f), x = three(1, 2, 3);
  auto call = [f](Tensor x, Tensor y) { return *f(x, y); };
  auto pushed = jvp([call](Tensor x) { return call(x, x * x); }, one, one);
  ASSERT_TRUE(pushed) << pushed.error().str();
  EXPECT_THAT(floatsOf(pushed->second), ElementsAre(3));
  // Of the rule: (x * x * x)' = 3 x^2.
  auto both = vmap([call](Tensor x, Tensor t) {
    auto out = jvp([call](Tensor x) { return call(x, x * x); }, x, t);
    return out ? out->second : Tensor(out.error());
  });
  EXPECT_THAT(floatsOf(both(x, three(1, 1, 1))), ElementsAre(3, 12, 27));
  auto fixed = vmap(
      [call](Tensor x, Tensor t) {
        auto out = jvp([call](Tensor x) { return call(x, x * x); }, x, t);
        return out ? out->second : Tensor(out.error());
      },
      {.inAxes = {0, -1}});
  EXPECT_THAT(floatsOf(fixed(x, one)), ElementsAre(3, 12, 27));
}

TEST(CustomVmap, IsPrintedAsInJax) {
  auto f = sumOrProduct();
  auto text = jaxprText([f](Tensor x) { return *f(x, x); },
                        shapeDtypeStruct({}, DType::F32));
  ASSERT_TRUE(text) << text.error().str();
  EXPECT_THAT(*text, HasSubstr("custom_vmap_call["));
  EXPECT_THAT(*text, HasSubstr("in_tree=PyTreeDef(((), (*, *)))"));
  EXPECT_THAT(*text, HasSubstr("out_tree=PyTreeDef(*)"));
}

TEST(CustomVmap, SaysWhatIsWrong) {
  Tensor x = three(1, 2, 3);
  auto error = [&](auto rule) {
    auto f = customVmap([](Tensor x) { return lax::sin(x); }, rule);
    auto out = vmap([f](Tensor x) { return *f(x); })(x);
    return out ? std::string("no error") : out.error().str();
  };
  EXPECT_THAT(error([](int64_t, const Flags &, Tensor x) {
                return std::pair{x, Flags{}};
              }),
              HasSubstr("output batching specification returned by custom vmap "
                        "rule"));
  EXPECT_THAT(
      error([](int64_t, const Flags &, Tensor x) {
        return std::pair{std::vector<Tensor>{x, x}, Flags{true, true}};
      }),
      HasSubstr("does not match that of original custom-vmapped "
                "function.\nOriginal output: PyTreeDef(*)\nRule output: "
                "PyTreeDef([*, *])"));
  EXPECT_THAT(error([](int64_t, const Flags &, Tensor x) {
                return std::pair{sum(x), Flags{true}};
              }),
              HasSubstr("says that result 0 is batched, but its type is "
                        "float32[]"));
  EXPECT_THAT(error([](int64_t, const Flags &,
                       Tensor) -> Expected<std::pair<Tensor, Flags>> {
                return typeError("returned");
              }),
              HasSubstr("TypeError: returned"));
  // A result that is the same for all is not batched.
  auto f = customVmap([](Tensor x) { return lax::sin(x); },
                      [](int64_t, const Flags &, Tensor x) {
                        return std::pair{sum(x), Flags{false}};
                      });
  EXPECT_THAT(floatsOf(vmap([f](Tensor x) { return *f(x); })(x)),
              ElementsAre(6, 6, 6));
}
