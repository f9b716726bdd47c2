//===- unimplemented.cc - functions of the table that we do not offer -----===//
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

// Runs that wait for another process, of which there is none.
UNIMPLEMENTED(Device_PoisonExecution)
// Streams come with callbacks for send and recv, which runs refuse.
UNIMPLEMENTED(CopyToDeviceStream_Destroy)
UNIMPLEMENTED(CopyToDeviceStream_AddChunk)
UNIMPLEMENTED(CopyToDeviceStream_TotalBytes)
UNIMPLEMENTED(CopyToDeviceStream_GranuleSize)
UNIMPLEMENTED(CopyToDeviceStream_CurrentBytes)
