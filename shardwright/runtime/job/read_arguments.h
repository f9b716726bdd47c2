//===- read_arguments.h - the arguments of one process ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_JOB_READ_ARGUMENTS_H
#define SHARDWRIGHT_RUNTIME_JOB_READ_ARGUMENTS_H

#include "shardwright/runtime/executable.h"
#include "shardwright/runtime/readers/array_reader.h"

namespace shardwright {

/// Reads the parts of global arrays that the devices of this process need.
/// Returns the arguments of Executable::execute on these devices. The arrays
/// are those of Executable::run.
llvm::Expected<std::vector<std::vector<Buffer>>>
readArguments(const Executable &executable,
              llvm::ArrayRef<std::unique_ptr<ArrayReader>> arrays,
              Client &client);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_JOB_READ_ARGUMENTS_H
