//===- named_options.h - options by name ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_NAMED_OPTIONS_H
#define SHARDWRIGHT_COMPILE_NAMED_OPTIONS_H

#include "shardwright/compile/compile.h"

namespace shardwright {

/// Applies an option that the user sets by name (compiler_options of jax.jit),
/// with its value as text. XLA's options are checked and ignored; unknown ones
/// are an error.
llvm::Error applyNamedOption(llvm::StringRef name, llvm::StringRef value,
                             CompileOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_NAMED_OPTIONS_H
