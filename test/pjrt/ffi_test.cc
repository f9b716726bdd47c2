//===- ffi_test.cc - foreign functions of a C client ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that JAX's Python cannot make: user data, custom options, versions and
// sizes of structs.
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/extensions.h"
#include "shardwright/pjrt_abi/ffi.h"
#include "test/pjrt/plugin.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <limits>

using namespace shardwright::pjrt_test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

PJRT_FFI_Extension *ffi() { return findExtension<PJRT_FFI_Extension>(5); }

int64_t typeId = 0, unknownTypeId = 77;

/// The version for which a handler says that it was compiled.
int majorVersion = 0, minorVersion = 3;
/// The table of the last call of a handler.
const XLA_FFI_Api *table = nullptr;

/// Answers a metadata call. False if the call is not one.
bool answerMetadata(XLA_FFI_CallFrame *frame) {
  table = frame->api;
  if (!frame->extension_start)
    return false;
  auto *metadata =
      reinterpret_cast<XLA_FFI_Metadata_Extension *>(frame->extension_start)
          ->metadata;
  metadata->api_version.major_version = majorVersion;
  metadata->api_version.minor_version = minorVersion;
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

/// Returns the code and text of a handler's error, and destroys it.
Outcome takeFfi(XLA_FFI_Error *error) {
  Outcome outcome;
  if (!error)
    return outcome;
  XLA_FFI_Error_GetDetails_Args details = {36, nullptr, error, nullptr, -1};
  table->XLA_FFI_Error_GetDetails(&details);
  outcome = {PJRT_Error_Code(details.errc), details.message};
  XLA_FFI_Error_Destroy_Args destroyed = {24, nullptr, error};
  table->XLA_FFI_Error_Destroy(&destroyed);
  return outcome;
}

/// What the handler `tellOptions` finds in the custom options.
struct SeenOptions {
  int64_t size = -1;
  std::vector<std::string> names;
  std::vector<int> types;
  std::string text;
  std::vector<int64_t> numbers;
  int64_t number = 0;
  float real = 0;
  bool flag = false;
  bool hasExtension = true;
};
SeenOptions seen;

/// Reads the custom options, whose values are those of `customOptions`.
XLA_FFI_Error *tellOptions(XLA_FFI_CallFrame *frame) {
  if (answerMetadata(frame))
    return nullptr;
  seen = {};
  XLA_FFI_Extension other = {};
  XLA_FFI_InvokeContext_FindExtension_Args find = {40, nullptr, frame->ctx, 129,
                                                   &other};
  if (XLA_FFI_Error *e = frame->api->XLA_FFI_InvokeContext_FindExtension(&find))
    return e;
  seen.hasExtension = find.extension;
  XLA_FFI_CustomOptions_Get_Args get = {32, nullptr, frame->ctx, nullptr};
  if (XLA_FFI_Error *e = frame->api->XLA_FFI_CustomOptions_Get(&get))
    return e;
  seen.size = get.attrs->size;
  for (int64_t i = 0; i < seen.size; ++i) {
    const XLA_FFI_ByteSpan &name = *get.attrs->names[i];
    const void *value = get.attrs->attrs[i];
    seen.names.emplace_back(name.ptr, name.len);
    int type = get.attrs->types[i];
    seen.types.push_back(type);
    if (type == XLA_FFI_AttrType_STRING) {
      auto &span = *static_cast<const XLA_FFI_ByteSpan *>(value);
      seen.text.assign(span.ptr, span.len);
    } else if (type == XLA_FFI_AttrType_ARRAY) {
      auto &array = *static_cast<const XLA_FFI_Array *>(value);
      EXPECT_EQ(array.dtype, 5); // S64
      auto *first = static_cast<const int64_t *>(array.data);
      seen.numbers.assign(first, first + array.size);
    } else if (type == XLA_FFI_AttrType_SCALAR) {
      auto &scalar = *static_cast<const XLA_FFI_Scalar *>(value);
      if (scalar.dtype == 1) // PRED
        seen.flag = *static_cast<const bool *>(scalar.value);
      else if (scalar.dtype == 5)
        seen.number = *static_cast<const int64_t *>(scalar.value);
      else if (scalar.dtype == 11) // F32
        seen.real = *static_cast<const float *>(scalar.value);
    }
  }
  return nullptr;
}

PJRT_NamedValue named(const char *name, PJRT_NamedValue_Type type,
                      size_t size = 1) {
  auto value = make<PJRT_NamedValue>();
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = type;
  value.value_size = size;
  return value;
}

constexpr int64_t threeNumbers[] = {3, -1, 4};

/// One option of each type, not in the order of their names.
std::vector<PJRT_NamedValue> customOptions() {
  std::vector<PJRT_NamedValue> options = {
      named("text", PJRT_NamedValue_kString, 2),
      named("flag", PJRT_NamedValue_kBool),
      named("list", PJRT_NamedValue_kInt64List, 3),
      named("real", PJRT_NamedValue_kFloat),
      named("number", PJRT_NamedValue_kInt64)};
  options[0].string_value = "ab";
  options[1].bool_value = true;
  options[2].int64_array_value = threeNumbers;
  options[3].float_value = 0.5f;
  options[4].int64_value = -7;
  return options;
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
/// `custom` are the run's custom options; `optionsSize` is the struct_size of
/// PJRT_ExecuteOptions.
Outcome run(TestClient &client, PJRT_LoadedExecutable *executable,
            PJRT_ExecuteContext *context, std::vector<float> &out,
            const std::vector<PJRT_NamedValue> &custom = {},
            size_t optionsSize = sizeof(PJRT_ExecuteOptions)) {
  float data[4] = {};
  PJRT_Buffer *argument = nullptr, *outputs[1] = {};
  EXPECT_TRUE(client
                  .fromHost(data, PJRT_Buffer_Type_F32, {4},
                            client.devices()[0], argument)
                  .ok());
  PJRT_Buffer *const *argumentList = &argument;
  PJRT_Buffer **outputList = outputs;
  auto options = make<PJRT_ExecuteOptions>();
  options.struct_size = optionsSize;
  options.context = context;
  options.custom_options = custom.data();
  options.num_custom_options = custom.size();
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

TEST(PjrtFfi, TypesHaveIdsOfAnyValue) {
  auto registered = [](const char *name, int64_t id) {
    auto type = make<PJRT_FFI_Type_Register_Args>();
    type.type_name = name;
    type.type_name_size = std::strlen(name);
    type.type_id = id;
    return take(ffi()->type_register(&type));
  };
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(registered("ffi_test.Largest", largest).ok());
  EXPECT_TRUE(registered("ffi_test.NextLargest", largest - 1).ok());
  EXPECT_TRUE(registered("ffi_test.Largest", largest).ok());
  EXPECT_FALSE(registered("ffi_test.AnotherLargest", largest).ok());
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

TEST(PjrtFfi, TakesHandlersOfAllVersionsUpToItsOwn) {
  for (int minor = 0; minor < 8; ++minor) {
    minorVersion = minor;
    std::string name = "ffi_test_version_" + std::to_string(minor);
    Outcome outcome = registerTarget(name.c_str(), askShort);
    EXPECT_EQ(outcome.ok(), minor >= 1 && minor <= 5) << minor;
    if (!outcome.ok())
      EXPECT_THAT(outcome.message,
                  HasSubstr("the handler's API version (0." +
                            std::to_string(minor) +
                            ") is incompatible with the framework's API "
                            "version (0.5)"));
  }
  minorVersion = 3;
  majorVersion = 1;
  EXPECT_EQ(registerTarget("ffi_test_major", askShort).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  majorVersion = 0;
}

TEST(PjrtFfi, HandlersSeeTheCustomOptionsOfTheRun) {
  minorVersion = 5;
  ASSERT_TRUE(registerTarget("ffi_test_options", tellOptions).ok());
  minorVersion = 3;
  EXPECT_EQ(table->struct_size, 208u);
  EXPECT_EQ(table->api_version.minor_version, 5);
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  ASSERT_TRUE(client.compile(calling("ffi_test_options"), "", executable).ok());
  std::vector<float> out;
  EXPECT_TRUE(run(client, executable, nullptr, out).ok());
  EXPECT_EQ(seen.size, 0);
  EXPECT_FALSE(seen.hasExtension);

  std::vector<PJRT_NamedValue> options = customOptions();
  Outcome ran = run(client, executable, nullptr, out, options);
  ASSERT_TRUE(ran.ok()) << ran.message;
  EXPECT_THAT(seen.names,
              ElementsAre("flag", "list", "number", "real", "text"));
  EXPECT_THAT(seen.types,
              ElementsAre(XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_ARRAY,
                          XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_SCALAR,
                          XLA_FFI_AttrType_STRING));
  EXPECT_TRUE(seen.flag);
  EXPECT_THAT(seen.numbers, ElementsAre(3, -1, 4));
  EXPECT_EQ(seen.number, -7);
  EXPECT_EQ(seen.real, 0.5f);
  EXPECT_EQ(seen.text, "ab");

  // Clients of PJRT 0.115 and older end the struct before the options.
  for (size_t size : {144, 151, 159}) {
    ASSERT_TRUE(run(client, executable, nullptr, out, options, size).ok());
    EXPECT_EQ(seen.size, 0) << size;
  }

  options.push_back(options[1]);
  EXPECT_THAT(run(client, executable, nullptr, out, options).message,
              HasSubstr("the custom option 'flag' is given twice"));
  options.back() = named("odd", PJRT_NamedValue_Type(77));
  EXPECT_THAT(run(client, executable, nullptr, out, options).message,
              HasSubstr("option 'odd' has a value of unknown type 77"));
  destroy(executable);
}

// A client may end the struct before the context, too.
TEST(PjrtFfi, ReadsNothingBehindTheEndOfTheExecuteOptions) {
  ASSERT_TRUE(registerTarget("ffi_test_end", tellOptions).ok());
  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  ASSERT_TRUE(client.compile(calling("ffi_test_end"), "", executable).ok());
  std::vector<float> out;
  auto *foreign = reinterpret_cast<PJRT_ExecuteContext *>(&out);
  EXPECT_TRUE(run(client, executable, foreign, out, {}, 72).ok());
  EXPECT_EQ(run(client, executable, foreign, out, {}, 80).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  destroy(executable);
}

// The table's own function registers bundles, with `record` since API 0.4.
TEST(PjrtFfi, BundlesHaveARecordStageSinceApi04) {
  ASSERT_TRUE(registerTarget("ffi_test_table", tellOptions).ok());
  XLA_FFI_Handler_Register_Args args = {};
  args.bundle.execute = tellOptions;
  args.platform = {"Host", 4};
  auto put = [&](const char *name, size_t size) {
    args.struct_size = size;
    args.name = {name, std::strlen(name)};
    return takeFfi(table->XLA_FFI_Handler_Register(&args));
  };
  EXPECT_TRUE(put("ffi_test_old_bundle", 84).ok());
  EXPECT_TRUE(put("ffi_test_new_bundle", 92).ok());
  // Where newer headers have the stage, older ones have the traits.
  args.bundle.record = reinterpret_cast<XLA_FFI_Handler>(uintptr_t(1));
  EXPECT_TRUE(put("ffi_test_old_bundle", 84).ok());
  EXPECT_TRUE(put("ffi_test_new_bundle", 92).ok());
  Outcome shorter = put("ffi_test_short_bundle", 80);
  EXPECT_EQ(shorter.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(shorter.message,
              HasSubstr("Unexpected XLA_FFI_Handler_Register_Args size: "
                        "expected 84, got 80."));

  TestClient client(1);
  PJRT_LoadedExecutable *executable = nullptr;
  ASSERT_TRUE(
      client.compile(calling("ffi_test_new_bundle"), "", executable).ok());
  std::vector<float> out;
  EXPECT_TRUE(run(client, executable, nullptr, out).ok());
  destroy(executable);
}

// Handlers of API 0.3 have no room for the code of an error.
TEST(PjrtFfi, WritesTheCodeOfAnErrorOnlyIfThereIsRoom) {
  ASSERT_TRUE(registerTarget("ffi_test_details", tellOptions).ok());
  XLA_FFI_Error_Create_Args create = {28, nullptr, "none",
                                      PJRT_Error_Code_NOT_FOUND};
  XLA_FFI_Error *error = table->XLA_FFI_Error_Create(&create);
  XLA_FFI_Error_GetDetails_Args details = {32, nullptr, error, nullptr, -1};
  table->XLA_FFI_Error_GetDetails(&details);
  EXPECT_STREQ(details.message, "none");
  EXPECT_EQ(details.errc, -1);
  EXPECT_EQ(takeFfi(error).code, PJRT_Error_Code_NOT_FOUND);
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

} // namespace
