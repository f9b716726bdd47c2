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

// Runs that another process has given up.
UNIMPLEMENTED(Device_PoisonExecution)
// Send and receive through callbacks.
UNIMPLEMENTED(CopyToDeviceStream_Destroy)
UNIMPLEMENTED(CopyToDeviceStream_AddChunk)
UNIMPLEMENTED(CopyToDeviceStream_TotalBytes)
UNIMPLEMENTED(CopyToDeviceStream_GranuleSize)
UNIMPLEMENTED(CopyToDeviceStream_CurrentBytes)
// Promises of buffers, and shapes of XLA's.
UNIMPLEMENTED(Client_CreateAliasBuffer)
UNIMPLEMENTED(Client_FulfillAliasBuffer)
UNIMPLEMENTED(TopologyDescription_MakeCanonicalShapeForMemorySpace)
