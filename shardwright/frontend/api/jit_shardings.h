//===- jit_shardings.h - shardings in the options of jit --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_JIT_SHARDINGS_H
#define SHARDWRIGHT_FRONTEND_API_JIT_SHARDINGS_H

#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/transform/jit_primitive.h"

namespace shardwright::frontend {

/// An error if an entry of `donate` or `donateNames` is no argument, or a
/// static one. `arguments`: their structure.
Status checkDonation(const JitOptions &options, const TreeNode &arguments);
/// True if the options donate the argument at this position of `count`.
bool isDonated(const JitOptions &options, int64_t position, int64_t count);

/// Fills in the shardings and layouts of a stage that its options ask for, one
/// entry per leaf.
Status chooseShardings(TracedStage &stage);

/// The options as the compiler reads them.
std::map<std::string, std::string> optionTexts(const CompilerOptions &options);

/// The equation of a nested call: `numCaptured` inputs come before those of the
/// function. An error if shardings do not fit.
Expected<JitEqn> nestedCall(const TracedStage &stage, size_t numCaptured);

/// The sharding of each input: that of the options, else that of the argument.
Expected<std::vector<Sharding>> resolveInputs(const TracedStage &stage);
/// The program keeps arguments that it does not use: the options say so, or
/// propagation chooses the sharding of an argument.
bool keepsUnused(const TracedStage &stage);
/// True if an AutoSharding is among the options: the shardings are searched for
/// unless compilerOptions say otherwise.
bool asksForSearch(const JitOptions &options);
/// The sharding of each result, where the options give one.
Expected<std::vector<Sharding>> resolveOutputs(const TracedStage &stage);

/// The size of the abstract meshes among the shardings of kept inputs, results
/// and equations; 0 if there are none. An error if the sizes differ, or differ
/// from the number of assigned devices, if there are any.
Expected<int64_t> abstractSize(const Jaxpr &jaxpr,
                               const std::vector<Sharding> &ins,
                               const std::vector<bool> &kept,
                               const std::vector<Sharding> &outs,
                               size_t assigned);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_JIT_SHARDINGS_H
