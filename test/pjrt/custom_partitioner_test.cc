//===- custom_partitioner_test.cc - partitioners of a C client ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that JAX's Python cannot make: callbacks of a custom partitioner that
// return invalid results.
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/custom_partitioner.h"
#include "test/pjrt/plugin.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace shardwright::pjrt_test;
using testing::HasSubstr;

namespace {

PJRT_Custom_Partitioner_Extension *partitioners() {
  return findExtension<PJRT_Custom_Partitioner_Extension>(2);
}

/// The data that the callbacks received, and their results.
struct Partitioner {
  JAX_CustomCallPartitioner_Callbacks callbacks = {};
  std::string shape, sharding, config;
  std::string module, error, answered;
  int cleaned = 0;
};
Partitioner partitioner;

void partition(JAX_CustomCallPartitioner_Callbacks *,
               JAX_CustomCallPartitioner_Partition_Args *args) {
  auto text = [](JAX_CustomCallPartitioner_string s) {
    return std::string(s.data, s.size);
  };
  partitioner.shape = text(args->op_args[0].shape);
  partitioner.sharding = text(args->op_args[0].sharding);
  partitioner.config = text(args->backend_config);
  args->header.data = &partitioner;
  args->header.cleanup_fn = [](void *data) {
    ++static_cast<Partitioner *>(data)->cleaned;
  };
  if (!partitioner.error.empty()) {
    args->header.has_error = true;
    args->header.code = PJRT_Error_Code_ABORTED;
    args->header.error_msg = {partitioner.error.data(),
                              partitioner.error.size()};
    return;
  }
  args->mlir_module = {partitioner.module.data(), partitioner.module.size()};
  partitioner.answered = partitioner.sharding;
  args->args_sharding[0] = {partitioner.answered.data(),
                            partitioner.answered.size()};
  args->result_sharding = args->args_sharding[0];
}

/// A function on 8 numbers in two halves.
constexpr const char *halves = R"(module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %y = stablehlo.custom_call @ffi_test_halves(%x) {backend_config = "key",
      sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
})";

class PjrtPartitioner : public testing::Test {
protected:
  void SetUp() override {
    partitioner = {};
    partitioner.callbacks.partition = partition;
    auto args = make<PJRT_Register_Custom_Partitioner_Args>();
    args.name = "ffi_test_halves";
    args.name_size = std::strlen(args.name);
    args.callbacks = &partitioner.callbacks;
    ASSERT_TRUE(take(partitioners()->register_custom_partitioner(&args)).ok());
  }
  Outcome compile() {
    TestClient client(2);
    PJRT_LoadedExecutable *executable = nullptr;
    Outcome outcome = client.compile(halves, partitions(2), executable);
    if (outcome.ok())
      destroy(executable);
    return outcome;
  }
};

TEST_F(PjrtPartitioner, IsAskedWithProtosAndAnswersWithAModule) {
  partitioner.module =
      R"(module { func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = stablehlo.add %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  } })";
  Outcome outcome = compile();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(partitioner.config, "key");
  EXPECT_EQ(partitioner.shape,
            std::string("\x10\x0b\x1a\x01\x08\x2a\x06\x0a\x01\x00\x80\x01\x01"
                        "\x32\x01\x00",
                        16));
  EXPECT_EQ(partitioner.sharding,
            std::string("\x08\x03\x1a\x01\x02\x4a\x01\x02\x52\x01\x00", 11));
  EXPECT_EQ(partitioner.cleaned, 1);
}

TEST_F(PjrtPartitioner, ItsErrorIsTheCompilers) {
  partitioner.error = "cannot be halved";
  Outcome outcome = compile();
  EXPECT_EQ(outcome.code, PJRT_Error_Code_ABORTED);
  EXPECT_THAT(outcome.message, HasSubstr("cannot be halved"));
  EXPECT_EQ(partitioner.cleaned, 1);
}

TEST_F(PjrtPartitioner, NonsenseIsAnError) {
  partitioner.module = "no module";
  EXPECT_FALSE(compile().ok());
  partitioner.module =
      R"(module { func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32> } })";
  EXPECT_THAT(compile().message,
              HasSubstr("has arguments of types ('tensor<8xf32>'), expected "
                        "those of the shards: ('tensor<4xf32>')"));
  partitioner.module = "module { func.func private @f() }";
  EXPECT_THAT(compile().message, HasSubstr("has no function 'main'"));
}

TEST(PjrtPartitioners, RefuseWhatTheyCannotCall) {
  auto args = make<PJRT_Register_Custom_Partitioner_Args>();
  EXPECT_EQ(take(partitioners()->register_custom_partitioner(&args)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  JAX_CustomCallPartitioner_Callbacks callbacks = {};
  callbacks.version = 1;
  args.name = "x";
  args.name_size = 1;
  args.callbacks = &callbacks;
  EXPECT_EQ(take(partitioners()->register_custom_partitioner(&args)).code,
            PJRT_Error_Code_UNIMPLEMENTED);
  callbacks.version = 0;
  EXPECT_EQ(take(partitioners()->register_custom_partitioner(&args)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  auto batch = make<PJRT_Register_Batch_Partitionable_Args>();
  EXPECT_EQ(take(partitioners()->register_batch_partitionable(&batch)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
}

} // namespace
