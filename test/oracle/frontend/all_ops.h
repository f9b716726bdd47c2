//===- all_ops.h - operations that both servers have ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_ORACLE_FRONTEND_ALL_OPS_H
#define SHARDWRIGHT_TEST_ORACLE_FRONTEND_ALL_OPS_H

#include "shardwright/frontend/frontend.h"

namespace shardwright::frontend {

/// An operation of test/oracle/frontend/jax_ops.py, applied to values with
/// integer parameters.
using SharedOp = std::function<Tensors(const Tensors &,
                                       const std::map<std::string, Ints> &)>;
using SharedOps = std::map<std::string, SharedOp>;

/// Those of all files in this folder.
const SharedOps &allOps();

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_TEST_ORACLE_FRONTEND_ALL_OPS_H
