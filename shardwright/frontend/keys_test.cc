//===- keys_test.cc - random numbers of batches of keys -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/exceptions.h"
#include "shardwright/frontend/frontend.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

const bool configured = setDeviceCount(8).ok();

using Words = std::vector<uint32_t>;

Words words(const Tensor &x) {
  auto v = x.toVector<uint32_t>();
  EXPECT_TRUE(v.ok()) << v.error().str();
  return v ? *v : Words();
}
Words wordsOfKeys(const Tensor &keys) { return words(random::keyData(keys)); }

/// Six different keys.
Tensor keysOf(const Shape &shape) {
  Tensor data = reshape(arange(12, DType::U32), {6, 2}) + uint32_t(5);
  Shape all = shape;
  all.push_back(2);
  return random::wrapKeyData(reshape(data, all));
}

/// What a function gives for each of the six keys alone.
Words oneByOne(const std::function<Tensor(Tensor)> &f) {
  Tensor data = random::keyData(keysOf({6}));
  Words all;
  for (int i = 0; i < 6; ++i)
    for (uint32_t word : words(f(random::wrapKeyData(data[i]))))
      all.push_back(word);
  return all;
}

TEST(Keys, BatchesGiveTheNumbersOfEachKey) {
  ASSERT_TRUE(configured);
  std::pair<const char *, std::function<Tensor(Tensor)>> functions[] = {
      {"bits 8",
       [](Tensor k) {
         return lax::convert_element_type(lax::random_bits(k, 8, {3}),
                                          DType::U32);
       }},
      {"bits 32", [](Tensor k) { return lax::random_bits(k, 32, {2, 3}); }},
      {"bits of a scalar",
       [](Tensor k) { return lax::random_bits(k, 32, {}); }},
      {"split",
       [](Tensor k) { return random::keyData(lax::random_split(k, {3})); }},
      {"fold_in",
       [](Tensor k) { return random::keyData(random::foldIn(k, 7)); }},
      {"words", [](Tensor k) { return random::keyData(k); }},
      {"nested", [](Tensor k) {
         return lax::random_bits(random::split(k, 2)[1], 32, {4});
       }}};
  for (auto &[name, f] : functions) {
    Words expected = oneByOne(f);
    EXPECT_EQ(words(vmap(f)(keysOf({6}))), expected) << name;
    EXPECT_EQ(words(jit(vmap(f))(keysOf({6}))), expected) << name;
    EXPECT_EQ(words(vmap(vmap(f))(keysOf({2, 3}))), expected) << name;
    // The other dimension first, and back.
    auto inner = vmap(f);
    Tensor swapped =
        vmap(inner, {.inAxes = {1}, .outAxes = {1}})(keysOf({2, 3}));
    EXPECT_EQ(words(swapped), expected) << name;
    EXPECT_EQ(words(vmap([](Tensor k) { return k; },
                         {.outAxes = {0}})(random::keyData(keysOf({6})))),
              wordsOfKeys(keysOf({6})));
  }
}

TEST(Keys, ProgramsOfBatchesDoNotGrowWithThem) {
  auto f = vmap([](Tensor k) { return random::normal(k, {2}); });
  auto small = jaxprText(f, keysOf({6})),
       large = jaxprText(f, random::wrapKeyData(zeros({60, 2}, DType::U32)));
  ASSERT_TRUE(small.ok() && large.ok());
  EXPECT_EQ(std::count(small->begin(), small->end(), '\n'),
            std::count(large->begin(), large->end(), '\n'));
}

TEST(Keys, FunctionsTakeOneKey) {
  Tensor keys = keysOf({6});
  for (const Tensor &x : {lax::random_split(keys, {2}), random::foldIn(keys, 1),
                          random::normal(keys, {2})})
    EXPECT_EQ(x.error().kind, ErrorKind::Value);
  EXPECT_EQ(random::foldIn(random::key(0), arange(3)).error().kind,
            ErrorKind::Type);
  EXPECT_EQ(lax::random_split(keys, {2}).error().text,
            "split accepts a single key, but was given a key array of shape "
            "(6,) != (). Use jax.vmap for batching.");
}

TEST(Keys, FoldInTakesBatchesOfEither) {
  Tensor data = arange(6), keys = keysOf({6}), key = random::key(3);
  auto fold = [](Tensor k, Tensor n) {
    return random::keyData(random::foldIn(k, n));
  };
  Words both, byData, byKeys, table;
  Tensor split = random::keyData(keys);
  for (int i = 0; i < 6; ++i) {
    Tensor k = random::wrapKeyData(split[i]), n = data[i];
    auto append = [](Words &to, const Words &more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    append(both, words(fold(k, n)));
    append(byData, words(fold(key, n)));
    append(byKeys, words(fold(k, data[4])));
    for (int j = 0; j < 6; ++j)
      append(table, words(fold(k, data[j])));
  }
  EXPECT_EQ(words(vmap(fold)(keys, data)), both);
  EXPECT_EQ(words(vmap(fold, {.inAxes = {-1, 0}})(key, data)), byData);
  EXPECT_EQ(words(vmap(fold, {.inAxes = {0, -1}})(keys, data[4])), byKeys);
  auto rows = vmap(fold, {.inAxes = {-1, 0}});
  EXPECT_EQ(words(vmap(rows, {.inAxes = {0, -1}})(keys, data)), table);
  // Keys along the second dimension, data along the first.
  Tensor grid = keysOf({2, 3}), numbers = reshape(data, {3, 2});
  auto inner = vmap(fold);
  Tensor mixed = vmap(inner, {.inAxes = {0, 1}})(grid, numbers);
  Words expected;
  Tensor gridWords = random::keyData(grid);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (uint32_t w :
           words(fold(random::wrapKeyData(gridWords[i][j]), numbers[j][i])))
        expected.push_back(w);
  EXPECT_EQ(words(mixed), expected);
}

} // namespace
