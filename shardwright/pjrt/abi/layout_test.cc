//===- layout_test.cc - the binary interface, offset by offset ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/abi/api.h"
#include "shardwright/pjrt/abi/custom_partitioner.h"
#include "shardwright/pjrt/abi/extensions.h"

#include "gtest/gtest.h"

#include <cstddef>

// clang-format off
#define SIZE(type, size) static_assert(sizeof(type) == size)
#define AT(type, field, offset) static_assert(offsetof(type, field) == offset)

SIZE(PJRT_Extension_Base, 24);
AT(PJRT_Extension_Base, type, 8);
AT(PJRT_Extension_Base, next, 16);

SIZE(PJRT_Api_Version, 24);
AT(PJRT_Api_Version, major_version, 16);
AT(PJRT_Api_Version, minor_version, 20);

SIZE(PJRT_Error_Destroy_Args, 24);
AT(PJRT_Error_Destroy_Args, error, 16);

SIZE(PJRT_Error_Message_Args, 40);
AT(PJRT_Error_Message_Args, error, 16);
AT(PJRT_Error_Message_Args, message, 24);
AT(PJRT_Error_Message_Args, message_size, 32);

SIZE(PJRT_Error_FunctionTable, 56);
AT(PJRT_Error_FunctionTable, instance_size, 8);
AT(PJRT_Error_FunctionTable, extension_start, 16);
AT(PJRT_Error_FunctionTable, destroy, 24);
AT(PJRT_Error_FunctionTable, message, 32);
AT(PJRT_Error_FunctionTable, get_code, 40);
AT(PJRT_Error_FunctionTable, for_each_payload, 48);

SIZE(PJRT_Error, 8);
AT(PJRT_Error, vtable, 0);

SIZE(PJRT_Error_GetCode_Args, 32);
AT(PJRT_Error_GetCode_Args, error, 16);
AT(PJRT_Error_GetCode_Args, code, 24);

SIZE(PJRT_Error_ForEachPayload_Args, 40);
AT(PJRT_Error_ForEachPayload_Args, error, 16);
AT(PJRT_Error_ForEachPayload_Args, visitor, 24);
AT(PJRT_Error_ForEachPayload_Args, user_arg, 32);

SIZE(PJRT_NamedValue, 56);
AT(PJRT_NamedValue, name, 16);
AT(PJRT_NamedValue, name_size, 24);
AT(PJRT_NamedValue, type, 32);
AT(PJRT_NamedValue, string_value, 40);
AT(PJRT_NamedValue, int64_value, 40);
AT(PJRT_NamedValue, int64_array_value, 40);
AT(PJRT_NamedValue, float_value, 40);
AT(PJRT_NamedValue, bool_value, 40);
AT(PJRT_NamedValue, value_size, 48);

SIZE(PJRT_Plugin_Initialize_Args, 16);

SIZE(PJRT_Plugin_Attributes_Args, 32);
AT(PJRT_Plugin_Attributes_Args, attributes, 16);
AT(PJRT_Plugin_Attributes_Args, num_attributes, 24);

SIZE(PJRT_Event_Destroy_Args, 24);
AT(PJRT_Event_Destroy_Args, event, 16);

SIZE(PJRT_Event_IsReady_Args, 32);
AT(PJRT_Event_IsReady_Args, event, 16);
AT(PJRT_Event_IsReady_Args, is_ready, 24);

SIZE(PJRT_Event_Error_Args, 24);
AT(PJRT_Event_Error_Args, event, 16);

SIZE(PJRT_Event_Await_Args, 24);
AT(PJRT_Event_Await_Args, event, 16);

SIZE(PJRT_Event_OnReady_Args, 40);
AT(PJRT_Event_OnReady_Args, event, 16);
AT(PJRT_Event_OnReady_Args, callback, 24);
AT(PJRT_Event_OnReady_Args, user_arg, 32);

SIZE(PJRT_Event_Create_Args, 24);
AT(PJRT_Event_Create_Args, event, 16);

SIZE(PJRT_Event_Set_Args, 48);
AT(PJRT_Event_Set_Args, event, 16);
AT(PJRT_Event_Set_Args, error_code, 24);
AT(PJRT_Event_Set_Args, error_message, 32);
AT(PJRT_Event_Set_Args, error_message_size, 40);

SIZE(PJRT_Memory_FunctionTable, 40);
AT(PJRT_Memory_FunctionTable, instance_struct_size, 16);
AT(PJRT_Memory_FunctionTable, get_user_data, 24);
AT(PJRT_Memory_FunctionTable, set_user_data, 32);

SIZE(PJRT_Memory, 8);
AT(PJRT_Memory, vtable, 0);

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

SIZE(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, 24);
AT(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager, 16);

SIZE(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, 72);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, buffer_index, 24);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, data, 32);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, offset, 40);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, transfer_size, 48);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, is_last_transfer, 56);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, done_with_h2d_transfer, 64);

SIZE(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, 40);
AT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_index, 24);
AT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_out, 32);

SIZE(PJRT_AsyncHostToDeviceTransferManager_Device_Args, 32);
AT(PJRT_AsyncHostToDeviceTransferManager_Device_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_Device_Args, device_out, 24);

SIZE(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, 32);
AT(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, buffer_count, 24);

SIZE(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, 40);
AT(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_index, 24);
AT(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_size, 32);

SIZE(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, 48);
AT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, buffer_index, 24);
AT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_code, 28);
AT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_message, 32);
AT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_message_size, 40);

SIZE(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, 40);
AT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, transfer_metadata, 24);
AT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, num_metadata, 32);

SIZE(PJRT_Buffer_MemoryLayout_Tiled, 56);
AT(PJRT_Buffer_MemoryLayout_Tiled, minor_to_major, 16);
AT(PJRT_Buffer_MemoryLayout_Tiled, minor_to_major_size, 24);
AT(PJRT_Buffer_MemoryLayout_Tiled, tile_dims, 32);
AT(PJRT_Buffer_MemoryLayout_Tiled, tile_dim_sizes, 40);
AT(PJRT_Buffer_MemoryLayout_Tiled, num_tiles, 48);

SIZE(PJRT_Buffer_MemoryLayout_Strides, 32);
AT(PJRT_Buffer_MemoryLayout_Strides, byte_strides, 16);
AT(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides, 24);

SIZE(PJRT_Buffer_MemoryLayout, 80);
AT(PJRT_Buffer_MemoryLayout, tiled, 16);
AT(PJRT_Buffer_MemoryLayout, strides, 16);
AT(PJRT_Buffer_MemoryLayout, type, 72);

SIZE(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, 80);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, buffer_index, 24);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, data, 32);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_dims, 40);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_num_dims, 48);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_element_type, 56);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_layout, 64);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, done_with_h2d_transfer, 72);

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

SIZE(PJRT_Device_MemoryStats_Args, 192);
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

SIZE(PJRT_ExecuteContext_Create_Args, 24);
AT(PJRT_ExecuteContext_Create_Args, context, 16);

SIZE(PJRT_ExecuteContext_Destroy_Args, 24);
AT(PJRT_ExecuteContext_Destroy_Args, context, 16);

SIZE(PJRT_Executable_Destroy_Args, 24);
AT(PJRT_Executable_Destroy_Args, executable, 16);

SIZE(PJRT_LoadedExecutable_Destroy_Args, 24);
AT(PJRT_LoadedExecutable_Destroy_Args, executable, 16);

SIZE(PJRT_LoadedExecutable_GetExecutable_Args, 32);
AT(PJRT_LoadedExecutable_GetExecutable_Args, loaded_executable, 16);
AT(PJRT_LoadedExecutable_GetExecutable_Args, executable, 24);

SIZE(PJRT_LoadedExecutable_GetDeviceAssignment_Args, 56);
AT(PJRT_LoadedExecutable_GetDeviceAssignment_Args, executable, 16);
AT(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_bytes, 24);
AT(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_bytes_size, 32);
AT(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_device_assignment, 40);
AT(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_device_assignment_deleter, 48);

SIZE(PJRT_Executable_Name_Args, 40);
AT(PJRT_Executable_Name_Args, executable, 16);
AT(PJRT_Executable_Name_Args, executable_name, 24);
AT(PJRT_Executable_Name_Args, executable_name_size, 32);

SIZE(PJRT_Executable_NumReplicas_Args, 32);
AT(PJRT_Executable_NumReplicas_Args, executable, 16);
AT(PJRT_Executable_NumReplicas_Args, num_replicas, 24);

SIZE(PJRT_Executable_NumPartitions_Args, 32);
AT(PJRT_Executable_NumPartitions_Args, executable, 16);
AT(PJRT_Executable_NumPartitions_Args, num_partitions, 24);

SIZE(PJRT_LogicalDeviceIds, 8);
AT(PJRT_LogicalDeviceIds, replica, 0);
AT(PJRT_LogicalDeviceIds, partition, 4);

SIZE(PJRT_LoadedExecutable_AddressableDevices_Args, 40);
AT(PJRT_LoadedExecutable_AddressableDevices_Args, executable, 16);
AT(PJRT_LoadedExecutable_AddressableDevices_Args, addressable_devices, 24);
AT(PJRT_LoadedExecutable_AddressableDevices_Args, num_addressable_devices, 32);

SIZE(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, 40);
AT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, executable, 16);
AT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, addressable_device_logical_ids, 24);
AT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, num_addressable_device_logical_ids, 32);

SIZE(PJRT_Executable_OptimizedProgram_Args, 32);
AT(PJRT_Executable_OptimizedProgram_Args, executable, 16);
AT(PJRT_Executable_OptimizedProgram_Args, program, 24);

SIZE(PJRT_LoadedExecutable_Delete_Args, 24);
AT(PJRT_LoadedExecutable_Delete_Args, executable, 16);

SIZE(PJRT_LoadedExecutable_IsDeleted_Args, 32);
AT(PJRT_LoadedExecutable_IsDeleted_Args, executable, 16);
AT(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted, 24);

SIZE(PJRT_Chunk, 32);
AT(PJRT_Chunk, data, 0);
AT(PJRT_Chunk, size, 8);
AT(PJRT_Chunk, deleter, 16);
AT(PJRT_Chunk, deleter_arg, 24);

SIZE(PJRT_SendCallbackInfo, 24);
AT(PJRT_SendCallbackInfo, channel_id, 0);
AT(PJRT_SendCallbackInfo, user_arg, 8);
AT(PJRT_SendCallbackInfo, send_callback, 16);

SIZE(PJRT_RecvCallbackInfo, 24);
AT(PJRT_RecvCallbackInfo, channel_id, 0);
AT(PJRT_RecvCallbackInfo, user_arg, 8);
AT(PJRT_RecvCallbackInfo, recv_callback, 16);

SIZE(PJRT_HloOutputCallbackInfo, 32);
AT(PJRT_HloOutputCallbackInfo, user_arg, 0);
AT(PJRT_HloOutputCallbackInfo, callback, 8);
AT(PJRT_HloOutputCallbackInfo, callback_id, 16);
AT(PJRT_HloOutputCallbackInfo, num_operands, 24);

SIZE(PJRT_ExecuteOptions, 144);
AT(PJRT_ExecuteOptions, send_callbacks, 16);
AT(PJRT_ExecuteOptions, recv_callbacks, 24);
AT(PJRT_ExecuteOptions, num_send_ops, 32);
AT(PJRT_ExecuteOptions, num_recv_ops, 40);
AT(PJRT_ExecuteOptions, launch_id, 48);
AT(PJRT_ExecuteOptions, non_donatable_input_indices, 56);
AT(PJRT_ExecuteOptions, num_non_donatable_input_indices, 64);
AT(PJRT_ExecuteOptions, context, 72);
AT(PJRT_ExecuteOptions, call_location, 80);
AT(PJRT_ExecuteOptions, num_tasks, 88);
AT(PJRT_ExecuteOptions, task_ids, 96);
AT(PJRT_ExecuteOptions, incarnation_ids, 104);
AT(PJRT_ExecuteOptions, multi_slice_config, 112);
AT(PJRT_ExecuteOptions, use_major_to_minor_data_layout_for_callbacks, 120);
AT(PJRT_ExecuteOptions, hlo_output_callbacks, 128);
AT(PJRT_ExecuteOptions, num_hlo_output_callbacks, 136);

SIZE(PJRT_LoadedExecutable_Execute_Args, 80);
AT(PJRT_LoadedExecutable_Execute_Args, executable, 16);
AT(PJRT_LoadedExecutable_Execute_Args, options, 24);
AT(PJRT_LoadedExecutable_Execute_Args, argument_lists, 32);
AT(PJRT_LoadedExecutable_Execute_Args, num_devices, 40);
AT(PJRT_LoadedExecutable_Execute_Args, num_args, 48);
AT(PJRT_LoadedExecutable_Execute_Args, output_lists, 56);
AT(PJRT_LoadedExecutable_Execute_Args, device_complete_events, 64);
AT(PJRT_LoadedExecutable_Execute_Args, execute_device, 72);

SIZE(PJRT_Executable_NumOutputs_Args, 32);
AT(PJRT_Executable_NumOutputs_Args, executable, 16);
AT(PJRT_Executable_NumOutputs_Args, num_outputs, 24);

SIZE(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, 32);
AT(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, executable, 16);
AT(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size_in_bytes, 24);

SIZE(PJRT_Executable_Fingerprint_Args, 40);
AT(PJRT_Executable_Fingerprint_Args, executable, 16);
AT(PJRT_Executable_Fingerprint_Args, executable_fingerprint, 24);
AT(PJRT_Executable_Fingerprint_Args, executable_fingerprint_size, 32);

SIZE(PJRT_Executable_GetCostAnalysis_Args, 40);
AT(PJRT_Executable_GetCostAnalysis_Args, executable, 16);
AT(PJRT_Executable_GetCostAnalysis_Args, num_properties, 24);
AT(PJRT_Executable_GetCostAnalysis_Args, properties, 32);

SIZE(PJRT_Executable_GetCompiledMemoryStats_Args, 144);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, executable, 16);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, generated_code_size_in_bytes, 24);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, argument_size_in_bytes, 32);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, output_size_in_bytes, 40);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, alias_size_in_bytes, 48);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, temp_size_in_bytes, 56);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, host_generated_code_size_in_bytes, 64);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, host_argument_size_in_bytes, 72);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, host_output_size_in_bytes, 80);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, host_alias_size_in_bytes, 88);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, host_temp_size_in_bytes, 96);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes, 104);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, total_size_in_bytes, 112);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, total_allocation_bytes, 120);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, indefinite_allocations, 128);
AT(PJRT_Executable_GetCompiledMemoryStats_Args, peak_unpadded_heap_bytes, 136);

SIZE(PJRT_Executable_OutputElementTypes_Args, 40);
AT(PJRT_Executable_OutputElementTypes_Args, executable, 16);
AT(PJRT_Executable_OutputElementTypes_Args, output_types, 24);
AT(PJRT_Executable_OutputElementTypes_Args, num_output_types, 32);

SIZE(PJRT_Executable_OutputDimensions_Args, 48);
AT(PJRT_Executable_OutputDimensions_Args, executable, 16);
AT(PJRT_Executable_OutputDimensions_Args, num_outputs, 24);
AT(PJRT_Executable_OutputDimensions_Args, dims, 32);
AT(PJRT_Executable_OutputDimensions_Args, dim_sizes, 40);

SIZE(PJRT_Executable_ParameterMemoryKinds_Args, 48);
AT(PJRT_Executable_ParameterMemoryKinds_Args, executable, 16);
AT(PJRT_Executable_ParameterMemoryKinds_Args, num_parameters, 24);
AT(PJRT_Executable_ParameterMemoryKinds_Args, memory_kinds, 32);
AT(PJRT_Executable_ParameterMemoryKinds_Args, memory_kind_sizes, 40);

SIZE(PJRT_Executable_OutputMemoryKinds_Args, 48);
AT(PJRT_Executable_OutputMemoryKinds_Args, executable, 16);
AT(PJRT_Executable_OutputMemoryKinds_Args, num_outputs, 24);
AT(PJRT_Executable_OutputMemoryKinds_Args, memory_kinds, 32);
AT(PJRT_Executable_OutputMemoryKinds_Args, memory_kind_sizes, 40);

SIZE(PJRT_Executable_Serialize_Args, 56);
AT(PJRT_Executable_Serialize_Args, executable, 16);
AT(PJRT_Executable_Serialize_Args, serialized_bytes, 24);
AT(PJRT_Executable_Serialize_Args, serialized_bytes_size, 32);
AT(PJRT_Executable_Serialize_Args, serialized_executable, 40);
AT(PJRT_Executable_Serialize_Args, serialized_executable_deleter, 48);

SIZE(PJRT_Executable_GetCompileOptions_Args, 56);
AT(PJRT_Executable_GetCompileOptions_Args, executable, 16);
AT(PJRT_Executable_GetCompileOptions_Args, serialized_bytes, 24);
AT(PJRT_Executable_GetCompileOptions_Args, serialized_bytes_size, 32);
AT(PJRT_Executable_GetCompileOptions_Args, serialized_compile_options, 40);
AT(PJRT_Executable_GetCompileOptions_Args, serialized_compile_options_deleter, 48);

SIZE(PJRT_LoadOptions, 32);
AT(PJRT_LoadOptions, computation_origin, 8);
AT(PJRT_LoadOptions, computation_origin_size, 16);
AT(PJRT_LoadOptions, multi_slice_config, 24);

SIZE(PJRT_Executable_DeserializeAndLoad_Args, 72);
AT(PJRT_Executable_DeserializeAndLoad_Args, client, 16);
AT(PJRT_Executable_DeserializeAndLoad_Args, serialized_executable, 24);
AT(PJRT_Executable_DeserializeAndLoad_Args, serialized_executable_size, 32);
AT(PJRT_Executable_DeserializeAndLoad_Args, loaded_executable, 40);
AT(PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options, 48);
AT(PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options_size, 56);
AT(PJRT_Executable_DeserializeAndLoad_Args, load_options, 64);

SIZE(PJRT_LoadedExecutable_Fingerprint_Args, 40);
AT(PJRT_LoadedExecutable_Fingerprint_Args, executable, 16);
AT(PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint, 24);
AT(PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint_size, 32);

SIZE(PJRT_Buffer_Destroy_Args, 24);
AT(PJRT_Buffer_Destroy_Args, buffer, 16);

SIZE(PJRT_Buffer_ElementType_Args, 32);
AT(PJRT_Buffer_ElementType_Args, buffer, 16);
AT(PJRT_Buffer_ElementType_Args, type, 24);

SIZE(PJRT_Buffer_Dimensions_Args, 40);
AT(PJRT_Buffer_Dimensions_Args, buffer, 16);
AT(PJRT_Buffer_Dimensions_Args, dims, 24);
AT(PJRT_Buffer_Dimensions_Args, num_dims, 32);

SIZE(PJRT_Buffer_UnpaddedDimensions_Args, 40);
AT(PJRT_Buffer_UnpaddedDimensions_Args, buffer, 16);
AT(PJRT_Buffer_UnpaddedDimensions_Args, unpadded_dims, 24);
AT(PJRT_Buffer_UnpaddedDimensions_Args, num_dims, 32);

SIZE(PJRT_Buffer_DynamicDimensionIndices_Args, 40);
AT(PJRT_Buffer_DynamicDimensionIndices_Args, buffer, 16);
AT(PJRT_Buffer_DynamicDimensionIndices_Args, dynamic_dim_indices, 24);
AT(PJRT_Buffer_DynamicDimensionIndices_Args, num_dynamic_dims, 32);

SIZE(PJRT_Buffer_GetMemoryLayout_Args, 104);
AT(PJRT_Buffer_GetMemoryLayout_Args, buffer, 16);
AT(PJRT_Buffer_GetMemoryLayout_Args, layout, 24);

SIZE(PJRT_Buffer_ToHostBuffer_Args, 56);
AT(PJRT_Buffer_ToHostBuffer_Args, src, 16);
AT(PJRT_Buffer_ToHostBuffer_Args, host_layout, 24);
AT(PJRT_Buffer_ToHostBuffer_Args, dst, 32);
AT(PJRT_Buffer_ToHostBuffer_Args, dst_size, 40);
AT(PJRT_Buffer_ToHostBuffer_Args, event, 48);

SIZE(PJRT_Buffer_OnDeviceSizeInBytes_Args, 32);
AT(PJRT_Buffer_OnDeviceSizeInBytes_Args, buffer, 16);
AT(PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes, 24);

SIZE(PJRT_Buffer_Delete_Args, 24);
AT(PJRT_Buffer_Delete_Args, buffer, 16);

SIZE(PJRT_Buffer_IsDeleted_Args, 32);
AT(PJRT_Buffer_IsDeleted_Args, buffer, 16);
AT(PJRT_Buffer_IsDeleted_Args, is_deleted, 24);

SIZE(PJRT_Buffer_CopyRawToHost_Args, 56);
AT(PJRT_Buffer_CopyRawToHost_Args, buffer, 16);
AT(PJRT_Buffer_CopyRawToHost_Args, dst, 24);
AT(PJRT_Buffer_CopyRawToHost_Args, offset, 32);
AT(PJRT_Buffer_CopyRawToHost_Args, transfer_size, 40);
AT(PJRT_Buffer_CopyRawToHost_Args, event, 48);

SIZE(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, 48);
AT(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, callback_data, 8);
AT(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, error_code, 16);
AT(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, error_message, 24);
AT(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, error_message_size, 32);
AT(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst, 40);

SIZE(PJRT_Buffer_CopyRawToHostFuture_Args, 64);
AT(PJRT_Buffer_CopyRawToHostFuture_Args, buffer, 16);
AT(PJRT_Buffer_CopyRawToHostFuture_Args, offset, 24);
AT(PJRT_Buffer_CopyRawToHostFuture_Args, transfer_size, 32);
AT(PJRT_Buffer_CopyRawToHostFuture_Args, event, 40);
AT(PJRT_Buffer_CopyRawToHostFuture_Args, callback_data, 48);
AT(PJRT_Buffer_CopyRawToHostFuture_Args, future_ready_callback, 56);

SIZE(PJRT_Buffer_CopyToDevice_Args, 40);
AT(PJRT_Buffer_CopyToDevice_Args, buffer, 16);
AT(PJRT_Buffer_CopyToDevice_Args, dst_device, 24);
AT(PJRT_Buffer_CopyToDevice_Args, dst_buffer, 32);

SIZE(PJRT_Buffer_CopyToMemory_Args, 40);
AT(PJRT_Buffer_CopyToMemory_Args, buffer, 16);
AT(PJRT_Buffer_CopyToMemory_Args, dst_memory, 24);
AT(PJRT_Buffer_CopyToMemory_Args, dst_buffer, 32);

SIZE(PJRT_Buffer_Bitcast_Args, 64);
AT(PJRT_Buffer_Bitcast_Args, buffer, 16);
AT(PJRT_Buffer_Bitcast_Args, element_type, 24);
AT(PJRT_Buffer_Bitcast_Args, dims, 32);
AT(PJRT_Buffer_Bitcast_Args, num_dims, 40);
AT(PJRT_Buffer_Bitcast_Args, device_layout, 48);
AT(PJRT_Buffer_Bitcast_Args, out_buffer, 56);

SIZE(PJRT_Buffer_IsOnCpu_Args, 32);
AT(PJRT_Buffer_IsOnCpu_Args, buffer, 16);
AT(PJRT_Buffer_IsOnCpu_Args, is_on_cpu, 24);

SIZE(PJRT_Buffer_Device_Args, 32);
AT(PJRT_Buffer_Device_Args, buffer, 16);
AT(PJRT_Buffer_Device_Args, device, 24);

SIZE(PJRT_Buffer_Memory_Args, 32);
AT(PJRT_Buffer_Memory_Args, buffer, 16);
AT(PJRT_Buffer_Memory_Args, memory, 24);

SIZE(PJRT_Buffer_ReadyEvent_Args, 32);
AT(PJRT_Buffer_ReadyEvent_Args, buffer, 16);
AT(PJRT_Buffer_ReadyEvent_Args, event, 24);

SIZE(PJRT_Buffer_UnsafePointer_Args, 32);
AT(PJRT_Buffer_UnsafePointer_Args, buffer, 16);
AT(PJRT_Buffer_UnsafePointer_Args, buffer_pointer, 24);

SIZE(PJRT_Buffer_IncreaseExternalReferenceCount_Args, 24);
AT(PJRT_Buffer_IncreaseExternalReferenceCount_Args, buffer, 16);

SIZE(PJRT_Buffer_DecreaseExternalReferenceCount_Args, 24);
AT(PJRT_Buffer_DecreaseExternalReferenceCount_Args, buffer, 16);

SIZE(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, 32);
AT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, buffer, 16);
AT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, device_memory_ptr, 24);

SIZE(PJRT_Buffer_DonateWithControlDependency_Callback_Args, 40);
AT(PJRT_Buffer_DonateWithControlDependency_Callback_Args, callback_data, 8);
AT(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_code, 16);
AT(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message, 24);
AT(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message_size, 32);

SIZE(PJRT_Buffer_DonateWithControlDependency_Args, 48);
AT(PJRT_Buffer_DonateWithControlDependency_Args, buffer, 16);
AT(PJRT_Buffer_DonateWithControlDependency_Args, callback_data, 24);
AT(PJRT_Buffer_DonateWithControlDependency_Args, dependency_ready_callback, 32);
AT(PJRT_Buffer_DonateWithControlDependency_Args, out_buffer, 40);

SIZE(PJRT_CopyToDeviceStream_Destroy_Args, 24);
AT(PJRT_CopyToDeviceStream_Destroy_Args, stream, 16);

SIZE(PJRT_CopyToDeviceStream_AddChunk_Args, 40);
AT(PJRT_CopyToDeviceStream_AddChunk_Args, stream, 16);
AT(PJRT_CopyToDeviceStream_AddChunk_Args, chunk, 24);
AT(PJRT_CopyToDeviceStream_AddChunk_Args, transfer_complete, 32);

SIZE(PJRT_CopyToDeviceStream_TotalBytes_Args, 32);
AT(PJRT_CopyToDeviceStream_TotalBytes_Args, stream, 16);
AT(PJRT_CopyToDeviceStream_TotalBytes_Args, total_bytes, 24);

SIZE(PJRT_CopyToDeviceStream_GranuleSize_Args, 32);
AT(PJRT_CopyToDeviceStream_GranuleSize_Args, stream, 16);
AT(PJRT_CopyToDeviceStream_GranuleSize_Args, granule_size_in_bytes, 24);

SIZE(PJRT_CopyToDeviceStream_CurrentBytes_Args, 32);
AT(PJRT_CopyToDeviceStream_CurrentBytes_Args, stream, 16);
AT(PJRT_CopyToDeviceStream_CurrentBytes_Args, current_bytes, 24);

SIZE(PJRT_TopologyDescription_Create_Args, 56);
AT(PJRT_TopologyDescription_Create_Args, topology_name, 16);
AT(PJRT_TopologyDescription_Create_Args, topology_name_size, 24);
AT(PJRT_TopologyDescription_Create_Args, create_options, 32);
AT(PJRT_TopologyDescription_Create_Args, num_options, 40);
AT(PJRT_TopologyDescription_Create_Args, topology, 48);

SIZE(PJRT_TopologyDescription_Destroy_Args, 24);
AT(PJRT_TopologyDescription_Destroy_Args, topology, 16);

SIZE(PJRT_TopologyDescription_PlatformVersion_Args, 40);
AT(PJRT_TopologyDescription_PlatformVersion_Args, topology, 16);
AT(PJRT_TopologyDescription_PlatformVersion_Args, platform_version, 24);
AT(PJRT_TopologyDescription_PlatformVersion_Args, platform_version_size, 32);

SIZE(PJRT_TopologyDescription_PlatformName_Args, 40);
AT(PJRT_TopologyDescription_PlatformName_Args, topology, 16);
AT(PJRT_TopologyDescription_PlatformName_Args, platform_name, 24);
AT(PJRT_TopologyDescription_PlatformName_Args, platform_name_size, 32);

SIZE(PJRT_TopologyDescription_GetDeviceDescriptions_Args, 40);
AT(PJRT_TopologyDescription_GetDeviceDescriptions_Args, topology, 16);
AT(PJRT_TopologyDescription_GetDeviceDescriptions_Args, descriptions, 24);
AT(PJRT_TopologyDescription_GetDeviceDescriptions_Args, num_descriptions, 32);

SIZE(PJRT_TopologyDescription_Serialize_Args, 56);
AT(PJRT_TopologyDescription_Serialize_Args, topology, 16);
AT(PJRT_TopologyDescription_Serialize_Args, serialized_bytes, 24);
AT(PJRT_TopologyDescription_Serialize_Args, serialized_bytes_size, 32);
AT(PJRT_TopologyDescription_Serialize_Args, serialized_topology, 40);
AT(PJRT_TopologyDescription_Serialize_Args, serialized_topology_deleter, 48);

SIZE(PJRT_TopologyDescription_Deserialize_Args, 40);
AT(PJRT_TopologyDescription_Deserialize_Args, serialized_topology, 16);
AT(PJRT_TopologyDescription_Deserialize_Args, serialized_topology_size, 24);
AT(PJRT_TopologyDescription_Deserialize_Args, topology, 32);

SIZE(PJRT_TopologyDescription_Attributes_Args, 40);
AT(PJRT_TopologyDescription_Attributes_Args, topology, 16);
AT(PJRT_TopologyDescription_Attributes_Args, attributes, 24);
AT(PJRT_TopologyDescription_Attributes_Args, num_attributes, 32);

SIZE(PJRT_TopologyDescription_Fingerprint_Args, 32);
AT(PJRT_TopologyDescription_Fingerprint_Args, topology, 16);
AT(PJRT_TopologyDescription_Fingerprint_Args, fingerprint, 24);

SIZE(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, 88);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, topology, 16);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, memory_space_kind_id, 24);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, dims, 32);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, num_dims, 40);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, element_type, 48);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, layout, 56);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape, 64);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape_size, 72);
AT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape_deleter, 80);

SIZE(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, 40);
AT(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, topology, 16);
AT(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, memory_space_kind_ids, 24);
AT(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, num_memory_space_kind_ids, 32);

SIZE(PJRT_Compile_Args, 64);
AT(PJRT_Compile_Args, topology, 16);
AT(PJRT_Compile_Args, program, 24);
AT(PJRT_Compile_Args, compile_options, 32);
AT(PJRT_Compile_Args, compile_options_size, 40);
AT(PJRT_Compile_Args, client, 48);
AT(PJRT_Compile_Args, executable, 56);

SIZE(PJRT_Api, 1144);
AT(PJRT_Api, struct_size, 0);
AT(PJRT_Api, extension_start, 8);
AT(PJRT_Api, pjrt_api_version, 16);
AT(PJRT_Api, PJRT_Error_Destroy, 40);
AT(PJRT_Api, PJRT_Error_Message, 48);
AT(PJRT_Api, PJRT_Error_GetCode, 56);
AT(PJRT_Api, PJRT_Plugin_Initialize, 64);
AT(PJRT_Api, PJRT_Plugin_Attributes, 72);
AT(PJRT_Api, PJRT_Event_Destroy, 80);
AT(PJRT_Api, PJRT_Event_IsReady, 88);
AT(PJRT_Api, PJRT_Event_Error, 96);
AT(PJRT_Api, PJRT_Event_Await, 104);
AT(PJRT_Api, PJRT_Event_OnReady, 112);
AT(PJRT_Api, PJRT_Client_Create, 120);
AT(PJRT_Api, PJRT_Client_Destroy, 128);
AT(PJRT_Api, PJRT_Client_PlatformName, 136);
AT(PJRT_Api, PJRT_Client_ProcessIndex, 144);
AT(PJRT_Api, PJRT_Client_PlatformVersion, 152);
AT(PJRT_Api, PJRT_Client_Devices, 160);
AT(PJRT_Api, PJRT_Client_AddressableDevices, 168);
AT(PJRT_Api, PJRT_Client_LookupDevice, 176);
AT(PJRT_Api, PJRT_Client_LookupAddressableDevice, 184);
AT(PJRT_Api, PJRT_Client_AddressableMemories, 192);
AT(PJRT_Api, PJRT_Client_Compile, 200);
AT(PJRT_Api, PJRT_Client_DefaultDeviceAssignment, 208);
AT(PJRT_Api, PJRT_Client_BufferFromHostBuffer, 216);
AT(PJRT_Api, PJRT_DeviceDescription_Id, 224);
AT(PJRT_Api, PJRT_DeviceDescription_ProcessIndex, 232);
AT(PJRT_Api, PJRT_DeviceDescription_Attributes, 240);
AT(PJRT_Api, PJRT_DeviceDescription_Kind, 248);
AT(PJRT_Api, PJRT_DeviceDescription_DebugString, 256);
AT(PJRT_Api, PJRT_DeviceDescription_ToString, 264);
AT(PJRT_Api, PJRT_Device_GetDescription, 272);
AT(PJRT_Api, PJRT_Device_IsAddressable, 280);
AT(PJRT_Api, PJRT_Device_LocalHardwareId, 288);
AT(PJRT_Api, PJRT_Device_AddressableMemories, 296);
AT(PJRT_Api, PJRT_Device_DefaultMemory, 304);
AT(PJRT_Api, PJRT_Device_MemoryStats, 312);
AT(PJRT_Api, PJRT_Memory_Id, 320);
AT(PJRT_Api, PJRT_Memory_Kind, 328);
AT(PJRT_Api, PJRT_Memory_DebugString, 336);
AT(PJRT_Api, PJRT_Memory_ToString, 344);
AT(PJRT_Api, PJRT_Memory_AddressableByDevices, 352);
AT(PJRT_Api, PJRT_Executable_Destroy, 360);
AT(PJRT_Api, PJRT_Executable_Name, 368);
AT(PJRT_Api, PJRT_Executable_NumReplicas, 376);
AT(PJRT_Api, PJRT_Executable_NumPartitions, 384);
AT(PJRT_Api, PJRT_Executable_NumOutputs, 392);
AT(PJRT_Api, PJRT_Executable_SizeOfGeneratedCodeInBytes, 400);
AT(PJRT_Api, PJRT_Executable_GetCostAnalysis, 408);
AT(PJRT_Api, PJRT_Executable_OutputMemoryKinds, 416);
AT(PJRT_Api, PJRT_Executable_OptimizedProgram, 424);
AT(PJRT_Api, PJRT_Executable_Serialize, 432);
AT(PJRT_Api, PJRT_LoadedExecutable_Destroy, 440);
AT(PJRT_Api, PJRT_LoadedExecutable_GetExecutable, 448);
AT(PJRT_Api, PJRT_LoadedExecutable_AddressableDevices, 456);
AT(PJRT_Api, PJRT_LoadedExecutable_Delete, 464);
AT(PJRT_Api, PJRT_LoadedExecutable_IsDeleted, 472);
AT(PJRT_Api, PJRT_LoadedExecutable_Execute, 480);
AT(PJRT_Api, PJRT_Executable_DeserializeAndLoad, 488);
AT(PJRT_Api, PJRT_LoadedExecutable_Fingerprint, 496);
AT(PJRT_Api, PJRT_Buffer_Destroy, 504);
AT(PJRT_Api, PJRT_Buffer_ElementType, 512);
AT(PJRT_Api, PJRT_Buffer_Dimensions, 520);
AT(PJRT_Api, PJRT_Buffer_UnpaddedDimensions, 528);
AT(PJRT_Api, PJRT_Buffer_DynamicDimensionIndices, 536);
AT(PJRT_Api, PJRT_Buffer_GetMemoryLayout, 544);
AT(PJRT_Api, PJRT_Buffer_OnDeviceSizeInBytes, 552);
AT(PJRT_Api, PJRT_Buffer_Device, 560);
AT(PJRT_Api, PJRT_Buffer_Memory, 568);
AT(PJRT_Api, PJRT_Buffer_Delete, 576);
AT(PJRT_Api, PJRT_Buffer_IsDeleted, 584);
AT(PJRT_Api, PJRT_Buffer_CopyToDevice, 592);
AT(PJRT_Api, PJRT_Buffer_ToHostBuffer, 600);
AT(PJRT_Api, PJRT_Buffer_IsOnCpu, 608);
AT(PJRT_Api, PJRT_Buffer_ReadyEvent, 616);
AT(PJRT_Api, PJRT_Buffer_UnsafePointer, 624);
AT(PJRT_Api, PJRT_Buffer_IncreaseExternalReferenceCount, 632);
AT(PJRT_Api, PJRT_Buffer_DecreaseExternalReferenceCount, 640);
AT(PJRT_Api, PJRT_Buffer_OpaqueDeviceMemoryDataPointer, 648);
AT(PJRT_Api, PJRT_CopyToDeviceStream_Destroy, 656);
AT(PJRT_Api, PJRT_CopyToDeviceStream_AddChunk, 664);
AT(PJRT_Api, PJRT_CopyToDeviceStream_TotalBytes, 672);
AT(PJRT_Api, PJRT_CopyToDeviceStream_GranuleSize, 680);
AT(PJRT_Api, PJRT_CopyToDeviceStream_CurrentBytes, 688);
AT(PJRT_Api, PJRT_TopologyDescription_Create, 696);
AT(PJRT_Api, PJRT_TopologyDescription_Destroy, 704);
AT(PJRT_Api, PJRT_TopologyDescription_PlatformName, 712);
AT(PJRT_Api, PJRT_TopologyDescription_PlatformVersion, 720);
AT(PJRT_Api, PJRT_TopologyDescription_GetDeviceDescriptions, 728);
AT(PJRT_Api, PJRT_TopologyDescription_Serialize, 736);
AT(PJRT_Api, PJRT_TopologyDescription_Attributes, 744);
AT(PJRT_Api, PJRT_Compile, 752);
AT(PJRT_Api, PJRT_Executable_OutputElementTypes, 760);
AT(PJRT_Api, PJRT_Executable_OutputDimensions, 768);
AT(PJRT_Api, PJRT_Buffer_CopyToMemory, 776);
AT(PJRT_Api, PJRT_Client_CreateViewOfDeviceBuffer, 784);
AT(PJRT_Api, PJRT_Executable_Fingerprint, 792);
AT(PJRT_Api, PJRT_Client_TopologyDescription, 800);
AT(PJRT_Api, PJRT_Executable_GetCompiledMemoryStats, 808);
AT(PJRT_Api, PJRT_Memory_Kind_Id, 816);
AT(PJRT_Api, PJRT_ExecuteContext_Create, 824);
AT(PJRT_Api, PJRT_ExecuteContext_Destroy, 832);
AT(PJRT_Api, PJRT_Buffer_CopyRawToHost, 840);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_Destroy, 848);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_TransferData, 856);
AT(PJRT_Api, PJRT_Client_CreateBuffersForAsyncHostToDevice, 864);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, 872);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_Device, 880);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_BufferCount, 888);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_BufferSize, 896);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_SetBufferError, 904);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_AddMetadata, 912);
AT(PJRT_Api, PJRT_Client_DmaMap, 920);
AT(PJRT_Api, PJRT_Client_DmaUnmap, 928);
AT(PJRT_Api, PJRT_Client_CreateUninitializedBuffer, 936);
AT(PJRT_Api, PJRT_Client_UpdateGlobalProcessInfo, 944);
AT(PJRT_Api, PJRT_TopologyDescription_Deserialize, 952);
AT(PJRT_Api, PJRT_Client_CreateAliasBuffer, 960);
AT(PJRT_Api, PJRT_Client_FulfillAliasBuffer, 968);
AT(PJRT_Api, PJRT_LoadedExecutable_GetDeviceAssignment, 976);
AT(PJRT_Api, PJRT_Client_CreateErrorBuffer, 984);
AT(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, 992);
AT(PJRT_Api, PJRT_Buffer_CopyRawToHostFuture, 1000);
AT(PJRT_Api, PJRT_Device_PoisonExecution, 1008);
AT(PJRT_Api, PJRT_Device_CreateAsyncTrackingEvent, 1016);
AT(PJRT_Api, PJRT_AsyncTrackingEvent_Destroy, 1024);
AT(PJRT_Api, PJRT_Executable_GetCompileOptions, 1032);
AT(PJRT_Api, PJRT_Buffer_DonateWithControlDependency, 1040);
AT(PJRT_Api, PJRT_Event_Create, 1048);
AT(PJRT_Api, PJRT_Event_Set, 1056);
AT(PJRT_Api, PJRT_Device_GetAttributes, 1064);
AT(PJRT_Api, PJRT_Client_Load, 1072);
AT(PJRT_Api, PJRT_LoadedExecutable_AddressableDeviceLogicalIds, 1080);
AT(PJRT_Api, PJRT_Buffer_Bitcast, 1088);
AT(PJRT_Api, PJRT_Error_ForEachPayload, 1096);
AT(PJRT_Api, PJRT_TopologyDescription_Fingerprint, 1104);
AT(PJRT_Api, PJRT_Executable_ParameterMemoryKinds, 1112);
AT(PJRT_Api, PJRT_Device_ClearMemoryStats, 1120);
AT(PJRT_Api, PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, 1128);
AT(PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds, 1136);

SIZE(PJRT_Layouts_MemoryLayout_Destroy_Args, 24);
AT(PJRT_Layouts_MemoryLayout_Destroy_Args, layout, 16);

SIZE(PJRT_Layouts_MemoryLayout_Serialize_Args, 56);
AT(PJRT_Layouts_MemoryLayout_Serialize_Args, layout, 16);
AT(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_bytes, 24);
AT(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_bytes_size, 32);
AT(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_layout, 40);
AT(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_layout_deleter, 48);

SIZE(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, 32);
AT(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, buffer, 16);
AT(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, layout, 24);

SIZE(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, 56);
AT(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, client, 16);
AT(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, type, 24);
AT(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, dims, 32);
AT(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, num_dims, 40);
AT(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, layout, 48);

SIZE(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, 56);
AT(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, topology_description, 16);
AT(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, type, 24);
AT(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, dims, 32);
AT(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, num_dims, 40);
AT(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, layout, 48);

SIZE(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, 40);
AT(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, executable, 16);
AT(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, num_outputs, 24);
AT(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, layouts, 32);

SIZE(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, 40);
AT(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, executable, 16);
AT(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, num_parameters, 24);
AT(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, layouts, 32);

SIZE(PJRT_Layouts_Extension, 80);
AT(PJRT_Layouts_Extension, base, 0);
AT(PJRT_Layouts_Extension, PJRT_Layouts_MemoryLayout_Destroy, 24);
AT(PJRT_Layouts_Extension, PJRT_Layouts_MemoryLayout_Serialize, 32);
AT(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Client_GetDefaultLayout, 40);
AT(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Buffer_MemoryLayout, 48);
AT(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Topology_GetDefaultLayout, 56);
AT(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Executable_GetOutputLayouts, 64);
AT(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Executable_GetParameterLayouts, 72);

SIZE(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, 48);
AT(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, executable, 16);
AT(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, num_parameters, 24);
AT(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, shardings, 32);
AT(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, sharding_sizes, 40);

SIZE(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, 48);
AT(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, executable, 16);
AT(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, num_outputs, 24);
AT(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, shardings, 32);
AT(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, sharding_sizes, 40);

SIZE(PJRT_Shardings_Extension, 40);
AT(PJRT_Shardings_Extension, base, 0);
AT(PJRT_Shardings_Extension, PJRT_Shardings_PJRT_Executable_ParameterShardings, 24);
AT(PJRT_Shardings_Extension, PJRT_Shardings_PJRT_Executable_OutputShardings, 32);

SIZE(PJRT_FFI_Type_Info, 24);
AT(PJRT_FFI_Type_Info, deleter, 0);
AT(PJRT_FFI_Type_Info, serialize, 8);
AT(PJRT_FFI_Type_Info, deserialize, 16);

SIZE(PJRT_FFI_Type_Register_Args, 48);
AT(PJRT_FFI_Type_Register_Args, type_name, 16);
AT(PJRT_FFI_Type_Register_Args, type_name_size, 24);
AT(PJRT_FFI_Type_Register_Args, type_id, 32);
AT(PJRT_FFI_Type_Register_Args, type_info, 40);

SIZE(PJRT_FFI_UserData, 16);
AT(PJRT_FFI_UserData, type_id, 0);
AT(PJRT_FFI_UserData, data, 8);

SIZE(PJRT_FFI_UserData_Add_Args, 40);
AT(PJRT_FFI_UserData_Add_Args, context, 16);
AT(PJRT_FFI_UserData_Add_Args, user_data, 24);

SIZE(PJRT_FFI_Register_Handler_Args, 56);
AT(PJRT_FFI_Register_Handler_Args, target_name, 8);
AT(PJRT_FFI_Register_Handler_Args, target_name_size, 16);
AT(PJRT_FFI_Register_Handler_Args, handler, 24);
AT(PJRT_FFI_Register_Handler_Args, platform_name, 32);
AT(PJRT_FFI_Register_Handler_Args, platform_name_size, 40);
AT(PJRT_FFI_Register_Handler_Args, traits, 48);

SIZE(PJRT_FFI_Extension, 48);
AT(PJRT_FFI_Extension, base, 0);
AT(PJRT_FFI_Extension, type_register, 24);
AT(PJRT_FFI_Extension, user_data_add, 32);
AT(PJRT_FFI_Extension, register_handler, 40);

SIZE(PJRT_DeviceDescription_MemoryDescriptions_Args, 48);
AT(PJRT_DeviceDescription_MemoryDescriptions_Args, device_description, 16);
AT(PJRT_DeviceDescription_MemoryDescriptions_Args, memory_descriptions, 24);
AT(PJRT_DeviceDescription_MemoryDescriptions_Args, num_memory_descriptions, 32);
AT(PJRT_DeviceDescription_MemoryDescriptions_Args, default_memory_index, 40);

SIZE(PJRT_MemoryDescription_Kind_Args, 48);
AT(PJRT_MemoryDescription_Kind_Args, memory_description, 16);
AT(PJRT_MemoryDescription_Kind_Args, kind, 24);
AT(PJRT_MemoryDescription_Kind_Args, kind_size, 32);
AT(PJRT_MemoryDescription_Kind_Args, kind_id, 40);

SIZE(PJRT_MemoryDescriptions_Extension, 40);
AT(PJRT_MemoryDescriptions_Extension, base, 0);
AT(PJRT_MemoryDescriptions_Extension, PJRT_DeviceDescription_MemoryDescriptions, 24);
AT(PJRT_MemoryDescriptions_Extension, PJRT_MemoryDescription_Kind, 32);

SIZE(JAX_CustomCallPartitioner_string, 16);
AT(JAX_CustomCallPartitioner_string, data, 0);
AT(JAX_CustomCallPartitioner_string, size, 8);

SIZE(JAX_CustomCallPartitioner_aval, 40);
AT(JAX_CustomCallPartitioner_aval, shape, 0);
AT(JAX_CustomCallPartitioner_aval, has_sharding, 16);
AT(JAX_CustomCallPartitioner_aval, sharding, 24);

SIZE(JAX_CustomCallPartitioner_version_and_error, 48);
AT(JAX_CustomCallPartitioner_version_and_error, api_version, 0);
AT(JAX_CustomCallPartitioner_version_and_error, data, 8);
AT(JAX_CustomCallPartitioner_version_and_error, cleanup_fn, 16);
AT(JAX_CustomCallPartitioner_version_and_error, has_error, 24);
AT(JAX_CustomCallPartitioner_version_and_error, code, 28);
AT(JAX_CustomCallPartitioner_version_and_error, error_msg, 32);

SIZE(JAX_CustomCallPartitioner_Partition_Args, 160);
AT(JAX_CustomCallPartitioner_Partition_Args, header, 0);
AT(JAX_CustomCallPartitioner_Partition_Args, num_args, 48);
AT(JAX_CustomCallPartitioner_Partition_Args, op_args, 56);
AT(JAX_CustomCallPartitioner_Partition_Args, op_result, 64);
AT(JAX_CustomCallPartitioner_Partition_Args, backend_config, 104);
AT(JAX_CustomCallPartitioner_Partition_Args, mlir_module, 120);
AT(JAX_CustomCallPartitioner_Partition_Args, args_sharding, 136);
AT(JAX_CustomCallPartitioner_Partition_Args, result_sharding, 144);

SIZE(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, 120);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, header, 0);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, num_args, 48);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, op_args, 56);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, result_shape, 64);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, backend_config, 80);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, has_result_sharding, 96);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, result_sharding, 104);

SIZE(JAX_CustomCallPartitioner_PropagateUserSharding_Args, 96);
AT(JAX_CustomCallPartitioner_PropagateUserSharding_Args, header, 0);
AT(JAX_CustomCallPartitioner_PropagateUserSharding_Args, backend_config, 48);
AT(JAX_CustomCallPartitioner_PropagateUserSharding_Args, result_shape, 64);
AT(JAX_CustomCallPartitioner_PropagateUserSharding_Args, result_sharding, 80);

SIZE(JAX_CustomCallPartitioner_Callbacks, 56);
AT(JAX_CustomCallPartitioner_Callbacks, version, 0);
AT(JAX_CustomCallPartitioner_Callbacks, private_data, 8);
AT(JAX_CustomCallPartitioner_Callbacks, dtor, 16);
AT(JAX_CustomCallPartitioner_Callbacks, partition, 24);
AT(JAX_CustomCallPartitioner_Callbacks, infer_sharding, 32);
AT(JAX_CustomCallPartitioner_Callbacks, propagate_user_sharding, 40);
AT(JAX_CustomCallPartitioner_Callbacks, can_side_effecting_have_replicated_sharding, 48);

SIZE(PJRT_Register_Custom_Partitioner_Args, 32);
AT(PJRT_Register_Custom_Partitioner_Args, name, 8);
AT(PJRT_Register_Custom_Partitioner_Args, name_size, 16);
AT(PJRT_Register_Custom_Partitioner_Args, callbacks, 24);

SIZE(PJRT_Register_Batch_Partitionable_Args, 24);
AT(PJRT_Register_Batch_Partitionable_Args, name, 8);
AT(PJRT_Register_Batch_Partitionable_Args, name_size, 16);

SIZE(PJRT_Custom_Partitioner_Extension, 40);
AT(PJRT_Custom_Partitioner_Extension, base, 0);
AT(PJRT_Custom_Partitioner_Extension, register_custom_partitioner, 24);
AT(PJRT_Custom_Partitioner_Extension, register_batch_partitionable, 32);

SIZE(PJRT_Profiler_Extension, 40);
AT(PJRT_Profiler_Extension, base, 0);
AT(PJRT_Profiler_Extension, profiler_api, 24);
AT(PJRT_Profiler_Extension, traceme_context_id, 32);

// What a caller writes into struct_size: the end of the last field.
#define END(type, field, end) static_assert(offsetof(type, field) + sizeof(type::field) == end)
END(PJRT_Error_GetCode_Args, code, 28);
END(PJRT_Event_IsReady_Args, is_ready, 25);
END(PJRT_Client_ProcessIndex_Args, process_index, 28);
END(PJRT_Buffer_MemoryLayout, type, 76);
END(PJRT_ShapeSpec, element_type, 36);
END(PJRT_DeviceDescription_Id_Args, id, 28);
END(PJRT_DeviceDescription_ProcessIndex_Args, process_index, 28);
END(PJRT_Device_IsAddressable_Args, is_addressable, 25);
END(PJRT_Device_LocalHardwareId_Args, local_hardware_id, 28);
END(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set, 185);
END(PJRT_Memory_Id_Args, id, 28);
END(PJRT_Memory_Kind_Id_Args, kind_id, 28);
END(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted, 25);
END(PJRT_Buffer_ElementType_Args, type, 28);
END(PJRT_Buffer_IsDeleted_Args, is_deleted, 25);
END(PJRT_Buffer_IsOnCpu_Args, is_on_cpu, 25);
END(PJRT_FFI_Register_Handler_Args, traits, 52);
END(PJRT_MemoryDescription_Kind_Args, kind_id, 44);
END(JAX_CustomCallPartitioner_Callbacks, can_side_effecting_have_replicated_sharding, 49);
// clang-format on

TEST(PjrtAbi, IsCheckedWhenCompiled) {}
