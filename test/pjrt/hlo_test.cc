//===- hlo_test.cc - programs in the formats of HLO -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

using namespace shardwright::pjrt_test;

namespace {

std::string proto(const std::string &name) {
  std::ifstream file(HLO_PROTOS + name + ".pb", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

std::string varint(size_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += char(value | 0x80);
  return bytes + char(value);
}

/// A HloModuleProtoWithConfig with an empty configuration.
std::string withConfig(const std::string &module) {
  return "\x0a" + varint(module.size()) + module + std::string("\x12\0", 2);
}

/// x - y of `layouts.hlo`, whose first parameter and result are column-major in
/// the proto: clients pass and get row-major arrays nevertheless.
void runDifference(const std::string &code, const std::string &format) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome compiled = client.compile(code, partitions(1), executable, format);
  ASSERT_TRUE(compiled.ok()) << compiled.message;
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = {10, 20, 30, 40, 50, 60},
                     found(6);
  PJRT_Buffer *a = nullptr, *b = nullptr, *output = nullptr;
  PJRT_Device *device = client.devices()[0];
  ASSERT_TRUE(
      client.fromHost(x.data(), PJRT_Buffer_Type_F32, {2, 3}, device, a).ok());
  ASSERT_TRUE(
      client.fromHost(y.data(), PJRT_Buffer_Type_F32, {2, 3}, device, b).ok());
  Outcome ran = run(executable, {a, b}, output);
  ASSERT_TRUE(ran.ok()) << ran.message;
  ASSERT_TRUE(toHost(output, found).ok());
  EXPECT_EQ(found, (std::vector<float>{-9, -18, -27, -36, -45, -54}));
  // The proto's alias donates the first argument.
  auto deleted = make<PJRT_Buffer_IsDeleted_Args>();
  deleted.buffer = a;
  ASSERT_TRUE(take(api()->PJRT_Buffer_IsDeleted(&deleted)).ok());
  EXPECT_TRUE(deleted.is_deleted);
  for (PJRT_Buffer *buffer : {a, b, output})
    destroy(buffer);
  destroy(executable);
}

TEST(PjrtHlo, RunsModules) { runDifference(proto("layouts"), "hlo"); }

TEST(PjrtHlo, RunsModulesWithConfigurations) {
  runDifference(withConfig(proto("layouts")), "hlo_with_config");
}

TEST(PjrtHlo, DoesNotGuessTheFormat) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  std::string module = proto("layouts");
  for (auto [code, format] :
       {std::pair(withConfig(module), "hlo"),
        std::pair(module, "hlo_with_config"), std::pair(module, "HLO")}) {
    Outcome outcome = client.compile(code, partitions(1), executable, format);
    EXPECT_FALSE(outcome.ok()) << format;
  }
}

TEST(PjrtHlo, RefusesMalformedModulesWithAReason) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  std::string module = proto("layouts");
  for (size_t size :
       {size_t(0), size_t(1), module.size() / 2, module.size() - 1}) {
    Outcome outcome = client.compile(module.substr(0, size), partitions(1),
                                     executable, "hlo");
    EXPECT_FALSE(outcome.ok()) << size;
    EXPECT_NE(outcome.message.find("malformed HLO"), std::string::npos)
        << outcome.message;
  }
}

std::string number(int field, size_t value) {
  return varint(field << 3) + varint(value);
}
std::string bytes(int field, const std::string &value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}

/// An instruction on f32[4]: name 1, opcode 2, shape 3, id 35, operand_ids 36.
std::string instruction(const std::string &opcode, int id,
                        const std::string &operands) {
  return bytes(1, opcode) + bytes(2, opcode) +
         bytes(3, number(2, 11) + bytes(3, "\4")) + number(35, id) +
         bytes(36, operands);
}

/// Without groups in the proto, all replicas of the compile options exchange.
TEST(PjrtHlo, ExchangesAmongTheReplicasOfTheOptions) {
  std::string exchange =
      instruction("all-to-all", 2, "\1") + bytes(14, std::string(1, '\0'));
  std::string main = bytes(1, "main") +
                     bytes(2, instruction("parameter", 1, "")) +
                     bytes(2, exchange) + number(5, 1) + number(6, 2);
  std::string module = bytes(1, "m") + bytes(3, main) + number(6, 1);
  TestClient client(2);
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome compiled = client.compile(
      module, std::string({0x1a, 4, 0x20, 2, 0x28, 1}), executable, "hlo");
  ASSERT_TRUE(compiled.ok()) << compiled.message;
  std::vector<float> values[2] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  PJRT_Buffer *inputs[2] = {}, *outputs[2] = {};
  PJRT_Buffer *const *argumentLists[2] = {&inputs[0], &inputs[1]};
  PJRT_Buffer **outputLists[2] = {&outputs[0], &outputs[1]};
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(client
                    .fromHost(values[i].data(), PJRT_Buffer_Type_F32, {4},
                              client.devices()[i], inputs[i])
                    .ok());
  auto options = make<PJRT_ExecuteOptions>();
  auto args = make<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = argumentLists;
  args.num_devices = 2;
  args.num_args = 1;
  args.output_lists = outputLists;
  Outcome ran = take(api()->PJRT_LoadedExecutable_Execute(&args));
  ASSERT_TRUE(ran.ok()) << ran.message;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(toHost(outputs[i], values[i]).ok());
    destroy(inputs[i]);
    destroy(outputs[i]);
  }
  EXPECT_EQ(values[0], (std::vector<float>{0, 1, 4, 5}));
  EXPECT_EQ(values[1], (std::vector<float>{2, 3, 6, 7}));
  destroy(executable);
}

/// The shardings of the proto are those that a client reads back.
TEST(PjrtHlo, AnswersTheShardingOfOutputs) {
  TestClient client(2);
  PJRT_LoadedExecutable *loaded = nullptr;
  Outcome compiled =
      client.compile(proto("sharded"), partitions(2), loaded, "hlo");
  ASSERT_TRUE(compiled.ok()) << compiled.message;
  auto got = make<PJRT_LoadedExecutable_GetExecutable_Args>();
  got.loaded_executable = loaded;
  ASSERT_TRUE(take(api()->PJRT_LoadedExecutable_GetExecutable(&got)).ok());
  auto dims = make<PJRT_Executable_OutputDimensions_Args>();
  dims.executable = got.executable;
  ASSERT_TRUE(take(api()->PJRT_Executable_OutputDimensions(&dims)).ok());
  ASSERT_EQ(dims.num_outputs, 1u);
  EXPECT_EQ(dims.dims[0], 1); // rows of a device
  EXPECT_EQ(dims.dims[1], 3);
  // Clients read the program back to learn its results.
  auto program = make<PJRT_Program>();
  auto optimized = make<PJRT_Executable_OptimizedProgram_Args>();
  optimized.executable = got.executable;
  optimized.program = &program;
  ASSERT_TRUE(take(api()->PJRT_Executable_OptimizedProgram(&optimized)).ok());
  EXPECT_EQ(std::string(program.format, program.format_size), "mlir");
  EXPECT_GT(program.code_size, 0u);
  auto destroyed = make<PJRT_Executable_Destroy_Args>();
  destroyed.executable = got.executable;
  take(api()->PJRT_Executable_Destroy(&destroyed));
  destroy(loaded);
}

} // namespace
