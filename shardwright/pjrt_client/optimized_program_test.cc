//===- optimized_program_test.cc - counting collectives -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/optimized_program.h"

#include "shardwright/mesh/hlo/proto_wire.h"

#include "gtest/gtest.h"

using namespace shardwright;
using namespace shardwright::pjrt_client;

namespace {

std::string array(int64_t type, llvm::ArrayRef<int64_t> dims) {
  ProtoWriter shape;
  shape.varint(2, type);
  shape.packed(3, dims);
  return shape.take();
}
std::string tuple(std::vector<std::string> parts) {
  ProtoWriter shape;
  shape.varint(2, 13);
  for (const std::string &part : parts)
    shape.message(4, part);
  return shape.take();
}
std::string instruction(llvm::StringRef opcode, const std::string &shape) {
  ProtoWriter op;
  op.string(1, "name");
  op.string(2, opcode);
  op.message(3, shape);
  return op.take();
}
std::string module(std::vector<std::string> instructions) {
  ProtoWriter computation;
  computation.string(1, "main");
  for (const std::string &op : instructions)
    computation.message(2, op);
  ProtoWriter module;
  module.string(1, "m");
  module.message(3, computation.take());
  return module.take();
}

TEST(OptimizedProgram, Hlo) {
  std::string f32 = array(11, {4, 8}), bf16 = array(16, {16});
  std::string bytes = module({
      instruction("add", f32),
      instruction("all-reduce", f32),
      instruction("all-reduce", tuple({f32, bf16})),
      instruction("all-gather-start", tuple({bf16, f32})),
      instruction("all-gather-done", f32),
      instruction("collective-permute", array(1, {})),
  });
  auto counts = countCollectives("hlo", bytes);
  ASSERT_TRUE(counts);
  ASSERT_EQ(counts->size(), 3u);
  EXPECT_EQ((*counts)[0].kind, "all-gather");
  EXPECT_EQ((*counts)[0].count, 1);
  EXPECT_EQ((*counts)[0].resultBytes, 128);
  EXPECT_EQ((*counts)[1].kind, "all-reduce");
  EXPECT_EQ((*counts)[1].count, 2);
  EXPECT_EQ((*counts)[1].resultBytes, 128 + 128 + 32);
  EXPECT_EQ((*counts)[2].resultBytes, 1);
  ProtoWriter config;
  config.message(1, bytes);
  auto nested = countCollectives("hlo_with_config", config.take());
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->size(), 3u);
}

TEST(OptimizedProgram, Text) {
  auto counts = countCollectives(
      "mlir", "%0 = \"stablehlo.all_reduce\"(%a)\n%1 = stablehlo.all_to_all\n"
              "stablehlo.all_reduces");
  ASSERT_TRUE(counts);
  ASSERT_EQ(counts->size(), 2u);
  EXPECT_EQ((*counts)[0].count, 1);
}

TEST(OptimizedProgram, Malformed) {
  EXPECT_FALSE(countCollectives("llvm", "x"));
  EXPECT_FALSE(countCollectives("hlo", "\xff\xff"));
  std::string huge =
      module({instruction("all-reduce", array(11, {1LL << 40, 1LL << 40}))});
  EXPECT_FALSE(countCollectives("hlo", huge));
  std::string negative = module({instruction("all-reduce", array(11, {-4}))});
  EXPECT_FALSE(countCollectives("hlo", negative));
  // Every prefix of a module is read without a crash.
  std::string whole = module({instruction("all-reduce", array(11, {4}))});
  for (size_t size = 0; size < whole.size(); ++size)
    (void)countCollectives("hlo", llvm::StringRef(whole).take_front(size));
}

} // namespace
