//===- plugin_test.cc - plugins with tables made by hand ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/client_option.h"
#include "shardwright/pjrt_client/compile_options.h"
#include "shardwright/pjrt_client/plugin_client.h"
#include "shardwright/pjrt_client/plugin_event.h"
#include "shardwright/pjrt_client/plugin_layouts.h"

#include "shardwright/pjrt_abi/extensions.h"

#include "llvm/ADT/StringExtras.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

using namespace shardwright;
using namespace shardwright::pjrt_client;
using testing::HasSubstr;

namespace {

/// The only error of the plugins below.
struct FakeError : PJRT_Error {
  PJRT_Error_Code code;
  std::string message;
};
PJRT_Error *makeError(PJRT_Error_Code code, std::string message) {
  auto *error = new FakeError();
  error->code = code;
  error->message = std::move(message);
  return error;
}
int destroyed = 0;

PJRT_Api fakeTable() {
  PJRT_Api api = {};
  api.struct_size = sizeof(PJRT_Api);
  api.pjrt_api_version = {sizeof(PJRT_Api_Version), nullptr, 0, 112};
  api.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args *args) {
    ++destroyed;
    delete static_cast<FakeError *>(args->error);
  };
  api.PJRT_Error_Message = [](PJRT_Error_Message_Args *args) {
    auto *error = static_cast<const FakeError *>(args->error);
    args->message = error->message.data();
    args->message_size = error->message.size();
  };
  api.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args *args) -> PJRT_Error * {
    args->code = static_cast<const FakeError *>(args->error)->code;
    return nullptr;
  };
  api.PJRT_Plugin_Initialize =
      [](PJRT_Plugin_Initialize_Args *) -> PJRT_Error * { return nullptr; };
  return api;
}

std::string errorOf(const PJRT_Api &api) {
  auto plugin = Plugin::fromTable(&api, "fake");
  return plugin ? "" : llvm::toString(plugin.takeError());
}

TEST(Plugin, Versions) {
  PJRT_Api api = fakeTable();
  EXPECT_EQ(errorOf(api), "");
  for (int minor : {54, 70, 116, 100000}) {
    api.pjrt_api_version.minor_version = minor;
    EXPECT_EQ(errorOf(api), "") << minor;
  }
  for (int minor : {-1, 0, 53}) {
    api.pjrt_api_version.minor_version = minor;
    EXPECT_THAT(errorOf(api), HasSubstr("expected 0.54 or later")) << minor;
  }
  api.pjrt_api_version = {sizeof(PJRT_Api_Version), nullptr, 1, 112};
  EXPECT_THAT(errorOf(api), HasSubstr("version 1.112"));
  EXPECT_THAT(llvm::toString(Plugin::fromTable(nullptr, "fake").takeError()),
              HasSubstr("null pointer"));
}

TEST(MemoryLayout, ReadsXlasText) {
  auto parsed = llvm::cantFail(MemoryLayout::parse("{2,0,1:T(8,128)(2,1)}", 3));
  const PJRT_Buffer_MemoryLayout &layout = *parsed->get();
  EXPECT_EQ(layout.type, PJRT_Buffer_MemoryLayout_Type_Tiled);
  EXPECT_THAT(llvm::ArrayRef(layout.tiled.minor_to_major, 3),
              testing::ElementsAre(2, 0, 1));
  ASSERT_EQ(layout.tiled.num_tiles, 2u);
  EXPECT_THAT(llvm::ArrayRef(layout.tiled.tile_dim_sizes, 2),
              testing::ElementsAre(2, 2));
  EXPECT_THAT(llvm::ArrayRef(layout.tiled.tile_dims, 4),
              testing::ElementsAre(8, 128, 2, 1));
  for (llvm::StringRef text : {"{1,0}", "{1,0:E(4)}", "{1,0:S(5)}"})
    EXPECT_EQ(
        llvm::cantFail(MemoryLayout::parse(text, 2))->get()->tiled.num_tiles,
        0u);
  EXPECT_EQ(llvm::cantFail(MemoryLayout::parse("{}", 0))->minorToMajor().size(),
            0u);
  EXPECT_THAT(MemoryLayout::rowMajor(3)->minorToMajor(),
              testing::ElementsAre(2, 1, 0));
  for (llvm::StringRef text :
       {"", "{", "{}", "{1}", "{1,1}", "{1,2}", "{-1,0}", "{1,0", "1,0}",
        "{1,0:}x", "{1,0:T}", "{1,0:T()}", "{1,0:T(8}", "{1,0:(8)}",
        "{1,0:T(8,)}", "{1,0:E(4)(4)}", "{1,0:D(D,S)}", "{0,1,}",
        "{99999999999999999999,0}"}) {
    auto wrong = MemoryLayout::parse(text, 2);
    EXPECT_FALSE(bool(wrong)) << text.str();
    llvm::consumeError(wrong.takeError());
  }
}

TEST(Plugin, TableEndsWhereItsVersionDoes) {
  EXPECT_EQ(tableSizeOf(70), 944u);
  EXPECT_EQ(tableSizeOf(112), 1144u);
  PJRT_Api api = fakeTable();
  api.PJRT_Client_Load = [](PJRT_Client_Load_Args *) -> PJRT_Error * {
    return nullptr;
  };
  auto newer = llvm::cantFail(Plugin::fromTable(&api, "fake"));
  EXPECT_TRUE(newer->functions().PJRT_Client_Load);
  api.pjrt_api_version.minor_version = 70;
  auto older = llvm::cantFail(Plugin::fromTable(&api, "fake"));
  EXPECT_FALSE(older->functions().PJRT_Client_Load);
  auto args = makeStruct<PJRT_Client_Load_Args>();
  EXPECT_EQ(llvm::toString(SHARDWRIGHT_PJRT_CALL(*older, Client_Load, args)),
            "fake: the plugin (PJRT 0.70) does not have PJRT_Client_Load");
}

TEST(Plugin, ErrorsKeepTheirCodes) {
  PJRT_Api api = fakeTable();
  api.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args *) {
    return makeError(PJRT_Error_Code_FAILED_PRECONDITION,
                     "No visible devices.");
  };
  destroyed = 0;
  EXPECT_EQ(errorOf(api), "fake: PJRT_Plugin_Initialize: FAILED_PRECONDITION: "
                          "No visible devices.");
  EXPECT_EQ(destroyed, 1);
  // The function that reads the code fails itself, always.
  api.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args *) {
    return makeError(PJRT_Error_Code_INTERNAL, "no code");
  };
  api.PJRT_Error_Message = [](PJRT_Error_Message_Args *args) {
    args->message = "short";
    args->message_size = size_t(1) << 50;
  };
  EXPECT_EQ(errorOf(api), "fake: PJRT_Plugin_Initialize: UNKNOWN: the plugin "
                          "does not say why");
  EXPECT_EQ(destroyed, 3);
  api.PJRT_Error_Message = nullptr;
  EXPECT_THAT(errorOf(api), HasSubstr("no functions to read errors"));
}

TEST(Plugin, Attributes) {
  PJRT_Api api = fakeTable();
  api.PJRT_Plugin_Attributes =
      [](PJRT_Plugin_Attributes_Args *args) -> PJRT_Error * {
    static const int64_t version[] = {1, 11, 0};
    static PJRT_NamedValue values[2];
    values[0] = makeStruct<PJRT_NamedValue>(); // without a name
    values[1] = makeStruct<PJRT_NamedValue>();
    values[1].name = "stablehlo_current_version";
    values[1].name_size = 25;
    values[1].type = PJRT_NamedValue_kInt64List;
    values[1].int64_array_value = version;
    values[1].value_size = 3;
    args->attributes = values;
    args->num_attributes = 2;
    return nullptr;
  };
  auto plugin = llvm::cantFail(Plugin::fromTable(&api, "fake"));
  EXPECT_EQ(plugin->stablehloVersion(), (vhlo::Version{1, 11, 0}));
}

TEST(Plugin, ExtensionsInACircle) {
  PJRT_Extension_Base a{sizeof(PJRT_Extension_Base),
                        PJRT_Extension_Type_Layouts, nullptr};
  PJRT_Extension_Base b{sizeof(PJRT_Extension_Base),
                        PJRT_Extension_Type_Profiler, &a};
  a.next = &b;
  PJRT_Api api = fakeTable();
  api.extension_start = &a;
  auto plugin = llvm::cantFail(Plugin::fromTable(&api, "fake"));
  EXPECT_EQ(plugin->extension(PJRT_Extension_Type_Profiler, 24), &b);
  EXPECT_EQ(plugin->extension(PJRT_Extension_Type_Profiler, 40), nullptr);
  EXPECT_EQ(plugin->extension(PJRT_Extension_Type_FFI, 24), nullptr);
}

TEST(Plugin, NotAPlugin) {
  auto missing = Plugin::load("/no/such/library.so");
  EXPECT_THAT(llvm::toString(missing.takeError()),
              HasSubstr("cannot load the plugin /no/such/library.so"));
  auto other = Plugin::load("libm.so.6");
  EXPECT_THAT(llvm::toString(other.takeError()),
              HasSubstr("does not export GetPjrtApi"));
}

/// An event that calls back as often as `times`, from a thread of its own.
struct FakeEvent {
  int times;
};

TEST(Plugin, EventsThatCallTwiceOrFail) {
  static PJRT_Api api = fakeTable();
  api.PJRT_Event_Destroy = [](PJRT_Event_Destroy_Args *) -> PJRT_Error * {
    return nullptr;
  };
  api.PJRT_Event_OnReady = [](PJRT_Event_OnReady_Args *args) -> PJRT_Error * {
    int times = reinterpret_cast<FakeEvent *>(args->event)->times;
    if (times == 0)
      return makeError(PJRT_Error_Code_INTERNAL, "no callbacks");
    auto callback = args->callback;
    auto *arg = args->user_arg;
    std::thread([=] {
      callback(makeError(PJRT_Error_Code_ABORTED, "late"), arg);
      if (times > 1)
        callback(nullptr, arg);
    }).join();
    return nullptr;
  };
  auto plugin = llvm::cantFail(Plugin::fromTable(&api, "fake"));
  FakeEvent twice{2}, never{0};
  Event first =
      watchEvent({plugin, "PJRT_X"}, reinterpret_cast<PJRT_Event *>(&twice));
  EXPECT_EQ(llvm::toString(first.await()), "fake: PJRT_X: ABORTED: late");
  Event second =
      watchEvent({plugin, "PJRT_X"}, reinterpret_cast<PJRT_Event *>(&never));
  EXPECT_THAT(llvm::toString(second.await()), HasSubstr("no callbacks"));
  EXPECT_THAT(llvm::toString(watchEvent({plugin, "PJRT_X"}, nullptr).await()),
              HasSubstr("PJRT_X returned no event"));
}

TEST(Plugin, ClientWithoutDevices) {
  PJRT_Api api = fakeTable();
  auto client = [&] {
    auto made = PluginClient::create(
        llvm::cantFail(Plugin::fromTable(&api, "fake")), {});
    return made ? "" : llvm::toString(made.takeError());
  };
  EXPECT_THAT(client(), HasSubstr("does not have PJRT_Client_Create"));
  api.PJRT_Client_Create = [](PJRT_Client_Create_Args *) -> PJRT_Error * {
    return nullptr;
  };
  EXPECT_THAT(client(), HasSubstr("PJRT_Client_Create returned no client"));
}

TEST(ClientOption, TypesOfValues) {
  auto indexOf = [](llvm::StringRef text) {
    return llvm::cantFail(ClientOption::parse(text)).value.index();
  };
  EXPECT_EQ(indexOf("a=text"), 0u);
  EXPECT_EQ(indexOf("a="), 0u);
  EXPECT_EQ(indexOf("a=\"8\""), 0u);
  EXPECT_EQ(indexOf("a=1x1x8"), 0u);
  EXPECT_EQ(indexOf("a=inf"), 0u);
  EXPECT_EQ(indexOf("a=-8"), 1u);
  EXPECT_EQ(indexOf("a=[0, 1]"), 2u);
  EXPECT_EQ(indexOf("a=[]"), 2u);
  EXPECT_EQ(indexOf("a=0.75"), 3u);
  EXPECT_EQ(indexOf("a=1e3"), 3u);
  EXPECT_EQ(indexOf("a=true"), 4u);
  auto option = llvm::cantFail(ClientOption::parse("name=a=b"));
  EXPECT_EQ(option.name, "name");
  EXPECT_EQ(std::get<std::string>(option.value), "a=b");
  for (const char *bad : {"name", "=value", ""})
    EXPECT_THAT(llvm::toString(ClientOption::parse(bad).takeError()),
                HasSubstr("expected name=value"));
  std::vector<ClientOption> all = {{"n", int64_t(8)},
                                   {"l", std::vector<int64_t>{1, 2}}};
  auto values = namedValues(all);
  EXPECT_EQ(values[0].struct_size, 56u);
  EXPECT_EQ(values[0].int64_value, 8);
  EXPECT_EQ(values[1].value_size, 2u);
}

TEST(CompileOptions, Replicas) {
  EXPECT_EQ(llvm::toHex(compileOptionsOfReplicas({0, 1, 2, 3, 4, 5, 6, 7}),
                        /*LowerCase=*/true),
            "1a2108ffffffffffffffffff01200828014a10080810011a0a0a080001020304"
            "05060728ffffffffffffffffff014801");
}

TEST(Arguments, StructSizes) {
  EXPECT_EQ(makeStruct<PJRT_Error_GetCode_Args>().struct_size, 28u);
  EXPECT_EQ(makeStruct<PJRT_Event_IsReady_Args>().struct_size, 25u);
  EXPECT_EQ(makeStruct<PJRT_Buffer_MemoryLayout>().struct_size, 76u);
  EXPECT_EQ(makeStruct<PJRT_Client_Create_Args>().struct_size, 88u);
}

} // namespace
