//===- unimplemented.cc - functions of the table that we do not offer -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/slots.h"
#include "shardwright/pjrt/status.h"

using namespace shardwright;
using namespace shardwright::pjrt;

#define UNIMPLEMENTED(slot)                                                    \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *) {                               \
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,                            \
                     "PJRT_" #slot " is not implemented");                     \
  }

// Statistics of a device: all share the memory of the host.
UNIMPLEMENTED(Device_MemoryStats)
UNIMPLEMENTED(Device_PoisonExecution)
// Send and receive through callbacks.
UNIMPLEMENTED(CopyToDeviceStream_Destroy)
UNIMPLEMENTED(CopyToDeviceStream_AddChunk)
UNIMPLEMENTED(CopyToDeviceStream_TotalBytes)
UNIMPLEMENTED(CopyToDeviceStream_GranuleSize)
UNIMPLEMENTED(CopyToDeviceStream_CurrentBytes)
// Arrays that arrive in pieces.
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_Destroy)
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_TransferData)
UNIMPLEMENTED(Client_CreateBuffersForAsyncHostToDevice)
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_RetrieveBuffer)
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_Device)
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_BufferCount)
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_BufferSize)
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_SetBufferError)
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_AddMetadata)
UNIMPLEMENTED(AsyncHostToDeviceTransferManager_TransferLiteral)
// Other processes and their memory.
UNIMPLEMENTED(Client_DmaMap)
UNIMPLEMENTED(Client_DmaUnmap)
UNIMPLEMENTED(Client_UpdateGlobalProcessInfo)
UNIMPLEMENTED(Buffer_CopyRawToHostFuture)
UNIMPLEMENTED(Buffer_DonateWithControlDependency)
UNIMPLEMENTED(Client_CreateAliasBuffer)
UNIMPLEMENTED(Client_FulfillAliasBuffer)
UNIMPLEMENTED(TopologyDescription_MakeCanonicalShapeForMemorySpace)
