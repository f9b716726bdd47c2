//===- torch_xla_test.cc - the plugin as PyTorch/XLA uses it --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "torch_client.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace shardwright::pjrt_test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Doubles a value of five elements over four devices.
constexpr const char *unevenProgram = R"(module @uneven {
  func.func public @main(%x: tensor<5xf32> {mhlo.sharding = "{devices=[4]0,2,1,3}"}) -> tensor<5xf32> {
    %0 = stablehlo.add %x, %x : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
})";

/// Runs on four devices with two elements for each. Returns the results.
Outcome runOnFour(TestClient &client, PJRT_LoadedExecutable *executable,
                  std::vector<std::vector<float>> &results) {
  std::vector<PJRT_Device *> devices = client.devices();
  std::vector<std::vector<float>> shards = {
      {0, 1}, {4, 99}, {2, 3}, {98, 97}}; // in the order 0, 2, 1, 3
  PJRT_Buffer *buffers[4] = {}, *outputs[4] = {};
  PJRT_Buffer *const *argumentLists[4];
  PJRT_Buffer **outputLists[4];
  for (int d = 0; d < 4; ++d) {
    EXPECT_TRUE(client
                    .fromHost(shards[d].data(), PJRT_Buffer_Type_F32, {2},
                              devices[d], buffers[d])
                    .ok());
    argumentLists[d] = &buffers[d];
    outputLists[d] = &outputs[d];
  }
  auto options = make<PJRT_ExecuteOptions>();
  auto args = make<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = argumentLists;
  args.num_devices = 4;
  args.num_args = 1;
  args.output_lists = outputLists;
  Outcome outcome = take(api()->PJRT_LoadedExecutable_Execute(&args));
  for (int d = 0; d < 4; ++d) {
    destroy(buffers[d]);
    if (!outcome.ok())
      continue;
    std::vector<float> &result = results.emplace_back(2, -1.f);
    EXPECT_TRUE(toHost(outputs[d], result).ok());
    destroy(outputs[d]);
  }
  return outcome;
}

TEST(PjrtTorchXla, UnevenArgumentsAndResultsHavePaddedShards) {
  TestClient client(torchClient(4));
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome outcome = client.compile(unevenProgram, partitions(4), executable);
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  std::vector<std::vector<float>> results;
  outcome = runOnFour(client, executable, results);
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_THAT(results[0], ElementsAre(0, 2));
  EXPECT_THAT(results[2], ElementsAre(4, 6));
  EXPECT_THAT(results[1], ElementsAre(8, 0)); // padding is zero
  EXPECT_THAT(results[3], ElementsAre(0, 0));
  destroy(executable);
}

TEST(PjrtTorchXla, OtherClientsHaveNoPaddedShards) {
  TestClient client(4);
  PJRT_LoadedExecutable *executable = nullptr;
  ASSERT_TRUE(client.compile(unevenProgram, partitions(4), executable).ok());
  std::vector<std::vector<float>> results;
  EXPECT_THAT(runOnFour(client, executable, results).message,
              HasSubstr("is f32[5], but was given f32[2]"));
  destroy(executable);
}

/// The text of the program of one device.
std::string optimizedProgram(PJRT_LoadedExecutable *loaded) {
  auto executable = make<PJRT_LoadedExecutable_GetExecutable_Args>();
  executable.loaded_executable = loaded;
  EXPECT_TRUE(
      take(api()->PJRT_LoadedExecutable_GetExecutable(&executable)).ok());
  auto program = make<PJRT_Program>();
  auto args = make<PJRT_Executable_OptimizedProgram_Args>();
  args.executable = executable.executable;
  args.program = &program;
  EXPECT_TRUE(take(api()->PJRT_Executable_OptimizedProgram(&args)).ok());
  std::string text(program.code_size, ' ');
  program.code = text.data();
  EXPECT_TRUE(take(api()->PJRT_Executable_OptimizedProgram(&args)).ok());
  auto destroyed = make<PJRT_Executable_Destroy_Args>();
  destroyed.executable = executable.executable;
  EXPECT_TRUE(take(api()->PJRT_Executable_Destroy(&destroyed)).ok());
  return text;
}

TEST(PjrtTorchXla, TheProgramListsTheDevicesOfItsOutputs) {
  TestClient client(torchClient(4));
  PJRT_LoadedExecutable *loaded = nullptr;
  ASSERT_TRUE(client.compile(unevenProgram, partitions(4), loaded).ok());
  std::string text = optimizedProgram(loaded);
  EXPECT_THAT(text, HasSubstr("mhlo.spmd_output_sharding = "
                              "\"{devices=[4]0,2,1,3}\""));
  EXPECT_THAT(text, HasSubstr("mhlo.spmd_parameters_shardings = "
                              "[\"{devices=[4]0,2,1,3}\"]"));
  destroy(loaded);
}

/// XLA's reader in PyTorch/XLA divides by the size of the groups.
TEST(PjrtTorchXla, TheProgramListsTheGroupsOfAllToAll) {
  TestClient client(torchClient(4));
  PJRT_LoadedExecutable *loaded = nullptr;
  Outcome outcome = client.compile(R"(module {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})",
                                   replicas(4), loaded);
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_THAT(optimizedProgram(loaded), HasSubstr("dense<[[0, 1, 2, 3]]>"));
  destroy(loaded);
}

TEST(PjrtTorchXla, ProgramsAreSaved) {
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() /
                    ("shardwright_saved_" + std::to_string(getpid()));
  setenv("SHARDWRIGHT_SAVE_PROGRAMS", folder.c_str(), 1);
  TestClient client(torchClient(4));
  PJRT_LoadedExecutable *executable = nullptr;
  EXPECT_TRUE(client.compile(unevenProgram, partitions(4), executable).ok());
  destroy(executable);
  std::vector<fs::path> found(fs::directory_iterator(folder), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].filename().string(), HasSubstr("-uneven.mlir"));
  std::stringstream text;
  text << std::ifstream(found[0]).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("mhlo.num_partitions = 4"));
  // A file is no folder.
  setenv("SHARDWRIGHT_SAVE_PROGRAMS", found[0].c_str(), 1);
  EXPECT_THAT(
      client.compile(unevenProgram, partitions(4), executable).message,
      HasSubstr(
          "environment variable SHARDWRIGHT_SAVE_PROGRAMS: cannot write"));
  unsetenv("SHARDWRIGHT_SAVE_PROGRAMS");
  fs::remove_all(folder);
}

} // namespace
