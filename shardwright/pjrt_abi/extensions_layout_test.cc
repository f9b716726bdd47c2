//===- extensions_layout_test.cc - layout of extensions -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/extensions.h"
#include "shardwright/pjrt_abi/layout_checks.h"

#include "gtest/gtest.h"

// clang-format off
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

SIZE(PJRT_Transfers_CrossHostSendBuffers_Args, 64);
AT(PJRT_Transfers_CrossHostSendBuffers_Args, client, 16);
AT(PJRT_Transfers_CrossHostSendBuffers_Args, num_buffers, 24);
AT(PJRT_Transfers_CrossHostSendBuffers_Args, buffers, 32);
AT(PJRT_Transfers_CrossHostSendBuffers_Args, dst_global_device_ids, 40);
AT(PJRT_Transfers_CrossHostSendBuffers_Args, transfer_keys, 48);
AT(PJRT_Transfers_CrossHostSendBuffers_Args, send_events, 56);

SIZE(PJRT_Transfers_CrossHostReceiveBuffers_Args, 96);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, client, 16);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, num_shapes, 24);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, shape_num_dims, 32);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, dims, 40);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, element_types, 48);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, layouts, 56);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, device, 64);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, src_global_device_ids, 72);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, transfer_keys, 80);
AT(PJRT_Transfers_CrossHostReceiveBuffers_Args, buffers, 88);

SIZE(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, 64);
AT(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, buffer, 16);
AT(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, event, 24);
AT(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, serialized_descriptor, 32);
AT(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, serialized_descriptor_size, 40);
AT(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, user_arg, 48);
AT(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, on_done, 56);

SIZE(PJRT_CrossHostTransfers_Extension, 56);
AT(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers, 24);
AT(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice, 32);
AT(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_CrossHostReceiveBuffers, 40);
AT(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_CrossHostSendBuffers, 48);

SIZE(PJRT_Profiler_Extension, 40);
AT(PJRT_Profiler_Extension, base, 0);
AT(PJRT_Profiler_Extension, profiler_api, 24);
AT(PJRT_Profiler_Extension, traceme_context_id, 32);

END(PJRT_FFI_Register_Handler_Args, traits, 52);
END(PJRT_MemoryDescription_Kind_Args, kind_id, 44);
// clang-format on

TEST(PjrtAbi, ExtensionsLayoutIsCheckedWhenCompiled) {}
