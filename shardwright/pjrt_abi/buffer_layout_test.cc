//===- buffer_layout_test.cc - layout of buffers --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/buffer.h"
#include "shardwright/pjrt_abi/layout_checks.h"

#include "gtest/gtest.h"

// clang-format off
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

END(PJRT_Buffer_MemoryLayout, type, 76);
END(PJRT_Buffer_ElementType_Args, type, 28);
END(PJRT_Buffer_IsDeleted_Args, is_deleted, 25);
END(PJRT_Buffer_IsOnCpu_Args, is_on_cpu, 25);
// clang-format on

TEST(PjrtAbi, BufferLayoutIsCheckedWhenCompiled) {}
