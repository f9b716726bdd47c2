//===- emap.cc - pmap without jit -----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/emap.h"

namespace shardwright::frontend::detail {

Status checkEmapOptions(const PmapOptions &options) {
  if (!options.donate.empty())
    return notImplemented("Buffer donation not supported in eager pmap.");
  if (options.axisSize)
    return notImplemented(
        "Non-default global_axis_size not supported in eager pmap.");
  return {};
}

} // namespace shardwright::frontend::detail
