//===- repartition.h - programs for another vendor's compiler ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_WRAPPER_REPARTITION_H
#define SHARDWRIGHT_PJRT_WRAPPER_REPARTITION_H

#include "shardwright/dialect/vhlo/version.h"
#include "shardwright/partition/cost/target.h"
#include "shardwright/pjrt_abi/client.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace shardwright::pjrt {

/// A program, its compile options, and the name of its module.
struct Repartitioned {
  std::string code, options, name;
};

/// Partitions a program of several devices, and returns it in region form: the
/// other compiler sees the same arguments and results, with closed shardings,
/// and leaves the region as it is. Returns nothing for programs that it may see
/// as they are: of one device, of another format, or, if the environment
/// variable SHARDWRIGHT_BACKEND_PROGRAMS is `marked`, without `_shardwright_`
/// in the module's name. `newest`: the StableHLO that the compiler reads; the
/// program has at most the version in which it came. `target`: the compiler.
llvm::Expected<std::optional<Repartitioned>>
repartition(const PJRT_Program &program, llvm::StringRef options,
            std::optional<vhlo::Version> newest, Target target);

/// Compile options without those of ours (`shardwright_...`), which other
/// compilers refuse.
std::string withoutOwnOptions(llvm::StringRef options);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_WRAPPER_REPARTITION_H
