//===- reduce_pass.h - sw-reduce: delta debugging of a module ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REDUCE_REDUCE_PASS_H
#define SHARDWRIGHT_REDUCE_REDUCE_PASS_H

namespace shardwright {

/// `sw-reduce{test=SCRIPT test-arg=...}`: makes the module small while SCRIPT,
/// called with a file, exits with 1 (the convention of mlir-reduce).
void registerReducePass();

} // namespace shardwright

#endif // SHARDWRIGHT_REDUCE_REDUCE_PASS_H
