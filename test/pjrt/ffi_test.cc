//===- ffi_test.cc - foreign functions and partitioners of a C client -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that JAX's Python cannot make: user data, sizes of structs, callbacks
// of a custom partitioner that return invalid results.
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/abi/custom_partitioner.h"
#include "shardwright/pjrt/abi/extensions.h"
#include "shardwright/pjrt/abi/ffi.h"
#include "test/pjrt/plugin.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace shardwright::pjrt_test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <typename Extension> Extension *find(int type) {
  for (auto *e = api()->extension_start; e; e = e->next)
    if (int(e->type) == type)
      return reinterpret_cast<Extension *>(e);
  return nullptr;
}

PJRT_FFI_Extension *ffi() { return find<PJRT_FFI_Extension>(5); }
PJRT_Custom_Partitioner_Extension *partitioners() {
  return find<PJRT_Custom_Partitioner_Extension>(2);
}

int64_t typeId = 0, unknownTypeId = 77;

/// Answers a metadata call. False if the call is not one.
bool answerMetadata(XLA_FFI_CallFrame *frame) {
  if (!frame->extension_start)
    return false;
  auto *metadata =
      reinterpret_cast<XLA_FFI_Metadata_Extension *>(frame->extension_start)
          ->metadata;
  metadata->api_version.major_version = 0;
  metadata->api_version.minor_version = 3;
  return true;
}

/// Results: user data, the run id, the device id, and an unused one.
XLA_FFI_Error *tell(XLA_FFI_CallFrame *frame) {
  if (answerMetadata(frame))
    return nullptr;
  auto *out = static_cast<float *>(
      static_cast<XLA_FFI_Buffer *>(frame->rets.rets[0])->data);
  XLA_FFI_ExecutionContext_Get_Args data = {sizeof(data), nullptr, frame->ctx,
                                            nullptr, nullptr};
  XLA_FFI_TypeId id = {typeId};
  data.type_id = &id;
  if (XLA_FFI_Error *e = frame->api->XLA_FFI_ExecutionContext_Get(&data))
    return e;
  XLA_FFI_RunId_Get_Args run = {sizeof(run), nullptr, frame->ctx, 0};
  if (XLA_FFI_Error *e = frame->api->XLA_FFI_RunId_Get(&run))
    return e;
  XLA_FFI_DeviceOrdinal_Get_Args device = {sizeof(device), nullptr, frame->ctx,
                                           -7};
  if (XLA_FFI_Error *e = frame->api->XLA_FFI_DeviceOrdinal_Get(&device))
    return e;
  out[0] = *static_cast<int *>(data.data);
  out[1] = float(run.run_id);
  out[2] = float(device.device_ordinal);
  out[3] = 0;
  return nullptr;
}

/// Calls an API function with a struct that is too short.
XLA_FFI_Error *askShort(XLA_FFI_CallFrame *frame) {
  if (answerMetadata(frame))
    return nullptr;
  XLA_FFI_RunId_Get_Args run = {8, nullptr, frame->ctx, 0};
  return frame->api->XLA_FFI_RunId_Get(&run);
}

Outcome registerTarget(const char *name, XLA_FFI_Handler handler) {
  auto args = make<PJRT_FFI_Register_Handler_Args>();
  args.target_name = name;
  args.target_name_size = std::strlen(name);
  args.handler = reinterpret_cast<void *>(handler);
  args.platform_name = "Host";
  args.platform_name_size = 4;
  return take(ffi()->register_handler(&args));
}

std::string calling(const char *target) {
  return std::string(R"(module @m {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = stablehlo.custom_call @)") +
         target +
         R"((%x) {mhlo.backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
})";
}

struct Context {
  Context() {
    auto args = make<PJRT_ExecuteContext_Create_Args>();
    EXPECT_TRUE(take(api()->PJRT_ExecuteContext_Create(&args)).ok());
    context = args.context;
  }
  ~Context() {
    auto args = make<PJRT_ExecuteContext_Destroy_Args>();
    args.context = context;
    EXPECT_TRUE(take(api()->PJRT_ExecuteContext_Destroy(&args)).ok());
  }
  Outcome add(int64_t type, void *data) {
    auto args = make<PJRT_FFI_UserData_Add_Args>();
    args.context = context;
    args.user_data = {type, data};
    return take(ffi()->user_data_add(&args));
  }
  PJRT_ExecuteContext *context = nullptr;
};

/// Runs a program of one device. Returns its four numbers, or the error.
Outcome run(TestClient &client, PJRT_LoadedExecutable *executable,
            PJRT_ExecuteContext *context, std::vector<float> &out) {
  float data[4] = {};
  PJRT_Buffer *argument = nullptr, *outputs[1] = {};
  EXPECT_TRUE(client
                  .fromHost(data, PJRT_Buffer_Type_F32, {4},
                            client.devices()[0], argument)
                  .ok());
  PJRT_Buffer *const *argumentList = &argument;
  PJRT_Buffer **outputList = outputs;
  auto options = make<PJRT_ExecuteOptions>();
  options.context = context;
  auto args = make<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &argumentList;
  args.num_devices = 1;
  args.num_args = 1;
  args.output_lists = &outputList;
  Outcome outcome = take(api()->PJRT_LoadedExecutable_Execute(&args));
  out.assign(4, -1);
  if (outcome.ok()) {
    outcome = toHost(outputs[0], out);
    destroy(outputs[0]);
  }
  destroy(argument);
  return outcome;
}

TEST(PjrtFfi, HandlersSeeWhatTheRunCarries) {
  auto type = make<PJRT_FFI_Type_Register_Args>();
  type.type_name = "ffi_test.Number";
  type.type_name_size = std::strlen(type.type_name);
  ASSERT_TRUE(take(ffi()->type_register(&type)).ok());
  typeId = type.type_id;
  EXPECT_NE(typeId, 0);
  auto other = make<PJRT_FFI_Type_Register_Args>();
  other.type_name = "ffi_test.Other";
  other.type_name_size = std::strlen(other.type_name);
  ASSERT_TRUE(take(ffi()->type_register(&other)).ok());
  EXPECT_NE(other.type_id, typeId);

  ASSERT_TRUE(registerTarget("ffi_test_tell", tell).ok());
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome compiled = client.compile(calling("ffi_test_tell"), "", executable);
  ASSERT_TRUE(compiled.ok()) << compiled.message;
  int number = 42, another = 43;
  Context context;
  EXPECT_TRUE(context.add(typeId, &number).ok());
  EXPECT_EQ(context.add(typeId, &another).code, PJRT_Error_Code_ALREADY_EXISTS);
  std::vector<float> first, second;
  Outcome ran = run(client, executable, context.context, first);
  ASSERT_TRUE(ran.ok()) << ran.message;
  ASSERT_TRUE(run(client, executable, context.context, second).ok());
  EXPECT_EQ(first[0], 42);
  EXPECT_NE(first[1], second[1]);
  EXPECT_EQ(first[2], 0);
  Outcome without = run(client, executable, nullptr, first);
  EXPECT_EQ(without.code, PJRT_Error_Code_NOT_FOUND);
  EXPECT_THAT(without.message,
              HasSubstr("User data with type id " + std::to_string(typeId) +
                        " not found in execution context"));
  destroy(executable);
}

TEST(PjrtFfi, ShortStructsAreAnError) {
  ASSERT_TRUE(registerTarget("ffi_test_short", askShort).ok());
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  ASSERT_TRUE(client.compile(calling("ffi_test_short"), "", executable).ok());
  std::vector<float> out;
  Outcome outcome = run(client, executable, nullptr, out);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message,
              HasSubstr("Unexpected XLA_FFI_RunId_Get_Args size: expected 32, "
                        "got 8. Check installed software versions."));
  destroy(executable);
}

TEST(PjrtFfi, UnknownTargetsAreAnErrorOfTheCompiler) {
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome outcome = client.compile(calling("ffi_test_nobody"), "", executable);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_NOT_FOUND);
  EXPECT_THAT(outcome.message,
              HasSubstr("No FFI handler registered for ffi_test_nobody on a "
                        "platform Host (canonical host)"));
}

//===----------------------------------------------------------------------===//
// Custom partitioners
//===----------------------------------------------------------------------===//

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
