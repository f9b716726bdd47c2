//===- device_layout_test.cc - layout of devices and memories -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/device.h"
#include "shardwright/pjrt_abi/layout_checks.h"

#include "gtest/gtest.h"

// clang-format off
SIZE(PJRT_Memory_FunctionTable, 40);
AT(PJRT_Memory_FunctionTable, instance_struct_size, 16);
AT(PJRT_Memory_FunctionTable, get_user_data, 24);
AT(PJRT_Memory_FunctionTable, set_user_data, 32);

SIZE(PJRT_Memory, 8);
AT(PJRT_Memory, vtable, 0);

SIZE(PJRT_DeviceDescription_Id_Args, 32);
AT(PJRT_DeviceDescription_Id_Args, device_description, 16);
AT(PJRT_DeviceDescription_Id_Args, id, 24);

SIZE(PJRT_DeviceDescription_ProcessIndex_Args, 32);
AT(PJRT_DeviceDescription_ProcessIndex_Args, device_description, 16);
AT(PJRT_DeviceDescription_ProcessIndex_Args, process_index, 24);

SIZE(PJRT_DeviceDescription_Attributes_Args, 40);
AT(PJRT_DeviceDescription_Attributes_Args, device_description, 16);
AT(PJRT_DeviceDescription_Attributes_Args, num_attributes, 24);
AT(PJRT_DeviceDescription_Attributes_Args, attributes, 32);

SIZE(PJRT_DeviceDescription_Kind_Args, 40);
AT(PJRT_DeviceDescription_Kind_Args, device_description, 16);
AT(PJRT_DeviceDescription_Kind_Args, device_kind, 24);
AT(PJRT_DeviceDescription_Kind_Args, device_kind_size, 32);

SIZE(PJRT_DeviceDescription_DebugString_Args, 40);
AT(PJRT_DeviceDescription_DebugString_Args, device_description, 16);
AT(PJRT_DeviceDescription_DebugString_Args, debug_string, 24);
AT(PJRT_DeviceDescription_DebugString_Args, debug_string_size, 32);

SIZE(PJRT_DeviceDescription_ToString_Args, 40);
AT(PJRT_DeviceDescription_ToString_Args, device_description, 16);
AT(PJRT_DeviceDescription_ToString_Args, to_string, 24);
AT(PJRT_DeviceDescription_ToString_Args, to_string_size, 32);

SIZE(PJRT_Device_GetDescription_Args, 32);
AT(PJRT_Device_GetDescription_Args, device, 16);
AT(PJRT_Device_GetDescription_Args, device_description, 24);

SIZE(PJRT_Device_IsAddressable_Args, 32);
AT(PJRT_Device_IsAddressable_Args, device, 16);
AT(PJRT_Device_IsAddressable_Args, is_addressable, 24);

SIZE(PJRT_Device_LocalHardwareId_Args, 32);
AT(PJRT_Device_LocalHardwareId_Args, device, 16);
AT(PJRT_Device_LocalHardwareId_Args, local_hardware_id, 24);

SIZE(PJRT_Device_AddressableMemories_Args, 40);
AT(PJRT_Device_AddressableMemories_Args, device, 16);
AT(PJRT_Device_AddressableMemories_Args, memories, 24);
AT(PJRT_Device_AddressableMemories_Args, num_memories, 32);

SIZE(PJRT_Device_DefaultMemory_Args, 32);
AT(PJRT_Device_DefaultMemory_Args, device, 16);
AT(PJRT_Device_DefaultMemory_Args, memory, 24);

SIZE(PJRT_Device_MemoryStats_Args, 208);
AT(PJRT_Device_MemoryStats_Args, device, 16);
AT(PJRT_Device_MemoryStats_Args, bytes_in_use, 24);
AT(PJRT_Device_MemoryStats_Args, peak_bytes_in_use, 32);
AT(PJRT_Device_MemoryStats_Args, peak_bytes_in_use_is_set, 40);
AT(PJRT_Device_MemoryStats_Args, num_allocs, 48);
AT(PJRT_Device_MemoryStats_Args, num_allocs_is_set, 56);
AT(PJRT_Device_MemoryStats_Args, largest_alloc_size, 64);
AT(PJRT_Device_MemoryStats_Args, largest_alloc_size_is_set, 72);
AT(PJRT_Device_MemoryStats_Args, bytes_limit, 80);
AT(PJRT_Device_MemoryStats_Args, bytes_limit_is_set, 88);
AT(PJRT_Device_MemoryStats_Args, bytes_reserved, 96);
AT(PJRT_Device_MemoryStats_Args, bytes_reserved_is_set, 104);
AT(PJRT_Device_MemoryStats_Args, peak_bytes_reserved, 112);
AT(PJRT_Device_MemoryStats_Args, peak_bytes_reserved_is_set, 120);
AT(PJRT_Device_MemoryStats_Args, bytes_reservable_limit, 128);
AT(PJRT_Device_MemoryStats_Args, bytes_reservable_limit_is_set, 136);
AT(PJRT_Device_MemoryStats_Args, largest_free_block_bytes, 144);
AT(PJRT_Device_MemoryStats_Args, largest_free_block_bytes_is_set, 152);
AT(PJRT_Device_MemoryStats_Args, pool_bytes, 160);
AT(PJRT_Device_MemoryStats_Args, pool_bytes_is_set, 168);
AT(PJRT_Device_MemoryStats_Args, peak_pool_bytes, 176);
AT(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set, 184);
AT(PJRT_Device_MemoryStats_Args, peak_allocated_bytes, 192);
AT(PJRT_Device_MemoryStats_Args, peak_allocated_bytes_is_set, 200);

SIZE(PJRT_Device_ClearMemoryStats_Args, 24);
AT(PJRT_Device_ClearMemoryStats_Args, device, 16);

SIZE(PJRT_Device_PoisonExecution_Args, 72);
AT(PJRT_Device_PoisonExecution_Args, device, 16);
AT(PJRT_Device_PoisonExecution_Args, launch_id, 24);
AT(PJRT_Device_PoisonExecution_Args, error_code, 28);
AT(PJRT_Device_PoisonExecution_Args, error_message, 32);
AT(PJRT_Device_PoisonExecution_Args, error_message_size, 40);
AT(PJRT_Device_PoisonExecution_Args, poisoned, 48);
AT(PJRT_Device_PoisonExecution_Args, payload, 56);
AT(PJRT_Device_PoisonExecution_Args, num_payload, 64);

SIZE(PJRT_Device_GetAttributes_Args, 56);
AT(PJRT_Device_GetAttributes_Args, device, 16);
AT(PJRT_Device_GetAttributes_Args, attributes, 24);
AT(PJRT_Device_GetAttributes_Args, num_attributes, 32);
AT(PJRT_Device_GetAttributes_Args, device_attributes, 40);
AT(PJRT_Device_GetAttributes_Args, attributes_deleter, 48);

SIZE(PJRT_Device_CreateAsyncTrackingEvent_Args, 48);
AT(PJRT_Device_CreateAsyncTrackingEvent_Args, device, 16);
AT(PJRT_Device_CreateAsyncTrackingEvent_Args, description, 24);
AT(PJRT_Device_CreateAsyncTrackingEvent_Args, description_size, 32);
AT(PJRT_Device_CreateAsyncTrackingEvent_Args, event, 40);

SIZE(PJRT_AsyncTrackingEvent_Destroy_Args, 24);
AT(PJRT_AsyncTrackingEvent_Destroy_Args, event, 16);

SIZE(PJRT_Memory_Id_Args, 32);
AT(PJRT_Memory_Id_Args, memory, 16);
AT(PJRT_Memory_Id_Args, id, 24);

SIZE(PJRT_Memory_Kind_Args, 40);
AT(PJRT_Memory_Kind_Args, memory, 16);
AT(PJRT_Memory_Kind_Args, kind, 24);
AT(PJRT_Memory_Kind_Args, kind_size, 32);

SIZE(PJRT_Memory_Kind_Id_Args, 32);
AT(PJRT_Memory_Kind_Id_Args, memory, 16);
AT(PJRT_Memory_Kind_Id_Args, kind_id, 24);

SIZE(PJRT_Memory_DebugString_Args, 40);
AT(PJRT_Memory_DebugString_Args, memory, 16);
AT(PJRT_Memory_DebugString_Args, debug_string, 24);
AT(PJRT_Memory_DebugString_Args, debug_string_size, 32);

SIZE(PJRT_Memory_ToString_Args, 40);
AT(PJRT_Memory_ToString_Args, memory, 16);
AT(PJRT_Memory_ToString_Args, to_string, 24);
AT(PJRT_Memory_ToString_Args, to_string_size, 32);

SIZE(PJRT_Memory_AddressableByDevices_Args, 40);
AT(PJRT_Memory_AddressableByDevices_Args, memory, 16);
AT(PJRT_Memory_AddressableByDevices_Args, devices, 24);
AT(PJRT_Memory_AddressableByDevices_Args, num_devices, 32);

END(PJRT_DeviceDescription_Id_Args, id, 28);
END(PJRT_DeviceDescription_ProcessIndex_Args, process_index, 28);
END(PJRT_Device_IsAddressable_Args, is_addressable, 25);
END(PJRT_Device_LocalHardwareId_Args, local_hardware_id, 28);
END(PJRT_Device_MemoryStats_Args, peak_allocated_bytes_is_set, 201);
END(PJRT_Memory_Id_Args, id, 28);
END(PJRT_Memory_Kind_Id_Args, kind_id, 28);
// clang-format on

TEST(PjrtAbi, DeviceLayoutIsCheckedWhenCompiled) {}
