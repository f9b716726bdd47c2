//===- auto_verify.h - run what auto has found ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_AUTO_VERIFY_H
#define SHARDWRIGHT_TOOLS_AUTO_VERIFY_H

#include "session.h"

#include "shardwright/auto/auto_shard.h"

namespace shardwright {

/// The step of the annotated module as it is read back from `text` must be the
/// reported one. Partitions it, unless the search has done so. Returns
/// exitFine, or prints the difference and returns exitBug.
int checkReadBack(llvm::StringRef text, const AutoResult &result,
                  const CompileOptions &options);

/// Runs the module as it was read, on one device (with manual computations on
/// its mesh, without other shardings), and the annotated one on random
/// arguments, and compares the results. Returns exitFine, exitDiffers or
/// exitBadInput; what differs is printed, and on `verdict`, unless it is null,
/// that nothing does.
int verifyByRunning(mlir::ModuleOp asRead, llvm::StringRef annotated,
                    const CompileOptions &options, llvm::raw_ostream *verdict);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_AUTO_VERIFY_H
