//===- client_layout_test.cc - layout of clients --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/client.h"
#include "shardwright/pjrt_abi/layout_checks.h"

#include "gtest/gtest.h"

// clang-format off
SIZE(PJRT_KeyValueGetCallback_Args, 80);
AT(PJRT_KeyValueGetCallback_Args, key, 16);
AT(PJRT_KeyValueGetCallback_Args, key_size, 24);
AT(PJRT_KeyValueGetCallback_Args, timeout_in_ms, 32);
AT(PJRT_KeyValueGetCallback_Args, callback_error, 40);
AT(PJRT_KeyValueGetCallback_Args, user_arg, 48);
AT(PJRT_KeyValueGetCallback_Args, value, 56);
AT(PJRT_KeyValueGetCallback_Args, value_size, 64);
AT(PJRT_KeyValueGetCallback_Args, value_deleter_callback, 72);

SIZE(PJRT_KeyValueTryGetCallback_Args, 72);
AT(PJRT_KeyValueTryGetCallback_Args, key, 16);
AT(PJRT_KeyValueTryGetCallback_Args, key_size, 24);
AT(PJRT_KeyValueTryGetCallback_Args, callback_error, 32);
AT(PJRT_KeyValueTryGetCallback_Args, user_arg, 40);
AT(PJRT_KeyValueTryGetCallback_Args, value, 48);
AT(PJRT_KeyValueTryGetCallback_Args, value_size, 56);
AT(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback, 64);

SIZE(PJRT_KeyValuePutCallback_Args, 64);
AT(PJRT_KeyValuePutCallback_Args, key, 16);
AT(PJRT_KeyValuePutCallback_Args, key_size, 24);
AT(PJRT_KeyValuePutCallback_Args, value, 32);
AT(PJRT_KeyValuePutCallback_Args, value_size, 40);
AT(PJRT_KeyValuePutCallback_Args, callback_error, 48);
AT(PJRT_KeyValuePutCallback_Args, user_arg, 56);

SIZE(PJRT_Client_Create_Args, 88);
AT(PJRT_Client_Create_Args, create_options, 16);
AT(PJRT_Client_Create_Args, num_options, 24);
AT(PJRT_Client_Create_Args, kv_get_callback, 32);
AT(PJRT_Client_Create_Args, kv_get_user_arg, 40);
AT(PJRT_Client_Create_Args, kv_put_callback, 48);
AT(PJRT_Client_Create_Args, kv_put_user_arg, 56);
AT(PJRT_Client_Create_Args, client, 64);
AT(PJRT_Client_Create_Args, kv_try_get_callback, 72);
AT(PJRT_Client_Create_Args, kv_try_get_user_arg, 80);

SIZE(PJRT_Client_Destroy_Args, 24);
AT(PJRT_Client_Destroy_Args, client, 16);

SIZE(PJRT_Client_PlatformName_Args, 40);
AT(PJRT_Client_PlatformName_Args, client, 16);
AT(PJRT_Client_PlatformName_Args, platform_name, 24);
AT(PJRT_Client_PlatformName_Args, platform_name_size, 32);

SIZE(PJRT_Client_ProcessIndex_Args, 32);
AT(PJRT_Client_ProcessIndex_Args, client, 16);
AT(PJRT_Client_ProcessIndex_Args, process_index, 24);

SIZE(PJRT_Client_PlatformVersion_Args, 40);
AT(PJRT_Client_PlatformVersion_Args, client, 16);
AT(PJRT_Client_PlatformVersion_Args, platform_version, 24);
AT(PJRT_Client_PlatformVersion_Args, platform_version_size, 32);

SIZE(PJRT_Client_TopologyDescription_Args, 32);
AT(PJRT_Client_TopologyDescription_Args, client, 16);
AT(PJRT_Client_TopologyDescription_Args, topology, 24);

SIZE(PJRT_Client_Devices_Args, 40);
AT(PJRT_Client_Devices_Args, client, 16);
AT(PJRT_Client_Devices_Args, devices, 24);
AT(PJRT_Client_Devices_Args, num_devices, 32);

SIZE(PJRT_Client_AddressableDevices_Args, 40);
AT(PJRT_Client_AddressableDevices_Args, client, 16);
AT(PJRT_Client_AddressableDevices_Args, addressable_devices, 24);
AT(PJRT_Client_AddressableDevices_Args, num_addressable_devices, 32);

SIZE(PJRT_Client_LookupDevice_Args, 40);
AT(PJRT_Client_LookupDevice_Args, client, 16);
AT(PJRT_Client_LookupDevice_Args, id, 24);
AT(PJRT_Client_LookupDevice_Args, device, 32);

SIZE(PJRT_Client_LookupAddressableDevice_Args, 40);
AT(PJRT_Client_LookupAddressableDevice_Args, client, 16);
AT(PJRT_Client_LookupAddressableDevice_Args, local_hardware_id, 24);
AT(PJRT_Client_LookupAddressableDevice_Args, addressable_device, 32);

SIZE(PJRT_ProcessInfo, 48);
AT(PJRT_ProcessInfo, task_id, 8);
AT(PJRT_ProcessInfo, incarnation_id, 16);
AT(PJRT_ProcessInfo, state, 24);
AT(PJRT_ProcessInfo, error_code, 28);
AT(PJRT_ProcessInfo, error_message, 32);
AT(PJRT_ProcessInfo, error_message_size, 40);

SIZE(PJRT_Client_UpdateGlobalProcessInfo_Args, 40);
AT(PJRT_Client_UpdateGlobalProcessInfo_Args, client, 16);
AT(PJRT_Client_UpdateGlobalProcessInfo_Args, process_infos, 24);
AT(PJRT_Client_UpdateGlobalProcessInfo_Args, num_process_infos, 32);

SIZE(PJRT_Client_AddressableMemories_Args, 40);
AT(PJRT_Client_AddressableMemories_Args, client, 16);
AT(PJRT_Client_AddressableMemories_Args, addressable_memories, 24);
AT(PJRT_Client_AddressableMemories_Args, num_addressable_memories, 32);

SIZE(PJRT_Program, 48);
AT(PJRT_Program, code, 16);
AT(PJRT_Program, code_size, 24);
AT(PJRT_Program, format, 32);
AT(PJRT_Program, format_size, 40);

SIZE(PJRT_Client_Compile_Args, 56);
AT(PJRT_Client_Compile_Args, client, 16);
AT(PJRT_Client_Compile_Args, program, 24);
AT(PJRT_Client_Compile_Args, compile_options, 32);
AT(PJRT_Client_Compile_Args, compile_options_size, 40);
AT(PJRT_Client_Compile_Args, executable, 48);

SIZE(PJRT_Client_Load_Args, 56);
AT(PJRT_Client_Load_Args, client, 16);
AT(PJRT_Client_Load_Args, executable, 24);
AT(PJRT_Client_Load_Args, compile_options, 32);
AT(PJRT_Client_Load_Args, compile_options_size, 40);
AT(PJRT_Client_Load_Args, loaded_executable, 48);

SIZE(PJRT_Client_DefaultDeviceAssignment_Args, 48);
AT(PJRT_Client_DefaultDeviceAssignment_Args, client, 16);
AT(PJRT_Client_DefaultDeviceAssignment_Args, num_replicas, 24);
AT(PJRT_Client_DefaultDeviceAssignment_Args, num_partitions, 28);
AT(PJRT_Client_DefaultDeviceAssignment_Args, default_assignment_size, 32);
AT(PJRT_Client_DefaultDeviceAssignment_Args, default_assignment, 40);

SIZE(PJRT_Client_DmaMap_Args, 40);
AT(PJRT_Client_DmaMap_Args, client, 16);
AT(PJRT_Client_DmaMap_Args, data, 24);
AT(PJRT_Client_DmaMap_Args, size, 32);

SIZE(PJRT_Client_DmaUnmap_Args, 32);
AT(PJRT_Client_DmaUnmap_Args, client, 16);
AT(PJRT_Client_DmaUnmap_Args, data, 24);

SIZE(PJRT_Client_CreateUninitializedBuffer_Args, 80);
AT(PJRT_Client_CreateUninitializedBuffer_Args, client, 16);
AT(PJRT_Client_CreateUninitializedBuffer_Args, shape_dims, 24);
AT(PJRT_Client_CreateUninitializedBuffer_Args, shape_num_dims, 32);
AT(PJRT_Client_CreateUninitializedBuffer_Args, shape_element_type, 40);
AT(PJRT_Client_CreateUninitializedBuffer_Args, shape_layout, 48);
AT(PJRT_Client_CreateUninitializedBuffer_Args, device, 56);
AT(PJRT_Client_CreateUninitializedBuffer_Args, memory, 64);
AT(PJRT_Client_CreateUninitializedBuffer_Args, buffer, 72);

SIZE(PJRT_Client_CreateErrorBuffer_Args, 112);
AT(PJRT_Client_CreateErrorBuffer_Args, client, 16);
AT(PJRT_Client_CreateErrorBuffer_Args, error_code, 24);
AT(PJRT_Client_CreateErrorBuffer_Args, error_message, 32);
AT(PJRT_Client_CreateErrorBuffer_Args, error_message_size, 40);
AT(PJRT_Client_CreateErrorBuffer_Args, shape_dims, 48);
AT(PJRT_Client_CreateErrorBuffer_Args, shape_num_dims, 56);
AT(PJRT_Client_CreateErrorBuffer_Args, shape_element_type, 64);
AT(PJRT_Client_CreateErrorBuffer_Args, shape_layout, 72);
AT(PJRT_Client_CreateErrorBuffer_Args, memory, 80);
AT(PJRT_Client_CreateErrorBuffer_Args, buffer, 88);
AT(PJRT_Client_CreateErrorBuffer_Args, payload, 96);
AT(PJRT_Client_CreateErrorBuffer_Args, num_payload, 104);

SIZE(PJRT_Client_CreateAliasBuffer_Args, 80);
AT(PJRT_Client_CreateAliasBuffer_Args, client, 16);
AT(PJRT_Client_CreateAliasBuffer_Args, memory, 24);
AT(PJRT_Client_CreateAliasBuffer_Args, shape_dims, 32);
AT(PJRT_Client_CreateAliasBuffer_Args, shape_num_dims, 40);
AT(PJRT_Client_CreateAliasBuffer_Args, shape_element_type, 48);
AT(PJRT_Client_CreateAliasBuffer_Args, shape_layout, 56);
AT(PJRT_Client_CreateAliasBuffer_Args, alias_buffer, 64);
AT(PJRT_Client_CreateAliasBuffer_Args, fulfill_alias_buffer_cb, 72);

SIZE(PJRT_Client_FulfillAliasBuffer_Args, 64);
AT(PJRT_Client_FulfillAliasBuffer_Args, client, 16);
AT(PJRT_Client_FulfillAliasBuffer_Args, buffer, 24);
AT(PJRT_Client_FulfillAliasBuffer_Args, status_code, 32);
AT(PJRT_Client_FulfillAliasBuffer_Args, error_message, 40);
AT(PJRT_Client_FulfillAliasBuffer_Args, error_message_size, 48);
AT(PJRT_Client_FulfillAliasBuffer_Args, fulfill_alias_buffer_cb, 56);

SIZE(PJRT_Client_BufferFromHostBuffer_Args, 120);
AT(PJRT_Client_BufferFromHostBuffer_Args, client, 16);
AT(PJRT_Client_BufferFromHostBuffer_Args, data, 24);
AT(PJRT_Client_BufferFromHostBuffer_Args, type, 32);
AT(PJRT_Client_BufferFromHostBuffer_Args, dims, 40);
AT(PJRT_Client_BufferFromHostBuffer_Args, num_dims, 48);
AT(PJRT_Client_BufferFromHostBuffer_Args, byte_strides, 56);
AT(PJRT_Client_BufferFromHostBuffer_Args, num_byte_strides, 64);
AT(PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics, 72);
AT(PJRT_Client_BufferFromHostBuffer_Args, device, 80);
AT(PJRT_Client_BufferFromHostBuffer_Args, memory, 88);
AT(PJRT_Client_BufferFromHostBuffer_Args, device_layout, 96);
AT(PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer, 104);
AT(PJRT_Client_BufferFromHostBuffer_Args, buffer, 112);

SIZE(PJRT_Client_CreateViewOfDeviceBuffer_Args, 112);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, client, 16);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, device_buffer_ptr, 24);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, dims, 32);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, num_dims, 40);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, element_type, 48);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, layout, 56);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, device, 64);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, on_delete_callback, 72);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, on_delete_callback_arg, 80);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, stream, 88);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, buffer, 96);
AT(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory, 104);

SIZE(PJRT_ShapeSpec, 40);
AT(PJRT_ShapeSpec, dims, 16);
AT(PJRT_ShapeSpec, num_dims, 24);
AT(PJRT_ShapeSpec, element_type, 32);

SIZE(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, 72);
AT(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, client, 16);
AT(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, shape_specs, 24);
AT(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, num_shape_specs, 32);
AT(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, device_layouts, 40);
AT(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, num_device_layouts, 48);
AT(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, memory, 56);
AT(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, transfer_manager, 64);

END(PJRT_Client_ProcessIndex_Args, process_index, 28);
END(PJRT_ShapeSpec, element_type, 36);
// clang-format on

TEST(PjrtAbi, ClientLayoutIsCheckedWhenCompiled) {}
