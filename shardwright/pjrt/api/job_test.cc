//===- job_test.cc - a client of one process of several -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices of a fake backend: 0 and 1 of process 0, 2 and 3 of process 1, 4 of
// process 2. This process is the second.
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/program.h"
#include "shardwright/pjrt/api/run_recorder.h"
#include "shardwright/runtime/fake_backend_test_util.h"
#include "test/pjrt/plugin.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace shardwright;
using namespace shardwright::pjrt_test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::unique_ptr<Client> runtimeOf(std::shared_ptr<test::FakeBackend> backend) {
  backend->devices->isLate = false;
  return std::make_unique<Client>(std::move(backend), 1);
}

class JobTest : public testing::Test {
protected:
  static constexpr int32_t owners[] = {0, 0, 1, 1, 2};

  /// Calls a function of the table, which must succeed.
  template <typename Args>
  void call(PJRT_Error *(*function)(Args *), Args &args) {
    Outcome outcome = take(function(&args));
    ASSERT_TRUE(outcome.ok()) << outcome.message;
  }
  template <typename Args> Args ofClient() {
    auto args = make<Args>();
    args.client = client.client;
    return args;
  }
  template <typename Args> Args ofDevice(int id) {
    auto args = make<Args>();
    args.device = device(id);
    return args;
  }
  PJRT_Device *device(int id) { return client.devices()[id]; }
  int idOf(PJRT_Device *device) {
    auto args = make<PJRT_Device_GetDescription_Args>();
    args.device = device;
    take(api()->PJRT_Device_GetDescription(&args));
    auto id = make<PJRT_DeviceDescription_Id_Args>();
    id.device_description = args.device_description;
    take(api()->PJRT_DeviceDescription_Id(&id));
    return id.id;
  }
  std::vector<int> idsOf(PJRT_Device *const *devices, size_t count) {
    std::vector<int> ids;
    for (PJRT_Device *device : llvm::ArrayRef(devices, count))
      ids.push_back(idOf(device));
    return ids;
  }
  PJRT_Buffer *floats(std::vector<float> elements, int id) {
    PJRT_Buffer *buffer = nullptr;
    Outcome outcome =
        client.fromHost(elements.data(), PJRT_Buffer_Type_F32,
                        {int64_t(elements.size())}, device(id), buffer);
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    return buffer;
  }
  /// A program whose positions are on these devices.
  PJRT_LoadedExecutable *load(llvm::ArrayRef<int64_t> assignment,
                              bool isPortable = false) {
    auto program = std::make_shared<pjrt::ClientProgram>();
    program->name = "double";
    program->request.numPartitions = isPortable ? 1 : assignment.size();
    program->request.assignment.assign(assignment.begin(), assignment.end());
    program->request.isPortable = isPortable;
    doubling = std::make_shared<test::Doubling>(program->request.numPartitions);
    program->executable = test::makeExecutable(doubling);
    program->argumentOf = program->resultOf = {0};
    program->layouts.arguments.resize(1);
    program->layouts.results.resize(1);
    program->describe();
    PJRT_LoadedExecutable *loaded = nullptr;
    Outcome outcome = take(pjrt::load(
        pjrt::handles<PJRT_Client>().find(client.client), program, loaded));
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    return loaded;
  }
  /// One argument and one result a device.
  Outcome execute(PJRT_LoadedExecutable *loaded,
                  std::vector<PJRT_Buffer *> arguments,
                  std::vector<PJRT_Buffer *> &results,
                  PJRT_Device *device = nullptr) {
    std::vector<PJRT_Buffer *const *> argumentLists;
    std::vector<PJRT_Buffer **> outputLists;
    results.assign(arguments.size(), nullptr);
    for (size_t d = 0; d < arguments.size(); ++d) {
      argumentLists.push_back(&arguments[d]);
      outputLists.push_back(&results[d]);
    }
    auto options = make<PJRT_ExecuteOptions>();
    auto args = make<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = loaded;
    args.options = &options;
    args.argument_lists = argumentLists.data();
    args.num_devices = arguments.size();
    args.num_args = arguments.empty() ? 0 : 1;
    args.output_lists = outputLists.data();
    args.execute_device = device;
    return take(api()->PJRT_LoadedExecutable_Execute(&args));
  }
  std::vector<float> values(PJRT_Buffer *buffer) {
    std::vector<float> elements(4);
    Outcome outcome = toHost(buffer, elements);
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    return elements;
  }

  /// What `load` has loaded last.
  std::shared_ptr<test::Doubling> doubling;
  TestClient client{
      pjrt::newClient(runtimeOf(std::make_shared<test::FakeBackend>(owners, 1)),
                      "shardwright")};
};

TEST_F(JobTest, ClientsHaveAllDevicesAndAddressTheirOwn) {
  auto process = ofClient<PJRT_Client_ProcessIndex_Args>();
  call(api()->PJRT_Client_ProcessIndex, process);
  EXPECT_EQ(process.process_index, 1);
  auto all = ofClient<PJRT_Client_Devices_Args>();
  call(api()->PJRT_Client_Devices, all);
  EXPECT_THAT(idsOf(all.devices, all.num_devices), ElementsAre(0, 1, 2, 3, 4));
  auto own = ofClient<PJRT_Client_AddressableDevices_Args>();
  call(api()->PJRT_Client_AddressableDevices, own);
  EXPECT_THAT(idsOf(own.addressable_devices, own.num_addressable_devices),
              ElementsAre(2, 3));
  auto memories = ofClient<PJRT_Client_AddressableMemories_Args>();
  call(api()->PJRT_Client_AddressableMemories, memories);
  ASSERT_EQ(memories.num_addressable_memories, 2u);
  for (int i = 0; i < 2; ++i) {
    auto devices = make<PJRT_Memory_AddressableByDevices_Args>();
    devices.memory = memories.addressable_memories[i];
    call(api()->PJRT_Memory_AddressableByDevices, devices);
    EXPECT_THAT(idsOf(devices.devices, devices.num_devices),
                ElementsAre(2 + i));
  }
}

TEST_F(JobTest, DevicesAreFoundByGlobalAndByLocalNumber) {
  for (int id = 0; id < 5; ++id) {
    auto global = ofClient<PJRT_Client_LookupDevice_Args>();
    global.id = id;
    call(api()->PJRT_Client_LookupDevice, global);
    EXPECT_EQ(idOf(global.device), id);
  }
  for (int id = 0; id < 2; ++id) {
    auto local = ofClient<PJRT_Client_LookupAddressableDevice_Args>();
    local.local_hardware_id = id;
    call(api()->PJRT_Client_LookupAddressableDevice, local);
    EXPECT_EQ(idOf(local.addressable_device), 2 + id);
  }
  for (int id : {-1, 2}) {
    auto local = ofClient<PJRT_Client_LookupAddressableDevice_Args>();
    local.local_hardware_id = id;
    EXPECT_EQ(take(api()->PJRT_Client_LookupAddressableDevice(&local)).code,
              PJRT_Error_Code_INVALID_ARGUMENT);
  }
}

TEST_F(JobTest, DevicesSayWhoseTheyAre) {
  for (int id = 0; id < 5; ++id) {
    bool isLocal = id == 2 || id == 3;
    auto addressable = ofDevice<PJRT_Device_IsAddressable_Args>(id);
    call(api()->PJRT_Device_IsAddressable, addressable);
    EXPECT_EQ(addressable.is_addressable, isLocal);
    auto local = ofDevice<PJRT_Device_LocalHardwareId_Args>(id);
    call(api()->PJRT_Device_LocalHardwareId, local);
    EXPECT_EQ(local.local_hardware_id, isLocal ? id - 2 : -1);
    auto memories = ofDevice<PJRT_Device_AddressableMemories_Args>(id);
    call(api()->PJRT_Device_AddressableMemories, memories);
    EXPECT_EQ(memories.num_memories, isLocal ? 1u : 0u);
    auto description = ofDevice<PJRT_Device_GetDescription_Args>(id);
    call(api()->PJRT_Device_GetDescription, description);
    auto process = make<PJRT_DeviceDescription_ProcessIndex_Args>();
    process.device_description = description.device_description;
    call(api()->PJRT_DeviceDescription_ProcessIndex, process);
    EXPECT_EQ(process.process_index, owners[id]);
    auto memory = ofDevice<PJRT_Device_DefaultMemory_Args>(id);
    EXPECT_EQ(take(api()->PJRT_Device_DefaultMemory(&memory)).ok(), isLocal);
    auto statistics = ofDevice<PJRT_Device_MemoryStats_Args>(id);
    EXPECT_EQ(take(api()->PJRT_Device_MemoryStats(&statistics)).ok(), isLocal);
  }
}

TEST_F(JobTest, NoBuffersOnRemoteDevices) {
  constexpr llvm::StringLiteral why("device 4 belongs to process 2");
  float data[4] = {};
  PJRT_Buffer *none = nullptr;
  Outcome outcome =
      client.fromHost(data, PJRT_Buffer_Type_F32, {4}, device(4), none);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message, HasSubstr(why));
  int64_t dims[] = {4};
  auto empty = ofClient<PJRT_Client_CreateUninitializedBuffer_Args>();
  empty.shape_dims = dims;
  empty.shape_num_dims = 1;
  empty.shape_element_type = PJRT_Buffer_Type_F32;
  empty.device = device(4);
  outcome = take(api()->PJRT_Client_CreateUninitializedBuffer(&empty));
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message, HasSubstr(why));
  auto view = ofClient<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  view.device_buffer_ptr = data;
  view.dims = dims;
  view.num_dims = 1;
  view.element_type = PJRT_Buffer_Type_F32;
  view.device = device(4);
  outcome = take(api()->PJRT_Client_CreateViewOfDeviceBuffer(&view));
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message, HasSubstr(why));

  PJRT_Buffer *buffer = floats({1, 2, 3, 4}, 2);
  auto copy = make<PJRT_Buffer_CopyToDevice_Args>();
  copy.buffer = buffer;
  copy.dst_device = device(4);
  outcome = take(api()->PJRT_Buffer_CopyToDevice(&copy));
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message, HasSubstr(why));
  copy.dst_device = device(3);
  call(api()->PJRT_Buffer_CopyToDevice, copy);
  EXPECT_THAT(values(copy.dst_buffer), ElementsAre(1, 2, 3, 4));
  destroy(copy.dst_buffer);
  destroy(buffer);
}

TEST_F(JobTest, ExecutablesRunOnTheirLocalDevices) {
  PJRT_LoadedExecutable *loaded = load({4, 3, 0, 2});
  auto devices = make<PJRT_LoadedExecutable_AddressableDevices_Args>();
  devices.executable = loaded;
  call(api()->PJRT_LoadedExecutable_AddressableDevices, devices);
  EXPECT_THAT(
      idsOf(devices.addressable_devices, devices.num_addressable_devices),
      ElementsAre(3, 2));
  auto ids = make<PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args>();
  ids.executable = loaded;
  call(api()->PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  ASSERT_EQ(ids.num_addressable_device_logical_ids, 2u);
  EXPECT_EQ(ids.addressable_device_logical_ids[0].partition, 1);
  EXPECT_EQ(ids.addressable_device_logical_ids[1].partition, 3);

  pjrt::RunRecorder recorder;
  recorder.start();
  std::vector<PJRT_Buffer *> results;
  PJRT_Buffer *a = floats({1, 2, 3, 4}, 3), *b = floats({5, 6, 7, 8}, 2);
  Outcome outcome = execute(loaded, {a, b}, results);
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_THAT(values(results[0]), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(values(results[1]), ElementsAre(10, 12, 14, 16));
  recorder.stop();
  for (PJRT_Buffer *result : results)
    destroy(result);
  std::vector<pjrt::RecordedRun> runs = recorder.runs();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_THAT(runs[0].devices, ElementsAre(DeviceId(3), DeviceId(2)));
  std::string profile = pjrt::toXSpace(runs);
  for (int id = 0; id < 5; ++id)
    EXPECT_EQ(llvm::StringRef(profile).contains("/device:CUSTOM:shardwright:" +
                                                std::to_string(id)),
              id == 2 || id == 3);

  outcome = execute(loaded, {a}, results);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(outcome.message, "the program runs on 2 devices, but was given "
                             "arguments of 1");
  destroy(a);
  destroy(b);
  destroy(loaded);
}

TEST_F(JobTest, RefusedRunsAreAbandoned) {
  PJRT_LoadedExecutable *loaded = load({4, 3, 0, 2});
  std::vector<PJRT_Buffer *> results;
  PJRT_Buffer *a = floats({1, 2, 3, 4}, 3), *b = floats({5, 6, 7, 8}, 2);
  EXPECT_FALSE(execute(loaded, {a}, results).ok());
  EXPECT_FALSE(execute(loaded, {a, nullptr}, results).ok());
  auto deleted = make<PJRT_Buffer_Delete_Args>();
  deleted.buffer = b;
  call(api()->PJRT_Buffer_Delete, deleted);
  EXPECT_FALSE(execute(loaded, {a, b}, results).ok());
  EXPECT_FALSE(execute(loaded, {b, a}, results).ok());
  ASSERT_EQ(doubling->abandoned.size(), 4u);
  for (const auto &[devices, why] : doubling->abandoned)
    EXPECT_THAT(devices, ElementsAre(DeviceId(4), DeviceId(3), DeviceId(0),
                                     DeviceId(2)));
  EXPECT_THAT(doubling->abandoned[0].second,
              HasSubstr("was given arguments of 1"));
  EXPECT_THAT(doubling->abandoned[2].second, HasSubstr("has been deleted"));
  destroy(a);
  destroy(b);
  destroy(loaded);
}

TEST_F(JobTest, RunsOfOtherProcessesDoNothing) {
  PJRT_LoadedExecutable *loaded = load({0, 4});
  auto devices = make<PJRT_LoadedExecutable_AddressableDevices_Args>();
  devices.executable = loaded;
  call(api()->PJRT_LoadedExecutable_AddressableDevices, devices);
  EXPECT_EQ(devices.num_addressable_devices, 0u);
  std::vector<PJRT_Buffer *> results;
  Outcome outcome = execute(loaded, {}, results);
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  destroy(loaded);
}

TEST_F(JobTest, PortableProgramsRunOnTheDeviceThatTheCallNames) {
  // Without an assignment the program is for device 0, which is remote.
  PJRT_LoadedExecutable *loaded = load({}, /*isPortable=*/true);
  std::vector<PJRT_Buffer *> results;
  PJRT_Buffer *a = floats({1, 2, 3, 4}, 3);
  Outcome outcome = execute(loaded, {a}, results, device(3));
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_THAT(values(results[0]), ElementsAre(2, 4, 6, 8));
  destroy(results[0]);
  outcome = execute(loaded, {a}, results, device(0));
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message, HasSubstr("device 0 belongs to process 0"));
  destroy(a);
  destroy(loaded);
}

/// Bytes and fingerprint of a client's topology.
std::pair<std::string, uint64_t> topologyOf(const TestClient &client) {
  auto topology = make<PJRT_Client_TopologyDescription_Args>();
  topology.client = client.client;
  take(api()->PJRT_Client_TopologyDescription(&topology));
  auto bytes = make<PJRT_TopologyDescription_Serialize_Args>();
  bytes.topology = topology.topology;
  take(api()->PJRT_TopologyDescription_Serialize(&bytes));
  std::string text(bytes.serialized_bytes, bytes.serialized_bytes_size);
  bytes.serialized_topology_deleter(bytes.serialized_topology);
  auto fingerprint = make<PJRT_TopologyDescription_Fingerprint_Args>();
  fingerprint.topology = topology.topology;
  take(api()->PJRT_TopologyDescription_Fingerprint(&fingerprint));
  return {text, fingerprint.fingerprint};
}

TEST_F(JobTest, TopologiesAreThatOfTheJob) {
  auto mine = topologyOf(client);
  TestClient other(
      pjrt::newClient(runtimeOf(std::make_shared<test::FakeBackend>(owners, 2)),
                      "shardwright"));
  EXPECT_EQ(topologyOf(other), mine);
  auto read = make<PJRT_TopologyDescription_Deserialize_Args>();
  read.serialized_topology = mine.first.data();
  read.serialized_topology_size = mine.first.size();
  call(api()->PJRT_TopologyDescription_Deserialize, read);
  auto list = make<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  list.topology = read.topology;
  call(api()->PJRT_TopologyDescription_GetDeviceDescriptions, list);
  ASSERT_EQ(list.num_descriptions, 5u);
  for (int id = 0; id < 5; ++id) {
    auto process = make<PJRT_DeviceDescription_ProcessIndex_Args>();
    process.device_description = list.descriptions[id];
    call(api()->PJRT_DeviceDescription_ProcessIndex, process);
    EXPECT_EQ(process.process_index, owners[id]);
  }
  auto destroy = make<PJRT_TopologyDescription_Destroy_Args>();
  destroy.topology = read.topology;
  call(api()->PJRT_TopologyDescription_Destroy, destroy);
}

} // namespace
