//===- transfers_test.cc - layouts, chunked and deferred transfers --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace shardwright::pjrt_test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The default memory of a device.
PJRT_Memory *memoryOf(PJRT_Device *device) {
  auto args = make<PJRT_Device_DefaultMemory_Args>();
  args.device = device;
  EXPECT_TRUE(take(api()->PJRT_Device_DefaultMemory(&args)).ok());
  return args.memory;
}

PJRT_Buffer_MemoryLayout layout(const std::vector<int64_t> &minorToMajor) {
  PJRT_Buffer_MemoryLayout layout = {};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = minorToMajor.data();
  layout.tiled.minor_to_major_size = minorToMajor.size();
  return layout;
}

Outcome isReady(PJRT_Buffer *buffer, bool &isReady) {
  auto ready = make<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  Outcome outcome = take(api()->PJRT_Buffer_ReadyEvent(&ready));
  auto args = make<PJRT_Event_IsReady_Args>();
  args.event = ready.event;
  take(api()->PJRT_Event_IsReady(&args));
  isReady = args.is_ready;
  auto destroy = make<PJRT_Event_Destroy_Args>();
  destroy.event = ready.event;
  take(api()->PJRT_Event_Destroy(&destroy));
  return outcome;
}

/// A transfer of one f32 array.
struct Transfer {
  Transfer(TestClient &client, std::vector<int64_t> dims) {
    auto spec = make<PJRT_ShapeSpec>();
    spec.dims = dims.data();
    spec.num_dims = dims.size();
    spec.element_type = PJRT_Buffer_Type_F32;
    auto args = make<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
    args.client = client.client;
    args.shape_specs = &spec;
    args.num_shape_specs = 1;
    args.memory = memoryOf(client.devices()[0]);
    Outcome outcome =
        take(api()->PJRT_Client_CreateBuffersForAsyncHostToDevice(&args));
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    manager = args.transfer_manager;
  }
  Outcome retrieve(PJRT_Buffer *&buffer) {
    auto args =
        make<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    args.transfer_manager = manager;
    Outcome outcome = take(
        api()->PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&args));
    buffer = args.buffer_out;
    return outcome;
  }
  Outcome send(std::vector<float> data, int64_t offset, bool isLast,
               int index = 0) {
    auto args = make<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    args.transfer_manager = manager;
    args.buffer_index = index;
    args.data = data.data();
    args.offset = offset;
    args.transfer_size = data.size() * sizeof(float);
    args.is_last_transfer = isLast;
    Outcome outcome =
        take(api()->PJRT_AsyncHostToDeviceTransferManager_TransferData(&args));
    if (outcome.ok()) {
      auto destroy = make<PJRT_Event_Destroy_Args>();
      destroy.event = args.done_with_h2d_transfer;
      take(api()->PJRT_Event_Destroy(&destroy));
    }
    return outcome;
  }
  Outcome destroy() {
    auto args = make<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
    args.transfer_manager = manager;
    return take(api()->PJRT_AsyncHostToDeviceTransferManager_Destroy(&args));
  }
  PJRT_AsyncHostToDeviceTransferManager *manager = nullptr;
};

TEST(PjrtTransfer, ABufferIsThereWithItsLastPiece) {
  TestClient client(1);
  Transfer transfer(client, {4});
  PJRT_Buffer *buffer = nullptr, *again = nullptr;
  ASSERT_TRUE(transfer.retrieve(buffer).ok());
  EXPECT_THAT(transfer.retrieve(again).message, HasSubstr("retrieved already"));
  bool ready = true;
  EXPECT_TRUE(transfer.send({3, 4}, 8, false).ok());
  EXPECT_TRUE(isReady(buffer, ready).ok());
  EXPECT_FALSE(ready);
  EXPECT_THAT(transfer.send({5}, 16, false).message,
              HasSubstr("bytes 16 to 20 of a buffer of 16"));
  EXPECT_THAT(transfer.send({5}, 0, false, 1).message,
              HasSubstr("there is no buffer 1 among the 1"));
  EXPECT_TRUE(transfer.send({1, 2}, 0, true).ok());
  EXPECT_THAT(transfer.send({1}, 0, true).message,
              HasSubstr("has had its last transfer already"));
  std::vector<float> back(4);
  EXPECT_TRUE(toHost(buffer, back).ok());
  EXPECT_THAT(back, ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(transfer.destroy().ok());
  EXPECT_THAT(transfer.destroy().message, HasSubstr("destroyed already"));
  EXPECT_THAT(transfer.send({1}, 0, true).message,
              HasSubstr("has been destroyed"));
  destroy(buffer);
}

TEST(PjrtTransfer, WhatDoesNotComeIsAnError) {
  TestClient client(1);
  PJRT_Buffer *given = nullptr, *failed = nullptr;
  std::vector<float> back(2);
  Transfer first(client, {2}), second(client, {2});
  ASSERT_TRUE(first.retrieve(given).ok() && second.retrieve(failed).ok());
  EXPECT_TRUE(first.destroy().ok());
  EXPECT_EQ(toHost(given, back).code, PJRT_Error_Code_CANCELLED);
  std::string message = "no such file";
  auto args = make<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  args.transfer_manager = second.manager;
  args.error_code = PJRT_Error_Code_NOT_FOUND;
  args.error_message = message.data();
  args.error_message_size = message.size();
  EXPECT_TRUE(
      take(api()->PJRT_AsyncHostToDeviceTransferManager_SetBufferError(&args))
          .ok());
  Outcome outcome = toHost(failed, back);
  EXPECT_EQ(outcome.code, PJRT_Error_Code_NOT_FOUND);
  EXPECT_EQ(outcome.message, message);
  second.destroy();
  destroy(given);
  destroy(failed);
}

TEST(PjrtLayout, BelongsToTheBuffer) {
  TestClient client(1);
  std::vector<int64_t> dims = {2, 3}, columns = {0, 1}, bad = {0, 0};
  std::vector<float> data = {1, 2, 3, 4, 5, 6};
  auto wanted = layout(columns);
  auto args = make<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client.client;
  args.data = data.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = dims.data();
  args.num_dims = 2;
  args.device = client.devices()[0];
  args.device_layout = &wanted;
  ASSERT_TRUE(take(api()->PJRT_Client_BufferFromHostBuffer(&args)).ok());
  PJRT_Buffer *buffer = args.buffer;
  auto done = make<PJRT_Event_Destroy_Args>();
  done.event = args.done_with_host_buffer;
  take(api()->PJRT_Event_Destroy(&done));

  auto found = make<PJRT_Buffer_GetMemoryLayout_Args>();
  found.buffer = buffer;
  ASSERT_TRUE(take(api()->PJRT_Buffer_GetMemoryLayout(&found)).ok());
  EXPECT_EQ(found.layout.tiled.minor_to_major[0], 0);
  // Copies to the host in the array's own layout, or in the requested one.
  std::vector<float> back(6);
  EXPECT_TRUE(toHost(buffer, back).ok());
  EXPECT_THAT(back, ElementsAre(1, 4, 2, 5, 3, 6));
  // Its memory does not have the layout that the array reports.
  auto onCpu = make<PJRT_Buffer_IsOnCpu_Args>();
  onCpu.buffer = buffer;
  take(api()->PJRT_Buffer_IsOnCpu(&onCpu));
  EXPECT_FALSE(onCpu.is_on_cpu);
  auto pointer = make<PJRT_Buffer_UnsafePointer_Args>();
  pointer.buffer = buffer;
  EXPECT_EQ(take(api()->PJRT_Buffer_UnsafePointer(&pointer)).code,
            PJRT_Error_Code_UNIMPLEMENTED);
  auto copy = make<PJRT_Buffer_CopyToMemory_Args>();
  copy.buffer = buffer;
  copy.dst_memory = memoryOf(client.devices()[0]);
  ASSERT_TRUE(take(api()->PJRT_Buffer_CopyToMemory(&copy)).ok());
  EXPECT_TRUE(toHost(copy.dst_buffer, back).ok());
  EXPECT_THAT(back, ElementsAre(1, 4, 2, 5, 3, 6));
  destroy(copy.dst_buffer);
  destroy(buffer);

  auto wrong = layout(bad);
  args.device_layout = &wrong;
  EXPECT_THAT(take(api()->PJRT_Client_BufferFromHostBuffer(&args)).message,
              HasSubstr("not an order of the dimensions"));
}

TEST(PjrtBuffer, WaitsForTheClientsWord) {
  TestClient client(1);
  float data[4] = {1, 2, 3, 4};
  PJRT_Buffer *buffer = nullptr;
  ASSERT_TRUE(client
                  .fromHost(data, PJRT_Buffer_Type_F32, {4},
                            client.devices()[0], buffer)
                  .ok());
  auto raw = make<PJRT_Buffer_CopyRawToHostFuture_Args>();
  raw.buffer = buffer;
  raw.offset = 4;
  raw.transfer_size = 8;
  ASSERT_TRUE(take(api()->PJRT_Buffer_CopyRawToHostFuture(&raw)).ok());
  float two[2] = {};
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args told = {
      sizeof(told), raw.callback_data, PJRT_Error_Code_OK, nullptr, 0, two};
  raw.future_ready_callback(&told);
  auto await = make<PJRT_Event_Await_Args>();
  await.event = raw.event;
  EXPECT_TRUE(take(api()->PJRT_Event_Await(&await)).ok());
  EXPECT_EQ(two[0], 2);
  EXPECT_EQ(two[1], 3);
  auto done = make<PJRT_Event_Destroy_Args>();
  done.event = raw.event;
  take(api()->PJRT_Event_Destroy(&done));
  raw.transfer_size = 16;
  EXPECT_THAT(take(api()->PJRT_Buffer_CopyRawToHostFuture(&raw)).message,
              HasSubstr("bytes 4 to 20 of a buffer of 16"));

  for (PJRT_Error_Code code : {PJRT_Error_Code_OK, PJRT_Error_Code_ABORTED}) {
    auto donate = make<PJRT_Buffer_DonateWithControlDependency_Args>();
    donate.buffer = buffer;
    ASSERT_TRUE(
        take(api()->PJRT_Buffer_DonateWithControlDependency(&donate)).ok());
    auto deleted = make<PJRT_Buffer_IsDeleted_Args>();
    deleted.buffer = buffer;
    take(api()->PJRT_Buffer_IsDeleted(&deleted));
    EXPECT_TRUE(deleted.is_deleted);
    bool ready = true;
    EXPECT_TRUE(isReady(donate.out_buffer, ready).ok());
    EXPECT_FALSE(ready);
    PJRT_Buffer_DonateWithControlDependency_Callback_Args word = {
        sizeof(word), donate.callback_data, code, "no", 2};
    donate.dependency_ready_callback(&word);
    std::vector<float> back(4);
    EXPECT_EQ(toHost(donate.out_buffer, back).code, code);
    destroy(buffer);
    buffer = donate.out_buffer;
  }
  destroy(buffer);
}

// An alias is used before its target is set.
TEST(PjrtBuffer, IsPromisedByAnAlias) {
  TestClient client(1), other(1);
  PJRT_LoadedExecutable *executable = nullptr;
  Outcome compiled = client.compile(R"(module {
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  })",
                                    "", executable);
  ASSERT_TRUE(compiled.ok()) << compiled.message;
  std::vector<int64_t> dims = {4}, more = {5};
  auto create = make<PJRT_Client_CreateAliasBuffer_Args>();
  create.client = client.client;
  create.memory = memoryOf(client.devices()[0]);
  create.shape_dims = dims.data();
  create.shape_num_dims = 1;
  create.shape_element_type = PJRT_Buffer_Type_F32;
  float data[5] = {1, 2, 3, 4, 5};
  PJRT_Buffer *buffer = nullptr, *larger = nullptr, *foreign = nullptr;
  PJRT_Device *device = client.devices()[0];
  client.fromHost(data, PJRT_Buffer_Type_F32, dims, device, buffer);
  client.fromHost(data, PJRT_Buffer_Type_F32, more, device, larger);
  other.fromHost(data, PJRT_Buffer_Type_F32, dims, other.devices()[0], foreign);

  for (PJRT_Error_Code code : {PJRT_Error_Code_OK, PJRT_Error_Code_ABORTED}) {
    ASSERT_TRUE(take(api()->PJRT_Client_CreateAliasBuffer(&create)).ok());
    bool ready = true;
    EXPECT_TRUE(isReady(create.alias_buffer, ready).ok());
    EXPECT_FALSE(ready);
    PJRT_Buffer *output = nullptr;
    ASSERT_TRUE(run(executable, {create.alias_buffer}, output).ok());

    auto fulfill = make<PJRT_Client_FulfillAliasBuffer_Args>();
    fulfill.client = client.client;
    fulfill.fulfill_alias_buffer_cb = create.fulfill_alias_buffer_cb;
    for (PJRT_Buffer *wrong : {larger, foreign}) {
      fulfill.buffer = wrong;
      EXPECT_THAT(take(api()->PJRT_Client_FulfillAliasBuffer(&fulfill)).message,
                  HasSubstr("another type, shape or client"));
    }
    fulfill.buffer = code == PJRT_Error_Code_OK ? buffer : nullptr;
    fulfill.status_code = code;
    fulfill.error_message = "given up";
    fulfill.error_message_size = 8;
    EXPECT_TRUE(take(api()->PJRT_Client_FulfillAliasBuffer(&fulfill)).ok());
    EXPECT_FALSE(take(api()->PJRT_Client_FulfillAliasBuffer(&fulfill)).ok());

    std::vector<float> alias(4), twice(4);
    Outcome first = toHost(create.alias_buffer, alias);
    Outcome second = toHost(output, twice);
    EXPECT_EQ(first.code, code) << first.message;
    EXPECT_EQ(second.code, code) << second.message;
    if (code == PJRT_Error_Code_OK) {
      EXPECT_THAT(alias, ElementsAre(1, 2, 3, 4));
      EXPECT_THAT(twice, ElementsAre(2, 4, 6, 8));
    } else {
      EXPECT_EQ(first.message, "given up");
      EXPECT_THAT(second.message, HasSubstr("given up"));
    }
    destroy(output);
    destroy(create.alias_buffer);
  }
  for (PJRT_Buffer *one : {buffer, larger, foreign})
    destroy(one);
  destroy(executable);
}

TEST(PjrtTopology, SaysWhatAShapeIsInAMemory) {
  std::string name = "2x2";
  auto create = make<PJRT_TopologyDescription_Create_Args>();
  create.topology_name = name.data();
  create.topology_name_size = name.size();
  ASSERT_TRUE(take(api()->PJRT_TopologyDescription_Create(&create)).ok());
  std::vector<int64_t> dims = {8, 4}, columns = {0, 1};
  auto args =
      make<PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args>();
  args.topology = create.topology;
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.element_type = PJRT_Buffer_Type_F32;
  auto shape = [&] {
    Outcome outcome =
        take(api()->PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace(
            &args));
    if (!outcome.ok())
      return outcome.message;
    std::string bytes(args.serialized_shape, args.serialized_shape_size);
    args.serialized_shape_deleter(args.serialized_shape);
    return bytes;
  };
  // f32[8,4]{1,0} and {0,1} as xla.ShapeProto.
  using namespace std::string_literals;
  EXPECT_EQ(shape(), "\x10\x0b\x1a\x02\x08\x04\x2a\x07\x0a\x02\x01\x00"
                     "\x80\x01\x01\x32\x02\x00\x00"s);
  PJRT_Buffer_MemoryLayout wanted = layout(columns);
  args.layout = &wanted;
  EXPECT_EQ(shape(), "\x10\x0b\x1a\x02\x08\x04\x2a\x07\x0a\x02\x00\x01"
                     "\x80\x01\x01\x32\x02\x00\x00"s);
  args.memory_space_kind_id = 7;
  EXPECT_THAT(shape(), HasSubstr("no memory of kind 7"));
  auto destroy = make<PJRT_TopologyDescription_Destroy_Args>();
  destroy.topology = create.topology;
  EXPECT_TRUE(take(api()->PJRT_TopologyDescription_Destroy(&destroy)).ok());
}

TEST(PjrtDevice, CountsItsMemory) {
  TestClient client(2);
  auto stats = make<PJRT_Device_MemoryStats_Args>();
  stats.device = client.devices()[1];
  ASSERT_TRUE(take(api()->PJRT_Device_MemoryStats(&stats)).ok());
  EXPECT_EQ(stats.bytes_in_use, 0);
  float data[4] = {};
  PJRT_Buffer *here = nullptr, *there = nullptr;
  client.fromHost(data, PJRT_Buffer_Type_F32, {4}, client.devices()[1], here);
  client.fromHost(data, PJRT_Buffer_Type_F32, {2}, client.devices()[0], there);
  ASSERT_TRUE(take(api()->PJRT_Device_MemoryStats(&stats)).ok());
  EXPECT_EQ(stats.bytes_in_use, 16);
  EXPECT_EQ(stats.num_allocs, 1);
  destroy(here);
  destroy(there);
}

} // namespace
