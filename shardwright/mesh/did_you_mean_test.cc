//===- did_you_mean_test.cc - tests of the nearest known name -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/did_you_mean.h"

#include "gtest/gtest.h"

namespace shardwright {
namespace {

TEST(DidYouMean, NamesTheNearest) {
  EXPECT_EQ(didYouMean("modle", {"data", "model"}),
            ", did you mean \"model\"?");
}

TEST(DidYouMean, ListsWhatIsKnownWhenNothingIsNear) {
  EXPECT_EQ(didYouMean("zzzz", {"x", "y"}), ", known: \"x\", \"y\"");
  EXPECT_EQ(didYouMean("x", {}), "");
}

} // namespace
} // namespace shardwright
