//===- robustness_test.cc - invalid calls by clients ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace shardwright::pjrt_test;
using testing::HasSubstr;

namespace {

TEST(PjrtTable, IsTheVersionThatItSays) {
  EXPECT_EQ(api()->struct_size, 1144u);
  EXPECT_EQ(api()->pjrt_api_version.major_version, 0);
  EXPECT_EQ(api()->pjrt_api_version.minor_version, 116);
#define SLOT(name) EXPECT_NE(api()->PJRT_##name, nullptr);
  PJRT_API_VOID_SLOTS(SLOT)
  PJRT_API_SLOTS(SLOT)
#undef SLOT
}

// Calls every function with arguments that are all zero except for their size,
// and with a null pointer. None may crash; only a few may succeed.
TEST(PjrtTable, TakesNothingForAnArgument) {
#define SLOT(name)                                                             \
  {                                                                            \
    auto args = make<PJRT_##name##_Args>();                                    \
    take(api()->PJRT_##name(&args));                                           \
    take(api()->PJRT_##name(nullptr));                                         \
  }
  PJRT_API_SLOTS(SLOT)
#undef SLOT
  api()->PJRT_Error_Destroy(nullptr);
  api()->PJRT_Error_Message(nullptr);
}

TEST(PjrtTable, RefusesStructsOfOlderClients) {
#define SLOT(name)                                                             \
  if (std::string(#name) != "Error_GetCode" &&                                 \
      std::string(#name) != "Error_ForEachPayload") {                          \
    auto args = make<PJRT_##name##_Args>();                                    \
    args.struct_size = 8;                                                      \
    Outcome outcome = take(api()->PJRT_##name(&args));                         \
    EXPECT_TRUE(outcome.code == PJRT_Error_Code_INVALID_ARGUMENT ||            \
                outcome.code == PJRT_Error_Code_UNIMPLEMENTED)                 \
        << #name;                                                              \
    EXPECT_THAT(outcome.message, HasSubstr("PJRT_" #name));                    \
  }
  PJRT_API_SLOTS(SLOT)
#undef SLOT
}

TEST(PjrtTable, TakesStructsOfNewerClients) {
  TestClient client(2);
  struct {
    PJRT_Client_Devices_Args args;
    void *more[4];
  } newer = {};
  newer.args.struct_size = sizeof(newer);
  newer.args.client = client.client;
  EXPECT_TRUE(take(api()->PJRT_Client_Devices(&newer.args)).ok());
  EXPECT_EQ(newer.args.num_devices, 2u);
}

// No function writes behind the struct that it knows, or that it was given.
TEST(PjrtTable, WritesOnlyInsideTheStructsOfItsCallers){
#define SLOT(name)                                                             \
  {                                                                            \
    struct {                                                                   \
      PJRT_##name##_Args args;                                                 \
      unsigned char more[64];                                                  \
    } newer = {};                                                              \
    std::memset(newer.more, 0x5a, sizeof(newer.more));                         \
    newer.args.struct_size = sizeof(newer);                                    \
    take(api()->PJRT_##name(&newer.args));                                     \
    for (unsigned char byte : newer.more)                                      \
      ASSERT_EQ(byte, 0x5a) << #name;                                          \
  }
    PJRT_API_SLOTS(SLOT)
#undef SLOT
}

// The struct ends at 185 in PJRT 0.115 and older, at 201 in 0.116.
TEST(PjrtDevice, ReportsMemoryToOlderAndNewerClients) {
  TestClient client(1);
  float data[4] = {};
  PJRT_Buffer *buffer = nullptr;
  ASSERT_TRUE(client
                  .fromHost(data, PJRT_Buffer_Type_F32, {4},
                            client.devices()[0], buffer)
                  .ok());
  constexpr size_t newField =
      offsetof(PJRT_Device_MemoryStats_Args, peak_allocated_bytes);
  for (size_t size : {185, 192, 201, 208, 240}) {
    struct {
      PJRT_Device_MemoryStats_Args args;
      unsigned char more[32];
    } given;
    std::memset(&given, 0x5a, sizeof(given));
    given.args.struct_size = size;
    given.args.extension_start = nullptr;
    given.args.device = client.devices()[0];
    Outcome outcome = take(api()->PJRT_Device_MemoryStats(&given.args));
    ASSERT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_EQ(given.args.bytes_in_use, 16);
    EXPECT_FALSE(given.args.peak_bytes_in_use_is_set);
    EXPECT_FALSE(given.args.peak_pool_bytes_is_set);
    auto *bytes = reinterpret_cast<unsigned char *>(&given);
    if (size < newField + 9)
      EXPECT_EQ(bytes[size], 0x5a) << size;
    else
      EXPECT_FALSE(given.args.peak_allocated_bytes_is_set) << size;
    EXPECT_EQ(bytes[sizeof(given.args)], 0x5a) << size;
  }
  auto tooShort = make<PJRT_Device_MemoryStats_Args>();
  tooShort.struct_size = 184;
  tooShort.device = client.devices()[0];
  EXPECT_THAT(take(api()->PJRT_Device_MemoryStats(&tooShort)).message,
              HasSubstr("struct_size is 184, expected at least 185"));
  destroy(buffer);
}

// Passes pointers to foreign objects at every place that takes a handle.
TEST(PjrtTable, RefusesForeignPointers) {
  alignas(64) char foreign[4096];
  std::memset(foreign, 0x5a, sizeof(foreign));
#define SLOT(name)                                                             \
  if (std::string(#name).rfind("Error_", 0) != 0) {                            \
    auto args = make<PJRT_##name##_Args>();                                    \
    if (sizeof(args) > 16) {                                                   \
      void *pointer = foreign;                                                 \
      std::memcpy(reinterpret_cast<char *>(&args) + 16, &pointer,              \
                  sizeof(pointer));                                            \
    }                                                                          \
    take(api()->PJRT_##name(&args));                                           \
  }
  PJRT_API_SLOTS(SLOT)
#undef SLOT
}

TEST(PjrtClient, RefusesOptionsThatItDoesNotKnow) {
  auto option = make<PJRT_NamedValue>();
  option.name = "colour";
  option.name_size = 6;
  option.type = PJRT_NamedValue_kInt64;
  auto args = make<PJRT_Client_Create_Args>();
  args.create_options = &option;
  args.num_options = 1;
  EXPECT_THAT(take(api()->PJRT_Client_Create(&args)).message,
              HasSubstr("there is no option 'colour'"));
  option.name = "num_devices";
  option.name_size = 11;
  option.int64_value = -3;
  EXPECT_THAT(take(api()->PJRT_Client_Create(&args)).message,
              HasSubstr("is '-3', expected a number from 1"));
}

TEST(PjrtBuffer, ReportsTheSizesOfTheClientsVersion) {
  auto option = make<PJRT_NamedValue>();
  option.name = "packed_sizes";
  option.name_size = 12;
  option.type = PJRT_NamedValue_kBool;
  option.value_size = 1;
  auto create = make<PJRT_Client_Create_Args>();
  create.create_options = &option;
  create.num_options = 1;
  ASSERT_TRUE(take(api()->PJRT_Client_Create(&create)).ok());
  TestClient newer(1), older(create.client);
  int8_t data[15] = {};
  const std::tuple<PJRT_Buffer_Type, size_t, size_t> sizes[] = {
      {PJRT_Buffer_Type_S2, 4, 15},        {PJRT_Buffer_Type_U4, 8, 15},
      {PJRT_Buffer_Type_F4E2M1FN, 8, 15},  {PJRT_Buffer_Type_PRED, 15, 15},
      {PJRT_Buffer_Type_F6E2M3FN, 15, 15}, {PJRT_Buffer_Type_S8, 15, 15}};
  for (auto [type, packed, unpacked] : sizes)
    for (auto [client, size] :
         {std::pair(&newer, packed), {&older, unpacked}}) {
      PJRT_Buffer *buffer = nullptr;
      ASSERT_TRUE(
          client->fromHost(data, type, {3, 5}, client->devices()[0], buffer)
              .ok());
      auto args = make<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
      args.buffer = buffer;
      ASSERT_TRUE(take(api()->PJRT_Buffer_OnDeviceSizeInBytes(&args)).ok());
      EXPECT_EQ(args.on_device_size_in_bytes, size) << "type " << type;
      EXPECT_TRUE(destroy(buffer).ok());
    }
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = 7;
  EXPECT_THAT(take(api()->PJRT_Client_Create(&create)).message,
              HasSubstr("'packed_sizes' is '7', expected true or false"));
}

TEST(PjrtBuffer, EndsWhenItIsDestroyed) {
  TestClient client(1);
  float data[4] = {1, 2, 3, 4};
  PJRT_Buffer *buffer = nullptr;
  ASSERT_TRUE(client
                  .fromHost(data, PJRT_Buffer_Type_F32, {4},
                            client.devices()[0], buffer)
                  .ok());
  std::vector<float> back(4);
  EXPECT_TRUE(toHost(buffer, back).ok());
  EXPECT_EQ(back, (std::vector<float>{1, 2, 3, 4}));
  std::vector<float> small(3);
  EXPECT_THAT(toHost(buffer, small).message, HasSubstr("has 12 bytes"));
  EXPECT_TRUE(destroy(buffer).ok());
  EXPECT_THAT(destroy(buffer).message, HasSubstr("destroyed already"));
  EXPECT_THAT(toHost(buffer, back).message, HasSubstr("has been destroyed"));
}

TEST(PjrtBuffer, RefusesShapesThatNoMemoryHolds) {
  TestClient client(1);
  PJRT_Device *device = client.devices()[0];
  float data[4] = {};
  PJRT_Buffer *buffer = nullptr;
  for (std::vector<int64_t> dims :
       {std::vector<int64_t>{-1}, {INT64_MAX, 2}, {INT64_MAX / 4, 8, 8}})
    EXPECT_EQ(
        client.fromHost(data, PJRT_Buffer_Type_F32, dims, device, buffer).code,
        PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(
      client.fromHost(data, PJRT_Buffer_Type(77), {4}, device, buffer).code,
      PJRT_Error_Code_UNIMPLEMENTED);
}

// Types 32 and 33 are new in PJRT 0.114. The host has one byte per element.
TEST(PjrtBuffer, HoldsNarrowElements) {
  TestClient client(1);
  std::vector<int8_t> data(15, 1), back(15);
  for (PJRT_Buffer_Type type :
       {PJRT_Buffer_Type_S2, PJRT_Buffer_Type_S4, PJRT_Buffer_Type_F4E2M1FN,
        PJRT_Buffer_Type_F6E2M3FN, PJRT_Buffer_Type_F6E3M2FN}) {
    PJRT_Buffer *buffer = nullptr;
    ASSERT_TRUE(
        client.fromHost(data.data(), type, {3, 5}, client.devices()[0], buffer)
            .ok())
        << type;
    auto element = make<PJRT_Buffer_ElementType_Args>();
    element.buffer = buffer;
    ASSERT_TRUE(take(api()->PJRT_Buffer_ElementType(&element)).ok());
    EXPECT_EQ(element.type, type);
    EXPECT_TRUE(toHost(buffer, back).ok()) << type;
    EXPECT_EQ(back, data) << type;
    destroy(buffer);
  }
}

TEST(PjrtBuffer, MayBeUsedFromManyThreads) {
  TestClient client(4);
  auto devices = client.devices();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        std::vector<int32_t> data(64, t * 1000 + i), back(64);
        PJRT_Buffer *buffer = nullptr;
        wrong += !client
                      .fromHost(data.data(), PJRT_Buffer_Type_S32, {64},
                                devices[t % 4], buffer)
                      .ok();
        wrong += !toHost(buffer, back).ok() || back != data;
        wrong += !destroy(buffer).ok();
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

constexpr const char *addOne = R"(module @add_one {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %y = stablehlo.add %x, %one : tensor<4xf32>
    return %y : tensor<4xf32>
  }
})";

TEST(PjrtExecutable, OutlivesItsHandlesWhileItRuns) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome compiled = client.compile(addOne, "", executable);
  ASSERT_TRUE(compiled.ok()) << compiled.message;
  float data[4] = {1, 2, 3, 4};
  PJRT_Buffer *argument = nullptr, *output = nullptr;
  client.fromHost(data, PJRT_Buffer_Type_F32, {4}, client.devices()[0],
                  argument);
  ASSERT_TRUE(run(executable, {argument}, output).ok());
  EXPECT_TRUE(destroy(argument).ok());
  EXPECT_TRUE(destroy(executable).ok());
  std::vector<float> result(4);
  EXPECT_TRUE(toHost(output, result).ok());
  EXPECT_EQ(result, (std::vector<float>{2, 3, 4, 5}));
  EXPECT_FALSE(run(executable, {argument}, output).ok());
}

// The memory of results is freed by their last user, which is the run.
TEST(PjrtExecutable, RunsOnWhenItsResultsAreDropped) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome compiled = client.compile(R"(module {
    func.func @main(%x: tensor<8388608xf32>) -> (tensor<8388608xf32>, tensor<f32>) {
      %a = stablehlo.exponential %x : tensor<8388608xf32>
      %b = stablehlo.tanh %a : tensor<8388608xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8388608xf32>, tensor<f32>) -> tensor<f32>
      return %b, %sum : tensor<8388608xf32>, tensor<f32>
    }
  })",
                                    "", executable);
  ASSERT_TRUE(compiled.ok()) << compiled.message;
  std::vector<float> data(8388608, 0.5f);
  PJRT_Buffer *argument = nullptr;
  client.fromHost(data.data(), PJRT_Buffer_Type_F32, {8388608},
                  client.devices()[0], argument);
  for (int i = 0; i < 5; ++i) {
    PJRT_Buffer *outputs[2] = {};
    PJRT_Buffer **outputList = outputs;
    PJRT_Buffer *const *argumentList = &argument;
    auto args = make<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable;
    args.argument_lists = &argumentList;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = &outputList;
    ASSERT_TRUE(take(api()->PJRT_LoadedExecutable_Execute(&args)).ok());
    EXPECT_TRUE(destroy(outputs[0]).ok());
    std::vector<float> sum(1);
    EXPECT_TRUE(toHost(outputs[1], sum).ok());
    EXPECT_NEAR(sum[0] / 8388608, 0.92868f, 1e-3);
    EXPECT_TRUE(destroy(outputs[1]).ok());
  }
  destroy(argument);
  destroy(executable);
}

TEST(PjrtExecutable, RefusesArgumentsThatDoNotFit) {
  TestClient client(2);
  PJRT_LoadedExecutable *executable = nullptr;
  ASSERT_TRUE(client.compile(addOne, "", executable).ok());
  float data[8] = {};
  auto devices = client.devices();
  PJRT_Buffer *wrongShape, *wrongType, *wrongDevice, *right, *output = nullptr;
  client.fromHost(data, PJRT_Buffer_Type_F32, {8}, devices[0], wrongShape);
  client.fromHost(data, PJRT_Buffer_Type_S32, {4}, devices[0], wrongType);
  client.fromHost(data, PJRT_Buffer_Type_F32, {4}, devices[1], wrongDevice);
  client.fromHost(data, PJRT_Buffer_Type_F32, {4}, devices[0], right);
  EXPECT_THAT(run(executable, {wrongShape}, output).message,
              HasSubstr("is f32[4], but was given f32[8]"));
  EXPECT_THAT(run(executable, {wrongType}, output).message,
              HasSubstr("but was given i32[4]"));
  EXPECT_THAT(run(executable, {wrongDevice}, output).message,
              HasSubstr("was given a buffer of device 1"));
  EXPECT_THAT(run(executable, {}, output).message,
              HasSubstr("takes 1 arguments, but was given 0"));
  EXPECT_THAT(run(executable, {right, right}, output).message,
              HasSubstr("takes 1 arguments, but was given 2"));
  EXPECT_THAT(run(executable, {nullptr}, output).message,
              HasSubstr("the argument is a null pointer"));
  EXPECT_THAT(run(executable, {right}, output, 2).message,
              HasSubstr("given arguments of 2"));
  for (PJRT_Buffer *buffer : {wrongShape, wrongType, wrongDevice, right})
    destroy(buffer);
  destroy(executable);
}

// The process belongs to the client and must continue.
TEST(PjrtCompile, RefusesProgramsThatNestOrGrowWithoutBound) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  auto repeat = [](const std::string &text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i)
      all += text;
    return all;
  };
  auto refused = [&](const std::string &program) {
    Outcome outcome = client.compile(program, "", executable);
    EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
    return outcome.message;
  };
  for (const char *open : {"module {", "module attributes {a.b = [", "\"f\"(",
                           "func.func @f() -> tuple<", "[", "<"}) {
    EXPECT_THAT(refused(repeat(open, 50000)),
                HasSubstr("nests deeper than the limit"));
  }
  EXPECT_THAT(refused("module attributes {a.b = [" + repeat("[", 7500) +
                      repeat("]", 7500) + "]} {}"),
              HasSubstr("nests deeper than the limit"));
  EXPECT_THAT(refused("func.func @main(%x: tensor<" + repeat("1x", 100000) +
                      "f32>) { return }"),
              HasSubstr("at most 1024 dimensions"));
  std::string calls = "func.func @main() { call @f0() : () -> () return }\n";
  for (int i = 0; i < 40; ++i) {
    std::string next = "call @f" + std::to_string(i + 1) + "() : () -> () ";
    calls += "func.func private @f" + std::to_string(i) + "() { " +
             (i < 39 ? next + next : "") + "return }\n";
  }
  EXPECT_THAT(refused(calls), HasSubstr("grows beyond the limit"));
  // Terminal control sequences must not appear in an exception's text.
  EXPECT_THAT(refused("\x1b[31m"), testing::Not(HasSubstr("\x1b")));
  ASSERT_TRUE(client.compile(addOne, "", executable).ok());
  destroy(executable);
}

// Field 12 of the options since jaxlib 0.12: a packed list, which is a hint.
TEST(PjrtCompile, IgnoresOptionsOfNewerClients) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome outcome =
      client.compile(addOne, std::string("\x62\x02\x00\x01", 4), executable);
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  destroy(executable);
}

// Results of 6-bit floats have a buffer type since PJRT 0.114.
TEST(PjrtExecutable, HasResultsOfSixBits) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  ASSERT_TRUE(client
                  .compile(R"(module {
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf6E2M3FN>, tensor<2xf6E3M2FN>) {
      %a = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf6E2M3FN>
      %b = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf6E3M2FN>
      return %a, %b : tensor<2xf6E2M3FN>, tensor<2xf6E3M2FN>
    }
  })",
                           "", executable)
                  .ok());
  auto get = make<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = executable;
  ASSERT_TRUE(take(api()->PJRT_LoadedExecutable_GetExecutable(&get)).ok());
  auto types = make<PJRT_Executable_OutputElementTypes_Args>();
  types.executable = get.executable;
  ASSERT_TRUE(take(api()->PJRT_Executable_OutputElementTypes(&types)).ok());
  ASSERT_EQ(types.num_output_types, 2u);
  EXPECT_EQ(types.output_types[0], 32);
  EXPECT_EQ(types.output_types[1], 33);
  auto dims = make<PJRT_Executable_OutputDimensions_Args>();
  dims.executable = get.executable;
  ASSERT_TRUE(take(api()->PJRT_Executable_OutputDimensions(&dims)).ok());
  ASSERT_EQ(dims.num_outputs, 2u);
  EXPECT_EQ(dims.dim_sizes[1], 1u);
  EXPECT_EQ(dims.dims[1], 2);
  auto destroyed = make<PJRT_Executable_Destroy_Args>();
  destroyed.executable = get.executable;
  take(api()->PJRT_Executable_Destroy(&destroyed));
  destroy(executable);
}

TEST(PjrtCompile, SaysWhatIsWrongWithAProgram) {
  TestClient client(2);
  PJRT_LoadedExecutable *executable = nullptr;
  EXPECT_EQ(client.compile("no module", "", executable).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(client.compile("", "", executable).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(client.compile(addOne, "\xff\xff", executable).message,
              HasSubstr("malformed"));
  EXPECT_THAT(client.compile(addOne, partitions(4), executable).message,
              HasSubstr("runs on 4 devices, there are 2"));
}

} // namespace
