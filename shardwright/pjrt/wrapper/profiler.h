//===- profiler.h - the vendor's profiler and ours as one ----- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_WRAPPER_PROFILER_H
#define SHARDWRIGHT_PJRT_WRAPPER_PROFILER_H

#include "shardwright/pjrt_abi/base.h"
#include "shardwright/pjrt_client/plugin.h"

namespace shardwright::pjrt {

/// A profiler extension for the vendor's plugin: its profiles are those of the
/// vendor, if it has a profiler, and a plane that shows when programs were
/// partitioned. Lives until the process ends; one plugin per process.
PJRT_Extension_Base *
wrapperProfiler(std::shared_ptr<const pjrt_client::Plugin> vendor);

/// Records, in all profiles that are running, that a program was partitioned
/// until now. `begin`: nanoseconds since the epoch.
void notePartitioning(llvm::StringRef program, int64_t begin);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_WRAPPER_PROFILER_H
