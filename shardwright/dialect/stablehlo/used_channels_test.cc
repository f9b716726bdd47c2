//===- used_channels_test.cc - handles for new channels -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/used_channels.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

using namespace mlir;
using namespace shardwright;

namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

int64_t firstUnused(ArrayRef<int64_t> handles) {
  MLIRContext context;
  context.loadDialect<stablehlo::StablehloDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  Value token =
      stablehlo::CreateTokenOp::create(b, module->getLoc())->getResult(0);
  for (int64_t handle : handles)
    token = stablehlo::SendOp::create(
        b, module->getLoc(), token.getType(), ValueRange(), token,
        stablehlo::ChannelHandleAttr::get(&context, handle, 1),
        /*is_host_transfer=*/BoolAttr(),
        /*source_target_pairs=*/DenseIntElementsAttr());
  return stablehlo::UsedChannels(*module).firstUnused();
}

TEST(UsedChannels, FollowTheLargest) {
  EXPECT_EQ(firstUnused({}), 1);
  EXPECT_EQ(firstUnused({0, -7, std::numeric_limits<int64_t>::min()}), 1);
  EXPECT_EQ(firstUnused({3, 7, 5, 7}), 8);
}

TEST(UsedChannels, FillAGapBeforeTheLargestNumbers) {
  EXPECT_EQ(firstUnused({kLargest}), 1);
  EXPECT_EQ(firstUnused({2, kLargest, 1}), 3);
  EXPECT_EQ(firstUnused({int64_t(1) << 32, kLargest - 1}),
            (int64_t(1) << 32) + 1);
}

RC_GTEST_PROP(UsedChannels, AreFollowedByUnusedOnes, ()) {
  // Handles near multiples of 2^32 and near the largest number.
  auto handles = *rc::gen::container<std::vector<int64_t>>(
      rc::gen::map(rc::gen::tuple(rc::gen::inRange<int64_t>(0, 5),
                                  rc::gen::inRange<int64_t>(0, 3),
                                  rc::gen::arbitrary<bool>()),
                   [](std::tuple<int64_t, int64_t, bool> t) {
                     int64_t offset = (std::get<0>(t) << 32) + std::get<1>(t);
                     return std::get<2>(t) ? kLargest - offset : offset;
                   }));
  int64_t first = firstUnused(handles);
  RC_ASSERT(first > 0);
  RC_ASSERT(first <= kLargest - (int64_t(1) << 32) + 1);
  for (int64_t handle : handles)
    RC_ASSERT((handle < first || handle - first >= int64_t(1) << 32));
}

} // namespace
