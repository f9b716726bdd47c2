//===- transfer_layout_test.cc - layout of transfers ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/layout_checks.h"
#include "shardwright/pjrt_abi/transfer.h"

#include "gtest/gtest.h"

// clang-format off
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

SIZE(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, 80);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, transfer_manager, 16);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, buffer_index, 24);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, data, 32);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_dims, 40);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_num_dims, 48);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_element_type, 56);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_layout, 64);
AT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, done_with_h2d_transfer, 72);

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
// clang-format on

TEST(PjrtAbi, TransferLayoutIsCheckedWhenCompiled) {}
