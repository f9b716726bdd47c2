//===- named_options.cc - options by name ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/named_options.h"

#include "shardwright/compile/xla_options.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

llvm::Error shardwright::applyNamedOption(StringRef name, StringRef value,
                                          CompileOptions &options) {
  if (name == "shardwright_partition_effort") {
    auto effort = llvm::StringSwitch<std::optional<Effort>>(value)
                      .Case("0", Effort::Fast)
                      .Case("1", Effort::Normal)
                      .Case("2", Effort::Most)
                      .Default(std::nullopt);
    if (!effort)
      return llvm::createStringError("option '" + name + "' is '" + value +
                                     "', expected 0, 1 or 2");
    options.partition.effort = *effort;
  } else if (name == "shardwright_kernel_cache") {
    options.kernelCacheDir = value.str();
  } else if (name == "shardwright_compile_threads") {
    if (value.getAsInteger(10, options.compileThreads) ||
        options.compileThreads < 0)
      return llvm::createStringError("option '" + name + "' is '" + value +
                                     "', expected a number of threads");
  } else {
    llvm::Expected<bool> isXlas = isXlaOption(name, value);
    if (!isXlas)
      return isXlas.takeError();
    if (!*isXlas)
      return llvm::createStringError("No such compile option: '" + name + "'");
  }
  return llvm::Error::success();
}
