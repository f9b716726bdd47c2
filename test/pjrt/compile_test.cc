//===- compile_test.cc - what compiled programs say of themselves ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <limits>

using namespace shardwright::pjrt_test;

namespace {

PJRT_LoadedExecutable *compile(TestClient &client, const std::string &options) {
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome outcome = client.compile(R"(module {
    func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
  })",
                                   options, executable);
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return executable;
}

std::string fingerprint(TestClient &client, const std::string &options) {
  PJRT_LoadedExecutable *executable = compile(client, options);
  auto args = make<PJRT_LoadedExecutable_Fingerprint_Args>();
  args.executable = executable;
  EXPECT_TRUE(take(api()->PJRT_LoadedExecutable_Fingerprint(&args)).ok());
  std::string text(args.executable_fingerprint,
                   args.executable_fingerprint_size);
  destroy(executable);
  return text;
}

std::string serialized(TestClient &client, const std::string &options) {
  PJRT_LoadedExecutable *loaded = compile(client, options);
  auto executable = make<PJRT_LoadedExecutable_GetExecutable_Args>();
  executable.loaded_executable = loaded;
  EXPECT_TRUE(
      take(api()->PJRT_LoadedExecutable_GetExecutable(&executable)).ok());
  auto args = make<PJRT_Executable_Serialize_Args>();
  args.executable = executable.executable;
  EXPECT_TRUE(take(api()->PJRT_Executable_Serialize(&args)).ok());
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  auto destroyed = make<PJRT_Executable_Destroy_Args>();
  destroyed.executable = executable.executable;
  EXPECT_TRUE(take(api()->PJRT_Executable_Destroy(&destroyed)).ok());
  destroy(loaded);
  return bytes;
}

/// A field of a message: number, and bytes with their length in front.
std::string field(int number, const std::string &bytes) {
  return char(number << 3 | 2) + std::string(1, char(bytes.size())) + bytes;
}

/// env_option_overrides 7: {name 1, value 2: {string_field 1}}.
std::string option(const std::string &name, const std::string &value) {
  return field(7, field(1, name) + field(2, field(1, value)));
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7)
    bytes += char(value & 127 | 128);
  return bytes + char(value);
}

/// executable_build_options 3: {num_partitions 5, device_assignment 9}, with
/// one device for each partition.
std::string assignment(std::initializer_list<int64_t> ids) {
  std::string proto = "\x08\x01\x10" + varint(ids.size());
  for (int64_t id : ids)
    proto += field(3, field(1, varint(id)));
  return field(3, "\x28" + varint(ids.size()) + field(9, proto));
}

TEST(PjrtCompile, RefusesDevicesOfAnyIdThatItLacks) {
  TestClient client(2);
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  auto refusal = [&](std::initializer_list<int64_t> ids) {
    PJRT_LoadedExecutable *executable = nullptr;
    Outcome outcome = client.compile(R"(module {
      func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        return %x : tensor<4xf32>
      }
    })",
                                     assignment(ids), executable);
    EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
    return outcome.message;
  };
  EXPECT_THAT(
      refusal({0, largest}),
      testing::HasSubstr(
          "has device 9223372036854775807, devices are numbered from 0 to 1"));
  EXPECT_THAT(
      refusal({largest - 1, largest}),
      testing::HasSubstr("has device 9223372036854775806, devices are"));
  EXPECT_THAT(refusal({largest, largest}),
              testing::HasSubstr("has device 9223372036854775807 twice"));
  EXPECT_THAT(
      refusal({0, std::numeric_limits<int64_t>::min()}),
      testing::HasSubstr("has device -9223372036854775808, devices are"));
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

// JAX's AUTO before 0.10.1: use_auto_spmd_partitioning 7 and the shape of the
// mesh 16, among executable_build_options 3.
TEST(PjrtCompile, FingerprintsDependOnAutomaticSharding) {
  TestClient client(2);
  std::string numPartitions = "\x28\x02", usesAuto = "\x38\x01",
              shape = std::string("\x82\x01\x01\x02");
  std::string without = fingerprint(client, field(3, numPartitions));
  EXPECT_EQ(fingerprint(client, partitions(2)), without);
  EXPECT_NE(fingerprint(client, field(3, numPartitions + usesAuto + shape)),
            without);
  std::string other = std::string("\x82\x01\x02\x01\x02");
  EXPECT_NE(fingerprint(client, field(3, numPartitions + usesAuto + shape)),
            fingerprint(client, field(3, numPartitions + usesAuto + other)));
  // A shape without use is ignored.
  EXPECT_EQ(fingerprint(client, field(3, numPartitions + shape)), without);
}

TEST(PjrtCompile, SerializedBytesDoNotDependOnTheOrderOfOptions) {
  TestClient client(2);
  std::string effort = option("shardwright_partition_effort", "1"),
              threads = option("shardwright_compile_threads", "1");
  // executable_build_options 3: {debug_options 3: {xla_backend_extra_options
  // 357: {key 1, value 2}}}, whose tag is 0xaa 0x16.
  auto extra = [](const std::string &name, const std::string &value) {
    std::string entry = field(1, name) + field(2, value);
    return "\xaa\x16" + std::string(1, char(entry.size())) + entry;
  };
  auto build = [&](const std::string &debugOptions) {
    return field(3, "\x28\x02" + field(3, debugOptions));
  };
  std::string a = extra("a", "long value"), b = extra("b", "1"),
              c = extra("c", "");
  std::string first = serialized(client, build(a + b + c) + effort + threads);
  EXPECT_EQ(serialized(client, build(c + a + b) + threads + effort), first);
  EXPECT_EQ(serialized(client, build(b + c + a) + effort + threads), first);
  EXPECT_NE(serialized(client, build(a + b) + effort + threads), first);
}

} // namespace
