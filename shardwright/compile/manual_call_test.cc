//===- manual_call_test.cc - bodies of calls on each device ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/manual_call.h"

#include "shardwright/compile/registration.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <limits>

using namespace mlir;
using namespace shardwright;

namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

/// A main function that permutes its argument on each of the channels.
std::string permutes(ArrayRef<int64_t> channels) {
  std::string text = "func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {\n";
  for (auto [i, channel] : llvm::enumerate(channels))
    text += "%" + std::to_string(i + 1) +
            " = \"stablehlo.collective_permute\"(%" + std::to_string(i) +
            ") <{channel_handle = #stablehlo.channel_handle<handle = " +
            std::to_string(channel) +
            ", type = 1>, source_target_pairs = dense<[[0, 1]]> : "
            "tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>\n";
  return text + "return %" + std::to_string(channels.size()) +
         " : tensor<4xf32>\n}\n";
}

std::vector<int64_t> channelsIn(Operation *root) {
  std::vector<int64_t> channels;
  root->walk([&](stablehlo::CollectivePermuteOp op) {
    channels.push_back(op.getChannelHandle()->getHandle());
  });
  return channels;
}

/// The channels of a body after it has moved into a program with other ones.
std::vector<int64_t> movedChannels(ArrayRef<int64_t> ofProgram,
                                   ArrayRef<int64_t> ofBody) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadDialect<sdy::SdyDialect>();
  auto program = parseSourceString<ModuleOp>(permutes(ofProgram), &context);
  auto body = parseSourceString<ModuleOp>(permutes(ofBody), &context);
  if (!program || !body) {
    ADD_FAILURE() << "the modules do not parse";
    return {};
  }
  func::FuncOp main = sdy::getMainFunc(*body);
  Operation *call =
      sdy::getMainFunc(*program).getBody().front().getTerminator();
  OperationState state(call->getLoc(),
                       sdy::ManualComputationOp::getOperationName());
  state.addRegion();
  OwningOpRef<Operation *> manual = Operation::create(state);
  Block &block = manual->getRegion(0).emplaceBlock();
  block.addArguments(main.getArgumentTypes(), {call->getLoc()});
  moveBody(*body, main, main.getBody().front(), call, block);
  std::vector<int64_t> channels;
  for (Operation &op : block)
    for (int64_t channel : channelsIn(&op))
      channels.push_back(channel);
  return channels;
}

TEST(MoveBody, RenumbersChannels) {
  EXPECT_THAT(movedChannels({5, 2}, {1, 9, 1}), testing::ElementsAre(6, 7, 6));
  EXPECT_THAT(
      movedChannels({5, kLargest}, {1, kLargest, kLargest - 1, kLargest}),
      testing::ElementsAre(6, 7, 8, 7));
}

} // namespace
