//===- unimplemented.cc - unsupported functions ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/base/slots.h"
#include "shardwright/pjrt/base/status.h"

using namespace shardwright;
using namespace shardwright::pjrt;

#define UNIMPLEMENTED(slot)                                                    \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *) {                               \
    return makeError(PJRT_Error_Code_UNIMPLEMENTED,                            \
                     "PJRT_" #slot " is not implemented");                     \
  }

// Poisons runs that wait for another process; there are no other processes.
UNIMPLEMENTED(Device_PoisonExecution)
// Streams need send and recv callbacks, which runs reject.
UNIMPLEMENTED(CopyToDeviceStream_Destroy)
UNIMPLEMENTED(CopyToDeviceStream_AddChunk)
UNIMPLEMENTED(CopyToDeviceStream_TotalBytes)
UNIMPLEMENTED(CopyToDeviceStream_GranuleSize)
UNIMPLEMENTED(CopyToDeviceStream_CurrentBytes)
