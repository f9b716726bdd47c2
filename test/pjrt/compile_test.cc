//===- compile_test.cc - what compiled programs say of themselves ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "gtest/gtest.h"

using namespace shardwright::pjrt_test;

namespace {

std::string fingerprint(TestClient &client, const std::string &options) {
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome outcome = client.compile(R"(module {
    func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
  })",
                                   options, executable);
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  auto args = make<PJRT_LoadedExecutable_Fingerprint_Args>();
  args.executable = executable;
  EXPECT_TRUE(take(api()->PJRT_LoadedExecutable_Fingerprint(&args)).ok());
  std::string text(args.executable_fingerprint,
                   args.executable_fingerprint_size);
  destroy(executable);
  return text;
}

/// A field of a message: number, and bytes with their length in front.
std::string field(int number, const std::string &bytes) {
  return char(number << 3 | 2) + std::string(1, char(bytes.size())) + bytes;
}

/// env_option_overrides 7: {name 1, value 2: {string_field 1}}.
std::string option(const std::string &name, const std::string &value) {
  return field(7, field(1, name) + field(2, field(1, value)));
}

// The same options come in another order in each process of a job.
TEST(PjrtCompile, FingerprintsDoNotDependOnTheOrderOfOptions) {
  TestClient client(2);
  std::string effort = option("shardwright_partition_effort", "1"),
              threads = option("shardwright_compile_threads", "1");
  std::string first = fingerprint(client, partitions(2) + effort + threads);
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(fingerprint(client, threads + effort + partitions(2)), first);
  EXPECT_NE(fingerprint(client, partitions(1) + effort + threads), first);
  EXPECT_NE(fingerprint(client, partitions(2) + threads), first);
  EXPECT_NE(
      fingerprint(client, partitions(2) + threads +
                              option("shardwright_partition_effort", "2")),
      first);
}

} // namespace
