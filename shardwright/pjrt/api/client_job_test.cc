//===- client_job_test.cc - clients that join a job -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/fake_job_test_util.h"
#include "shardwright/pjrt/api/callback_store.h"
#include "shardwright/pjrt/api/client_job.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt_abi/extensions.h"
#include "test/pjrt/plugin.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>

using namespace shardwright;
using namespace shardwright::pjrt_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

namespace {

using pjrt::ClientOptions;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

TEST(ClientOptionsTest, ReadTheOptionsOfAJob) {
  auto read = pjrt::readClientOptions({{"num_nodes", "4"},
                                       {"partition_index", "7"},
                                       {"node_id", "3"},
                                       {"num_devices", "2"}});
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->numNodes, 4);
  EXPECT_EQ(read->node, 3);
  EXPECT_EQ(read->numDevices, 2);
  EXPECT_EQ(read->partitionIndex, 7);
  auto none = llvm::cantFail(pjrt::readClientOptions({}));
  EXPECT_EQ(none.numNodes, 1);
  EXPECT_EQ(none.partitionIndex, std::nullopt);
}

TEST(ClientOptionsTest, ReadThatTheClientIsTorchXla) {
  EXPECT_FALSE(llvm::cantFail(pjrt::readClientOptions({})).isTorchXla);
  EXPECT_TRUE(llvm::cantFail(pjrt::readClientOptions({{"torch_xla", "true"}}))
                  .isTorchXla);
  EXPECT_EQ(llvm::toString(
                pjrt::readClientOptions({{"torch_xla", "yes"}}).takeError()),
            "option 'torch_xla' is 'yes', expected true or false");
}

TEST(ClientOptionsTest, RefuseNumbersOutOfRange) {
  auto textOf = [](std::vector<pjrt::NamedText> given) {
    return llvm::toString(pjrt::readClientOptions(given).takeError());
  };
  EXPECT_EQ(textOf({{"num_nodes", "0"}}),
            "option 'num_nodes' is '0', expected a number from 1 to 1048576");
  EXPECT_EQ(textOf({{"num_nodes", "x"}}),
            "option 'num_nodes' is 'x', expected a number from 1 to 1048576");
  EXPECT_EQ(textOf({{"node_id", "2"}, {"num_nodes", "2"}}),
            "option 'node_id' is '2', expected a number below 'num_nodes', "
            "which is 2");
  EXPECT_THAT(textOf({{"node_id", "-1"}}), HasSubstr("is '-1'"));
  EXPECT_THAT(textOf({{"partition_index", "-1"}}), HasSubstr("is '-1'"));
  EXPECT_THAT(textOf({{"nodes", "1"}}), HasSubstr("no option 'nodes'"));
}

//===----------------------------------------------------------------------===//
// The key-value store
//===----------------------------------------------------------------------===//

/// What a client such as jaxlib has behind its callbacks.
struct ClientStore {
  std::map<std::string, std::string> values;
  int64_t lastLimit = -1;
  int numDeleted = 0;

  static ClientStore &of(void *argument) {
    return *static_cast<ClientStore *>(argument);
  }
  static PJRT_Error *fail(PJRT_CallbackError *make, PJRT_Error_Code code,
                          std::string text) {
    return (*make)(code, text.data(), text.size());
  }
  static PJRT_Error *get(PJRT_KeyValueGetCallback_Args *args) {
    ClientStore &store = of(args->user_arg);
    store.lastLimit = args->timeout_in_ms;
    auto it = store.values.find(std::string(args->key, args->key_size));
    if (it == store.values.end())
      return fail(args->callback_error, PJRT_Error_Code_DEADLINE_EXCEEDED,
                  "GetKeyValue() timed out");
    args->value = new char[it->second.size() + 1];
    std::copy(it->second.begin(), it->second.end(), args->value);
    args->value_size = it->second.size();
    args->value_deleter_callback = [](char *value) {
      ++deleted();
      delete[] value;
    };
    return nullptr;
  }
  static PJRT_Error *put(PJRT_KeyValuePutCallback_Args *args) {
    std::string key(args->key, args->key_size);
    if (!of(args->user_arg)
             .values.emplace(key, std::string(args->value, args->value_size))
             .second)
      return fail(args->callback_error, PJRT_Error_Code_ALREADY_EXISTS,
                  "key " + key + " already exists.");
    return nullptr;
  }
  static int &deleted() {
    static int count = 0;
    return count;
  }
};

TEST(CallbackStoreTest, GoesThroughTheCallbacks) {
  ClientStore client;
  auto args = make<PJRT_Client_Create_Args>();
  args.kv_get_callback = ClientStore::get;
  args.kv_put_callback = ClientStore::put;
  args.kv_get_user_arg = args.kv_put_user_arg = &client;
  auto store = llvm::cantFail(pjrt::makeCallbackStore(args, "job 3/"));
  std::string bytes("a\0b", 3);
  llvm::cantFail(store->put("x", bytes));
  llvm::cantFail(store->put("empty", ""));
  EXPECT_THAT(client.values,
              ElementsAre(Pair("job 3/empty", ""), Pair("job 3/x", bytes)));
  using std::chrono::milliseconds;
  int before = ClientStore::deleted();
  EXPECT_EQ(llvm::cantFail(store->get("x", milliseconds(300))), bytes);
  EXPECT_EQ(client.lastLimit, 300);
  EXPECT_EQ(llvm::cantFail(store->get("empty", std::chrono::hours(10000))), "");
  EXPECT_EQ(client.lastLimit, std::numeric_limits<int>::max());
  EXPECT_EQ(ClientStore::deleted(), before + 2);
  EXPECT_EQ(llvm::toString(store->put("x", "c")),
            "ALREADY_EXISTS: key job 3/x already exists.");
  EXPECT_EQ(llvm::toString(store->get("y", milliseconds(1)).takeError()),
            "DEADLINE_EXCEEDED: GetKeyValue() timed out");
}

TEST(CallbackStoreTest, NeedsCallbacks) {
  auto args = make<PJRT_Client_Create_Args>();
  EXPECT_THAT(llvm::toString(pjrt::makeCallbackStore(args, "").takeError()),
              HasSubstr("'num_nodes' is given without callbacks"));
}

/// Without `num_nodes` callbacks are garbage.
TEST(CallbackStoreTest, IsNotUsedWithoutAJob) {
  auto args = make<PJRT_Client_Create_Args>();
  args.kv_get_callback =
      reinterpret_cast<PJRT_KeyValueGetCallback>(uintptr_t(0x1234));
  args.kv_put_callback =
      reinterpret_cast<PJRT_KeyValuePutCallback>(uintptr_t(0x1234));
  args.kv_try_get_callback =
      reinterpret_cast<PJRT_KeyValueTryGetCallback>(uintptr_t(0x1234));
  Outcome outcome = take(api()->PJRT_Client_Create(&args));
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  TestClient client(args.client);
}

//===----------------------------------------------------------------------===//
// Clients
//===----------------------------------------------------------------------===//

TEST(ClientJobErrorTest, FailuresOfProcessesHaveCodes) {
  auto codeOf = [](const char *text) {
    return take(pjrt::errorFromText(text, PJRT_Error_Code_INTERNAL)).code;
  };
  EXPECT_EQ(codeOf("process 1 (h, pid 4) has gone (connection closed); "
                   "stablehlo.all_reduce at f.py:3 waits for its devices 2"),
            PJRT_Error_Code_UNAVAILABLE);
  EXPECT_EQ(codeOf("process 3: process 1 (h, pid 4) has gone (no answer)"),
            PJRT_Error_Code_UNAVAILABLE);
  EXPECT_EQ(codeOf("process 1 has ended"), PJRT_Error_Code_UNAVAILABLE);
  EXPECT_EQ(codeOf("process 1 of 2 has not started within 3 s (..)"),
            PJRT_Error_Code_DEADLINE_EXCEEDED);
  EXPECT_EQ(codeOf("process 0 runs jit_f where process 1 runs jit_g (..)"),
            PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(codeOf("process 2: device 5 is broken"), PJRT_Error_Code_INTERNAL);
}

class ClientJobTest : public testing::Test {
protected:
  ClientJobTest() {
    job->told = {"4", "", ""};
    ClientOptions options;
    options.partitionIndex = 5;
    options.platformName = "other";
    auto joined = llvm::cantFail(pjrt::joinJob(options, job));
    threads = joined.threads;
    client = std::make_unique<TestClient>(
        pjrt::newClient(std::move(joined), options));
  }
  /// The attributes of a device's description.
  std::vector<std::pair<std::string, int64_t>> attributesOf(int device) {
    auto description = make<PJRT_Device_GetDescription_Args>();
    description.device = client->devices()[device];
    take(api()->PJRT_Device_GetDescription(&description));
    auto ofDevice = make<PJRT_Device_GetAttributes_Args>();
    ofDevice.device = description.device;
    take(api()->PJRT_Device_GetAttributes(&ofDevice));
    ofDevice.attributes_deleter(ofDevice.device_attributes);
    auto attributes = make<PJRT_DeviceDescription_Attributes_Args>();
    attributes.device_description = description.device_description;
    take(api()->PJRT_DeviceDescription_Attributes(&attributes));
    EXPECT_EQ(ofDevice.attributes, attributes.attributes);
    EXPECT_EQ(ofDevice.num_attributes, attributes.num_attributes);
    std::vector<std::pair<std::string, int64_t>> all;
    for (const PJRT_NamedValue &value :
         llvm::ArrayRef(attributes.attributes, attributes.num_attributes))
      all.emplace_back(std::string(value.name, value.name_size),
                       value.int64_value);
    return all;
  }
  Outcome update(std::vector<PJRT_ProcessInfo> infos) {
    auto args = make<PJRT_Client_UpdateGlobalProcessInfo_Args>();
    args.client = client->client;
    args.process_infos = infos.data();
    args.num_process_infos = infos.size();
    return take(api()->PJRT_Client_UpdateGlobalProcessInfo(&args));
  }

  std::shared_ptr<test::FakeJob> job =
      std::make_shared<test::FakeJob>(llvm::ArrayRef<int32_t>{2, 1, 1}, 1);
  int threads = 0;
  std::unique_ptr<TestClient> client;
};

TEST_F(ClientJobTest, HasTheDevicesOfTheJob) {
  EXPECT_EQ(client->devices().size(), 4u);
  EXPECT_GE(threads, 1);
  auto process = make<PJRT_Client_ProcessIndex_Args>();
  process.client = client->client;
  take(api()->PJRT_Client_ProcessIndex(&process));
  EXPECT_EQ(process.process_index, 1);
}

TEST_F(ClientJobTest, DevicesHaveTheSliceOfTheirProcess) {
  EXPECT_THAT(attributesOf(0), ElementsAre(Pair("slice_index", 4)));
  EXPECT_THAT(attributesOf(1), ElementsAre(Pair("slice_index", 4)));
  EXPECT_THAT(attributesOf(2), ElementsAre(Pair("slice_index", 5)));
  EXPECT_THAT(attributesOf(3), IsEmpty());
}

TEST_F(ClientJobTest, ProcessesOfOneHostShareItsCores) {
  auto threadsOf = [](std::vector<std::string> hosts, bool sameCores) {
    auto job = std::make_shared<test::FakeJob>(
        std::vector<int32_t>(hosts.size(), 1), 0);
    for (auto [p, host] : llvm::enumerate(hosts))
      job->setHost(p, host);
    job->othersAgree = sameCores;
    return llvm::cantFail(pjrt::joinJob({}, job)).threads;
  };
  int alone = threadsOf({"a"}, true);
  EXPECT_GE(alone, 1);
  EXPECT_EQ(threadsOf({"a", "b", "c"}, true), alone);
  EXPECT_EQ(threadsOf({"a", "a", "c"}, true), std::max(1, alone / 2));
  EXPECT_EQ(threadsOf({"a", "a", "a"}, false), alone);
  EXPECT_EQ(threadsOf(std::vector<std::string>(1000, "a"), true), 1);
}

TEST_F(ClientJobTest, LostProcessesAreToldToTheJob) {
  auto info = [](int task, PJRT_ProcessState state, llvm::StringRef text) {
    PJRT_ProcessInfo info = make<PJRT_ProcessInfo>();
    info.task_id = task;
    info.state = state;
    info.error_code = 14;
    info.error_message = text.data();
    info.error_message_size = text.size();
    return info;
  };
  EXPECT_TRUE(update({info(0, PJRT_ProcessState_kConnected, ""),
                      info(1, PJRT_ProcessState_kConnected, ""),
                      info(2, PJRT_ProcessState_kDisconnected, "")})
                  .ok());
  EXPECT_THAT(job->lost, IsEmpty());
  EXPECT_TRUE(update({info(0, PJRT_ProcessState_kError, "heartbeat timeout"),
                      info(1, PJRT_ProcessState_kError, "this process"),
                      info(-1, PJRT_ProcessState_kError, "none"),
                      info(3, PJRT_ProcessState_kError, "none"),
                      info(2, PJRT_ProcessState_kError, "")})
                  .ok());
  EXPECT_THAT(job->lost,
              ElementsAre(Pair(0, "heartbeat timeout"), Pair(2, "")));
  // An error would end the process.
  auto args = make<PJRT_Client_UpdateGlobalProcessInfo_Args>();
  args.client = client->client;
  args.num_process_infos = 3;
  EXPECT_TRUE(take(api()->PJRT_Client_UpdateGlobalProcessInfo(&args)).ok());
}

TEST_F(ClientJobTest, TransfersNeedDevicesOfTwoProcesses) {
  auto *extension = findExtension<PJRT_CrossHostTransfers_Extension>(
      PJRT_Extension_Type_CrossHostTransfers);
  ASSERT_TRUE(extension);
  auto receive = [&](TestClient &client, int device, int32_t source) {
    size_t rank = 1;
    const int64_t dims[] = {4}, *allDims[] = {dims};
    PJRT_Buffer_Type type = PJRT_Buffer_Type_F32;
    int64_t key = 0;
    PJRT_Buffer *buffer = nullptr;
    auto args = make<PJRT_Transfers_CrossHostReceiveBuffers_Args>();
    args.client = client.client;
    args.num_shapes = 1;
    args.shape_num_dims = &rank;
    args.dims = allDims;
    args.element_types = &type;
    args.device = client.devices()[device];
    args.src_global_device_ids = &source;
    args.transfer_keys = &key;
    args.buffers = &buffer;
    Outcome outcome =
        take(extension->PJRT_Transfers_CrossHostReceiveBuffers(&args));
    EXPECT_EQ(buffer != nullptr, outcome.ok());
    if (buffer)
      destroy(buffer);
    return outcome.message;
  };
  // Devices 0 and 1 are of process 0, device 2 of this one.
  EXPECT_EQ(receive(*client, 2, 0), "");
  EXPECT_THAT(receive(*client, 2, 2), HasSubstr("belongs to this process"));
  EXPECT_THAT(receive(*client, 2, 4), HasSubstr("there is no device 4"));
  EXPECT_THAT(receive(*client, 0, 2), HasSubstr("belongs to process 0"));
  TestClient alone(2);
  EXPECT_THAT(receive(alone, 0, 1),
              HasSubstr("belongs to a job of one process"));
}

TEST(ClientJobLimitTest, TooManyDevices) {
  auto job =
      std::make_shared<test::FakeJob>(llvm::ArrayRef<int32_t>{1 << 20, 1}, 0);
  EXPECT_THAT(llvm::toString(pjrt::joinJob({}, job).takeError()),
              HasSubstr("have 1048577 devices"));
}

} // namespace
