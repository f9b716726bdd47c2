//===- executable_layout_test.cc - layout of executables ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/executable.h"
#include "shardwright/pjrt_abi/layout_checks.h"

#include "gtest/gtest.h"

// clang-format off
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

SIZE(PJRT_HloOutputCallbackInfo, 32);
AT(PJRT_HloOutputCallbackInfo, user_arg, 0);
AT(PJRT_HloOutputCallbackInfo, callback, 8);
AT(PJRT_HloOutputCallbackInfo, callback_id, 16);
AT(PJRT_HloOutputCallbackInfo, num_operands, 24);

SIZE(PJRT_ExecuteOptions, 160);
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
AT(PJRT_ExecuteOptions, custom_options, 144);
AT(PJRT_ExecuteOptions, num_custom_options, 152);

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

END(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted, 25);
// clang-format on

TEST(PjrtAbi, ExecutableLayoutIsCheckedWhenCompiled) {}
